/**
 * Finds a minimal conflict among triplets ab|c: a set of triplets that no tree induces. If any one of them is left out, a tree induces the
 * rest.
 *
 * If BUILD cannot split a set of leaves, (number of leaves - 1) triplets connect these leaves. These triplets alone are inconsistent.
 * Bisection finds the shortest inconsistent prefix of their list. The last triplet of this prefix is needed, so it moves to the front
 * permanently. Then the remaining triplets of the prefix are reduced in the same way. A conflict of m triplets among M takes about m log M
 * builds of decreasing size.
 */

import { type Budget, budgetOf, chargeLooks, type EffortOptions, type Interruptible, pauseDue } from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { forest, join } from "../structures/components.js";
import { BUILD_LOOKS, type BuiltTree, buildTree, isBuilt, type LeafTriplets, type Stuck } from "./build.js";

export interface TripletClash {
  /** Indices of inconsistent triplets, ascending. */
  readonly places: Int32Array;
  /** Whether every triplet is needed for the conflict; false if the effort was spent first. */
  readonly minimal: boolean;
}

/** Indices of inconsistent triplets, ascending. All are needed for the conflict unless the effort was spent. */
export function minimalConflict(triplets: LeafTriplets, stuck: Stuck, options: EffortOptions = {}): Int32Array {
  return drain(searchConflict(triplets, stuck, budgetOf(options))).places;
}

export function* searchConflict(triplets: LeafTriplets, stuck: Stuck, budget: Budget): Interruptible<TripletClash> {
  const needed: number[] = [];
  let rest = spanningTriplets(triplets, stuck);
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
    rest = spanningTriplets(triplets, smaller);
  }
}

/** Length of the shortest prefix of `rest` that is inconsistent with `needed`. If the budget is spent, the prefix can be longer. */
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

/** The triplets that connect the stuck leaves: a spanning forest of the graph with an edge ab for each triplet. */
function spanningTriplets({ leaves, a, b }: LeafTriplets, stuck: Stuck): number[] {
  const trees = forest(leaves);
  return Array.from(stuck.triplets).filter((s) => join(trees, a[s]!, b[s]!));
}
