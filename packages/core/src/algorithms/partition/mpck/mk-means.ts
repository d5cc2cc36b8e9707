/**
 * MK-means: k-means with a learned metric. Constraints shape the metric alone: neither the start nor the assignment looks at them.
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, section 4.2.
 *
 * Departs from the paper: it starts from k-means++ (`init: "perturbed"` is the paper's); hard constraints are kept always. The
 * objective is that of equation 6, which the assignment does not see: with constraints it may rise.
 */

import { z } from "zod";
import { underMetrics } from "../../cost.js";
import { defineMethod } from "../../define-method.js";
import { SOFT } from "../../method.js";
import { costs, distance, FAMILY, familyWork, iterationOptions, k, metricOptions, PLAIN } from "./options.js";

const mkMeansOptions = z.strictObject({ k, ...metricOptions, costs, ...iterationOptions("k-means++"), distance });

export type MkMeansOptions = z.input<typeof mkMeansOptions>;

/** Clusters rows around k means under a metric that the constraints shape. */
export const mkMeans = defineMethod({
  name: "mk-means",
  title: "MK-means",
  summary: "k-means with a learned metric; constraints shape the metric alone",
  ...FAMILY,
  treats: SOFT,
  seconds: underMetrics,
  ...familyWork(mkMeansOptions, ({ metrics, matrix, ...options }) => ({
    ...PLAIN,
    ...options,
    learning: { metrics, matrix },
  })),
});
