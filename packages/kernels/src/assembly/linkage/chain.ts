/** Complete, average, weighted and Ward linkage by a nearest-neighbour chain: the twin of `linkage-chain.ts` in `@coterie/core`. */
import {
  columnOf,
  entry,
  joinLowest,
  mergeRows,
  nearestColumn,
  openRows,
  Rows,
  refresh,
  rowOf,
  rowsBytes,
  setWord,
  tidy,
  word,
} from "./rows";

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
export class Chain {
  rows: Rows;
  /** Words: the slots of the chain. */
  links: usize;
  length: i32;
  /** No slot below this one can begin a chain. */
  first: i32;
}

function linksBytes(n: i32): usize {
  return (((<usize>n) << 2) + 67) & ~63;
}

/** Bytes of state that a chain over n rows needs. */
export function chainBytes(n: i32): usize {
  return 64 + linksBytes(n) + rowsBytes(n);
}

export function chainOpen(state: usize, matrix: usize, merges: usize, n: i32, single: i32, sizes: usize): void {
  const chain = changetype<Chain>(state);
  chain.links = state + 64;
  chain.rows = openRows(chain.links + linksBytes(n), matrix, merges, n, single, sizes);
  chain.length = 0;
  chain.first = 0;
}

/** Makes up to `most` merges, reading at most 4 · most + 4 rows; returns the number made so far. */
export function chainAdvance(state: usize, linkage: i32, most: i32): i32 {
  const chain = changetype<Chain>(state);
  return chain.rows.single ? advance<f32>(chain, linkage, most) : advance<f64>(chain, linkage, most);
}

function advance<T>(chain: Chain, linkage: i32, most: i32): i32 {
  const rows = chain.rows;
  const goal = min(rows.n - 1, rows.made + most);
  for (let reads = 4 * most + 4; reads > 0 && rows.made < goal && startChain(chain); reads--) extend<T>(chain, linkage);
  while (chain.first == rows.n && rows.made < goal) joinLowest(rows);
  return rows.made;
}

/** Makes sure that the chain has a link; false if no cluster has a finite distance to another. */
export function startChain(chain: Chain): bool {
  if (chain.length > 0) return true;
  const rows = chain.rows;
  while (chain.first < rows.n && word(rows.size, chain.first) == 0) chain.first++;
  if (chain.first == rows.n) return false;
  setWord(chain.links, 0, chain.first);
  chain.length = 1;
  return true;
}

/** Reads one row: the chain grows by the nearest neighbour of its last link, or its last two links merge. */
function extend<T>(chain: Chain, linkage: i32): void {
  const rows = chain.rows;
  const last = word(chain.links, chain.length - 1);
  refresh<T>(rows, last);
  const column = nearestColumn<T>(rows, last, 0);
  if (column < 0) {
    chain.length = 0;
    chain.first++;
    return;
  }
  const row = rowOf(rows, last);
  const height = entry<T>(row, column);
  if (chain.length > 1) {
    const before = word(chain.links, chain.length - 2);
    if (entry<T>(row, columnOf(rows, before)) == height) {
      // Its row may have been read before merges further along the chain.
      refresh<T>(rows, before);
      mergeRows<T>(rows, linkage, min(last, before), max(last, before), height);
      tidy(rows);
      chain.length -= 2;
      return;
    }
  }
  setWord(chain.links, chain.length++, word(rows.slots, column));
}
