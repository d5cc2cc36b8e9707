/**
 * Distances between clusters while they merge. Stores for each cluster its nearest cluster among the higher slots.
 *
 * Uses the generic algorithm of Müllner (2011, figure 5) over a full matrix, for every linkage. Nearest-neighbour chains and spanning trees
 * do not apply, because the closest pair can be refused. Each cluster has a lower bound of its nearest distance. The cluster with the least
 * bound is searched again until its bound is exact.
 *
 * The distance of a refused pair is stored with a negative sign. The search skips the pair, and the distance is still available for later
 * merges of its clusters. Two clusters at distance Infinity must be apart.
 *
 * A merge writes only the matrix row of the new cluster, because writing its column would touch one cache line per cluster. So the current
 * distance of a pair is in the row of the younger cluster. Before a row is read, `refresh` copies the entries of all younger clusters into
 * it.
 *
 * The second half of the file computes distances between the branches of a finished hierarchy.
 */

import { type Arena, type F32, type F64, type Kernels, pairKernelsOf } from "../../../kernels/index.js";
import type { ChainLinkage, HeapLinkage } from "../../../kernels/kernels.js";
import { upTo } from "../../../linalg/indices.js";
import type { Step } from "../../../steps/index.js";
import { firstAtLeast } from "../../../structures/search.js";
import { columnRanges, fillMatrixSteps } from "../../distance.js";
import { distanceAt } from "../../given-distances.js";
import { costOfDistance, distanceHere, isMeasuredHere } from "../../row-distances.js";
import { isMeansLinkage, type Linkage, type PreparedLinkage } from "../linkage.js";

/** Numbers read in one step; after each step the generator yields. */
const WORK_PER_STEP = 8_000_000;

export type Matrix = Float64Array | Float32Array;
type Kind = "single" | HeapLinkage | ChainLinkage;

/** The stored distance of a refused pair at distance 0: the negative number closest to 0 in single precision. */
const REFUSED_ZERO = -1.401298464324817e-45;

export interface Distances {
  readonly kind: Kind;
  readonly n: number;
  /** The distance matrix. Its memory can move while other code runs, so call `renew` after each yield. */
  readonly matrix: { view(): Matrix };
  d: Matrix;
  /** The slots that have a cluster, ascending. */
  readonly slots: Int32Array;
  count: number;
  readonly size: Int32Array;
  /**
   * By slot, about the clusters of higher slots. `nearest`: candidate for the nearest cluster, -1 if unknown. `bound`: lower bound of the
   * distance to the nearest cluster.
   */
  readonly nearest: Int32Array;
  readonly bound: Float64Array;
  readonly fresh: Float64Array;
  /**
   * `made`: number of merges so far. `birth`, by slot: number of the merge that created the cluster. `updated`, by slot: number of merges
   * when the matrix row was last updated.
   */
  made: number;
  readonly birth: Int32Array;
  readonly updated: Int32Array;
  /** A linked list of the slots of all merged clusters, from the youngest to the oldest; -1 ends the list. */
  youngest: number;
  readonly older: Int32Array;
  readonly younger: Int32Array;
  /** Work space of `refresh`: slots of clusters created after the last update of a row. */
  readonly stale: Int32Array;
  work: number;
}

export function openDistances(kind: Kind, matrix: Distances["matrix"], n: number): Distances {
  return {
    kind,
    n,
    matrix,
    d: matrix.view(),
    slots: upTo(n),
    count: n,
    size: new Int32Array(n).fill(1),
    nearest: new Int32Array(n).fill(-1),
    bound: new Float64Array(n).fill(Infinity),
    fresh: new Float64Array(n),
    made: 0,
    birth: new Int32Array(n),
    updated: new Int32Array(n),
    youngest: -1,
    older: new Int32Array(n).fill(-1),
    younger: new Int32Array(n).fill(-1),
    stale: new Int32Array(n),
    work: 0,
  };
}

export function renew(distances: Distances): void {
  distances.d = distances.matrix.view();
}

/** The stored distance between the clusters of slots i and j; negative if their merge is refused. */
function stored({ d, n, birth, updated }: Distances, i: number, j: number): number {
  return birth[j]! > updated[i]! ? d[j * n + i]! : d[i * n + j]!;
}

function unsigned(value: number): number {
  return value < 0 ? (value === REFUSED_ZERO ? 0 : -value) : value;
}

/**
 * Updates the matrix row of slot i: copies the distances to all clusters created since the last update. Each read misses the cache, so the
 * loop reads four elements at once.
 */
function refresh(distances: Distances, i: number): void {
  const { d, n, birth, updated, older, stale } = distances;
  const known = updated[i]!;
  const row = i * n;
  let count = 0;
  for (let slot = distances.youngest; slot !== -1 && birth[slot]! > known; slot = older[slot]!) stale[count++] = slot;
  let p = 0;
  for (; p + 4 <= count; p += 4) {
    const [s0, s1, s2, s3] = [stale[p]!, stale[p + 1]!, stale[p + 2]!, stale[p + 3]!];
    const v0 = d[s0 * n + i]!;
    const v1 = d[s1 * n + i]!;
    const v2 = d[s2 * n + i]!;
    const v3 = d[s3 * n + i]!;
    d[row + s0] = v0;
    d[row + s1] = v1;
    d[row + s2] = v2;
    d[row + s3] = v3;
  }
  for (; p < count; p++) d[row + stale[p]!] = d[stale[p]! * n + i]!;
  updated[i] = distances.made;
}

export function isRefused(distances: Distances, i: number, j: number): boolean {
  return stored(distances, i, j) < 0;
}

/** Forbids a merge of two clusters. The pair is forbidden until one of the clusters merges with another cluster. */
export function refuse(distances: Distances, i: number, j: number): void {
  const { d, n } = distances;
  const value = unsigned(stored(distances, i, j));
  d[i * n + j] = d[j * n + i] = value === 0 ? REFUSED_ZERO : -value;
}

/** Allows all refused pairs again. Pairs that must be apart stay forbidden. */
export function forgetRefusals(distances: Distances): void {
  const { d, n, slots, count } = distances;
  for (let p = 0; p < count; p++) {
    refresh(distances, slots[p]!);
    for (let q = 0; q < count; q++) d[slots[p]! * n + slots[q]!] = unsigned(d[slots[p]! * n + slots[q]!]!);
  }
  for (let p = 0; p < count; p++) searchRow(distances, slots[p]!);
}

export function separate({ d, n }: Distances, i: number, j: number): void {
  d[i * n + j] = d[j * n + i] = Infinity;
}

export function searchRow(distances: Distances, i: number): void {
  const { d, n, slots, count } = distances;
  refresh(distances, i);
  const row = i * n;
  let least = Infinity;
  let at = -1;
  const from = firstAtLeast(distances.slots, 0, distances.count, i) + 1;
  for (let p = from; p < count; p++) {
    const slot = slots[p]!;
    const value = d[row + slot]!;
    if (value < least && value >= 0) {
      least = value;
      at = slot;
    }
  }
  distances.work += count - from;
  distances.nearest[i] = at;
  distances.bound[i] = least;
}

/** Finds the closest pair of clusters that may merge. Returns its lower slot, or -1 if all pairs are refused or must be apart. */
export function closest(distances: Distances): number {
  const { slots, count, bound, nearest } = distances;
  for (;;) {
    let least = Infinity;
    let at = -1;
    for (let p = 0; p < count; p++) {
      const value = bound[slots[p]!]!;
      if (value < least) {
        least = value;
        at = slots[p]!;
      }
    }
    distances.work += count;
    if (at === -1 || (nearest[at]! >= 0 && stored(distances, at, nearest[at]!) === least)) return at;
    searchRow(distances, at);
  }
}

/**
 * Merges the clusters of two slots; the result is in the slot of the larger cluster. If `search`, updates the nearest neighbours of all
 * clusters.
 */
export function mergeSlots(distances: Distances, x: number, y: number, search: boolean): number {
  const { d, n, slots, size, fresh } = distances;
  const [kept, gone] = size[x]! > size[y]! ? [x, y] : [y, x];
  const place = firstAtLeast(distances.slots, 0, distances.count, gone);
  slots.copyWithin(place, place + 1, distances.count);
  distances.count--;
  refresh(distances, kept);
  refresh(distances, gone);
  combine(distances, gone, kept);
  size[kept]! += size[gone]!;
  recordMerge(distances, kept, gone);
  distances.work += 2 * distances.count;
  if (search) writeRow(distances, kept, gone);
  else for (let p = 0; p < distances.count; p++) d[kept * n + slots[p]!] = fresh[p]!;
  return kept;
}

/**
 * Writes the matrix row of the merged cluster, and updates nearest neighbours in the same pass.
 *
 * For z < kept: if nearest[z] was `gone`, it becomes `kept`. The distance to the merged cluster is at least bound[z], so the bound stays
 * valid.
 * For z > kept: if nearest[z] was `gone`, it becomes -1.
 */
function writeRow(distances: Distances, kept: number, gone: number): void {
  const { d, n, slots, count, bound, nearest, fresh } = distances;
  const row = kept * n;
  let least = Infinity;
  let at = -1;
  for (let p = 0; p < count; p++) {
    const z = slots[p]!;
    d[row + z] = fresh[p]!;
    // Reads the value back from the matrix, because single precision rounds it.
    const value = d[row + z]!;
    if (z < kept) {
      if (value < bound[z]!) {
        bound[z] = value;
        nearest[z] = kept;
      } else if (nearest[z] === gone) nearest[z] = kept;
    } else if (z > kept) {
      if (nearest[z] === gone) nearest[z] = -1;
      if (value < least) {
        least = value;
        at = z;
      }
    }
  }
  nearest[kept] = at;
  bound[kept] = least;
}

/** Records that a merge created a cluster in slot `kept` and removed the cluster of slot `gone`. */
function recordMerge(distances: Distances, kept: number, gone: number): void {
  const { birth, updated, older, younger } = distances;
  for (const slot of [kept, gone]) {
    if (birth[slot] === 0) continue;
    const [up, down] = [younger[slot]!, older[slot]!];
    if (up === -1) distances.youngest = down;
    else older[up] = down;
    if (down !== -1) younger[down] = up;
  }
  distances.made++;
  birth[gone] = 0;
  birth[kept] = updated[kept] = distances.made;
  older[kept] = distances.youngest;
  younger[kept] = -1;
  if (distances.youngest !== -1) younger[distances.youngest] = kept;
  distances.youngest = kept;
}

/**
 * Writes the distances between the merged cluster and all other clusters into `fresh`, by the update formula of the linkage. x, y: the
 * slots that merge.
 */
function combine(distances: Distances, x: number, y: number): void {
  const { kind, d, n, size, fresh, count } = distances;
  const [nx, ny] = [size[x]!, size[y]!];
  const both = nx + ny;
  const height = unsigned(d[x * n + y]!);
  if (height === Infinity) fresh.fill(Infinity, 0, count);
  else if (kind === "single" || kind === "complete") extremes(distances, x * n, y * n, kind === "complete");
  else if (kind === "average") means(distances, x * n, y * n, nx / both, ny / both);
  else if (kind === "weighted") means(distances, x * n, y * n, 0.5, 0.5);
  else if (kind === "ward") wards(distances, x * n, y * n, nx, ny, height * height);
  else if (kind === "median") squares(distances, x * n, y * n, 0.5, 0.5, 0.25 * height * height);
  else squares(distances, x * n, y * n, nx / both, ny / both, ((nx / both) * ny * height * height) / both);
}

function extremes({ d, slots, count, fresh }: Distances, x: number, y: number, largest: boolean): void {
  for (let p = 0; p < count; p++) {
    const dx = unsigned(d[x + slots[p]!]!);
    const dy = unsigned(d[y + slots[p]!]!);
    fresh[p] = dx > dy === largest || dx === Infinity ? (dy === Infinity ? dy : dx) : dy;
  }
}

function means({ d, slots, count, fresh }: Distances, x: number, y: number, ofX: number, ofY: number): void {
  for (let p = 0; p < count; p++) fresh[p] = ofX * unsigned(d[x + slots[p]!]!) + ofY * unsigned(d[y + slots[p]!]!);
}

function squares({ d, slots, count, fresh }: Distances, x: number, y: number, ofX: number, ofY: number, less: number): void {
  for (let p = 0; p < count; p++) {
    // The stored distance of a refused pair is negative, which does not change its square.
    const dx = d[x + slots[p]!]!;
    const dy = d[y + slots[p]!]!;
    fresh[p] = root(ofX * dx * dx + ofY * dy * dy - less);
  }
}

function wards({ d, slots, count, size, fresh }: Distances, x: number, y: number, nx: number, ny: number, square: number): void {
  for (let p = 0; p < count; p++) {
    const nz = size[slots[p]!]!;
    const dx = d[x + slots[p]!]!;
    const dy = d[y + slots[p]!]!;
    fresh[p] = root(((nz + nx) * dx * dx + (nz + ny) * dy * dy - nz * square) / (nx + ny + nz));
  }
}

/** The square root; 0 for a negative number, because rounding can make a square negative. */
function root(square: number): number {
  return square > 0 ? Math.sqrt(square) : 0;
}

export interface Ground {
  readonly prepared: PreparedLinkage;
  /** An n × n block for distances between rows. Its content can be overwritten. */
  readonly matrix: F64 | F32;
  readonly kernels: Kernels;
  readonly arena: Arena;
}

/**
 * Takes a list of clusters. Returns a function that takes a branch and computes its distance to each cluster. Clusters and branches are
 * lists of rows.
 */
export interface DistancesFrom {
  (clusters: readonly Int32Array[]): (rows: Int32Array) => Float64Array;
  readonly measureAll?: () => Generator<Step, void, void>;
}

export function distancesFor(linkage: Linkage, ground: Ground): DistancesFrom {
  if (!isMeansLinkage(linkage)) return betweenRows(ground, linkage);
  const given = ground.prepared.points.distances;
  return betweenMeans(given ? squaresOfGiven(given, ground) : squaresOfRows(ground), linkage);
}

/**
 * Squared distances between the means of branches and clusters. For Ward, multiplied by s t / (s + t) for sizes s and t: this is the
 * increase of the sum of squares.
 */
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

/**
 * Squared distances between means, from given distances between rows: ‖mean of A - mean of B‖² = mean square between A and B - half the
 * mean square inside A - half the mean square inside B.
 */
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
  /** Writes a row of distances into the matrix, unless it was written before. The merging has overwritten the previous content. */
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
  const { fill } = oneByOne((row) => pairKernelsOf(kernels).distances(metric, x, n, d, ranges, row, row + 1, matrix));
  return {
    fill,
    *measureAll() {
      yield* fillMatrixSteps(points, metric, ranges, matrix, kernels);
      isFilled.fill(1);
    },
  };
}

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
