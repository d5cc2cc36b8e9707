/** Values of columns before and after scaling. A level code of a nominal column is never changed. */
import { exp, log } from "../linalg/elementary.js";
import { type Instances, rowValues, type Scaling, type Transform } from "../model/points.js";
import { lastAtMost } from "./search.js";

export function originalValue({ scaling, nominal }: Pick<Instances, "scaling" | "nominal">, j: number, value: number): number {
  return scaling && nominal?.[j] !== 1 ? unscale(scaling, j, value) : value;
}

export function unscale({ offset, factor, transforms }: Scaling, j: number, value: number): number {
  return inverse(transforms?.[j] ?? null, value * factor[j]! + offset[j]!);
}

export function scale({ offset, factor, transforms }: Scaling, j: number, original: number): number {
  return (transform(transforms?.[j] ?? null, original) - offset[j]!) / factor[j]!;
}

/** Whether two scalings treat column j of `one` and column i of `other` in the same way. */
export function sameScaling(one: Scaling | null, j: number, other: Scaling | null, i: number): boolean {
  return (
    (one?.offset[j] ?? 0) === (other?.offset[i] ?? 0) &&
    (one?.factor[j] ?? 1) === (other?.factor[i] ?? 1) &&
    JSON.stringify(one?.transforms?.[j] ?? null) === JSON.stringify(other?.transforms?.[i] ?? null)
  );
}

export function transform(by: Transform | null, value: number): number {
  if (by === null) return value;
  return by.kind === "log" ? log(1 + Math.max(0, value) / by.unit) : between(by.values, by.shares, value);
}

function inverse(by: Transform | null, value: number): number {
  if (by === null) return value;
  return by.kind === "log" ? by.unit * (exp(value) - 1) : between(by.shares, by.values, value);
}

/**
 * The points with another scaling. If `scaling` is null, values are as in the table, multiplied by the square roots of the column weights.
 */
export function withScaling(points: Instances, scaling: Scaling | null): Instances {
  const { n, d, nominal, weights, holeFills, scaling: before, ...rest } = points;
  const wanted = scaling ?? unscaled(points);
  const x = new Float64Array(rowValues(points));
  const fills = holeFills?.slice();
  for (let j = 0; j < d; j++) {
    if (nominal?.[j] === 1 || sameScaling(before ?? null, j, wanted, j)) continue;
    const change = (value: number): number => {
      const original = before ? unscale(before, j, value) : value;
      return wanted ? scale(wanted, j, original) : original;
    };
    for (let p = j; p < n * d; p += d) x[p] = change(x[p]!);
    if (fills) fills[j] = change(fills[j]!);
  }
  return {
    ...rest,
    n,
    d,
    x,
    ...(nominal ? { nominal } : {}),
    ...(weights ? { weights } : {}),
    ...(fills ? { holeFills: fills } : {}),
    ...(wanted ? { scaling: wanted } : {}),
  };
}

/** The scaling that only applies the weights: numbers are multiplied by the square roots of their column weights. */
function unscaled({ d, weights, nominal }: Instances): Scaling | null {
  if (!weights) return null;
  const isNumber = (j: number): boolean => nominal?.[j] !== 1;
  return {
    offset: new Array<number>(d).fill(0),
    factor: Array.from({ length: d }, (_, j) => (isNumber(j) ? 1 / Math.sqrt(weights[j]!) : 1)),
  };
}

/** The scaling to mean 0 and variance 1 of the numeric columns, without transforms. */
export function standardScaling(points: Instances): Scaling {
  const { n, d, x, nominal, scaling, weights } = points;
  const offset = new Array<number>(d).fill(0);
  const factor = new Array<number>(d).fill(1);
  for (let j = 0; j < d; j++) {
    if (nominal?.[j] === 1) continue;
    let [count, mean, squares] = [0, 0, 0];
    for (let p = j; p < n * d; p += d) {
      if (Number.isNaN(x[p]!)) continue;
      const value = scaling ? unscale(scaling, j, x[p]!) : x[p]!;
      const away = value - mean;
      mean += away / ++count;
      squares += away * (value - mean);
    }
    const deviation = count > 0 ? Math.sqrt(squares / count) : 0;
    offset[j] = mean;
    factor[j] = (deviation > 0 ? deviation : 1) / Math.sqrt(weights?.[j] ?? 1);
  }
  return { offset, factor };
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Tables with fewer columns are not tested, because a few columns can have similar ranges by chance. */
const FEWEST_OF_ONE_UNIT = 8;
/** Columns have one unit if at least this share of the columns is wide. A wide column covers half of the range of all columns together. */
const WIDE_SHARE = 0.6;

/** The common range of all columns if the columns seem to have one unit, such as pixels or answers on the same scale; else null. */
export function commonRange(columns: readonly Range[]): Range | null {
  const ranges = columns.filter(({ low, high }) => high > low);
  if (ranges.length < FEWEST_OF_ONE_UNIT) return null;
  const low = ranges.reduce((least, range) => Math.min(least, range.low), Infinity);
  const high = ranges.reduce((most, range) => Math.max(most, range.high), -Infinity);
  const wide = ranges.filter((range) => range.high - range.low >= (high - low) / 2).length;
  return wide >= WIDE_SHARE * ranges.length ? { low, high } : null;
}

/** The sentence that says why `auto` left the columns unscaled. */
export function oneUnitNotice(count: number, { low, high }: Range): string {
  return `No column is scaled, because all ${count} columns have values within ${low} and ${high}, as columns of one unit have (--scale zscore scales them).`;
}

/** The sentence that says that `auto` scaled the columns. */
export function scaledNotice(what: string): string {
  return `${what} scaled to mean 0 and variance 1 (--scale none uses the numbers as given).`;
}

/** The linear interpolation of the points (from[i], to[i]); constant before the first point and after the last point. */
function between(from: readonly number[], to: readonly number[], value: number): number {
  if (Number.isNaN(value)) return value;
  if (value <= from[0]!) return to[0]!;
  if (value >= from.at(-1)!) return to.at(-1)!;
  const low = lastAtMost(from, value);
  return to[low]! + ((value - from[low]!) / (from[low + 1]! - from[low]!)) * (to[low + 1]! - to[low]!);
}
