/**
 * The TypeScript side of linkages. Complete linkage of rows with many columns works from estimates. This file bounds the error of the
 * estimates, decides how much exact work is allowed, and runs the phases in pieces of some hundredths of a second. assembly/estimates.ts
 * and assembly/screened-linkage.ts contain the code of the phases. Linkages over a matrix are at the end of this file.
 */
import {
  type Arena,
  type ChainLinkage,
  type F32,
  type F64,
  type HeapLinkage,
  type I32,
  LEAST_SQUARE,
  type LinkageState,
  NEAR_SHARE,
  type PairKernels,
  type RowItems,
  type ScreenedLinkage,
  type ScreenedMetric,
  type ScreenedProgress,
  sampledNear,
} from "@coterie/core/internal";
import type { Host } from "./host.js";
import { asDoubles } from "./pairs.js";
import { emptyScreen, type ScreenedRows, screenUnder } from "./screen.js";
import { simdMoments } from "./sums.js";

const GRAIN = 256;

export interface Limits {
  /**
   * Maximum exact work, as a share of the work for a full matrix. A tenth of the maximum is allowed before the first merge; the allowed
   * work grows with each merge.
   */
  readonly workShare: number;
  /** Maximum work for one row of the chain; it takes less than a tenth of a second. */
  readonly workAtOnce: number;
  /**
   * By the estimates, several rows can be the nearest neighbour of a row. This is the maximum mean number of these rows. Above it,
   * computing all distances exactly is as fast.
   */
  readonly mostNear: number;
}

/** With fewer rows or columns, linkage over the matrix is as fast. With more rows, estimates would not fit into memory. */
const LEAST_ROWS = 512;
const MOST_ROWS = 16_000;
const LEAST_COLUMNS = 64;
const MOST_COLUMNS = 65_536;
const LIMITS: Limits = { workShare: 0.25, workAtOnce: 400_000_000, mostNear: 8 };

/**
 * Starts complete linkage from estimates. Returns null if n or d is outside the limits: linkage over a full matrix is then as fast, or
 * memory is too small.
 */
export function simdScreenedLinkage(host: Host, ...rows: Parameters<PairKernels["screenedLinkage"]>): ScreenedLinkage | null {
  const [, , n, d] = rows;
  if (n < LEAST_ROWS || n > MOST_ROWS || d < LEAST_COLUMNS || d > MOST_COLUMNS) return null;
  return openScreened(host, LIMITS, ...rows);
}

/** Like `simdScreenedLinkage`, without limits on the size. Returns null if the rows cannot be estimated (see `measuredRows`). */
export function openScreened(
  host: Host,
  limits: Limits,
  ...[metric, x, n, d, arena, items]: Parameters<PairKernels["screenedLinkage"]>
): ScreenedLinkage | null {
  const rows = measuredRows(host, metric, x, n, d, items?.bar ?? 0, arena);
  if (rows === null) return null;
  const m = items?.count ?? n;
  const merges = arena.f64(3 * m);
  const work = phases({
    host,
    metric,
    rows,
    items,
    m,
    limits,
    arena,
    merges,
    estimates: arena.f32(n * n),
    nextRow: arena.i32(n),
  });
  return {
    advance: () => work.next().value,
    merges: () => merges.view().slice(0, 3 * (m - 1)),
  };
}

interface MeasuredRows {
  /**
   * `x`: the rows for exact distances. `mean`: the mean of the rows. `norms`: squared lengths after the mean is subtracted. For cosine, `x`
   * is scaled so that squares neither overflow nor underflow, and `norms` are the lengths of the rows of `x`.
   */
  readonly x: F64 | F32;
  readonly n: number;
  readonly d: number;
  readonly mean: F64;
  readonly norms: F64;
  readonly screen: ScreenedRows;
  /** The largest squared length of a row, and the maximum error of an estimated squared distance, in squared units of `screen`. */
  readonly square: number;
  readonly error: number;
}

/**
 * Every estimate is below this number times the largest squared length. A bar is the entry of a pair that must not merge. Bars are larger
 * than estimates, and the limit between estimates and bars is halfway between.
 */
const MOST_ESTIMATE = 6;

/**
 * The rows as 16-bit integers, and the error of estimates from these integers. Returns null if `distanceMatrix` would not compute these
 * distances from inner products, or if numbers are too large or too small.
 */
function measuredRows(
  host: Host,
  metric: ScreenedMetric,
  x: F64 | F32,
  n: number,
  d: number,
  bar: number,
  arena: Arena,
): MeasuredRows | null {
  if (metric === "cosine") return directions(host, x, n, d, bar, arena);
  const mean = arena.f64(d);
  const norms = arena.f64(n);
  const moments = simdMoments(host, x, n, d);
  mean.view().set(moments.mean);
  const places = [host.pointer(x), x.type === "f32" ? 1 : 0, d, host.pointer(mean), host.pointer(norms)];
  host.parallel("centredNorms", places, n, GRAIN);
  if (sampledNear(x.view(), n, d, NEAR_SHARE.f64, norms.view())) return null;
  const bounds = screened(host, x, n, d, arena, (square) => {
    const most = MOST_ESTIMATE * square;
    const barred = metric === "euclidean" ? (bar + Math.sqrt(most)) * Math.sqrt(most) : bar + most;
    return (d + 16) * largest(norms.view()) + barred;
  });
  return bounds && { x, n, d, mean, norms, ...bounds };
}

/** Rows scaled to length 1: their cosine distance is half their squared distance. Null if a row has length 0. */
function directions(host: Host, x: F64 | F32, n: number, d: number, bar: number, arena: Arena): MeasuredRows | null {
  const rows = asDoubles(x, n, d, arena);
  const scaled = arena.f64(n * d);
  const norms = arena.f64(n);
  host.call("scaleRows", host.pointer(rows), n, d, host.pointer(scaled), host.pointer(norms));
  if (norms.view().includes(0)) return null;
  const units = arena.f64(n * d);
  host.parallel("unitRows", [host.pointer(scaled), host.pointer(norms), d, host.pointer(units)], n, GRAIN);
  const bounds = screened(host, units, n, d, arena, () => 4 * (d + 16) + 2 * (bar + 2));
  return bounds && { x: scaled, n, d, mean: arena.f64(1), norms, ...bounds };
}

/** Relative bound on the rounding errors of single precision: of an estimate, of an estimate plus a bar, and of limits. */
const SINGLE_LOSS = 4e-6;
/** The same bound for double precision, for each column. */
const DOUBLE_LOSS = 2 ** -47;

/**
 * The rows as 16-bit integers, and the error of their estimates; null if the estimates would be useless. `lossOf`: takes the largest
 * squared length, and returns the size of the numbers that exact distances round. Distances that can become equal when the bar is added
 * count as equal.
 */
function screened(
  host: Host,
  x: F64 | F32,
  n: number,
  d: number,
  arena: Arena,
  lossOf: (square: number) => number,
): Pick<MeasuredRows, "screen" | "square" | "error"> | null {
  const screen = emptyScreen(host, x, n, d, arena);
  screenUnder(host, screen, x, null);
  const words = new Int32Array(host.memory.buffer, screen.address, 11);
  const errors = largest(new Float32Array(host.memory.buffer, words[8], n));
  const lengths = largest(new Float32Array(host.memory.buffer, words[9], n));
  const square = lengths * lengths;
  const perUnit = 1 / (screen.unit * screen.unit);
  const exact = (d + 16) * square + lossOf(square * perUnit) / perUnit;
  const error = 2 * errors * lengths + SINGLE_LOSS * square + DOUBLE_LOSS * exact;
  // True if the squared lengths are far from underflow and overflow, in the unit of the screen and in the unit of the rows.
  const isSound = square > 2 ** -40 && square < 2 ** 40 && error < square / 4 && Math.abs(Math.log2(screen.unit)) < 480;
  return isSound ? { screen, square, error } : null;
}

function largest(values: Float64Array | Float32Array): number {
  let most = 0;
  for (const value of values) if (!(value <= most)) most = value;
  return most;
}

interface Run {
  readonly host: Host;
  readonly metric: ScreenedMetric;
  readonly rows: MeasuredRows;
  readonly items: RowItems | undefined;
  /** Number of items; number of rows if each row is an item. */
  readonly m: number;
  readonly limits: Limits;
  readonly arena: Arena;
  readonly merges: F64;
  /** n × n estimates. After `joinRows`, the m × m estimates of the items are at the start of the block. */
  readonly estimates: F32;
  /** For each row, the next row of the same item; -1 after the last row. */
  readonly nextRow: I32;
}

/** A phase yields its progress. At the end it returns whether to continue. */
type Phase = Generator<ScreenedProgress, boolean, void>;

function* phases(run: Run): Generator<ScreenedProgress, never, void> {
  const isDone = (yield* estimate(run)) && (yield* joinRows(run)) && (yield* merge(run));
  for (;;) yield { phase: isDone ? "done" : "given up", done: 1, total: 1 };
}

/** Rows and columns of a tile of estimates; the same number as in assembly/estimates.ts. */
const SIDE = 80;
const ROOM_BYTES = 192 + 4 * SIDE * SIDE;
const GROUP = 5;
/** Limits on the work between two pauses. PRODUCTS: number of integer products. ENTRIES: number of estimates that are copied or read. */
const PRODUCTS = 800_000_000;

/**
 * Fills the estimates. Returns false to give up: if too many rows can be the nearest of a row, or if a path through an item can be shorter
 * than the direct distance.
 */
function* estimate(run: Run): Phase {
  const { host, rows, estimates, arena, limits } = run;
  const { n, d, screen, error } = rows;
  const fives = arena.u8(2 * screen.wide * Math.ceil(n / GROUP) * GROUP);
  const norms = arena.f32(n + 8);
  const words = new Int32Array(host.memory.buffer, screen.address, 11);
  norms.view().set(new Float64Array(host.memory.buffer, words[10], n));
  host.parallel("packScreenFives", [screen.address, host.pointer(fives)], n, GROUP * GRAIN);
  const roomBytes = ROOM_BYTES + 2 * SIDE * screen.wide;
  for (let from = 0; from < n; ) {
    yield { phase: "distances", done: from, total: n };
    const some = from === 0 ? 1 : host.threads * Math.max(1, Math.floor(PRODUCTS / (SIDE * (n - from) * (d + 32))));
    const blocks = Math.min(some, Math.ceil((n - from) / SIDE));
    const to = Math.min(n, from + SIDE * blocks);
    host.scratch(32 + blocks * roomBytes, (task) => {
      const places = [screen.address, host.pointer(fives), host.pointer(norms), host.pointer(estimates), task + 32];
      new Int32Array(host.memory.buffer, task, 8).set([n, ...places, roomBytes, from]);
      host.parallel("estimateRows", [task], to, SIDE, from);
    });
    if (from === 0) {
      const near = host.call("countNear", host.pointer(estimates), n, 2 * error, 0, to);
      if (near > limits.mostNear * to || !firstAreStraight(run, to)) return false;
    }
    from = to;
  }
  return true;
}

/**
 * Whether a path through an item of several rows is never shorter than the direct distance. Tests only the estimates of the first `rows`
 * items.
 */
function firstAreStraight(run: Run, rows: number): boolean {
  const { items, m, estimates } = run;
  const { n } = run.rows;
  if (items === undefined || m === n) return true;
  const view = estimates.view();
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < Math.min(rows, m); i++) {
    for (let j = 0, p = i * n; j < n; j++, p++) {
      if (j >= m && items.of[j] !== i && view[p]! < least) least = view[p]!;
      if (j < m && view[p]! > most) most = view[p]!;
    }
  }
  return isStraight(run, least, most);
}

/**
 * Whether a path of two steps is never shorter than the direct distance. Tested with estimates. `least`: the smallest estimate of a step.
 * `most`: the largest estimate of a direct distance.
 */
function isStraight({ metric, rows: { error } }: Run, least: number, most: number): boolean {
  return (metric === "euclidean" ? 4 : 2) * (least - error) >= (most + error) * 1.000001;
}

const ENTRIES = 16_000_000;
const BAR = 8;
/** Number of items with several rows for which estimates are written at a time. */
const TOGETHER = 64;

/**
 * Turns estimates between rows into estimates between items of one or several rows. Returns false to give up: if a path through an item can
 * be shorter than the direct distance.
 */
function* joinRows(run: Run): Phase {
  const { host, items, m, estimates, nextRow, arena } = run;
  const { n, square } = run.rows;
  const next = nextRow.view().fill(-1);
  if (items === undefined) return true;
  for (let row = n - 1; row >= m; row--) {
    next[row] = next[items.of[row]!]!;
    next[items.of[row]!] = row;
  }
  const several = Int32Array.from(next.subarray(0, m).keys()).filter((item) => next[item]! >= 0);
  const [of, list] = [arena.i32(n), arena.i32(several.length)];
  of.view().set(items.of.subarray(0, n));
  list.view().set(several);
  const lines = arena.f32(several.length * m);
  const least = arena.f32(several.length);
  const places = [estimates, of, nextRow, list, lines, least].map((block) => host.pointer(block));
  const [at, ...others] = places as [number, ...number[]];
  yield* ranges(several.length, Math.ceil(ENTRIES / (8 * n)), (from, to) => {
    host.parallel("nearestRows", [at, n, m, ...others], to, 8, from);
  });
  let most = 0;
  yield* ranges(m < n ? m : 0, Math.ceil(ENTRIES / n), (from, to) => {
    most = Math.max(most, host.call("contractRows", at, n, m, from, to));
  });
  const nearest = least.view().reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  if (!isStraight(run, nearest, most)) return false;
  yield* ranges(several.length, TOGETHER, (from, to) => {
    host.call("writeNearest", at, m, host.pointer(list), host.pointer(lines), from, to);
  });
  items.raise(estimates.view(), Math.fround(BAR * square));
  return true;
}

/** Calls `work` for consecutive ranges of `some` numbers that cover 0 … `count` - 1, with a pause before each. */
function* ranges(count: number, some: number, work: (from: number, to: number) => void): Generator<ScreenedProgress, void, void> {
  for (let from = 0; from < count; from += some) {
    yield { phase: "merging", done: 0, total: 1 };
    work(from, Math.min(count, from + some));
  }
}

const FIRST_SHARE = 0.1;
/** Index of the allowed work among the f64 fields of a linkage. */
const ALLOWED = 6;

/** Runs the chain over a copy of the estimates, then computes the heights. */
function* merge(run: Run): Phase {
  const { host, rows, m, limits, arena, merges, estimates } = run;
  const copy = arena.f32(m * m);
  const places = [host.pointer(estimates), host.pointer(copy), m];
  yield* ranges(m, Math.ceil(ENTRIES / m), (from, to) => {
    host.parallel("copyRows", places, to, GRAIN, from);
  });
  const { address, doubles } = openTask(run, copy);
  const budget = (limits.workShare * rows.d * rows.n * rows.n) / 2;
  const most = Math.max(1, Math.floor(4_000_000 / m));
  for (let made = 0; made < m - 1; ) {
    yield { phase: "merging", done: made, total: m - 1 };
    doubles()[ALLOWED] = budget * (FIRST_SHARE + made / (m - 1));
    made = host.call("screenedChain", address, most);
    if (made < 0) return false;
  }
  host.call("screenedTree", address);
  doubles()[ALLOWED] = budget * (1 + 2 * FIRST_SHARE);
  const some = Math.max(1, Math.floor(ENTRIES / m));
  for (let from = 0; from < m; from += some) {
    yield { phase: "heights", done: from, total: m };
    if (host.call("screenedHeights", address, host.pointer(merges), from, Math.min(m, from + some)) === 0) return false;
  }
  return true;
}

interface Task {
  readonly address: number;
  readonly doubles: () => Float64Array;
}

/** Number of i32 fields of a linkage, and of f64 fields after them; as in assembly/screened-linkage.ts. */
const WORDS = 18;
const DOUBLES = 8;
/** Codes of the kinds of distances, as in assembly/screened-linkage.ts. */
const KINDS: Readonly<Record<ScreenedMetric, number>> = { sqeuclidean: 0, euclidean: 1, cosine: 2 };

function openTask({ host, metric, rows, items, m, limits, arena, merges, estimates, nextRow }: Run, copy: F32): Task {
  const { x, d, mean, norms, square, error } = rows;
  const chain = arena.u8(host.call("chainBytes", m) >>> 0);
  host.call("chainOpen", host.pointer(chain), host.pointer(copy), host.pointer(merges), m, 1, 0);
  const lists: I32[] = [1, 1, 4, 1, 1, 1, 1].map((times) => arena.i32(times * m));
  const found = arena.f64(m);
  const task = arena.f64(WORDS / 2 + DOUBLES);
  const address = host.pointer(task);
  const places = [nextRow, estimates, chain, ...lists, found].map((block) => host.pointer(block));
  const single = x.type === "f32" ? 1 : 0;
  const words = [m, d, host.pointer(x), single, host.pointer(mean), host.pointer(norms), KINDS[metric], ...places];
  new Int32Array(host.memory.buffer, address, WORDS).set(words);
  const doubles = (): Float64Array => new Float64Array(host.memory.buffer, address + 4 * WORDS, DOUBLES);
  const barFrom = ((MOST_ESTIMATE + BAR) / 2) * square;
  doubles().set([2 * error, NEAR_SHARE.f64, LEAST_SQUARE, items?.bar ?? 0, barFrom, 0, 0, limits.workAtOnce]);
  host.call("screenedOpen", address);
  return { address, doubles };
}

/* The linkages in WebAssembly. Their state is one block of the arena, so a run can pause and continue. */

/** Codes of the linkages, as in assembly/linkage/update.ts. */
const CODES: Readonly<Record<ChainLinkage | HeapLinkage, number>> = {
  complete: 0,
  average: 1,
  weighted: 2,
  ward: 3,
  centroid: 4,
  median: 5,
};

/** Complete, average, weighted or Ward linkage by a nearest-neighbour chain. */
export function simdChainLinkage(host: Host, ...[linkage, ...rest]: Parameters<PairKernels["chainLinkage"]>): LinkageState {
  return openLinkage(host, "chain", CODES[linkage], ...rest);
}

export function simdHeapLinkage(host: Host, ...[linkage, ...rest]: Parameters<PairKernels["heapLinkage"]>): LinkageState {
  return openLinkage(host, "heap", CODES[linkage], ...rest);
}

export function simdTreeLinkage(host: Host, ...matrix: Parameters<PairKernels["treeLinkage"]>): LinkageState {
  return openLinkage(host, "tree", 0, ...matrix);
}

function openLinkage(
  host: Host,
  family: "chain" | "heap" | "tree",
  code: number,
  matrix: F64 | F32,
  n: number,
  arena: Arena,
  sizes?: Int32Array,
): LinkageState {
  const merges = arena.f64(3 * Math.max(0, n - 1));
  const state = arena.u8(host.call(`${family}Bytes`, n) >>> 0);
  const single = matrix.type === "f32" ? 1 : 0;
  const given = sizes === undefined ? null : arena.i32(n);
  given?.view().set(sizes!.subarray(0, n));
  const places = [host.pointer(state), host.pointer(matrix), host.pointer(merges)];
  host.call(`${family}Open`, ...places, n, single, ...(family === "tree" ? [] : [given ? host.pointer(given) : 0]));
  let made = 0;
  return {
    advance(most) {
      made = host.call(`${family}Advance`, host.pointer(state), code, Math.min(most, n));
      return made;
    },
    merges: () => merges.view().slice(0, 3 * made),
  };
}
