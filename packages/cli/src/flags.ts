/** Flags as data: one table for parsing the command line, printing help and completing in shells. */
import { parseArgs } from "node:util";
import { badOption, CoterieError, describe } from "@coterie/core/errors";
import { nearestName } from "@coterie/core/names";

export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly list?: boolean;
  readonly kind?: "number" | "integer" | "file" | "column";
  readonly option?: string;
}

/** The kind of a flag's value for each placeholder of the help, such as FILE in `--out FILE`. All other placeholders are texts. */
const KINDS: Readonly<Record<string, Flag["kind"]>> = {
  FILE: "file",
  DIR: "file",
  F: "file",
  DATA: "file",
  COL: "column",
  "A,B": "column",
  D: "integer",
  K: "integer",
  N: "integer",
  P: "integer",
  Q: "integer",
  S: "number",
  SHARE: "number",
  X: "number",
};

interface Details extends Pick<Flag, "description" | "choices"> {
  readonly kind?: Flag["kind"] | undefined;
}

/** Makes flags from their help texts: `{ "--out, -o FILE": "write to FILE" }`. The value of a list flag is written `A,B` or ends in "…". */
export function flagList(flags: Readonly<Record<string, string | Details>>): Flag[] {
  return Object.entries(flags).map(([usage, given]) => {
    const [, name = "", short, value, dots] = /^--([\w-]+)(?:, -(\w))?(?: (.+?)(…)?)?$/.exec(usage) ?? [];
    const { kind, ...details } = { kind: KINDS[value ?? ""], ...(typeof given === "string" ? { description: given } : given) };
    return {
      name,
      ...(short ? { short } : {}),
      ...(value ? { value } : {}),
      ...(dots || value === "A,B" ? { list: true } : {}),
      ...(kind ? { kind } : {}),
      ...details,
    };
  });
}

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Parsed {
  readonly values: Values;
  readonly positionals: readonly string[];
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Parses a command line. `elsewhere`: returns the error sentence for a flag that exists only with another method or strategy. */
export function parseFlags(
  args: readonly string[],
  flags: readonly Flag[],
  tolerant = false,
  elsewhere: (name: string) => string | undefined = () => undefined,
): Parsed {
  const options = Object.fromEntries(
    flags.map(({ name, short, value, list }) => [
      name,
      {
        type: value ? ("string" as const) : ("boolean" as const),
        ...(short ? { short } : {}),
        ...(list ? { multiple: true } : {}),
      },
    ]),
  );
  const { values, positionals, tokens } = parseArgs({
    args: negativeNumbers(args, flags),
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === "option") checkToken(token, flags, tolerant, elsewhere);
  for (const flag of flags) checkChoices(flag, values[flag.name] as string | string[] | undefined);
  return { values: values as Values, positionals };
}

/** Joins a flag and a negative number into one argument, because `parseArgs` takes "-3" in "--seed -3" for a flag. */
function negativeNumbers(args: readonly string[], flags: readonly Flag[]): string[] {
  const taking = new Set(
    flags.filter((flag) => flag.value).flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
  );
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const next = args[i + 1];
    if (taking.has(args[i]!) && next !== undefined && /^-(\d|$)/.test(next)) {
      joined.push(args[i]!.startsWith("--") ? `${args[i]}=${next}` : `${args[i]}${next}`);
      i++;
    } else joined.push(args[i]!);
  }
  return joined;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function checkToken(
  { name, rawName, value, inlineValue }: OptionToken,
  flags: readonly Flag[],
  tolerant: boolean,
  elsewhere: (name: string) => string | undefined,
): void {
  const flag = flags.find((candidate) => candidate.name === name);
  if (!flag) {
    if (tolerant) return;
    const known = elsewhere(name);
    if (known) throw new UsageError(known);
    const near = nearestName(
      name,
      flags.map((candidate) => candidate.name),
    );
    throw new UsageError(`There is no option ${rawName}.${near ? ` Did you mean --${near}?` : ""}`);
  }
  const swallowed = value !== undefined && !inlineValue && /^-[^\d]/.test(value);
  if (flag.value && (value === undefined || swallowed))
    throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.value}.`);
  if (!flag.value && value !== undefined) throw new UsageError(`${rawName} takes no value.`);
}

function checkChoices({ name, choices, value, list }: Flag, given: string | string[] | undefined): void {
  if (!choices || !value || given === undefined) return;
  for (const word of list ? [given].flat().flatMap(splitList) : [given as string]) {
    if (choices.includes(word)) continue;
    const near = nearestName(word, choices);
    throw new UsageError(
      `--${name} is "${word}"; it must be one of ${choices.join(", ")}.${near ? ` Did you mean ${near}?` : ""}`,
    );
  }
}

function splitList(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll("\\,", ",").trim())
    .filter((part) => part !== "");
}

export function listOf(values: Values, name: string): string[] | undefined {
  const given = values[name];
  if (given === undefined || typeof given === "boolean") return undefined;
  return [given].flat().flatMap((text) => splitList(String(text)));
}

export function textOf(values: Values, name: string): string | undefined {
  const given = values[name];
  return typeof given === "string" ? given : undefined;
}

export function numberOf(
  values: Values,
  name: string,
  rule: { readonly integer?: boolean; readonly least?: number } = {},
): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  const { integer = false, least = -Infinity } = rule;
  const fits = Number.isFinite(number) && number >= least && (!integer || Number.isSafeInteger(number));
  if (fits) return number;
  throw badOption(
    `--${name}`,
    text,
    `${integer ? "a whole number" : "a number"}${least > -Infinity ? ` of at least ${least}` : ""}`,
  );
}

export function seedOf(values: Values): number {
  return numberOf(values, "seed", { integer: true }) ?? 0;
}

export function workersOf(values: Values): number | undefined {
  return numberOf(values, "workers", { integer: true, least: 1 });
}

export function checkShared(values: Values): void {
  seedOf(values);
  workersOf(values);
  numberOf(values, "effort", { integer: true, least: 1 });
  checkStandardOutput(values);
  if (values.map !== undefined && values.html === undefined)
    throw new UsageError("--map chooses the map of the page: add --html FILE.");
}

const RESULTS = ["out", "report", "html", "newick", "nested", "constraints-out", "centre-distances", "model"];

/** Throws if two results would go to standard output, because a reader could not separate them. */
function checkStandardOutput(values: Values): void {
  const printed = [...(values.json ? ["json"] : []), ...RESULTS.filter((name) => values[name] === "-")];
  if (printed.length < 2) return;
  const names = printed.map((name) => `--${name}`).join(" and ");
  throw new UsageError(`${names} would mix on standard output: write all but one of them to a file.`);
}

export function isUsage(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof CoterieError && error.problem.code === "bad-option");
}

export function sentenceOf({ problem, message }: CoterieError): string {
  if (problem.code !== "bad-option") return message;
  const { option, expected } = problem;
  const named = /^[a-z]+$/i.test(option) ? flagNamed(option) : option;
  return describe({ ...problem, option: named, expected: expected.replace(/\b[a-z]+[A-Z]\w*/g, flagNamed) });
}

function flagNamed(option: string): string {
  return option.length === 1 ? `-${option}` : `--${kebab(option)}`;
}

export function kebab(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
