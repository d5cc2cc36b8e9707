/** The full matrix of distances, as the host sees it: rows packed once, block rows on threads. */
import type { Arena, DistanceMatrix, F32, F64, Metric, ProductSums } from "@coterie/core/internal";
import { expansionOf, LEAST_SQUARE, MATRIX_ROWS, NEAR_SHARE, sampledNear } from "@coterie/core/internal";
import { openDistances } from "./distances.js";
import type { Host } from "./host.js";
import { packLines } from "./kmeans-tables.js";
import { simdMoments } from "./moments.js";

export function simdDistanceMatrix(
  host: Host,
  metric: Metric,
  x: F64 | F32,
  n: number,
  d: number,
  ranges: F64 | null,
  out: F64 | F32,
  arena: Arena,
): DistanceMatrix {
  const kind = expansionOf(metric, x, d, out);
  if (kind !== null) {
    const expansion = open(host, kind, metric === "euclidean", x, n, d, out, arena);
    if (expansion !== null) return expansion;
  }
  let rows = x.type === "f64" ? (x as F64) : null;
  if (rows === null) {
    rows = arena.f64(n * d);
    rows.view().set(x.view());
  }
  const distances = openDistances(host, metric, rows, n, d, ranges, out, arena);
  return { expanded: false, fill: (from, to) => distances(from, to, true) };
}

/** A tile of doubles and a list of its columns; see assembly/matrix.ts. */
const TILE_BYTES = MATRIX_ROWS * MATRIX_ROWS * 8 + 320;
/** Where the two shares stand in a task: words of four bytes. */
const SHARES = 10;

/** An expansion about the mean; null where it would lose digits in most pairs. */
function open(
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
  const view = x.view();
  const squareOf = (i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (view[i * d + f]! - view[j * d + f]!) * (view[i * d + f]! - view[j * d + f]!);
    return sum;
  };
  if (sampledNear(n, NEAR_SHARE[kind], norms.view(), squareOf)) return null;

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

/* Squared distances of some rows to some centres, and products with them, as the host sees them. */

type OfRowsAndLines = [rows: Float64Array, n: number, lines: Float64Array, k: number, d: number];

export function simdSquares(host: Host, ...args: OfRowsAndLines): Float64Array {
  return toLines(host, "squaresToLines", ...args);
}

export function simdProjections(host: Host, ...args: OfRowsAndLines): Float64Array {
  return toLines(host, "productsWithLines", ...args);
}

const GRAIN = 256;

function toLines(host: Host, routine: string, ...[rows, n, lines, k, d]: OfRowsAndLines): Float64Array {
  const width = Math.ceil(k / 4) * 4;
  return host.scratch(8 * (n * d + width * d + n * width), (x) => {
    const packed = x + 8 * n * d;
    const out = packed + 8 * width * d;
    new Float64Array(host.memory.buffer, x, n * d).set(rows.subarray(0, n * d));
    packLines(lines, k, d, 0, new Float64Array(host.memory.buffer, packed, width * d));
    host.parallel(routine, [x, d, packed, width, out], n, GRAIN);
    const found = new Float64Array(host.memory.buffer, out, n * width);
    if (width === k) return found.slice();
    const squares = new Float64Array(n * k);
    for (let i = 0; i < n; i++) squares.set(found.subarray(i * width, i * width + k), i * k);
    return squares;
  });
}

/* Sums of products of columns, as the host sees them: blocks of rows in its memory, columns on threads. */

/** Columns of a task: the last ones have most products, so that tasks are short. */
const PRODUCTS_GRAIN = 16;
/** Rows that stay next to the processor while all columns are multiplied. */
const BLOCK_BYTES = 2 ** 18;

export function simdProducts(host: Host, d: number, arena: Arena, together: 1 | 4 = 4): ProductSums {
  const sums = arena.f64(d);
  const products = arena.f64(d * d);
  const most = Math.max(4, Math.floor(BLOCK_BYTES / (32 * Math.max(1, d))) * 4);
  const block = arena.f64(most * d);
  const addBlock = (rows: Float64Array): void => {
    const view = block.view();
    const count = rows.length / d;
    const groups = Math.ceil(count / together);
    view.set(rows);
    view.fill(0, rows.length, groups * together * d);
    host.parallel(
      together === 4 ? "addProducts" : "addSquares",
      [host.pointer(block), groups, d, host.pointer(sums), host.pointer(products)],
      d,
      PRODUCTS_GRAIN,
    );
  };
  return {
    add: (rows, n) => {
      for (let from = 0; d > 0 && from < n; from += most) addBlock(rows.subarray(from * d, Math.min(n, from + most) * d));
    },
    sums: () => sums.view().slice(),
    products: () => products.view().slice(),
  };
}
