/** All trials of one data set, gathered by number of constraints, method and way of judging. */
import { type Kernels, type Random, randomFrom } from "@coterie/core";
import { readTable } from "@coterie/data";
import { foldsOf, METHODS, type Method, type Trial, trial } from "./protocol.js";
import type { DataSet } from "./sets.js";

export type Judging = "all" | "cv";

/** The trials of one number of constraints, method by method, in the same order. */
export interface Cell {
  readonly count: number;
  readonly trials: Readonly<Record<Judging, Readonly<Record<Method, readonly Trial[]>>>>;
}

export interface Ran {
  readonly set: DataSet;
  readonly cells: readonly Cell[];
}

export async function runSet(set: DataSet, seed: number, kernels: Kernels, log: (line: string) => void): Promise<Ran> {
  const read = await readTable(set.name, { truth: "class", scale: "zscore" });
  const points = { ...read, truth: read.truth! };
  const raw = await readTable(set.name, { truth: "class" });
  const stream = randomFrom(seed).split(set.name);
  const cells: Cell[] = [];
  for (const count of set.counts) {
    const random = stream.split("count", count);
    const tasks = tasksOf(points.n, set, random);
    const run = (held: readonly Int32Array[], purpose: Judging): Cell["trials"]["all"] =>
      byMethod(held.map((rows, s) => trial({ points, raw, count, held: rows, random: random.split(purpose, s), kernels })));
    cells.push({ count, trials: { all: run(tasks.all, "all"), cv: run(tasks.cv, "cv") } });
    log(`${set.name}, ${count} constraints`);
    await new Promise((resume) => setImmediate(resume));
  }
  return { set, cells };
}

/** The rows that each trial holds out. */
function tasksOf(n: number, { sets, partitions }: DataSet, random: Random): Record<Judging, Int32Array[]> {
  return {
    all: Array.from({ length: sets }, () => new Int32Array(0)),
    cv: Array.from({ length: partitions }, (_, p) => foldsOf(n, random.split("folds", p))).flat(),
  };
}

function byMethod(trials: readonly Record<Method, Trial>[]): Record<Method, Trial[]> {
  return Object.fromEntries(METHODS.map((method) => [method, trials.map((all) => all[method])])) as Record<Method, Trial[]>;
}

/** The Rand indices of a method's trials that had an answer. */
export function randsOf({ trials }: Cell, judging: Judging, method: Method): number[] {
  return trials[judging][method].map(({ rand }) => rand).filter((rand) => !Number.isNaN(rand));
}
