/** The settings of `coterie ask`. Settings that are not on the command line come from the log of answers. */
import { badInput, CoterieError, DEFAULT_STRATEGY, findStrategy, type Strategy, strategies } from "@coterie/core/internal";
import type { StartRecord } from "@coterie/data";
import { DATA_FLAGS } from "../command.js";
import { type Flag, isUsage, listOf, numberOf, seedOf, textOf, UsageError, type Values } from "../flags.js";
import { flagsOf, optionsFrom } from "../method-flags.js";

const READING = [
  "id",
  "truth",
  "exclusive",
  "features",
  "ignore",
  "nominal",
  "type",
  "cyclic",
  "weight",
  "row-weight",
  "reduce",
  "text-dimensions",
  "sample",
  "columns-from",
  "scale",
  "missing",
  "delimiter",
  "decimal",
] as const;
const LISTS: readonly string[] = DATA_FLAGS.filter(({ list }) => list).map(({ name }) => name);

export const DEFAULT_BUDGET = 50;

export interface AskRequest {
  readonly strategy: Strategy;
  readonly options: Readonly<Record<string, unknown>>;
  readonly k: number | undefined;
  readonly budget: number;
  readonly seed: number;
  /** Expected share of wrong answers, 0 to 1; 0 means that every answer is certain. "learn": the share is estimated from the answers. */
  readonly errorRate: number | "learn";
  readonly values: Values;
  readonly reading: StartRecord["reading"];
}

export interface Beginning {
  readonly start: StartRecord;
  readonly file: string;
  readonly line: number;
}

export function requestFrom(given: Values, beginning: Beginning | undefined): AskRequest {
  const before = beginning?.start;
  if (given["row-weight"] !== undefined) {
    throw new UsageError(
      "Questions count every row once: leave out --row-weight. To keep the column of weights out of the distances, use --ignore COL.",
    );
  }
  const values = beginning ? { ...fromLog(beginning), ...given } : given;
  const strategy = strategyOf(given, beginning);
  const k = numberOf(given, "k", { integer: true, least: 1 }) ?? before?.k ?? undefined;
  if (k === undefined && strategy.needsK) {
    if (beginning && strategy.name === before?.strategy)
      throw wrongField(beginning, "k", `is missing, and ${strategy.name} needs it`);
    throw new UsageError("Say how many clusters: -k K.");
  }
  if (k !== undefined && strategy.findsK)
    throw new UsageError(`The strategy ${strategy.name} finds the number of clusters: leave -k out.`);
  const kept = beginning && before?.strategy === strategy.name ? keptOptions(strategy, beginning) : {};
  const checked = strategy.options.safeParse({ ...kept, ...optionsFrom(given, flagsOf(strategy)) });
  if (!checked.success) throw new UsageError(`${strategy.name}: ${checked.error.issues[0]!.message}.`);
  return {
    strategy,
    options: checked.data,
    k,
    budget: numberOf(given, "budget", { integer: true, least: 0 }) ?? before?.budget ?? DEFAULT_BUDGET,
    errorRate: rateOf(given, strategy) ?? before?.errorRate ?? 0,
    seed: given.seed === undefined ? (before?.seed ?? 0) : seedOf(given),
    values,
    reading: Object.fromEntries(
      READING.flatMap((name) => {
        const value = LISTS.includes(name) ? listOf(values, name) : textOf(values, name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    ),
  };
}

function rateOf(values: Values, { name }: Strategy): number | "learn" | undefined {
  const text = textOf(values, "error-rate");
  if (text === undefined) return undefined;
  const rate = text === "learn" ? text : (numberOf(values, "error-rate", { least: 0 }) ?? 0);
  if (rate !== "learn" && rate >= 0.5)
    throw new UsageError("--error-rate must be less than 0.5: answers that are wrong half of the time contain no information.");
  if (rate !== 0 && name !== DEFAULT_STRATEGY)
    throw new UsageError(`--error-rate weighs answers, and ${name} takes them as law: leave --strategy out.`);
  return rate;
}

function fromLog(beginning: Beginning): Values {
  const { reading, constraints, distances } = beginning.start;
  for (const [name, value] of Object.entries(reading)) checkReading(name, value, beginning);
  // The log stores names unchanged, but a list on a command line is split at commas, so commas are escaped here.
  const asTyped = (value: string | readonly string[]) =>
    typeof value === "string" ? value : value.map((name) => name.replaceAll(",", "\\,"));
  return {
    ...Object.fromEntries(Object.entries(reading).map(([name, value]) => [name, asTyped(value)])),
    ...(constraints.length > 0 ? { constraints } : {}),
    ...(distances ? { distances: distances.file } : {}),
  };
}

/** Checks a setting from the log by the same rules as the flag of this name, because the log is a file that can contain anything. */
function checkReading(name: string, value: string | readonly string[], beginning: Beginning): void {
  const flag = READING.some((known) => known === name) ? DATA_FLAGS.find((each) => each.name === name) : undefined;
  if (!flag) throw wrongField(beginning, `reading.${name}`, "is no way to read a table");
  const isList = typeof value !== "string";
  if (isList !== LISTS.includes(name))
    throw wrongField(beginning, `reading.${name}`, isList ? "must be one text" : "must be a list");
  if (flag.choices && !flag.choices.includes(String(value)))
    throw wrongField(beginning, `reading.${name}`, `must be one of ${flag.choices.join(", ")}`);
}

function keptOptions(strategy: Strategy, beginning: Beginning): Readonly<Record<string, unknown>> {
  const { options } = beginning.start;
  const checked = strategy.options.safeParse(options);
  if (checked.success) return options;
  const { path, message } = checked.error.issues[0]!;
  throw wrongField(beginning, ["options", ...path].join("."), `does not fit (${message})`);
}

function wrongField({ file, line }: Pick<Beginning, "file" | "line">, field: string, what: string): Error {
  return badInput(`The field "${field}" of the log ${what}.`, {
    file,
    line,
    remedy: "Correct the line by hand, or start another log with --answers.",
  });
}

/** Adds the line of the log to an error about a flag, if the value of the flag comes from the log. Returns other errors unchanged. */
export function asTheLogs(error: unknown, given: Values, beginning: Beginning | undefined): unknown {
  if (!beginning || !(error instanceof Error)) return error;
  const isInput = error instanceof CoterieError && error.problem.code === "bad-input";
  if (!isInput && !isUsage(error)) return error;
  const said = isInput && error.problem.code === "bad-input" ? error.problem.message : error.message;
  const name = Object.keys(beginning.start.reading).find((each) => given[each] === undefined && said.includes(`--${each}`));
  return name === undefined ? error : wrongField(beginning, `reading.${name}`, `does not fit (${said.replace(/\.$/, "")})`);
}

function strategyOf(values: Values, beginning: Beginning | undefined): Strategy {
  const relative = values.relative === true;
  const named = textOf(values, "strategy") ?? (relative ? strategies.find(({ asks }) => asks === "triplet")?.name : undefined);
  const name = named ?? beginning?.start.strategy ?? DEFAULT_STRATEGY;
  const strategy = findStrategy(name);
  const known = strategies.map((each) => each.name).join(", ");
  if (!strategy && named === undefined) throw wrongField(beginning!, "strategy", `must be one of ${known}`);
  if (!strategy) throw new UsageError(`There is no strategy "${name}"; there are ${known}.`);
  if (relative && strategy.asks !== "triplet")
    throw new UsageError(`--relative asks about three rows, and ${name} about two; leave one of the two out.`);
  return strategy;
}

export function strategyFlags(values: Values): Flag[] {
  return flagsOf(strategyOf(values, undefined));
}
