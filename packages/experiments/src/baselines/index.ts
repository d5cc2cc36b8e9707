/**
 * Checks our methods without constraints against other programs. If the results agree, a gain with constraints comes from the constraints
 * and not from a different implementation.
 */

import { kmeans, type Linkage, linkages } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { seedFor } from "@coterie/workbench/trials";
import { numberCell } from "../frame/cells.js";
import { ABOUT_IRIS, IRIS, load, titleOf } from "../frame/data.js";
import type { Paper, TrialTable } from "../frame/paper.js";
import { byCells } from "../grid.js";

interface Case {
  readonly set: string;
  readonly k: number;
  readonly method: "k-means" | Linkage;
  /** The adjusted Rand index of scikit-learn 1.9.1 (10 starts) or SciPy 1.17.1 for the same table. */
  readonly published: number;
}

const CASES: readonly Case[] = [
  { set: IRIS, k: 3, method: "k-means", published: 0.73 },
  { set: IRIS, k: 3, method: "complete", published: 0.642 },
  { set: IRIS, k: 3, method: "ward", published: 0.731 },
  { set: "wine", k: 3, method: "k-means", published: 0.371 },
  { set: "wine", k: 3, method: "average", published: 0.293 },
  { set: "digits", k: 10, method: "complete", published: 0.429 },
  { set: "digits", k: 10, method: "ward", published: 0.794 },
];

const kernels = createSimdKernels();

const scores: TrialTable = {
  name: "agreement",
  keys: ["set", "method"],
  values: ["adjusted Rand"],
  trials: (_, seed) =>
    CASES.map(({ set, method }) => ({ key: { set, method }, seed: seedFor(seed, "baselines"), needs: [set], cost: 300 })),
  async measure({ key, seed }) {
    const { k, method } = CASES.find((one) => one.set === key.set && one.method === key.method)!;
    const points = await load(key.set as string);
    const result =
      method === "k-means"
        ? kmeans(points, undefined, { k, seed, kernels })
        : linkages[method](points, undefined, { k, kernels });
    return { "adjusted Rand": result.scores!.adjustedRand };
  },
};

export const baselines: Paper = {
  name: "baselines",
  title: "Unconstrained k-means and linkage, beside scikit-learn and SciPy",
  pages: [
    {
      name: "agreement",
      title: "Adjusted Rand index of the unconstrained methods, beside scikit-learn's and SciPy's",
      kind: "table",
      tables: [scores],
      protocol: () => `k-means with its default starts; linkages with Euclidean distances. ${ABOUT_IRIS}`,
      claims: [
        {
          id: "agreement.scores",
          section: "not a paper's",
          tested: "the adjusted Rand index is that of scikit-learn 1.9.1 or SciPy 1.17.1 on the same table, within 0.0015",
          published: "7 numbers",
          judge: byCells((seen) =>
            CASES.map(({ set, method, published }) => {
              const line = seen.lines(scores).find((one) => one.set === set && one.method === method)!;
              const ours = { mean: line["adjusted Rand"] as number, error: 0, count: 1 };
              return numberCell({ row: titleOf(set), column: method }, ours, published, 0.0015, (value) => value.toFixed(3));
            }),
          ),
        },
      ],
    },
  ],
};
