/**
 * The metrics of a run: one metric for all clusters, or one metric per cluster. Only this file and the kernels distinguish kinds of
 * metrics.
 */
import type { KMeansMetrics } from "../../kernels/index.js";
import { identityMaps, type LinearMaps, mapInto } from "./linear-maps.js";

export interface Metric {
  readonly logDet: number;
  /** Maps d numbers of x from index p into the space in which the metric is the Euclidean distance. */
  readonly map: (x: Float64Array, p: number, out: Float64Array, q: number) => void;
  /** The squared distance under the metric, plus `onto`. a, b: d numbers each, from index p of a and from index q of b. */
  readonly square: (a: Float64Array, p: number, b: Float64Array, q: number, onto?: number) => number;
  /** tr(A S) for the scatter S from index `at`: d numbers, or the lower triangle of d × d numbers if `full`. */
  readonly scatter: (s: Float64Array, at: number, full: boolean) => number;
}

export interface Metrics {
  readonly maps: LinearMaps;
  readonly d: number;
  readonly all: readonly Metric[];
  readonly several: boolean;
  readonly of: (h: number) => number;
}

export function metricsFrom(maps: LinearMaps, d: number): Metrics {
  const several = maps.maps.length > 1;
  const all = maps.maps.map((_, g) => metricAt(maps, g, d));
  return { maps, d, all, several, of: several ? (h) => h : () => 0 };
}

export function noMetric(d: number): Metrics {
  return metricsFrom(identityMaps(1), d);
}

function metricAt(maps: LinearMaps, g: number, d: number): Metric {
  const delta = new Float64Array(d);
  const mapped = new Float64Array(d);
  const r = maps.maps[g]!;
  return {
    logDet: maps.logDets[g]!,
    map: (x, p, out, q) => mapInto(maps, g, d, x, p, out, q),
    square: (a, p, b, q, onto = 0) => {
      for (let j = 0; j < d; j++) delta[j] = a[p + j]! - b[q + j]!;
      mapInto(maps, g, d, delta, 0, mapped, 0);
      let sum = onto;
      for (let j = 0; j < d; j++) sum += mapped[j]! * mapped[j]!;
      return sum;
    },
    scatter: (s, at, full) =>
      full && maps.kind === "full" ? traceUnder(r, s, at, d) : weightedTrace(maps.kind, r, s, at, d, full),
  };
}

/** The squared Euclidean distance between two mapped rows, plus `onto`. a, b: d numbers each, from index p of a and from index q of b. */
export function squareBetween(a: Float64Array, p: number, b: Float64Array, q: number, d: number, onto = 0): number {
  let sum = onto;
  for (let j = 0; j < d; j++) {
    const t = a[p + j]! - b[q + j]!;
    sum += t * t;
  }
  return sum;
}

function weightedTrace(kind: LinearMaps["kind"], r: Float64Array, s: Float64Array, at: number, d: number, full: boolean): number {
  const next = full ? d + 1 : 1;
  let sum = 0;
  for (let j = 0; j < d; j++) sum += (kind === "identity" ? 1 : r[j]! * r[j]!) * s[at + j * next]!;
  return sum;
}

/** tr(R S Rᵀ), where S is given by its lower triangle from index `at`. */
function traceUnder(r: Float64Array, s: Float64Array, at: number, d: number): number {
  let sum = 0;
  for (let q = 0; q < d * d; q += d) {
    for (let i = 0; i < d; i++) {
      let part = 0;
      for (let j = 0; j < i; j++) part += r[q + j]! * s[at + i * d + j]!;
      sum += r[q + i]! * (2 * part + r[q + i]! * s[at + i * d + i]!);
    }
  }
  return sum;
}

/** Maps the d numbers of x from index p by every metric; `out` holds the results one after the other. */
export function mapAll({ all, d }: Metrics, x: Float64Array, p: number, out: Float64Array): void {
  for (let g = 0; g < all.length; g++) all[g]!.map(x, p, out, g * d);
}

export function mapCentres({ maps, all, of, d }: Metrics, centres: Float64Array): Float64Array {
  if (maps.kind === "identity") return centres;
  const mapped = new Float64Array(centres.length);
  for (let h = 0; h * d < centres.length; h++) all[of(h)]!.map(centres, h * d, mapped, h * d);
  return mapped;
}

/** Diagonal metrics for kernels: the factors of each cluster, and its offset -log det A (none for a single metric). */
export function forKernels({ maps: { kind, maps, logDets } }: Metrics, k: number): KMeansMetrics | undefined {
  if (kind !== "diagonal") return undefined;
  const first = maps[0]!;
  if (maps.length === 1) return { factors: first, offsets: null };
  const factors = new Float64Array(k * first.length);
  maps.forEach((map, h) => {
    factors.set(map, h * first.length);
  });
  return { factors, offsets: logDets.map((logDet) => -logDet) };
}
