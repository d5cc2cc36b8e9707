/**
 * Complete linkage of wide rows from estimates, as the host sees it: how far an estimate may be off, what exact work is worth it, and
 * the phases, each in pieces of some hundredths of a second. What happens in them stands in assembly/estimates.ts and assembly/screened-linkage.ts.
 */
import {
  type Arena,
  type F32,
  type F64,
  type I32,
  LEAST_SQUARE,
  NEAR_SHARE,
  type ScreenedLinkage,
  type ScreenedProgress,
  sampledNear,
} from "@coterie/core/internal";
import type { Host } from "./host.js";
import { simdMoments } from "./moments.js";
import { emptyScreen, type ScreenedRows, screenUnder } from "./screen.js";

/** Fewer or narrower rows are as fast from their matrix, whose distances are not expanded below 32 columns; more would not fit beside it. */
const LEAST_ROWS = 512;
const MOST_ROWS = 16_000;
const LEAST_COLUMNS = 64;
const MOST_COLUMNS = 65_536;

/** Rows of a tile of estimates, and bytes of its room; as in assembly/estimates.ts. */
const SIDE = 80;
const ROOM_BYTES = 192 + 4 * SIDE * SIDE;
const GROUP = 5;
/** Products in integers, and estimates copied or looked at, between two pauses. */
const PRODUCTS = 800_000_000;
const ENTRIES = 16_000_000;
const GRAIN = 256;

/** When to give up. */
export interface Limits {
  /** Exact work may take this share of what the products of a matrix take; a tenth of it before the first merge. */
  readonly workShare: number;
  /** Work for one row of a chain: less than a tenth of a second. */
  readonly workAtOnce: number;
  /** Where more others than this may be the nearest of a row, on average, exact arithmetic for all is as fast. */
  readonly mostNear: number;
}

const LIMITS: Limits = { workShare: 0.25, workAtOnce: 400_000_000, mostNear: 8 };
const FIRST_SHARE = 0.1;

/** More than what single precision loses of an estimate, of its sum with a bar, and of limits, beside the largest squared length. */
const SINGLE_LOSS = 4e-6;
/** The same of double precision, for each column. */
const DOUBLE_LOSS = 2 ** -47;

/** Words of a linkage, and where its doubles begin; as in assembly/screened-linkage.ts. */
const WORDS = 18;
const DOUBLES = 8;
/** Where the allowed work stands among the doubles. */
const ALLOWED = 6;

/** Opens the linkage; null where it does not pay. */
export function simdScreenedLinkage(
  host: Host,
  root: boolean,
  x: F64 | F32,
  n: number,
  d: number,
  arena: Arena,
): ScreenedLinkage | null {
  if (n < LEAST_ROWS || n > MOST_ROWS || d < LEAST_COLUMNS || d > MOST_COLUMNS) return null;
  return openScreened(host, root, x, n, d, arena, LIMITS);
}

/** The same for any rows whose matrix may be expanded; null where it would not be. */
export function openScreened(
  host: Host,
  root: boolean,
  x: F64 | F32,
  n: number,
  d: number,
  arena: Arena,
  limits: Limits,
): ScreenedLinkage | null {
  const rows = measuredRows(host, x, n, d, arena);
  if (rows === null) return null;
  const merges = arena.f64(3 * n);
  const work = phases(host, rows, root, arena, merges, limits);
  return {
    advance: () => work.next().value,
    merges: () => merges.view().slice(0, 3 * (n - 1)),
  };
}

interface MeasuredRows {
  readonly x: F64 | F32;
  readonly n: number;
  readonly d: number;
  readonly screen: ScreenedRows;
  readonly mean: F64;
  /** Squared lengths less the mean, as the matrix of distances has them. */
  readonly norms: F64;
  /** How far an estimate may be off, in squares of the screen's unit, and more than the largest of them. */
  readonly error: number;
  readonly most: number;
}

/** Rows in integers, and how good they are; null where the matrix of distances would not be expanded, or numbers are too large or small. */
function measuredRows(host: Host, x: F64 | F32, n: number, d: number, arena: Arena): MeasuredRows | null {
  const mean = arena.f64(d);
  const norms = arena.f64(n);
  mean.view().set(simdMoments(host, x, n, d).mean);
  const places = [host.pointer(x), x.type === "f32" ? 1 : 0, d, host.pointer(mean), host.pointer(norms)];
  host.parallel("centredNorms", places, n, GRAIN);
  const view = x.view();
  const squareOf = (i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (view[i * d + f]! - view[j * d + f]!) * (view[i * d + f]! - view[j * d + f]!);
    return sum;
  };
  if (sampledNear(n, NEAR_SHARE.f64, norms.view(), squareOf)) return null;
  const screen = emptyScreen(host, x, n, d, arena);
  screenUnder(host, screen, x, null);
  const words = new Int32Array(host.memory.buffer, screen.address, 11);
  const errors = largest(new Float32Array(host.memory.buffer, words[8], n));
  const lengths = largest(new Float32Array(host.memory.buffer, words[9], n));
  const square = lengths * lengths;
  const exact = DOUBLE_LOSS * (d + 16) * (square + largest(norms.view()) * screen.unit * screen.unit);
  const error = 2 * errors * lengths + SINGLE_LOSS * square + exact;
  // Far from underflow and overflow, in the screen's unit and in the rows' own.
  const isSound = square > 2 ** -40 && square < 2 ** 40 && error < square && Math.abs(Math.log2(screen.unit)) < 480;
  return isSound ? { x, n, d, screen, mean, norms, error, most: 5 * square } : null;
}

function largest(values: Float64Array | Float32Array): number {
  let most = 0;
  for (const value of values) if (!(value <= most)) most = value;
  return most;
}

function* phases(
  host: Host,
  rows: MeasuredRows,
  root: boolean,
  arena: Arena,
  merges: F64,
  limits: Limits,
): Generator<ScreenedProgress, never, void> {
  const { n, d } = rows;
  const m = n;
  const estimates = arena.f32(n * n);
  const progress = (phase: ScreenedProgress["phase"], done: number, total: number) => ({ phase, done, total });
  for (const done of estimateSteps(host, rows, estimates, arena)) {
    yield progress("distances", done, n);
    if (done === Math.min(n, SIDE) && !isWorthIt(host, estimates, rows, limits))
      return yield* forever(progress("given up", 0, 1));
  }
  const task = openTask(host, rows, root, estimates, m, arena, merges, limits);
  const budget = (limits.workShare * d * n * n) / 2;
  const allow = (share: number): void => {
    task.doubles()[ALLOWED] = budget * share;
  };
  const most = Math.max(1, Math.floor(4_000_000 / m));
  for (let made = 0; made < m - 1; ) {
    yield progress("merging", made, m - 1);
    allow(FIRST_SHARE + made / (m - 1));
    made = host.call("screenedChain", task.address, most);
    if (made < 0) return yield* forever(progress("given up", 0, 1));
  }
  host.call("screenedTree", task.address);
  allow(1 + 2 * FIRST_SHARE);
  const some = Math.max(1, Math.floor(ENTRIES / m));
  for (let from = 0; from < m; from += some) {
    yield progress("heights", from, m);
    if (host.call("screenedHeights", task.address, host.pointer(merges), from, Math.min(m, from + some)) === 0)
      return yield* forever(progress("given up", 0, 1));
  }
  return yield* forever(progress("done", 1, 1));
}

function* forever(progress: ScreenedProgress): Generator<ScreenedProgress, never, void> {
  for (;;) yield progress;
}

/** Fills n × n estimates, and says after how many rows they are whole; the first SIDE rows by themselves. */
function* estimateSteps(host: Host, { n, d, screen }: MeasuredRows, out: F32, arena: Arena): Generator<number, void, void> {
  const fives = arena.u8(2 * screen.wide * Math.ceil(n / GROUP) * GROUP);
  const norms = arena.f32(n + 8);
  const words = new Int32Array(host.memory.buffer, screen.address, 11);
  norms.view().set(new Float64Array(host.memory.buffer, words[10], n));
  host.parallel("packScreenFives", [screen.address, host.pointer(fives)], n, GROUP * GRAIN);
  const roomBytes = ROOM_BYTES + 2 * SIDE * screen.wide;
  for (let from = 0; from < n; ) {
    const some = from === 0 ? 1 : host.threads * Math.max(1, Math.floor(PRODUCTS / (SIDE * (n - from) * (d + 32))));
    const blocks = Math.min(some, Math.ceil((n - from) / SIDE));
    const to = Math.min(n, from + SIDE * blocks);
    host.scratch(32 + blocks * roomBytes, (task) => {
      const places = [screen.address, host.pointer(fives), host.pointer(norms), host.pointer(out), task + 32];
      new Int32Array(host.memory.buffer, task, 8).set([n, ...places, roomBytes, from]);
      host.parallel("estimateRows", [task], to, SIDE, from);
    });
    from = to;
    yield from;
  }
}

/** Whether few others may be the nearest, by the first rows. */
function isWorthIt(host: Host, estimates: F32, { n, error }: MeasuredRows, limits: Limits): boolean {
  const rows = Math.min(n, SIDE);
  return host.call("countNear", host.pointer(estimates), n, 2 * error, 0, rows) <= limits.mostNear * rows;
}

interface Task {
  readonly address: number;
  readonly doubles: () => Float64Array;
}

/** A linkage over m × m estimates and a copy of them. */
function openTask(
  host: Host,
  { x, n, d, mean, norms, error }: MeasuredRows,
  root: boolean,
  estimates: F32,
  m: number,
  arena: Arena,
  merges: F64,
  limits: Limits,
): Task {
  const copy = arena.f32(m * m);
  host.parallel("copyRows", [host.pointer(estimates), host.pointer(copy), m], m, GRAIN);
  const chain = arena.u8(host.call("chainBytes", m) >>> 0);
  host.call("chainOpen", host.pointer(chain), host.pointer(copy), host.pointer(merges), m, 1, 0);
  const nextRow = arena.i32(n);
  nextRow.view().fill(-1);
  const lists: I32[] = [1, 1, 4, 1, 1, 1, 1].map((times) => arena.i32(times * m));
  const found = arena.f64(m);
  const task = arena.f64(WORDS / 2 + DOUBLES);
  const address = host.pointer(task);
  const places = [nextRow, estimates, chain, ...lists, found].map((block) => host.pointer(block));
  const single = x.type === "f32" ? 1 : 0;
  const words = [m, d, host.pointer(x), single, host.pointer(mean), host.pointer(norms), root ? 1 : 0, ...places];
  new Int32Array(host.memory.buffer, address, WORDS).set(words);
  const doubles = (): Float64Array => new Float64Array(host.memory.buffer, address + 4 * WORDS, DOUBLES);
  doubles().set([2 * error, NEAR_SHARE.f64, LEAST_SQUARE, 0, Number.POSITIVE_INFINITY, 0, 0, limits.workAtOnce]);
  host.call("screenedOpen", address);
  return { address, doubles };
}
