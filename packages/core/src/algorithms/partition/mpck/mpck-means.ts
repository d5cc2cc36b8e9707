/**
 * MPCK-means: k-means that keeps to constraints at a price and learns its metric, or one for each cluster, as it goes.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 *
 * Departs from the paper: with a single metric a violated must-link weighs 1 in equations 7 and 8, as the minimiser of equation
 * 6 has it, not ½; above 20,000 rows the bound 4·max ‖x - mean‖² stands in for the farthest pair; weights count, and hard
 * constraints are kept always; the paper has one start, ours ten, of which a typical one is kept.
 */

import { z } from "zod";
import { underMetrics } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { SOFT } from "../../method.js";
import {
  costs,
  distance,
  FAMILY,
  familyWork,
  iterationOptions,
  k,
  keep,
  metricOptions,
  PLAIN,
  searchOptions,
} from "./options.js";

export const mpckMeansOptions = z.strictObject({
  k,
  ...metricOptions,
  costs,
  ...iterationOptions("neighbourhoods"),
  ...searchOptions,
  keep,
  distance,
});

export type MpckMeansOptions = z.input<typeof mpckMeansOptions>;

/** Clusters rows around k means, with a price on broken constraints and a metric learned from them. */
export const mpckMeans = defineMethod({
  name: "mpck-means",
  title: "MPCK-means",
  summary: "k-means with a price on broken constraints and a metric learned from them, or one for each cluster",
  ...FAMILY,
  treats: SOFT,
  seconds: underMetrics,
  ...familyWork(mpckMeansOptions, ({ metrics, matrix, ...options }) => ({
    ...PLAIN,
    ...options,
    search: options.faithful ? 0 : options.search,
    penalty: "metric",
    learning: { metrics, matrix },
  })),
});
