/** The four algorithms of the paper. If they get the same first centres, their runs differ only by the constraints. */

import {
  type ConstraintSet,
  CoterieError,
  copKmeans,
  emptyConstraints,
  type Instances,
  kmeans,
  mkMeans,
  mpckMeans,
  pckMeans,
  type Random,
  type Result,
} from "@coterie/core/internal";
import { curvesFigure } from "@coterie/figures";
import { createSimdKernels } from "@coterie/kernels";
import { shareOf } from "@coterie/workbench/trials";
import { IRIS, titleOf } from "../frame/data.js";
import type { Picture } from "../frame/paper.js";

const kernels = createSimdKernels();

export const METHODS = ["CKM", "PKM", "MKM", "MPKM"] as const;
export type Method = (typeof METHODS)[number];

export const OURS = ["PCK (ours)", "MPCK (ours)"] as const;
export type Ours = (typeof OURS)[number];

export type Centres = number[][];

export interface Start {
  readonly k: number;
  readonly init: Centres;
  readonly seed: number;
}

const RUNS: Readonly<Record<Method | Ours, (points: Instances, constraints: ConstraintSet, start: Start) => Result>> = {
  CKM: (points, constraints, start) => copKmeans(points, constraints, { ...start, faithful: true, kernels }),
  PKM: (points, constraints, start) => pckMeans(points, constraints, { ...start, faithful: true, costs: "unit", kernels }),
  MKM: (points, constraints, start) => mkMeans(points, constraints, { ...start, kernels }),
  MPKM: (points, constraints, start) => mpckMeans(points, constraints, { ...start, faithful: true, kernels }),
  "PCK (ours)": (points, constraints, start) => pckMeans(points, constraints, { ...start, kernels }),
  "MPCK (ours)": (points, constraints, start) => mpckMeans(points, constraints, { ...start, kernels }),
};

export const DATA = ["glass", "ionosphere", IRIS, "wine"] as const;
export type Data = (typeof DATA)[number];
export const K: Readonly<Record<Data, number>> = { glass: 6, ionosphere: 2, [IRIS]: 3, wine: 3 };

export const ALGORITHMS =
  "CKM is COP-k-means, which fails at a row without a legal cluster; PKM is PCK-means with unit costs; MKM is k-means with a diagonal metric learned from the constraints (MK-means); MPKM is MPCK-means with one diagonal metric. All are as their papers print them: one start, rows move one by one. Columns are not scaled; glass has 9 columns, without the number of the sample that makes 10 in the paper.";

export function randomCentres({ n, d, x }: Instances, k: number, random: Random): Centres {
  return Array.from(random.split("centres").sample(n, k), (row) => Array.from(x.subarray(row * d, (row + 1) * d)));
}

export function resultOf(method: Method | Ours, points: Instances, constraints: ConstraintSet, start: Start): Result | null {
  try {
    return RUNS[method](points, constraints, start);
  } catch (error) {
    if (error instanceof CoterieError) return null;
    throw error;
  }
}

export function randOf(method: Method | Ours, points: Instances, constraints: ConstraintSet, start: Start): number | null {
  return resultOf(method, points, constraints, start)?.scores?.rand ?? null;
}

export function aloneRand(method: Method | Ours, points: Instances, start: Start): number {
  return randOf(method, points, emptyConstraints(points.n), start)!;
}

export function plainRand(points: Instances, { k, init }: Start): number {
  return kmeans(points, undefined, { k, init, kernels }).scores!.rand;
}

/**
 * Draws the share of constraint sets for which COP-k-means finds no clustering. randAt: the Rand index for each constraint set, null if
 * there is no clustering.
 */
export function failurePicture<Kind extends string>(
  { title, xLabel, xs, kinds }: { title: string; xLabel: string; xs: readonly number[]; kinds: readonly Kind[] },
  randAt: (set: Data, kind: Kind, x: number) => readonly (number | null)[],
): Picture {
  return {
    name: "failures",
    caption: `Share of ${randAt("wine", kinds[0]!, xs[0]!).length} sets for which COP-k-means (CKM) finds no clustering; bars are standard errors.`,
    svg: () =>
      curvesFigure({
        title,
        columns: 4,
        xLabel,
        yLabel: "sets without a clustering",
        yDomain: [-0.02, 1.02],
        panels: DATA.map((set) => ({
          title: `${titleOf(set)}, CKM`,
          series: kinds.map((kind) => ({
            name: kind,
            points: xs.map((x) => {
              const values = randAt(set, kind, x);
              const { mean, error } = shareOf(values.filter((rand) => rand === null).length, values.length);
              return { x, y: mean, error };
            }),
          })),
        })),
      }),
  };
}
