/** Detects exclusive groups with more rows than clusters. No clustering can satisfy such a group, so no search is needed. */
import { CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import { groupSizes } from "./component-graph.js";

export interface LargeGroup {
  readonly column: string;
  readonly value: string;
  /** Number of rows of the group, which is the number of clusters it needs. */
  readonly rows: number;
}

/** The largest exclusive group of more than k rows, the first on ties. */
export function groupBeyond(set: ConstraintSet, k: number): LargeGroup | undefined {
  return placeBeyond(set, k)?.group;
}

/** For methods with hard constraints: throws an error about the largest group that does not fit into k clusters. */
export function refuseLargeGroups(set: ConstraintSet, k: number, ids?: readonly InstanceId[]): void {
  const found = placeBeyond(set, k);
  if (!found) return;
  const core: InstanceId[][] = [];
  for (let row = 0; core.length <= k; row++) {
    if (set.exclusive[found.column]!.codes[row] === found.code) core.push([idOf(ids ? { ids } : {}, row)]);
  }
  throw new CoterieError({ code: "infeasible", k, core, group: found.group });
}

function placeBeyond(
  { exclusive }: ConstraintSet,
  k: number,
): { readonly group: LargeGroup; readonly column: number; readonly code: number } | undefined {
  let found: ReturnType<typeof placeBeyond>;
  exclusive.forEach((grouping, column) => {
    groupSizes(grouping).forEach((rows, code) => {
      if (rows <= (found?.group.rows ?? k)) return;
      found = { group: { column: grouping.column, value: grouping.names[code] ?? String(code), rows }, column, code };
    });
  });
  return found;
}
