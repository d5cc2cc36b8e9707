/**
 * The data of a run of the MPCK family, and its set-up. `Problem`: data that all starts share and that never changes. `Run`: data of one
 * start, in kernel memory. `State`: the part of a run that the main loop updates.
 */
import { badInput, CoterieError } from "../../../errors.js";
import { type Arena, type FarthestSearch, type Kernels, plainKernels } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { type InstanceId, type Points, rowValues } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { type Metrics, noMetric, squareBetween } from "../../metric/metrics.js";
import { plusPlusByKernels, randomRows } from "../seeding.js";
import { type KernelRows, kernelRows, type Learning, rowsWhere } from "./assign.js";
import { centred, type Farthest, farthestSteps, type Learned, ontoSphere, openSearch } from "./estimate.js";
import { findLarge, type LargeComponents, largeComponentsOf, SPLIT } from "./large-components.js";
import {
  type ComponentMoments,
  componentMoments,
  idsOfUnit,
  type Links,
  linksOf,
  meansOfLists,
  type Units,
  unitsOf,
} from "./links.js";
import type { Penalty } from "./sweep.js";

const MOST_STEPS = 1_000_000;

export interface Ablation {
  readonly k: number;
  readonly init: Init;
  readonly penalty: Penalty;
  readonly learning: Learning | null;
  /** Whether constraint weights are multiplied by the mean squared distance to the mean of all rows. */
  readonly relativeCosts: boolean;
  readonly spherical: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
  /** Whether centres are updated. If false, rows are only assigned once to the first centres. */
  readonly iterate: boolean;
  /** Maximum number of rounds that place all constrained rows from scratch before the descent. */
  readonly search: number;
  /** Whether constrained rows only move one by one, as in the paper. */
  readonly faithful: boolean;
  /** Large components are handled as a whole if all of them together have at least this number of rows; default MANY_ROWS. */
  readonly largeFrom?: number;
  /** Costs are computed on demand if a table of all costs needs at least this number of products; default MANY_PRODUCTS. */
  readonly onDemandFrom?: number;
}

export interface EngineInput {
  readonly points: Points;
  readonly constraints: ConstraintSet;
  readonly ids?: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
}

/** The constrained rows. In the E-step, every row is free, in a large component, or in a unit. */
interface Bound {
  readonly links: Links;
  /** Large components; null if they have fewer than `largeFrom` rows in total. */
  readonly large: LargeComponents | null;
  /** Constrained rows outside large components: single rows, or several rows joined by hard must-links. */
  readonly units: Units;
  readonly moments: ComponentMoments | null;
}

/** The part of a run that needs no random numbers, so that all starts share it. */
export interface Problem extends Omit<Bound, "large"> {
  readonly ablation: Ablation;
  readonly ids: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
  readonly original: Points;
  /** The rows. If metrics are learned, the mean is subtracted, so that mapped rows keep their precision. */
  readonly points: Points;
  readonly offset: Float64Array;
  readonly spread: Float64Array;
  readonly chosen: Int32Array;
  /** The centroids of must-linked neighbourhoods; empty if the first centres are not neighbourhoods. */
  readonly neighbourhoods: readonly Float64Array[];
  /**
   * Exact search for the farthest pair of rows under each metric. Null if no farthest pair is needed, or if a bound replaces it. Starts
   * reuse the bounds from earlier starts.
   */
  readonly search: FarthestSearch | null;
  readonly kernels: Kernels;
}

export interface Run extends Problem, Bound {
  readonly names: readonly string[] | undefined;
  readonly free: KernelRows;
  /** The rows of units, ascending. */
  readonly rest: Int32Array;
  /** Finds the nearest cluster of each unit with a kernel; null if a table of all costs is as fast. */
  readonly unitKernel: UnitKernel | null;
  readonly state: State;
}

/** The part of a run that changes. The E-step changes the labels, and the M-step the centres, metrics and farthest pairs. */
export interface State {
  readonly labels: Int32Array;
  /** The cluster of each large component, or SPLIT. */
  readonly clusterOfLarge: Int32Array;
  /** The centre of each cluster, k × d. */
  centres: Float64Array;
  metrics: Metrics;
  /** The farthest pair of rows under each metric; null if not needed. */
  farthest: Farthest | null;
  learned: Learned | null;
  repaired: boolean;
  /** Number of rows moved into empty clusters so far. */
  refills: number;
}

/** Means of units in kernel memory, and a buffer for the means mapped by a metric. */
interface UnitKernel {
  readonly kernel: KernelRows;
  readonly mapped: Float64Array;
}

/** Default of `largeFrom`. With fewer rows in large components, a table of costs is faster. */
const MANY_ROWS = 4096;

export function openProblem(
  { points: original, constraints, ids, notices }: EngineInput,
  ablation: Ablation,
  kernels: Kernels,
  arena: Arena,
): Problem {
  const { k, penalty, learning, init } = ablation;
  if (k > original.n) throw new CoterieError({ code: "k-too-large", k, n: original.n });
  const { mean, variance } = columnMoments(original);
  const scale = penalty === "cost" && ablation.relativeCosts ? variance.reduce((sum, value) => sum + value, 0) : 1;
  const links = linksOf(constraints, scale, ids);
  const points = learning ? centred(original, mean) : original;
  return {
    ablation,
    ids,
    notices,
    original,
    points,
    offset: learning ? mean : new Float64Array(original.d),
    spread: variance,
    ...unitsAndMoments(links, points, ablation, ids),
    neighbourhoods: init === "neighbourhoods" ? neighbourhoodCentres(original, links, k) : [],
    search: learning && links.hasCannot ? openSearch(points, kernels, arena) : null,
    kernels,
  };
}

function unitsAndMoments(
  links: Links,
  points: Points,
  { k, penalty, learning, faithful, largeFrom = MANY_ROWS }: Ablation,
  ids: readonly InstanceId[] | undefined,
): Pick<Problem, "links" | "chosen" | "units" | "moments"> {
  const none = new Int32Array(0);
  const soft = penalty !== "none" && links.hasPenalties;
  // Moments and kernels ignore row weights. So rows with weights are placed and summed one by one.
  if (!soft || points.rowWeights) return { links, chosen: none, units: unitsOf(links, points, k, soft, ids), moments: null };
  const moments = componentMoments(links, points, learning?.matrix === "full");
  const found = faithful ? none : findLarge(links);
  const rows = found.reduce((sum, c) => sum + links.members.start[c + 1]! - links.members.start[c]!, 0);
  const chosen = rows >= largeFrom ? found : none;
  return { links, chosen, units: unitsOf(links, points, k, true, ids, chosen), moments };
}

/** Prepares one start: first centres, and the rows in kernel memory. */
export function* prepareSteps(problem: Problem, arena: Arena, random: Random, init: Init): Steps<Run> {
  const { ablation, ids, original, points, offset, links, units, chosen, moments, neighbourhoods, kernels } = problem;
  const { k, learning } = ablation;
  const first = yield* firstCentresSteps(original, links, k, init, random, neighbourhoods, kernels);
  const large = chosen.length > 0 ? largeComponentsOf(links, chosen, moments!, points, k, learning, kernels, arena) : null;
  const centres = first.map((value, p) => value - offset[p % points.d]!);
  if (ablation.spherical) ontoSphere(centres, points.d);
  const labels = new Int32Array(points.n).fill(-1);
  placeApart(units, k, (u) => squaresTo(points, units, centres, u), labels, ids);
  const run: Run = {
    ...problem,
    large,
    names: original.names,
    free: kernelRows(points, freeOf(units, large), k, learning, kernels, arena),
    rest: rowsWhere(units.of, false),
    unitKernel: large ? null : unitKernelOf(problem, arena),
    state: {
      labels,
      clusterOfLarge: new Int32Array(chosen.length).fill(SPLIT),
      centres,
      metrics: noMetric(points.d),
      farthest: null,
      learned: null,
      repaired: false,
      refills: 0,
    },
  };
  updateKernelCentres(run);
  if (learning && links.hasCannot) run.state.farthest = yield* farthestPairs(run);
  return run;
}

/**
 * Default of `onDemandFrom`: from this number of products (units × clusters × columns), kernels find the nearest clusters faster than a
 * table. Only with SCREENED_COLUMNS or more columns, where kernels can screen rows.
 */
const MANY_PRODUCTS = 1_000_000;
const SCREENED_COLUMNS = 24;

function unitKernelOf({ ablation, points: { d }, units, kernels }: Problem, arena: Arena): UnitKernel | null {
  const { k, learning, onDemandFrom = d < SCREENED_COLUMNS ? Infinity : MANY_PRODUCTS } = ablation;
  if (learning?.metrics === "multiple" || learning?.matrix === "full" || units.count * k * d < onDemandFrom) return null;
  const rows = Int32Array.from({ length: units.count }, (_, u) => u);
  const kernel = kernelRows({ n: units.count, d, x: units.mean }, rows, k, learning, kernels, arena);
  return { kernel, mapped: new Float64Array(learning ? units.count * d : 0) };
}

/** The rows that are neither in units nor in large components, ascending. */
function freeOf({ of }: Units, large: LargeComponents | null): Int32Array {
  const taken = of.slice();
  const rows = large?.kernel.rows ?? [];
  for (let f = 0; f < rows.length; f++) taken[rows[f]!] = 0;
  return rowsWhere(taken, true);
}

function inKernels({ free, large }: Run): KernelRows[] {
  return large ? [free, large.kernel] : [free];
}

/** Passes new centres to the kernels, for runs without a learned metric. With a learned metric, the E-step passes them. */
export function updateKernelCentres(run: Run): void {
  if (run.ablation.learning) return;
  for (const { state } of inKernels(run)) state?.setCentres(run.state.centres);
  run.unitKernel?.kernel.state?.setCentres(run.state.centres);
}

export function farthestPairs(run: Run): Steps<Farthest> {
  const { metrics, farthest } = run.state;
  return farthestSteps(run.points, metrics, farthest, run.search, inKernels(run), run.rest);
}

function squaresTo({ d }: Points, { mean }: Units, centres: Float64Array, u: number): Float64Array {
  return Float64Array.from({ length: centres.length / d }, (_, h) => squareBetween(mean, u * d, centres, h * d, d));
}

/*
 * First clusters for units with hard cannot-links: a colouring of their graph with k colours that prefers near centres.
 *
 * A unit with fewer than k neighbours can always be coloured after its neighbours. Such units are removed repeatedly. The remaining units
 * are the core. They are coloured by backtracking, the unit with the fewest possible clusters next (Brélaz' rule). If the search ends
 * without a colouring, the core is a proof that there is none. After MOST_STEPS steps the search gives up.
 *
 * Later moves never put a unit into a cluster of its neighbours. So only the first clusters must be checked.
 */

/** Writes a cluster for each unit with hard cannot-links into `labels`. costs(u): cost of unit u in each cluster. */
function placeApart(
  units: Units,
  k: number,
  costs: (u: number) => Float64Array,
  labels: Int32Array,
  ids?: readonly InstanceId[],
): void {
  const { apart } = units;
  if (apart.items.length === 0) return;
  const concerned = Array.from({ length: units.count }, (_, u) => u).filter((u) => apart.start[u + 1]! > apart.start[u]!);
  const { easy, core } = setAside(units, concerned, k);
  const colour = new Int32Array(units.count).fill(-1);
  const preference = (u: number): number[] => {
    const cost = costs(u);
    return Array.from({ length: k }, (_, h) => h).sort((a, b) => cost[a]! - cost[b]! || a - b);
  };
  const found = colourCore(units, core, k, preference, colour);
  if (found === "none") throw new CoterieError({ code: "infeasible", k, core: core.map((u) => idsOfUnit(units, u, ids)) });
  if (found === "unknown") {
    throw new CoterieError({
      code: "gave-up",
      message: `The search found no way to satisfy the hard cannot-links with ${k} clusters, and no proof that there is none. Ask for more clusters, or give some cannot-links a finite weight.`,
    });
  }
  for (const u of easy.reverse()) colour[u] = preference(u).find((h) => !neighbourHas(units, colour, u, h))!;
  for (const u of concerned) {
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) labels[units.rows.items[p]!] = colour[u]!;
  }
}

function setAside({ apart, of, count }: Units, concerned: readonly number[], k: number): { easy: number[]; core: number[] } {
  const degree = Int32Array.from({ length: count }, (_, u) => apart.start[u + 1]! - apart.start[u]!);
  const gone = new Uint8Array(count);
  const easy = concerned.filter((u) => degree[u]! < k);
  for (const u of easy) gone[u] = 1;
  for (let e = 0; e < easy.length; e++) {
    for (let p = apart.start[easy[e]!]!; p < apart.start[easy[e]! + 1]!; p++) {
      const other = of[apart.items[p]!]!;
      if (gone[other] === 0 && --degree[other]! < k) {
        gone[other] = 1;
        easy.push(other);
      }
    }
  }
  return { easy, core: concerned.filter((u) => gone[u] === 0) };
}

function neighbourHas({ apart, of }: Units, colour: Int32Array, u: number, h: number): boolean {
  for (let p = apart.start[u]!; p < apart.start[u + 1]!; p++) if (colour[of[apart.items[p]!]!] === h) return true;
  return false;
}

/** Colours the core by backtracking. The stack has one entry per placed unit: the clusters that were not tried yet. */
function colourCore(
  units: Units,
  core: readonly number[],
  k: number,
  preference: (u: number) => number[],
  colour: Int32Array,
): "found" | "none" | "unknown" {
  const stack: { readonly u: number; readonly left: number[] }[] = [];
  const open = (): void => {
    const u = mostPressed(units, core, colour, k);
    const used = new Set(stack.map((entry) => colour[entry.u]!));
    // Empty clusters are interchangeable, so only the cheapest empty cluster is tried.
    const fresh = preference(u).find((h) => !used.has(h));
    stack.push({ u, left: preference(u).filter((h) => h === fresh || (used.has(h) && !neighbourHas(units, colour, u, h))) });
  };
  if (core.length === 0) return "found";
  open();
  for (let step = 0; step < MOST_STEPS; step++) {
    const top = stack.at(-1)!;
    const next = top.left.shift();
    colour[top.u] = next ?? -1;
    if (next === undefined) {
      stack.pop();
      if (stack.length === 0) return "none";
      colour[stack.at(-1)!.u] = -1;
    } else if (stack.length === core.length) return "found";
    else open();
  }
  return "unknown";
}

/** The unplaced unit with the fewest possible clusters. On ties the unit with more neighbours, then the lower number. */
function mostPressed(units: Units, core: readonly number[], colour: Int32Array, k: number): number {
  let best = -1;
  let most = -1;
  for (const u of core) {
    if (colour[u] !== -1) continue;
    let used = 0;
    for (let h = 0; h < k; h++) if (neighbourHas(units, colour, u, h)) used++;
    const pressure = used * (units.count + 1) + (units.apart.start[u + 1]! - units.apart.start[u]!);
    if (pressure > most) [most, best] = [pressure, u];
  }
  return best;
}

/*
 * First centres (bilenko2004, section 3.1). Neighbourhoods are the must-link components of two or more rows. With at least k
 * neighbourhoods, `farthestFirst` chooses k of their centroids. With fewer than k neighbourhoods, all their centroids are used. Each
 * remaining centre is the mean of all rows plus normal noise of half a standard deviation per feature.
 */

export type Init = "neighbourhoods" | "perturbed" | "k-means++" | "random" | readonly (readonly number[])[];

const NOISE = 0.5;

/** Chooses the k first centres by the option `init`. neighbourhoods: result of `neighbourhoodCentres`, if it was computed before. */
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
      return withPerturbedMeans(neighbourhoods ?? neighbourhoodCentres(points, links, k), () => columnMoments(points), k, random);
    case "perturbed":
      return withPerturbedMeans([], () => columnMoments(points), k, random);
    case "k-means++":
      return yield* plusPlusByKernels(points, k, random, kernels);
    case "random":
      return randomRows(points, k, random);
    default:
      return givenCentres(init, k, points.d);
  }
}

export function givenCentres(rows: readonly (readonly number[])[], k: number, d: number): Float64Array {
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

/** The centroids of must-link components of two or more rows. If there are more than k, the centroids that `farthestFirst` chooses. */
export function neighbourhoodCentres(
  points: Pick<Points, "d" | "x" | "rowWeights">,
  { members, componentCount }: Pick<Links, "members" | "componentCount">,
  k: number,
): Float64Array[] {
  const { d } = points;
  const { size, weight, mean } = meansOfLists(members, points);
  const chosen = Array.from(upTo(componentCount)).filter((c) => size[c]! >= 2);
  const centroids = chosen.map((c) => mean.slice(c * d, (c + 1) * d));
  if (centroids.length < k) return centroids;
  const weights = chosen.map((c) => weight[c]!);
  return farthestFirst(centroids, weights, k).map((c) => centroids[c]!);
}

/**
 * Chooses k of the centroids by weighted farthest-first traversal. The first is the largest. Each next one has the largest size · distance
 * to the nearest chosen centroid. Returns indices; on ties the lower index.
 */
export function farthestFirst(centroids: readonly Float64Array[], sizes: readonly number[], k: number): number[] {
  const chosen = [sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size), 0))];
  const nearest = new Float64Array(centroids.length).fill(Infinity);
  while (chosen.length < k) {
    const last = centroids[chosen.at(-1)!]!;
    let next = -1;
    let farthest = -1;
    centroids.forEach((centroid, c) => {
      nearest[c] = Math.min(nearest[c]!, Math.sqrt(squareBetween(centroid, 0, last, 0, last.length)));
      if (sizes[c]! * nearest[c]! > farthest && !chosen.includes(c)) {
        farthest = sizes[c]! * nearest[c]!;
        next = c;
      }
    });
    chosen.push(next);
  }
  return chosen;
}

/**
 * Adds perturbed means to the given centres until there are k centres. A perturbed mean is the mean of all rows plus noise. momentsOf:
 * computes mean and variance of each column, if centres are missing.
 */
export function withPerturbedMeans(
  first: readonly Float64Array[],
  momentsOf: () => { readonly mean: Float64Array; readonly variance: Float64Array },
  k: number,
  random: Random,
): Float64Array {
  const missing = first.length < k ? momentsOf() : null;
  const rest = Array.from({ length: k - first.length }, () =>
    missing!.mean.map((value, j) => value + NOISE * Math.sqrt(missing!.variance[j]!) * random.normal()),
  );
  return Float64Array.from([...first, ...rest].flatMap((centre) => [...centre]));
}

/** Mean and population variance of each column; exact for a constant column. */
export function columnMoments(points: Points): { readonly mean: Float64Array; readonly variance: Float64Array } {
  const { n, d, rowWeights } = points;
  const x = rowValues(points);
  const all = rowWeights ? rowWeights.reduce((sum, weight) => sum + weight, 0) : n;
  const mean = new Float64Array(d);
  const variance = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    const weight = rowWeights ? rowWeights[i]! : 1;
    for (let j = 0, p = i * d; j < d; j++) mean[j]! += weight * x[p + j]!;
  }
  for (let j = 0; j < d; j++) {
    let p = j;
    while (p < n * d && x[p] === x[j]) p += d;
    mean[j] = p >= n * d ? x[j]! : mean[j]! / all;
  }
  for (let i = 0; i < n; i++) {
    const weight = rowWeights ? rowWeights[i]! : 1;
    for (let j = 0, p = i * d; j < d; j++) {
      const t = x[p + j]! - mean[j]!;
      variance[j]! += weight * (t * t);
    }
  }
  return { mean, variance: variance.map((sum) => sum / all) };
}
