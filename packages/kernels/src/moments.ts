/** Moments of columns, as the host sees them: chunks of rows on threads, added in order. */
import { CHUNK_ROWS, type F32, type F64, type Moments } from "@coterie/core/internal";
import type { Host } from "./host.js";

/** The mean of each column, as `simdMoments` has it. */
function simdMean(host: Host, x: F64 | F32, n: number, d: number): Float64Array {
  const mean = columnSums(host, x, n, d, null);
  for (let f = 0; f < d; f++) mean[f]! /= n;
  return mean;
}

export function simdMoments(host: Host, x: F64 | F32, n: number, d: number): Moments {
  const mean = simdMean(host, x, n, d);
  return { mean, squares: columnSums(host, x, n, d, mean) };
}

/** Sums of the columns, or of squared differences from a mean. */
function columnSums(host: Host, x: F64 | F32, n: number, d: number, mean: Float64Array | null): Float64Array {
  const chunks = Math.ceil(n / CHUNK_ROWS);
  return host.scratch(8 * (chunks + 1) * Math.max(1, d), (address) => {
    if (mean) new Float64Array(host.memory.buffer, address, d).set(mean);
    const sums = address + 8 * d;
    const args = [host.pointer(x), d, mean ? address : 0, CHUNK_ROWS, sums];
    host.parallel(x.type === "f64" ? "columnSums64" : "columnSums32", args, n, CHUNK_ROWS);
    const total = new Float64Array(d);
    const parts = new Float64Array(host.memory.buffer, sums, chunks * d);
    for (let chunk = 0; chunk < chunks; chunk++) for (let f = 0; f < d; f++) total[f]! += parts[chunk * d + f]!;
    return total;
  });
}
