/**
 * Every method of the catalogue, with the fast WebAssembly kernels. A direct call of a method and a call through `cluster` give the same
 * result. `node tools/api-report.mjs` writes this file from the definitions of the methods.
 */
import * as core from "@coterie/core/internal";
import { sharedKernels, sharedRowKernels } from "./shared-kernels.js";

/**
 * Automatic choice: tries methods and scales on held-out constraints, and clusters with the best. Van Craenendonck, Blockeel: Constraint-based Clustering Selection. 2017.
 *
 * ```ts
 * auto(points, known, { k: 3 }).chosen?.algorithm;
 * ```
 */
export const auto = /* @__PURE__ */ core.withKernels(core.auto, sharedRowKernels);

/**
 * k-means: k groups around their means; ignores constraints. Lloyd: Least squares quantization in PCM. 1982.
 *
 * ```ts
 * kmeans(points, undefined, { k: 3, seed: 7 }).centres;
 * ```
 */
export const kmeans = /* @__PURE__ */ core.withKernels(core.kmeans, sharedRowKernels);

/**
 * COP-k-means: k-means that satisfies every constraint, also within size bounds; fails if no clustering can. Wagstaff, Cardie, Rogers, Schroedl: Constrained K-means Clustering with Background Knowledge. 2001.
 *
 * ```ts
 * copKmeans(points, known, { k: 3, minSize: 5 }).sizes;
 * ```
 */
export const copKmeans = /* @__PURE__ */ core.withKernels(core.copKmeans, sharedRowKernels);

/**
 * PCK-means: k-means with a penalty for every broken constraint. Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004.
 *
 * ```ts
 * pckMeans(points, known, { k: 3 }).violations.mustLink;
 * ```
 */
export const pckMeans = /* @__PURE__ */ core.withKernels(core.pckMeans, sharedRowKernels);

/**
 * MK-means: k-means with a metric that is learned from the constraints; constraints have no other effect. Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004.
 *
 * ```ts
 * mkMeans(points, known, { k: 3 }).metric?.matrices;
 * ```
 */
export const mkMeans = /* @__PURE__ */ core.withKernels(core.mkMeans, sharedRowKernels);

/**
 * MPCK-means: k-means with a penalty for every broken constraint, and one learned metric or a metric for each cluster. Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004.
 *
 * ```ts
 * mpckMeans(points, known, { k: 3, metrics: "multiple" }).objective;
 * ```
 */
export const mpckMeans = /* @__PURE__ */ core.withKernels(core.mpckMeans, sharedRowKernels);

/**
 * Supervised means: assigns each row, once, to the nearest centroid of must-linked rows. Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004.
 *
 * ```ts
 * supervisedMeans(points, known, { k: 3 }).labels;
 * ```
 */
export const supervisedMeans = /* @__PURE__ */ core.withKernels(core.supervisedMeans, sharedRowKernels);

/**
 * RCA and k-means: k-means under a metric in which must-linked rows are close. Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. 2003; Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004.
 *
 * ```ts
 * rcaKmeans(points, known, { k: 3 }).metric?.matrices;
 * ```
 */
export const rcaKmeans = /* @__PURE__ */ core.withKernels(core.rcaKmeans, sharedRowKernels);

/**
 * k-means with a metric from relative constraints: k-means with a weight for each column, learned from relative constraints. Schultz, Joachims: Learning a Distance Metric from Relative Comparisons. 2004.
 *
 * ```ts
 * svmKmeans(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3 }).metric?.matrices;
 * ```
 */
export const svmKmeans = /* @__PURE__ */ core.withKernels(core.svmKmeans, sharedRowKernels);

/**
 * Gaussian mixture: each cluster has its own size, spread and direction; each row has a probability for each cluster. Shental, Bar-Hillel, Hertz, Weinshall: Computing Gaussian Mixture Models with EM Using Equivalence Constraints. 2003; Lu, Leen: Semi-supervised Learning with Penalized Probabilistic Clustering. 2004.
 *
 * ```ts
 * mixture(points, known, { k: 3 }).labels;
 * ```
 */
export const mixture = /* @__PURE__ */ core.withKernels(core.mixture, sharedRowKernels);

/**
 * ReCon: builds a hierarchy that satisfies every relative constraint, and keeps all other constraints. Liu, Zhang, Wang: Clustering with Relative Constraints. 2011.
 *
 * ```ts
 * recon(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 3 }).merges;
 * ```
 */
export const recon = /* @__PURE__ */ core.withKernels(core.recon, sharedKernels);

/**
 * Constrained complete linkage: merges rows by distances that the constraints changed; keeps must-links, and cannot-links if k clusters can keep them. Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. 2002.
 *
 * ```ts
 * const { labels, merges, violations } = ccl(points, known, { k: 3 });
 * ```
 */
export const ccl = /* @__PURE__ */ core.withKernels(core.ccl, sharedKernels);

/**
 * HDBSCAN*: finds how many clusters there are by density; rows between them are noise; constraints choose the cut. Campello, Moulavi, Zimek, Sander: Hierarchical Density Estimates for Data Clustering. 2015.
 *
 * ```ts
 * density(points, known, { minClusterSize: 10 }).noise;
 * ```
 */
export const density = /* @__PURE__ */ core.withKernels(core.density, sharedKernels);

/**
 * Duplicates: finds rows that describe the same thing, such as a person in several lists, and how many things there are. Fellegi, Sunter: A Theory for Record Linkage. 1969; Bansal, Blum, Chawla: Correlation Clustering. 2004.
 *
 * ```ts
 * duplicates(points, known, { threshold: 0.9 }).matches;
 * ```
 */
export const duplicates = /* @__PURE__ */ core.withKernels(core.duplicates, sharedRowKernels);

/**
 * Complete linkage: merges the two groups whose farthest rows are closest. Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011.
 *
 * ```ts
 * completeLink(points, undefined, { k: 3 }).merges;
 * ```
 */
export const completeLink = /* @__PURE__ */ core.withKernels(core.completeLink, sharedKernels);

/**
 * Single linkage: merges the two groups whose nearest rows are closest. Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011.
 *
 * ```ts
 * singleLink(points, undefined, { height: 1.5 }).k;
 * ```
 */
export const singleLink = /* @__PURE__ */ core.withKernels(core.singleLink, sharedKernels);

/**
 * Average linkage: merges the two groups with the least mean distance between their rows. Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011.
 *
 * ```ts
 * averageLink(points, undefined, { k: 3, distance: "cosine" }).labels;
 * ```
 */
export const averageLink = /* @__PURE__ */ core.withKernels(core.averageLink, sharedKernels);

/**
 * Weighted linkage: like average-link, with equal weight for the two halves of a group. Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011.
 *
 * ```ts
 * weightedLink(points, undefined, { k: 3 }).labels;
 * ```
 */
export const weightedLink = /* @__PURE__ */ core.withKernels(core.weightedLink, sharedKernels);

/**
 * Ward linkage: merges the two groups whose merge adds least to the variance within groups. Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011.
 *
 * ```ts
 * ward(points, undefined, { k: 3 }).merges;
 * ```
 */
export const ward = /* @__PURE__ */ core.withKernels(core.ward, sharedKernels);

/**
 * Centroid linkage: merges the two groups whose means are closest. Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011.
 *
 * ```ts
 * centroidLink(points, undefined, { k: 3 }).labels;
 * ```
 */
export const centroidLink = /* @__PURE__ */ core.withKernels(core.centroidLink, sharedKernels);

/**
 * Median linkage: like centroid-link, with equal weight for the two halves of a group. Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011.
 *
 * ```ts
 * medianLink(points, undefined, { k: 3 }).labels;
 * ```
 */
export const medianLink = /* @__PURE__ */ core.withKernels(core.medianLink, sharedKernels);

/**
 * ClusILC: grows a tree under constraints and describes each cluster by a rule. Struyf, Džeroski: Clustering Trees with Instance Level Constraints. 2007.
 *
 * ```ts
 * clusilc(points, known, { k: 3 }).rules; // ["if petal_length <= 2.45", …]
 * ```
 */
export const clusilc = /* @__PURE__ */ core.withKernels(core.clusilc, sharedRowKernels);
