/** What a line of `ask` asks for, with what a log says where the line is silent. */
import { DEFAULT_STRATEGY, findStrategy, type Strategy, strategies } from "@coterie/core";
import type { StartRecord } from "@coterie/data";
import { type Flag, listOf, numberOf, seedOf, textOf, UsageError, type Values } from "../flags.js";
import { flagsOf, optionsFrom } from "../method-flags.js";

/** Flags of a table that decide which columns the questions are about and how they are read; they are kept in the log. */
const READING = [
  "id",
  "truth",
  "exclusive",
  "features",
  "ignore",
  "nominal",
  "scale",
  "missing",
  "delimiter",
  "decimal",
] as const;
const LISTS: readonly string[] = ["exclusive", "features", "ignore", "nominal"];

export const DEFAULT_BUDGET = 50;

export interface AskRequest {
  readonly strategy: Strategy;
  readonly options: Readonly<Record<string, unknown>>;
  readonly k: number | undefined;
  readonly budget: number;
  readonly seed: number;
  /** The flags that say how to read the table, as values and as the log keeps them. */
  readonly values: Values;
  readonly reading: Readonly<Record<string, unknown>>;
}

/** `before`: how the log was begun, if there is one to go on with. */
export function requestFrom(given: Values, before: StartRecord | undefined): AskRequest {
  const values = before ? { ...fromLog(before), ...given } : given;
  const strategy = strategyOf(given, before);
  const k = numberOf(given, "k", { integer: true, least: 1 }) ?? before?.k ?? undefined;
  if (k === undefined && strategy.needsK) throw new UsageError("Say how many clusters: -k K.");
  const kept = before?.strategy === strategy.name ? before.options : {};
  const checked = strategy.options.safeParse({ ...kept, ...optionsFrom(given, flagsOf(strategy)) });
  if (!checked.success) throw new UsageError(`${strategy.name}: ${checked.error.issues[0]!.message}.`);
  return {
    strategy,
    options: checked.data,
    k,
    budget: numberOf(given, "budget", { integer: true, least: 0 }) ?? before?.budget ?? DEFAULT_BUDGET,
    seed: given.seed === undefined ? (before?.seed ?? 0) : seedOf(given),
    values,
    reading: Object.fromEntries(
      READING.flatMap((name) => {
        const value = LISTS.includes(name) ? listOf(values, name) : textOf(values, name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

function fromLog({ reading, constraints, distances }: StartRecord): Values {
  return {
    ...(reading as Values),
    ...(constraints.length > 0 ? { constraints } : {}),
    ...(distances ? { distances: distances.file } : {}),
  };
}

function strategyOf(values: Values, before: StartRecord | undefined): Strategy {
  const relative = values.relative === true;
  const named = textOf(values, "strategy");
  const name = named ?? (relative ? tripletStrategy() : undefined) ?? before?.strategy ?? DEFAULT_STRATEGY;
  const strategy = findStrategy(name);
  if (!strategy)
    throw new UsageError(`There is no strategy "${name}"; there are ${strategies.map((each) => each.name).join(", ")}.`);
  if (relative && strategy.asks !== "triplet")
    throw new UsageError(`--relative asks about three rows, and ${name} about two; leave one of the two out.`);
  return strategy;
}

function tripletStrategy(): string | undefined {
  return strategies.find(({ asks }) => asks === "triplet")?.name;
}

/** The flags of the strategy that the line asks for. */
export function strategyFlags(values: Values): Flag[] {
  return flagsOf(strategyOf(values, undefined));
}
