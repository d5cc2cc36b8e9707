/**
 * Spectral features: a few numbers per row, computed from the graph of nearest neighbours. Rows that many short paths join get similar
 * numbers. So methods that use means can find groups of any shape.
 *
 * The features are the leading eigenvectors v_j of D^-½ W D^-½, where W are the neighbour weights and D the row sums of W. Eigenvector v_j
 * is multiplied by sqrt((1 - α) / (1 - α λ_j)), so eigenvectors that vary little along the graph count more. At the end the features are
 * centred and scaled to mean square d.
 *
 * Cost: the neighbours (n² d at most), then ROUNDS · POWER products of a sparse matrix with `count` + EXTRA vectors.
 * Source: Zelnik-Manor, Perona: Self-Tuning Spectral Clustering. 2004. Zhou, Bousquet, Lal, Weston, Schölkopf: Learning with Local and
 * Global Consistency. 2003 (the factor).
 * Departs from these papers: the eigenvectors are approximate, and rows are not scaled to length 1.
 */
import type { Random } from "../../random/index.js";
import type { Steps } from "../../steps/index.js";
import { type NeighbourGraph, neighbourGraphSteps } from "../neighbours/neighbour-graph.js";
import { orthonormal, ritz } from "./leading-vectors.js";

const NEIGHBOURS = 10;

/**
 * Returns n × count spectral features, row-major. `x`: n × d rows. `wanted`: the requested number of features; count is the smaller of
 * `wanted` and n - 2.
 */
export function* spectralFeatureSteps(
  x: Float64Array,
  n: number,
  d: number,
  wanted: number,
  random: Random,
): Steps<Float64Array> {
  const count = Math.min(wanted, n - 2);
  const graph = yield* neighbourGraphSteps(n, NEIGHBOURS, distanceIn(x, d));
  const { values, vectors } = yield* smoothestSteps(graph, count, random);
  return features(values, vectors, n, d);
}

function distanceIn(x: Float64Array, d: number): (i: number, j: number) => number {
  return (i, j) => {
    let sum = 0;
    for (let f = 0, p = i * d, q = j * d; f < d; f++, p++, q++) {
      const t = x[p]! - x[q]!;
      sum += t * t;
    }
    return Math.sqrt(sum);
  };
}

/** Number of vectors that are iterated in addition to the requested eigenvectors; they make the iteration converge faster. */
const EXTRA = 8;

/** POWER: products of matrix and vectors between two orthonormalisations. ROUNDS: number of orthonormalisations. */
const POWER = 8;
const ROUNDS = 12;

/** The eigenvectors of the `count` largest eigenvalues of D^-½ W D^-½, approximately. */
function* smoothestSteps(graph: NeighbourGraph, count: number, random: Random) {
  const { n, start, other, weight, degree } = graph;
  const root = degree.map((sum) => 1 / Math.sqrt(sum > 0 ? sum : 1));
  const normal = weight.slice();
  for (let i = 0; i < n; i++) for (let e = start[i]!; e < start[i + 1]!; e++) normal[e]! *= root[i]! * root[other[e]!]!;
  const block = Math.min(n, count + EXTRA);
  // The first eigenvector is known exactly, with eigenvalue 1: the square roots of the row sums D.
  let basis: Float64Array[] = Array.from({ length: block }, (_, b) =>
    Float64Array.from({ length: n }, (_, i) => (b === 0 ? 1 / root[i]! : random.normal())),
  );
  for (let round = 0; round < ROUNDS; round++) {
    basis = orthonormal(basis);
    for (let power = 0; power < POWER; power++) basis = basis.map((vector) => half(vector, times(normal, graph, vector)));
    yield { phase: "neighbours", done: round, total: ROUNDS };
  }
  basis = orthonormal(basis);
  const found = ritz(
    basis,
    basis.map((vector) => times(normal, graph, vector)),
  );
  return { values: found.values.slice(0, count), vectors: found.basis.slice(0, count) };
}

function times(normal: Float64Array, { n, start, other }: NeighbourGraph, vector: Float64Array): Float64Array {
  const image = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    const end = start[i + 1]!;
    for (let e = start[i]!; e < end; e++) sum += normal[e]! * vector[other[e]!]!;
    image[i] = sum;
  }
  return image;
}

/**
 * Replaces the image of a vector by the mean of the vector and its image. This maps eigenvalues from [-1, 1] to [0, 1], so that the
 * iteration finds the largest eigenvalues, not the largest absolute values.
 */
function half(vector: Float64Array, image: Float64Array): Float64Array {
  for (let i = 0; i < image.length; i++) image[i] = (image[i]! + vector[i]!) / 2;
  return image;
}

const ALPHA = 0.95;

function features(values: readonly number[], vectors: readonly Float64Array[], n: number, d: number): Float64Array {
  const count = vectors.length;
  const found = new Float64Array(n * count);
  let squares = 0;
  vectors.forEach((vector, j) => {
    const factor = Math.sqrt((1 - ALPHA) / (1 - ALPHA * Math.min(1, Math.max(0, values[j]!))));
    let mean = 0;
    for (let i = 0; i < n; i++) mean += vector[i]! / n;
    for (let i = 0; i < n; i++) {
      const value = (vector[i]! - mean) * factor;
      found[i * count + j] = value;
      squares += value * value;
    }
  });
  const scale = squares > 0 ? Math.sqrt((d * n) / squares) : 1;
  for (let p = 0; p < found.length; p++) found[p]! *= scale;
  return found;
}
