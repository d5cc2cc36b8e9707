/** The state of a start by k-means++, as the host sees it: candidates laid out, chunks of rows on threads. */
import { type Arena, CHUNK_ROWS, type F32, type F64, type Screen, type SeedingState } from "@coterie/core/internal";
import type { Host } from "./host.js";
import { ScreenedRows } from "./screen.js";

/** See assembly/screen.ts and assembly/seeding.ts. */
const GROUP = 5;
const BUFFER_START = 320;

export function simdSeeding(
  host: Host,
  x: F64 | F32,
  n: number,
  d: number,
  arena: Arena,
  screen: Screen | null = null,
  weights: F64 | null = null,
): SeedingState {
  const screened = screen instanceof ScreenedRows && !weights?.view().some(isOdd) ? screen : null;
  const chunks = Math.ceil(n / CHUNK_ROWS);
  // Read four at a time, past the last row.
  const padded = weights ? arena.f64(n + 8) : null;
  padded?.view().set(weights!.view().subarray(0, n));
  const nearest = arena.f64(n + 8);
  nearest.view().fill(Infinity);
  let lines: F64 | null = null;
  let room = 0;
  const linesFor = (count: number): F64 => {
    if (lines === null || count > room) {
      lines = arena.f64(count * n);
      room = count;
    }
    return lines;
  };
  const bufferBytes = roundUp(BUFFER_START + (screened ? 32 * screened.wide + GROUP * 4 * (CHUNK_ROWS + 8) : 0));
  const buffers = arena.u8(chunks * bufferBytes);
  return {
    tryRows: (rows) => {
      const out = linesFor(rows.length);
      const count = rows.length;
      const wide = screened?.wide ?? 0;
      const groups = Math.ceil(count / GROUP) * GROUP;
      const bytes = [128, 8 * count * d, 8 * count * chunks, 2 * groups * wide, 16 * count, 2 * count * wide].map(roundUp);
      return host.scratch(
        bytes.reduce((sum, size) => sum + size, 0),
        (task) => {
          const places: number[] = [];
          bytes.reduce((at, size) => {
            places.push(at);
            return at + size;
          }, task);
          const [, candidates, sums, fives, facts, integers] = places as [number, number, number, number, number, number];
          const view = x.view();
          const target = new Float64Array(host.memory.buffer, candidates, count * d);
          rows.forEach((row, c) => {
            target.set(view.subarray(row * d, (row + 1) * d), c * d);
          });
          if (screened) host.call("screenCandidates", screened.address, candidates, count, integers, facts, fives);
          const words = [
            n,
            d,
            x.type === "f32" ? 1 : 0,
            count,
            host.pointer(x),
            candidates,
            host.pointer(nearest),
            host.pointer(out),
          ];
          const more = [sums, CHUNK_ROWS, chunks, screened?.address ?? 0, fives, facts, host.pointer(buffers), bufferBytes];
          more.push(padded ? host.pointer(padded) : 0);
          new Int32Array(host.memory.buffer, task, 17).set([...words, ...more]);
          host.parallel("seedChunk", [task], n, CHUNK_ROWS);
          return new Float64Array(host.memory.buffer, sums, count * chunks).slice();
        },
      );
    },
    take: (which) => {
      nearest.view().set(
        linesFor(1)
          .view()
          .subarray(which * n, (which + 1) * n),
      );
    },
    nearest: (from, to) => nearest.view().slice(from, to),
  };
}

/** Whether single precision cannot hold products with a weight. */
function isOdd(weight: number): boolean {
  return weight !== 0 && !(weight > 1e-15 && weight < 1e15);
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
