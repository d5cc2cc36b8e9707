/** Reference for tests: tries all partitions of n nodes, to check the greedy search for the groups that agree best with the edges. */
import { agreement, type SignedEdge } from "./beliefs.js";

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

/** The largest agreement that any partition of the nodes reaches. */
export function mostAgreement(n: number, edges: readonly SignedEdge[]): number {
  let most = -Infinity;
  for (const groups of partitions(n)) most = Math.max(most, agreement(edges, groups));
  return most;
}
