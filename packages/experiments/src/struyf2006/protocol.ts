/**
 * Section 4.1: constraints are drawn from the classes of some rows, all rows are clustered, and the Rand index is computed on all rows,
 * or on a fold without constraints.
 */

import {
  type BuiltConstraints,
  CoterieError,
  clusilc,
  contingency,
  copKmeans,
  generateConstraints,
  type Instances,
  pairCounts,
  type Random,
  type Result,
  randIndex,
  randomFrom,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { repeated, seedFor, type Trial, type Values } from "@coterie/workbench/trials";
import { type Labelled, load } from "../frame/data.js";
import type { TrialTable } from "../frame/paper.js";
import { timed } from "../frame/thread-time.js";

import { type DataSet, SETS, setNamed } from "./sets.js";

export const FOLDS = 10;
/** Maximum number of constraint sets that COP-k-means tries in one trial. The paper's maximum is 100,000. */
export const MOST_DRAWS = 1000;

export const TREE = "ClusILC";
export const PRINTED = "ClusILC, label rule as printed";
export const CKM = "COP-k-means";
export const CKM_OURS = "cop-kmeans (ours)";
export const CKM_SCALED = "cop-kmeans (ours), scaled columns";
export const SHOWN = [TREE, PRINTED, CKM, CKM_OURS, CKM_SCALED] as const;

const kernels = createSimdKernels();

function trialsOf(how: string, seedOf: (seed: number, set: DataSet, run: number) => number): TrialTable["trials"] {
  return (size, seed) =>
    SETS.flatMap((set) =>
      set.counts[size].flatMap((count) =>
        Array.from({ length: set.runs[size] }, (_, run) => ({
          key: { set: set.name, count, run },
          seed: seedOf(seed, set, run),
          needs: [set.name],
          cost: how === "all" ? set.cost : 0.9 * set.cost,
        })),
      ),
    );
}

export const allData: TrialTable = {
  name: "all-data",
  keys: ["set", "count", "run"],
  values: [...SHOWN, "leaves", "leaves as printed", "sets drawn", "seconds"],
  timed: ["seconds"],
  trials: trialsOf("all", (seed, { name }, run) => seedFor(seed, `struyf2006 all data, ${name}`, run)),
  measure: async (trial) => await measure(trial, () => new Int32Array(0)),
};

export const crossValidated: TrialTable = {
  name: "cross-validated",
  keys: ["set", "count", "run"],
  values: [...SHOWN, "leaves", "leaves as printed", "sets drawn", "seconds"],
  timed: ["seconds"],
  // Ten runs share a partition of the rows into folds, so they share the seed that draws the partition.
  trials: trialsOf("cv", (seed, { name }, run) => seedFor(seed, `struyf2006 folds, ${name}`, Math.floor(run / FOLDS))),
  measure: async (trial) =>
    await measure(trial, (n, random) => foldsOf(n, random.split("folds"))[(trial.key.run as number) % FOLDS]!),
};

interface Drawing {
  readonly points: Labelled;
  readonly count: number;
  /** The rows that get no constraints and are scored. If empty, constraints are drawn from all rows, and all rows are scored. */
  readonly held: Int32Array;
  readonly random: Random;
}

async function measure({ key, seed }: Trial, heldOf: (n: number, random: Random) => Int32Array): Promise<Values> {
  const set = setNamed(key.set as string);
  const [scaled, raw] = [await load(set.name, "zscore"), await load(set.name)];
  const [count, run] = [key.count as number, key.run as number];
  const random = randomFrom(seed);
  const drawing = { points: scaled, count, held: heldOf(scaled.n, random), random: random.split(`constraints, ${count}`, run) };
  const known = drawn(drawing, 0);
  const k = scaled.truth.names.length;
  const tree = timed(() => clusilc(scaled, known, { k }));
  const printed = clusilc(scaled, known, { k, labelRule: "any" });
  const cop = faithfully(drawing, raw, k);
  const start = { k, restarts: 1, kernels, seed: seedAt(drawing.random, 0) } as const;
  return {
    [TREE]: randOn(drawing, tree.result),
    [PRINTED]: randOn(drawing, printed),
    [CKM]: randOn(drawing, cop.result),
    [CKM_OURS]: randOn(
      drawing,
      resultOf(() => copKmeans(raw, known, start)),
    ),
    [CKM_SCALED]: randOn(
      drawing,
      resultOf(() => copKmeans(scaled, known, start)),
    ),
    leaves: tree.result.tree!.leaves,
    "leaves as printed": printed.tree!.leaves,
    "sets drawn": cop.draws,
    seconds: tree.milliseconds / 1000,
  };
}

function faithfully(drawing: Drawing, raw: Instances, k: number): { readonly result: Result | null; readonly draws: number } {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const options = { k, faithful: true, init: "random", restarts: 1, kernels, seed: seedAt(drawing.random, draw) } as const;
    const result = resultOf(() => copKmeans(raw, drawn(drawing, draw), options));
    if (result) return { result, draws: draw + 1 };
  }
  return { result: null, draws: MOST_DRAWS };
}

function seedAt(random: Random, draw: number): number {
  return random.split("centres", draw).int(2 ** 30);
}

function resultOf(run: () => Result): Result | null {
  try {
    return run();
  } catch (error) {
    if (error instanceof CoterieError) return null;
    throw error;
  }
}

function drawn({ points, count, held, random }: Drawing, draw: number): BuiltConstraints {
  const codes = points.truth.codes.slice();
  for (const row of held) codes[row] = -1;
  return generateConstraints({ ...points.truth, codes }, { count, random: random.split("constraints", draw) });
}

function randOn({ points, held }: Drawing, result: Result | null): number | null {
  if (!result) return null;
  const { codes } = points.truth;
  if (held.length === 0) return randIndex(pairCounts(contingency(result.labels, codes)));
  const of = (values: Int32Array): Int32Array => held.map((row) => values[row]!);
  return randIndex(pairCounts(contingency(of(result.labels), of(codes))));
}

export function foldsOf(n: number, random: Random): Int32Array[] {
  const rows = random.sample(n, n);
  return Array.from({ length: FOLDS }, (_, fold) => rows.filter((_row, at) => at % FOLDS === fold).sort());
}

/** Settings of our two ways of pruning a tree. HELD_OUT: the share of constraints that are held out. LEAF_COST: the cost of each leaf. */
export const HELD_OUT = 0.25;
export const LEAF_COST = 0.01;
export const CUT_BACK = ["whole tree", "held-out constraints (ours)", "cost per leaf (ours)"] as const;
const PRUNED: Readonly<Record<(typeof CUT_BACK)[number], object>> = {
  "whole tree": {},
  "held-out constraints (ours)": { validation: HELD_OUT },
  "cost per leaf (ours)": { leafCost: LEAF_COST },
};

export const pruned: TrialTable = {
  name: "cut-back",
  keys: ["set", "run"],
  values: CUT_BACK.flatMap((how) => [how, `${how}, leaves`]),
  trials: (size, seed) =>
    SETS.flatMap((set) =>
      repeated(
        set.name === "pendig" ? { quick: 1, full: 10 }[size] : { quick: 3, full: 20 }[size],
        seed,
        `struyf2006 cut back, ${set.name}`,
        { key: { set: set.name }, needs: [set.name], cost: set.cost },
      ),
    ),
  async measure({ key, seed }) {
    const set = setNamed(key.set as string);
    const points = await load(set.name, "zscore");
    const random = randomFrom(seed);
    const held = foldsOf(points.n, random.split("folds"))[0]!;
    const drawing = { points, count: set.counts.full.at(-1)!, held, random };
    const known = drawn(drawing, 0);
    return Object.fromEntries(
      CUT_BACK.flatMap((how) => {
        const result = clusilc(points, known, { k: points.truth.names.length, seed, ...PRUNED[how] });
        return [
          [how, randOn(drawing, result)],
          [`${how}, leaves`, result.tree!.leaves],
        ];
      }),
    );
  },
};

/** Maximum number of constraint sets that the paper's COP-k-means tries in one trial of this table, as in the paper. */
const PATIENCE = 100_000;
const DRAWN: Readonly<
  Record<string, Readonly<Record<"quick" | "full", { readonly counts: readonly number[]; readonly runs: number }>>>
> = {
  wine: {
    quick: { counts: [100, 300], runs: 4 },
    full: { counts: [50, 100, 150, 200, 250, 300, 350, 400, 500], runs: 60 },
  },
  "heart-statlog": { quick: { counts: [100], runs: 2 }, full: { counts: [100, 200, 300, 400, 500], runs: 4 } },
  "liver-disorders": { quick: { counts: [100], runs: 2 }, full: { counts: [100, 200, 300, 400, 500], runs: 4 } },
  ionosphere: { quick: { counts: [100], runs: 2 }, full: { counts: [100, 200, 300, 400, 500], runs: 4 } },
};
export const DRAWN_SETS = Object.keys(DRAWN);

export const draws: TrialTable = {
  name: "sets-drawn",
  keys: ["set", "count", "run"],
  values: ["sets"],
  trials: (size, seed) =>
    DRAWN_SETS.flatMap((set) =>
      DRAWN[set]![size].counts.flatMap((count) =>
        repeated(DRAWN[set]![size].runs, seed, `struyf2006 draws, ${set}, ${count}`, {
          key: { set, count },
          needs: [set],
          cost: set === "wine" ? 300 : count === 100 ? 30 : 30_000,
        }),
      ),
    ),
  async measure({ key, seed }) {
    const raw = await load(key.set as string);
    const random = randomFrom(seed);
    const drawing = { points: raw, count: key.count as number, held: new Int32Array(0), random };
    const k = raw.truth.names.length;
    for (let draw = 0; draw < PATIENCE; draw++) {
      const options = { k, faithful: true, init: "random", restarts: 1, kernels, seed: seedAt(random, draw) } as const;
      if (resultOf(() => copKmeans(raw, drawn(drawing, draw), options))) return { sets: draw + 1 };
    }
    return { sets: null };
  },
};
