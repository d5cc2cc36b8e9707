/** The TypeScript side of the kernels over pairs of rows: distances, the full matrix, min-plus products, and detours. */
import type { Arena, Detours, DistanceMatrix, F32, F64, Metric, PairKernels } from "@coterie/core/internal";
import { expansionOf, LEAST_SQUARE, MATRIX_ROWS, NEAR_SHARE, sampledNear } from "@coterie/core/internal";
import type { Host } from "./host.js";
import { simdMoments } from "./sums.js";

export function simdDistances(
  host: Host,
  ...[metric, x, n, d, ranges, from, to, out]: Parameters<PairKernels["distances"]>
): void {
  const arena = host.arena();
  try {
    openDistances(host, metric, x, n, d, ranges, out, arena)(from, to, false);
  } finally {
    arena.release();
  }
}

/**
 * Fills rows from … to-1. `upper`: if true, the columns before `from` are already filled. The new distances are then also written into the
 * mirrored entries of later rows.
 */
export type FillRows = (from: number, to: number, upper: boolean) => void;

/** Number of rows that one thread processes at a time; a multiple of the four rows of a tile. */
const GRAIN = 128;

function openDistances(
  host: Host,
  metric: Metric,
  x: F64,
  n: number,
  d: number,
  ranges: F64 | null,
  out: F64 | F32,
  arena: Arena,
): FillRows {
  if (metric === "gower" && ranges === null) throw new Error("Gower's distance needs the ranges of the columns.");
  const packed = arena.f64(Math.ceil(n / 4) * 4 * d);
  const { sum, finish, rows, facts } = readyRows(host, metric, x, n, d, ranges, arena);
  host.call("pack", host.pointer(rows), n, d, host.pointer(packed));
  return (from, to, upper) =>
    host.scratch(64, (task) => {
      const places = [rows, packed, facts, out].map((block) => (block === null ? 0 : host.pointer(block)));
      const words = [sum, finish, n, d, from, upper ? n : to, ...places, upper ? 1 : 0];
      new Int32Array(host.memory.buffer, task, words.length).set(words);
      host.parallel(out.type === "f64" ? "distances64" : "distances32", [task], to, GRAIN, from);
    });
}

/** The kinds of sums of a tile; the same numbers as in assembly/distances.ts. */
const SQUARES = 0;
const PRODUCTS = 1;
const GOWER_TERMS = 2;

/** What a metric needs. `sum`: the kind of sum. `rows`: the rows to sum over. `facts`: norms of rows or ranges of columns, or null. */
function readyRows(host: Host, metric: Metric, x: F64, n: number, d: number, ranges: F64 | null, arena: Arena) {
  switch (metric) {
    case "euclidean":
    case "sqeuclidean":
      return { sum: SQUARES, finish: metric === "euclidean" ? 1 : 0, rows: x, facts: null };
    case "hamming":
    case "gower": {
      const facts = arena.f64(d);
      facts.view().set(metric === "gower" ? ranges!.view().subarray(0, d) : new Array<number>(d).fill(-1));
      return { sum: GOWER_TERMS, finish: metric === "gower" ? 1 : 0, rows: x, facts };
    }
    case "cosine": {
      const rows = arena.f64(n * d);
      const facts = arena.f64(n + 3);
      host.call("scaleRows", host.pointer(x), n, d, host.pointer(rows), host.pointer(facts));
      return { sum: PRODUCTS, finish: 0, rows, facts };
    }
  }
}

/* The full distance matrix. Rows are packed once, and blocks of rows are computed on threads. */

export function simdDistanceMatrix(
  host: Host,
  ...[metric, x, n, d, ranges, out, arena]: Parameters<PairKernels["distanceMatrix"]>
): DistanceMatrix {
  const kind = expansionOf(metric, x, d, out);
  if (kind !== null) {
    const expansion = openExpansion(host, kind, metric === "euclidean", x, n, d, out, arena);
    if (expansion !== null) return expansion;
  }
  const rows = asDoubles(x, n, d, arena);
  const distances = openDistances(host, metric, rows, n, d, ranges, out, arena);
  return { expanded: false, fill: (from, to) => distances(from, to, true) };
}

/** The rows in double precision; a copy in the arena if they are in single precision. */
export function asDoubles(x: F64 | F32, n: number, d: number, arena: Arena): F64 {
  if (x.type === "f64") return x as F64;
  const rows = arena.f64(n * d);
  rows.view().set(x.view());
  return rows;
}

/** Bytes of a tile of doubles and a list of its columns; see assembly/matrix.ts. */
const TILE_BYTES = MATRIX_ROWS * MATRIX_ROWS * 8 + 320;
/** Index of the two limits for recomputing squares in a task, in words of four bytes. */
const SHARES = 10;

/** Prepares squared distances as |a|² + |b|² - 2 a·b of the rows minus their mean; null if this would lose digits in most pairs. */
function openExpansion(
  host: Host,
  kind: "f64" | "f32",
  root: boolean,
  x: F64 | F32,
  n: number,
  d: number,
  out: F64 | F32,
  arena: Arena,
): DistanceMatrix | null {
  const { mean } = simdMoments(host, x, n, d);
  const wide = kind === "f64" ? 4 : 8;
  const width = Math.ceil(n / wide) * wide;
  const packed = kind === "f64" ? arena.f64(width * d) : arena.f32(width * d);
  const norms = arena.f64(width + 1);
  host.scratch(8 * d, (address) => {
    new Float64Array(host.memory.buffer, address, d).set(mean);
    const single = x.type === "f32" ? 1 : 0;
    const args = [host.pointer(x), single, n, d, address, host.pointer(packed), host.pointer(norms)];
    host.parallel(kind === "f64" ? "matrixPack64" : "matrixPack32", args, width, 8 * MATRIX_ROWS);
  });
  if (sampledNear(x.view(), n, d, NEAR_SHARE[kind], norms.view())) return null;

  const routine = out.type === "f64" ? "matrixRows64" : kind === "f64" ? "matrixRows64To32" : "matrixRows32";
  const fill = (from: number, to: number): void => {
    const tiles = Math.ceil((to - from) / MATRIX_ROWS);
    host.scratch(64 + tiles * TILE_BYTES, (task) => {
      const places = [host.pointer(packed), host.pointer(norms), host.pointer(out), task + 64];
      const words = [n, d, root ? 1 : 0, from, host.pointer(x), x.type === "f32" ? 1 : 0, ...places];
      new Int32Array(host.memory.buffer, task, words.length).set(words);
      new Float64Array(host.memory.buffer, task + 4 * SHARES, 2).set([NEAR_SHARE[kind], LEAST_SQUARE]);
      host.parallel(routine, [task], to, MATRIX_ROWS, from);
    });
  };
  return { expanded: true, fill };
}

/*
 * Min-plus products, and detours over a few rows. The middle rows are packed once; the lists of middle rows come with each call.
 */

export function simdMinPlus(host: Host, ...product: Product): void {
  multiply(host, "minPlus", product);
}

export function simdMinPlusBoth(host: Host, ...product: Product): void {
  multiply(host, "minPlusBoth", product);
}

type Product = Parameters<PairKernels["minPlus"]>;

function multiply(host: Host, family: "minPlus" | "minPlusBoth", [matrix, left, right, n, m, from, to]: Product): void {
  if (left.type !== matrix.type || right.type !== matrix.type)
    throw new Error("The matrices of a min-plus product must be of one type.");
  const line = n * (matrix.type === "f64" ? 8 : 4);
  host.scratch(m * line, (packed) => {
    host.call("packColumns", host.pointer(right), line, m, packed);
    const places = [host.pointer(matrix), host.pointer(left), host.pointer(right), packed];
    const grain = host.threads === 1 ? to - from : GRAIN;
    host.parallel(`${family}${matrix.type === "f64" ? 64 : 32}`, [...places, n, m], to, grain, from);
  });
}

/** Number of columns of a panel; the same number as in assembly/paths.ts. */
const PANEL = 64;

export function simdDetours(host: Host, over: F64 | F32, m: number, n: number, order: Int32Array, arena: Arena): Detours {
  const { type } = over;
  const bits = type === "f64" ? 64 : 32;
  const width = Math.ceil(n / PANEL) * PANEL;
  const block = (length: number): F64 | F32 => (type === "f64" ? arena.f64(length) : arena.f32(length));
  const packed = block(m * width);
  const least = block((m * width) / PANEL);
  const rows = arena.i32(n);
  rows.view().set(order);
  const places = arena.i32(n);
  for (let p = 0; p < n; p++) places.view()[order[p]!] = p;
  host.call(`packDetours${bits}`, host.pointer(over), n, m, host.pointer(rows), host.pointer(packed), host.pointer(least));
  const fixed = [rows, places, packed, least].map((block) => host.pointer(block));
  const roomBytes = aligned(host.call("roomOfDetours", n, m, GRAIN, bits / 8));
  const most = host.call(`mostOf${bits}`, host.pointer(over), m * n);
  return {
    shorten(matrix, from, to, start, middle, length) {
      if (matrix.type !== type) throw new Error("A matrix and what its detours lead over must be of one type.");
      const count = start[to - from]!;
      const ranges = Math.ceil((to - from) / GRAIN);
      const size = bits / 8;
      const starts = 0;
      const middles = starts + aligned(4 * (to - from + 1));
      const lengths = middles + aligned(4 * count);
      const task = lengths + aligned(size * count);
      const room = task + 64;
      host.scratch(room + ranges * roomBytes, (at) => {
        const { buffer } = host.memory;
        new Int32Array(buffer, at + starts, to - from + 1).set(start.subarray(0, to - from + 1));
        new Int32Array(buffer, at + middles, count).set(middle.subarray(0, count));
        const values =
          type === "f64" ? new Float64Array(buffer, at + lengths, count) : new Float32Array(buffer, at + lengths, count);
        values.set(length.subarray(0, count));
        const lists = [starts, middles, lengths, room].map((place) => at + place);
        new Int32Array(buffer, at + task, 7).set([host.pointer(matrix), n, m, ...fixed]);
        new Float64Array(buffer, at + task + 32, 1).set([most]);
        new Int32Array(buffer, at + task + 40, 6).set([...lists, from, GRAIN]);
        host.parallel(`detours${bits}`, [at + task], to, GRAIN, from);
      });
    },
    mirror(matrix, from, to) {
      host.parallel(`lesserOfBoth${bits}`, [host.pointer(matrix), n], to, GRAIN, from);
    },
  };
}

function aligned(bytes: number): number {
  return 16 * Math.ceil(bytes / 16);
}
