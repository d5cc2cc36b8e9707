/** The method to begin with, and why, by what is known and what the columns are. */
import type { ConstraintSet, Instances, MethodName } from "@coterie/core/internal";
import type { Known } from "../log/constraint-set.js";

export interface Recommended {
  readonly algorithm: MethodName;
  readonly because: string;
}

/** A hierarchy keeps a distance for each pair of rows: beyond this many rows that is too much. */
export const MOST_ROWS_IN_HIERARCHY = 20_000;

export function recommend(
  { set, sizes }: { readonly set: ConstraintSet; readonly sizes: Known["sizes"] },
  { feasible, instances }: { readonly feasible: boolean | null; readonly instances: Instances },
): Recommended {
  const { n, d, nominal } = instances;
  const texts = nominal?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  const pairs = set.mustLinks.a.length + set.cannotLinks.a.length + set.labels.row.length + set.exclusive.length;
  const large = n > MOST_ROWS_IN_HIERARCHY;
  if (instances.holes)
    return {
      algorithm: pairs === 0 ? "average-link" : "ccl",
      because: "cells are missing, and it compares rows by the cells that both have",
    };
  if (sizes.min !== undefined || sizes.max !== undefined)
    return { algorithm: "cop-kmeans", because: "it is the one that keeps bounds on the sizes of clusters" };
  if (set.relative.a.length > 0 && !large)
    return { algorithm: "recon", because: "it builds a hierarchy that keeps odd-one-out answers, and all others" };
  if (pairs === 0 && texts > 0 && !large)
    return { algorithm: "average-link", because: "it compares rows by a distance that fits columns of text" };
  if (pairs === 0)
    return { algorithm: "kmeans", because: "there are no answers yet: this is the plain clustering to compare with" };
  if (feasible === false)
    return {
      algorithm: "pck-means",
      because: "the answers cannot all hold: it pays a price for those that it breaks, and lists them",
    };
  if (texts === d && !large)
    return {
      algorithm: "ccl",
      because: "it compares rows by a distance that fits columns of text, and spreads what answers say",
    };
  return { algorithm: "mpck-means", because: "it learns which columns matter from your answers, and lists those that it breaks" };
}
