/** Flags that say something about one column each: COL=WORD, repeated or with commas. */

import { nearestName } from "@coterie/core/names";
import { COLUMN_TYPES, type ColumnType, CYCLES, type Cycle, type ReadTableOptions } from "@coterie/data";
import { listOf, UsageError, type Values } from "./flags.js";

export function columnOptions(values: Values): Pick<ReadTableOptions, "types" | "cyclic" | "weights"> {
  const types = pairsOf(values, "type", "COL=TYPE");
  const cyclic = pairsOf(values, "cyclic", "COL=TURN");
  const weights = pairsOf(values, "weight", "COL=W");
  return {
    ...(types ? { types: onceEach("type", types, typeOf) } : {}),
    ...(cyclic ? { cyclic: gathered(cyclic) } : {}),
    ...(weights ? { weights: onceEach("weight", weights, weightOf) } : {}),
  };
}

type Pair = readonly [column: string, word: string];

/** The last "=" parts a pair: a name may have one in it. */
function pairsOf(values: Values, flag: string, shape: string): Pair[] | undefined {
  return listOf(values, flag)?.map((text): Pair => {
    const at = text.lastIndexOf("=");
    if (at <= 0 || at === text.length - 1) throw new UsageError(`--${flag} is "${text}"; it must be ${shape}.`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
}

function onceEach<V>(flag: string, pairs: readonly Pair[], read: (word: string, pair: string) => V): Record<string, V> {
  const found = new Map<string, V>();
  for (const [column, word] of pairs) {
    const value = read(word, `${column}=${word}`);
    if (found.has(column) && found.get(column) !== value)
      throw new UsageError(`--${flag} says two different things about the column "${column}".`);
    found.set(column, value);
  }
  return Object.fromEntries(found);
}

function typeOf(word: string, pair: string): ColumnType {
  const type = COLUMN_TYPES.find((each) => each === word);
  if (type) return type;
  const near = nearestName(word, COLUMN_TYPES);
  throw new UsageError(
    `--type is "${pair}"; the type must be one of ${COLUMN_TYPES.join(", ")}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
  );
}

function weightOf(word: string, pair: string): number {
  const weight = Number(word);
  if (weight > 0 && weight < Infinity) return weight;
  throw new UsageError(`--weight is "${pair}"; the weight must be a number above 0.`);
}

/** A column may go round several circles. */
function gathered(pairs: readonly Pair[]): Record<string, (Cycle | number)[]> {
  const found = new Map<string, (Cycle | number)[]>();
  for (const [column, word] of pairs) {
    const length = Number(word);
    const cycle = CYCLES.find((each) => each === word) ?? (length > 0 && length < Infinity ? length : undefined);
    if (cycle === undefined) {
      throw new UsageError(
        `--cyclic is "${column}=${word}"; a turn is ${CYCLES.join(", ")}, or a number above 0 for a column of numbers.`,
      );
    }
    const cycles = found.get(column) ?? [];
    if (!cycles.includes(cycle)) found.set(column, [...cycles, cycle]);
  }
  return Object.fromEntries(found);
}
