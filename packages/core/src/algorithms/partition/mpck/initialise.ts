/**
 * First centres (bilenko2004, section 3.1). Neighbourhoods are the must-link components of two or more rows. With k of them or
 * more, k centroids come from a weighted farthest-first walk: from the largest on, always the one whose distance from those
 * chosen, times its size, is largest. With fewer, all their centroids, and the mean of all rows plus half a standard
 * deviation of normal noise per feature for the rest.
 */
import { badInput } from "../../../errors.js";
import { type Kernels, plainKernels } from "../../../kernels/index.js";
import { type Points, rowValues } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { plusPlusByKernels, randomRows } from "../seeding.js";
import type { Links } from "./constraints/links.js";

export type Init = "neighbourhoods" | "perturbed" | "k-means++" | "random" | readonly (readonly number[])[];

const NOISE = 0.5;

/** `neighbourhoods`: what `neighbourhoodCentres` finds, for those who start several times. */
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
      return withPerturbedMeans(points, neighbourhoods ?? neighbourhoodCentres(points, links, k), k, random);
    case "perturbed":
      return withPerturbedMeans(points, [], k, random);
    case "k-means++":
      return yield* plusPlusByKernels(points, k, random, kernels);
    case "random":
      return randomRows(points, k, random);
    default:
      return givenCentres(init, k, points.d);
  }
}

function givenCentres(rows: readonly (readonly number[])[], k: number, d: number): Float64Array {
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

/** The centroids of the neighbourhoods that centres start from: k of them, or all. */
export function neighbourhoodCentres({ d, x, rowWeights }: Points, links: Links, k: number): Float64Array[] {
  const centroids: Float64Array[] = [];
  const sizes: number[] = [];
  for (let c = 0; c < links.componentCount; c++) {
    const rows = links.members.items.subarray(links.members.start[c]!, links.members.start[c + 1]!);
    if (rows.length < 2) continue;
    const centroid = new Float64Array(d);
    let size = 0;
    for (const row of rows) {
      const weight = rowWeights?.[row] ?? 1;
      size += weight;
      for (let j = 0; j < d; j++) centroid[j]! += weight * x[row * d + j]!;
    }
    centroids.push(centroid.map((sum) => sum / size));
    sizes.push(size);
  }
  return centroids.length < k ? centroids : farthestFirst(centroids, sizes, k).map((c) => centroids[c]!);
}

/** The lower number wins ties. */
export function farthestFirst(centroids: readonly Float64Array[], sizes: readonly number[], k: number): number[] {
  const chosen = [sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size), 0))];
  const nearest = new Float64Array(centroids.length).fill(Infinity);
  while (chosen.length < k) {
    const last = centroids[chosen.at(-1)!]!;
    let next = -1;
    let farthest = -1;
    centroids.forEach((centroid, c) => {
      let square = 0;
      for (let j = 0; j < last.length; j++) square += (centroid[j]! - last[j]!) * (centroid[j]! - last[j]!);
      nearest[c] = Math.min(nearest[c]!, Math.sqrt(square));
      if (sizes[c]! * nearest[c]! > farthest && !chosen.includes(c)) {
        farthest = sizes[c]! * nearest[c]!;
        next = c;
      }
    });
    chosen.push(next);
  }
  return chosen;
}

function withPerturbedMeans(points: Points, first: readonly Float64Array[], k: number, random: Random): Float64Array {
  const { d } = points;
  const centres = new Float64Array(k * d);
  first.forEach((centre, h) => {
    centres.set(centre, h * d);
  });
  if (first.length === k) return centres;
  const { mean, variance } = columnMoments(points);
  for (let h = first.length; h < k; h++) {
    for (let j = 0; j < d; j++) centres[h * d + j] = mean[j]! + NOISE * Math.sqrt(variance[j]!) * random.normal();
  }
  return centres;
}

/** Mean and population variance of each column; those of a constant column are exact. */
export function columnMoments(points: Points): { readonly mean: Float64Array; readonly variance: Float64Array } {
  const { n, d, rowWeights } = points;
  const x = rowValues(points);
  const all = rowWeights ? rowWeights.reduce((sum, weight) => sum + weight, 0) : n;
  const mean = new Float64Array(d);
  const variance = new Float64Array(d);
  const end = n * d;
  if (rowWeights) for (let p = 0; p < end; p++) mean[p % d]! += rowWeights[Math.floor(p / d)]! * x[p]!;
  else addColumns(x, n, d, mean);
  for (let j = 0; j < d; j++) {
    let p = j;
    while (p < end && x[p] === x[j]) p += d;
    mean[j] = p >= end ? x[j]! : mean[j]! / all;
  }
  if (rowWeights) for (let p = 0; p < end; p++) variance[p % d]! += rowWeights[Math.floor(p / d)]! * (x[p]! - mean[p % d]!) ** 2;
  else addSquares(x, n, d, mean, variance);
  return { mean, variance: variance.map((sum) => sum / all) };
}

/** Sums of columns, row after row. Four rows at a time: sums are read and written a fourth as often. */
function addColumns(x: Float64Array | Float32Array, n: number, d: number, sums: Float64Array): void {
  const whole = (n - (n % 4)) * d;
  for (let p = 0; p < whole; p += 4 * d) {
    for (let j = 0, q = p; j < d; j++, q++) sums[j] = sums[j]! + x[q]! + x[q + d]! + x[q + 2 * d]! + x[q + 3 * d]!;
  }
  for (let p = whole; p < n * d; p++) sums[p % d]! += x[p]!;
}

/** Sums of squared differences from the means, likewise. */
function addSquares(x: Float64Array | Float32Array, n: number, d: number, mean: Float64Array, sums: Float64Array): void {
  const whole = (n - (n % 4)) * d;
  for (let p = 0; p < whole; p += 4 * d) {
    for (let j = 0, q = p; j < d; j++, q++) {
      const a = x[q]! - mean[j]!;
      const b = x[q + d]! - mean[j]!;
      const c = x[q + 2 * d]! - mean[j]!;
      const e = x[q + 3 * d]! - mean[j]!;
      sums[j] = sums[j]! + a * a + b * b + c * c + e * e;
    }
  }
  for (let p = whole; p < n * d; p++) {
    const t = x[p]! - mean[p % d]!;
    sums[p % d]! += t * t;
  }
}
