/** Where a hierarchy is cut: the options of every method that makes one, and what they mean together. */
import * as z from "zod";
import { badOption, CoterieError } from "../../../errors.js";

export const CUTS = ["k", "height", "best"] as const;
export type Cut = (typeof CUTS)[number];

const minClusterSizeOption = z.int().min(1).optional().meta({
  description:
    "rows of the smallest cluster of the best cut; rows in none are noise (default: 5, less for few rows and for large exclusive groups)",
});

const K = z.int().min(1).optional().meta({ description: "number of clusters to cut into" });
const HEIGHT = z.number().min(0).optional().meta({ description: "cut where merges get higher than this, instead of at k" });

export const cutOptions = {
  k: K,
  height: HEIGHT,
  cut: z.enum(CUTS).optional().meta({
    description:
      "cut into k clusters, at the height, or best: at no one height, to keep the most constraint weight and then the most stable clusters (default: k with -k, best without)",
  }),
  minClusterSize: minClusterSizeOption,
};

export interface CutRequest {
  readonly k?: number | undefined;
  readonly height?: number | undefined;
  readonly cut?: Cut | undefined;
  readonly minClusterSize?: number | undefined;
}

/** The cut that the options ask for; throws where they do not go together. */
export function checkedCut({ k, height, cut, minClusterSize }: CutRequest, n: number): Cut {
  const way = cut ?? (k !== undefined ? "k" : height !== undefined ? "height" : "best");
  if (way === "k" && k === undefined) throw badOption("k", undefined, 'given with the cut "k"');
  if (way === "height" && height === undefined) throw badOption("height", undefined, 'given with the cut "height"');
  if (way !== "height" && height !== undefined)
    throw badOption("height", height, way === "k" ? "left out when k is given" : 'left out with the cut "best"');
  if (way === "height" && k !== undefined) throw badOption("k", k, 'left out with the cut "height"');
  if (way !== "best" && minClusterSize !== undefined)
    throw badOption("minClusterSize", minClusterSize, 'left out unless the cut is "best"');
  if (k !== undefined && k > n) throw new CoterieError({ code: "k-too-large", k, n });
  return way;
}

/** Whether the options of a hierarchy ask for the best cut. */
export function asksForBest({ k, height, cut }: CutRequest): boolean {
  return cut === "best" || (cut === undefined && k === undefined && height === undefined);
}
