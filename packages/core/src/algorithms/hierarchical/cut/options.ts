/** The options that decide where a hierarchy is cut, for all methods that build a hierarchy. Checks that they are consistent. */

import * as z from "zod/mini";
import { badOption, CoterieError } from "../../../errors.js";
import { atLeast, option, whole } from "../../../options.js";

export const CUTS = ["k", "height", "best"] as const;
export type Cut = (typeof CUTS)[number];

export const cutOptions = {
  k: option(z.optional(whole(1)), "number of clusters to cut into"),
  height: option(z.optional(atLeast(0)), "cut at this merge height instead of into k clusters"),
  cut: option(
    z.optional(z.enum(CUTS)),
    "where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without)",
  ),
  minClusterSize: option(
    z.optional(whole(1)),
    "minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups)",
  ),
};

export interface CutRequest {
  readonly k?: number | undefined;
  readonly height?: number | undefined;
  readonly cut?: Cut | undefined;
  readonly minClusterSize?: number | undefined;
}

/** The kind of cut that the options request. Throws if the options contradict each other. */
export function checkedCut({ k, height, cut, minClusterSize }: CutRequest, n: number): Cut {
  const way = cut ?? (k !== undefined ? "k" : height !== undefined ? "height" : "best");
  if (way === "k" && k === undefined) throw badOption("k", undefined, 'given with the cut "k"');
  if (way === "height" && height === undefined) throw badOption("height", undefined, 'given with the cut "height"');
  if (way !== "height" && height !== undefined)
    throw badOption("height", height, way === "k" ? "left out when k is given" : 'left out when the cut is "best"');
  if (way === "height" && k !== undefined) throw badOption("k", k, 'left out when the cut is "height"');
  if (way !== "best" && minClusterSize !== undefined)
    throw badOption("minClusterSize", minClusterSize, 'left out unless the cut is "best"');
  if (k !== undefined && k > n) throw new CoterieError({ code: "k-too-large", k, n });
  return way;
}

export function asksForBest({ k, height, cut }: CutRequest): boolean {
  return cut === "best" || (cut === undefined && k === undefined && height === undefined);
}
