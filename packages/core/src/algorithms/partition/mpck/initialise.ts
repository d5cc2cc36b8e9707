/**
 * First centres (bilenko2004, section 3.1). Neighbourhoods are the must-link components of two or more rows. With at least k of them, a
 * weighted farthest-first traversal chooses k centroids: it starts with the largest neighbourhood and always adds the one of largest
 * size · distance to the chosen centroids. With fewer than k, all centroids are used; each remaining centre is the mean of all rows plus
 * normal noise of half a standard deviation per feature.
 */
import { badInput } from "../../../errors.js";
import { type Kernels, plainKernels } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import { type Points, rowValues } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { squareBetween } from "../../metric/metrics.js";
import { plusPlusByKernels, randomRows } from "../seeding.js";
import { type Links, meansOfLists } from "./constraints/links.js";

export type Init = "neighbourhoods" | "perturbed" | "k-means++" | "random" | readonly (readonly number[])[];

const NOISE = 0.5;

/** `neighbourhoods`: result of `neighbourhoodCentres`, passed by callers with several starts. */
export function* firstCentresSteps(
  points: Points,
  links: Links,
  k: number,
  init: Init,
  random: Random,
  neighbourhoods?: readonly Float64Array[],
  kernels: Kernels = plainKernels,
): Steps<Float64Array> {
  switch (init) {
    case "neighbourhoods":
      return withPerturbedMeans(neighbourhoods ?? neighbourhoodCentres(points, links, k), () => columnMoments(points), k, random);
    case "perturbed":
      return withPerturbedMeans([], () => columnMoments(points), k, random);
    case "k-means++":
      return yield* plusPlusByKernels(points, k, random, kernels);
    case "random":
      return randomRows(points, k, random);
    default:
      return givenCentres(init, k, points.d);
  }
}

export function givenCentres(rows: readonly (readonly number[])[], k: number, d: number): Float64Array {
  if (rows.length !== k || rows.some((row) => row.length !== d)) {
    throw badInput(
      `The first centres are ${rows.length} rows of ${rows[0]?.length ?? 0} numbers; ${k} rows of ${d} are needed.`,
      {
        remedy: "Give one row per cluster; nominal columns count one number per level.",
      },
    );
  }
  return Float64Array.from(rows.flat());
}

/** The centroids of at most k neighbourhoods. */
export function neighbourhoodCentres(
  points: Pick<Points, "d" | "x" | "rowWeights">,
  { members, componentCount }: Pick<Links, "members" | "componentCount">,
  k: number,
): Float64Array[] {
  const { d } = points;
  const { size, weight, mean } = meansOfLists(members, points);
  const chosen = Array.from(upTo(componentCount)).filter((c) => size[c]! >= 2);
  const centroids = chosen.map((c) => mean.slice(c * d, (c + 1) * d));
  if (centroids.length < k) return centroids;
  const weights = chosen.map((c) => weight[c]!);
  return farthestFirst(centroids, weights, k).map((c) => centroids[c]!);
}

/** Weighted farthest-first traversal: k indices; on ties the lower index. */
export function farthestFirst(centroids: readonly Float64Array[], sizes: readonly number[], k: number): number[] {
  const chosen = [sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size), 0))];
  const nearest = new Float64Array(centroids.length).fill(Infinity);
  while (chosen.length < k) {
    const last = centroids[chosen.at(-1)!]!;
    let next = -1;
    let farthest = -1;
    centroids.forEach((centroid, c) => {
      nearest[c] = Math.min(nearest[c]!, Math.sqrt(squareBetween(centroid, 0, last, 0, last.length)));
      if (sizes[c]! * nearest[c]! > farthest && !chosen.includes(c)) {
        farthest = sizes[c]! * nearest[c]!;
        next = c;
      }
    });
    chosen.push(next);
  }
  return chosen;
}

/** `momentsOf`: mean and variance of each column, called where centres are missing. */
export function withPerturbedMeans(
  first: readonly Float64Array[],
  momentsOf: () => { readonly mean: Float64Array; readonly variance: Float64Array },
  k: number,
  random: Random,
): Float64Array {
  const missing = first.length < k ? momentsOf() : null;
  const rest = Array.from({ length: k - first.length }, () =>
    missing!.mean.map((value, j) => value + NOISE * Math.sqrt(missing!.variance[j]!) * random.normal()),
  );
  return Float64Array.from([...first, ...rest].flatMap((centre) => [...centre]));
}

/** Mean and population variance of each column; exact for a constant column. */
export function columnMoments(points: Points): { readonly mean: Float64Array; readonly variance: Float64Array } {
  const { n, d, rowWeights } = points;
  const x = rowValues(points);
  const all = rowWeights ? rowWeights.reduce((sum, weight) => sum + weight, 0) : n;
  const mean = new Float64Array(d);
  const variance = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    const weight = rowWeights ? rowWeights[i]! : 1;
    for (let j = 0, p = i * d; j < d; j++) mean[j]! += weight * x[p + j]!;
  }
  for (let j = 0; j < d; j++) {
    let p = j;
    while (p < n * d && x[p] === x[j]) p += d;
    mean[j] = p >= n * d ? x[j]! : mean[j]! / all;
  }
  for (let i = 0; i < n; i++) {
    const weight = rowWeights ? rowWeights[i]! : 1;
    for (let j = 0, p = i * d; j < d; j++) {
      const t = x[p + j]! - mean[j]!;
      variance[j]! += weight * (t * t);
    }
  }
  return { mean, variance: variance.map((sum) => sum / all) };
}
