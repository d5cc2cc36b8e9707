/** What a run of the family works with, and how it is set up. */
import type { Arena, Kernels } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { InstanceId, Points } from "../../../model/points.js";
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { identityMaps, type LinearMaps, mapInto } from "../../metric/linear-maps.js";
import { type KernelRows, kernelRows, rowsWhere } from "./assign/kernel-rows.js";
import type { Penalty } from "./assign/sweep.js";
import {
  findLone,
  findTied,
  type LargeComponents,
  largeComponentsOf,
  type Placement,
  UNPLACED,
  withoutLone,
} from "./components/large-components.js";
import { type TiedComponents, tiedComponents } from "./components/tied.js";
import { centred, ontoSphere } from "./estimate/centres.js";
import { type Farthest, farthestSteps } from "./estimate/farthest.js";
import type { Learned, Learning } from "./estimate/learn-metrics.js";
import { columnMoments, firstCentresSteps, type Init } from "./initialise.js";
import { type ComponentMoments, componentMoments, momentsWithout } from "./statements/component-moments.js";
import { type Links, linksOf } from "./statements/links.js";
import { type Units, unitsOf } from "./statements/moving-units.js";
import { placeApart } from "./statements/place-apart.js";

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
  /** How many rows make tied components worth their while, if not the usual number. */
  readonly tiedFrom?: number;
}

export interface EngineInput {
  readonly points: Points;
  readonly constraints: ConstraintSet;
  readonly ids?: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
}

/** What statements bind, and how it moves in the E-step. Every row is free, in a lone or tied component, or in a unit. */
interface Bound {
  /** What all statements ask. */
  readonly statements: Links;
  /** Large components that nothing binds but their own must-links: each is placed by itself. */
  readonly lone: LargeComponents | null;
  /** What statements ask of all other rows. */
  readonly links: Links;
  /** Large components that statements also keep apart from others. */
  readonly tied: TiedComponents | null;
  /** Bound rows that are in no such component: one by one, or several that hard must-links join. */
  readonly units: Units;
  /** Moments of large components that are not lone. */
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
  /** Rows that no statement binds. */
  readonly free: KernelRows;
  /** The rows of units, ascending. */
  readonly rest: Int32Array;
  readonly labels: Int32Array;
  /** Where these components are; their labels are `labels`. */
  readonly lonePlacement: Placement;
  readonly tiedPlacement: Placement;
  centres: Float64Array;
  maps: LinearMaps;
  farthest: Farthest | null;
  learned: Learned | null;
  /** Whether a metric was mended in any iteration of the descent. */
  mended: boolean;
  refills: number;
}

/** With so many rows in them tied components are worth their while; below, a table of all costs is quicker. */
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
  const statements = linksOf(constraints, scale, ids);
  const first = yield* firstCentresSteps(original, statements, k, ablation.init, random);
  const offset = learning ? mean : new Float64Array(original.d);
  const points = learning ? centred(original, mean) : original;
  const bound = boundOf(statements, points, ablation, kernels, arena, ids);
  const { units, lone, tied } = bound;
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
    free: kernelRows(points, freeOf(units, lone, tied?.large ?? null), k, learning, kernels, arena),
    rest: rowsWhere(units.of, false),
    labels,
    lonePlacement: { cluster: new Int32Array(lone?.count ?? 0).fill(UNPLACED), labels },
    tiedPlacement: { cluster: new Int32Array(tied?.large.count ?? 0).fill(UNPLACED), labels },
    centres,
    maps: identityMaps(1),
    farthest: null,
    learned: null,
    mended: false,
    refills: 0,
  };
  tellCentres(run);
  if (learning && statements.hasCannot) run.farthest = yield* farthestPairs(run);
  return run;
}

function boundOf(
  statements: Links,
  points: Points,
  { k, penalty, learning, faithful, tiedFrom }: Ablation,
  kernels: Kernels,
  arena: Arena,
  ids: readonly InstanceId[] | undefined,
): Bound {
  const soft = penalty !== "none" && statements.hasPenalties;
  const none = new Int32Array(0);
  if (!soft) {
    const units = unitsOf(statements, points, k, false, ids);
    return { statements, lone: null, links: statements, tied: null, units, moments: null };
  }
  const moments = componentMoments(statements, points, learning?.matrix === "full");
  const largeOf = (chosen: Int32Array): LargeComponents | null =>
    chosen.length > 0 ? largeComponentsOf(statements, chosen, moments, points, k, learning, kernels, arena) : null;
  const alone = findLone(statements);
  const mixed = faithful ? none : manyTied(statements, alone, tiedFrom);
  const lone = largeOf(alone);
  const large = largeOf(mixed);
  const links = lone ? withoutLone(statements, alone) : statements;
  return {
    statements,
    lone,
    links,
    tied: large && tiedComponents(large, mixed, links.componentCount),
    units: unitsOf(links, points, k, true, ids, mixed),
    moments: momentsWithout(moments, alone),
  };
}

/** The tied components, if they have many rows. */
function manyTied(links: Links, alone: Int32Array, least = MANY_ROWS): Int32Array {
  const found = findTied(links, alone);
  const rows = found.reduce((sum, c) => sum + links.members.start[c + 1]! - links.members.start[c]!, 0);
  return rows >= least ? found : new Int32Array(0);
}

/** The rows that are neither in units nor in large components, ascending. */
function freeOf({ of }: Units, ...large: readonly (LargeComponents | null)[]): Int32Array {
  const taken = of.slice();
  for (const each of large) {
    const rows = each?.kernel.rows ?? [];
    for (let f = 0; f < rows.length; f++) taken[rows[f]!] = 0;
  }
  return rowsWhere(taken, true);
}

/** Rows that a machine has, beside those of units that none has. */
function machinesOf({ free, lone, tied }: Run): KernelRows[] {
  return [free, ...(lone ? [lone.kernel] : []), ...(tied ? [tied.large.kernel] : [])];
}

/** Where the metric never changes, machines are told of new centres. */
export function tellCentres(run: Run): void {
  if (!run.ablation.learning) for (const { machine } of machinesOf(run)) machine?.setCentres(run.centres);
}

/** The farthest pairs under the present metrics. */
export function farthestPairs(run: Run): Steps<Farthest> {
  return farthestSteps(run.points, run.maps, run.farthest, machinesOf(run), run.rest);
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
