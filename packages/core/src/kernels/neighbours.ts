/**
 * The search of nearest neighbours in plain TypeScript: the reference that the faster kernels match bit by bit. kernels.ts defines what it
 * computes. A list depends only on which pairs were compared, not on their order, because entries are ordered by distance and then by row.
 */
import type { PairKernels } from "./kernels.js";

export const plainNeighbours: PairKernels["neighbours"] = (x, n, d, k) => {
  const rows = new Int32Array(n * k).fill(-1);
  const squares = new Float64Array(n * k).fill(Infinity);
  const compare = (i: number, j: number): void => {
    if (i !== j) keepNearest(rows, squares, i * k, k, j, laneSquare(x.view(), i * d, j * d, d));
  };
  return {
    compareAll(from, to) {
      for (let i = from; i < to; i++) for (let j = 0; j < n; j++) compare(i, j);
    },
    compareGroups(order, start, from, to) {
      for (let g = from; g < to; g++) {
        for (let p = start[g]!; p < start[g + 1]!; p++)
          for (let q = start[g]!; q < start[g + 1]!; q++) compare(order[p]!, order[q]!);
      }
    },
    openJoins(fresh, known, width) {
      const listed = (list: Int32Array, w: number) => list.subarray(w * width, (w + 1) * width).filter((row) => row >= 0);
      return (from, to) => {
        for (let w = from; w < to; w++) {
          const news = listed(fresh, w);
          const all = [...news, ...listed(known, w)];
          news.forEach((i, at) => {
            for (const j of all.slice(at + 1)) {
              compare(i, j);
              compare(j, i);
            }
          });
        }
      };
    },
    lists: () => ({ rows: rows.slice(), squares: squares.slice() }),
  };
};

/**
 * Inserts a row into a list of k entries at `at`, which is sorted by square and then by row. A row that is in the list already, or that is
 * behind the last entry, changes nothing.
 */
function keepNearest(rows: Int32Array, squares: Float64Array, at: number, k: number, row: number, square: number): void {
  let place = at + k;
  while (place > at && (square < squares[place - 1]! || (square === squares[place - 1]! && row < rows[place - 1]!))) place--;
  if (place === at + k || (place > at && rows[place - 1] === row && squares[place - 1] === square)) return;
  rows.copyWithin(place + 1, place, at + k - 1);
  squares.copyWithin(place + 1, place, at + k - 1);
  rows[place] = row;
  squares[place] = square;
}

/** The squared distance in four lanes: column f adds to lane f mod 4, and the lanes are combined as (0 + 1) + (2 + 3). */
function laneSquare(x: Float64Array | Float32Array, p: number, q: number, d: number): number {
  const lanes = [0, 0, 0, 0];
  for (let f = 0; f < d; f++) {
    const t = x[p + f]! - x[q + f]!;
    lanes[f & 3]! += t * t;
  }
  return lanes[0]! + lanes[1]! + (lanes[2]! + lanes[3]!);
}
