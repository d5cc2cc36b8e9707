/** Squared distances of some rows to some centres, and products with them, as the host sees them. */
import type { Host } from "./host.js";
import { packLines } from "./kmeans-tables.js";

const GRAIN = 256;

type OfRowsAndLines = [rows: Float64Array, n: number, lines: Float64Array, k: number, d: number];

export function simdSquares(host: Host, ...args: OfRowsAndLines): Float64Array {
  return toLines(host, "squaresToLines", ...args);
}

export function simdProjections(host: Host, ...args: OfRowsAndLines): Float64Array {
  return toLines(host, "productsWithLines", ...args);
}

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
