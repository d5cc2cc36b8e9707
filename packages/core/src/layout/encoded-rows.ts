/** Rows as numbers, as methods see them: nominal columns by level, at length 1 where directions count alone. */
import { encodedColumns } from "../algorithms/encode.js";
import { type Instances, type Points, rowValues } from "../model/points.js";
import type { MetricRoot } from "./metric-root.js";

/** How rows are seen before their spread is measured. */
export interface RowView {
  /** Rows are brought to length 1; rows of zeros stay. */
  readonly directions?: boolean;
  /** A metric over the encoded columns. */
  readonly root?: MetricRoot;
}

/** Levels of a nominal column beyond the most common ones are left at the origin, which bounds the covariance. */
const LEVELS = 32;

/** How columns become numbers: `at[j]` is the place of a numeric column, or of the levels of a nominal one. */
export interface Expansion {
  readonly size: number;
  readonly at: readonly (number | Int32Array)[];
  readonly columns: readonly string[];
  readonly directions: boolean;
}

/** A metric speaks of all levels; without one the most common are enough. */
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

/** The most common levels, in the order of their codes. */
function mostCommon(counts: Float64Array): number[] {
  const common = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b).slice(0, LEVELS);
  return common.sort((a, b) => a - b);
}

/** Rows per level of a nominal column; missing cells are none. */
export function levelCounts({ n, d, x }: Points, column: number): Float64Array {
  let levels = 0;
  for (let i = 0; i < n; i++) if (x[i * d + column]! >= levels) levels = x[i * d + column]! + 1;
  const counts = new Float64Array(levels);
  for (let i = 0; i < n; i++) counts[x[i * d + column]!]!++;
  return counts;
}

/** Reads rows. One-hot cells weigh 1/√2, so that two rows of different levels are 1 apart. */
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

/** One row, for those who read a few. */
export function readRow(points: Points, expansion: Expansion, i: number, row: Float64Array): void {
  rowReader(points, expansion)(i, row);
}

/** The largest entry is divided out first, so that no square overflows or vanishes. */
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
