/** Chooses the two axes of the map, with names that say what they measure. */
import { distancesOf, drain, type Instances, type Kernels, type Notation, type Points, type Steps } from "@coterie/core/internal";
import type { RowComparison } from "@coterie/core/layout";
import {
  columnComparison,
  neighbourhoodsSteps,
  prefersNeighbourhoods,
  principalComponentsSteps,
  principalCoordinatesSteps,
  strongestColumns,
} from "@coterie/core/layout";
import { formatCount, formatShare } from "./text.js";

export interface MapAxes {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly xName: string;
  /** The name of the second axis; null if this axis only spreads the marks and measures nothing. */
  readonly yName: string | null;
  /** For axes that are columns of the table: the notation of their values. If absent, the values are plain numbers. */
  readonly notations?: readonly [Notation | null, Notation | null];
  /** Whether both axes measure the same distance. One unit then has the same length on both axes. */
  readonly sameUnit: boolean;
  /** Sentences about the axes that are written under the map. */
  readonly captions: readonly string[];
}

/** Computes the axes of the map for the distance that the method used. Rows without columns are placed by their distances. */
export function mapAxes(points: Instances, seen: RowComparison = columnComparison(points)): MapAxes {
  return drain(mapAxesSteps(points, seen));
}

/** Which map a page shows. auto: neighbourhoods of wide tables, components of all other tables. */
export type MapKind = "auto" | "components" | "neighbourhoods";

export function* mapAxesSteps(
  points: Instances,
  seen: RowComparison = columnComparison(points),
  kernels?: Kernels,
  kind: MapKind = "components",
): Steps<MapAxes> {
  if (kind === "neighbourhoods" || (kind === "auto" && !seen.between && prefersNeighbourhoods(points)))
    return yield* neighbourhoodAxes(points, seen, kernels, kind === "auto");
  const captions = seen.caption === undefined ? [] : [seen.caption];
  if (seen.between) return yield* distanceAxes(seen.between, points, seen.axis, captions);
  if (points.distances && points.d === 0)
    return yield* distanceAxes(distancesOf(points, undefined).between, points, "distances", []);
  const plain = seen.view ? undefined : twoColumns(points);
  return plain ?? (yield* componentAxes(points, seen, captions, kernels));
}

/** Places rows so that near rows of the table are near on the map. `chosen`: nobody asked for this kind of map. */
function* neighbourhoodAxes(
  points: Instances,
  seen: RowComparison,
  kernels: Kernels | undefined,
  chosen: boolean,
): Steps<MapAxes> {
  const at = yield* neighbourhoodsSteps(points, seen, kernels ? { kernels } : {});
  const axis = (which: 0 | 1) => Float64Array.from({ length: points.n }, (_, i) => at[2 * i + which]!);
  const captions = [
    "The map shows neighbourhoods: near rows are alike, and long distances mean little.",
    ...(chosen ? [`It was chosen because two components show little of ${formatCount(points.d)} columns.`] : []),
    ...(seen.caption === undefined ? [] : [seen.caption]),
  ];
  const name = (which: number) => `neighbourhoods${seen.by === "" ? "" : `, by ${seen.by}`}, axis ${which}`;
  return { x: axis(0), y: axis(1), xName: name(1), yName: name(2), sameUnit: true, captions };
}

function* componentAxes(
  points: Instances,
  { axis, view = {} }: RowComparison,
  captions: readonly string[],
  kernels: Kernels | undefined,
): Steps<MapAxes> {
  const { n } = points;
  const found = yield* principalComponentsSteps(points, 2, view, kernels);
  const { scores, share, columns, sampled } = found;
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  const single = points.d === 1 && points.nominal?.[0] !== 1 && !view.directions;
  for (let i = 0; i < n; i++) {
    x[i] = single ? points.x[i]! : scores[2 * i]!;
    y[i] = scores[2 * i + 1]!;
  }
  const flat = share[1]! < 1e-12;
  if (flat) for (let i = 0; i < n; i++) y[i] = n === 1 ? 0 : ((i * 0.6180339887498949) % 1) - 0.5;
  const name = (component: 0 | 1) =>
    `PC ${component + 1}${axis}, ${formatShare(share[component]!)} of the spread: ${strongestColumns(found, component, view.root !== undefined)}`;
  return {
    x,
    y,
    xName: single ? columns[0]! : share[0] === 0 ? "all rows are alike" : name(0),
    yName: flat ? null : name(1),
    ...(single ? axisNotations(points) : {}),
    sameUnit: !flat,
    captions: sampled < n ? [...captions, `The axes are those of an even sample of ${formatCount(sampled)} rows.`] : captions,
  };
}

/** Places rows in the plane so that the distances between them are kept as well as possible. */
function* distanceAxes(
  between: (i: number, j: number) => number,
  { n, d }: Points,
  what: string,
  captions: readonly string[],
): Steps<MapAxes> {
  const { scores, share } = yield* principalCoordinatesSteps(between, n, d);
  const axis = (which: 0 | 1) => Float64Array.from({ length: n }, (_, i) => scores[2 * i + which]!);
  const name = (which: 0 | 1) => `${what}, axis ${which + 1}: ${formatShare(share[which])} of the spread`;
  return { x: axis(0), y: axis(1), xName: name(0), yName: name(1), sameUnit: true, captions };
}

/** The notations of the axes. There are none if the columns were scaled, because scaled values are not dates or amounts. */
function axisNotations({ notations, scaling }: Instances): Pick<MapAxes, "notations"> {
  return notations && !scaling ? { notations: [notations[0] ?? null, notations[1] ?? null] } : {};
}

/** If there are exactly two columns, both numeric and not constant, they are the axes. Otherwise undefined. */
function twoColumns(points: Instances): MapAxes | undefined {
  const { n, d, names, nominal } = points;
  if (d !== 2 || nominal?.includes(1)) return undefined;
  const { x } = points;
  const column = (j: number) => Float64Array.from({ length: n }, (_, i) => x[2 * i + j]!);
  const [first, second] = [column(0), column(1)];
  if (first.every((value) => value === first[0]) || second.every((value) => value === second[0])) return undefined;
  const [xName = "column 1", yName = "column 2"] = names ?? [];
  return { x: first, y: second, xName, yName, ...axisNotations(points), sameUnit: true, captions: [] };
}

export interface Domains {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  /** True if both axes have the same unit but different scales. With equal scales, much of the map would be empty. */
  readonly stretched: boolean;
}

/**
 * Computes the ranges of both axes. One unit has the same length on both axes, unless this would leave more than 60% of the height or width
 * empty.
 */
export function mapDomains({ x, y, sameUnit }: MapAxes, width: number, height: number): Domains {
  const dx = padded(x);
  const dy = padded(y);
  // The axes have different units, so the second axis can be longer. It leaves space for the names of clusters above the rows.
  if (!sameUnit) return { x: dx, y: [dy[0], dy[1] + 0.2 * (dy[1] - dy[0])], stretched: false };
  const perPixelX = (dx[1] - dx[0]) / width;
  const perPixelY = (dy[1] - dy[0]) / height;
  const perPixel = Math.max(perPixelX, perPixelY);
  if (Math.min(perPixelX, perPixelY) < 0.4 * perPixel) return { x: dx, y: dy, stretched: true };
  return { x: widened(dx, perPixel * width), y: widened(dy, perPixel * height), stretched: false };
}

function padded(values: Float64Array): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [-1, 1];
  const room = (high - low) * 0.05 || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

function widened([low, high]: readonly [number, number], span: number): [number, number] {
  const more = (span - (high - low)) / 2;
  return [low - more, high + more];
}
