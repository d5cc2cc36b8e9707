/** Constraints that follow from the others, so that nothing is lost without them. */
import type { Closure } from "../constraints/closure.js";
import { sharedClique } from "../constraints/component-graph.js";
import { forest, join } from "../structures/components.js";

export interface Implied {
  /** Places of must-links and cannot-links in the set. */
  readonly mustLinks: readonly number[];
  readonly cannotLinks: readonly number[];
}

/** Of constraints that say the same the first is kept; labels and exclusive groups are kept before all. */
export function impliedConstraints({ set, component, cliques }: Closure): Implied {
  const { mustLinks, cannotLinks, labels, n } = set;
  const trees = forest(n);
  const firstOfClass = new Map<number, number>();
  labels.row.forEach((row, s) => {
    const first = firstOfClass.get(labels.code[s]!);
    if (first === undefined) firstOfClass.set(labels.code[s]!, row);
    else join(trees, first, row);
  });
  const must: number[] = [];
  mustLinks.a.forEach((a, s) => {
    if (!join(trees, a, mustLinks.b[s]!)) must.push(s);
  });
  const seen = new Set<number>();
  const cannot: number[] = [];
  cannotLinks.a.forEach((a, s) => {
    const [u, v] = [component[a]!, component[cannotLinks.b[s]!]!];
    if (u === v) return;
    const key = Math.min(u, v) * n + Math.max(u, v);
    if (seen.has(key) || sharedClique(cliques, u, v) >= 0) cannot.push(s);
    seen.add(key);
  });
  return { mustLinks: must, cannotLinks: cannot };
}
