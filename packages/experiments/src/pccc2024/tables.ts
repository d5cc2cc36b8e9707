/** The trials of the benchmark. Each trial runs a method on a data set with a share of constraints, and plain k-means on the same rows. */
import {
  adjustedRandIndex,
  auto,
  type BuiltConstraints,
  CoterieError,
  contingency,
  copKmeans,
  type Instances,
  kmeans,
  mixture,
  pairCounts,
  pckMeans,
  type Result,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import type { Size, TrialTable } from "../frame/paper.js";
import { timed } from "../frame/thread-time.js";
import { constraintsOf, type DataSet, rowsOf, SETS, setNamed } from "./instances.js";

const kernels = createSimdKernels();

export const COP = "cop-kmeans";
export const PCK = "pck-means";
export const PLAIN = "k-means";

type Run = (points: Instances, known: BuiltConstraints, options: { readonly k: number; readonly seed: number }) => Result;

const RUNS: Readonly<Record<string, Run>> = {
  [COP]: (points, known, options) => copKmeans(points, known, { ...options, kernels }),
  [PCK]: (points, known, options) => pckMeans(points, known, { ...options, kernels }),
  mixture: (points, known, options) => mixture(points, known, { ...options, kernels }),
  auto: (points, known, options) => auto(points, known, { ...options, kernels }),
};
export const METHODS = Object.keys(RUNS);

export const runs: TrialTable = {
  name: "runs",
  keys: ["set", "share", "method"],
  values: ["adjusted Rand", "broken", "objective", "ms", PLAIN, "k-means ms"],
  timed: ["ms", "k-means ms"],
  trials: (size, seed) =>
    METHODS.flatMap((method) =>
      SETS.flatMap((set) =>
        set.shares
          .filter((share) => isRun(set, share, method, size))
          .map((share) => ({ key: { set: set.name, share, method }, seed, needs: set.needs, cost: costOf(set, method) })),
      ),
    ),
  async measure({ key, seed }) {
    const set = setNamed(key.set as string);
    const points = await rowsOf(set);
    const { codes } = points.truth;
    const known = constraintsOf(points, key.share as number);
    const { n, d, x, scaleGiven } = points;
    // The rows are passed without their classes, so that no method can use the classes.
    const rows: Instances = { n, d, x, ...(scaleGiven ? { scaleGiven } : {}) };
    const options = { k: set.k, seed } as const;
    const plain = timed(() => kmeans(rows, undefined, { ...options, restarts: 10, kernels }));
    const { result, milliseconds } = timed(() => answerOf(() => RUNS[key.method as string]!(rows, known, options)));
    return {
      "adjusted Rand": result && adjustedRand(result, codes),
      broken: result && result.violations.mustLink.length + result.violations.cannotLink.length,
      objective: result?.objective ?? null,
      ms: milliseconds,
      [PLAIN]: adjustedRand(plain.result, codes),
      "k-means ms": plain.milliseconds,
    };
  },
};

function answerOf(run: () => Result): Result | null {
  try {
    return run();
  } catch (error) {
    if (error instanceof CoterieError) return null;
    throw error;
  }
}

function adjustedRand({ labels }: Result, codes: Int32Array): number {
  return adjustedRandIndex(pairCounts(contingency(labels, codes)));
}

/**
 * The smallest share of constraints for which a slow method runs, by method and collection. Infinity means never. With 50 clusters,
 * `mixture` takes half a minute and `auto` two minutes.
 */
const SLOW: Readonly<Record<string, Readonly<Record<DataSet["collection"], number>>>> = {
  mixture: { COL1: 0, COL2: 0.5, COL3: Infinity, COL4: Infinity },
  auto: { COL1: 0, COL2: Infinity, COL3: Infinity, COL4: Infinity },
};
const QUICK = { COL1: 0, COL2: 0.5, COL3: 0.2, COL4: 0.05 } as const;

function isRun({ collection }: DataSet, share: number, method: string, size: Size): boolean {
  if (share < (SLOW[method]?.[collection] ?? 0)) return false;
  return size === "full" || collection === "COL1" || (method === COP && share >= QUICK[collection]);
}

function costOf({ n, k }: DataSet, method: string): number {
  if (!(method in SLOW)) return 20 + (n * k) / 50;
  return ((method === "auto" ? 5 : 1) * n * k * (k + 10)) / 30;
}
