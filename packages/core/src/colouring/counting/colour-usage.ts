/**
 * How many colours a random colouring of the whole graph uses, from what its independent parts use. Colours are alike, so of
 * the colourings of a part that use a colours each set of a colours is equally likely: two parts that use a and b use a + b
 * minus as many as two random sets of these sizes share.
 */
import { surjections } from "./surjections.js";

/** For each number of colours 0 … k, the share of colourings that use so many, from the counts with at most j, j ≤ k. */
export function usageOf(counts: readonly bigint[], k: number): Float64Array {
  const share = new Float64Array(k + 1);
  let binomial = 1n;
  for (let used = 0; used <= k; used++) {
    share[used] = ratio(binomial * surjections(counts, used), counts[k]!);
    binomial = (binomial * BigInt(k - used)) / BigInt(used + 1);
  }
  return share;
}

/** a / b in [0, 1] to about 15 digits, however large both are. */
function ratio(a: bigint, b: bigint): number {
  const excess = BigInt(Math.max(0, b.toString(16).length * 4 - 1000));
  return Number(a >> excess) / Number(b >> excess);
}

/** The share of colourings that use all k colours, and its relative standard error over the batches of the sampled parts. */
export function shareUsingAll(
  exact: Float64Array,
  sampledParts: readonly (readonly Float64Array[])[],
  k: number,
): { readonly share: number; readonly error: number } {
  const overlap = overlaps(k);
  const batches = Math.min(...sampledParts.map((usage) => usage.length));
  const shares: number[] = [];
  for (let b = 0; b < batches; b++) {
    let all = exact;
    for (const usage of sampledParts) all = unionUsage(all, usage[b]!, k, overlap);
    shares.push(all[k]!);
  }
  const share = shares.reduce((sum, s) => sum + s, 0) / batches;
  if (share === 0) return { share, error: 0 };
  const squares = shares.reduce((sum, s) => sum + (s - share) * (s - share), 0);
  return { share, error: Math.sqrt(squares / (batches * (batches - 1))) / share };
}

function unionUsage(
  one: Float64Array,
  other: Float64Array,
  k: number,
  overlap: (a: number, b: number, s: number) => number,
): Float64Array {
  const union = new Float64Array(k + 1);
  for (let a = 0; a <= k; a++) {
    for (let b = 0; b <= k && (one[a] ?? 0) > 0; b++) {
      if ((other[b] ?? 0) === 0) continue;
      for (let s = Math.max(0, a + b - k); s <= Math.min(a, b); s++) union[a + b - s]! += one[a]! * other[b]! * overlap(a, b, s);
    }
  }
  return union;
}

/** The chance that a random set of b out of k shares s with a fixed set of a. */
function overlaps(k: number): (a: number, b: number, s: number) => number {
  const rows: number[][] = [[1]];
  for (let n = 1; n <= k; n++)
    rows.push(Array.from({ length: n + 1 }, (_, i) => (rows[n - 1]![i - 1] ?? 0) + (rows[n - 1]![i] ?? 0)));
  return (a, b, s) => (rows[a]![s]! * (rows[k - a]![b - s] ?? 0)) / rows[k]![b]!;
}
