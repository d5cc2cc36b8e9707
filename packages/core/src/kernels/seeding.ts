/** What k-means++ asks about candidates, plainly: the definition that the faster kernel meets to the bit. See SeedingState. */
import { squaredTo } from "./distances.js";
import { type Arena, CHUNK_ROWS, type F32, type F64, type Screen, type SeedingState } from "./kernels.js";

export function plainSeeding(
  x: F64 | F32,
  n: number,
  d: number,
  _arena: Arena,
  _screen: Screen | null = null,
  weights: F64 | null = null,
): SeedingState {
  let nearest: Float64Array = new Float64Array(n).fill(Infinity);
  let tried: Float64Array[] = [];
  const chunks = Math.ceil(n / CHUNK_ROWS);
  return {
    tryRows: (rows) => {
      const sums = new Float64Array(rows.length * chunks);
      tried = Array.from(rows, (row, c) => {
        const values = x.view();
        const weight = weights?.view();
        const centre = values.slice(row * d, (row + 1) * d);
        return nearest.map((square, i) => {
          const least = Math.min(squaredTo(values, i * d, centre, 0, d) * (weight?.[i] ?? 1), square);
          sums[c * chunks + Math.floor(i / CHUNK_ROWS)]! += least;
          return least;
        });
      });
      return sums;
    },
    take: (which) => {
      nearest = tried[which]!;
    },
    nearest: (from, to) => nearest.slice(from, to),
  };
}
