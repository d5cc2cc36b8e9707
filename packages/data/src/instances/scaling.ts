/** Scales features: decides what to do with each column, and writes notices about the decisions. */
import {
  badInput,
  commonRange,
  type Notation,
  oneUnitNotice,
  type Range,
  type Scaling,
  scaledNotice,
  type Transform,
  transform,
} from "@coterie/core/internal";
import { shellFlag, shellListFlag } from "@coterie/core/shell";
import type { ColumnTransform, Scale } from "../table/column-types.js";
import { listed, quoted } from "../table/sentences.js";
import type { Numbers } from "../table/table.js";

export interface Feature {
  readonly name: string;
  /** The values of the feature: numbers, or codes of levels. The array can belong to the table, so it must not be changed. */
  readonly values: Numbers;
  readonly levels: readonly string[] | null;
  readonly filledRows: Int32Array;
  readonly fill?: number | string;
  readonly holes: number;
  readonly vector?: string;
  /** Whether the feature is one of the two circle coordinates of a cyclic column. */
  readonly isCyclic?: true;
  readonly isText?: true;
  readonly weight?: number;
  readonly notation?: Notation;
}

export interface ScaleOptions {
  readonly scale: Scale;
  /** Transforms of columns before scaling, by column name. `none`: no logarithm and no ranks, even if `auto` would choose them. */
  readonly transforms?: Readonly<Record<string, ColumnTransform>> | undefined;
}

export interface Scaled {
  /**
   * The offset and factor of each column; null if scaling changes no column. Codes of levels are not scaled. A constant column becomes 0.
   */
  readonly scaling: Scaling | null;
  /** Sentences about what `auto` chose, one for each choice. */
  readonly notices: readonly string[];
}

interface ColumnScale {
  readonly transform: Transform | null;
  readonly by: "zscore" | "minmax" | "robust" | "circle" | "none";
}

const UNSCALED: ColumnScale = { transform: null, by: "none" };

export function scalingOf(features: readonly Feature[], options: ScaleOptions, file: string): Scaled {
  const { columns, notices } = options.scale === "auto" ? chosen(features, options, file) : asked(features, options, file);
  if (columns.every(({ transform, by }) => transform === null && by === "none")) return { scaling: null, notices };
  const offset: number[] = [];
  const factor: number[] = [];
  columns.forEach(({ transform, by }, j) => {
    const [shift, divisor] = by === "none" ? [0, 1] : by === "circle" ? [0, CIRCLE] : spread(features[j]!, transform, by);
    if (!Number.isFinite(shift) || !Number.isFinite(divisor) || divisor === 0) {
      const { name } = features[j]!;
      throw badInput(`Column ${quoted(name)} cannot be scaled: its values are too far from 1.`, {
        file,
        remedy: `Change its unit, or leave it out (${shellListFlag("--ignore", name)}).`,
      });
    }
    offset.push(shift);
    factor.push(divisor);
  });
  const transforms = columns.map((column) => column.transform);
  return { scaling: { offset, factor, ...(transforms.some((each) => each !== null) ? { transforms } : {}) }, notices };
}

/** Cyclic columns are divided by this number. Their circle then has radius 1, so they vary about as much as columns with z-scores. */
const CIRCLE = 0.5;

function asked(features: readonly Feature[], { scale, transforms }: ScaleOptions, file: string) {
  const notices: string[] = [];
  const below: string[] = [];
  const columns = features.map((feature): ColumnScale => {
    if (feature.levels !== null) return UNSCALED;
    const { name } = feature;
    const own = transforms?.[name] ?? (scale === "rank" || scale === "log" ? scale : "none");
    if (own === "log" && transforms?.[name] === undefined && least(feature) < 0) {
      below.push(name);
      return { transform: null, by: "zscore" };
    }
    const by = scale === "log" || scale === "rank" ? "zscore" : (scale as ColumnScale["by"]);
    return { transform: transformOf(feature, own, file), by };
  });
  if (below.length > 0)
    notices.push(
      `${below.length === 1 ? "Column" : "Columns"} ${listed(below.map(quoted))} ${below.length === 1 ? "has" : "have"} values below 0, so no logarithm is taken there (--scale log).`,
    );
  return { columns, notices };
}

function chosen(features: readonly Feature[], { transforms }: ScaleOptions, file: string) {
  const numeric = [...features.keys()].filter((j) => features[j]!.levels === null);
  const free = numeric.filter((j) => features[j]!.vector === undefined && !features[j]!.isCyclic);
  const unit =
    numeric.length === features.length && transforms === undefined
      ? commonRange(free.map((j) => rangeOf(features[j]!.values)))
      : null;
  const columns = new Array<ColumnScale>(features.length).fill(UNSCALED);
  for (const j of numeric) if (features[j]!.isCyclic) columns[j] = { transform: null, by: "circle" };
  if (unit !== null) return { columns, notices: [oneUnitNotice(free.length, unit)] };
  const logs: string[] = [];
  const ranks: string[] = [];
  for (const j of free) {
    const feature = features[j]!;
    const own = transforms?.[feature.name];
    const by = own === undefined ? transformFor(feature) : transformOf(feature, own, file);
    if (own === undefined && by !== null) (by.kind === "log" ? logs : ranks).push(feature.name);
    columns[j] = { transform: by, by: "zscore" };
  }
  return {
    columns,
    notices: free.length === 0 ? [] : choiceNotices(free.length, numeric.length < features.length, logs, ranks),
  };
}

function choiceNotices(count: number, mixed: boolean, logs: readonly string[], ranks: readonly string[]): string[] {
  const first = scaledNotice(mixed ? "Number columns are" : count === 1 ? "The column is" : "Columns are");
  const what = (names: readonly string[]) => `${names.length === 1 ? "column" : "columns"} ${listed(names.map(quoted), 5)}`;
  return [
    first,
    ...(logs.length > 0
      ? [
          `The logarithm of ${what(logs)} is used, because a few values are far above the others (${shellFlag("--transform", `${logs[0]}=none`)} prevents it).`,
        ]
      : []),
    ...(ranks.length > 0
      ? [
          `The ranks of ${what(ranks)} are used, because a few values hold most of the variance (${shellFlag("--transform", `${ranks[0]}=none`)} prevents it).`,
        ]
      : []),
  ];
}

const LOOKED_AT = 10_000;
const LONG_TAIL = 2;
/** `auto` takes the logarithm only if it reduces the skewness of the column to at most this share. */
const LESS_SKEWED = 0.5;
const FEWEST_VALUES = 10;
/** A value is an outlier if it is more than this number of deviations from the median. The deviation is estimated from the quartiles. */
const FAR = 10;
const DOMINANT_OUTLIERS = 0.5;
/**
 * If a negative value is at most this share of the standard deviation, it counts as a rounding error of 0. It does not prevent a logarithm.
 */
const ROUNDING = 1e-6;

/** The transform that `auto` chooses: a logarithm for a long tail, ranks if outliers dominate, otherwise none. */
function transformFor({ values, holes }: Feature): Transform | null {
  const sample = evenSample(values, holes);
  const skewness = skewnessOf(sample);
  if (sample.length === 0 || new Set(sample).size <= FEWEST_VALUES) return null;
  sample.sort();
  if (sample[0]! >= -ROUNDING * standard(sample)[1] && skewness > LONG_TAIL) {
    const by: Transform = { kind: "log", unit: logUnit(sample) };
    const after = skewnessOf(sample.map((value) => transform(by, value)));
    if (Math.abs(after) <= LESS_SKEWED * skewness) return by;
  }
  const { median, deviation } = quartiles(sample);
  if (!(deviation > 0)) return null;
  let [all, far] = [0, 0];
  for (const value of sample) {
    const square = (value - median) ** 2;
    all += square;
    if (Math.abs(value - median) > FAR * deviation) far += square;
  }
  return far > DOMINANT_OUTLIERS * all ? ranksOf(values, holes) : null;
}

function evenSample(values: Numbers, holes: number): Float64Array {
  const known = holes > 0 ? values.filter((value) => !Number.isNaN(value)) : values;
  const count = Math.min(known.length, LOOKED_AT);
  return Float64Array.from({ length: count }, (_, i) => known[Math.floor((i * known.length) / count)]!);
}

function skewnessOf(values: Float64Array): number {
  const n = values.length;
  let mean = 0;
  for (const value of values) mean += value / n;
  let [squares, cubes] = [0, 0];
  for (const value of values) {
    const away = value - mean;
    squares += away * away;
    cubes += away * away * away;
  }
  return squares > 0 ? cubes / n / (squares / n) ** 1.5 : 0;
}

/**
 * The unit u in the logarithm of a column: the lower quartile of its positive values. Values below u hardly change.
 * sorted: the values of the column, ascending.
 */
function logUnit(sorted: Float64Array): number {
  const first = sorted.findIndex((value) => value > 0);
  return first < 0 ? 1 : sorted[first + Math.floor((sorted.length - first) / 4)]!;
}

/** The median of sorted values, and the standard deviation of the normal distribution that has the same quartiles. */
function quartiles(sorted: Float64Array): { readonly median: number; readonly deviation: number } {
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    return sorted[below]! + (place - below) * (sorted[Math.min(sorted.length - 1, below + 1)]! - sorted[below]!);
  };
  return { median: at(0.5), deviation: (at(0.75) - at(0.25)) / QUARTILES_OF_NORMAL };
}

/** Distance between the lower and the upper quartile of a normal distribution with standard deviation 1. */
const QUARTILES_OF_NORMAL = 1.3489795;

function transformOf(feature: Feature, kind: ColumnTransform, file: string): Transform | null {
  if (kind === "none") return null;
  const { name, values, holes } = feature;
  if (kind === "rank") return ranksOf(values, holes);
  if (least(feature) < 0)
    throw badInput(`Column ${quoted(name)} has values below 0 (${least(feature)}), which have no logarithm.`, {
      file,
      remedy: `Use ranks (${shellFlag("--transform", `${name}=rank`)}) or neither (${shellFlag("--transform", `${name}=none`)}).`,
    });
  return { kind: "log", unit: logUnit(evenSample(values, holes).sort()) };
}

/** A rank transform stores the ranks of at most this number of values; ranks of values between them are interpolated. */
const MOST_KNOTS = 1_000;

/** Makes the transform from a column's values to their ranks, as shares from 0 to 1. Equal values get the mean of their ranks. */
function ranksOf(values: Numbers, holes: number): Transform {
  const sorted = Float64Array.from(holes > 0 ? values.filter((value) => !Number.isNaN(value)) : values).sort();
  const n = sorted.length;
  const knots: number[] = [];
  const shares: number[] = [];
  for (let from = 0, to = 0; from < n; from = to) {
    while (to < n && sorted[to] === sorted[from]) to++;
    knots.push(sorted[from]!);
    shares.push((from + to) / 2 / n);
  }
  if (knots.length <= MOST_KNOTS)
    return { kind: "rank", values: knots.length > 0 ? knots : [0], shares: shares.length > 0 ? shares : [0] };
  const places = Array.from({ length: MOST_KNOTS }, (_, i) => Math.round((i * (knots.length - 1)) / (MOST_KNOTS - 1)));
  return { kind: "rank", values: places.map((place) => knots[place]!), shares: places.map((place) => shares[place]!) };
}

function least({ values }: Feature): number {
  return rangeOf(values).low;
}

function rangeOf(values: Numbers): Range {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

function spread({ values, holes }: Feature, by: Transform | null, how: "zscore" | "minmax" | "robust"): [number, number] {
  const changed = by === null ? values : values.map((value) => (Number.isNaN(value) ? value : transform(by, value)));
  const known = holes > 0 ? changed.filter((value) => !Number.isNaN(value)) : changed;
  if (how === "zscore") return standard(known);
  if (how === "minmax") return unit(known);
  const { median, deviation } = quartiles(Float64Array.from(known).sort());
  // If half of the values are equal, the quartiles can coincide and give a deviation of 0. Then the standard deviation is used instead.
  return deviation > 0 ? [median, deviation] : [median, standard(known)[1]];
}

const DOMINANT_SHARE = 0.95;

/**
 * Applies the weights of columns. Numbers are multiplied by the square root of the weight, so squared differences are multiplied by the
 * weight. Codes of levels do not change: distances use the weights that the points store.
 */
export function weighted(scaling: Scaling | null, features: readonly Feature[]): Scaling | null {
  const roots = features.map(({ weight = 1, levels }) => (levels === null ? Math.sqrt(weight) : 1));
  if (roots.every((root) => root === 1)) return scaling;
  return {
    ...scaling,
    offset: roots.map((_, j) => scaling?.offset[j] ?? 0),
    factor: roots.map((root, j) => (scaling?.factor[j] ?? 1) / root),
  };
}

function unit(values: Numbers): [offset: number, factor: number] {
  const { low, high } = rangeOf(values);
  if (high < low) return [0, 1];
  return [low, high === low ? 1 : high - low];
}

function standard(values: Numbers): [offset: number, factor: number] {
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
 * The variance in one pass, accurate enough to compare columns. The first value is subtracted from all values. So cancellation loses at
 * most a factor n. Each sum is computed in two halves, because the processor can add to both at the same time.
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

export function dominanceOf(features: readonly Feature[]): string | undefined {
  const numeric = features.filter((feature) => feature.levels === null);
  const names = numeric.map(({ name }) => name);
  return dominanceAmong(names, () =>
    numeric.map(({ values, holes }) => roughVariance(holes === 0 ? values : values.filter((value) => !Number.isNaN(value)))),
  );
}

export function dominanceAmong(names: readonly string[], variancesOf: () => readonly number[]): string | undefined {
  if (names.length < 2) return undefined;
  const variances = variancesOf();
  const total = variances.reduce((sum, variance) => sum + variance, 0);
  const largest = variances.reduce((best, variance, j) => (variance > variances[best]! ? j : best), 0);
  const share = variances[largest]! / total;
  if (!(share > DOMINANT_SHARE)) return undefined;
  return `Feature ${quoted(names[largest]!)} holds ${(100 * share).toFixed(1)}% of the total variance, so it almost alone determines the distances; consider --scale zscore.`;
}
