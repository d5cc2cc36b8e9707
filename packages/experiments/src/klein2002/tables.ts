/** The tables of figures 8, 9 and 11: the accuracies of all methods on the same constraints. */

import { generateConstraints, type Mix, randomFrom } from "@coterie/core/internal";
import { repeated, seedFor, type Trial } from "@coterie/workbench/trials";
import type { Size, TrialTable } from "../frame/paper.js";
import { crossed } from "../grid.js";
import { type DataSet, rowsOf, SYNTHETIC, setNamed, TABLES } from "./data-sets.js";
import { ACTIVE, accuracyOf, activeClustering, CCL, CKM, CKM_OURS, METHODS, PASSIVE, type Passive } from "./methods.js";

export const RUNS = { quick: 6, full: 50 } as const;

export function countsOf({ counts, quick }: DataSet, size: Size): readonly number[] {
  return size === "quick" ? quick : counts;
}

function runSeed(seed: number, set: DataSet, run: number): number {
  return seedFor(seed, `klein2002 ${set.name}`, run);
}

function trialsOf(sets: readonly DataSet[], size: Size, seed: number, runs: number, factor: number): Trial[] {
  return sets.flatMap((set) =>
    countsOf(set, size).flatMap((count) =>
      Array.from({ length: runs }, (_, run) => ({
        key: { set: set.name, count, run },
        seed: runSeed(seed, set, run),
        needs: set.needs,
        cost: set.cost * factor,
      })),
    ),
  );
}

function curvesTable(name: string, sets: readonly DataSet[]): TrialTable {
  return {
    name,
    keys: ["set", "count", "run"],
    values: PASSIVE,
    trials: (size, seed) => trialsOf(sets, size, seed, RUNS[size], PASSIVE.length),
    async measure({ key, seed }) {
      const set = setNamed(key.set as string);
      const random = randomFrom(seed);
      const rows = await rowsOf(set, random);
      const count = key.count as number;
      const known = generateConstraints(rows.truth, { count, random: random.split("constraints", count) });
      return Object.fromEntries(
        PASSIVE.map((method) => [method, accuracyOf(METHODS[method](rows, known, set.k, seed), rows, known)]),
      );
    },
  };
}

export const syntheticCurves = curvesTable("synthetic", SYNTHETIC);
export const realCurves = curvesTable("real", TABLES);

/**
 * The table of active CCL. Its dialogue is deterministic, so there is one run for each real data set, and one for each draw of a synthetic
 * set.
 */
function activeTable(name: string, sets: readonly DataSet[], runs: Readonly<Record<Size, number>>): TrialTable {
  return {
    name,
    keys: ["set", "count", "run"],
    values: [ACTIVE],
    trials: (size, seed) => trialsOf(sets, size, seed, runs[size], 4),
    async measure({ key, seed }) {
      const set = setNamed(key.set as string);
      const rows = await rowsOf(set, randomFrom(seed));
      const { labels, known } = activeClustering(rows, set.k, key.count as number);
      return { [ACTIVE]: accuracyOf(labels, rows, known) };
    },
  };
}

export const syntheticActive = activeTable("synthetic-active", SYNTHETIC, RUNS);
export const realActive = activeTable("real-active", TABLES, { quick: 1, full: 1 });

export const MIXES: Readonly<Record<string, Mix>> = {
  "must-links only": 1,
  "cannot-links only": 0,
  "half and half": 0.5,
  "as in the data": "proportional",
};

export const MIXED = [CCL, CKM, CKM_OURS] as const satisfies readonly Passive[];

function mixCounts(set: DataSet, size: Size): readonly number[] {
  return size === "quick"
    ? set.quick.filter((count) => set.counts.indexOf(count) % 2 === 0)
    : set.counts.filter((_, at) => at % 2 === 0);
}

export const mixes: TrialTable = {
  name: "mixes",
  keys: ["set", "mix", "count", "run"],
  values: MIXED,
  trials: (size, seed) =>
    crossed(TABLES, Object.keys(MIXES), (set, mix) =>
      mixCounts(set, size).flatMap((count) =>
        repeated(RUNS[size], seed, `klein2002 ${set.name}, ${mix}`, {
          key: { set: set.name, mix, count },
          needs: set.needs,
          cost: set.cost * MIXED.length,
        }),
      ),
    ).flat(),
  async measure({ key, seed }) {
    const set = setNamed(key.set as string);
    const random = randomFrom(seed);
    const rows = await rowsOf(set, random);
    const count = key.count as number;
    const known = generateConstraints(rows.truth, {
      count,
      mix: MIXES[key.mix as string]!,
      random: random.split("constraints", count),
    });
    return Object.fromEntries(
      MIXED.map((method) => [method, accuracyOf(METHODS[method](rows, known, set.k, seed), rows, known)]),
    );
  },
};
