/** Chooses the two axes of the map, with names that say what they measure. */
import { distancesOf, drain, type Instances, type Kernels, type Notation, type Points, type Steps } from "@coterie/core/internal";
import type { RowComparison } from "@coterie/core/layout";
import { columnComparison, principalComponentsSteps, principalCoordinatesSteps, strongestColumns } from "@coterie/core/layout";
import { formatCount, formatShare } from "./text.js";

export interface MapAxes {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly xName: string;
  /** The name of the second axis; null if this axis only spreads the marks and measures nothing. */
  readonly yName: string | null;
  /** The notations of axes that are columns. If absent, values are plain numbers. */
  readonly notations?: readonly [Notation | null, Notation | null];
  /** Whether both axes measure the same distance, so that one unit must have the same length on both. */
  readonly sameUnit: boolean;
  /** Notes about the axes, in sentences. */
  readonly captions: readonly string[];
}

/** The axes of the distance that the method used. Rows without columns are placed by their distances. */
export function mapAxes(points: Instances, seen: RowComparison = columnComparison(points)): MapAxes {
  return drain(mapAxesSteps(points, seen));
}

export function* mapAxesSteps(
  points: Instances,
  seen: RowComparison = columnComparison(points),
  kernels?: Kernels,
): Steps<MapAxes> {
  const captions = seen.caption === undefined ? [] : [seen.caption];
  if (seen.between) return yield* distanceAxes(seen.between, points, seen.axis, captions);
  if (points.distances && points.d === 0)
    return yield* distanceAxes(distancesOf(points, undefined).between, points, "distances", []);
  const plain = seen.view ? undefined : twoColumns(points);
  return plain ?? (yield* componentAxes(points, seen, captions, kernels));
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

/** Values of scaled columns are plain numbers, not dates or amounts. */
function axisNotations({ notations, scaling }: Instances): Pick<MapAxes, "notations"> {
  return notations && !scaling ? { notations: [notations[0] ?? null, notations[1] ?? null] } : {};
}

/** Uses the two columns as axes directly, if there are exactly two numeric columns and both vary. Undefined otherwise. */
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
  /** Whether the second axis has a larger scale than the first for the same distance. */
  readonly stretched: boolean;
}

/** The ranges of both axes. One unit has the same length on both axes, unless more than 60% of the height or width would be empty. */
export function mapDomains({ x, y, sameUnit }: MapAxes, width: number, height: number): Domains {
  const dx = padded(x);
  const dy = padded(y);
  // Here the axes do not share a unit, so the second axis is extended: the names of clusters get space above the rows.
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
