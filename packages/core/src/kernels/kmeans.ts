/** Lloyd's algorithm in plain TypeScript: the reference that the faster kernel matches bit by bit. See KMeansState. */
import { squaredTo } from "./distances.js";
import type { Arena, F32, F64, Kernels, KMeansMetrics, KMeansSetup, KMeansState } from "./kernels.js";
import { CHUNK_ROWS } from "./kernels.js";

export function plainKMeans(x: F64 | F32, n: number, d: number, k: number, arena: Arena, { bounds }: KMeansSetup): KMeansState {
  const labels = arena.i32(n);
  labels.view().fill(-1);
  const centres = new Float64Array(k * d);
  let under: KMeansMetrics | undefined;

  const distances = () => {
    const rows = x.view();
    return Float64Array.from(labels.view(), (label, i) => squaredTo(rows, i * d, centres, label * d, d));
  };

  return {
    setCentres: (values, metrics) => {
      if (metrics && bounds) throw new RangeError("A k-means state with bounds takes no metrics.");
      centres.set(values);
      under = metrics;
    },
    assign: (from, to) => assign(x.view(), from, to, d, centres, k, under, labels.view()),
    relabel: (given) => labels.view().set(given),
    sums: (onto) => clusterSums(x.view(), labels.view(), n, d, k, onto),
    inertia: () => sumOfChunks(distances()),
    labels: () => labels.view().slice(),
    distances,
    scatter: (means, separate, onto) => scatter(x.view(), labels.view(), n, d, means, separate, onto),
    farthest: (factors) => farthest(x.view(), n, d, factors),
  };
}

function assign(
  x: Float64Array | Float32Array,
  from: number,
  to: number,
  d: number, // in: rows
  centres: Float64Array,
  k: number, // in: k x d
  under: KMeansMetrics | undefined,
  labels: Int32Array, // out
): number {
  let changed = 0;
  for (let i = from; i < to; i++) {
    let nearest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let c = 0; c < k; c++) {
      const distance = under ? costUnder(x, i * d, under, c, centres, d) : squaredTo(x, i * d, centres, c * d, d);
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    if (labels[i] !== nearest) changed++;
    labels[i] = nearest;
  }
  return changed;
}

function costUnder(
  x: Float64Array | Float32Array,
  p: number,
  { factors, offsets }: KMeansMetrics,
  c: number,
  centres: Float64Array,
  d: number,
): number {
  const own = offsets ? c * d : 0;
  let cost = offsets ? offsets[c]! : 0;
  for (let f = 0, q = c * d; f < d; f++) {
    const t = x[p + f]! * factors[own + f]! - centres[q + f]!;
    cost += t * t;
  }
  return cost;
}

function scatter(
  x: Float64Array | Float32Array,
  labels: Int32Array,
  n: number,
  d: number,
  centres: Float64Array,
  separate: boolean,
  onto: Float64Array | undefined,
): Float64Array {
  const sums = onto?.slice() ?? new Float64Array(separate ? centres.length : d);
  const chunk = new Float64Array(sums.length);
  for (let start = 0; start < n; start += CHUNK_ROWS) {
    chunk.fill(0);
    for (let i = start; i < Math.min(start + CHUNK_ROWS, n); i++) {
      const centre = labels[i]! * d;
      const to = separate ? centre : 0;
      for (let f = 0; f < d; f++) {
        const t = x[i * d + f]! - centres[centre + f]!;
        chunk[to + f]! += t * t;
      }
    }
    for (let p = 0; p < sums.length; p++) sums[p]! += chunk[p]!;
  }
  return sums;
}

function farthest(x: Float64Array | Float32Array, n: number, d: number, factors: Float64Array) {
  const count = d === 0 ? 0 : factors.length / d;
  const rows = new Int32Array(count);
  const squares = new Float64Array(count).fill(-1);
  for (let i = 0; i < n; i++) {
    for (let g = 0; g < count; g++) {
      let square = 0;
      for (let f = 0; f < d; f++) {
        const t = x[i * d + f]! * factors[g * d + f]!;
        square += t * t;
      }
      if (square > squares[g]!) {
        squares[g] = square;
        rows[g] = i;
      }
    }
  }
  return { rows, squares };
}

function clusterSums(
  x: Float64Array | Float32Array,
  labels: Int32Array,
  n: number,
  d: number,
  k: number,
  onto: Float64Array | undefined,
) {
  const sums = onto?.slice() ?? new Float64Array(k * d);
  const counts = new Int32Array(k);
  const chunk = new Float64Array(k * d);
  for (let start = 0; start < n; start += CHUNK_ROWS) {
    chunk.fill(0);
    for (let i = start; i < Math.min(start + CHUNK_ROWS, n); i++) {
      const label = labels[i]!;
      counts[label]!++;
      for (let f = 0; f < d; f++) chunk[label * d + f]! += x[i * d + f]!;
    }
    for (let p = 0; p < k * d; p++) sums[p]! += chunk[p]!;
  }
  return { sums, counts };
}

/** The sum of one number per row in the fixed order: four lanes per chunk, chunks in order. */
export function sumOfChunks(values: Float64Array): number {
  let total = 0;
  for (let start = 0; start < values.length; start += CHUNK_ROWS) {
    const lanes = [0, 0, 0, 0];
    for (let i = start; i < Math.min(start + CHUNK_ROWS, values.length); i++) lanes[(i - start) % 4]! += values[i]!;
    total += lanes[0]! + lanes[1]! + (lanes[2]! + lanes[3]!);
  }
  return total;
}

/* Distances of k-means++ candidates in plain TypeScript: the reference that the faster kernel matches bit by bit. See SeedingState. */

export const plainSeeding: Kernels["seeding"] = (x, n, d, _arena, _screen = null, weights = null) => {
  let nearest: Float64Array = new Float64Array(n).fill(Infinity);
  let tried: Float64Array[] = [];
  const chunks = Math.ceil(n / CHUNK_ROWS);
  return {
    tryRows: (rows) => {
      const sums = new Float64Array(rows.length * chunks);
      tried = Array.from(rows, (row, c) => {
        const values = x.view();
        const weight = weights?.view();
        const centre = values.slice(row * d, (row + 1) * d);
        return nearest.map((square, i) => {
          const least = Math.min(squaredTo(values, i * d, centre, 0, d) * (weight?.[i] ?? 1), square);
          sums[c * chunks + Math.floor(i / CHUNK_ROWS)]! += least;
          return least;
        });
      });
      return sums;
    },
    take: (which) => {
      nearest = tried[which]!;
    },
    nearest: (from, to) => nearest.slice(from, to),
  };
};
