/** What sets clusters apart, column by column, in the user's own units. */
import { drain, type Points, type Scaling, type Steps } from "@coterie/core/internal";
import { levelCounts } from "@coterie/core/layout";

export type ProfiledPoints = Points & {
  readonly levels?: readonly (readonly string[] | null)[];
  readonly scaling?: Scaling;
  readonly filledRows?: readonly Int32Array[];
};

interface ColumnProfile {
  readonly column: number;
  readonly name: string;
  /** Share of the column's spread that lies between clusters, 0 to 1. */
  readonly tellsApart: number;
  /** Cells of rows with a cluster that are missing or were filled. They are left out of everything here. */
  readonly missing: number;
}

export interface NumericProfile extends ColumnProfile {
  readonly kind: "numeric";
  /** Mean and population deviation of all rows with a cluster, in original units. */
  readonly mean: number;
  readonly deviation: number;
  readonly low: number;
  readonly high: number;
  /** Mean of each cluster in original units; NaN for an empty cluster. */
  readonly means: readonly number[];
}

export interface NominalProfile extends ColumnProfile {
  readonly kind: "nominal";
  /** The most common level of each cluster and its share of the cluster; null for an empty cluster. */
  readonly common: readonly ({ readonly level: string; readonly share: number } | null)[];
}

export type Profile = NumericProfile | NominalProfile;

/** One profile per column, the most telling first. Rows without a cluster are left out. */
export function profiles(points: ProfiledPoints, labels: ArrayLike<number>, k: number): Profile[] {
  return drain(profilesSteps(points, labels, k));
}

/** Cells between two pauses, about. */
const STEP_CELLS = 1e6;

/** The same with pauses. */
export function* profilesSteps(points: ProfiledPoints, labels: ArrayLike<number>, k: number): Steps<Profile[]> {
  const found: Profile[] = [];
  for (let j = 0; j < points.d; j++) {
    found.push(points.nominal?.[j] === 1 ? nominalProfile(points, labels, k, j) : numericProfile(points, labels, k, j));
    if ((found.length * points.n) % STEP_CELLS < points.n) yield { phase: "columns", done: found.length, total: points.d };
  }
  return found.sort((a, b) => b.tellsApart - a.tellsApart || a.column - b.column);
}

function nameOf(points: Points, column: number): string {
  return points.names?.[column] ?? `column ${column + 1}`;
}

/** The cluster of each row whose cell in the column is a fact; -1 for the others. And how many of the others have a cluster. */
function factsOf({ n, d, x, filledRows }: ProfiledPoints, labels: ArrayLike<number>, column: number) {
  const cluster = Int32Array.from({ length: n }, (_, i) => (Number.isNaN(x[i * d + column]) ? -1 : labels[i]!));
  for (const row of filledRows?.[column] ?? []) cluster[row] = -1;
  let missing = 0;
  for (let i = 0; i < n; i++) if (labels[i]! >= 0 && cluster[i]! < 0) missing++;
  return { cluster, missing };
}

function numericProfile(points: ProfiledPoints, labels: ArrayLike<number>, k: number, column: number): NumericProfile {
  const { n, d, x } = points;
  const { cluster: of, missing } = factsOf(points, labels, column);
  const sums = new Float64Array(k);
  const counts = new Float64Array(k);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    const cluster = of[i]!;
    if (cluster < 0) continue;
    const value = x[i * d + column]!;
    sums[cluster]! += value;
    counts[cluster]!++;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mean = total > 0 ? sums.reduce((sum, value) => sum + value, 0) / total : Number.NaN;
  let squares = 0;
  for (let i = 0; i < n; i++) if (of[i]! >= 0) squares += (x[i * d + column]! - mean) ** 2;
  let between = 0;
  for (let c = 0; c < k; c++) if (counts[c]! > 0) between += counts[c]! * (sums[c]! / counts[c]! - mean) ** 2;
  const factor = points.scaling?.factor[column] ?? 1;
  const offset = points.scaling?.offset[column] ?? 0;
  const original = (value: number) => value * factor + offset;
  const constant = !(high > low);
  return {
    kind: "numeric",
    column,
    name: nameOf(points, column),
    tellsApart: constant ? 0 : Math.min(1, between / squares),
    missing,
    mean: original(mean),
    deviation: constant ? 0 : Math.sqrt(squares / total) * Math.abs(factor),
    low: original(low),
    high: original(high),
    means: Array.from(sums, (sum, c) => (counts[c]! > 0 ? original(sum / counts[c]!) : Number.NaN)),
  };
}

/** For levels, spread is the chance that two rows differ; between clusters is what knowing the cluster takes away from it. */
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
