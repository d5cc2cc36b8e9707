/** Pairwise F of the five schemes over growing sets of statements, run by run. */
import type { ConstraintSet, Random } from "@coterie/core";
import { randomFrom } from "@coterie/core";
import type { CurvePanel } from "@coterie/figures";
import type { ResultTable, Setting } from "../experiment.js";
import { meanOf, withError } from "../statistics.js";
import { isPlain, SCHEMES, type Scheme, scoreOf } from "./schemes.js";
import { type Loaded, load, runsOn, SETS, type SetOf } from "./sets.js";

export interface Cells {
  readonly set: SetOf;
  readonly counts: readonly number[];
  /** By scheme, then by count, the F of each run. */
  readonly values: Readonly<Record<Scheme, readonly (readonly number[])[]>>;
}

/** Draws a set of so many statements. */
export type Draw = (points: Loaded, count: number, random: Random) => ConstraintSet;

export async function cellsOf(
  setting: Setting,
  draw: Draw,
  countsOf: (points: Loaded) => readonly number[],
  schemes: readonly Scheme[] = SCHEMES,
): Promise<Cells[]> {
  const cells: Cells[] = [];
  for (const set of SETS) {
    const points = await load(set.name);
    const counts = countsOf(points);
    const runs = runsOn(set, setting.quick);
    const values = Object.fromEntries(SCHEMES.map((scheme) => [scheme, counts.map((): number[] => [])])) as Record<
      Scheme,
      number[][]
    >;
    for (let run = 0; run < runs; run++) {
      const random = randomFrom(setting.seed).split(set.name, run);
      const plain = new Map(schemes.filter(isPlain).map((scheme) => [scheme, plainScore(scheme, points, draw, set, run)]));
      counts.forEach((count, at) => {
        const drawn = draw(points, count, random.split("statements", at));
        for (const scheme of schemes) values[scheme][at]!.push(plain.get(scheme) ?? scoreOf(scheme, points, drawn, set.k, run));
      });
    }
    setting.log(`${set.name}: ${runs} runs`);
    cells.push({ set, counts, values });
  }
  return cells;
}

function plainScore(scheme: Scheme, points: Loaded, draw: Draw, set: SetOf, run: number): number {
  return scoreOf(scheme, points, draw(points, 0, randomFrom(0)), set.k, run);
}

export function panelsOf(cells: readonly Cells[], schemes: readonly Scheme[] = SCHEMES): CurvePanel[] {
  return cells.map(({ set, counts, values }) => ({
    title: set.name,
    series: schemes.map((scheme) => ({
      name: scheme,
      points: counts.map((x, at) => {
        const { mean, error } = meanOf(values[scheme][at]!);
        return { x, y: mean, error };
      }),
    })),
  }));
}

/** Means at the largest count. */
export function lastTable(title: string, cells: readonly Cells[], schemes: readonly Scheme[] = SCHEMES): ResultTable {
  return {
    title,
    columns: ["set", "runs", "statements", ...schemes],
    rows: cells.map(({ set, counts, values }) => [
      set.name,
      values[schemes[0]!].at(-1)!.length,
      counts.at(-1)!,
      ...schemes.map((scheme) => withError(meanOf(values[scheme].at(-1)!))),
    ]),
  };
}

export function last(cells: Cells, scheme: Scheme): readonly number[] {
  return cells.values[scheme].at(-1)!;
}

export function deviationOf(values: readonly number[]): number {
  const { error, count } = meanOf(values);
  return error * Math.sqrt(count);
}
