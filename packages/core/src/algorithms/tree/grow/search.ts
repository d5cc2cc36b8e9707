/** What every part of the search for a tree shares: the problem, the weights of H's two terms, and scratch arrays. */
import { type GrowingTree, isAlone } from "./growing-tree.js";
import { type LabelRule, type LabelScratch, labelScratch } from "./label-rules.js";
import { type LinkScratch, linkScratch } from "./leaf-links.js";
import type { PairCosts } from "./pair-costs.js";
import type { Space } from "./space.js";

/** Differences of H up to this are none. */
export const LEAST_GAIN = 1e-12;

export interface Search {
  readonly space: Space;
  readonly costs: PairCosts;
  readonly k: number;
  readonly minLeaf: number;
  readonly labelRule: LabelRule;
  /** H = varianceFactor · scatter + violationFactor · violated weight. */
  readonly varianceFactor: number;
  readonly violationFactor: number;
  readonly links: LinkScratch;
  readonly labels: LabelScratch;
  /** Flags of n rows: which side of a split each is on. */
  readonly side: Uint8Array;
  /** Work since the last step, and splits made so far, for those who watch. */
  work: number;
  done: number;
}

export interface SearchOptions {
  readonly k: number;
  readonly gamma: number;
  readonly minLeaf: number;
  readonly labelRule: LabelRule;
}

/** `scatter` is that of all rows together. */
export function searchOf(space: Space, costs: PairCosts, scatter: number, options: SearchOptions): Search {
  const { k, gamma, minLeaf, labelRule } = options;
  return {
    space,
    costs,
    k,
    minLeaf,
    labelRule,
    varianceFactor: scatter > 0 ? (1 - gamma) / scatter : 0,
    violationFactor: costs.total > 0 ? gamma / costs.total : 0,
    links: linkScratch(space.n, costs),
    labels: labelScratch(),
    side: new Uint8Array(space.n),
    work: 0,
    done: 0,
  };
}

/** Labels that the other leaves leave free, up to the two that a split can take. */
export function freeLabels({ k }: Search, tree: GrowingTree, slot: number): number {
  const others = tree.labelCount - (isAlone(tree, slot) ? 1 : 0);
  return Math.max(0, Math.min(2, k - others));
}

/** H of the whole tree. */
export function heuristic({ varianceFactor, violationFactor }: Search, { slots, violated }: GrowingTree): number {
  let scatter = 0;
  for (const { leaf } of slots) scatter += leaf.scatter;
  return varianceFactor * scatter + violationFactor * violated;
}

/** Forgets what rested on other free labels, or by the rule "any" on other labels in use. */
export function forgetOutdated(search: Search, tree: GrowingTree): void {
  tree.slots.forEach((slot, index) => {
    if (!slot.known) return;
    const { free, labelSet, alone } = slot.known;
    const same = search.labelRule === "linked" || (labelSet === tree.labelSet && alone === isAlone(tree, index));
    if (!same || freeLabels(search, tree, index) !== free) slot.known = null;
  });
}
