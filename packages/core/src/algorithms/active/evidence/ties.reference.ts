/** All ways to part n nodes into groups, to find by counting what the fast search finds by steps. */
import { agreement, type Tie } from "./ties.js";

export function* partitions(n: number): Generator<Int32Array> {
  const groups = new Int32Array(n);
  function* place(node: number, used: number): Generator<Int32Array> {
    if (node === n) {
      yield groups.slice();
      return;
    }
    for (let group = 0; group <= used; group++) {
      groups[node] = group;
      yield* place(node + 1, Math.max(used, group + 1));
    }
  }
  yield* place(0, 0);
}

/** The most that any grouping agrees with the ties. */
export function mostAgreement(n: number, ties: readonly Tie[]): number {
  let most = -Infinity;
  for (const groups of partitions(n)) most = Math.max(most, agreement(ties, groups));
  return most;
}
