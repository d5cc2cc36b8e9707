/** Options as schemas: the parts that schemas are made of, and a check that reports each error in one sentence. */
import * as z from "zod/mini";
import { badOption } from "./errors.js";

export interface OptionProperty {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly OptionProperty[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly file?: string;
  readonly default?: unknown;
  readonly description?: string;
}

interface OptionFacts {
  /** Set if the command line also accepts a file name for this option. The value says what the file contains. */
  readonly file?: "centres";
  /** Set if all methods share one command-line flag for this option. */
  readonly shared?: true;
}

/** An option of a method, with the description that help, forms and editors show. */
/* @__NO_SIDE_EFFECTS__ */
export function option<Schema extends z.ZodMiniType>(schema: Schema, description: string, facts: OptionFacts = {}): Schema {
  z.globalRegistry.add(schema, { description, ...facts });
  return schema;
}

export function whole(least: number) {
  return z.int().check(z.gte(least));
}

export function atLeast(least: number) {
  return z.number().check(z.gte(least));
}

export function positive() {
  return z.number().check(z.positive());
}

export function toggle(preset: boolean) {
  return z._default(z.boolean(), preset);
}

/** Schema of an option with one of the given words. The first word is the default. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z._default(z.enum(words), words[0] as never);
}

/** Checks options against a schema and fills in the defaults. Throws an error about the first invalid option. */
export function checkedOptions<Schema extends z.ZodMiniType>(schema: Schema, options: unknown): z.output<Schema> {
  const checked = schema.safeParse(options);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0]!;
  const name = issue.code === "unrecognized_keys" ? (issue.keys[0] ?? "option") : String(issue.path[0] ?? "option");
  throw badOption(name, valueAt(options, issue.path.length > 0 ? issue.path : [name]), expectation(issue));
}

function valueAt(options: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], options);
}

interface Issue {
  readonly code?: string;
  readonly message: string;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: boolean;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "too_small":
      return `${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `${issue.inclusive === false ? "below" : "at most"} ${issue.maximum}`;
    case "invalid_value":
      return `one of ${(issue.values ?? []).join(", ")}`;
    case "invalid_type":
      return issue.expected === "int" ? "a whole number" : `a ${issue.expected}`;
    case "unrecognized_keys":
      return "left out: the method has no such option";
    default:
      return issue.message.toLowerCase();
  }
}
