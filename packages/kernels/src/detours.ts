/** Detours over a few rows, as the host sees them: what they lead over is packed once, lists come with each call. */
import type { Arena, Detours, F32, F64 } from "@coterie/core/internal";
import type { Host } from "./host.js";

/** The same number as in assembly/detours.ts. */
const PANEL = 64;
/** Rows that one thread takes at a time. */
const GRAIN = 128;

export function simdDetours(host: Host, over: F64 | F32, m: number, n: number, order: Int32Array, arena: Arena): Detours {
  const { type } = over;
  const bits = type === "f64" ? 64 : 32;
  const width = Math.ceil(n / PANEL) * PANEL;
  const block = (length: number): F64 | F32 => (type === "f64" ? arena.f64(length) : arena.f32(length));
  const packed = block(m * width);
  const least = block((m * width) / PANEL);
  const rows = arena.i32(n);
  rows.view().set(order);
  const places = arena.i32(n);
  for (let p = 0; p < n; p++) places.view()[order[p]!] = p;
  host.call(`packDetours${bits}`, host.pointer(over), n, m, host.pointer(rows), host.pointer(packed), host.pointer(least));
  const fixed = [rows, places, packed, least].map((block) => host.pointer(block));
  const roomBytes = aligned(host.call("roomOfDetours", n, m, GRAIN, bits / 8));
  const most = host.call(`mostOf${bits}`, host.pointer(over), m * n);
  return {
    shorten(matrix, from, to, start, middle, length) {
      if (matrix.type !== type) throw new Error("A matrix and what its detours lead over must be of one type.");
      const count = start[to - from]!;
      const ranges = Math.ceil((to - from) / GRAIN);
      const size = bits / 8;
      const starts = 0;
      const middles = starts + aligned(4 * (to - from + 1));
      const lengths = middles + aligned(4 * count);
      const task = lengths + aligned(size * count);
      const room = task + 64;
      host.scratch(room + ranges * roomBytes, (at) => {
        const { buffer } = host.memory;
        new Int32Array(buffer, at + starts, to - from + 1).set(start.subarray(0, to - from + 1));
        new Int32Array(buffer, at + middles, count).set(middle.subarray(0, count));
        const values =
          type === "f64" ? new Float64Array(buffer, at + lengths, count) : new Float32Array(buffer, at + lengths, count);
        values.set(length.subarray(0, count));
        const lists = [starts, middles, lengths, room].map((place) => at + place);
        new Int32Array(buffer, at + task, 7).set([host.pointer(matrix), n, m, ...fixed]);
        new Float64Array(buffer, at + task + 32, 1).set([most]);
        new Int32Array(buffer, at + task + 40, 6).set([...lists, from, GRAIN]);
        host.parallel(`detours${bits}`, [at + task], to, GRAIN, from);
      });
    },
    mirror(matrix, from, to) {
      host.parallel(`lesserOfBoth${bits}`, [host.pointer(matrix), n], to, GRAIN, from);
    },
  };
}

function aligned(bytes: number): number {
  return 16 * Math.ceil(bytes / 16);
}
