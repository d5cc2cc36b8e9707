/**
 * Why statements ab|c clash: a few of them that no tree induces, such that leaving out any one mends it.
 *
 * A set of leaves that stays in one piece is held together by one statement fewer than it has leaves: these alone clash. Then
 * the shortest clashing beginning of the list is sought by halving; its last statement is needed, goes to the front for good,
 * and the rest is cut down again. A clash of m statements among M takes about m log M builds, of ever smaller sets.
 */
import { forest, join } from "../constraints/components.js";
import { type BuiltTree, buildTree, isBuilt, type LeafTriplets, type Stuck } from "./triplet-build.js";

/** Statements (by number, ascending) that clash, each of them needed for it. `spend` is told the leaves and statements looked at. */
export function minimalConflict(triplets: LeafTriplets, stuck: Stuck, spend: (work: number) => void = () => {}): Int32Array {
  const needed: number[] = [];
  let rest = holders(triplets, stuck);
  for (;;) {
    rest = rest.filter((s) => !needed.includes(s));
    const { length, stuck: smaller } = shortestClash(triplets, needed, rest, spend);
    if (length === 0) return Int32Array.from(needed).sort();
    needed.push(rest[length - 1]!);
    rest = holders(triplets, smaller);
  }
}

/** The least number of `rest`, from its front, that clash with the needed ones. All of them do. */
function shortestClash(
  triplets: LeafTriplets,
  needed: readonly number[],
  rest: readonly number[],
  spend: (work: number) => void,
) {
  let stuck = clash(triplets, [...needed, ...rest]);
  let low = 0;
  let high = rest.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    spend(triplets.leaves + needed.length + middle);
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

/** Statements that hold the leaves in one piece, no more than it takes. */
function holders({ leaves, a, b }: LeafTriplets, stuck: Stuck): number[] {
  const trees = forest(leaves);
  return Array.from(stuck.triplets).filter((s) => join(trees, a[s]!, b[s]!));
}
