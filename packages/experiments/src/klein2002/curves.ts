/** Learning curves: the accuracy of each method at each number of constraints, over runs that share their constraints. */
import { generateConstraints, type Mix, randomFrom } from "@coterie/core";
import type { CurvePanel } from "@coterie/figures";
import { meanOf } from "../statistics.js";
import type { DataSet } from "./data-sets.js";
import { ACTIVE, type Accuracy, activeAccuracy, type Method } from "./methods.js";

export interface Cell {
  readonly count: number;
  /** One for each run. */
  readonly values: readonly Accuracy[];
}

export interface Curve {
  readonly name: string;
  readonly cells: readonly Cell[];
}

export interface CurvesOf {
  readonly data: string;
  readonly curves: readonly Curve[];
}

export interface Drawing {
  readonly seed: number;
  readonly runs: number;
  /** How many of the pairs are must-links; as they fall if left out. */
  readonly mix?: Mix;
}

/** Every method sees the same sets of constraints. */
export function passiveCurves(
  { name, k, counts, rows }: DataSet,
  methods: Readonly<Record<string, Method>>,
  { seed, runs, mix = "random" }: Drawing,
): Curve[] {
  const values = new Map(Object.keys(methods).map((method) => [method, counts.map((): Accuracy[] => [])]));
  for (let run = 0; run < runs; run++) {
    const random = randomFrom(seed).split(name, run);
    const instances = rows(random.split("rows"));
    counts.forEach((count, at) => {
      const known = generateConstraints(instances.truth!, { count, mix, random: random.split("constraints", count) });
      for (const [method, accuracy] of Object.entries(methods)) values.get(method)![at]!.push(accuracy(instances, known, k, run));
    });
  }
  return [...values].map(([method, found]) => ({
    name: method,
    cells: found.map((cell, at) => ({ count: counts[at]!, values: cell })),
  }));
}

/** The dialogue has nothing random in it: a table is asked about once, a synthetic set once for each drawing. */
export function activeCurve({ name, k, counts, rows, drawn }: DataSet, { seed, runs }: Drawing): Curve {
  const values = counts.map((): number[] => []);
  for (let run = 0; run < (drawn ? runs : 1); run++) {
    const instances = rows(randomFrom(seed).split(name, run).split("rows"));
    counts.forEach((count, at) => {
      values[at]!.push(activeAccuracy(instances, k, count));
    });
  }
  return { name: ACTIVE, cells: values.map((cell, at) => ({ count: counts[at]!, values: cell })) };
}

/** A mean is shown where at least half of the runs have a clustering. */
export function meanAt({ values }: Cell): number | null {
  const found = values.filter((value) => value !== null);
  return 2 * found.length < values.length || found.length === 0 ? null : meanOf(found).mean;
}

export function panelOf({ data, curves }: CurvesOf): CurvePanel {
  return {
    title: data,
    series: curves.map(({ name, cells }) => ({
      name,
      points: cells.flatMap((cell) => {
        const y = meanAt(cell);
        return y === null ? [] : [{ x: cell.count, y, error: meanOf(cell.values.filter((value) => value !== null)).error }];
      }),
    })),
  };
}

/** Mean accuracy, or the share of runs without a clustering where that is more than none. */
export function tableRows({ data, curves }: CurvesOf): (string | number)[][] {
  return curves.map(({ name, cells }) => [
    data,
    name,
    ...cells.map((cell) => {
      const failed = cell.values.filter((value) => value === null).length;
      const mean = meanAt(cell);
      const shown = mean === null ? "–" : mean.toFixed(3);
      return failed === 0 ? shown : `${shown} (${Math.round((100 * failed) / cell.values.length)}% without)`;
    }),
  ]);
}
