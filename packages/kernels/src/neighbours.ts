/** The host's side of the search of nearest neighbours: the lists, the rows in integers, and the work space of each call. */
import {
  type Arena,
  type F32,
  type F64,
  MOST_JOINED,
  type NeighbourSearch,
  pairKernelsOf,
  plainKernels,
} from "@coterie/core/internal";
import type { Host } from "./host.js";
import { emptyScreen, type ScreenedRows, screenUnder } from "./screen.js";

/** The same numbers as in assembly/neighbours.ts. */
const SIDE = 80;
const GROUP = 5;
const BLOCK_BYTES = 192 + 6 * 320;

/** With more columns, sums of products of integers could exceed 32 bits. */
const MOST_COLUMNS = 65_536;
/** With longer rows, in the unit of the screen, bounds in single precision could overflow. */
const LONGEST = 1e36;
/** A bound of the rounding errors of a lower bound, relative to the sum of the squared lengths of both rows. */
const LOSS = 4e-6;

export function simdNeighbours(host: Host, x: F64 | F32, n: number, d: number, k: number, arena: Arena): NeighbourSearch {
  const screen = d > 0 && d <= MOST_COLUMNS ? emptyScreen(host, x, n, d, arena) : null;
  const norms = arena.f32(n + 8);
  if (screen === null || !lowerNorms(host, screen, x, norms)) return pairKernelsOf(plainKernels).neighbours(x, n, d, k, arena);
  const rows = arena.i32(n * k);
  const squares = arena.f64(n * k);
  rows.view().fill(-1);
  squares.view().fill(Infinity);
  const eights = 16 * SIDE * 2 * Math.ceil(screen.wide / 16);
  const task = (first: number, room: number, roomBytes: number, lists: readonly number[]) => {
    const fixed = [n, d, k, x.type === "f32" ? 1 : 0, host.pointer(x), screen.address, host.pointer(norms)];
    const words = [...fixed, host.pointer(rows), host.pointer(squares), first, room, roomBytes, ...lists];
    new Float64Array(host.memory.buffer, room - TASK_BYTES, 1)[0] = screen.unit ** 2;
    new Int32Array(host.memory.buffer, room - TASK_BYTES + 8, words.length).set(words);
    return room - TASK_BYTES;
  };
  /** Calls a routine for pieces from … to-1 with a task, and work space for each piece. */
  const run = (name: string, grain: number, roomBytes: number, lists: readonly number[]) => {
    return (from: number, to: number): void => {
      const bytes = TASK_BYTES + Math.ceil((to - from) / grain) * roomBytes;
      host.scratch(bytes, (at) => host.parallel(name, [task(from, at + TASK_BYTES, roomBytes, lists)], to, grain, from));
    };
  };
  let all: ((from: number, to: number) => void) | null = null;
  const openAll = () => {
    const order = arena.i32(n);
    order.view().forEach((_, i, ids) => {
      ids[i] = i;
    });
    const fives = arena.u8(2 * screen.wide * GROUP * Math.ceil(n / GROUP));
    const lists = [host.pointer(order), 0, host.pointer(fives)];
    host.scratch(TASK_BYTES, (at) => host.call("neighboursPack", task(0, at + TASK_BYTES, 0, lists)));
    return run("neighboursAll", SIDE, BLOCK_BYTES + eights, lists);
  };
  return {
    compareAll(from, to) {
      all ??= openAll();
      all(from, to);
    },
    compareGroups(order, start, from, to) {
      const [begin, end] = [start[from]!, start[to]!];
      let most = 0;
      for (let g = from; g < to; g++) most = Math.max(most, start[g + 1]! - start[g]!);
      const fives = 16 * Math.ceil((2 * screen.wide * GROUP * Math.ceil(most / GROUP)) / 16);
      host.scratch(4 * (end - begin + to - from + 1), (at) => {
        new Int32Array(host.memory.buffer, at, end - begin).set(order.subarray(begin, end));
        const starts = at + 4 * (end - begin);
        new Int32Array(host.memory.buffer, starts, to - from + 1).set(start.subarray(from, to + 1));
        // The copies begin with the first group and row of this call.
        const lists = [at - 4 * begin, starts - 4 * from, 0];
        run("neighboursInGroups", 1, BLOCK_BYTES + eights + fives, lists)(from, to);
      });
    },
    openJoins(fresh, known, width, own) {
      const lists = [fresh, known].map((rows) => {
        const block = own.i32(rows.length);
        block.view().set(rows);
        return host.pointer(block);
      });
      const fives = 2 * screen.wide * GROUP * Math.ceil(MOST_JOINED / GROUP);
      const room = host.pointer(own.u8(TASK_BYTES + BLOCK_BYTES + eights + 4 * SIDE + fives)) + TASK_BYTES;
      const joins = task(0, room, 0, [0, 0, 0, ...lists, width]);
      return (from, to) => void host.call("neighboursJoin", joins, from, to);
    },
    lists: () => ({ rows: rows.view().slice(), squares: squares.view().slice() }),
  };
}

/** Bytes of a task. */
const TASK_BYTES = 128;

/** Prepares the integers, and writes |z|² of each row minus a bound of the rounding errors. Returns false if rows are too long. */
function lowerNorms(host: Host, screen: ScreenedRows, x: F64 | F32, norms: F32): boolean {
  screenUnder(host, screen, x, null);
  const places = new Int32Array(host.memory.buffer, screen.address, 11);
  const [lengths, exact] = [places[9]! >>> 0, places[10]! >>> 0];
  const length = new Float32Array(host.memory.buffer, lengths, screen.n);
  const norm = new Float64Array(host.memory.buffer, exact, screen.n);
  const lowered = norms.view();
  for (let i = 0; i < screen.n; i++) {
    if (!(norm[i]! < LONGEST)) return false;
    lowered[i] = norm[i]! - LOSS * length[i]! * length[i]!;
  }
  return true;
}
