/** What a diagnosis says about relative constraints: whether they agree, a smallest clash if not, and what to drop. */
import { pricesOf } from "../constraints/weights.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import { type Budget, giveBack, type Interruptible, share } from "../steps/budget.js";
import { buildTree, isBuilt } from "../triplets/build.js";
import { searchConflict } from "../triplets/conflict.js";
import { conflictOf, leavesOf } from "../triplets/consistency.js";
import { searchLargest } from "../triplets/largest.js";
import type { RelativeDiagnosis, Triple } from "./diagnosis.js";

export interface AboutRelative {
  readonly relative: RelativeDiagnosis | null;
  readonly notices: readonly string[];
}

export function* diagnoseRelative(
  { relative }: ConstraintSet,
  ids: readonly InstanceId[] | undefined,
  budget: Budget,
): Interruptible<AboutRelative> {
  if (relative.a.length === 0) return { relative: null, notices: [] };
  const { triplets } = leavesOf(relative);
  const outcome = buildTree(triplets);
  if (isBuilt(outcome)) return { relative: { consistent: true, conflict: null, dropped: [] }, notices: [] };
  const forClash = share(budget, budget.left / 4);
  const clash = yield* searchConflict(triplets, outcome, forClash);
  giveBack(budget, forClash);
  // Hard constraints can be dropped too, after all others.
  const { dropped } = yield* searchLargest(triplets, pricesOf(relative.weight).prices, budget);
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const inIds = ([a, b, c]: readonly [number, number, number]): Triple => [name(a), name(b), name(c)];
  const { a, b, c } = relative;
  const { instances, constraints } = conflictOf(relative, clash.places);
  return {
    relative: {
      consistent: false,
      conflict: { instances: instances.map(name), constraints: constraints.map(inIds) },
      dropped: Array.from(dropped, (s) => inIds([a[s]!, b[s]!, c[s]!])),
    },
    notices: clash.minimal
      ? []
      : [
          "The relative constraints that are shown not to hold together may be more than it takes: a smaller clash was not found within the effort.",
        ],
  };
}
