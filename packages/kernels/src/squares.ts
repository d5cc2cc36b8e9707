/** Squared distances of some rows to some centres, as the host sees them. */
import type { Host } from "./host.js";
import { packLines } from "./kmeans-tables.js";

const GRAIN = 256;

export function simdSquares(
  host: Host,
  rows: Float64Array,
  n: number,
  centres: Float64Array,
  k: number,
  d: number,
): Float64Array {
  const width = Math.ceil(k / 4) * 4;
  return host.scratch(8 * (n * d + width * d + n * width), (x) => {
    const packed = x + 8 * n * d;
    const out = packed + 8 * width * d;
    new Float64Array(host.memory.buffer, x, n * d).set(rows.subarray(0, n * d));
    packLines(centres, k, d, 0, new Float64Array(host.memory.buffer, packed, width * d));
    host.parallel("squaresToLines", [x, d, packed, width, out], n, GRAIN);
    const found = new Float64Array(host.memory.buffer, out, n * width);
    if (width === k) return found.slice();
    const squares = new Float64Array(n * k);
    for (let i = 0; i < n; i++) squares.set(found.subarray(i * width, i * width + k), i * k);
    return squares;
  });
}
