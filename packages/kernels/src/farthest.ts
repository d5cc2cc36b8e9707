/**
 * The TypeScript side of the search for the farthest pair. It maps rows by the metric, processes panels on threads, and reuses the bounds
 * of the previous search.
 *
 * For each row a, a full search stores a bound e_a: d²(a, b) ≤ e_a for every row b, under the weights w of its metric. Under other weights
 * w′ and for any c ≥ 0, d′²(a, b) ≤ c·e_a + (ρ_a + ρ)². Here ρ_a is the length of row a under the weights max(w′ - c·w, 0), and ρ is the
 * largest ρ_a.
 *
 * A row can belong to the farthest pair only if its bound is at least the square of a known pair. A search among these few rows is short.
 */
import { type Arena, type F64, type FarthestPair, type FarthestSearch, plainKernels } from "@coterie/core/internal";
import type { Host } from "./host.js";
import { isScreened, simdScreen } from "./screen.js";

interface Bounds {
  readonly weights: Float64Array;
  readonly most: Float64Array;
}

/** The farthest-pair search with estimates and threads, if rows have enough columns; else the plain search. */
export function simdFarthest(host: Host, x: F64, n: number, d: number): FarthestSearch {
  if (!isScreened(d)) return plainKernels.farthest(x, n, d);
  const kept = new Map<number, { readonly bounds: Bounds | null; readonly pair: readonly [number, number] }>();
  let search: Search | null = null;
  let slot = 0;
  return {
    begin: (which, metric, hint) => {
      search?.close();
      slot = which;
      const before = kept.get(which) ?? kept.get(0);
      search = openSearch(host, x, n, d, metric, hint ?? before?.pair ?? null, before?.bounds ?? null);
    },
    advance: () => search!.advance(),
    pair: () => {
      const { pair, bounds } = search!.result();
      search!.close();
      search = null;
      kept.set(slot, { bounds: bounds ?? kept.get(slot)?.bounds ?? kept.get(0)?.bounds ?? null, pair: [pair.a, pair.b] });
      return pair;
    },
    close: () => search?.close(),
  };
}

interface Search {
  advance(): boolean;
  result(): { readonly pair: FarthestPair; readonly bounds: Bounds | null };
  close(): void;
}

function openSearch(
  host: Host,
  x: F64,
  n: number,
  d: number,
  metric: Float64Array | null,
  hint: readonly [number, number] | null,
  before: Bounds | null,
): Search {
  const arena = host.arena();
  const isFull = metric !== null && metric.length === d * d && d > 1;
  const factors = isFull ? null : (metric ?? new Float64Array(d).fill(1));
  const weights = factors?.map((factor) => factor * factor) ?? null;
  const few = weights && before && hint ? rowsWithin(host, x, n, d, weights, before, squareOf(x, d, factors!, hint)) : null;
  const z = isFull ? mapped(host, x, n, d, metric, arena) : scaled(host, x, n, d, factors!, few, arena);
  const places = few ? [few.indexOf(hint![0]), few.indexOf(hint![1])] : hint;
  const rows = few ?? null;
  const search = searchAmong(host, z, few ? few.length : n, d, places as readonly [number, number] | null, arena);
  return {
    advance: search.advance,
    result: () => {
      const { a, b, square } = search.pair();
      const pair = rows ? { a: rows[a]!, b: rows[b]!, square } : { a, b, square };
      return { pair, bounds: weights && !rows ? { weights, most: search.bounds() } : null };
    },
    close: () => arena.release(),
  };
}

function squareOf(x: F64, d: number, factors: Float64Array, [a, b]: readonly [number, number]): number {
  const view = x.view();
  let sum = 0;
  for (let f = 0; f < d; f++) {
    const t = view[a * d + f]! * factors[f]! - view[b * d + f]! * factors[f]!;
    sum += t * t;
  }
  return sum;
}

const GRAIN = 256;
/**
 * If at most this share of the rows can belong to the farthest pair, only these rows are searched. Otherwise a full search computes new
 * bounds.
 */
const FEW = 1 / 8;
/** Quantiles of the ratios of new to old weights. The number of quantiles is LINES in assembly/farthest.ts. */
const SHARES = [0, 0.25, 0.5, 0.75, 1];
/** Bounds are multiplied by this factor, which allows for rounding. */
const SLACK = 1 + 1e-9;

/** The rows that can belong to a pair with at least the given squared distance; null if there are too many. */
function rowsWithin(host: Host, x: F64, n: number, d: number, weights: Float64Array, before: Bounds, square: number) {
  const shares = sharesOf(weights, before.weights);
  const bound = new Float64Array(n).fill(Infinity);
  host.scratch(8 * SHARES.length * (d + n), (address) => {
    const lines = new Float64Array(host.memory.buffer, address, SHARES.length * d);
    shares.forEach((share, c) => {
      for (let f = 0; f < d; f++) lines[c * d + f] = Math.max(0, weights[f]! - share * before.weights[f]!) * SLACK;
    });
    const out = address + 8 * SHARES.length * d;
    host.parallel("weightedSquares", [host.pointer(x), n, d, address, out], n, GRAIN);
    shares.forEach((share, c) => {
      lowerBounds(bound, share, before.most, new Float64Array(host.memory.buffer, out + 8 * c * n, n));
    });
  });
  const rows: number[] = [];
  for (let i = 0; i < n; i++) if (!(bound[i]! < square)) rows.push(i);
  return rows.length <= Math.max(8, n * FEW) ? Int32Array.from(rows) : null;
}

/**
 * Lowers bound[a] to c·e_a + (ρ_a + ρ)² if this is smaller (see the top of the file). Here c is `share`, and e_a is `most[a]`. `squares`:
 * the squared lengths ρ_a² under the weights max(w′ - c·w, 0).
 */
function lowerBounds(bound: Float64Array, share: number, most: Float64Array, squares: Float64Array): void {
  let longest = 0;
  for (let i = 0; i < squares.length; i++) longest = Math.max(longest, squares[i]!);
  longest = Math.sqrt(longest);
  for (let i = 0; i < squares.length; i++) {
    const reach = Math.sqrt(squares[i]!) + longest;
    const value = (share * most[i]! + reach * reach * SLACK) * SLACK;
    if (value < bound[i]!) bound[i] = value;
  }
}

/** Values of c to try (see the top of the file): quantiles of the ratios between new and old weights. */
function sharesOf(weights: Float64Array, before: Float64Array): number[] {
  const ratios = weights
    .map((weight, f) => weight / before[f]!)
    .filter((ratio) => Number.isFinite(ratio))
    .sort();
  if (ratios.length === 0) return SHARES.map(() => 0);
  return SHARES.map((share) => ratios[Math.floor(share * (ratios.length - 1))]!);
}

/** Rows times factors: all rows, or the listed rows. */
function scaled(host: Host, x: F64, n: number, d: number, factors: Float64Array, rows: Int32Array | null, arena: Arena): F64 {
  const count = rows?.length ?? n;
  const z = arena.f64(count * d);
  const list = arena.i32(rows ? count : 0);
  if (rows) list.view().set(rows);
  const line = arena.f64(d);
  line.view().set(factors);
  const args = [host.pointer(x), rows ? host.pointer(list) : 0, d, host.pointer(line), host.pointer(z)];
  host.parallel("scaledRows", args, count, GRAIN);
  return z;
}

function mapped(host: Host, x: F64, n: number, d: number, map: Float64Array, arena: Arena): F64 {
  const z = arena.f64(n * d);
  const r = arena.f64(d * d);
  r.view().set(map);
  const own = host.arena();
  try {
    const none = host.pointer(own.f64(d));
    const pack = (from: number, count: number): number => {
      const width = Math.ceil(count / 4) * 4;
      const packed = host.pointer(own.f64(width * d));
      host.parallel("matrixPack64", [from, 0, count, d, none, packed, host.pointer(own.f64(width))], width, GRAIN);
      return packed;
    };
    const rows = pack(host.pointer(x), n);
    const lines = pack(host.pointer(r), d);
    const room = host.pointer(own.f64(16 * Math.ceil(n / 4)));
    host.parallel("mappedRows", [rows, lines, d, n, room, host.pointer(z)], n, GRAIN);
  } finally {
    own.release();
  }
  return z;
}

interface RunningSearch {
  advance(): boolean;
  pair(): FarthestPair;
  bounds(): Float64Array;
}

/** Rows of a panel, as in assembly/farthest.ts. */
const PANEL = 256;
const GROUP = 5;

/** Maximum number of products of a call, for each thread. */
const PRODUCTS = 1_000_000_000;

/** Index of the best square in a task, in words of four bytes. */
const BEST = 12;
const ROOM_START = 512;

function searchAmong(
  host: Host,
  z: F64,
  n: number,
  d: number,
  hint: readonly [number, number] | null,
  arena: Arena,
): RunningSearch {
  const best = firstGuess(host, z, n, d, hint);
  const screen = n > PANEL / 4 ? simdScreen(host, z, n, d, arena) : null;
  if (screen === null) return byWalks(host, z, n, d, best);
  const panels = Math.ceil(n / PANEL);
  const groups = Math.ceil(n / GROUP) * GROUP;
  const fives = arena.u8(2 * groups * screen.wide);
  const blocks = {
    norms: arena.f32(n + 8),
    own: arena.f32(panels * PANEL),
    others: arena.f32(panels * n),
    found: arena.f64(2 * panels),
  };
  const task = arena.i32(16);
  const roomBytes = ROOM_START + 2 * PANEL * screen.wide;
  const atOnce = host.threads * Math.max(1, Math.floor(PRODUCTS / (PANEL * n * d)));
  const room = arena.u8(Math.min(panels, atOnce) * roomBytes);
  const places = [z, fives, blocks.norms, blocks.own, blocks.others, blocks.found, room].map((block) => host.pointer(block));
  const [zAt, fivesAt, ...rest] = places as [number, number, ...number[]];
  task.view().set([n, d, zAt, screen.address, fivesAt, ...rest, roomBytes, 0]);
  host.parallel("packScreenFives", [screen.address, fivesAt], n, GROUP * GRAIN);
  host.call("farthestNorms", host.pointer(task));
  let next = 0;
  return {
    advance: () => {
      const end = Math.min(panels, next + atOnce);
      task.view()[BEST - 1] = next;
      new Float64Array(host.memory.buffer, host.pointer(task) + 4 * BEST, 1)[0] = best.square;
      host.parallel("farthestPanels", [host.pointer(task)], end, 1, next);
      const squares = blocks.found.view();
      const rows = new Int32Array(squares.buffer, squares.byteOffset, 4 * panels);
      for (let p = next; p < end; p++) takeBetter(best, rows[4 * p + 2]!, rows[4 * p + 3]!, squares[2 * p]!);
      next = end;
      return next === panels;
    },
    pair: () => ordered(best),
    bounds: () => {
      const most = Float64Array.from(blocks.own.view().subarray(0, n));
      const others = blocks.others.view();
      for (let p = 0; p < panels; p++) for (let i = 0; i < n; i++) most[i] = Math.max(most[i]!, others[p * n + i]!);
      return most.map((value) => (value * SLACK) / (screen.unit * screen.unit));
    },
  };
}

interface Best {
  a: number;
  b: number;
  square: number;
}

function takeBetter(best: Best, a: number, b: number, square: number): void {
  if (a < 0 || a === b || square < best.square) return;
  const now = ordered(best);
  if (square === best.square && (a > now.a || (a === now.a && b >= now.b))) return;
  Object.assign(best, { a, b, square });
}

function ordered({ a, b, square }: Best): FarthestPair {
  return { a: Math.min(a, b), b: Math.max(a, b), square: Math.max(0, square) };
}

/** A distant pair to start with: the hint, or the pair found by steps from a row to the row farthest from it. */
function firstGuess(host: Host, z: F64, n: number, d: number, hint: readonly [number, number] | null): Best {
  const best: Best = { a: 0, b: Math.min(1, n - 1), square: -1 };
  let from = hint ? hint[0] : 0;
  for (let walk = 0; walk < (hint ? 2 : 4); walk++) {
    const { row: to, square } = farthestFrom(host, z, n, d, from);
    takeBetter(best, Math.min(from, to), Math.max(from, to), square);
    from = to;
  }
  return best;
}

/** Rows per task when the row farthest from another row is searched. */
const WALK_ROWS = 4096;

/** The row that is farthest from a given row, the first on ties; its square is -1 if there is no other row. */
function farthestFrom(host: Host, z: F64, n: number, d: number, from: number): { readonly row: number; readonly square: number } {
  const tasks = Math.ceil(n / WALK_ROWS);
  return host.scratch(64 * tasks, (out) => {
    host.parallel("farthestFrom", [host.pointer(z), d, from, WALK_ROWS, out], n, WALK_ROWS);
    const squares = new Float64Array(host.memory.buffer, out, 8 * tasks);
    const rows = new Int32Array(host.memory.buffer, out, 16 * tasks);
    let most = 0;
    for (let t = 1; t < tasks; t++) if (squares[8 * t + 4]! > squares[8 * most + 4]!) most = t;
    return { row: rows[16 * most + 10]!, square: squares[8 * most + 4]! };
  });
}

/** The search for few rows, or for rows with few columns: measures each row against all rows. */
function byWalks(host: Host, z: F64, n: number, d: number, best: Best): RunningSearch {
  let next = 0;
  const most = new Float64Array(n);
  return {
    advance: () => {
      const end = Math.min(n, next + Math.max(1, Math.floor(PRODUCTS / 16 / (n * d))));
      for (; next < end; next++) {
        const { row: to, square } = farthestFrom(host, z, n, d, next);
        takeBetter(best, Math.min(next, to), Math.max(next, to), square);
        most[next] = square * SLACK;
      }
      return next === n;
    },
    pair: () => ordered(best),
    bounds: () => most,
  };
}
