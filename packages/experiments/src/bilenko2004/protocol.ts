/**
 * Section 4.1: five folds; pairs drawn at random from the rows of four of them; all rows clustered; pairwise F on the fifth. A run
 * is the mean over its folds. All schemes see the same folds and pairs; every number of constraints is drawn for itself.
 */
import { drawFolds, generateConstraints, heldOutF, randomFrom, trainingPart } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import type { Size, TrialTable } from "../frame/paper.js";
import { repeated } from "../frame/trials.js";
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
  /** Columns of F, and how each clusters. */
  readonly schemes: Readonly<Record<string, Scheme>>;
  /** Of these, whether they converged and how often the objective rose. */
  readonly watched?: readonly string[];
  /** How much longer than a plain clustering all of them take. */
  readonly factor: number;
}

/** All schemes on the same folds and pairs: the seed of a run is the same in all tables. */
export function schemesTable({ name, runs, counts = COUNTS, schemes, watched = [], factor }: TableOptions): TrialTable {
  return {
    name,
    keys: ["set", "count", "run"],
    values: [...Object.keys(schemes), ...watched.flatMap((scheme) => [`${scheme} converged`, `${scheme} rises`])],
    trials: (size, seed) =>
      SETS.flatMap((set) =>
        counts[size].flatMap((count) =>
          repeated(runs[size], seed, `bilenko2004 ${set.title}`, {
            key: { set: set.title, count },
            needs: [set.name],
            cost: FOLDS * set.cost * factor,
          }),
        ),
      ),
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

/** The share of iterations in which the objective rose, by more than rounding. */
function risesIn({ history = [] }: Clustered): number {
  const rises = history.filter((value, at) => at > 0 && value > history[at - 1]! + 1e-9 * Math.abs(history[at - 1]!));
  return history.length < 2 ? 0 : rises.length / (history.length - 1);
}
