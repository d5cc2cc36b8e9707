/** Sums of products of columns, as the host sees them: blocks of rows in its memory, columns on threads. */
import type { Arena, ProductSums } from "@coterie/core/internal";
import type { Host } from "./host.js";

/** Columns of a task: the last ones have most products, so that tasks are short. */
const GRAIN = 16;
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
      GRAIN,
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
