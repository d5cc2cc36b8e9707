/**
 * Section 4.1: the rows are split into five folds. Pairs are drawn at random from four folds, all rows are clustered, and pairwise F is
 * computed on the fifth fold. The result of a run is the mean over its folds. All methods use the same folds and pairs; each number of
 * constraints has its own draw.
 */

import { drawFolds, generateConstraints, heldOutF, randomFrom, trainingPart } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { repeated } from "@coterie/workbench/trials";
import type { Size, TrialTable } from "../frame/paper.js";
import { crossed } from "../grid.js";
import type { Clustered, Scheme, Task } from "./schemes.js";
import { type DataSet, rowsOf, SETS, setTitled } from "./sets.js";

export const FOLDS = 5;
export const COUNTS: Readonly<Record<Size, readonly number[]>> = {
  quick: [0, 25, 50, 100, 400],
  full: [0, 25, 50, 100, 200, 300, 400],
};

const kernels = createSimdKernels();

export interface TableOptions {
  readonly name: string;
  readonly runs: Readonly<Record<Size, number>>;
  readonly counts?: Readonly<Record<Size, readonly number[]>>;
  /** The methods by name. Each name is also the name of a column with the F values of the method. */
  readonly schemes: Readonly<Record<string, Scheme>>;
  readonly watched?: readonly string[];
  /** Estimated processor time of all methods together, as a multiple of the time of one plain clustering. */
  readonly factor: number;
}

/** Makes a table of trials in which all methods get the same folds and pairs. A run has the same seed in all tables. */
export function schemesTable({ name, runs, counts = COUNTS, schemes, watched = [], factor }: TableOptions): TrialTable {
  return {
    name,
    keys: ["set", "count", "run"],
    values: [...Object.keys(schemes), ...watched.flatMap((scheme) => [`${scheme} converged`, `${scheme} rises`])],
    trials: (size, seed) =>
      crossed(SETS, counts[size], (set, count) =>
        repeated(runs[size], seed, `bilenko2004 ${set.title}`, {
          key: { set: set.title, count },
          needs: [set.name],
          cost: FOLDS * set.cost * factor,
        }),
      ).flat(),
    async measure({ key, seed }) {
      const set = setTitled(key.set as string);
      const results = await resultsOf(set, key.count as number, seed, schemes);
      const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
      return {
        ...Object.fromEntries(Object.keys(schemes).map((scheme) => [scheme, mean(results.map((fold) => fold[scheme]!.f))])),
        ...Object.fromEntries(
          watched.flatMap((scheme) => [
            [`${scheme} converged`, mean(results.map((fold) => (fold[scheme]!.result.stopped === "converged" ? 1 : 0)))],
            [`${scheme} rises`, mean(results.map((fold) => risesIn(fold[scheme]!.result)))],
          ]),
        ),
      };
    },
  };
}

type FoldResults = Readonly<Record<string, { readonly result: Clustered; readonly f: number }>>;

async function resultsOf(set: DataSet, count: number, seed: number, schemes: TableOptions["schemes"]): Promise<FoldResults[]> {
  const points = await rowsOf(set);
  const random = randomFrom(seed);
  const folds = drawFolds(points.n, FOLDS, random.split("folds"));
  const k = points.truth.names.length;
  return Array.from({ length: FOLDS }, (_, fold) => {
    const pairs = random.split(`pairs, ${count}`, fold);
    const known = generateConstraints(trainingPart(points.truth, folds, fold), { count, random: pairs });
    const task: Task = { points, known, k, seed: pairs.split("start").int(2 ** 31), kernels };
    return Object.fromEntries(
      Object.entries(schemes).map(([name, scheme]) => {
        const result = scheme(task);
        return [name, { result, f: heldOutF(result.labels, points.truth, folds, fold) }];
      }),
    );
  });
}

/** The share of iterations in which the objective increased, although it should fall. Rounding errors do not count. */
function risesIn({ history = [] }: Clustered): number {
  const rises = history.filter((value, at) => at > 0 && value > history[at - 1]! + 1e-9 * Math.abs(history[at - 1]!));
  return history.length < 2 ? 0 : rises.length / (history.length - 1);
}
