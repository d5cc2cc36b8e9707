/** Exclusive groups of more rows than there are clusters: no clustering keeps them apart, and no search is needed to see it. */
import { CoterieError } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import { groupSizes } from "./component-graph.js";

export interface LargeGroup {
  readonly column: string;
  readonly value: string;
  /** How many rows it has: as many clusters are needed. */
  readonly rows: number;
}

/** The largest exclusive group of more than k rows, the first of equals. */
export function groupBeyond(set: ConstraintSet, k: number): LargeGroup | undefined {
  return placeBeyond(set, k)?.group;
}

/** For hard methods: throws the largest group that k clusters cannot keep apart. */
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
