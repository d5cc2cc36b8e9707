/** Every method of the catalogue, on the fast kernels. Called directly or through `cluster`, a method is the same. */
import * as core from "@coterie/core/internal";
import { sharedKernels } from "./shared-kernels.js";

/**
 * k-means: k groups around their means. Looks at no constraint.
 *
 * ```ts
 * kmeans(points, undefined, { k: 3, seed: 7 }).centres;
 * ```
 */
export const kmeans = /* @__PURE__ */ core.withKernels(core.kmeans, sharedKernels);

/**
 * COP-k-means (Wagstaff and others 2001): k-means that keeps every constraint. Throws an error that names the clash if none can.
 *
 * ```ts
 * copKmeans(points, known, { k: 3, minSize: 5 }).sizes;
 * ```
 */
export const copKmeans = /* @__PURE__ */ core.withKernels(core.copKmeans, sharedKernels);

/**
 * PCK-means (Bilenko, Basu, Mooney 2004): k-means with a price on every constraint that it breaks.
 *
 * ```ts
 * pckMeans(points, known, { k: 3 }).violations.mustLink;
 * ```
 */
export const pckMeans = /* @__PURE__ */ core.withKernels(core.pckMeans, sharedKernels);

/**
 * MK-means (Bilenko, Basu, Mooney 2004): k-means under a metric that the constraints shape.
 *
 * ```ts
 * mkMeans(points, known, { k: 3 }).metric?.matrices;
 * ```
 */
export const mkMeans = /* @__PURE__ */ core.withKernels(core.mkMeans, sharedKernels);

/**
 * MPCK-means (Bilenko, Basu, Mooney 2004): k-means with a price on broken constraints and a metric that is learned from them.
 *
 * ```ts
 * mpckMeans(points, known, { k: 3, metrics: "multiple" }).objective;
 * ```
 */
export const mpckMeans = /* @__PURE__ */ core.withKernels(core.mpckMeans, sharedKernels);

/**
 * Supervised means (Bilenko, Basu, Mooney 2004): each row goes to the nearest centroid of must-linked rows, once.
 *
 * ```ts
 * supervisedMeans(points, known, { k: 3 }).labels;
 * ```
 */
export const supervisedMeans = /* @__PURE__ */ core.withKernels(core.supervisedMeans, sharedKernels);

/**
 * RCA and k-means (Bar-Hillel and others 2003): k-means under a metric in which must-linked rows are close.
 *
 * ```ts
 * rcaKmeans(points, known, { k: 3 }).metric?.matrices;
 * ```
 */
export const rcaKmeans = /* @__PURE__ */ core.withKernels(core.rcaKmeans, sharedKernels);

/**
 * k-means with a weight for each column that relative constraints teach (Schultz and Joachims 2004).
 *
 * ```ts
 * svmKmeans(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3 }).metric?.matrices;
 * ```
 */
export const svmKmeans = /* @__PURE__ */ core.withKernels(core.svmKmeans, sharedKernels);

/**
 * ReCon (Liu, Zhang, Wang 2011): a hierarchy that induces every relative constraint, and keeps all others.
 *
 * ```ts
 * recon(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3 }).merges;
 * ```
 */
export const recon = /* @__PURE__ */ core.withKernels(core.recon, sharedKernels);

/**
 * Constrained complete linkage (Klein, Kamvar, Manning 2002): constraints change the distances, and the linkage does the rest.
 *
 * ```ts
 * const { labels, merges, violations } = ccl(points, known, { k: 3 });
 * ```
 */
export const ccl = /* @__PURE__ */ core.withKernels(core.ccl, sharedKernels);

/**
 * HDBSCAN* (Campello, Moulavi, Zimek, Sander 2015): as many clusters as density says, rows between them as noise; constraints choose the cut.
 *
 * ```ts
 * density(points, known, { minClusterSize: 10 }).noise;
 * ```
 */
export const density = /* @__PURE__ */ core.withKernels(core.density, sharedKernels);

/**
 * Complete linkage: merges the two groups whose farthest rows are closest.
 *
 * ```ts
 * completeLink(points, undefined, { k: 3 }).merges;
 * ```
 */
export const completeLink = /* @__PURE__ */ core.withKernels(core.completeLink, sharedKernels);

/**
 * Single linkage: merges the two groups whose nearest rows are closest.
 *
 * ```ts
 * singleLink(points, undefined, { height: 1.5 }).k;
 * ```
 */
export const singleLink = /* @__PURE__ */ core.withKernels(core.singleLink, sharedKernels);

/**
 * Average linkage: merges the two groups of least mean distance between their rows.
 *
 * ```ts
 * averageLink(points, undefined, { k: 3, distance: "cosine" }).labels;
 * ```
 */
export const averageLink = /* @__PURE__ */ core.withKernels(core.averageLink, sharedKernels);

/**
 * Weighted linkage: like average linkage, with the two halves of a group weighing the same.
 *
 * ```ts
 * weightedLink(points, undefined, { k: 3 }).labels;
 * ```
 */
export const weightedLink = /* @__PURE__ */ core.withKernels(core.weightedLink, sharedKernels);

/**
 * Ward's linkage: merges the two groups that add least to the variance within groups.
 *
 * ```ts
 * ward(points, undefined, { k: 3 }).merges;
 * ```
 */
export const ward = /* @__PURE__ */ core.withKernels(core.ward, sharedKernels);

/**
 * Centroid linkage: merges the two groups whose means are closest.
 *
 * ```ts
 * centroidLink(points, undefined, { k: 3 }).labels;
 * ```
 */
export const centroidLink = /* @__PURE__ */ core.withKernels(core.centroidLink, sharedKernels);

/**
 * Median linkage: like centroid linkage, with the two halves of a group weighing the same.
 *
 * ```ts
 * medianLink(points, undefined, { k: 3 }).labels;
 * ```
 */
export const medianLink = /* @__PURE__ */ core.withKernels(core.medianLink, sharedKernels);

/**
 * ClusILC (Struyf and Džeroski 2007): a tree under constraints that says each cluster as a rule.
 *
 * ```ts
 * clusilc(points, known, { k: 3 }).rules; // ["if petal_length <= 2.45", …]
 * ```
 */
export const clusilc = /* @__PURE__ */ core.withKernels(core.clusilc, sharedKernels);
