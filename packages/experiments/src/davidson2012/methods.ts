/** The four algorithms of the paper, each from given first centres, so that runs differ by their constraints alone. */
import {
  type ConstraintSet,
  CoterieError,
  copKMeans,
  type Instances,
  kMeans,
  mkMeans,
  mpckMeans,
  pckMeans,
  type Random,
  type Result,
} from "@coterie/core";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";

const kernels = createSimdKernels();

export const METHODS = ["CKM", "PKM", "MKM", "MPKM"] as const;
export type Method = (typeof METHODS)[number];

type Centres = number[][];
type Run = (points: Instances, constraints: ConstraintSet, options: { k: number; init: Centres }) => Result;

const RUNS: Readonly<Record<Method, Run>> = {
  CKM: (points, constraints, options) => copKMeans(points, constraints, { ...options, faithful: true, kernels }),
  PKM: (points, constraints, options) => pckMeans(points, constraints, { ...options, kernels }),
  MKM: (points, constraints, options) => mkMeans(points, constraints, { ...options, kernels }),
  MPKM: (points, constraints, options) => mpckMeans(points, constraints, { ...options, kernels }),
};

/** The paper's data sets; k is the number of their classes. */
export const DATA = ["glass", "ionosphere", "iris-fisher", "wine"] as const;
export type Data = (typeof DATA)[number];
export const K: Readonly<Record<Data, number>> = { glass: 6, ionosphere: 2, "iris-fisher": 3, wine: 3 };

export async function load(data: Data): Promise<Instances> {
  return await readTable(data, { truth: "class" });
}

/** Different rows, drawn at random. */
export function randomCentres({ n, d, x }: Instances, k: number, random: Random): Centres {
  return Array.from(random.split("centres").sample(n, k), (row) => Array.from(x.subarray(row * d, (row + 1) * d)));
}

/** What a method makes of the constraints, or null where it finds no clustering that it may give. */
export function labelsOf(method: Method, points: Instances, constraints: ConstraintSet, k: number, init: Centres): Result | null {
  try {
    return RUNS[method](points, constraints, { k, init });
  } catch (error) {
    if (error instanceof CoterieError) return null;
    throw error;
  }
}

/** The Rand index against the classes, over all pairs. */
export function randOf(method: Method, points: Instances, constraints: ConstraintSet, k: number, init: Centres): number | null {
  return labelsOf(method, points, constraints, k, init)?.scores?.rand ?? null;
}

/** Plain k-means from the same centres. */
export function plainRand(points: Instances, k: number, init: Centres): number {
  return kMeans(points, { k, init, kernels }).scores!.rand;
}
