/** Draws the constraints for a run of a learning curve, and chooses the rows or pairs with which its clusters are scored. */
import {
  adjustedRandIndex,
  type ConstraintSet,
  contingency,
  countLinks,
  emptyConstraints,
  entriesWhere,
  generateConstraints,
  type Input,
  type Labelling,
  NO_LINKS,
  noiseAlone,
  pairCounts,
  partsOf,
  type Random,
  randomFrom,
  withoutImplied,
} from "@coterie/core/internal";

/**
 * How runs are scored.
 * - classes: links are drawn from the known classes; the rows that are in no drawn link are scored
 * - constraints: a third of the user's constraints is held out for the score; the method gets a part of the remaining constraints
 */
export type ScoredBy = "classes" | "constraints";

export interface Draw {
  readonly known: ConstraintSet;
  readonly scoring: number;
  readonly score: (labels: Int32Array) => number;
}

export const LEAST_SCORING: Readonly<Record<ScoredBy, number>> = { classes: 10, constraints: 3 };

/**
 * Draws the constraints of a run. They depend only on the given constraints, the count and the seed, so all methods get the same
 * constraints.
 */
export function drawOf({ points, constraints }: Input, by: ScoredBy, count: number, seed: number): Draw {
  const random = randomFrom(seed);
  return by === "classes" ? drawPairs(points.truth!, constraints, count, random) : drawSubset(constraints, count, random);
}

/** Draws links from the known classes. The score is the adjusted Rand index over the rows that are in no drawn link. */
function drawPairs(truth: Labelling, given: ConstraintSet, count: number, random: Random): Draw {
  const { mustLinks, cannotLinks } = generateConstraints(truth, { count, random: random.split("pairs", count) });
  const codes = truth.codes.slice();
  for (const rows of [mustLinks.a, mustLinks.b, cannotLinks.a, cannotLinks.b]) for (const row of rows) codes[row] = -1;
  return {
    known: { ...given, mustLinks, cannotLinks },
    scoring: codes.reduce((sum, code) => sum + (code >= 0 ? 1 : 0), 0),
    score: (labels) => adjustedRandIndex(pairCounts(contingency(noiseAlone(labels), codes))),
  };
}

/**
 * Draws from the user's constraints. The score is the mean of two shares:
 * - held-out must-links with both rows in one cluster
 * - held-out cannot-links with rows in two clusters
 *
 * A run holds out the same pairs for all counts. A larger count contains the constraints of a smaller count.
 */
function drawSubset(constraints: ConstraintSet, count: number, random: Random): Draw {
  const { known, held } = withoutImplied(partsOf(constraints, random.split("held out"))[0]!);
  return {
    known: subsetOf(known, count, random.split("given")),
    scoring: held.must.length + held.cannot.length,
    score(labels) {
      const { must, mustTogether, cannot, cannotTogether } = countLinks(NO_LINKS, labels, held);
      const shares = [...(must > 0 ? [mustTogether / must] : []), ...(cannot > 0 ? [1 - cannotTogether / cannot] : [])];
      return shares.reduce((sum, share) => sum + share, 0) / shares.length;
    },
  };
}

const KINDS = ["mustLinks", "cannotLinks", "labels", "relative"] as const;

/** Chooses `count` random constraints of a set. An exclusive group is kept as a whole. */
function subsetOf(set: ConstraintSet, count: number, random: Random): ConstraintSet {
  const order = Int32Array.from({ length: listed(set) }, (_, i) => i);
  random.shuffle(order);
  const chosen = new Set(order.subarray(0, count));
  let from = 0;
  const parts = KINDS.map((kind) => {
    const begin = from;
    from += set[kind].weight.length;
    return [kind, entriesWhere(set[kind], (s) => chosen.has(begin + s))];
  });
  return { ...emptyConstraints(set.n), exclusive: set.exclusive, ...Object.fromEntries(parts) };
}

function listed(set: ConstraintSet): number {
  return KINDS.reduce((sum, kind) => sum + set[kind].weight.length, 0);
}

/** The largest number of constraints that a run can give to a method, after a third of the user's links and labels is held out. */
export function mostGiven(constraints: ConstraintSet): number {
  return listed(partsOf(constraints, randomFrom(0))[0]!.known);
}
