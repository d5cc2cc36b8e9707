/**
 * Predicts the clusters of new rows from a model.
 *
 * With centres, a row goes to the nearest centre under the model's metric. The k-means family assigns rows without constraints in the same
 * way. Training rows get their training labels, with three exceptions:
 *
 * - rows that constraints or size bounds placed in another cluster,
 * - rows of a run that stopped before convergence,
 * - under a learned metric, rows whose distances to two centres differ only by rounding errors.
 *
 * With a tree, every training row gets its training label. With a mixture, a row goes to the most probable cluster.
 *
 * A level that the model has not seen is equally far from all known levels. It does not pass any test of a tree.
 */
import { alongAxes } from "../algorithms/embedding/principal-axes.js";
import { levelHolds, textNumbers } from "../algorithms/encode.js";
import { type LinearMaps, mapInto } from "../algorithms/metric/linear-maps.js";
import { softmax } from "../algorithms/partition/mixture/evidence.js";
import { densitySteps, unpacked } from "../algorithms/partition/mixture/gaussians.js";
import { unitRows } from "../algorithms/partition/mpck/methods.js";
import { predictRows } from "../algorithms/tree/rules/predict.js";
import { badInput, badOption } from "../errors.js";
import { CHUNK_ROWS, type Kernels, plainKernels } from "../kernels/index.js";
import type { Instances, Points, Rows } from "../model/points.js";
import { asPoints } from "../rows.js";
import { drain, type Steps } from "../steps/index.js";
import { alignPoints, type UnseenLevels } from "./align.js";
import { type CentreRule, encodedWidth, type GaussianRule, type Model, type ModelColumn, widthOf } from "./model.js";

export interface PredictOptions {
  readonly kernels?: Kernels;
  /** Whether to return the distances to all centres, default false. */
  readonly distances?: boolean;
  /** Whether to return the probability of each row in each cluster, default false; only models of a mixture have them. */
  readonly probabilities?: boolean;
  /** Source file of the rows, for messages. */
  readonly file?: string;
}

export interface Prediction {
  readonly labels: Int32Array;
  /** Number of rows in each cluster. */
  readonly sizes: readonly number[];
  readonly unseen: readonly UnseenLevels[];
  /** Distance of each row to each centre under the metric: n x k, row-major. */
  readonly distances?: Float64Array;
  /** Probability of each row in each cluster: n x k, row-major. */
  readonly probabilities?: Float64Array;
  readonly notices: readonly string[];
}

/**
 * Assigns rows to the clusters of a model. Columns are matched by name.
 *
 * ```ts
 * predict(model, newRows).labels;
 * ```
 */
export function predict(model: Model, points: Instances | Rows, options: PredictOptions = {}): Prediction {
  if (!model?.rule) throw badInput("This is no model.", { remedy: "Give what modelOf or loadModel returns, and then the rows." });
  return drain(predictSteps(model, asPoints(points), options));
}

const ROWS_A_STEP = 4 * CHUNK_ROWS;

export function* predictSteps(model: Model, points: Instances, options: PredictOptions = {}): Steps<Prediction> {
  const { kernels = plainKernels, distances: wanted = false, probabilities: wantsProbabilities = false, file } = options;
  const { rule, k } = model;
  if (wanted && rule.kind === "tree") throw badOption("distances", true, "left out: a tree has no centres");
  if (wanted && rule.kind === "gaussians")
    throw badOption("distances", true, "left out: a mixture has probabilities instead (probabilities: true)");
  if (wantsProbabilities && rule.kind !== "gaussians")
    throw badOption("probabilities", true, "left out: only models of the method mixture have them");
  const { points: rows, unseen } = alignPoints(model, points, file);
  const labels = new Int32Array(rows.n);
  const distances = wanted ? new Float64Array(rows.n * k) : undefined;
  const probabilities = wantsProbabilities ? new Float64Array(rows.n * k) : undefined;
  const place = rule.kind === "centres" ? centrePlacer(model, rule, kernels) : null;
  const mixture = rule.kind === "gaussians" ? mixturePlacer(model, rule, kernels) : null;
  for (let from = 0; from < rows.n; from += ROWS_A_STEP) {
    yield { phase: "predicting", done: from, total: rows.n };
    const to = Math.min(rows.n, from + ROWS_A_STEP);
    const block: Instances = { ...rows, n: to - from, x: rows.x.subarray(from * rows.d, to * rows.d) };
    if (rule.kind === "tree") labels.set(predictRows(rule.tree, block), from);
    else if (mixture) mixture(block, labels.subarray(from, to), probabilities?.subarray(from * k, to * k));
    else place!(block, labels.subarray(from, to), distances?.subarray(from * k, to * k));
  }
  const sizes = new Array<number>(k).fill(0);
  for (const label of labels) sizes[label]!++;
  return {
    labels,
    sizes,
    unseen,
    notices: unseenNotices(unseen, rule.kind),
    ...(distances ? { distances } : {}),
    ...(probabilities ? { probabilities } : {}),
  };
}

function unseenNotices(unseen: readonly UnseenLevels[], kind: Model["rule"]["kind"]): string[] {
  return unseen.map(({ column, levels, rows }) => {
    const shown = levels.slice(0, 5).map((level) => `"${level}"`);
    const names = `${shown.join(", ")}${levels.length > shown.length ? ", …" : ""}`;
    const how = kind === "tree" ? "it fails every test of that column" : "it is equally far from every level that it has";
    return `The model has not seen ${names} in the column "${column}" (${rows} ${rows === 1 ? "row" : "rows"}): ${how}.`;
  });
}

type Placer = (block: Instances, labels: Int32Array, distances: Float64Array | undefined) => void;

/** Returns a function that assigns rows to their most probable cluster; on ties, to the lower cluster number. */
function mixturePlacer({ columns, k }: Model, rule: GaussianRule, kernels: Kernels) {
  const mean = Float64Array.from(rule.origin);
  const axes = rule.axes?.map((axis) => Float64Array.from(axis)) ?? null;
  const gaussians = unpacked({
    covariance: rule.covariance,
    means: rule.means.map((each) => Float64Array.from(each)),
    roots: rule.roots.map((each) => Float64Array.from(each)),
    offsets: rule.offsets,
  });
  return (block: Instances, labels: Int32Array, probabilities: Float64Array | undefined): void => {
    const { n, d, x } = encode(columns, block);
    if (axes === null) subtract(x, mean);
    const rows = axes === null ? x : alongAxes(x, n, { mean, axes }, kernels);
    const scores = drain(densitySteps({ n, d: axes === null ? d : axes.length, x: rows }, gaussians, kernels));
    for (let i = 0; i < n; i++) {
      let best = 0;
      for (let c = 1; c < k; c++) if (scores[i * k + c]! > scores[i * k + best]!) best = c;
      labels[i] = best;
    }
    probabilities?.set(softmax(scores, k));
  };
}

/**
 * Returns a function that assigns rows to their nearest centre. With a metric, the mean of the centres is subtracted before mapping. This
 * keeps the digits of differences between large numbers.
 */
function centrePlacer({ columns }: Model, rule: CentreRule, kernels: Kernels): Placer {
  const d = encodedWidth(columns);
  const { preference } = rule;
  const maps = mapsOf(rule);
  const origin = maps.kind === "identity" ? new Float64Array(d) : meanOf(rule.centres, d);
  // Centres in the order of preference. The kernel breaks ties towards the lower index, so ties are broken as in the run.
  const centres = new Float64Array(preference.length * d);
  const mapOf = (c: number): number => (maps.maps.length === 1 ? 0 : preference[c]!);
  preference.forEach((cluster, c) => {
    const away = Float64Array.from(rule.centres[cluster]!, (value, j) => value - origin[j]!);
    mapInto(maps, mapOf(c), d, away, 0, centres, c * d);
  });
  return (block, labels, distances) => {
    const encoded = encode(columns, block);
    const { x } = rule.unitRows ? unitRows(encoded).rows : encoded;
    if (maps.kind !== "identity") subtract(x, origin);
    const rows: Points = { n: block.n, d, x };
    const found = maps.maps.length === 1 ? nearest(rows, maps, centres, kernels) : cheapest(rows, maps, mapOf, centres);
    for (let i = 0; i < block.n; i++) labels[i] = preference[found[i]!]!;
    if (distances) writeDistances(rows, maps, mapOf, centres, preference, distances);
  };
}

function mapsOf({ metric }: CentreRule): LinearMaps {
  if (!metric) return { kind: "identity", maps: [new Float64Array(0)], logDets: new Float64Array(1) };
  return {
    kind: metric.kind,
    maps: metric.roots.map((root) => Float64Array.from(root)),
    logDets: Float64Array.from(metric.logDets),
  };
}

function meanOf(centres: readonly (readonly number[])[], d: number): Float64Array {
  const mean = new Float64Array(d);
  for (const centre of centres) for (let j = 0; j < d; j++) mean[j]! += centre[j]! / centres.length;
  return mean;
}

function subtract(x: Float64Array, origin: Float64Array): void {
  for (let p = 0; p < x.length; p++) x[p]! -= origin[p % origin.length]!;
}

/** The rows with encoded levels: 1/√2 in the column of a row's level. Numbers stay unchanged. */
function encode(columns: readonly ModelColumn[], { n, d, x, levels }: Instances): Points {
  const width = encodedWidth(columns);
  if (width === d && columns.every(({ kind }) => kind === "numeric")) return { n, d, x: x.slice(0, n * d) };
  const encoded = new Float64Array(n * width);
  let start = 0;
  columns.forEach((column, j) => {
    const count = widthOf(column);
    const ofText = column.kind === "text" ? numbersOf(column, levels?.[j] ?? []) : null;
    for (let i = 0; i < n; i++) {
      const value = x[i * d + j]!;
      if (ofText) encoded.set(ofText.subarray(value * count, (value + 1) * count), i * width + start);
      else if (column.kind === "numeric") encoded[i * width + start] = value;
      else if (value < count) encoded[i * width + start + value] = levelHolds(column.kind === "nominal" ? column.weight : 1);
    }
    start += count;
  });
  return { n, d: width, x: encoded };
}

function numbersOf(column: Extract<ModelColumn, { kind: "text" }>, texts: readonly string[]): Float64Array {
  const { rarities, dimensions, weight } = column;
  return textNumbers(texts, { texts: rarities.texts, counts: Int32Array.from(rarities.counts) }, dimensions, weight);
}

/** Assigns each row to its nearest centre, if all clusters share a metric. Maps the rows, then runs the k-means kernel. */
function nearest({ n, d, x }: Points, maps: LinearMaps, centres: Float64Array, kernels: Kernels): Int32Array {
  const arena = kernels.arena();
  try {
    const block = arena.f64(n * d);
    const view = block.view();
    for (let i = 0; i < n; i++) mapInto(maps, 0, d, x, i * d, view, i * d);
    const state = kernels.kmeans(block, n, d, centres.length / d, arena, { bounds: false });
    state.setCentres(centres);
    state.assign(0, n);
    return state.labels();
  } finally {
    arena.release();
  }
}

function cheapest({ n, d, x }: Points, maps: LinearMaps, mapOf: (c: number) => number, centres: Float64Array): Int32Array {
  const mapped = new Float64Array(d);
  return Int32Array.from({ length: n }, (_, i) => {
    let best = 0;
    let least = Infinity;
    for (let c = 0; c * d < centres.length; c++) {
      mapInto(maps, mapOf(c), d, x, i * d, mapped, 0);
      const cost = squaredTo(mapped, centres, c * d) - maps.logDets[mapOf(c)]!;
      if (cost >= least) continue;
      least = cost;
      best = c;
    }
    return best;
  });
}

function squaredTo(row: Float64Array, centres: Float64Array, q: number): number {
  let sum = 0;
  for (let j = 0; j < row.length; j++) sum += (row[j]! - centres[q + j]!) * (row[j]! - centres[q + j]!);
  return sum;
}

function writeDistances(
  { n, d, x }: Points,
  maps: LinearMaps,
  mapOf: (c: number) => number,
  centres: Float64Array,
  preference: readonly number[],
  distances: Float64Array,
): void {
  const mapped = new Float64Array(d);
  const k = preference.length;
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) {
      mapInto(maps, mapOf(c), d, x, i * d, mapped, 0);
      distances[i * k + preference[c]!] = Math.sqrt(squaredTo(mapped, centres, c * d));
    }
  }
}
