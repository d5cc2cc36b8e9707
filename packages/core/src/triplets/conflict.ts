/**
 * Why triplets ab|c clash: a few of them that no tree induces, such that leaving out any one mends it.
 *
 * A set of leaves that stays in one piece is held together by one triplet fewer than it has leaves: these alone clash. Then
 * the shortest clashing beginning of the list is sought by halving; its last triplet is needed, goes to the front for good,
 * and the rest is cut down again. A clash of m triplets among M takes about m log M builds, of ever smaller sets.
 */

import { type Budget, budgetOf, chargeLooks, type EffortOptions, type Interruptible, pauseDue } from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { forest, join } from "../structures/components.js";
import { BUILD_LOOKS, type BuiltTree, buildTree, isBuilt, type LeafTriplets, type Stuck } from "./build.js";

export interface TripletClash {
  /** Triplets by number, ascending, that clash. */
  readonly places: Int32Array;
  /** Whether each of them is needed for it; false if the effort was spent before that was tried. */
  readonly minimal: boolean;
}

/** Triplets (by number, ascending) that clash, each of them needed for it as far as the effort goes. */
export function minimalConflict(triplets: LeafTriplets, stuck: Stuck, options: EffortOptions = {}): Int32Array {
  return drain(searchConflict(triplets, stuck, budgetOf(options))).places;
}

export function* searchConflict(triplets: LeafTriplets, stuck: Stuck, budget: Budget): Interruptible<TripletClash> {
  const needed: number[] = [];
  let rest = holders(triplets, stuck);
  for (;;) {
    const known = new Set(needed);
    rest = rest.filter((s) => !known.has(s));
    const { length, stuck: smaller } = yield* shortestClash(triplets, needed, rest, budget);
    if (length === 0) return { places: Int32Array.from(needed).sort(), minimal: true };
    if (budget.left <= 0) {
      const clash = new Set([...needed, ...rest.slice(0, length)]);
      return { places: Int32Array.from(clash).sort(), minimal: false };
    }
    needed.push(rest[length - 1]!);
    rest = holders(triplets, smaller);
  }
}

/** The least number of `rest`, from its front, that clash with the needed ones; more once the budget is spent. All of them do. */
function* shortestClash(
  triplets: LeafTriplets,
  needed: readonly number[],
  rest: readonly number[],
  budget: Budget,
): Interruptible<{ readonly length: number; readonly stuck: Stuck }> {
  let stuck = clash(triplets, [...needed, ...rest]);
  let low = 0;
  let high = rest.length;
  while (low < high && budget.left > 0) {
    const middle = (low + high) >> 1;
    chargeLooks(budget, BUILD_LOOKS * (triplets.leaves + needed.length + middle));
    if (pauseDue(budget)) yield;
    const found = clash(triplets, [...needed, ...rest.slice(0, middle)]);
    if (isBuilt(found)) low = middle + 1;
    else {
      stuck = found;
      high = middle;
    }
  }
  return { length: high, stuck: stuck as Stuck };
}

function clash(triplets: LeafTriplets, chosen: readonly number[]): BuiltTree | Stuck {
  return buildTree(triplets, Int32Array.from(chosen));
}

/** Triplets that hold the leaves in one piece, no more than it takes. */
function holders({ leaves, a, b }: LeafTriplets, stuck: Stuck): number[] {
  const trees = forest(leaves);
  return Array.from(stuck.triplets).filter((s) => join(trees, a[s]!, b[s]!));
}
