/**
 * The k-means machine, as the host sees it: it lays out memory, writes the plan that the routines read, keeps the centres of
 * past times, and adds the chunks' results in order.
 */
import { type Arena, CHUNK_ROWS, type F64, type KMeansMachine } from "@coterie/core";
import type { Host } from "./host.js";

/** Most past times that rows can refer to; a time must fit into a byte. */
const MOST_TIMES = 64;

export function simdKMeans(
  host: Host,
  x: F64,
  n: number,
  d: number,
  k: number,
  arena: Arena,
  { bounds }: { readonly bounds: boolean },
): KMeansMachine {
  const chunks = Math.ceil(n / CHUNK_ROWS);
  const width = Math.ceil(k / 4) * 4;
  const times = Math.max(2, Math.min(MOST_TIMES, Math.floor(n / (8 * k))));
  const slack = (d + 32) * 2 ** -52;

  const centres = arena.f64(k * d);
  const packed = arena.f64(width * d);
  const labels = arena.i32(n);
  const gaps = arena.f64(bounds ? n : 0);
  const stamps = arena.u8(bounds ? n : 0);
  const limits = arena.f64(bounds ? times * k : 0);
  const bufferBytes = Math.ceil(Math.max(32 * width, 224 + 32 * d) / 64) * 64;
  const buffers = arena.u8(chunks * bufferBytes);
  const lists = arena.u8(chunks * CHUNK_ROWS * 2);
  const middle = arena.f64(d);
  const estimates = arena.f32(width * (d + 1));
  const sums = arena.f64(chunks * k * d);
  const counts = arena.i32(chunks * k);
  const dirty = arena.u8(chunks * k);
  const changed = arena.i32(chunks);
  const totals = arena.f64(chunks);

  const plan = arena.i32(64);
  const planAddress = host.pointer(plan);
  const places = [
    x,
    centres,
    packed,
    labels,
    gaps,
    stamps,
    limits,
    middle,
    estimates,
    lists,
    buffers,
    sums,
    counts,
    dirty,
    changed,
  ];
  plan.view().set([n, d, k, width, CHUNK_ROWS, bounds ? 1 : 0, 0, bufferBytes]);
  plan.view().set(
    places.map((block) => host.pointer(block)),
    18,
  );
  const NOW = 6;

  /** The centres at each time that rows may refer to; the last is the present. */
  const history: Float64Array[] = [];

  const setCentres = (values: Float64Array) => {
    centres.view().set(values);
    packCentres(values, k, d, packed.view());
    if (bounds) {
      const { scale, reach } = packEstimates(values, k, d, middle.view(), estimates.view());
      new Float64Array(host.memory.buffer, planAddress + 32, 5).set([slack, scale, 1 / scale, reach, (d + 8) * 2 ** -22]);
    }
    if (history.length === 0) {
      labels.view().fill(-1);
      gaps.view().fill(Number.NEGATIVE_INFINITY);
    } else if (bounds) {
      const table = limits.view();
      history.forEach((past, time) => {
        limitsSince(past, values, k, d, slack, table.subarray(time * k, (time + 1) * k));
      });
      if (history.length === times) {
        host.parallel("kmeansRebase", [planAddress], n, CHUNK_ROWS);
        history.length = 0;
      }
    }
    if (!bounds) history.length = 0;
    history.push(values.slice());
    const now = history.length - 1;
    plan.view()[NOW] = now;
    if (bounds) limits.view().fill(0, now * k, (now + 1) * k);
  };

  return {
    setCentres,
    assign: (from, to) => {
      host.parallel("kmeansAssign", [planAddress], to, CHUNK_ROWS, from);
      const counted = changed.view();
      let total = 0;
      for (let chunk = from / CHUNK_ROWS; chunk * CHUNK_ROWS < to; chunk++) total += counted[chunk]!;
      return total;
    },
    sums: () => {
      host.parallel("kmeansSums", [planAddress], n, CHUNK_ROWS);
      return addChunks(sums.view(), counts.view(), chunks, k, d);
    },
    inertia: () => {
      host.parallel("kmeansDistances", [planAddress, 0, host.pointer(totals)], n, CHUNK_ROWS);
      return totals.view().reduce((sum, total) => sum + total, 0);
    },
    labels: () => labels.view().slice(),
    distances: () =>
      host.scratch(n * 8, (out) => {
        host.parallel("kmeansDistances", [planAddress, out, host.pointer(totals)], n, CHUNK_ROWS);
        return new Float64Array(host.memory.buffer, out, n).slice();
      }),
  };
}

/** Groups of four centres, feature by feature; places beyond k are infinitely far. */
function packCentres(centres: Float64Array, k: number, d: number, packed: Float64Array): void {
  packed.fill(Number.POSITIVE_INFINITY);
  for (let c = 0; c < k; c++) {
    const place = (c - (c % 4)) * d + (c % 4);
    for (let f = 0; f < d; f++) packed[place + 4 * f] = centres[c * d + f]!;
  }
}

/** Centres about their middle, scaled so that the largest norm is in [1, 2), in single precision: |c|² and -2c by groups of four. */
function packEstimates(centres: Float64Array, k: number, d: number, middle: Float64Array, packed: Float32Array) {
  middle.fill(0);
  for (let p = 0; p < k * d; p++) middle[p % d]! += centres[p]! / k;
  const norms = new Float64Array(k);
  for (let c = 0; c < k; c++) {
    for (let f = 0; f < d; f++) {
      const t = centres[c * d + f]! - middle[f]!;
      norms[c]! += t * t;
    }
  }
  const largest = Math.sqrt(norms.reduce((most, norm) => Math.max(most, norm), 0));
  const scale = scaleOf(largest);
  packed.fill(0);
  for (let c = 0; c < Math.ceil(k / 4) * 4; c++) {
    const place = (c - (c % 4)) * (d + 1) + (c % 4);
    packed[place] = c < k ? norms[c]! * scale * scale : Number.POSITIVE_INFINITY;
    if (c < k) for (let f = 0; f < d; f++) packed[place + 4 * (f + 1)] = -2 * scale * (centres[c * d + f]! - middle[f]!);
  }
  return { scale, reach: (largest * scale) ** 2 };
}

/** The power of two that brings a length into [1, 2), or near it; 1 if there is none. */
function scaleOf(length: number): number {
  let scale = 1;
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return scale;
  while (length * scale >= 2 && scale > 2 ** -1000) scale /= 2;
  while (length * scale < 1 && scale < 2 ** 1000) scale *= 2;
  return scale;
}

/** For each label: how far its own centre and the farthest-moved other one have come since a past time, rounded up. */
function limitsSince(past: Float64Array, present: Float64Array, k: number, d: number, slack: number, limits: Float64Array): void {
  let most = 0;
  let second = 0;
  let mover = -1;
  for (let c = 0; c < k; c++) {
    let sum = 0;
    for (let p = c * d; p < (c + 1) * d; p++) {
      const t = present[p]! - past[p]!;
      sum += t * t;
    }
    const way = Math.sqrt(sum);
    limits[c] = way;
    if (way > most) {
      second = most;
      most = way;
      mover = c;
    } else if (way > second) second = way;
  }
  for (let c = 0; c < k; c++) limits[c] = (limits[c]! + (c === mover ? second : most)) * (1 + 2 * slack);
}

function addChunks(parts: Float64Array, partCounts: Int32Array, chunks: number, k: number, d: number) {
  const sums = new Float64Array(k * d);
  const counts = new Int32Array(k);
  for (let chunk = 0; chunk < chunks; chunk++) {
    for (let p = 0; p < k * d; p++) sums[p]! += parts[chunk * k * d + p]!;
    for (let c = 0; c < k; c++) counts[c]! += partCounts[chunk * k + c]!;
  }
  return { sums, counts };
}
