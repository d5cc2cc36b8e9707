/**
 * Maximum-weight matching of the rows of a table to its columns, one to one.
 *
 * Shortest augmenting paths with dual prices (Kuhn 1955; Tomizawa 1971; Edmonds and Karp 1972) on the nonzero cells. So a large table with
 * few nonzero cells takes little time. Prices are always integers, so nothing is rounded. Ties are broken by the order of the table.
 */
import { type Contingency, compact, contingency } from "./contingency.js";

type Table = Pick<Contingency, "start" | "column" | "count" | "columnSums">;

/** State of the search: dual prices and the matching so far. rowPrice + columnPrice ≥ count for each cell. */
interface Matching {
  readonly table: Table;
  readonly rowPrice: Float64Array;
  readonly columnPrice: Float64Array;
  readonly columnOf: Int32Array;
  readonly rowOf: Int32Array;
  /** Search tree, by column: length of the shortest path to the column, and the row before it. */
  readonly distance: Float64Array;
  readonly from: Int32Array;
  readonly reached: number[];
  readonly heap: Heap;
}

/** The end of the best path found so far: a free column, or a row that becomes unmatched. */
interface End {
  cost: number;
  row: number;
  column: number;
}

/** For each entry: 1 if its class and its cluster are matched in the best matching, else 0; always 0 for negative labels. */
export function insideMatch(classes: Int32Array, clusters: Int32Array): Uint8Array {
  const a = compact(classes).codes;
  const b = compact(clusters).codes;
  const columnOf = bestMatching(contingency(a, b));
  return Uint8Array.from(a, (code, i) => (code >= 0 && b[i]! >= 0 && columnOf[code] === b[i] ? 1 : 0));
}

/** The matching with the largest total count: the matched column of each row, -1 for an unmatched row. */
export function bestMatching(table: Table): Int32Array {
  const rows = table.start.length - 1;
  const columns = table.columnSums.length;
  const matching: Matching = {
    table,
    rowPrice: new Float64Array(rows),
    columnPrice: new Float64Array(columns),
    columnOf: new Int32Array(rows).fill(-1),
    rowOf: new Int32Array(columns).fill(-1),
    distance: new Float64Array(columns).fill(Infinity),
    from: new Int32Array(columns),
    reached: [],
    heap: { keys: [], items: [] },
  };
  for (let r = 0; r < rows; r++) {
    for (let p = table.start[r]!; p < table.start[r + 1]!; p++) {
      if (table.count[p]! > matching.rowPrice[r]!) matching.rowPrice[r] = table.count[p]!;
    }
  }
  for (let r = 0; r < rows; r++) augmentFrom(matching, r);
  return matching.columnOf;
}

/** Matches row `s` along the cheapest path, which ends at a free column or at a row that becomes unmatched. */
function augmentFrom(matching: Matching, s: number): void {
  const { rowPrice, columnPrice, rowOf, columnOf, distance, reached, heap } = matching;
  const visited = [s];
  const visitedAt = [0];
  const end: End = { cost: rowPrice[s]!, row: s, column: -1 };
  scan(matching, s, 0, end);
  while (heap.items.length > 0 && heap.keys[0]! < end.cost) {
    const at = heap.keys[0]!;
    const column = popLeast(heap);
    // This queue entry is outdated: the column was found again on a shorter path and is already processed.
    if (at > distance[column]!) continue;
    const row = rowOf[column]!;
    visited.push(row);
    visitedAt.push(at);
    if (at + rowPrice[row]! < end.cost) {
      end.cost = at + rowPrice[row]!;
      end.row = row;
      end.column = -1;
    }
    scan(matching, row, at, end);
  }
  visited.forEach((row, i) => {
    rowPrice[row] = rowPrice[row]! - (end.cost - visitedAt[i]!);
  });
  for (const column of reached) {
    if (distance[column]! < end.cost) columnPrice[column] = columnPrice[column]! + (end.cost - distance[column]!);
  }
  if (end.column >= 0) switchPath(matching, s, end.column);
  else if (end.row !== s) {
    const column = columnOf[end.row]!;
    columnOf[end.row] = -1;
    switchPath(matching, s, column);
  }
  for (const column of reached) distance[column] = Infinity;
  reached.length = 0;
  heap.items.length = 0;
  heap.keys.length = 0;
}

/** Extends the search tree by the cells of a row at distance `at`. */
function scan(matching: Matching, row: number, at: number, end: End): void {
  const { table, rowPrice, columnPrice, rowOf, distance, from, reached, heap } = matching;
  for (let p = table.start[row]!; p < table.start[row + 1]!; p++) {
    const column = table.column[p]!;
    const length = at + rowPrice[row]! + columnPrice[column]! - table.count[p]!;
    if (length >= end.cost || length >= distance[column]!) continue;
    if (distance[column] === Infinity) reached.push(column);
    distance[column] = length;
    from[column] = row;
    if (rowOf[column] === -1) {
      end.cost = length;
      end.row = -1;
      end.column = column;
    } else push(heap, length, column);
  }
}

/** Changes the matching along the path to `column`: each row of the path takes the next column. */
function switchPath({ columnOf, rowOf, from }: Matching, s: number, column: number): void {
  for (;;) {
    const row = from[column]!;
    const before = columnOf[row]!;
    columnOf[row] = column;
    rowOf[column] = row;
    if (row === s) return;
    column = before;
  }
}

interface Heap {
  readonly keys: number[];
  readonly items: number[];
}

function push({ keys, items }: Heap, key: number, item: number): void {
  let place = keys.length;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (keys[parent]! <= key) break;
    keys[place] = keys[parent]!;
    items[place] = items[parent]!;
    place = parent;
  }
  keys[place] = key;
  items[place] = item;
}

function popLeast({ keys, items }: Heap): number {
  const least = items[0]!;
  const key = keys.pop()!;
  const item = items.pop()!;
  const length = keys.length;
  if (length === 0) return least;
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= length) break;
    if (child + 1 < length && keys[child + 1]! < keys[child]!) child++;
    if (keys[child]! >= key) break;
    keys[place] = keys[child]!;
    items[place] = items[child]!;
    place = child;
  }
  keys[place] = key;
  items[place] = item;
  return least;
}
