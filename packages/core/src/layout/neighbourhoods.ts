/** Neighbourhoods of a table: its rows as a method compares them, their nearest rows, and their places on the map. */

import { distancesOf } from "../algorithms/distance-between.js";
import { neighbourhoodMapSteps } from "../algorithms/embedding/neighbourhood-map.js";
import { fillHoles } from "../algorithms/fill-holes.js";
import { type FlatRows, type NearestRows, nearestRowSteps } from "../algorithms/neighbours/nearest-rows.js";
import { nearestSteps } from "../algorithms/neighbours/neighbour-graph.js";
import type { Closure } from "../constraints/index.js";
import { type Kernels, plainKernels } from "../kernels/index.js";
import { type Instances, rowValues } from "../model/points.js";
import { randomFrom } from "../random/index.js";
import type { Steps } from "../steps/index.js";
import type { RowComparison } from "./comparison.js";
import { expand, rowReader } from "./encoded-rows.js";
import { principalComponentsSteps } from "./principal-components.js";
import { principalCoordinatesSteps } from "./principal-coordinates.js";

export interface NeighbourhoodOptions {
  readonly kernels?: Kernels;
  /** n x 2: an earlier map of these rows, NaN for new rows. */
  readonly before?: Float32Array;
  /** Constraints that pull rows together and push rows apart. */
  readonly closure?: Closure;
}

/** Neighbours per row: more show larger neighbourhoods, fewer show finer detail. */
const NEIGHBOURS = 15;
/** With more columns, two components show little of the table, so a map of neighbourhoods is the better first picture. */
const MOST_COMPONENT_COLUMNS = 30;
/** Up to this number of rows, a map of neighbourhoods is drawn without being asked for: it takes a minute at most. */
const MOST_NEIGHBOURHOOD_ROWS = 100_000;

/** Whether neighbourhoods are the better first map: many columns of numbers, and not too many rows. */
export function prefersNeighbourhoods({ n, d }: Pick<Instances, "n" | "d">): boolean {
  return d > MOST_COMPONENT_COLUMNS && n > NEIGHBOURS && n <= MOST_NEIGHBOURHOOD_ROWS;
}

/** Places all rows by their neighbourhoods, as `seen` compares them; n x 2. The same table always gives the same map. */
export function* neighbourhoodsSteps(
  instances: Instances,
  seen: RowComparison,
  { kernels = plainKernels, before, closure }: NeighbourhoodOptions = {},
): Steps<Float64Array> {
  const random = randomFrom(0).split("neighbourhoods");
  const between = seen.between ?? betweenRows(instances);
  let nearest: NearestRows;
  let start: Float64Array;
  if (between) {
    const { most, row, distance } = yield* nearestSteps(instances.n, NEIGHBOURS, between);
    nearest = { k: most, rows: row, distances: distance, exact: true };
    start = (yield* principalCoordinatesSteps(between, instances.n, instances.d)).scores;
  } else {
    const points = fillHoles(instances).points;
    start = (yield* principalComponentsSteps(points, 2, seen.view ?? {}, kernels)).scores;
    const rows = yield* encodedSteps(points, seen);
    nearest = yield* nearestRowSteps(rows, NEIGHBOURS, { kernels, random: random.split("neighbours") });
  }
  return yield* neighbourhoodMapSteps(nearest, {
    random: random.split("map"),
    start,
    ...(before ? { before } : {}),
    ...(closure ? { closure } : {}),
  });
}

/** The distance of two rows, if the rows have no coordinates: given distances, or distances over the cells that both rows have. */
function betweenRows(instances: Instances): ((i: number, j: number) => number) | undefined {
  const hasHoles = instances.holes !== undefined && !instances.holeFills;
  return instances.d === 0 || hasHoles ? distancesOf(instances, undefined).between : undefined;
}

/** Larger tables are encoded in single precision. */
const MOST_DOUBLES = 2e7;
const CELLS_PER_STEP = 2e6;

/** The rows as numbers: nominal columns one-hot, directions at length 1, under the learned metric. Plain numbers are not copied. */
function* encodedSteps(points: Instances, { view = {} }: RowComparison): Steps<FlatRows> {
  const { n, d, nominal } = points;
  if (!nominal?.includes(1) && !view.directions && !view.root) return { n, d, x: rowValues(points) };
  const expansion = expand(points, view);
  const { size } = expansion;
  const read = rowReader(points, expansion);
  const x = n * size > MOST_DOUBLES ? new Float32Array(n * size) : new Float64Array(n * size);
  const row = new Float64Array(size);
  const every = Math.max(1, Math.floor(CELLS_PER_STEP / (size * (view.root ? size : 1))));
  for (let i = 0; i < n; i++) {
    if (i % every === 0) yield { phase: "neighbours", done: 0, total: null };
    read(i, row);
    x.set(view.root ? view.root.into(row) : row, i * size);
  }
  return { n, d: size, x };
}
