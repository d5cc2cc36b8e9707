/**
 * Single linkage that keeps some rows apart: a minimum spanning forest with one of them in each tree.
 *
 * Nearness hands everything on in single linkage, also a place beside a row that must be apart; so bars between distances do not
 * last. Prim's algorithm starts from all the rows that are apart at once, and joins each further row to its nearest neighbour in a
 * tree. Sorted by height, the edges are the merges.
 */
import type { F32, F64 } from "../../../kernels/index.js";
import type { Steps } from "../../../steps/index.js";

/** Raw merges of m rows: edges of the forest, then the trees joined at Infinity, the next to the first. */
export function* partedSingleSteps(matrix: F64 | F32, m: number, apart: Int32Array): Steps<Float64Array> {
  const merges = new Float64Array(3 * (m - 1));
  const nearest = new Float64Array(m).fill(Infinity);
  const beside = new Int32Array(m).fill(-1);
  const inside = new Uint8Array(m);
  let made = 0;
  const record = (a: number, b: number, height: number): void => {
    merges.set([Math.min(a, b), Math.max(a, b), height], 3 * made++);
  };
  const take = (row: number): void => {
    const d = matrix.view();
    inside[row] = 1;
    for (let i = 0; i < m; i++) {
      if (inside[i] === 1 || d[row * m + i]! >= nearest[i]!) continue;
      nearest[i] = d[row * m + i]!;
      beside[i] = row;
    }
  };
  for (const row of apart) inside[row] = 1;
  for (const row of apart) take(row);
  const every = Math.ceil(4_000_000 / m);
  for (let left = m - apart.length; left > 0; left--) {
    if (left % every === 0) yield { phase: "merging", done: made, total: m - 1 };
    let next = -1;
    for (let i = 0; i < m; i++) if (inside[i] === 0 && (next === -1 || nearest[i]! < nearest[next]!)) next = i;
    record(beside[next]!, next, nearest[next]!);
    take(next);
  }
  for (let t = 1; t < apart.length; t++) record(apart[0]!, apart[t]!, Infinity);
  return merges;
}
