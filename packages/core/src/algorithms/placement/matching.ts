/**
 * Assignment problem: assigns m rows to m different columns at the least total cost. There are at least m columns. A cost of Infinity
 * forbids this column for this row.
 *
 * It uses shortest augmenting paths with dual prices (Kuhn 1955; Jonker and Volgenant 1987), O(m² · columns).
 */

import type { Steps } from "../../steps/index.js";
import { PLACING, spend, type Work } from "./work.js";

/** Returns the column of each row. Null if no complete assignment has a finite cost, or if no work is left. `costs`: m × columns. */
export function* matchingSteps(costs: Float64Array, m: number, columns: number, work: Work): Steps<Int32Array | null> {
  const rowPrice = new Float64Array(m);
  const columnPrice = new Float64Array(columns);
  const rowOf = new Int32Array(columns).fill(-1);
  const distance = new Float64Array(columns);
  const from = new Int32Array(columns);
  const done = new Uint8Array(columns);
  for (let s = 0; s < m; s++) {
    distance.fill(Infinity);
    done.fill(0);
    let row = s;
    let column = -1;
    let reached = 0;
    for (;;) {
      if (spend(work, columns)) yield PLACING;
      if (work.left <= 0) return null;
      let next = -1;
      for (let c = 0; c < columns; c++) {
        if (done[c] === 1) continue;
        const length = reached + costs[row * columns + c]! - rowPrice[row]! - columnPrice[c]!;
        if (length < distance[c]!) {
          distance[c] = length;
          from[c] = column;
        }
        if (next === -1 || distance[c]! < distance[next]!) next = c;
      }
      if (next === -1 || distance[next] === Infinity) return null;
      done[next] = 1;
      reached = distance[next]!;
      column = next;
      if (rowOf[column] === -1) break;
      row = rowOf[column]!;
    }
    updatePrices(rowPrice, columnPrice, rowOf, distance, done, reached, s);
    while (column !== -1) {
      const before = from[column]!;
      rowOf[column] = before === -1 ? s : rowOf[before]!;
      column = before;
    }
  }
  const columnOf = new Int32Array(m);
  rowOf.forEach((row, c) => {
    if (row >= 0) columnOf[row] = c;
  });
  return columnOf;
}

function updatePrices(
  rowPrice: Float64Array,
  columnPrice: Float64Array,
  rowOf: Int32Array,
  distance: Float64Array,
  done: Uint8Array,
  reached: number,
  s: number,
): void {
  rowPrice[s]! += reached;
  for (let c = 0; c < done.length; c++) {
    if (done[c] === 0) continue;
    columnPrice[c]! += distance[c]! - reached;
    if (rowOf[c]! >= 0) rowPrice[rowOf[c]!]! += reached - distance[c]!;
  }
}
