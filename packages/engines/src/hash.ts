/** The order in which rows are drawn for samples: by a hash of seed and id that every engine can compute. */
import { createHash } from "node:crypto";
import type { InstanceId } from "@coterie/core/internal";

/** As DuckDB's sha256(seed || ':' || id) and Spark's sha2(concat(seed, ':', id), 256). */
export function rankOf(seed: number, id: InstanceId): string {
  return createHash("sha256").update(`${seed}:${id}`).digest("hex");
}

/** Rows between two looks at the clock. */
const STRETCH = 4096;

/** The rows of lowest rank, lowest first. */
export async function lowestRanks(
  n: number,
  size: number,
  rank: (row: number) => string,
  pause: () => Promise<void> | undefined,
): Promise<number[]> {
  const kept: { readonly row: number; readonly rank: string }[] = [];
  const worse = (a: { rank: string }, b: { rank: string }): number => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0);
  let bar = "g";
  for (let row = 0; row < n; row++) {
    if (row % STRETCH === 0) await pause();
    const own = rank(row);
    if (own >= bar) continue;
    kept.push({ row, rank: own });
    if (kept.length < 2 * size) continue;
    kept.sort(worse);
    kept.length = size;
    bar = kept.at(-1)!.rank;
  }
  return kept
    .sort(worse)
    .slice(0, size)
    .map(({ row }) => row);
}
