/**
 * How far a branch that was set aside is from each cluster, in the sense of the linkage; from the rows, or from distances
 * that somebody handed in.
 */
import type { Arena, F32, F64, Kernels } from "../../../kernels/index.js";
import type { Step } from "../../../steps/index.js";
import { columnRanges, fillMatrixSteps } from "../../distance.js";
import { distanceAt } from "../../given-distances.js";
import { costOfDistance, distanceHere, isMeasuredHere } from "../../row-distances.js";
import type { Linkage, PreparedLinkage } from "../linkage.js";

/** What distances are made of. */
export interface Ground {
  readonly prepared: PreparedLinkage;
  /** An n × n block, free to be written to. */
  readonly matrix: F64 | F32;
  readonly kernels: Kernels;
  readonly arena: Arena;
}

/** From the rows of each cluster, and then from those of a branch, to the distance between the branch and each cluster. */
export interface DistancesFrom {
  (clusters: readonly Int32Array[]): (rows: Int32Array) => Float64Array;
  /** Measures all rows against each other, where that is what distances are made of: for those who need them all. */
  readonly measureAll?: () => Generator<Step, void, void>;
}

export function distancesFor(linkage: Linkage, ground: Ground): DistancesFrom {
  if (linkage !== "centroid" && linkage !== "median" && linkage !== "ward") return betweenRows(ground, linkage);
  const given = ground.prepared.points.distances;
  return betweenMeans(given ? squaresOfGiven(given, ground) : squaresOfRows(ground), linkage);
}

/** Squared distances between means; for Ward's linkage times the sizes' harmonic part, as it adds to the variance. */
function betweenMeans(squares: DistancesFrom, linkage: Linkage): DistancesFrom {
  if (linkage !== "ward") return squares;
  return (clusters) => {
    const to = squares(clusters);
    return (rows) =>
      to(rows).map((square, g) => (square * clusters[g]!.length * rows.length) / (clusters[g]!.length + rows.length));
  };
}

function squaresOfRows({ prepared: { points } }: Ground): DistancesFrom {
  const { d, x } = points;
  const meanOf = (rows: Int32Array): Float64Array => {
    const mean = new Float64Array(d);
    for (const row of rows) for (let j = 0; j < d; j++) mean[j]! += x[row * d + j]! / rows.length;
    return mean;
  };
  return (clusters) => {
    const means = clusters.map(meanOf);
    return (rows) => {
      const own = meanOf(rows);
      return Float64Array.from(means, (mean) => mean.reduce((sum, value, j) => sum + (value - own[j]!) * (value - own[j]!), 0));
    };
  };
}

/** ‖mean of A - mean of B‖² is the mean square from A to B, less half the mean squares inside A and inside B. */
function squaresOfGiven(given: Float64Array, { prepared: { points } }: Ground): DistancesFrom {
  const meanSquare = (a: Int32Array, b: Int32Array): number => {
    let sum = 0;
    for (const i of a) {
      for (const j of b) {
        const distance = i === j ? 0 : distanceAt(given, points.n, i, j);
        sum += distance * distance;
      }
    }
    return sum / (a.length * b.length);
  };
  return (clusters) => {
    const inside = clusters.map((rows) => meanSquare(rows, rows) / 2);
    return (rows) => {
      const own = meanSquare(rows, rows) / 2;
      return Float64Array.from(clusters, (others, g) => meanSquare(rows, others) - own - inside[g]!);
    };
  };
}

/** The least, greatest or mean distance between rows, by the linkage. */
function betweenRows(ground: Ground, linkage: Linkage): DistancesFrom {
  const { n } = ground.prepared.points;
  const { fill, measureAll } = rowFiller(ground);
  const from: DistancesFrom = (clusters) => (rows) => {
    for (const row of rows) fill(row);
    const view = ground.matrix.view();
    return Float64Array.from(clusters, (others) => {
      const state = { least: Infinity, most: 0, sum: 0 };
      for (const row of rows) {
        for (const other of others) {
          const value = view[row * n + other]!;
          state.least = Math.min(state.least, value);
          state.most = Math.max(state.most, value);
          state.sum += value;
        }
      }
      if (linkage === "single") return state.least;
      return linkage === "complete" ? state.most : state.sum / (rows.length * others.length);
    });
  };
  return Object.assign(from, { measureAll });
}

interface Filler {
  /** Writes a row of distances into the matrix, which merging has consumed; each once. */
  readonly fill: (row: number) => void;
  readonly measureAll: () => Generator<Step, void, void>;
}

function rowFiller({ prepared: { points, metric }, matrix, kernels, arena }: Ground): Filler {
  const { n, d, distances } = points;
  const isFilled = new Uint8Array(n);
  const oneByOne = (write: (row: number) => void): Filler => {
    const fill = (row: number): void => {
      if (isFilled[row] === 0) write(row);
      isFilled[row] = 1;
    };
    return { fill, measureAll: () => rowByRow(fill, n, n * costOfDistance(points)) };
  };
  if (distances) {
    return oneByOne((row) => {
      const view = matrix.view();
      for (let j = 0; j < n; j++) view[row * n + j] = j === row ? 0 : distanceAt(distances, n, row, j);
    });
  }
  if (isMeasuredHere(points, metric)) {
    const between = distanceHere(points, metric);
    return oneByOne((row) => {
      const view = matrix.view();
      for (let j = 0; j < n; j++) view[row * n + j] = isFilled[j] === 1 ? view[j * n + row]! : between(row, j);
    });
  }
  const x = arena.f64(n * d);
  x.view().set(points.x.subarray(0, n * d));
  const ranges = metric === "gower" ? columnRanges(points, arena) : null;
  const { fill } = oneByOne((row) => kernels.distances(metric, x, n, d, ranges, row, row + 1, matrix));
  return {
    fill,
    *measureAll() {
      yield* fillMatrixSteps(points, metric, ranges, matrix, kernels);
      isFilled.fill(1);
    },
  };
}

/** Numbers that one step reads. */
const WORK_PER_STEP = 8_000_000;

function* rowByRow(fill: (row: number) => void, n: number, cost: number): Generator<Step, void, void> {
  let work = 0;
  for (let row = 0; row < n; row++) {
    fill(row);
    work += cost;
    if (work < WORK_PER_STEP) continue;
    work = 0;
    yield { phase: "distances", done: row, total: n };
  }
}
