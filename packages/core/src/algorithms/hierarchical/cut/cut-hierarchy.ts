/** Cuts a finished hierarchy by the kind of cut that the options request. */
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Merge, Outcome } from "../../../model/result.js";
import { type BestCutRequest, cutBest } from "./cut-best.js";
import { cutAtHeight, cutToK } from "./merges.js";
import type { Cut, CutRequest } from "./options.js";

export function cutHierarchy(
  way: Cut,
  merges: readonly Merge[],
  constraints: ConstraintSet,
  { k, height, ...best }: Omit<CutRequest, "cut"> & BestCutRequest,
): Pick<Outcome, "labels" | "notices" | "chosen"> {
  if (way === "best") return cutBest(merges, constraints, { ...best, k });
  const { n } = constraints;
  return { labels: way === "k" ? cutToK(merges, n, k!) : cutAtHeight(merges, n, height!), notices: [] };
}
