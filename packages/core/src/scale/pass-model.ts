/** Input and output of a pass over all rows, as plain numbers for any engine. */
import { type Grid, gridFor, openTotals, sumOfUnits, type Totals, unitsAt } from "./fixed-sums.js";

export interface ColumnRange {
  readonly least: number;
  readonly most: number;
}

/** Scaling of the columns: value = (original - offset) / factor. */
export interface PassScaling {
  readonly offset: Float64Array;
  readonly factor: Float64Array;
}

/** Which second moments about the centres a pass computes: none, one per column, or one per pair of columns. */
export type Moments = "none" | "diagonal" | "full";

/** Metric of the squared distance: unweighted, with a weight per column, or ‖R(x - c)‖² with a d x d map R. */
export type PassMetric = "plain" | "diagonal" | "full";

/**
 * Assigns each row x to the cluster with the smallest ‖x - c‖² + bias, where c is the centre; on ties to the lower cluster. Every machine
 * gets the same bits.
 */
export interface PassModel {
  readonly d: number;
  readonly k: number;
  readonly metric: PassMetric;
  /** k x d, row-major. */
  readonly centres: Float64Array;
  /** Weights (d numbers) or maps (d x d numbers): one for all clusters, or one per cluster. Empty for plain distances. */
  readonly maps: Float64Array;
  readonly several: boolean;
  /** Added to the squared distance of each cluster; k numbers. */
  readonly bias: Float64Array;
  readonly moments: Moments;
  readonly scaling: PassScaling | null;
  readonly sumGrids: readonly Grid[];
  readonly momentGrids: readonly Grid[];
  readonly costGrid: Grid;
}

/** How many numbers are computed for the distances of one row to all centres. */
export function workOf({ d, k, metric }: PassModel): number {
  return k * d * (metric === "full" ? d : 1);
}

/** Sums over the rows of each cluster, in whole units of the grids. */
export interface PassTotals {
  readonly counts: Float64Array;
  /** Each value has two entries: its coarse part and its fine part. `sums` has k x d values, `costs` has k values. */
  readonly sums: Totals;
  readonly moments: Totals;
  readonly costs: Totals;
}

export function momentCount({ d, moments }: Pick<PassModel, "d" | "moments">): number {
  return moments === "none" ? 0 : moments === "diagonal" ? d : (d * (d + 1)) / 2;
}

export function openPassTotals(model: Pick<PassModel, "d" | "k" | "moments">): PassTotals {
  const { d, k } = model;
  return {
    counts: new Float64Array(k),
    sums: openTotals(2 * k * d),
    moments: openTotals(2 * k * momentCount(model)),
    costs: openTotals(2 * k),
  };
}

/** Adds `sign` times other totals, exactly. */
export function addTotals(into: PassTotals, other: PassTotals, sign: 1 | -1): void {
  const add = (target: Float64Array, source: Float64Array): void => {
    for (let i = 0; i < target.length; i++) target[i]! += sign * source[i]!;
  };
  add(into.counts, other.counts);
  for (const name of ["sums", "moments", "costs"] as const) {
    add(into[name].upper, other[name].upper);
    add(into[name].lower, other[name].lower);
  }
}

export interface PassSums {
  readonly counts: Float64Array;
  /** k x d: sums of the scaled columns. */
  readonly sums: Float64Array;
  /** Second moments about the centres of the model: k x d, or k lower triangles of d x d stored row by row. */
  readonly moments: Float64Array;
  /** Sum of squared distances to the centre of each cluster, without bias; k numbers. */
  readonly costs: Float64Array;
}

export function passSums(model: PassModel, totals: PassTotals): PassSums {
  const { d, k, sumGrids, momentGrids, costGrid } = model;
  const per = momentCount(model);
  const read = (of: Totals, at: number, grid: Grid): number => sumOfUnits(grid, unitsAt(of, 2 * at), unitsAt(of, 2 * at + 1));
  return {
    counts: totals.counts.slice(),
    sums: Float64Array.from({ length: k * d }, (_, at) => read(totals.sums, at, sumGrids[at % d]!)),
    moments: Float64Array.from({ length: k * per }, (_, at) => read(totals.moments, at, momentGrids[at % per]!)),
    costs: Float64Array.from({ length: k }, (_, at) => read(totals.costs, at, costGrid)),
  };
}

/** The properties that `modelOf` needs. `modelOf` adds the grids, which it computes from the ranges of the scaled columns. */
export type ModelParts = Omit<PassModel, "sumGrids" | "momentGrids" | "costGrid">;

export function modelOf(parts: ModelParts, ranges: readonly ColumnRange[], rows: number): PassModel {
  const { d, k, centres, metric, moments } = parts;
  const reach = Float64Array.from(ranges, ({ least, most }, j) => {
    let farthest = most - least;
    for (let c = 0; c < k; c++) {
      const centre = centres[c * d + j]!;
      farthest = Math.max(farthest, Math.abs(least - centre), Math.abs(most - centre));
    }
    return farthest;
  });
  const sumGrids = ranges.map(({ least, most }) => gridFor(Math.max(Math.abs(least), Math.abs(most)), rows, "A column"));
  const momentGrids: Grid[] = [];
  if (moments === "diagonal") for (const r of reach) momentGrids.push(gridFor(r * r, rows, "A squared column"));
  if (moments === "full") {
    for (let i = 0; i < d; i++)
      for (let j = 0; j <= i; j++) momentGrids.push(gridFor(reach[i]! * reach[j]!, rows, "A squared column"));
  }
  const costGrid = gridFor(largestCost(metric, parts.maps, parts.several ? k : 1, reach), rows, "A squared distance");
  return { ...parts, sumGrids, momentGrids, costGrid };
}

/** Upper bound of the squared distance of a row to a centre, slightly enlarged for rounding. */
function largestCost(metric: PassMetric, maps: Float64Array, metrics: number, reach: Float64Array): number {
  const d = reach.length;
  let largest = 0;
  for (let g = 0; g < (metric === "plain" ? 1 : metrics); g++) {
    let sum = 0;
    for (let i = 0; i < d; i++) {
      if (metric === "plain") sum += reach[i]! * reach[i]!;
      else if (metric === "diagonal") sum += maps[g * d + i]! * reach[i]! * reach[i]!;
      else {
        let part = 0;
        for (let j = 0; j < d; j++) part += Math.abs(maps[(g * d + i) * d + j]!) * reach[j]!;
        sum += part * part;
      }
    }
    largest = Math.max(largest, sum);
  }
  return 1.001 * largest;
}

/** The ranges of the scaled columns. Scaling the ends of a range is exact, because rounding is monotonic. */
export function scaledRanges(ranges: readonly ColumnRange[], scaling: PassScaling | null): readonly ColumnRange[] {
  if (!scaling) return ranges;
  const scaled = (value: number, j: number): number => (value - scaling.offset[j]!) / scaling.factor[j]!;
  return ranges.map(({ least, most }, j) => ({ least: scaled(least, j), most: scaled(most, j) }));
}
