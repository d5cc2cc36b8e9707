/**
 * The search for a tree of low H: global greedy refinement (struyf2006, figure 2). In each round all leaves compete with
 * their best splits, and the one that lowers H most is made.
 *
 * A leaf's best split stands for as long as no row that is linked to the leaf changes its label, and the labels that are free
 * stay as they were; a leaf whose bound cannot beat the best so far is not looked at.
 */
import { upTo } from "../../../linalg/indices.js";
import type { Steps } from "../../../steps/index.js";
import { growBeam } from "./beam.js";
import { lookAtLeaf } from "./best-split.js";
import { type Candidate, copyOf, type GrowingTree, refine, type Split, seedling } from "./growing-tree.js";
import type { PairCosts } from "./pair-costs.js";
import { forgetOutdated, heuristic, LEAST_GAIN, type Search, type SearchOptions, searchOf } from "./search.js";
import type { Space } from "./space.js";

export interface GrowOptions extends SearchOptions {
  readonly maxLeaves: number;
  /** Trees that are kept side by side. */
  readonly beam: number;
}

export interface Grown {
  readonly splits: readonly Split[];
  /** H of the root alone, then after each split. */
  readonly heights: readonly number[];
}

export function* grow(space: Space, costs: PairCosts, options: GrowOptions): Steps<Grown> {
  const tree = seedling(space, costs);
  const search = searchOf(space, costs, tree.slots[0]!.leaf.scatter, options);
  tree.violated = violatedAtRoot(costs, tree);
  const atRoot = heuristic(search, tree);
  const beam = options.beam > 1 ? yield* growBeam(search, copyOf(tree), options.maxLeaves, options.beam) : undefined;
  const greedy = yield* growGreedily(search, tree, options.maxLeaves);
  // A beam can lose sight of the way that the greedy search takes: the better of the two is kept.
  const best = beam && (beam.history.at(-1) ?? atRoot) < (greedy.history.at(-1) ?? atRoot) - LEAST_GAIN ? beam : greedy;
  return { splits: best.splits, heights: [atRoot, ...best.history] };
}

/** With one leaf all cannot-links are broken and all must-links kept. */
function violatedAtRoot(
  { edges, cliques, pairs, unitCount }: PairCosts,
  { unitCounts, cliqueCounts, stride }: GrowingTree,
): number {
  let twice = 0;
  for (let u = 0; u < unitCount; u++) {
    const rows = unitCounts[u * stride]!;
    for (let p = edges.start[u]!; p < edges.start[u + 1]!; p++) {
      twice += edges.weight[p]! * rows * unitCounts[edges.other[p]! * stride]!;
    }
    for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) {
      const q = cliques.of.items[p]!;
      twice += cliques.weight[q]! * rows * (cliqueCounts[q * stride]! - rows);
    }
  }
  pairs.weight.forEach((weight, p) => {
    if (pairs.must[p] === 0) twice += weight;
  });
  return twice / 2;
}

function* growGreedily(search: Search, tree: GrowingTree, maxLeaves: number): Steps<GrowingTree> {
  while (tree.slots.length < maxLeaves) {
    const best = yield* bestOfAll(search, tree);
    if (!best) break;
    refine(tree, search.space, search.costs, best, search.side);
    const objective = heuristic(search, tree);
    tree.history = [...tree.history, objective];
    search.done = tree.splits.length;
    yield { phase: "splitting", done: search.done, total: null, objective };
  }
  return tree;
}

/** Looks at leaves, the most promising first, until none that is left can have a better split. */
function* bestOfAll(search: Search, tree: GrowingTree): Steps<Candidate | undefined> {
  forgetOutdated(search, tree);
  let best = LEAST_GAIN;
  for (const { known } of tree.slots) if (known?.exact) best = Math.max(best, known.candidates[0]?.gain ?? 0);
  const least = Math.max(LEAST_GAIN, best - LEAST_GAIN);
  const open = upTo(tree.slots.length).filter((slot) => {
    const { known } = tree.slots[slot]!;
    return !known || (!known.exact && known.bound > least);
  });
  open.sort((a, b) => tree.slots[b]!.hope - tree.slots[a]!.hope || a - b);
  for (const slot of open) {
    const { known } = tree.slots[slot]!;
    const floor = Math.max(LEAST_GAIN, best - LEAST_GAIN);
    if (known && known.bound <= floor) continue;
    yield* lookAtLeaf(search, tree, slot, floor, 1);
    best = Math.max(best, tree.slots[slot]!.known!.candidates[0]?.gain ?? 0);
  }
  let chosen: Candidate | undefined;
  for (const { known } of tree.slots) {
    const candidate = known?.candidates[0];
    if (candidate && (!chosen || candidate.gain > chosen.gain + LEAST_GAIN)) chosen = candidate;
  }
  return chosen;
}
