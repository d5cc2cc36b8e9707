/**
 * Density of wide rows. In many columns all distances of a row are nearly equal, so HDBSCAN* calls most rows noise and takes n² d time. So
 * rows are placed on a map of neighbourhoods first, and density is measured there. Constraints do not move the map; they choose the cut.
 */
import type { Kernels } from "../../../kernels/kernels.js";
import { type Instances, rowValues } from "../../../model/points.js";
import { randomFrom } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { leadingSteps } from "../../embedding/leading-vectors.js";
import { neighbourhoodMapSteps } from "../../embedding/neighbourhood-map.js";
import { projectionSteps, secondMomentSteps } from "../../embedding/second-moments.js";
import { nearestRowSteps } from "../../neighbours/nearest-rows.js";

/** Tables with more columns, and at least this many rows, are measured on the map by default. */
const MOST_COLUMNS = 30;
const LEAST_ROWS = 100;
const NEIGHBOURS = 15;
/** Most rows that the covariance of the start is computed from. */
const SAMPLED = 5_000;
const ROWS_PER_STEP = 5_000;

/** Whether rows have numbers in all cells, so that they can be placed on the map. */
export function canBePlaced({ d, distances, holes, nominal }: Instances): boolean {
  return d > 0 && !distances && !holes && !nominal?.includes(1);
}

export function isWide(points: Instances): boolean {
  return canBePlaced(points) && points.d > MOST_COLUMNS && points.n >= LEAST_ROWS;
}

/** Default minimum cluster size on the map: 1.5 √n, since groups of a few rows are accidents of the map. */
export function clusterSizeOnMap(n: number): number {
  return Math.max(5, Math.round(1.5 * Math.sqrt(n)));
}

/** The rows on the map, as a table of two columns. `directions`: rows are compared by their directions. */
export function* neighbourhoodPlaneSteps(points: Instances, directions: boolean, kernels: Kernels): Steps<Instances> {
  const { n, d } = points;
  const x = directions ? yield* unitRowSteps(points) : rowValues(points);
  const random = randomFrom(0).split("neighbourhoods");
  const nearest = yield* nearestRowSteps({ n, d, x }, NEIGHBOURS, { kernels, random: random.split("neighbours") });
  const read = (i: number, row: Float64Array) => row.set(x.subarray(i * d, (i + 1) * d));
  const sampled = Math.min(n, SAMPLED);
  const { mean, covariance } = yield* secondMomentSteps(
    (s, row) => read(Math.floor((s * n) / sampled), row),
    sampled,
    d,
    kernels,
  );
  const { vectors } = yield* leadingSteps(covariance, d, 2, kernels);
  const start = yield* projectionSteps(read, n, mean, [...vectors], kernels);
  return { n, d: 2, x: yield* neighbourhoodMapSteps(nearest, { random: random.split("map"), start }) };
}

/** The rows at length 1; zero rows stay zero. */
function* unitRowSteps(points: Instances): Steps<Float64Array> {
  const { n, d } = points;
  const x = Float64Array.from(rowValues(points));
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_STEP === 0) yield { phase: "neighbours", done: 0, total: null };
    let [largest, sum] = [0, 0];
    for (let p = i * d; p < (i + 1) * d; p++) largest = Math.max(largest, Math.abs(x[p]!));
    if (largest === 0) continue;
    for (let p = i * d; p < (i + 1) * d; p++) {
      x[p] = x[p]! / largest;
      sum += x[p]! * x[p]!;
    }
    const length = Math.sqrt(sum);
    for (let p = i * d; p < (i + 1) * d; p++) x[p] = x[p]! / length;
  }
  return x;
}
