/** The distance matrix of all pairs of rows: chooses a metric that fits the columns and fills the matrix block by block. */

import * as z from "zod/mini";
import { badInput } from "../errors.js";
import { type Arena, type F32, type F64, type Kernels, MATRIX_ROWS, type Metric, pairKernelsOf } from "../kernels/index.js";
import { type Instances, type Points, rowValues } from "../model/points.js";
import { counted } from "../model/wording.js";
import { option } from "../options.js";
import type { Step } from "../steps/index.js";
import { apartNotices, isMeasuredHere, measureHereSteps } from "./row-distances.js";

export const METRICS = ["euclidean", "sqeuclidean", "hamming", "gower", "cosine"] as const satisfies readonly Metric[];

export const rowDistance = option(
  z.optional(z.enum(METRICS)),
  "distance between rows (default: chosen by the types of the columns)",
);

/** With more rows than this, a full matrix is stored in single precision. */
export const MOST_ROWS_IN_DOUBLE = 16_000;

export interface ChosenMetric {
  readonly metric: Metric;
  readonly notices: readonly string[];
}

/**
 * Chooses the metric. The default is Euclidean for numbers, Hamming for nominal columns, and Gower for a mixture. Throws if the requested
 * metric does not fit the columns.
 *
 * Some distances are set by convention, and notices report these rows: rows of zeros under cosine, and pairs of rows without a common known
 * column.
 */
export function chooseMetric(points: Instances, asked: Metric | undefined): ChosenMetric {
  const { metric, notices } = fittingMetric(points, asked);
  const zeros = metric === "cosine" ? zeroRowNotices(points) : [];
  return { metric, notices: [...notices, ...zeros, ...apartNotices(points)] };
}

function zeroRowNotices(points: Points): string[] {
  const { n, d } = points;
  const x = rowValues(points);
  let zeros = 0;
  for (let i = 0; i < n; i++) {
    let j = 0;
    while (j < d && x[i * d + j] === 0) j++;
    if (j === d) zeros++;
  }
  return noDirectionNotices(zeros).map((notice) => `${notice} The cosine distance from such a row to any other is taken as 1.`);
}

export function noDirectionNotices(zeros: number): string[] {
  return zeros === 0
    ? []
    : [`${counted(zeros, "row")} ${zeros === 1 ? "is all zero and has" : "are all zero and have"} no direction.`];
}

function fittingMetric(points: Instances, asked: Metric | undefined): ChosenMetric {
  const nominal = points.nominal?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  const texts = points.texts?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  if (asked !== undefined) {
    if (nominal > 0 && asked !== "hamming" && asked !== "gower") {
      const column = points.names?.[points.nominal!.indexOf(1)] ?? `x${points.nominal!.indexOf(1)}`;
      throw badInput(`The distance "${asked}" needs numbers, but the column "${column}" is nominal.`, {
        ...(points.file === undefined ? {} : { file: points.file }),
        remedy: 'Ask for the distance "hamming" or "gower", or leave the column out.',
      });
    }
    return { metric: asked, notices: [] };
  }
  if (nominal === 0 && points.directions) {
    const notice =
      'Every row has length 1, so rows are compared by their directions: the distance is the cosine (set distance "euclidean" to change this).';
    return { metric: "cosine", notices: [notice] };
  }
  if (nominal === 0) return { metric: "euclidean", notices: [] };
  if (texts > 0) {
    return {
      metric: "gower",
      notices: [
        `${texts === 1 ? "1 column is" : `${texts} columns are`} compared as text, by letters and words, where rare ones count most: the distance is Gower's, the mean over columns.`,
      ],
    };
  }
  if (nominal === points.d) {
    return {
      metric: "hamming",
      notices: ["All columns are nominal: the distance is Hamming's, the number of columns that differ."],
    };
  }
  return {
    metric: "gower",
    notices: [
      "Some columns are numbers, some nominal: the distance is Gower's, the mean over columns of range-scaled differences.",
    ],
  };
}

export type Storage = "f64" | "f32";

export function chooseStorage(
  n: number,
  asked: Storage | undefined,
): { readonly storage: Storage; readonly notices: readonly string[] } {
  if (asked !== undefined) return { storage: asked, notices: [] };
  if (n <= MOST_ROWS_IN_DOUBLE) return { storage: "f64", notices: [] };
  return {
    storage: "f32",
    notices: [`With ${n} rows the distances are stored in single precision: heights are right to about 7 digits.`],
  };
}

/**
 * Computes the full n × n distance matrix in the arena, a block of rows per step. `columns`: the range of each column for Gower's distance;
 * null to compute the ranges.
 */
export function* distanceMatrixSteps(
  points: Points,
  metric: Metric,
  storage: Storage,
  kernels: Kernels,
  arena: Arena,
  columns: F64 | null = null,
): Generator<Step, F64 | F32, void> {
  const { n, distances } = points;
  refuseLargeMatrix(n, storage);
  if (distances) return yield* givenMatrixSteps(distances, n, storage, arena);
  if (isMeasuredHere(points, metric)) {
    const measured = storage === "f64" ? arena.f64(n * n) : arena.f32(n * n);
    yield* measureHereSteps(points, metric, measured);
    return measured;
  }
  const ranges = columns ?? (metric === "gower" ? columnRanges(points, arena) : null);
  const matrix = storage === "f64" ? arena.f64(n * n) : arena.f32(n * n);
  yield* fillMatrixSteps(points, metric, ranges, matrix, kernels);
  return matrix;
}

/** Writes all distances into the given n × n matrix, for metrics that the kernels support. */
export function* fillMatrixSteps(
  points: Points,
  metric: Metric,
  ranges: F64 | null,
  matrix: F64 | F32,
  kernels: Kernels,
): Generator<Step, void, void> {
  const { n, d } = points;
  yield { phase: "distances", done: 0, total: n };
  const filling = kernels.arena();
  try {
    const x = filling.f64(n * d);
    x.view().set(rowValues(points).subarray(0, n * d));
    const state = pairKernelsOf(kernels).distanceMatrix(metric, x, n, d, ranges, matrix, filling);
    for (let from = 0; from < n; ) {
      yield { phase: "distances", done: from, total: n };
      const to = Math.min(n, from + rowsAtOnce(n - from, d, kernels.threads));
      state.fill(from, to);
      from = to;
    }
  } finally {
    filling.release();
  }
}

/** Number of multiplications per thread between two yields. */
const PRODUCTS = 150_000_000;

/**
 * Number of rows in the next step: at least one block per thread. Each pair is computed once, so later rows have fewer pairs. Later steps
 * take more rows.
 */
function rowsAtOnce(left: number, d: number, threads: number): number {
  return MATRIX_ROWS * threads * Math.max(1, Math.floor(PRODUCTS / (MATRIX_ROWS * left * (d + 4))));
}

/** Maximum size of a matrix in bytes, because the kernels address at most 4 GiB. */
const MOST_BYTES = 2 ** 32;

/** Maximum number of rows whose full matrix in single precision fits into memory. */
export const MOST_ROWS_IN_SINGLE = 2 ** 15;

/**
 * Throws if the full matrix of n rows does not fit into memory. `remedy`: advice for the error message; the default suggests a sample or a
 * method without a matrix.
 */
export function refuseLargeMatrix(n: number, storage: Storage, remedy?: string): void {
  const bytes = n * n * (storage === "f64" ? 8 : 4);
  if (bytes <= MOST_BYTES) return;
  const single = storage === "f64" && bytes / 2 <= MOST_BYTES ? "Store the distances in single precision (f32), draw" : "Draw";
  throw badInput(
    `Distances between ${n} rows take ${(bytes / 1e9).toFixed(1)} GB, and no more than ${(MOST_BYTES / 1e9).toFixed(1)} GB fit.`,
    {
      remedy:
        remedy ??
        `${single} a sample of the rows (--sample 20000), or take a method without a matrix: density, ward, single-link or the k-means family.`,
    },
  );
}

function* givenMatrixSteps(distances: Float64Array, n: number, storage: Storage, arena: Arena): Generator<Step, F64 | F32, void> {
  const matrix = storage === "f64" ? arena.f64(n * n) : arena.f32(n * n);
  const rows = Math.max(1, Math.floor(4_000_000 / n));
  const view = matrix.view();
  for (let i = 0, p = 0; i < n; i++) {
    if (i % rows === 0) yield { phase: "distances", done: i, total: n };
    for (let j = i + 1; j < n; j++, p++) {
      view[i * n + j] = distances[p]!;
      view[j * n + i] = distances[p]!;
    }
  }
  return matrix;
}

/**
 * The largest minus the smallest value of each numeric column; -1 for a nominal column. Gower's distance divides differences by this range.
 */
export function columnRanges({ n, d, x, nominal }: Points, arena: Arena): F64 {
  const least = new Float64Array(d).fill(Infinity);
  const most = new Float64Array(d).fill(-Infinity);
  for (let i = 0, p = 0; i < n; i++) {
    for (let j = 0; j < d; j++, p++) {
      least[j] = Math.min(least[j]!, x[p]!);
      most[j] = Math.max(most[j]!, x[p]!);
    }
  }
  const ranges = arena.f64(d);
  ranges.view().set(most.map((value, j) => (nominal?.[j] === 1 ? -1 : value - least[j]!)));
  return ranges;
}
