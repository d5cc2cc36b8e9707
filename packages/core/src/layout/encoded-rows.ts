/** Rows as the numbers that methods use: nominal columns one-hot encoded, rows normalised to length 1 if only directions count. */
import { encodedColumns } from "../algorithms/encode.js";
import { type Instances, type Points, rowValues } from "../model/points.js";
import type { MetricRoot } from "./metric-root.js";

/** Transformations of rows before their spread is measured. */
export interface RowView {
  /** Normalise rows to length 1; zero rows stay zero. */
  readonly directions?: boolean;
  /** A metric over the encoded columns. The rows are mapped by its root R. */
  readonly root?: MetricRoot;
}

/** Maximum number of levels of a nominal column that get their own column. All other levels are encoded as zeros. */
const LEVELS = 32;

/**
 * The encoded columns. If column j is numeric, `at[j]` is its position. If it is nominal, `at[j]` lists the position of each level, -1 for
 * none.
 */
export interface Expansion {
  readonly size: number;
  readonly at: readonly (number | Int32Array)[];
  readonly columns: readonly string[];
  readonly directions: boolean;
}

/**
 * The encoded columns of a view. A metric has a weight for each level, so with a metric all levels are encoded. Without a metric, only the
 * most common levels are encoded.
 */
export function expand(points: Instances, { directions = false, root }: RowView): Expansion {
  const at: (number | Int32Array)[] = [];
  const columns: string[] = [];
  const levels = new Map<number, number>();
  if (root) for (const { column, level } of encodedColumns(points)) if (level >= 0) levels.set(column, level + 1);
  for (let j = 0; j < points.d; j++) {
    const name = points.names?.[j] ?? `column ${j + 1}`;
    if (points.nominal?.[j] !== 1) {
      at.push(columns.push(name) - 1);
      continue;
    }
    const counts = levelCounts(points, j);
    const place = new Int32Array(levels.get(j) ?? counts.length).fill(-1);
    const common = root ? [...place.keys()] : mostCommon(counts);
    for (const level of common) place[level] = columns.push(`${name} = ${points.levels?.[j]?.[level] ?? level}`) - 1;
    at.push(place);
  }
  return { size: columns.length, at, columns, directions };
}

function mostCommon(counts: Float64Array): number[] {
  const common = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b).slice(0, LEVELS);
  return common.sort((a, b) => a - b);
}

export function levelCounts({ n, d, x }: Points, column: number): Float64Array {
  let levels = 0;
  for (let i = 0; i < n; i++) if (x[i * d + column]! >= levels) levels = x[i * d + column]! + 1;
  const counts = new Float64Array(levels);
  for (let i = 0; i < n; i++) counts[x[i * d + column]!]!++;
  return counts;
}

/** Returns a function that encodes row i. One-hot cells are 1/√2, so that two rows with different levels are at distance 1. */
export function rowReader(points: Points, { at, directions }: Expansion): (i: number, row: Float64Array) => void {
  const { d, nominal } = points;
  const x = rowValues(points);
  const write = (i: number, row: Float64Array) => {
    row.fill(0);
    for (let j = 0; j < d; j++) {
      const value = x[i * d + j]!;
      const place = at[j]!;
      if (typeof place === "number") row[place] = value;
      else if (place[value]! >= 0) row[place[value]!] = Math.SQRT1_2;
    }
  };
  const copy = (i: number, row: Float64Array) => {
    for (let j = 0, p = i * d; j < d; j++, p++) row[j] = x[p]!;
  };
  const read = nominal?.includes(1) ? write : copy;
  return (i, row) => {
    read(i, row);
    if (directions) toLengthOne(row);
  };
}

export function readRow(points: Points, expansion: Expansion, i: number, row: Float64Array): void {
  rowReader(points, expansion)(i, row);
}

/** Divides by the largest entry first, so that no square overflows or underflows. */
function toLengthOne(row: Float64Array): void {
  let largest = 0;
  for (const value of row) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return;
  let sum = 0;
  for (let j = 0; j < row.length; j++) {
    row[j]! /= largest;
    sum += row[j]! * row[j]!;
  }
  const length = Math.sqrt(sum);
  for (let j = 0; j < row.length; j++) row[j]! /= length;
}
