/**
 * Metrics as linear maps: ‖x - y‖²_A = ‖R(x - y)‖² with A = RᵀR. Between mapped rows, every distance is the plain Euclidean distance, so
 * the fast kernels can compute it.
 */
import { type Kernels, plainKernels } from "../../kernels/index.js";
import { gram } from "../../linalg/symmetric.js";
import { type Instances, type Points, rowValues } from "../../model/points.js";
import type { LearnedMetrics, Report } from "../../model/result.js";
import { drain, type Steps } from "../../steps/index.js";
import { encodedColumns, encodedVariances } from "../encode.js";

export interface LinearMaps {
  readonly kind: "identity" | "diagonal" | "full";
  /** One map for all clusters, or one per cluster. Diagonal: d factors; full: d × d, row-major; identity: empty. */
  readonly maps: readonly Float64Array[];
  /** By map R: log det A of its metric A = RᵀR. */
  readonly logDets: Float64Array;
}

export function identityMaps(count: number): LinearMaps {
  return { kind: "identity", maps: Array.from({ length: count }, () => new Float64Array(0)), logDets: new Float64Array(count) };
}

/** Multiplies the d numbers of x from index p by map g, and writes the result to `out` from index q. */
export function mapInto(
  { kind, maps }: LinearMaps,
  g: number, // index in `maps`
  d: number,
  x: Float64Array,
  p: number, // index in x
  out: Float64Array,
  q: number, // index in `out`
): void {
  const r = maps[g]!;
  if (kind === "identity") {
    for (let j = 0; j < d; j++) out[q + j] = x[p + j]!;
  } else if (kind === "diagonal") {
    for (let j = 0; j < d; j++) out[q + j] = r[j]! * x[p + j]!;
  } else {
    for (let i = 0; i < d; i++) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += r[i * d + j]! * x[p + j]!;
      out[q + i] = sum;
    }
  }
}

/** The squared length ‖v‖² under metric g, for the d numbers of v from index p. */
export function squaredNorm(maps: LinearMaps, g: number, d: number, v: Float64Array, p = 0): number {
  const mapped = new Float64Array(d);
  mapInto(maps, g, d, v, p, mapped, 0);
  let sum = 0;
  for (let j = 0; j < d; j++) sum += mapped[j]! * mapped[j]!;
  return sum;
}

export function matricesOf({ kind, maps }: LinearMaps, d: number): Float64Array[] {
  if (kind === "identity") return maps.map(() => new Float64Array(d).fill(1));
  return maps.map((r) => (kind === "diagonal" ? r.map((factor) => factor * factor) : gram(r, d, d)));
}

export function metricsOf(linear: LinearMaps, d: number): LearnedMetrics {
  const { kind, maps, logDets } = linear;
  return {
    kind: kind === "full" ? "full" : "diagonal",
    matrices: matricesOf(linear, d),
    roots: kind === "identity" ? maps.map(() => new Float64Array(d).fill(1)) : maps,
    logDets: [...logDets],
  };
}

/**
 * One metric for all clusters, with the given column weights. Its log determinant is not used and set to 0, because it would be -∞ for a
 * weight of 0.
 */
export function weightMetric(weights: Float64Array): LearnedMetrics {
  return { kind: "diagonal", matrices: [weights], roots: [weights.map(Math.sqrt)], logDets: [0] };
}

/** Multiplications in one step; after each step the generator yields. */
const PRODUCTS = 8_000_000;

/** Number of rows in one step, if each row takes d² multiplications. */
export function rowsPerStep(d: number): number {
  return Math.max(1, Math.floor(PRODUCTS / (d * d)));
}

/** Rows per kernel call. Many rows make the overhead of a call small; the limit keeps the buffer small. */
export function rowsPerBlock(d: number, { name }: Pick<Kernels, "name">): number {
  return Math.min(4096, (name === "plain" ? 1 : 8) * rowsPerStep(d));
}

export function mapPoints(points: Points, maps: LinearMaps, g = 0, origin?: Float64Array): Points {
  return drain(mapPointsSteps(points, maps, g, origin));
}

/**
 * Maps all rows by map g. origin: subtracted from each row first, if given. The choice of kernels affects only the time, not the result.
 */
export function* mapPointsSteps(
  points: Points,
  maps: LinearMaps,
  g = 0,
  origin?: Float64Array,
  kernels: Kernels = plainKernels,
): Steps<Points> {
  const { n, d, rowWeights } = points;
  const x = rowValues(points);
  const mapped = new Float64Array(n * d);
  const rows = rowsPerBlock(d, kernels);
  const block = new Float64Array(Math.min(n, rows) * d);
  for (let from = 0; from < n; from += rows) {
    const count = Math.min(rows, n - from);
    for (let p = 0; p < count * d; p += d)
      for (let j = 0; j < d; j++) block[p + j] = x[from * d + p + j]! - (origin ? origin[j]! : 0);
    if (maps.kind === "full") mapped.set(kernels.projections(block, count, maps.maps[g]!, d, d), from * d);
    else for (let p = 0; p < count * d; p += d) mapInto(maps, g, d, block, p, mapped, from * d + p);
    if (count === rows) yield { phase: "rows under the metric", done: from + count, total: n };
  }
  return { n, d, x: mapped, underMetric: true, ...(rowWeights ? { rowWeights } : {}) };
}

/**
 * tr(A S), the trace of a product. If not `full`, a and s are diagonals of d numbers; otherwise a is a full matrix, and only the lower
 * triangle of s is read.
 */
export function traceOfProduct(a: Float64Array, s: Float64Array, d: number, full: boolean): number {
  let trace = 0;
  for (let i = 0; i < d; i++) {
    if (!full) trace += a[i]! * s[i]!;
    else {
      for (let j = 0; j < i; j++) trace += 2 * a[i * d + j]! * s[i * d + j]!;
      trace += a[i * d + i]! * s[i * d + i]!;
    }
  }
  return trace;
}

export function matrixRows(flat: Float64Array): number[][] {
  const d = Math.round(Math.sqrt(flat.length));
  return Array.from({ length: d }, (_, i) => Array.from(flat.subarray(i * d, (i + 1) * d)));
}

/*
 * The effect of a learned metric on each column, for reports:
 * - weight: the diagonal entry of the metric;
 * - share of the squared distances between rows: weight · variance / Σ weight · variance. It does not depend on the unit of the column.
 */

export interface FeatureWeight {
  readonly name: string;
  readonly column: number;
  readonly weight: number;
  /** Share of the squared distances between rows, computed from the diagonal of the metric only. */
  readonly share: number;
}

/** For each metric of a report: its columns, from the largest share to the smallest. */
export function featureWeights({ kind, matrices }: NonNullable<Report["metric"]>, points: Instances): FeatureWeight[][] {
  const columns = encodedColumns(points);
  const variances = encodedVariances(points);
  return matrices.map((matrix) => {
    const weights = columns.map((_, j) => {
      const value = kind === "full" ? (matrix as (number | null)[][])[j]?.[j] : (matrix as (number | null)[])[j];
      return value ?? 0;
    });
    const parts = weights.map((weight, j) => weight * variances[j]!);
    const sum = parts.reduce((total, part) => total + part, 0);
    return columns
      .map(({ name }, column) => ({ name, column, weight: weights[column]!, share: sum > 0 ? parts[column]! / sum : 0 }))
      .sort((a, b) => b.share - a.share || b.weight - a.weight || a.column - b.column);
  });
}
