/** Lloyd's algorithm, plainly: the definition that the faster machine meets to the bit. See KMeansMachine. */
import { type Arena, CHUNK_ROWS, type F64, type KMeansMachine } from "./kernels.js";

export function plainKMeans(x: F64, n: number, d: number, k: number, arena: Arena): KMeansMachine {
  const labels = arena.i32(n);
  labels.view().fill(-1);
  const centres = new Float64Array(k * d);

  const distances = () => {
    const rows = x.view();
    return Float64Array.from(labels.view(), (label, i) => squared(rows, i * d, centres, label * d, d));
  };

  return {
    setCentres: (values) => centres.set(values),
    assign: (from, to) => assign(x.view(), from, to, d, centres, k, labels.view()),
    sums: () => clusterSums(x.view(), labels.view(), n, d, k),
    inertia: () => sumOfChunks(distances()),
    labels: () => labels.view().slice(),
    distances,
  };
}

function assign(
  x: Float64Array,
  from: number,
  to: number,
  d: number, // in: rows
  centres: Float64Array,
  k: number, // in: k rows of d
  labels: Int32Array, // out
): number {
  let changed = 0;
  for (let i = from; i < to; i++) {
    let nearest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let c = 0; c < k; c++) {
      const distance = squared(x, i * d, centres, c * d, d);
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

function squared(x: Float64Array, p: number, centres: Float64Array, q: number, d: number): number {
  let sum = 0;
  for (let f = 0; f < d; f++) {
    const t = x[p + f]! - centres[q + f]!;
    sum += t * t;
  }
  return sum;
}

function clusterSums(x: Float64Array, labels: Int32Array, n: number, d: number, k: number) {
  const sums = new Float64Array(k * d);
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

/** The sum of one number per row in the fixed shape: four lanes in a chunk, chunks in order. */
export function sumOfChunks(values: Float64Array): number {
  let total = 0;
  for (let start = 0; start < values.length; start += CHUNK_ROWS) {
    const lanes = [0, 0, 0, 0];
    for (let i = start; i < Math.min(start + CHUNK_ROWS, values.length); i++) lanes[(i - start) % 4]! += values[i]!;
    total += lanes[0]! + lanes[1]! + (lanes[2]! + lanes[3]!);
  }
  return total;
}
