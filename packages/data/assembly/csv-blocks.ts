/**
 * The queue of blocks from which several threads read rows, in shared memory. Blocks are numbered in the order of posting. The next
 * free thread takes the next block, and marks it when it is done. src/read-table.ts posts blocks and collects rows.
 */
import { readRows, takeHole } from "./csv-rows";

export { readRows, takeHole };

/** Words: blocks posted so far, blocks taken so far, then the width, the delimiter and the decimal mark. */
const POSTED: usize = 256;
const TAKEN: usize = 260;
const TOLD: usize = 272;

/** A ring of blocks, eight words each: first byte, end, address of the rows, capacity, number of rows, end of the rows, done, hole. */
const BLOCKS: usize = 126976;
const RING: i32 = 128;

export function takeBlock(): bool {
  for (;;) {
    const i = atomic.load<i32>(TAKEN);
    if (i == atomic.load<i32>(POSTED)) return false;
    if (atomic.cmpxchg<i32>(TAKEN, i, i + 1) != i) continue;
    const block = BLOCKS + (<usize>(i % RING) << 5);
    const rows = readRows(
      load<u32>(block),
      load<u32>(block, 4),
      load<i32>(TOLD),
      load<u32>(TOLD, 4),
      load<u32>(TOLD, 8),
      load<u32>(block, 8),
      load<i32>(block, 12),
      block + 20,
    );
    store<i32>(block, rows, 16);
    store<i32>(block, takeHole(), 28);
    atomic.store<i32>(block, 1, 24);
    atomic.notify(block + 24, 1);
    return true;
  }
}
