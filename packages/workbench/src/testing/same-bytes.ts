/** Runs whose bytes must not depend on the engine, the kernels, the threads or the workers; and their digest. */
import {
  type ConstraintSet,
  closeConstraints,
  drain,
  generateConstraints,
  type Instances,
  type Kernels,
  nearestRowSteps,
  pointsFromRows,
  type Result,
  randomFrom,
} from "@coterie/core/internal";
import { columnComparison, neighbourhoodsSteps } from "@coterie/core/layout";
import type { Pool } from "../pool.js";
import { run } from "../run.js";

/** The digest of all runs below, as first computed with the plain kernels in Node. */
export const EXPECTED_DIGEST = "c680852e";

/** 9,000 rows in three chunks, so that sums cross chunk borders. */
function manyRows(): Instances {
  const random = randomFrom(11);
  return pointsFromRows(
    Array.from({ length: 9_000 }, (_, i) => Array.from({ length: 5 }, () => random.normal() + (i % 4) * 1.5)),
  );
}

function fewRows(): Instances {
  const random = randomFrom(12);
  return pointsFromRows(Array.from({ length: 150 }, () => Array.from({ length: 3 }, () => Math.round(random.normal() * 4) / 4)));
}

const RUNS = [
  { points: manyRows, algorithm: "kmeans", options: { k: 6, restarts: 5 } },
  { points: manyRows, algorithm: "kmeans", options: { k: 3, init: "random", restarts: 3, maxIterations: 7 } },
  ...["complete-link", "single-link", "average-link", "weighted-link", "ward", "centroid-link", "median-link"].map(
    (algorithm) => ({
      points: fewRows,
      algorithm,
      options: { k: 7 },
    }),
  ),
  { points: fewRows, algorithm: "average-link", options: { k: 7, distance: "cosine", storage: "f32" } },
  { points: fewRows, algorithm: "ccl", options: { k: 4 } },
  { points: fewRows, algorithm: "ccl", options: { k: 4, storage: "f32" } },
  { points: manyRows, algorithm: "kmeans", options: { k: 4, restarts: 2, learnedMetric: "rca" } },
  { points: fewRows, algorithm: "average-link", options: { k: 4, learnedMetric: "rca" } },
];

/** Forty constraints that are true of four made-up classes. */
function knownAbout({ n }: Instances): ConstraintSet {
  const truth = { codes: Int32Array.from({ length: n }, (_, i) => i % 4), names: ["a", "b", "c", "d"] };
  return generateConstraints(truth, { count: 40, random: randomFrom(13) });
}

export interface Surroundings {
  readonly kernels: Kernels;
  readonly pool?: Pool;
}

export async function digestOfRuns(surroundings: Surroundings): Promise<string> {
  let hash = 0x811c9dc5;
  const pause = () => new Promise<void>((resume) => setTimeout(resume, 0));
  for (const { points, algorithm, options } of RUNS) {
    const instances = points();
    const { result } = await run(instances, knownAbout(instances), { algorithm, options, seed: 5 }, { ...surroundings, pause });
    for (const byte of bytesOf(result)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}

/** The digest of the maps below, as first computed with the plain kernels in Node. */
export const EXPECTED_MAPS = "c1c1b24b";

/** Neighbourhoods from exact lists and from approximate lists, cold and from earlier positions. */
export async function digestOfMaps(kernels: Kernels): Promise<string> {
  const random = randomFrom(21);
  const [n, d] = [1_500, 12];
  const x = Float64Array.from({ length: n * d }, (_, p) => random.normal() + ((Math.floor(p / d) + p) % 5));
  const points = pointsFromRows(Array.from({ length: n }, (_, i) => [...x.subarray(i * d, (i + 1) * d)]));
  const seen = columnComparison(points);
  const cold = drain(neighbourhoodsSteps(points, seen, { kernels }));
  const closure = closeConstraints(knownAbout(points));
  const warm = drain(neighbourhoodsSteps(points, seen, { kernels, before: Float32Array.from(cold), closure }));
  const { distances } = drain(nearestRowSteps({ n, d, x }, 8, { kernels, exactRows: 100 }));
  let hash = 0x811c9dc5;
  for (const part of [cold, warm, distances])
    for (const byte of new Uint8Array(part.buffer)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

function bytesOf({ labels, objective = 0, history = [], centres = [], merges = [] }: Result): Uint8Array {
  const numbers = Float64Array.from([
    ...labels,
    objective,
    ...history,
    ...centres.flatMap((centre) => [...centre]),
    ...merges.flat(),
  ]);
  return new Uint8Array(numbers.buffer);
}
