/** First centres of a plan: from must-linked neighbourhoods (bilenko2004, section 3.1), or from a sample of all rows. */
import { farthestFirst } from "../algorithms/partition/mpck/initialise.js";
import { plusPlusSteps, randomRows } from "../algorithms/partition/seeding.js";
import { closeConstraints } from "../constraints/index.js";
import { badInput } from "../errors.js";
import type { Random } from "../random/index.js";
import type { Problem } from "./problem.js";
import { type Plan, pausing } from "./requests.js";

const NOISE = 0.5;

export function* firstCentres(problem: Problem, random: Random): Plan<Float64Array> {
  const { input, sample } = problem;
  const { k, init = input.method === "kmeans" || input.method === "cop-kmeans" ? "k-means++" : "neighbourhoods" } = input.options;
  const d = problem.range.length;
  const points = { n: sample.n, d, x: sample.x };
  if (init === "k-means++") return yield* pausing(plusPlusSteps(points, k, random));
  if (init === "random") return randomRows(points, k, random);
  if (init === "neighbourhoods") return neighbourhoodCentres(problem, k, random);
  if (init === "perturbed") return withPerturbed(problem, [], k, random);
  if (init.length !== k || init.some((row) => row.length !== d)) {
    throw badInput(
      `The first centres are ${init.length} rows of ${init[0]?.length ?? 0} numbers; ${k} rows of ${d} are needed.`,
      {
        remedy: "Give one row per cluster.",
      },
    );
  }
  const { scaling } = problem;
  return Float64Array.from(init.flat(), (value, p) =>
    scaling ? (value - scaling.offset[p % d]!) / scaling.factor[p % d]! : value,
  );
}

function neighbourhoodCentres(problem: Problem, k: number, random: Random): Float64Array {
  const { x, n, input } = problem;
  const d = problem.range.length;
  const centroids: Float64Array[] = [];
  const sizes: number[] = [];
  if (n > 0) {
    const { members, componentCount } = closeConstraints(input.constraints);
    for (let c = 0; c < componentCount; c++) {
      const rows = members.items.subarray(members.start[c]!, members.start[c + 1]!);
      if (rows.length < 2) continue;
      const centroid = new Float64Array(d);
      for (const row of rows) for (let j = 0; j < d; j++) centroid[j]! += x[row * d + j]!;
      centroids.push(centroid.map((sum) => sum / rows.length));
      sizes.push(rows.length);
    }
  }
  if (centroids.length < k) return withPerturbed(problem, centroids, k, random);
  const centres = new Float64Array(k * d);
  farthestFirst(centroids, sizes, k).forEach((c, h) => {
    centres.set(centroids[c]!, h * d);
  });
  return centres;
}

/** The mean of all rows with noise stands in for the centres that no neighbourhood gives. */
function withPerturbed({ mean, variances }: Problem, first: readonly Float64Array[], k: number, random: Random): Float64Array {
  const d = mean.length;
  const centres = new Float64Array(k * d);
  for (let h = 0; h < k; h++) {
    for (let j = 0; j < d; j++) {
      centres[h * d + j] = first[h]?.[j] ?? mean[j]! + NOISE * Math.sqrt(variances[j]!) * random.normal();
    }
  }
  return centres;
}
