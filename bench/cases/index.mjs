/** The cases by name, in the order in which they run. A new case needs a file in this folder and a line here. */

/** @type {Readonly<Record<string, () => Promise<{ readonly default: import("../context.mjs").Case }>>>} */
export const cases = {
  distances: () => import("./distances.mjs"),
  linkage: () => import("./linkage.mjs"),
  ccl: () => import("./ccl.mjs"),
  density: () => import("./density.mjs"),
  kmeans: () => import("./kmeans.mjs"),
  embeddings: () => import("./embeddings.mjs"),
  sizes: () => import("./sizes.mjs"),
  mpck: () => import("./mpck.mjs"),
  "mpck-quality": () => import("./mpck-quality.mjs"),
  trees: () => import("./trees.mjs"),
  questions: () => import("./questions.mjs"),
  scores: () => import("./scores.mjs"),
  csv: () => import("./csv.mjs"),
  memory: () => import("./memory.mjs"),
  start: () => import("./start.mjs"),
  closure: () => import("./closure.mjs"),
  diagnosis: () => import("./diagnosis.mjs"),
  relative: () => import("./relative.mjs"),
};
