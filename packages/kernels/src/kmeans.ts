/**
 * The TypeScript side of k-means. It lays out memory, and writes the plan (sizes and addresses) for the compiled routines. It keeps the
 * centres of earlier assignments, and adds the results of the chunks in order. The routines are in assembly/kmeans.ts.
 */

import type { Arena, Block, F32, F64, KMeansMetrics, KMeansState, Screen, SeedingState } from "@coterie/core/internal";
import { CHUNK_ROWS } from "@coterie/core/internal";
import type { Host } from "./host.js";
import { emptyScreen, isScreened, ScreenedRows, screenUnder } from "./screen.js";
import { packLines } from "./sums.js";

const PLACES = 18;
const PLACE_COUNT = 17;

interface Shape {
  readonly n: number;
  readonly d: number;
  readonly k: number;
  readonly bounds: boolean;
  readonly chunks: number;
  /** k rounded up to whole groups of four centres. */
  readonly width: number;
  readonly times: number;
  /** An upper bound of the relative error of a computed distance. About (d + 3) · 2⁻⁵³ would be enough; this value is larger. */
  readonly slack: number;
  readonly screened: ScreenedRows | null;
}

/**
 * Maximum number of earlier sets of centres that are kept. The bound of a row refers to one of these sets by its number, which must fit
 * into a byte.
 */
const MOST_TIMES = 64;

export function simdKMeans(
  host: Host,
  x: F64 | F32,
  n: number,
  d: number,
  k: number,
  arena: Arena,
  { bounds, screen = null }: { readonly bounds: boolean; readonly screen?: Screen | null },
): KMeansState {
  const shape: Shape = {
    n,
    d,
    k,
    bounds,
    chunks: Math.ceil(n / CHUNK_ROWS),
    width: Math.ceil(k / 4) * 4,
    times: Math.max(2, Math.min(MOST_TIMES, Math.floor(n / (8 * k)))),
    slack: (d + 32) * 2 ** -52,
    screened: bounds ? (screen instanceof ScreenedRows ? screen : null) : ownScreen(host, x, n, d, k, arena),
  };
  const parts = layOut(host, shape, x, arena);
  const address = host.pointer(parts.plan);
  const totals = arena.f64(shape.chunks);

  return {
    setCentres: centreSetter(host, shape, parts, x),
    assign: (from, to) => {
      host.parallel("kmeansAssign", [address], to, CHUNK_ROWS, from);
      const chunks = parts.changed.view().subarray(from / CHUNK_ROWS, Math.ceil(to / CHUNK_ROWS));
      return chunks.reduce((sum, changed) => sum + changed, 0);
    },
    relabel: (given) => relabel(given, parts.labels.view(), parts.dirty.view(), k),
    sums: (onto) => {
      host.parallel("kmeansSums", [address], n, CHUNK_ROWS);
      return addChunks(parts.sums.view(), parts.counts.view(), shape, onto);
    },
    inertia: () => {
      host.parallel("kmeansDistances", [address, 0, host.pointer(totals)], n, CHUNK_ROWS);
      return totals.view().reduce((sum, total) => sum + total, 0);
    },
    labels: () => parts.labels.view().slice(),
    distances: () =>
      host.scratch(n * 8, (out) => {
        host.parallel("kmeansDistances", [address, out, host.pointer(totals)], n, CHUNK_ROWS);
        return new Float64Array(host.memory.buffer, out, n).slice();
      }),
    scatter: (centres, separate, onto) => scatter(host, shape, address, centres, separate, onto),
    farthest: (factors) => farthest(host, shape, address, factors),
  };
}

/** With fewer rows or centres, a full scan is as fast as screening the rows again under each metric. */
const LEAST_ROWS_SCREENED = 256;
const LEAST_CENTRES_SCREENED = 8;

/** A screen (see screen.ts) for k-means without bounds, where the metric can change; null if it would not save time. */
function ownScreen(host: Host, x: F64 | F32, n: number, d: number, k: number, arena: Arena): ScreenedRows | null {
  const pays = n >= LEAST_ROWS_SCREENED && k >= LEAST_CENTRES_SCREENED && isScreened(d);
  return pays ? emptyScreen(host, x, n, d, arena) : null;
}

/** Writes labels. In each chunk, marks the clusters whose members changed: their sums must be computed again. */
function relabel(given: Int32Array, labels: Int32Array, dirty: Uint8Array, k: number): void {
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] === given[i]) continue;
    const chunk = Math.floor(i / CHUNK_ROWS) * k;
    if (labels[i]! >= 0) dirty[chunk + labels[i]!] = 1;
    dirty[chunk + given[i]!] = 1;
    labels[i] = given[i]!;
  }
}

function scatter(
  host: Host,
  { n, d, k, chunks }: Shape,
  plan: number,
  centres: Float64Array,
  separate: boolean,
  onto: Float64Array | undefined,
): Float64Array {
  const width = separate ? k * d : d;
  const sums = onto?.slice() ?? new Float64Array(width);
  return host.scratch(8 * (k * d + chunks * width), (address) => {
    new Float64Array(host.memory.buffer, address, k * d).set(centres);
    const out = address + 8 * k * d;
    host.parallel("kmeansScatter", [plan, address, separate ? 1 : 0, out], n, CHUNK_ROWS);
    const parts = new Float64Array(host.memory.buffer, out, chunks * width);
    for (let p = 0; p < parts.length; p++) sums[p % width]! += parts[p]!;
    return sums;
  });
}

function farthest(host: Host, { n, d, chunks }: Shape, plan: number, factors: Float64Array) {
  const count = factors.length / d;
  const width = Math.ceil(count / 4) * 4;
  const rows = new Int32Array(count);
  const squares = new Float64Array(count).fill(-1);
  const table = 8 * width * Math.max(1, d);
  return host.scratch(2 * table + chunks * 12 * width, (address) => {
    new Float64Array(host.memory.buffer, address, table / 8).fill(0);
    packLines(factors, count, d, 0, new Float64Array(host.memory.buffer, address + table, width * d));
    const out = address + 2 * table;
    host.parallel("kmeansFarthest", [plan, address, address + table, width, out], n, CHUNK_ROWS);
    for (let chunk = 0; chunk < chunks; chunk++) {
      const found = new Float64Array(host.memory.buffer, out + chunk * 12 * width, width);
      const which = new Int32Array(host.memory.buffer, out + chunk * 12 * width + 8 * width, width);
      for (let g = 0; g < count; g++) {
        if (!(found[g]! > squares[g]!)) continue;
        squares[g] = found[g]!;
        rows[g] = which[g]!;
      }
    }
    return { rows, squares };
  });
}

type Parts = ReturnType<typeof layOut>;

const SINGLE = PLACES + PLACE_COUNT + 7;
/** Bytes of a chunk's buffer before the rows in integers; see assembly/kmeans-screen.ts. */
const SCREEN_START = 384;

function layOut(host: Host, { n, d, k, bounds, chunks, width, times, screened }: Shape, x: F64 | F32, arena: Arena) {
  const fiveWidth = Math.ceil(k / 5) * 5;
  const single = x.type === "f32";
  // Without a screen, the buffer needs space for four lines of costs, plus four rows if rows must be converted. With bounds, it also needs
  // at least the space for eight rows of estimates.
  const plainBytes = Math.max(32 * (bounds && !single ? width : width + d), bounds ? 224 + 32 * d : 0);
  const screenBytes = screened ? SCREEN_START + 32 * screened.wide + 36 * fiveWidth + 8 * d + 64 : 0;
  const bufferBytes = Math.ceil(Math.max(plainBytes, screenBytes) / 64) * 64;
  const plan = arena.i32(64);
  const parts = {
    centres: arena.f64(k * d),
    packed: arena.f64(width * d),
    labels: arena.i32(n),
    gaps: arena.f64(bounds ? n : 0),
    stamps: arena.u8(bounds ? n : 0),
    limits: arena.f64(bounds ? times * k : 0),
    middle: arena.f64(d),
    estimates: arena.f32(bounds && !screened ? width * (d + 1) : 0),
    lists: arena.u8(chunks * CHUNK_ROWS * 2),
    buffers: arena.u8(chunks * bufferBytes),
    sums: arena.f64(chunks * k * d),
    counts: arena.i32(chunks * k),
    dirty: arena.u8(chunks * k),
    changed: arena.i32(chunks),
    factors: arena.f64(bounds ? 0 : width * d),
    starts: arena.f64(bounds ? 0 : width),
  };
  const places: Block<unknown>[] = [x, ...Object.values(parts)];
  const words = plan.view();
  words.set([n, d, k, width, CHUNK_ROWS, bounds ? 1 : 0, 0, bufferBytes]);
  words[SINGLE] = single ? 1 : 0;
  words.set(
    places.map((block) => host.pointer(block)),
    PLACES,
  );
  const fives = arena.u8(screened ? 2 * fiveWidth * screened.wide : 0);
  const centreFacts = arena.f32(screened ? 2 * fiveWidth : 0);
  const room = arena.u8(screened ? k * (2 * screened.wide + 16) : 0);
  if (screened)
    plan.view().set([screened.address, host.pointer(fives), fiveWidth, host.pointer(centreFacts)], PLACES + PLACE_COUNT + 1);
  parts.labels.view().fill(-1);
  parts.gaps.view().fill(Number.NEGATIVE_INFINITY);
  return { plan, room, ...parts };
}

/** Indices of fields in a plan, in words of four bytes; see assembly/kmeans-plan.ts. */
const NOW = 6;
const NUMBERS = 8;

/**
 * Creates the function `setCentres`. It keeps the sets of centres against which rows were last scanned. The number of such a set is called
 * its time.
 */
function centreSetter(
  host: Host,
  { n, d, k, bounds, times, slack, screened }: Shape,
  parts: Parts,
  x: F64 | F32,
): KMeansState["setCentres"] {
  const past: Float64Array[] = [];
  const address = host.pointer(parts.plan);
  return (values, metrics) => {
    if (metrics && bounds) throw new RangeError("A k-means state with bounds takes no metrics.");
    parts.centres.view().set(values);
    packCentres(values, k, d, parts.packed.view());
    if (!bounds) writeMetrics(parts, k, d, metrics);
    if (screened && !metrics?.offsets) {
      if (!bounds) screenUnder(host, screened, x, metrics ? parts.factors : null);
      new Float64Array(host.memory.buffer, address + 4 * NUMBERS, 1)[0] = slack;
      host.call("screenCentres", address, host.pointer(parts.room));
    } else if (bounds) {
      const { scale, reach } = packEstimates(values, k, d, parts.middle.view(), parts.estimates.view());
      const numbers = [slack, scale, 1 / scale, reach, (d + 8) * 2 ** -22];
      new Float64Array(host.memory.buffer, address + 4 * NUMBERS, numbers.length).set(numbers);
    }
    if (!bounds) return;
    const limits = parts.limits.view();
    past.forEach((centres, time) => {
      limitsSince(centres, values, k, d, slack, limits.subarray(time * k, (time + 1) * k));
    });
    if (past.length === times) {
      host.parallel("kmeansRebase", [address], n, CHUNK_ROWS);
      past.length = 0;
    }
    parts.plan.view()[NOW] = past.length;
    limits.fill(0, past.length * k, (past.length + 1) * k);
    past.push(values.slice());
  };
}

function writeMetrics({ plan, factors, starts }: Parts, k: number, d: number, metrics: KMeansMetrics | undefined): void {
  plan.view()[PLACES + PLACE_COUNT] = metrics ? (metrics.offsets ? 1 : 2) : 0;
  if (metrics?.offsets) {
    packLines(metrics.factors, k, d, 0, factors.view());
    starts.view().set(metrics.offsets);
  } else if (metrics) factors.view().set(metrics.factors);
}

function addChunks(parts: Float64Array, partCounts: Int32Array, { chunks, k, d }: Shape, onto: Float64Array | undefined) {
  const sums = onto?.slice() ?? new Float64Array(k * d);
  const counts = new Int32Array(k);
  for (let chunk = 0; chunk < chunks; chunk++) {
    for (let p = 0; p < k * d; p++) sums[p]! += parts[chunk * k * d + p]!;
    for (let c = 0; c < k; c++) counts[c]! += partCounts[chunk * k + c]!;
  }
  return { sums, counts };
}

/*
 * Tables that the routines read: centres in the order of reading, and limits. The limits show how far centres moved, so that many rows keep
 * their labels without a scan.
 */

/** Packs groups of four centres, feature by feature; centres from k on are Infinity. */
function packCentres(centres: Float64Array, k: number, d: number, packed: Float64Array): void {
  packLines(centres, k, d, Number.POSITIVE_INFINITY, packed);
}

/**
 * Packs centres for estimates in single precision: |c|² and -2c in groups of four. The middle of the centres is subtracted first, and the
 * largest norm is scaled into [1, 2).
 */
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

/** The power of two that brings a length into [1, 2), or near this interval; 1 if there is none. */
function scaleOf(length: number): number {
  let scale = 1;
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return scale;
  while (length * scale >= 2 && scale > 2 ** -1000) scale /= 2;
  while (length * scale < 1 && scale < 2 ** 1000) scale *= 2;
  return scale;
}

/**
 * For each label: the distance that its centre moved since an earlier time, plus the largest distance that another centre moved. Rounded
 * up.
 */
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

/*
 * The TypeScript side of k-means++: it lays out the candidates and processes chunks of rows on threads.
 */

/** The same constants as in assembly/screen.ts and assembly/seeding.ts. */
const GROUP = 5;
const BUFFER_START = 320;

export function simdSeeding(
  host: Host,
  x: F64 | F32,
  n: number,
  d: number,
  arena: Arena,
  screen: Screen | null = null,
  weights: F64 | null = null,
): SeedingState {
  const screened = screen instanceof ScreenedRows && !weights?.view().some(isOdd) ? screen : null;
  const chunks = Math.ceil(n / CHUNK_ROWS);
  // Weights are read four at a time, beyond the last row, so the block is longer.
  const padded = weights ? arena.f64(n + 8) : null;
  padded?.view().set(weights!.view().subarray(0, n));
  const nearest = arena.f64(n + 8);
  nearest.view().fill(Infinity);
  let lines: F64 | null = null;
  let room = 0;
  const linesFor = (count: number): F64 => {
    if (lines === null || count > room) {
      lines = arena.f64(count * n);
      room = count;
    }
    return lines;
  };
  const bufferBytes = roundUp(BUFFER_START + (screened ? 32 * screened.wide + GROUP * 4 * (CHUNK_ROWS + 8) : 0));
  const buffers = arena.u8(chunks * bufferBytes);
  return {
    tryRows: (rows) => {
      const out = linesFor(rows.length);
      const count = rows.length;
      const wide = screened?.wide ?? 0;
      const groups = Math.ceil(count / GROUP) * GROUP;
      const bytes = [128, 8 * count * d, 8 * count * chunks, 2 * groups * wide, 16 * count, 2 * count * wide].map(roundUp);
      return host.scratch(
        bytes.reduce((sum, size) => sum + size, 0),
        (task) => {
          const places: number[] = [];
          bytes.reduce((at, size) => {
            places.push(at);
            return at + size;
          }, task);
          const [, candidates, sums, fives, facts, integers] = places as [number, number, number, number, number, number];
          const view = x.view();
          const target = new Float64Array(host.memory.buffer, candidates, count * d);
          rows.forEach((row, c) => {
            target.set(view.subarray(row * d, (row + 1) * d), c * d);
          });
          if (screened) host.call("screenCandidates", screened.address, candidates, count, integers, facts, fives);
          const words = [
            n,
            d,
            x.type === "f32" ? 1 : 0,
            count,
            host.pointer(x),
            candidates,
            host.pointer(nearest),
            host.pointer(out),
          ];
          const more = [sums, CHUNK_ROWS, chunks, screened?.address ?? 0, fives, facts, host.pointer(buffers), bufferBytes];
          more.push(padded ? host.pointer(padded) : 0);
          new Int32Array(host.memory.buffer, task, 17).set([...words, ...more]);
          host.parallel("seedChunk", [task], n, CHUNK_ROWS);
          return new Float64Array(host.memory.buffer, sums, count * chunks).slice();
        },
      );
    },
    take: (which) => {
      nearest.view().set(
        linesFor(1)
          .view()
          .subarray(which * n, (which + 1) * n),
      );
    },
    nearest: (from, to) => nearest.view().slice(from, to),
  };
}

/** Whether a weight is so large or small that products with it do not fit into single precision. */
function isOdd(weight: number): boolean {
  return weight !== 0 && !(weight > 1e-15 && weight < 1e15);
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
