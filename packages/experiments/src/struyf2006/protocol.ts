/**
 * One trial of struyf2006, section 4.1: constraints are drawn from the classes of some rows, all rows are clustered, and the Rand
 * index is taken on all rows, or on a fold that no constraint touches.
 */
import {
  type BuiltConstraints,
  CoterieError,
  clusilc,
  contingency,
  copKMeans,
  generateConstraints,
  type Instances,
  type Kernels,
  type Labelling,
  pairCounts,
  type Random,
  type Result,
  randIndex,
} from "@coterie/core";

const FOLDS = 10;

/** Sets that the paper's COP-k-means may try before a trial counts as without an answer. The paper went on to 100,000. */
export const MOST_DRAWS = 30;

/** The share of the constraints that is held out, and the price of a leaf, in the two ways of cutting a tree back. */
export const HELD_OUT = 0.25;
export const LEAF_COST = 0.01;

/** The authors' program measures the variance of trees in units of each column's, and the distances of COP-k-means as they are. */
export const METHODS = [
  "ClusILC",
  "ClusILC held-out",
  "ClusILC leaf cost",
  "COP faithful",
  "COP repairing",
  "COP repairing scaled",
] as const;
export type Method = (typeof METHODS)[number];

export interface Trial {
  /** NaN without an answer. */
  readonly rand: number;
  /** Leaves of the tree; NaN for methods without one. */
  readonly leaves: number;
  /** Constraint sets drawn until there was an answer. */
  readonly draws: number;
}

export interface Task {
  /** With every column scaled to deviation 1. */
  readonly points: Instances & { readonly truth: Labelling };
  /** The same rows as they are. */
  readonly raw: Instances;
  readonly count: number;
  /** Rows without constraints, on which the answer is judged; none: constraints everywhere, judged on all rows. */
  readonly held: Int32Array;
  readonly random: Random;
  readonly kernels: Kernels;
}

/** Every method on the same constraints; those of the faithful COP-k-means are drawn anew until it succeeds. */
export function trial(task: Task): Record<Method, Trial> {
  const { points, raw, random } = task;
  const k = points.truth.names.length;
  const set = drawn(task, 0);
  const tree = (options: { readonly validation?: number; readonly leafCost?: number }): Trial => {
    const result = clusilc(points, set, { k, seed: random.split("validation").int(2 ** 30), ...options });
    return { rand: randOn(task, result.labels), leaves: result.tree!.leaves, draws: 1 };
  };
  return {
    ClusILC: tree({}),
    "ClusILC held-out": tree({ validation: HELD_OUT }),
    "ClusILC leaf cost": tree({ leafCost: LEAF_COST }),
    "COP faithful": faithfully(task, k),
    "COP repairing": repairing(task, raw, set, k),
    "COP repairing scaled": repairing(task, points, set, k),
  };
}

function repairing(task: Task, points: Instances, set: BuiltConstraints, k: number): Trial {
  const { random, kernels } = task;
  const result = answerOf(() => copKMeans(points, set, { k, restarts: 1, kernels, seed: seedOf(random, 0) }));
  return { rand: result ? randOn(task, result.labels) : Number.NaN, leaves: Number.NaN, draws: 1 };
}

function faithfully(task: Task, k: number): Trial {
  const { raw, random, kernels } = task;
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const options = { k, faithful: true, init: "random", restarts: 1, kernels, seed: seedOf(random, draw) } as const;
    const result = answerOf(() => copKMeans(raw, drawn(task, draw), options));
    if (result) return { rand: randOn(task, result.labels), leaves: Number.NaN, draws: draw + 1 };
  }
  return { rand: Number.NaN, leaves: Number.NaN, draws: MOST_DRAWS };
}

function seedOf(random: Random, draw: number): number {
  return random.split("centres", draw).int(2 ** 30);
}

/** Undefined where the method says that it found no answer. */
function answerOf(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof CoterieError) return undefined;
    throw error;
  }
}

function drawn({ points, count, held, random }: Task, draw: number): BuiltConstraints {
  const codes = points.truth.codes.slice();
  for (const row of held) codes[row] = -1;
  return generateConstraints({ ...points.truth, codes }, { count, random: random.split("constraints", draw) });
}

function randOn({ points, held }: Task, labels: Int32Array): number {
  const { codes } = points.truth;
  if (held.length === 0) return randIndex(pairCounts(contingency(labels, codes)));
  return randIndex(
    pairCounts(
      contingency(
        held.map((row) => labels[row]!),
        held.map((row) => codes[row]!),
      ),
    ),
  );
}

/** The rows in ten parts of nearly equal size. */
export function foldsOf(n: number, random: Random): Int32Array[] {
  const rows = random.sample(n, n);
  return Array.from({ length: FOLDS }, (_, fold) => rows.filter((_row, at) => at % FOLDS === fold).sort());
}
