/** Recommends the method to begin with, and says why. The kinds of constraints decide. */
import type { ConstraintSet, Instances, MethodName } from "@coterie/core/internal";
import { hasMeans, noConstraints } from "@coterie/core/internal";
import type { Known } from "../log/constraint-set.js";

export interface Recommended {
  readonly algorithm: MethodName;
  readonly because: string;
}

export function recommend(
  points: Instances,
  { set, sizes }: { readonly set: ConstraintSet; readonly sizes: Known["sizes"] },
): Recommended {
  if (sizes.min !== undefined || sizes.max !== undefined)
    return { algorithm: "cop-kmeans", because: "it is the one that keeps bounds on the sizes of clusters" };
  if (noConstraints(set) && !hasMeans(points))
    return { algorithm: "average-link", because: "it compares rows by the cells that both have, and needs no means" };
  if (noConstraints(set))
    return { algorithm: "kmeans", because: "there are no answers yet: this is the plain clustering to compare with" };
  return {
    algorithm: "auto",
    because: "it tries several methods on answers that it holds out, and keeps every answer that can be kept",
  };
}
