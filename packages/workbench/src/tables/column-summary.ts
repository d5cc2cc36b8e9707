/** What the panel beside the map says of a column: its range, its spread in a few bars, its most frequent levels. */
import type { Column, NominalColumn, NumericColumn } from "@coterie/data/browser";
import type { ColumnReply } from "../protocol/projects.js";

const BINS = 20;
const LEVELS = 12;

export function summaryOf(column: Column): Omit<ColumnReply, "role"> {
  return column.kind === "numeric" ? numericSummary(column) : nominalSummary(column);
}

/** A vector as one column: its numbers say little one by one. */
export function vectorSummary(name: string, parts: readonly Column[]): Omit<ColumnReply, "role"> {
  return { name, kind: "vector", missing: parts[0]!.missing, parts: parts.length, counts: [] };
}

function numericSummary(column: NumericColumn): Omit<ColumnReply, "role"> {
  const { name, values, missing, date, notation } = column;
  const written = notation && "before" in notation ? { notation } : {};
  const kind = date === undefined ? ("number" as const) : ("date" as const);
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    count++;
  }
  if (count === 0) return { name, kind, missing, counts: [] };
  const mean = sum / count;
  const counts = new Array<number>(BINS).fill(0);
  let squares = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    squares += (value - mean) ** 2;
    counts[binOf(value, min, max)]!++;
  }
  return { name, kind, missing, ...written, min, max, mean, deviation: Math.sqrt(squares / count), counts };
}

function binOf(value: number, min: number, max: number): number {
  return max === min ? 0 : Math.min(BINS - 1, Math.floor(((value - min) / (max - min)) * BINS));
}

function nominalSummary({ name, codes, levels, missing }: NominalColumn): Omit<ColumnReply, "role"> {
  const frequency = new Int32Array(levels.length);
  for (const code of codes) if (code >= 0) frequency[code]!++;
  const frequent = [...levels.keys()].sort((a, b) => frequency[b]! - frequency[a]! || a - b).slice(0, LEVELS);
  return {
    name,
    kind: "nominal",
    missing,
    distinct: levels.length,
    counts: frequent.map((level) => frequency[level]!),
    levels: frequent.map((level) => levels[level]!.slice(0, 200)),
  };
}
