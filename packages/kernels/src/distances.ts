/** Distances and min-plus products, as the host sees them: scratch memory, routine, threads. */
import type { F32, F64, Kernels, Metric } from "@coterie/core/internal";
import type { Host } from "./host.js";

/** Rows that one thread takes at a time; a multiple of the tile's four. */
const GRAIN = 128;

/** The sums a tile can take; the same numbers as in assembly/distances.ts. */
const SQUARES = 0;
const PRODUCTS = 1;
const GOWER_TERMS = 2;

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
  if (metric === "gower" && ranges === null) throw new Error("Gower's distance needs the ranges of the columns.");
  const fill = (sum: number, finish: number, rows: number, facts: number) =>
    host.scratch(Math.ceil(n / 4) * 4 * d * 8, (packed) =>
      host.scratch(64, (task) => {
        host.call("pack", rows, n, d, packed);
        const words = [sum, finish, n, d, from, to, rows, packed, facts, host.pointer(out)];
        new Int32Array(host.memory.buffer, task, words.length).set(words);
        host.parallel(out.type === "f64" ? "distances64" : "distances32", [task], to, GRAIN, from);
      }),
    );

  const rows = host.pointer(x);
  switch (metric) {
    case "euclidean":
    case "sqeuclidean":
      fill(SQUARES, metric === "euclidean" ? 1 : 0, rows, 0);
      break;
    case "hamming":
    case "gower": {
      host.scratch(d * 8, (facts) => {
        new Float64Array(host.memory.buffer, facts, d).set(
          metric === "gower" ? ranges!.view().subarray(0, d) : new Array<number>(d).fill(-1),
        );
        fill(GOWER_TERMS, metric === "gower" ? 1 : 0, rows, facts);
      });
      break;
    }
    case "cosine":
      host.scratch((n * d + n + 3) * 8, (scaled) => {
        const norms = scaled + n * d * 8;
        host.call("scaleRows", rows, n, d, scaled, norms);
        fill(PRODUCTS, 0, scaled, norms);
      });
  }
}

export function simdMinPlus(host: Host, ...product: Product): void {
  multiply(host, "minPlus", product);
}

export function simdMinPlusBoth(host: Host, ...product: Product): void {
  multiply(host, "minPlusBoth", product);
}

type Product = Parameters<Kernels["minPlus"]>;

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
