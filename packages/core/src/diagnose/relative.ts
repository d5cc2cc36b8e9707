/** What a diagnosis says about relative statements: whether they agree, a smallest clash if not, and what to drop. */
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import type { RelativeDiagnosis, Triple } from "./diagnosis.js";
import { largestConsistent } from "./triplet-largest.js";
import { leavesOf, tripletConsistency } from "./triplets.js";

export function diagnoseRelative({ relative }: ConstraintSet, ids?: readonly InstanceId[]): RelativeDiagnosis | null {
  if (relative.a.length === 0) return null;
  const { consistent, conflict } = tripletConsistency(relative);
  if (consistent || conflict === null) return { consistent: true, conflict: null, dropped: [] };
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const inIds = ([a, b, c]: readonly [number, number, number]): Triple => [name(a), name(b), name(c)];
  const { a, b, c, weight } = relative;
  const { dropped } = largestConsistent(leavesOf(relative).triplets, weight);
  return {
    consistent: false,
    conflict: { instances: conflict.instances.map(name), constraints: conflict.constraints.map(inIds) },
    dropped: Array.from(dropped, (s) => inIds([a[s]!, b[s]!, c[s]!])),
  };
}
