/** Values of columns before and after scaling. A level code of a nominal column is never changed. */
import { exp, log } from "../linalg/elementary.js";
import type { Instances, Scaling, Transform } from "../model/points.js";

/** The value of column j in the units of the table. */
export function originalValue({ scaling, nominal }: Pick<Instances, "scaling" | "nominal">, j: number, value: number): number {
  return scaling && nominal?.[j] !== 1 ? unscale(scaling, j, value) : value;
}

export function unscale({ offset, factor, transforms }: Scaling, j: number, value: number): number {
  return inverse(transforms?.[j] ?? null, value * factor[j]! + offset[j]!);
}

export function scale({ offset, factor, transforms }: Scaling, j: number, original: number): number {
  return (transform(transforms?.[j] ?? null, original) - offset[j]!) / factor[j]!;
}

/** Whether two scalings treat column j of the one and column i of the other alike. */
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

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Fewer columns can have similar ranges by chance. */
const FEWEST_OF_ONE_UNIT = 8;
/** Columns have one unit if this share of them covers half of the range of all of them together. */
const WIDE_SHARE = 0.6;

/** The range of all columns together if they seem to have one unit, as pixels or answers on one scale have; else null. */
export function commonRange(columns: readonly Range[]): Range | null {
  const ranges = columns.filter(({ low, high }) => high > low);
  if (ranges.length < FEWEST_OF_ONE_UNIT) return null;
  const low = ranges.reduce((least, range) => Math.min(least, range.low), Infinity);
  const high = ranges.reduce((most, range) => Math.max(most, range.high), -Infinity);
  const wide = ranges.filter((range) => range.high - range.low >= (high - low) / 2).length;
  return wide >= WIDE_SHARE * ranges.length ? { low, high } : null;
}

/** Says why `auto` left the columns as they are. */
export function oneUnitNotice(count: number, { low, high }: Range): string {
  return `No column is scaled, because all ${count} columns have values within ${low} and ${high}, as columns of one unit have (--scale zscore scales them).`;
}

/** Says that `auto` scaled the columns. */
export function scaledNotice(what: string): string {
  return `${what} scaled to mean 0 and variance 1 (--scale none uses the numbers as given).`;
}

/** The piecewise linear function through (from[i], to[i]); constant outside. */
function between(from: readonly number[], to: readonly number[], value: number): number {
  if (Number.isNaN(value)) return value;
  if (value <= from[0]!) return to[0]!;
  if (value >= from.at(-1)!) return to.at(-1)!;
  let low = 0;
  let high = from.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (from[middle]! <= value) low = middle;
    else high = middle;
  }
  return to[low]! + ((value - from[low]!) / (from[high]! - from[low]!)) * (to[high]! - to[low]!);
}
