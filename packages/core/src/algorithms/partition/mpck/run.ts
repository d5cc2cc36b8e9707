/** What a run of the family works with, and how it is set up. */

import { CoterieError } from "../../../errors.js";
import type { Arena, FarthestSearch, Kernels } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { InstanceId, Points } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { type Metrics, noMetric, squareBetween } from "../../metric/metrics.js";
import { type KernelRows, kernelRows, type Learning, rowsWhere } from "./assign/bound-rows.js";
import { findLarge, type LargeComponents, largeComponentsOf, SPLIT } from "./assign/large-components.js";
import type { Penalty } from "./assign/sweep.js";
import {
  type ComponentMoments,
  componentMoments,
  idsOfUnit,
  type Links,
  linksOf,
  type Units,
  unitsOf,
} from "./constraints/links.js";

import { centred, type Farthest, farthestSteps, type Learned, ontoSphere, openSearch } from "./estimate/learn-metrics.js";

import { columnMoments, firstCentresSteps, type Init, neighbourhoodCentres } from "./initialise.js";

const MOST_STEPS = 1_000_000;

/** What a method of the family switches on. */
export interface Ablation {
  readonly k: number;
  readonly init: Init;
  readonly penalty: Penalty;
  readonly learning: Learning | null;
  /** Whether plain costs are multiplied by the mean squared distance to the mean of all rows. */
  readonly relativeCosts: boolean;
  /** Whether centres are kept on the unit sphere. */
  readonly spherical: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
  /** False: one assignment to the first centres, and no more. */
  readonly iterate: boolean;
  /** Rounds that place all bound rows anew before the descent, at most. */
  readonly search: number;
  /** Whether bound rows move one by one only, as in the paper. */
  readonly faithful: boolean;
  /** How many rows make large components worth their while, if not the usual number. */
  readonly largeFrom?: number;
  /** How many products of a table of costs make it worth its while to work out costs on demand, if not the usual number. */
  readonly onDemandFrom?: number;
}

export interface EngineInput {
  readonly points: Points;
  readonly constraints: ConstraintSet;
  readonly ids?: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
}

/** What constraints bind, and how it moves in the E-step. Every row is free, in a large component, or in a unit. */
interface Bound {
  /** What all constraints ask. */
  readonly links: Links;
  /** Large components; null where there are few rows in them. */
  readonly large: LargeComponents | null;
  /** Bound rows that are in no such component: one by one, or several that hard must-links join. */
  readonly units: Units;
  /** Moments of large components. */
  readonly moments: ComponentMoments | null;
}

/** What does not depend on random numbers: all starts share it. */
export interface Problem extends Omit<Bound, "large"> {
  readonly ablation: Ablation;
  readonly ids: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
  readonly original: Points;
  /** Less their mean where metrics are learned, so that mapped rows keep their digits. */
  readonly points: Points;
  readonly offset: Float64Array;
  /** The variance of each column. */
  readonly spread: Float64Array;
  /** Components that are large enough to move as one. */
  readonly chosen: Int32Array;
  /** First centres that constraints give. */
  readonly neighbourhoods: readonly Float64Array[];
  /** Searches for the farthest pairs, if exact ones are wanted: what one start learns about rows, the next ones know. */
  readonly search: FarthestSearch | null;
  readonly kernels: Kernels;
}

export interface Run extends Problem, Bound {
  readonly names: readonly string[] | undefined;
  /** Rows that no constraint binds. */
  readonly free: KernelRows;
  /** The rows of units, ascending. */
  readonly rest: Int32Array;
  /** Units where kernels can reach them; null where a table of all costs is as quick. */
  readonly tied: Tied | null;
  readonly labels: Int32Array;
  /** The cluster of each large component, or SPLIT. */
  readonly clusterOfLarge: Int32Array;
  centres: Float64Array;
  metrics: Metrics;
  farthest: Farthest | null;
  learned: Learned | null;
  /** Whether a metric was mended in any iteration of the descent. */
  mended: boolean;
  refills: number;
}

/** Means of units for kernels, and room for them under a metric. */
interface Tied {
  readonly kernel: KernelRows;
  readonly room: Float64Array;
}

/** With so many rows in them large components are worth their while; below, a table of all costs is quicker. */
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

/** What constraints bind: large components, where they have many rows, and the units that move one by one. */
function unitsAndMoments(
  links: Links,
  points: Points,
  { k, penalty, learning, faithful, largeFrom = MANY_ROWS }: Ablation,
  ids: readonly InstanceId[] | undefined,
): Pick<Problem, "links" | "chosen" | "units" | "moments"> {
  const none = new Int32Array(0);
  const soft = penalty !== "none" && links.hasPenalties;
  // Moments and kernels know of no weights: rows that have some are placed and summed one by one.
  if (!soft || points.rowWeights) return { links, chosen: none, units: unitsOf(links, points, k, soft, ids), moments: null };
  const moments = componentMoments(links, points, learning?.matrix === "full");
  const found = faithful ? none : findLarge(links);
  const rows = found.reduce((sum, c) => sum + links.members.start[c + 1]! - links.members.start[c]!, 0);
  const chosen = rows >= largeFrom ? found : none;
  return { links, chosen, units: unitsOf(links, points, k, true, ids, chosen), moments };
}

/** One start: its first centres, and rows where kernels can reach them. */
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
    tied: large ? null : tiedOf(problem, arena),
    labels,
    clusterOfLarge: new Int32Array(chosen.length).fill(SPLIT),
    centres,
    metrics: noMetric(points.d),
    farthest: null,
    learned: null,
    mended: false,
    refills: 0,
  };
  tellCentres(run);
  if (learning && links.hasCannot) run.farthest = yield* farthestPairs(run);
  return run;
}

/** A table of costs with so many products takes longer than a search for nearest clusters, if kernels screen such rows. */
const MANY_PRODUCTS = 1_000_000;
const SCREENED_COLUMNS = 24;

function tiedOf({ ablation, points: { d }, units, kernels }: Problem, arena: Arena): Tied | null {
  const { k, learning, onDemandFrom = d < SCREENED_COLUMNS ? Infinity : MANY_PRODUCTS } = ablation;
  if (learning?.metrics === "multiple" || learning?.matrix === "full" || units.count * k * d < onDemandFrom) return null;
  const rows = Int32Array.from({ length: units.count }, (_, u) => u);
  const kernel = kernelRows({ n: units.count, d, x: units.mean }, rows, k, learning, kernels, arena);
  return { kernel, room: new Float64Array(learning ? units.count * d : 0) };
}

/** The rows that are neither in units nor in large components, ascending. */
function freeOf({ of }: Units, large: LargeComponents | null): Int32Array {
  const taken = of.slice();
  const rows = large?.kernel.rows ?? [];
  for (let f = 0; f < rows.length; f++) taken[rows[f]!] = 0;
  return rowsWhere(taken, true);
}

/** Rows that kernels have, beside those of units. */
function inKernels({ free, large }: Run): KernelRows[] {
  return large ? [free, large.kernel] : [free];
}

/** Where the metric never changes, kernels are told of new centres. */
export function tellCentres(run: Run): void {
  if (run.ablation.learning) return;
  for (const { state } of inKernels(run)) state?.setCentres(run.centres);
  run.tied?.kernel.state?.setCentres(run.centres);
}

/** The farthest pairs under the present metrics. */
export function farthestPairs(run: Run): Steps<Farthest> {
  return farthestSteps(run.points, run.metrics, run.farthest, run.search, inKernels(run), run.rest);
}

/** Squared distances of a unit's mean to all centres. */
function squaresTo({ d }: Points, { mean }: Units, centres: Float64Array, u: number): Float64Array {
  return Float64Array.from({ length: centres.length / d }, (_, h) => squareBetween(mean, u * d, centres, h * d, d));
}

/*
 * First clusters for units that hard cannot-links keep apart: a colouring of their graph with k colours, near centres first.
 *
 * A unit with fewer than k neighbours can always be placed after them, so such units are set aside, over and over. What is left
 * is searched: the unit with the fewest clusters left goes next (Brélaz' rule), and dead ends are taken back. If the search ends
 * without a colouring there is none, and what was left is the proof; after too many steps it gives up. Later moves keep units
 * out of the clusters of their neighbours, so a start that holds is all that is needed.
 */

/** Writes a cluster for each unit with hard cannot-links into `labels`. `costs(u)` gives each cluster's cost for a unit. */
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
      message: `No way was found to keep the hard cannot-links with ${k} clusters; whether there is one is not known. Ask for more clusters, or give some cannot-links a finite weight.`,
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

/** Colours the core by a search that keeps its own stack: one entry per unit placed, with the clusters still to try. */
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
    // Clusters that no unit is in yet differ by name alone: one of them stands for all.
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

/** The unplaced unit whose neighbours use most clusters; more neighbours first, then the lower number. */
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
