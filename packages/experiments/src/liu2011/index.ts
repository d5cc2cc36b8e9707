/** Liu, Zhang, Wang (2011): the figures of section 5, the dead ends, and our additions about noise and questions. */

import { largestConsistentTriplets, randomFrom, randomTriplets, recon } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { meanOf, numbersOf, pairedTest, repeated, where, withError } from "@coterie/workbench/trials";
import { testCell } from "../frame/cells.js";
import { ABOUT_IRIS, IRIS, load, titleOf } from "../frame/data.js";
import type { Page, PageData, Paper, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { deadEndPage } from "./dead-ends.js";
import { figure2, figure3, figure4, figure5 } from "./figures.js";
import { questionPage } from "./questions.js";
import { setNamed } from "./sets.js";

/* An addition to the paper: how well `--inconsistent largest` finds wrong constraints that were planted. */

const SETS = [IRIS, "wine", "ionosphere"];
const SHARES = [2, 5, 10, 20];
const RUNS = { quick: 3, full: 20 } as const;
const kernels = createSimdKernels();

const noise: TrialTable = {
  name: "noise",
  keys: ["set", "percent wrong", "run"],
  values: ["planted", "dropped", "dropped that are wrong", "wrong that are dropped", "F without noise", "F with the part kept"],
  trials: (size, seed) =>
    crossed(SETS, SHARES, (set, share) =>
      repeated(RUNS[size], seed, `liu2011 noise, ${set}`, { key: { set, "percent wrong": share }, needs: [set], cost: 500 }),
    ).flat(),
  async measure({ key, seed }) {
    const points = await load(key.set as string);
    const random = randomFrom(seed);
    const count = 2 * points.n;
    const clean = randomTriplets(points.truth, { count, random });
    const noisy = randomTriplets(points.truth, { count, random, noise: (key["percent wrong"] as number) / 100 });
    const wrong = new Set(Array.from(noisy.relative.c.keys()).filter((s) => noisy.relative.c[s] !== clean.relative.c[s]));
    const { dropped } = largestConsistentTriplets(noisy.relative);
    const hits = dropped.filter((s) => wrong.has(s)).length;
    const options = { k: setNamed(key.set as string).k, kernels, cut: "triplets", inconsistent: "largest" } as const;
    return {
      planted: wrong.size,
      dropped: dropped.length,
      "dropped that are wrong": dropped.length === 0 ? 1 : hits / dropped.length,
      "wrong that are dropped": wrong.size === 0 ? 1 : hits / wrong.size,
      "F without noise": recon(points, clean, options).scores!.pairwiseF,
      "F with the part kept": recon(points, noisy, options).scores!.pairwiseF,
    };
  },
};

const noisePage: Page = {
  name: "noise",
  title: "Beyond the paper: what the largest consistent part of wrong constraints leaves out",
  kind: "extra",
  tables: [noise],
  protocol: ({ size }) =>
    `Twice as many random constraints as rows, a share of them made wrong (ac|b for ab|c); centroid linkage, cut at constraints; ${RUNS[size]} runs each. A wrong constraint that contradicts nothing cannot be found. The planted ones are a way to make the set consistent, so a part that drops no more than these is at least as large as the truth. ${ABOUT_IRIS}`,
  claims: [
    {
      id: "noise.largest",
      section: "the paper's open question (section 6)",
      tested: "fewer constraints are dropped than were planted",
      judge: byCells(
        (seen) =>
          crossed(SETS, SHARES, (set, share) => {
            const lines = where(seen.lines(noise), { set, "percent wrong": share });
            const test = pairedTest(numbersOf(lines, "planted"), numbersOf(lines, "dropped"));
            return testCell({ row: titleOf(set), column: `${share}% wrong` }, test, undefined, 1);
          }),
        "above a few dozen conflicts the search is a heuristic.",
      ),
    },
  ],
  results: (seen) => [tableOf(seen)],
};

function tableOf(seen: PageData): ResultTable {
  return {
    title: "Planted and dropped",
    columns: ["set", "wrong", ...noise.values],
    rows: crossed(SETS, SHARES, (set, share) => {
      const lines = where(seen.lines(noise), { set, "percent wrong": share });
      return [
        titleOf(set),
        `${share}%`,
        ...noise.values.map((column, i) => withError(meanOf(numbersOf(lines, column)), i < 2 ? 1 : 3)),
      ];
    }),
  };
}

export const liu2011: Paper = {
  name: "liu2011",
  title: "Liu, Zhang and Wang (2011): Clustering with Relative Constraints",
  pages: [figure2, figure3, figure4, figure5, deadEndPage, noisePage, questionPage],
};
