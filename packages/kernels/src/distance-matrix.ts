/** The full matrix of distances, as the host sees it: rows packed once, block rows on threads. */
import {
  type Arena,
  type DistanceMatrix,
  expansionOf,
  type F32,
  type F64,
  LEAST_SQUARE,
  MATRIX_ROWS,
  type Metric,
  NEAR_SHARE,
  sampledNear,
} from "@coterie/core/internal";
import { openDistances } from "./distances.js";
import type { Host } from "./host.js";
import { simdMoments } from "./moments.js";

/** A tile of doubles and a list of its columns; see assembly/matrix.ts. */
const TILE_BYTES = MATRIX_ROWS * MATRIX_ROWS * 8 + 320;
/** Where the two shares stand in a task: words of four bytes. */
const SHARES = 10;

export function simdDistanceMatrix(
  host: Host,
  metric: Metric,
  x: F64 | F32,
  n: number,
  d: number,
  ranges: F64 | null,
  out: F64 | F32,
  arena: Arena,
): DistanceMatrix {
  const kind = expansionOf(metric, x, d, out);
  if (kind !== null) {
    const expansion = open(host, kind, metric === "euclidean", x, n, d, out, arena);
    if (expansion !== null) return expansion;
  }
  let rows = x.type === "f64" ? (x as F64) : null;
  if (rows === null) {
    rows = arena.f64(n * d);
    rows.view().set(x.view());
  }
  const distances = openDistances(host, metric, rows, n, d, ranges, out, arena);
  return { expanded: false, fill: (from, to) => distances(from, to, true) };
}

/** An expansion about the mean; null where it would lose digits in most pairs. */
function open(
  host: Host,
  kind: "f64" | "f32",
  root: boolean,
  x: F64 | F32,
  n: number,
  d: number,
  out: F64 | F32,
  arena: Arena,
): DistanceMatrix | null {
  const { mean } = simdMoments(host, x, n, d);
  const wide = kind === "f64" ? 4 : 8;
  const width = Math.ceil(n / wide) * wide;
  const packed = kind === "f64" ? arena.f64(width * d) : arena.f32(width * d);
  const norms = arena.f64(width + 1);
  host.scratch(8 * d, (address) => {
    new Float64Array(host.memory.buffer, address, d).set(mean);
    const single = x.type === "f32" ? 1 : 0;
    const args = [host.pointer(x), single, n, d, address, host.pointer(packed), host.pointer(norms)];
    host.parallel(kind === "f64" ? "matrixPack64" : "matrixPack32", args, width, 8 * MATRIX_ROWS);
  });
  const view = x.view();
  const squareOf = (i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (view[i * d + f]! - view[j * d + f]!) * (view[i * d + f]! - view[j * d + f]!);
    return sum;
  };
  if (sampledNear(n, NEAR_SHARE[kind], norms.view(), squareOf)) return null;

  const routine = out.type === "f64" ? "matrixRows64" : kind === "f64" ? "matrixRows64To32" : "matrixRows32";
  const fill = (from: number, to: number): void => {
    const tiles = Math.ceil((to - from) / MATRIX_ROWS);
    host.scratch(64 + tiles * TILE_BYTES, (task) => {
      const places = [host.pointer(packed), host.pointer(norms), host.pointer(out), task + 64];
      const words = [n, d, root ? 1 : 0, from, host.pointer(x), x.type === "f32" ? 1 : 0, ...places];
      new Int32Array(host.memory.buffer, task, words.length).set(words);
      new Float64Array(host.memory.buffer, task + 4 * SHARES, 2).set([NEAR_SHARE[kind], LEAST_SQUARE]);
      host.parallel(routine, [task], to, MATRIX_ROWS, from);
    });
  };
  return { expanded: true, fill };
}
