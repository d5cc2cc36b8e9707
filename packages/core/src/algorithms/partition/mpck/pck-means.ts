/**
 * PCK-means: k-means with a price on broken constraints. It starts from must-linked neighbourhoods and moves rows greedily.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, equation 1.
 *
 * Departs from the paper: weights count in units of the mean squared distance to the mean of all rows (`costs: "unit"` is the
 * paper's), since a unit price on raw data can be nothing or everything; hard constraints are kept always.
 */

import { z } from "zod";
import { aroundMeans } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { SOFT } from "../../method.js";
import { withLearnedMetric } from "../../metric/learned.js";
import { costs, distance, FAMILY, familyWork, iterationOptions, k, PLAIN, searchOptions } from "./options.js";

const pckMeansOptions = z.strictObject({ k, costs, ...iterationOptions("neighbourhoods"), ...searchOptions, distance });

export type PckMeansOptions = z.input<typeof pckMeansOptions>;

/** Clusters rows around k means, with a price on every constraint that is broken. */
export const pckMeans = defineMethod({
  name: "pck-means",
  title: "PCK-means",
  summary: "k-means with a price on every constraint that it breaks",
  ...FAMILY,
  treats: SOFT,
  seconds: aroundMeans(3),
  ...withLearnedMetric(
    familyWork(pckMeansOptions, ({ costs, distance, ...options }) => ({
      ...PLAIN,
      ...options,
      search: options.faithful ? 0 : options.search,
      penalty: "cost",
      relativeCosts: costs === "relative",
      spherical: distance === "cosine",
    })),
  ),
});
