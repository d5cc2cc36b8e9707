/** The cases by name, in the order in which they run. A new case needs a file in this folder and its name here. */
const NAMES =
  "distances linkage ccl density kmeans embeddings sizes mpck mpck-quality trees questions scores csv memory start closure diagnosis relative".split(
    " ",
  );

/** @type {Readonly<Record<string, () => Promise<{ readonly default: import("../context.mjs").Case }>>>} */
export const cases = Object.fromEntries(NAMES.map((name) => [name, () => import(`./${name}.mjs`)]));
