/** The methods of Coterie and the words they share: the table of contents of the library. */
export { z } from "zod";
export { chooseMetric, METRICS } from "./algorithms/distance.js";
export { type EncodedColumn, encodedColumns, ONE_HOT, oneHot } from "./algorithms/encode.js";
export { finish, renumber } from "./algorithms/finish.js";
export { type Linkage, type LinkageOptions, linkage } from "./algorithms/hierarchical/linkage.js";
export { cutAtHeight, cutToK, orderMerges } from "./algorithms/hierarchical/merges.js";
export {
  betterOutcome,
  type Context,
  type Input,
  type Method,
  type Outcome,
  type Treatment,
  type Treatments,
} from "./algorithms/method.js";
export { type LinearMaps, mapPoints, matricesOf } from "./algorithms/metric/linear-maps.js";
export { type LearnedMetric, type RcaOptions, rca } from "./algorithms/metric/rca.js";
export { type KMeansOptions, kMeans } from "./algorithms/partition/kmeans.js";
export { type MkMeansOptions, mkMeans } from "./algorithms/partition/mk-means.js";
export { type MpckMeansOptions, mpckMeans } from "./algorithms/partition/mpck-means.js";
export { type PckMeansOptions, pckMeans } from "./algorithms/partition/pck-means.js";
export { type RcaKMeansOptions, rcaKMeans } from "./algorithms/partition/rca-kmeans.js";
export { type SupervisedMeansOptions, supervisedMeans } from "./algorithms/partition/supervised-means.js";
export { catalogue, findMethod } from "./catalogue.js";
export * from "./constraints/index.js";
export * from "./errors.js";
export * from "./kernels/index.js";
export * from "./measures/index.js";
export type * from "./model/constraint-set.js";
export { editDistance, nearestName } from "./model/names.js";
export * from "./model/points.js";
export type * from "./model/result.js";
export * from "./random/index.js";
export * from "./steps/index.js";
