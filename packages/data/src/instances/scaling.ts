/** Scaling of features, and a notice if one feature dominates the others. */
import { badInput, type Notation, type Scaling } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import { quoted } from "../table/sentences.js";
import type { Numbers } from "../table/table.js";

export interface Feature {
  readonly name: string;
  /** Numbers, or level codes. They can be the arrays of the table, so they must not be changed. */
  readonly values: Numbers;
  /** The level names of a nominal column; null for numbers. */
  readonly levels: readonly string[] | null;
  /** The rows with filled cells. */
  readonly filledRows: Int32Array;
  /** The value for missing cells, if they are filled. */
  readonly fill?: number | string;
  /** Number of missing cells that were not filled; their values are NaN. */
  readonly holes: number;
  /** The vector column that the feature is a part of. */
  readonly vector?: string;
  /** Whether its levels are texts that are compared by similarity. */
  readonly isText?: true;
  /** The weight of the feature in distances, default 1. */
  readonly weight?: number;
  /** The notation for showing values to people. */
  readonly notation?: Notation;
}

/** A feature dominates from this share of the total variance on. */
const DOMINANT_SHARE = 0.95;

/**
 * The scaling of the numeric features: zscore by mean and population deviation, minmax to 0 … 1. A constant column becomes 0. Level
 * codes are not changed. Null if nothing is scaled.
 */
export function scalingOf(features: readonly Feature[], scale: "none" | "zscore" | "minmax", file: string): Scaling | null {
  if (scale === "none") return null;
  const offset: number[] = [];
  const factor: number[] = [];
  for (const { name, values, levels, holes } of features) {
    const [shift, divisor] = levels === null ? (scale === "zscore" ? standard(values, holes) : unit(values)) : [0, 1];
    if (!Number.isFinite(shift) || !Number.isFinite(divisor) || divisor === 0) {
      throw badInput(`Column ${quoted(name)} cannot be scaled: its values are too far from 1.`, {
        file,
        remedy: `Change its unit, or leave it out (${shellListFlag("--ignore", name)}).`,
      });
    }
    offset.push(shift);
    factor.push(divisor);
  }
  return { offset, factor };
}

/**
 * Applies weights: the numbers of a column are multiplied by the square root of its weight, so that squared differences count by the
 * weight. Level codes are not changed; distances use the weights stored in the points.
 */
export function weighted(scaling: Scaling | null, features: readonly Feature[]): Scaling | null {
  const roots = features.map(({ weight = 1, levels }) => (levels === null ? Math.sqrt(weight) : 1));
  if (roots.every((root) => root === 1)) return scaling;
  return {
    offset: roots.map((_, j) => scaling?.offset[j] ?? 0),
    factor: roots.map((root, j) => (scaling?.factor[j] ?? 1) / root),
  };
}

function unit(values: Numbers): [offset: number, factor: number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (high < low) return [0, 1];
  return [low, high === low ? 1 : high - low];
}

function standard(values: Numbers, holes: number): [offset: number, factor: number] {
  return standardOf(holes > 0 ? values.filter((value) => !Number.isNaN(value)) : values);
}

function standardOf(values: Numbers): [offset: number, factor: number] {
  const first = values[0] ?? 0;
  // The mean of equal numbers can differ from them in its last bit, but a constant column must become exactly 0.
  if (isConstant(values, first)) return [first, 1];
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) * (values[i]! - mean);
  return [mean, Math.sqrt(squares / values.length)];
}

function isConstant(values: Numbers, first: number): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== first) return false;
  return true;
}

/**
 * The variance in one pass, accurate enough for a comparison. Differences are relative to the first value: because it is one of the n
 * values, cancellation loses at most a factor n. There are two sums of each kind, because additions to one sum wait for each other.
 */
function roughVariance(values: Numbers): number {
  const n = values.length;
  const first = values[0] ?? 0;
  let [sum, squares, otherSum, otherSquares] = [0, 0, 0, 0];
  for (let i = 0; i + 1 < n; i += 2) {
    const a = values[i]! - first;
    const b = values[i + 1]! - first;
    sum += a;
    squares += a * a;
    otherSum += b;
    otherSquares += b * b;
  }
  const last = n % 2 === 1 ? values[n - 1]! - first : 0;
  const mean = (sum + otherSum + last) / n;
  return (squares + otherSquares + last * last) / n - mean * mean;
}

/** A notice if one of several numeric features has nearly all the variance. */
export function dominanceOf(features: readonly Feature[]): string | undefined {
  const numeric = features.filter((feature) => feature.levels === null);
  const names = numeric.map(({ name }) => name);
  return dominanceAmong(names, () =>
    numeric.map(({ values, holes }) => roughVariance(holes === 0 ? values : values.filter((value) => !Number.isNaN(value)))),
  );
}

/** Like `dominanceOf`, for columns with known variances. */
export function dominanceAmong(names: readonly string[], variancesOf: () => readonly number[]): string | undefined {
  if (names.length < 2) return undefined;
  const variances = variancesOf();
  const total = variances.reduce((sum, variance) => sum + variance, 0);
  const largest = variances.reduce((best, variance, j) => (variance > variances[best]! ? j : best), 0);
  const share = variances[largest]! / total;
  if (!(share > DOMINANT_SHARE)) return undefined;
  return `Feature ${quoted(names[largest]!)} holds ${(100 * share).toFixed(1)}% of the total variance, so it almost alone determines the distances; consider --scale zscore.`;
}
