/** Checks given distances and converts them to condensed form: one number per pair of rows. */
import { badInput } from "../errors.js";
import type { InstanceId, Instances } from "../model/points.js";

export interface DistanceFault {
  readonly i: number;
  readonly j: number;
  readonly message: string;
  readonly remedy: string;
}

export interface CondensedDistances {
  readonly condensed: Float64Array;
  /** Number of pairs whose entries (i, j) and (j, i) differ by rounding. `condensed` has the mean of both entries. */
  readonly uneven: number;
}

/** Entries (i, j) and (j, i) may differ by this share of the larger entry. Such differences come from rounding. */
const ROUNDING = 1e-8;

export function condense(at: (i: number, j: number) => number, n: number): CondensedDistances | DistanceFault {
  const condensed = new Float64Array((n * (n - 1)) / 2);
  let uneven = 0;
  let largest = 0;
  for (let j = 1; j < n; j++) {
    for (let i = 0; i < j; i++) {
      const above = at(i, j);
      const below = at(j, i);
      const fault = faultOf(above, i, j) ?? faultOf(below, j, i);
      if (fault) return fault;
      const greater = Math.max(above, below);
      if (Math.abs(above - below) > ROUNDING * greater) return asymmetry(i, j, above, below);
      if (above !== below) uneven++;
      largest = Math.max(largest, greater);
      condensed[placeOf(i, j, n)] = above === below ? above : above / 2 + below / 2;
    }
  }
  for (let i = 0; i < n; i++) {
    const own = at(i, i);
    if (!(Math.abs(own) <= ROUNDING * largest)) return diagonalFault(i, own);
  }
  return { condensed, uneven };
}

/** Returns a fault if the distance is negative or not finite, else undefined. */
function faultOf(value: number, i: number, j: number): DistanceFault | undefined {
  if (value >= 0 && value < Infinity) return undefined;
  if (Number.isFinite(value))
    return { i, j, message: `the distance is ${value}, which is negative`, remedy: "Distances are 0 or more." };
  return { i, j, message: `the distance is ${value}, which is not a finite number`, remedy: "Every pair needs a distance." };
}

function asymmetry(i: number, j: number, above: number, below: number): DistanceFault {
  return {
    i,
    j,
    message: `the distance is ${above} one way and ${below} the other`,
    remedy: "A distance matrix is symmetric: take the mean, the smaller or the larger of the two.",
  };
}

function diagonalFault(i: number, own: number): DistanceFault {
  return {
    i,
    j: i,
    message: `the distance of a row from itself is ${own}, not 0`,
    remedy: "Are these similarities? Turn them into distances first, 0 for equal rows.",
  };
}

/** Index of the pair i < j in the condensed distances. */
function placeOf(i: number, j: number, n: number): number {
  return n * i - (i * (i + 1)) / 2 + (j - i - 1);
}

export function distanceAt(condensed: Float64Array, n: number, i: number, j: number): number {
  return condensed[i < j ? placeOf(i, j, n) : placeOf(j, i, n)]!;
}

/** The number of rows for a condensed matrix with `length` numbers. Undefined if no number of rows fits. */
export function rowsOfCondensed(length: number): number | undefined {
  const n = Math.round((1 + Math.sqrt(1 + 8 * length)) / 2);
  return (n * (n - 1)) / 2 === length ? n : undefined;
}

export function selectDistances(condensed: Float64Array, n: number, rows: ArrayLike<number>): Float64Array {
  const m = rows.length;
  const selected = new Float64Array((m * (m - 1)) / 2);
  for (let a = 0, p = 0; a < m; a++) {
    for (let b = a + 1; b < m; b++, p++) selected[p] = distanceAt(condensed, n, rows[a]!, rows[b]!);
  }
  return selected;
}

/**
 * Rows without columns, given by their pairwise distances: a square matrix, row-major, or its upper half (SciPy's
 * condensed form, n(n-1)/2 numbers). For methods that need only distances: linkages, ccl, recon, and questions.
 *
 * ```ts
 * averageLink(instancesFromDistances(Float64Array.of(1, 4, 2), "condensed"), undefined, { k: 2 });
 * ```
 */
export function instancesFromDistances(
  distances: Float64Array,
  shape: "square" | "condensed",
  ids?: readonly InstanceId[],
): Instances {
  const n = shape === "square" ? Math.round(Math.sqrt(distances.length)) : rowsOfCondensed(distances.length);
  if (n === undefined || n < 1 || (shape === "square" && n * n !== distances.length)) {
    throw badInput(`${distances.length} numbers are no ${shape} distance matrix.`, {
      remedy:
        shape === "square"
          ? "A square matrix of n rows has n × n numbers."
          : "A condensed matrix of n rows has n(n-1)/2 numbers.",
    });
  }
  if (ids && ids.length !== n) throw badInput(`There are ${ids.length} ids for ${n} rows.`);
  const checked = shape === "square" ? condense((i, j) => distances[i * n + j]!, n) : checkCondensed(distances, n);
  if ("message" in checked) {
    throw badInput(`Rows ${ids?.[checked.i] ?? checked.i} and ${ids?.[checked.j] ?? checked.j}: ${checked.message}.`, {
      remedy: checked.remedy,
    });
  }
  return { n, d: 0, x: new Float64Array(0), names: [], distances: checked.condensed, ...(ids ? { ids } : {}) };
}

export function checkCondensed(condensed: Float64Array, n: number): CondensedDistances | DistanceFault {
  for (let i = 0, p = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++, p++) {
      const fault = faultOf(condensed[p]!, i, j);
      if (fault) return fault;
    }
  }
  return { condensed, uneven: 0 };
}
