/** What a run of the family works with, and how it is set up. */
import type { Arena, FarthestMachine, Kernels } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { InstanceId, Points } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { identityMaps, type LinearMaps, mapInto } from "../../metric/linear-maps.js";
import { type KernelRows, kernelRows, type Learning, rowsWhere } from "./assign/kernel-rows.js";
import { findLarge, type LargeComponents, largeComponentsOf, SPLIT } from "./assign/large-components.js";
import type { Penalty } from "./assign/state.js";
import { type ComponentMoments, componentMoments } from "./constraints/component-moments.js";
import { type Links, linksOf } from "./constraints/links.js";
import { type Units, unitsOf } from "./constraints/moving-units.js";
import { placeApart } from "./constraints/place-apart.js";
import { centred, ontoSphere } from "./estimate/centres.js";
import { type Farthest, farthestSteps, openSearch } from "./estimate/farthest.js";
import type { Learned } from "./estimate/learn-metrics.js";
import { columnMoments, firstCentresSteps, type Init } from "./initialise.js";

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

export interface Run extends Bound {
  readonly ablation: Ablation;
  /** Less their mean where metrics are learned, so that mapped rows keep their digits. */
  readonly points: Points;
  readonly offset: Float64Array;
  /** The variance of each column. */
  readonly spread: Float64Array;
  readonly names: readonly string[] | undefined;
  /** Rows that no constraint binds. */
  readonly free: KernelRows;
  /** The rows of units, ascending. */
  readonly rest: Int32Array;
  readonly labels: Int32Array;
  /** The cluster of each large component, or SPLIT. */
  readonly clusterOfLarge: Int32Array;
  centres: Float64Array;
  maps: LinearMaps;
  farthest: Farthest | null;
  readonly squares: Kernels["squares"];
  /** Searches for the farthest pairs, where kernels have one. */
  readonly search: FarthestMachine | null;
  learned: Learned | null;
  /** Whether a metric was mended in any iteration of the descent. */
  mended: boolean;
  refills: number;
}

/** With so many rows in them large components are worth their while; below, a table of all costs is quicker. */
const MANY_ROWS = 4096;

export function* prepareSteps(
  { points: original, constraints, ids }: EngineInput,
  ablation: Ablation,
  kernels: Kernels,
  arena: Arena,
  random: Random,
): Steps<Run> {
  const { k, penalty, learning } = ablation;
  const { mean, variance } = columnMoments(original);
  const scale = penalty === "cost" && ablation.relativeCosts ? variance.reduce((sum, value) => sum + value, 0) : 1;
  const links = linksOf(constraints, scale, ids);
  const first = yield* firstCentresSteps(original, links, k, ablation.init, random);
  const offset = learning ? mean : new Float64Array(original.d);
  const points = learning ? centred(original, mean) : original;
  const bound = boundOf(links, points, ablation, kernels, arena, ids);
  const { units, large } = bound;
  const centres = first.map((value, p) => value - offset[p % points.d]!);
  if (ablation.spherical) ontoSphere(centres, points.d);
  const labels = new Int32Array(points.n).fill(-1);
  placeApart(units, k, (u) => squaresTo(points, units, centres, u), labels, ids);
  const run: Run = {
    ...bound,
    ablation,
    points,
    offset,
    spread: variance,
    names: original.names,
    free: kernelRows(points, freeOf(units, large), k, learning, kernels, arena),
    rest: rowsWhere(units.of, false),
    labels,
    clusterOfLarge: new Int32Array(large?.components.length ?? 0).fill(SPLIT),
    centres,
    maps: identityMaps(1),
    farthest: null,
    squares: kernels.squares,
    search: learning && links.hasCannot ? openSearch(points, kernels, arena) : null,
    learned: null,
    mended: false,
    refills: 0,
  };
  tellCentres(run);
  if (learning && links.hasCannot) run.farthest = yield* farthestPairs(run);
  return run;
}

function boundOf(
  links: Links,
  points: Points,
  { k, penalty, learning, faithful, largeFrom = MANY_ROWS }: Ablation,
  kernels: Kernels,
  arena: Arena,
  ids: readonly InstanceId[] | undefined,
): Bound {
  const soft = penalty !== "none" && links.hasPenalties;
  if (!soft) return { links, large: null, units: unitsOf(links, points, k, false, ids), moments: null };
  const moments = componentMoments(links, points, learning?.matrix === "full");
  const found = faithful ? new Int32Array(0) : findLarge(links);
  const rows = found.reduce((sum, c) => sum + links.members.start[c + 1]! - links.members.start[c]!, 0);
  const chosen = rows >= largeFrom ? found : new Int32Array(0);
  const large = chosen.length > 0 ? largeComponentsOf(links, chosen, moments, points, k, learning, kernels, arena) : null;
  return { links, large, units: unitsOf(links, points, k, true, ids, chosen), moments };
}

/** The rows that are neither in units nor in large components, ascending. */
function freeOf({ of }: Units, large: LargeComponents | null): Int32Array {
  const taken = of.slice();
  const rows = large?.kernel.rows ?? [];
  for (let f = 0; f < rows.length; f++) taken[rows[f]!] = 0;
  return rowsWhere(taken, true);
}

/** Rows that a machine has, beside those of units that none has. */
function machinesOf({ free, large }: Run): KernelRows[] {
  return large ? [free, large.kernel] : [free];
}

/** Where the metric never changes, machines are told of new centres. */
export function tellCentres(run: Run): void {
  if (!run.ablation.learning) for (const { machine } of machinesOf(run)) machine?.setCentres(run.centres);
}

/** The farthest pairs under the present metrics. */
export function farthestPairs(run: Run): Steps<Farthest> {
  return farthestSteps(run.points, run.maps, run.farthest, machinesOf(run), run.rest, run.search);
}

function squaresTo({ d }: Points, { mean }: Units, centres: Float64Array, u: number): Float64Array {
  return Float64Array.from({ length: centres.length / d }, (_, h) => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (mean[u * d + j]! - centres[h * d + j]!) * (mean[u * d + j]! - centres[h * d + j]!);
    return sum;
  });
}

/** Each centre in the space of its cluster's metric. */
export function mappedCentres({ maps, centres, points: { d } }: Run): Float64Array {
  if (maps.kind === "identity") return centres;
  const mapped = new Float64Array(centres.length);
  for (let h = 0; h * d < centres.length; h++) mapInto(maps, maps.maps.length === 1 ? 0 : h, d, centres, h * d, mapped, h * d);
  return mapped;
}
