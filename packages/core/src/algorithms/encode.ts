import type { Instances, Points } from "../model/points.js";

/** Where a column of encoded points comes from: a column of the original, and the level that it stands for (-1: a number). */
export interface EncodedColumn {
  readonly name: string;
  readonly column: number;
  readonly level: number;
}

/** What a nominal column's own level holds: two rows with different levels are then at squared distance 1. */
export const ONE_HOT = Math.SQRT1_2;

/** The columns that `oneHot` makes, in order. */
export function encodedColumns(points: Instances): readonly EncodedColumn[] {
  return Array.from({ length: points.d }, (_, column) => {
    const name = points.names?.[column] ?? `x${column}`;
    if (points.nominal?.[column] !== 1) return [{ name, column, level: -1 }];
    return Array.from({ length: levelCount(points, column) }, (_, level) => ({
      name: `${name}=${points.levels?.[column]?.[level] ?? level}`,
      column,
      level,
    }));
  }).flat();
}

/**
 * Points for methods that need means: a nominal column becomes one column per level, 1/√2 in the column of the row's level
 * and 0 elsewhere, so that squared distances count differing columns, as Hamming's do.
 */
export function oneHot(points: Instances): { readonly points: Points; readonly notices: readonly string[] } {
  const { n, d, x, nominal } = points;
  if (!nominal?.includes(1)) return { points, notices: [] };
  const columns = encodedColumns(points);
  const width = columns.length;
  const starts = Array.from({ length: d }, (_, j) => columns.findIndex((encoded) => encoded.column === j));
  const encoded = new Float64Array(n * width);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      const value = x[i * d + j]!;
      if (nominal[j] === 1) encoded[i * width + starts[j]! + value] = ONE_HOT;
      else encoded[i * width + starts[j]!] = value;
    }
  }
  const count = nominal.reduce((sum, flag) => sum + flag, 0);
  return {
    points: { n, d: width, x: encoded, names: columns.map(({ name }) => name) },
    notices: [
      `${count === 1 ? "1 nominal column is" : `${count} nominal columns are`} seen as 0 or 1/√2 for each level, ${width} columns in all.`,
    ],
  };
}

/** The population variance of each column that `oneHot` makes, without making them. */
export function encodedVariances(points: Instances): Float64Array {
  const { n, d, x, nominal } = points;
  const columns = encodedColumns(points);
  const starts = Array.from({ length: d }, (_, j) => columns.findIndex((encoded) => encoded.column === j));
  const mean = new Float64Array(columns.length);
  const variance = new Float64Array(columns.length);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      const value = x[i * d + j]!;
      if (nominal?.[j] === 1) mean[starts[j]! + value]! += ONE_HOT / n;
      else mean[starts[j]!]! += value / n;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      if (nominal?.[j] === 1) continue;
      const away = x[i * d + j]! - mean[starts[j]!]!;
      variance[starts[j]!]! += (away * away) / n;
    }
  }
  columns.forEach(({ level }, c) => {
    if (level >= 0) variance[c] = mean[c]! * (ONE_HOT - mean[c]!);
  });
  return variance;
}

/** Levels that have a name, and at least those that occur. */
function levelCount({ n, d, x, levels }: Instances, j: number): number {
  let most = (levels?.[j]?.length ?? 0) - 1;
  for (let i = 0; i < n; i++) most = Math.max(most, x[i * d + j]!);
  return most + 1;
}
