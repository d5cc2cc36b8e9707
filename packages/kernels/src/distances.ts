/** Distances and min-plus products, as the host sees them: scratch memory, routine, threads. */
import type { Arena, F32, F64, Metric, PairKernels } from "@coterie/core/internal";
import type { Host } from "./host.js";

export function simdDistances(
  host: Host,
  metric: Metric,
  x: F64,
  n: number,
  d: number,
  ranges: F64 | null,
  from: number,
  to: number,
  out: F64 | F32,
): void {
  const arena = host.arena();
  try {
    openDistances(host, metric, x, n, d, ranges, out, arena)(from, to, false);
  } finally {
    arena.release();
  }
}

/** Fills rows from … to-1; `upper` where columns before `from` (a multiple of four) are there already, and later rows take mirror images. */
export type FillRows = (from: number, to: number, upper: boolean) => void;

/** Rows that one thread takes at a time; a multiple of the tile's four. */
const GRAIN = 128;

/** Makes rows ready in the arena, once for any number of ranges. */
export function openDistances(
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

/** The sums a tile can take; the same numbers as in assembly/distances.ts. */
const SQUARES = 0;
const PRODUCTS = 1;
const GOWER_TERMS = 2;

/** What the sums of a metric are, over which rows, with which facts about rows or columns. */
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
