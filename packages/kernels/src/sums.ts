/**
 * The TypeScript side of sums over rows and columns:
 *
 * - moments of columns: threads process chunks of rows, and the chunks are added in order,
 * - squared distances and products of some rows with some centres,
 * - products of columns.
 */
import { type Arena, CHUNK_ROWS, type F32, type F64, type Moments, type ProductSums } from "@coterie/core/internal";
import type { Host } from "./host.js";

/** The mean of each column, with the same bits as in `simdMoments`. */
function simdMean(host: Host, x: F64 | F32, n: number, d: number): Float64Array {
  const mean = columnSums(host, x, n, d, null);
  for (let f = 0; f < d; f++) mean[f]! /= n;
  return mean;
}

export function simdMoments(host: Host, x: F64 | F32, n: number, d: number): Moments {
  const mean = simdMean(host, x, n, d);
  return { mean, squares: columnSums(host, x, n, d, mean) };
}

function columnSums(host: Host, x: F64 | F32, n: number, d: number, mean: Float64Array | null): Float64Array {
  const chunks = Math.ceil(n / CHUNK_ROWS);
  return host.scratch(8 * (chunks + 1) * Math.max(1, d), (address) => {
    if (mean) new Float64Array(host.memory.buffer, address, d).set(mean);
    const sums = address + 8 * d;
    const args = [host.pointer(x), d, mean ? address : 0, CHUNK_ROWS, sums];
    host.parallel(x.type === "f64" ? "columnSums64" : "columnSums32", args, n, CHUNK_ROWS);
    const total = new Float64Array(d);
    const parts = new Float64Array(host.memory.buffer, sums, chunks * d);
    for (let chunk = 0; chunk < chunks; chunk++) for (let f = 0; f < d; f++) total[f]! += parts[chunk * d + f]!;
    return total;
  });
}

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

/** Packs groups of four lines of d numbers, feature by feature; lines from k on hold `beyond`. */
export function packLines(lines: Float64Array, k: number, d: number, beyond: number, packed: Float64Array): void {
  packed.fill(beyond);
  for (let c = 0; c < k; c++) {
    const place = (c - (c % 4)) * d + (c % 4);
    for (let f = 0; f < d; f++) packed[place + 4 * f] = lines[c * d + f]!;
  }
}

/* Sums of products of columns. Blocks of rows are copied into the memory of the host, and columns are processed on threads. */

/** Number of columns of a task. It is small, because the last columns have the most products and would otherwise delay the end. */
const PRODUCTS_GRAIN = 16;
/** Bytes of a block of rows. A block of this size stays in the cache while all columns are multiplied. */
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
