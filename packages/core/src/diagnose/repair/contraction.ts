/**
 * Which rows to keep together so that little is broken, however large and contradictory a constraint set is: greedy additive edge
 * contraction (Keuper et al., Efficient decomposition of image and mesh graphs by lifted multicuts, ICCV 2015). The two elements
 * with the strongest tie become one, their ties to others add up, until no tie speaks for any two.
 *
 * Two classes never become one, nor do rows of one exclusive group.
 */

import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import { type Forest, forest, join, rootOf } from "../../structures/components.js";
import { type Heap, popLeast, push } from "../../structures/heap.js";
import type { Ties } from "./ties.js";

/** A map's entry read, changed or moved, in looks. */
const ENTRY_LOOKS = 16;

/** The elements as trees; the ties are changed: those of a tree are its root's, to the roots of others. Ends early when the budget does. */
export function* contract(ties: Ties, budget: Budget): Interruptible<Forest> {
  const { elements, near, rows } = ties;
  const trees = forest(elements);
  const groups = groupSets(ties);
  const hasClass = Uint8Array.from({ length: elements }, (_, u) => (u >= rows ? 1 : 0));
  const heap: Heap = { keys: [], items: [] };
  for (let u = 0; u < elements; u++) {
    for (const [v, tie] of near[u]!) if (v > u && tie > 0) push(heap, -tie, u * elements + v);
  }
  while (heap.keys.length > 0 && budget.left > 0) {
    const tie = -heap.keys[0]!;
    const pair = popLeast(heap);
    const [u, v] = [Math.floor(pair / elements), pair % elements];
    chargeLooks(budget, ENTRY_LOOKS);
    if (pauseDue(budget)) yield;
    if (trees[u]! >= 0 || trees[v]! >= 0 || near[u]!.get(v) !== tie) continue;
    if ((hasClass[u] === 1 && hasClass[v] === 1) || shareGroup(groups[u], groups[v])) continue;
    join(trees, u, v);
    const kept = rootOf(trees, u);
    const gone = kept === u ? v : u;
    chargeLooks(budget, ENTRY_LOOKS * near[gone]!.size);
    hasClass[kept] = hasClass[u]! | hasClass[v]!;
    groups[kept] = union(groups[u], groups[v]);
    groups[gone] = undefined;
    moveTies(ties, heap, kept, gone);
  }
  return trees;
}

type Groups = Set<number> | undefined;

function groupSets({ elements, rows, groupsOf: { start, items } }: Ties): Groups[] {
  return Array.from({ length: elements }, (_, u) =>
    u < rows && start[u + 1]! > start[u]! ? new Set(items.subarray(start[u]!, start[u + 1]!)) : undefined,
  );
}

function shareGroup(a: Groups, b: Groups): boolean {
  if (!a || !b) return false;
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const group of few) if (many.has(group)) return true;
  return false;
}

function union(a: Groups, b: Groups): Groups {
  if (!a || !b) return a ?? b;
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  for (const group of few) many.add(group);
  return many;
}

function moveTies({ near, elements }: Ties, heap: Heap, kept: number, gone: number): void {
  const from = near[gone]!;
  const to = near[kept]!;
  to.delete(gone);
  from.delete(kept);
  for (const [other, tie] of from) {
    const sum = (to.get(other) ?? 0) + tie;
    to.set(other, sum);
    near[other]!.delete(gone);
    near[other]!.set(kept, sum);
    if (sum > 0) push(heap, -sum, Math.min(kept, other) * elements + Math.max(kept, other));
  }
  from.clear();
}
