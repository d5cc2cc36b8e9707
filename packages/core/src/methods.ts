/** Every method by its name. Made from the imports of catalogue.ts by `node tools/api-report.mjs`. */
export { auto } from "./algorithms/auto/index.js";
export { ccl } from "./algorithms/hierarchical/ccl/index.js";
export { density } from "./algorithms/hierarchical/density/index.js";
export {
  averageLink,
  centroidLink,
  completeLink,
  medianLink,
  singleLink,
  ward,
  weightedLink,
} from "./algorithms/hierarchical/linkage.js";
export { recon } from "./algorithms/hierarchical/recon/index.js";
export { duplicates } from "./algorithms/pairs/index.js";
export { copKmeans } from "./algorithms/partition/cop/index.js";
export { kmeans } from "./algorithms/partition/kmeans.js";
export { mixture } from "./algorithms/partition/mixture/index.js";
export { mkMeans, mpckMeans, pckMeans, rcaKmeans, supervisedMeans } from "./algorithms/partition/mpck/methods.js";
export { svmKmeans } from "./algorithms/partition/svm-kmeans.js";
export { clusilc } from "./algorithms/tree/clusilc.js";
