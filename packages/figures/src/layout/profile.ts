/**
 * Profiles of columns by cluster: the mean or the most common level in each cluster, in the units of the data, and how well the column
 * separates the clusters.
 */
import { drain, type Notation, type Points, rowValues, type Scaling, type Steps, unscale } from "@coterie/core/internal";
import { levelCounts } from "@coterie/core/layout";

export type ProfiledPoints = Points & {
  readonly levels?: readonly (readonly string[] | null)[];
  readonly scaling?: Scaling;
  readonly filledRows?: readonly Int32Array[];
  readonly notations?: readonly (Notation | null)[];
};

interface ColumnProfile {
  readonly column: number;
  readonly name: string;
  /** How well the column separates the clusters: the share of its spread that lies between clusters, 0 to 1. */
  readonly tellsApart: number;
  /** Number of cells that are missing or were filled, among the rows that are in a cluster. The profile leaves out these cells. */
  readonly missing: number;
}

export interface NumericProfile extends ColumnProfile {
  readonly kind: "numeric";
  /** Mean and population standard deviation over all rows that are in a cluster, in the units of the data. */
  readonly mean: number;
  readonly deviation: number;
  readonly low: number;
  readonly high: number;
  /** The mean of each cluster in the units of the data; NaN for an empty cluster. */
  readonly means: readonly number[];
  /** The notation in which values of the column are shown; null for plain numbers. */
  readonly notation: Notation | null;
}

export interface NominalProfile extends ColumnProfile {
  readonly kind: "nominal";
  /** The most common level of each cluster and its share of the cluster; null for an empty cluster. */
  readonly common: readonly ({ readonly level: string; readonly share: number } | null)[];
}

export type Profile = NumericProfile | NominalProfile;

/** Makes a profile of each column. The columns that separate the clusters best come first. Rows in no cluster are left out. */
export function profiles(points: ProfiledPoints, labels: ArrayLike<number>, k: number): Profile[] {
  return drain(profilesSteps(points, labels, k));
}

/** Approximate number of cells that are read between two pauses. */
const STEP_CELLS = 1e6;

export function* profilesSteps(points: ProfiledPoints, labels: ArrayLike<number>, k: number): Steps<Profile[]> {
  const found: Profile[] = [];
  const whole = hasWhole(points) ? yield* wholeColumns(points, labels, k) : undefined;
  for (let j = 0; j < points.d; j++) {
    // If the mean is NaN, a cell is missing, even if the points mark no cell as missing. Then `holedProfile` skips the missing cells.
    if (whole && isWhole(points, j) && !Number.isNaN(whole.means[j])) {
      found.push(numericProfile(points, j, 0, sumsAt(whole, j, points.d)));
      continue;
    }
    found.push(points.nominal?.[j] === 1 ? nominalProfile(points, labels, k, j) : holedProfile(points, labels, k, j));
    if ((found.length * points.n) % STEP_CELLS < points.n) yield { phase: "columns", done: found.length, total: points.d };
  }
  return found.sort((a, b) => b.tellsApart - a.tellsApart || a.column - b.column);
}

function isWhole({ nominal, holes, filledRows, scaling }: ProfiledPoints, column: number): boolean {
  return !holes && nominal?.[column] !== 1 && !filledRows?.[column]?.length && scaling?.transforms?.[column] == null;
}

function hasWhole(points: ProfiledPoints): boolean {
  for (let j = 0; j < points.d; j++) if (isWhole(points, j)) return true;
  return false;
}

/**
 * What a numeric profile is computed from: sums and counts for each cluster, and the sum of squared differences of all rows from the mean.
 */
interface ColumnSums {
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  readonly mean: number;
  readonly squares: number;
  readonly low: number;
  readonly high: number;
}

/**
 * What the numeric profiles of all columns are computed from. `sums` has k lines of d numbers: for each cluster, the sum of each column.
 */
interface WholeSums {
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  readonly means: Float64Array;
  readonly squares: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

function sumsAt({ sums, counts, means, squares, lows, highs }: WholeSums, j: number, d: number): ColumnSums {
  const own = Float64Array.from(counts, (_, c) => sums[c * d + j]!);
  return { sums: own, counts, mean: means[j]!, squares: squares[j]!, low: lows[j]!, high: highs[j]! };
}

/** Computes the sums of all columns in one pass over the rows. Separate passes for each column would read the rows d times from memory. */
function* wholeColumns(points: ProfiledPoints, labels: ArrayLike<number>, k: number): Steps<WholeSums> {
  const { n, d } = points;
  const x = rowValues(points);
  const sums = new Float64Array(k * d);
  const counts = new Float64Array(k);
  const lows = new Float64Array(d).fill(Number.POSITIVE_INFINITY);
  const highs = new Float64Array(d).fill(Number.NEGATIVE_INFINITY);
  const squares = new Float64Array(d);
  const rows = Math.max(1, Math.floor(STEP_CELLS / d));
  for (let from = 0; from < n; from += rows) {
    for (let i = from; i < Math.min(n, from + rows); i++) {
      if (labels[i]! < 0) continue;
      counts[labels[i]!]!++;
      addRow(x, i * d, d, sums, labels[i]! * d, lows, highs);
    }
    yield { phase: "columns", done: from, total: 2 * n };
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const means = Float64Array.from({ length: d }, (_, j) => {
    let sum = 0;
    for (let c = 0; c < k; c++) sum += sums[c * d + j]!;
    return total > 0 ? sum / total : Number.NaN;
  });
  for (let from = 0; from < n; from += rows) {
    for (let i = from; i < Math.min(n, from + rows); i++) if (labels[i]! >= 0) addSquares(x, i * d, d, means, squares);
    yield { phase: "columns", done: n + from, total: 2 * n };
  }
  return { sums, counts, means, squares, lows, highs };
}

function addRow(
  x: Float64Array | Float32Array,
  p: number,
  d: number,
  sums: Float64Array,
  at: number,
  lows: Float64Array,
  highs: Float64Array,
): void {
  for (let j = 0; j < d; j++) {
    const value = x[p + j]!;
    sums[at + j]! += value;
    if (value < lows[j]!) lows[j] = value;
    if (value > highs[j]!) highs[j] = value;
  }
}

function addSquares(x: Float64Array | Float32Array, p: number, d: number, means: Float64Array, squares: Float64Array): void {
  for (let j = 0; j < d; j++) {
    const away = x[p + j]! - means[j]!;
    squares[j]! += away * away;
  }
}

function nameOf(points: Points, column: number): string {
  return points.names?.[column] ?? `column ${column + 1}`;
}

/**
 * cluster: the cluster of each row; -1 if the cell in this column is missing or was filled. missing: the number of such cells, among the
 * rows that are in a cluster.
 */
function factsOf({ n, d, x, filledRows }: ProfiledPoints, labels: ArrayLike<number>, column: number) {
  const cluster = Int32Array.from({ length: n }, (_, i) => (Number.isNaN(x[i * d + column]) ? -1 : labels[i]!));
  for (const row of filledRows?.[column] ?? []) cluster[row] = -1;
  let missing = 0;
  for (let i = 0; i < n; i++) if (labels[i]! >= 0 && cluster[i]! < 0) missing++;
  return { cluster, missing };
}

function valuesOf({ d, x, scaling }: ProfiledPoints, column: number): (row: number) => number {
  if (scaling?.transforms?.[column] == null) return (row) => x[row * d + column]!;
  return (row) => unscale(scaling, column, x[row * d + column]!);
}

function holedProfile(points: ProfiledPoints, labels: ArrayLike<number>, k: number, column: number): NumericProfile {
  const { n } = points;
  const { cluster: of, missing } = factsOf(points, labels, column);
  const valueAt = valuesOf(points, column);
  const sums = new Float64Array(k);
  const counts = new Float64Array(k);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    const cluster = of[i]!;
    if (cluster < 0) continue;
    const value = valueAt(i);
    sums[cluster]! += value;
    counts[cluster]!++;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mean = total > 0 ? sums.reduce((sum, value) => sum + value, 0) / total : Number.NaN;
  let squares = 0;
  for (let i = 0; i < n; i++) if (of[i]! >= 0) squares += (valueAt(i) - mean) ** 2;
  return numericProfile(points, column, missing, { sums, counts, mean, squares, low, high });
}

function numericProfile(points: ProfiledPoints, column: number, missing: number, found: ColumnSums): NumericProfile {
  const { sums, counts, mean, squares, low, high } = found;
  const total = counts.reduce((sum, count) => sum + count, 0);
  let between = 0;
  for (let c = 0; c < counts.length; c++) if (counts[c]! > 0) between += counts[c]! * (sums[c]! / counts[c]! - mean) ** 2;
  const { scaling } = points;
  const isTransformed = scaling?.transforms?.[column] != null;
  const original = (value: number) => (scaling && !isTransformed ? unscale(scaling, column, value) : value);
  const factor = isTransformed ? 1 : (scaling?.factor[column] ?? 1);
  const constant = !(high > low);
  return {
    kind: "numeric",
    column,
    name: nameOf(points, column),
    tellsApart: constant ? 0 : Math.min(1, between / squares),
    missing,
    notation: points.notations?.[column] ?? null,
    mean: original(mean),
    deviation: constant ? 0 : Math.sqrt(squares / total) * Math.abs(factor),
    low: original(low),
    high: original(high),
    means: Array.from(sums, (sum, c) => (counts[c]! > 0 ? original(sum / counts[c]!) : Number.NaN)),
  };
}

/**
 * The profile of a nominal column. The spread of the column is the probability that two random rows differ (the Gini index). `tellsApart`
 * is the share of this spread between clusters.
 */
function nominalProfile(points: ProfiledPoints, labels: ArrayLike<number>, k: number, column: number): NominalProfile {
  const { n, d, x } = points;
  const levels = levelCounts(points, column).length;
  const { cluster: of, missing } = factsOf(points, labels, column);
  const counts = Array.from({ length: k }, () => new Float64Array(levels));
  for (let i = 0; i < n; i++) if (of[i]! >= 0) counts[of[i]!]![x[i * d + column]!]!++;
  const all = new Float64Array(levels);
  for (const cluster of counts)
    cluster.forEach((count, level) => {
      all[level]! += count;
    });
  const sizes = counts.map((cluster) => cluster.reduce((sum, count) => sum + count, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const spread = (shares: Float64Array, size: number) =>
    size > 0 ? 1 - shares.reduce((sum, count) => sum + (count / size) ** 2, 0) : 0;
  const whole = spread(all, total);
  const within = counts.reduce((sum, cluster, c) => sum + (total > 0 ? (sizes[c]! / total) * spread(cluster, sizes[c]!) : 0), 0);
  return {
    kind: "nominal",
    column,
    name: nameOf(points, column),
    tellsApart: whole > 0 ? Math.max(0, 1 - within / whole) : 0,
    missing,
    common: counts.map((cluster, c) => {
      if (sizes[c] === 0) return null;
      const level = cluster.reduce((best, count, each) => (count > cluster[best]! ? each : best), 0);
      return { level: points.levels?.[column]?.[level] ?? String(level), share: cluster[level]! / sizes[c]! };
    }),
  };
}
