/** Moments of columns, as the host sees them: chunks of rows on threads, added in order. */
import { CHUNK_ROWS, type F32, type F64, type Moments } from "@coterie/core/internal";
import type { Host } from "./host.js";

export function simdMoments(host: Host, x: F64 | F32, n: number, d: number): Moments {
  const chunks = Math.ceil(n / CHUNK_ROWS);
  const routine = x.type === "f64" ? "columnSums64" : "columnSums32";
  return host.scratch(8 * (chunks + 1) * Math.max(1, d), (address) => {
    const sums = address + 8 * d;
    const sumsAbout = (mean: number): Float64Array => {
      host.parallel(routine, [host.pointer(x), d, mean, CHUNK_ROWS, sums], n, CHUNK_ROWS);
      const total = new Float64Array(d);
      const parts = new Float64Array(host.memory.buffer, sums, chunks * d);
      for (let chunk = 0; chunk < chunks; chunk++) for (let f = 0; f < d; f++) total[f]! += parts[chunk * d + f]!;
      return total;
    };
    const mean = sumsAbout(0);
    for (let f = 0; f < d; f++) mean[f]! /= n;
    new Float64Array(host.memory.buffer, address, d).set(mean);
    return { mean, squares: sumsAbout(address) };
  });
}
