/** Checks options by their schema; an error is one sentence. */
import type * as z from "zod";
import { badOption } from "../errors.js";

/** The options with their defaults filled in; throws the first error. */
export function checkedOptions<Schema extends z.ZodType>(schema: Schema, options: unknown): z.output<Schema> {
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
