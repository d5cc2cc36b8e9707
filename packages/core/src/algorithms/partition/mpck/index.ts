/**
 * The main loop of the MPCK family. Its methods differ only in the parts that they turn on (`Ablation` in run.ts).
 *
 * Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. ICML 2004, figure 1.
 *
 * Phase                       where
 *   set-up                    run.ts; links.ts: constraints as weights on components, and the units that move
 *   first centres             run.ts (`firstCentresSteps`)
 *   E-step: labels            here; assign.ts: free rows by kernel, then greedy moves of constrained rows (sweep.ts), in random order
 *   empty clusters            here (`refill`)
 *   M-step: means, metrics,   here; estimate.ts: sums over clusters, metrics from these sums, farthest pairs; violations.ts: penalties
 *     and the objective
 *   choice among starts       methods.ts (`typicalStart`)
 *
 * All phases read a `Run` and update its `State`: labels, centres, metrics and the farthest pair under each metric. There is one metric for
 * all clusters, or one per cluster (metric/metrics.ts). The descent repeats E-step and M-step until nothing changes. Before the descent, a
 * search places the constrained rows from scratch a few times. The descent starts from the best round of the search.
 *
 * All sums use the same idea: a set of rows is represented by its count, mean and scatter. They suffice for a sum over all pairs of rows
 * from two sets, so implied pairs are never listed. There are three kinds of such sets (links.ts): units (rows that move together), tallies
 * (rows of one component in the same cluster), and large components, whose moments (count, mean, scatter) never change.
 *
 *     constraints ──closure──> components ──> units that move ──sweep──> labels
 *                                  │                            ▲
 *                                  └── large: bounds first ─────┘  split into rows only where a row could leave
 *
 * Bounds save work on large data. The k-means kernel assigns free rows (assign.ts). For most constrained rows no sum is needed. A row that
 * leaves its component violates must-links. It stays if this penalty is larger than the largest possible gain (sweep.ts). The same test
 * applies to large components as a whole (large-components.ts).
 *
 * The names of random streams never change, so a seed always gives the same results.
 */
import type { Kernels, KMeansState } from "../../../kernels/index.js";
import type { Stopped } from "../../../model/result.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import type { Outcome } from "../../method.js";
import { metricsOf } from "../../metric/linear-maps.js";
import { mapCentres, metricsFrom, squareBetween } from "../../metric/metrics.js";
import { distinctRows, lowestOf, oscillationNotices } from "../outcome.js";
import { assignFreeSteps, improveSteps, moveOneByOneSteps, nearestSteps, placeSteps } from "./assign.js";
import {
  addRows,
  type Counts,
  clusterSumsSteps,
  learnMetrics,
  MOST_ROWS_EXACT,
  meansOf,
  metricObjective,
  metricSumsSteps,
  noCounts,
  ontoSphere,
  type SumPlan,
  type Whole,
} from "./estimate.js";
import { assignWithLargeSteps, rowsOfSplit, sizeOf } from "./large-components.js";
import { wholeClusters } from "./links.js";
import type { Ablation, EngineInput, Problem, Run, State } from "./run.js";
import { farthestPairs, openProblem, prepareSteps, updateKernelCentres } from "./run.js";
import { distanceTable, tableOnDemand } from "./sweep.js";
import { violationCosts } from "./violations.js";

export function* engineSteps(input: EngineInput, ablation: Ablation, kernels: Kernels, random: Random): Steps<Outcome> {
  const [outcome] = yield* startsSteps(input, ablation, kernels, [{ random, init: ablation.init }]);
  return outcome!;
}

export interface Start {
  readonly random: Random;
  readonly init: Ablation["init"];
}

export function* startsSteps(
  input: EngineInput,
  ablation: Ablation,
  kernels: Kernels,
  starts: readonly Start[],
): Steps<Outcome[]> {
  const arena = kernels.arena();
  try {
    const problem = openProblem(input, ablation, kernels, arena);
    const outcomes: Outcome[] = [];
    for (const start of starts) outcomes.push(yield* startSteps(problem, start));
    return outcomes;
  } finally {
    arena.release();
  }
}

/** A descent is treated as cycling after this many iterations without a new minimum; repaired metrics can cause cycles. */
const MOST_STALLED = 10;
/** Metrics have converged if no row moves and the relative change of the objective is less than this. */
const STILL = 1e-10;

function* startSteps(problem: Problem, { random, init }: Start): Steps<Outcome> {
  const { ablation, notices } = problem;
  const { maxIterations, tolerance, learning } = ablation;
  const arena = problem.kernels.arena();
  try {
    const run = yield* prepareSteps(problem, arena, random, init);
    const history: number[] = [];
    const searched = yield* searchSteps(run, random.split("search"));
    let best: Kept | null = null;
    for (let iteration = 1; ; iteration++) {
      const before = history.at(-1);
      yield { phase: "iterating", done: iteration, total: null, ...(before === undefined ? {} : { objective: before }) };
      const placed = searched || iteration > 1;
      const changed = yield* assignSteps(run, random.split("order", iteration), placed ? "improve" : "place");
      const refilled = ablation.iterate ? refill(run) : [];
      history.push(ablation.iterate ? yield* estimateSteps(run, refilled) : plainObjective(run, refilled));
      const now = history.at(-1)!;
      const step = before === undefined ? Infinity : Math.abs(now - before);
      const still = changed + refilled.length === 0 && (!learning || step <= STILL * Math.abs(now));
      if (best === null || lowestOf(history) === iteration) best = keep(run, now, iteration);
      const converged = still || (tolerance > 0 && step <= tolerance * Math.abs(now)) || !ablation.iterate;
      const stopped = converged ? "converged" : iteration - best.iteration >= MOST_STALLED ? "cycling" : "max-iterations";
      if (stopped === "max-iterations" && iteration < maxIterations) continue;
      if (!converged) restore(run, best);
      const kept = history.slice(0, converged ? iteration : best.iteration);
      return outcomeOf(run, kept, stopped, [...notices, ...oscillationNotices(stopped, history)]);
    }
  } finally {
    arena.release();
  }
}

/** The search ends after this number of rounds in a row without a better result. */
const MOST_VAIN_ROUNDS = 6;

/**
 * Runs rounds of E- and M-steps that place every constrained row from scratch. Returns whether there were any rounds.
 *
 * Greedy moves from the current clusters end in the nearest local minimum. Placing the rows from scratch, in another random order and under
 * the current metric, leads to other minima. The descent starts from the best round. The objective can rise between rounds, so rounds are
 * not part of the history.
 */
function* searchSteps(run: Run, random: Random): Steps<boolean> {
  const { ablation, links, units, large } = run;
  const isBound = links.hasPenalties && (units.count > 0 || large !== null);
  const rounds = ablation.penalty === "none" || !isBound ? 0 : ablation.search;
  let best: Kept | null = null;
  for (let round = 0; round < rounds && round - (best?.iteration ?? round) < MOST_VAIN_ROUNDS; round++) {
    yield { phase: "searching", done: round, total: rounds };
    const changed = yield* assignSteps(run, random.split("round", round), "place");
    const refilled = refill(run);
    const objective = yield* estimateSteps(run, refilled);
    if (best === null || objective < best.objective) best = keep(run, objective, round + 1);
    if (changed + refilled.length === 0) break;
  }
  if (best === null) return false;
  restore(run, best);
  run.state.repaired = false;
  return true;
}

/** A copy of an earlier state: labels, and everything estimated from them. */
interface Kept extends Omit<State, "repaired" | "refills"> {
  readonly objective: number;
  readonly iteration: number;
}

function keep({ state }: Run, objective: number, iteration: number): Kept {
  return { ...state, labels: state.labels.slice(), clusterOfLarge: state.clusterOfLarge.slice(), objective, iteration };
}

function restore(run: Run, { labels, clusterOfLarge, centres, metrics, farthest, learned }: Kept): void {
  run.state.labels.set(labels);
  run.state.clusterOfLarge.set(clusterOfLarge);
  Object.assign(run.state, { centres, metrics, farthest, learned });
  updateKernelCentres(run);
}

function outcomeOf(run: Run, history: readonly number[], stopped: Stopped, notices: readonly string[]): Outcome {
  const { n, d } = run.points;
  const { k, learning } = run.ablation;
  const { labels, centres, metrics, farthest } = run.state;
  return {
    labels,
    centres: Array.from({ length: k }, (_, h) => centres.slice(h * d, (h + 1) * d).map((value, j) => value + run.offset[j]!)),
    objective: history.at(-1)!,
    history,
    iterations: history.length,
    stopped,
    ...(learning ? { metric: metricsOf(metrics.maps, d) } : {}),
    ...(farthest ? { farthestPair: n <= MOST_ROWS_EXACT ? "exact" : "bound" } : {}),
    notices: [...notices, ...closingNotices(run)],
  };
}

function closingNotices(run: Run): string[] {
  const { points, ablation } = run;
  const { labels, learned, repaired } = run.state;
  const { k } = ablation;
  const isUsed = new Uint8Array(k);
  for (let i = 0; i < labels.length; i++) isUsed[labels[i]!] = 1;
  const used = isUsed.reduce((sum, flag) => sum + flag, 0);
  const different = distinctRows(points, k);
  const notices: string[] = [];
  if (used < k) notices.push(`Only ${used} of the ${k} clusters have rows: no row could move to the empty clusters.`);
  else if (different < k) {
    const where = points.underMetric ? "Under the learned metric there" : "There";
    notices.push(
      `${where} ${different === 1 ? "is" : "are"} only ${different} different ${different === 1 ? "row" : "rows"}: equal rows are in different clusters.`,
    );
  }
  const constant = learned ? Array.from(run.spread, (value, j) => (value === 0 ? [run.names?.[j] ?? `x${j}`] : [])).flat() : [];
  if (constant.length > 0) notices.push(constantNotice(constant));
  if (learned && learned.conditioned > 0 && !(constant.length > 0 && isOneDiagonal(run))) {
    notices.push(
      `${metricCount(learned.conditioned)} without spread in some direction: a billionth of the whole spread was added.`,
    );
  }
  if (learned && learned.projected > 0) {
    notices.push(
      `${metricCount(learned.projected)} pulled below zero by violated cannot-links in some direction: it counts next to nothing there.`,
    );
  }
  if (learned && repaired && learned.conditioned + learned.projected === 0) {
    notices.push(
      "In at least one iteration a learned metric was not valid and was corrected. The objective may have risen there.",
    );
  }
  return notices;
}

function metricCount(count: number): string {
  return count === 1 ? "1 metric was" : `${count} metrics were`;
}

function isOneDiagonal({ state: { metrics } }: Run): boolean {
  return metrics.maps.kind === "diagonal" && !metrics.several;
}

const MOST_NAMED = 3;

function constantNotice(columns: readonly string[]): string {
  const [first] = columns;
  if (columns.length === 1) return `Column "${first}" is constant: it does not distinguish rows, and its weight means nothing.`;
  const named = columns.slice(0, MOST_NAMED).map((name) => `"${name}"`);
  const more = columns.length > MOST_NAMED ? ", …" : "";
  return `${columns.length} columns are constant (${named.join(", ")}${more}): they do not distinguish rows, and their weights mean nothing.`;
}

/*
 * The E-step (bilenko2004, section 3.2). The kernel assigns free rows to their nearest cluster. Then each unit of constrained rows moves to
 * the cluster with the least sum of distances and penalties.
 */

/** "place" places constrained rows from scratch, "improve" moves them from their current clusters. Returns how many rows or units moved. */
function* assignSteps(run: Run, random: Random, how: "place" | "improve"): Steps<number> {
  const { ablation, points, links, units, large, moments, free } = run;
  const { labels, clusterOfLarge, metrics, farthest } = run.state;
  const centres = mapCentres(metrics, run.state.centres);
  const others = yield* assignFreeSteps(free, points, metrics, centres, labels);
  if (units.count === 0 && !large) return others;
  const state = {
    penalty: links.hasPenalties ? ablation.penalty : "none",
    x: points.x,
    rowWeights: points.rowWeights,
    d: points.d,
    k: ablation.k,
    metrics,
    centres,
    farthest: farthest?.squares ?? new Float64Array(metrics.all.length),
    squares: run.kernels.squares,
    links,
    units,
    labels,
    moments,
  } as const;
  if (large) {
    const nearest = yield* nearestSteps(large.kernel, points, metrics, centres);
    return others + (yield* assignWithLargeSteps(large, nearest, state, clusterOfLarge, random, how, others));
  }
  const { unitKernel } = run;
  const mean = { n: units.count, d: points.d, x: units.mean };
  const near = unitKernel && (yield* nearestSteps(unitKernel.kernel, mean, metrics, centres));
  const tabled = { ...state, table: near ? tableOnDemand(state, near, unitKernel!.mapped) : distanceTable(state) };
  if (ablation.faithful) return others + (yield* moveOneByOneSteps(tabled, random));
  return others + (yield* how === "place" ? placeSteps(tabled, random) : improveSteps(tabled, random, others));
}

/*
 * The M-step computes means, then metrics and their farthest pairs, and the objective. A kernel sums the rows that it has just assigned. A
 * large component in a single cluster is added through its count, mean and scatter. All other rows are added one by one.
 */

/** Computes centres, metrics and farthest pairs; returns the objective. `refilled`: rows moved into empty clusters. */
function* estimateSteps(run: Run, refilled: readonly Refilled[]): Steps<number> {
  const { points, links, moments, state } = run;
  const { labels } = state;
  const { learning, k } = run.ablation;
  if (!learning) {
    state.centres = plainMeans(run, refilled);
    updateKernelCentres(run);
    return plainObjective(run, refilled);
  }
  const whole = wholesOf(run);
  const plan = refilled.length === 0 && !points.rowWeights ? sumPlanOf(run, whole) : null;
  const { sums, counts } = yield* clusterSumsSteps(points, labels, k, plan);
  state.centres = meansOf(sums, counts, state.centres);
  const metrics = learning.metrics === "single" ? 1 : k;
  const full = learning.matrix === "full";
  const parts = yield* metricSumsSteps(points, links, labels, state.centres, counts, metrics, full, plan, moments, whole);
  const learned = learnMetrics(parts, state.farthest, run.spread);
  state.learned = learned;
  state.repaired ||= learned.conditioned + learned.projected > 0;
  state.metrics = metricsFrom(learned.maps, points.d);
  if (state.farthest) state.farthest = yield* farthestPairs(run);
  return metricObjective(parts, learned.maps, state.farthest, points.d);
}

/**
 * By component: the cluster of all its rows; -1 if its rows are in several clusters, or if it has no moments. Null if no component has
 * moments.
 */
function wholesOf({ moments, links, state: { labels } }: Run): Int32Array | null {
  return moments?.at.some((place) => place >= 0) ? wholeClusters(moments, links, labels) : null;
}

/** How the sums of the M-step are computed; null if every row is added one by one. */
function sumPlanOf(run: Run, whole: Int32Array | null): SumPlan | null {
  const { free, large } = run;
  const state = free.unmapped ? free.state : null;
  if (!state && !whole) return null;
  const rows = [
    ...(state ? [] : [free.rows]),
    whole ? run.rest.filter((row) => whole[run.links.component[row]!]! < 0) : run.rest,
    ...(large ? rowsOfSplit(large, run.state.clusterOfLarge) : []),
  ];
  const wholes = whole ? wholeComponents(run, whole) : [];
  const bound = state && wholes.length === 0 ? boundState(run) : null;
  return bound
    ? { states: [state!, bound], wholes, rest: new Int32Array(0) }
    : { states: state ? [state] : [], wholes, rest: joined(rows) };
}

/** The kernel state of the units, with their current labels. Null if some unit has several rows. */
function boundState({ unitKernel, units, rest, state: { labels } }: Run): KMeansState | null {
  if (!unitKernel?.kernel.state || units.count < rest.length) return null;
  unitKernel.kernel.state.relabel(rest.map((row) => labels[row]!));
  return unitKernel.kernel.state;
}

function wholeComponents({ moments, links: { members }, points: { d } }: Run, cluster: Int32Array): Whole[] {
  const { at, mean, scatter, full } = moments!;
  const width = full ? d * d : d;
  return Array.from(cluster.keys())
    .filter((c) => cluster[c]! >= 0)
    .map((c) => ({
      cluster: cluster[c]!,
      size: members.start[c + 1]! - members.start[c]!,
      mean: mean.subarray(at[c]! * d, (at[c]! + 1) * d),
      scatter: scatter.subarray(at[c]! * width, (at[c]! + 1) * width),
    }));
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const filled = parts.filter((part) => part.length > 0);
  if (filled.length === 1) return filled[0]!;
  const all = new Int32Array(filled.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of filled) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The large components in a single cluster. h: the cluster. size: number of rows. place: index of the moments. */
function* wholeLarge({
  large,
  state: { clusterOfLarge },
}: Run): Generator<readonly [h: number, size: number, place: number], void> {
  for (let e = 0; e < clusterOfLarge.length; e++) {
    if (clusterOfLarge[e]! >= 0) yield [clusterOfLarge[e]!, sizeOf(large!, e), large!.moments.at[large!.components[e]!]!];
  }
}

/** The rows that the M-step adds one by one: rows that are in no kernel and have no moments. With row weights, all rows. */
function rowsToAdd({ points, free, units, large, state }: Run): readonly Int32Array[] {
  const split = large ? rowsOfSplit(large, state.clusterOfLarge) : [];
  return [...(points.rowWeights ? [free.rows] : []), units.rows.items, ...split];
}

/** The cluster means, for runs that learn no metric. */
function plainMeans(run: Run, refilled: readonly Refilled[]): Float64Array {
  const { ablation, points, free, units } = run;
  const { labels, centres } = run.state;
  const { d, x, rowWeights } = points;
  const { sums, counts } = (rowWeights ? null : free.state?.sums()) ?? {
    sums: new Float64Array(centres.length),
    counts: noCounts(points, ablation.k),
  };
  for (const { row, from, to } of refilled) {
    if (rowWeights || units.of[row]! >= 0) continue;
    addTimes(sums, counts, from, -1, x, row, d);
    addTimes(sums, counts, to, 1, x, row, d);
  }
  for (const [h, size, place] of wholeLarge(run)) addTimes(sums, counts, h, size, run.moments!.mean, place, d);
  for (const rows of rowsToAdd(run)) addRows(points, rows, 0, rows.length, labels, sums, counts);
  const means = meansOf(sums, counts, centres);
  if (ablation.spherical) ontoSphere(means, d);
  return means;
}

/** Adds `times` rows to the sums and counts of cluster h. Their mean is row `place` of the table `means`. */
function addTimes(
  sums: Float64Array,
  counts: Counts,
  h: number, // the cluster
  times: number,
  means: Float64Array,
  place: number, // row of the table `means`
  d: number,
): void {
  counts[h]! += times;
  for (let j = 0, p = h * d, q = place * d; j < d; j++) sums[p + j]! += times * means[q + j]!;
}

/** The objective of equation 1 (bilenko2004): squared distances to the centres plus the weights of violated constraints. */
function plainObjective(run: Run, refilled: readonly Refilled[]): number {
  const { ablation, points, free, units, moments, links } = run;
  const { labels, centres } = run.state;
  const { d, x, rowWeights } = points;
  const squareTo = (table: Float64Array, row: number, h: number): number => squareBetween(table, row * d, centres, h * d, d);
  let objective = (rowWeights ? 0 : free.state?.inertia()) ?? 0;
  for (const { row, from, to } of refilled) {
    if (!rowWeights && units.of[row]! < 0) objective += squareTo(x, row, to) - squareTo(x, row, from);
  }
  let bound = 0;
  for (const [h, size, place] of wholeLarge(run)) {
    bound += size * squareTo(moments!.mean, place, h);
    for (let j = 0; j < d; j++) bound += moments!.scatter[place * d + j]!;
  }
  for (const rows of rowsToAdd(run)) {
    for (let e = 0; e < rows.length; e++) bound += (rowWeights?.[rows[e]!] ?? 1) * squareTo(x, rows[e]!, labels[rows[e]!]!);
  }
  return objective + bound + (ablation.penalty === "cost" ? violationCosts(links, labels, ablation.k, wholesOf(run)) : 0);
}

/* Rows moved into empty clusters. Each empty cluster takes the row with the largest distance from its assigned centre, as in k-means. */

interface Refilled {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** A start moves at most k · MOST_REFILLS rows into empty clusters. Clusters that become empty later stay empty. */
const MOST_REFILLS = 3;

/** Moves far rows into empty clusters and returns them. Rows with must-links and the last row of a cluster are not moved. */
function refill(run: Run): Refilled[] {
  const { links, units, ablation, state } = run;
  const { metrics, labels } = state;
  const { n, d, x } = run.points;
  if (state.refills >= MOST_REFILLS * ablation.k) return [];
  const counts = new Int32Array(ablation.k);
  for (let i = 0; i < n; i++) counts[labels[i]!]!++;
  if (!counts.includes(0)) return [];
  const empty = Array.from(counts.keys()).filter((h) => counts[h] === 0);
  const centres = mapCentres(metrics, state.centres);
  const z = new Float64Array(d);
  const square = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const c = links.component[i]!;
    const alone = c < 0 || links.members.start[c + 1]! - links.members.start[c]! === 1;
    if (!alone || (units.of[i]! >= 0 && units.size[units.of[i]!]! > 1)) continue;
    metrics.all[metrics.of(labels[i]!)]!.map(x, i * d, z, 0);
    square[i] = squareBetween(z, 0, centres, labels[i]! * d, d);
  }
  const moved: Refilled[] = [];
  for (const to of empty) {
    let row = -1;
    for (let i = 0; i < n; i++) if (square[i]! > (row < 0 ? 0 : square[row]!) && counts[labels[i]!]! > 1) row = i;
    if (row < 0) break;
    moved.push({ row, from: labels[row]!, to });
    square[row] = 0;
    counts[labels[row]!]!--;
    counts[to]!++;
    labels[row] = to;
  }
  state.refills += moved.length;
  return moved;
}
