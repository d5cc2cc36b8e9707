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
  type Crowds,
  crowdComponents,
  crowdsOf,
  jointComponents,
  type Placement,
  UNPLACED,
  withoutCrowds,
} from "./components/large-components.js";
import { type Bulk, bulkOf } from "./components/moments.js";
import { type JointCrowds, jointCrowds } from "./components/tied.js";
import { centred, ontoSphere } from "./estimate/centres.js";
import { type Farthest, farthestSteps, type Learned, type Learning } from "./estimate/learn-metrics.js";
import { columnMoments, firstCentresSteps, type Init } from "./initialise.js";
import { type Links, linksOf } from "./statements/links.js";
import { placeApart } from "./statements/place-apart.js";
import { type Units, unitsOf } from "./statements/units.js";

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
  /** How many rows make joint crowds worth their while, if not the usual number. */
  readonly jointFrom?: number;
}

export interface EngineInput {
  readonly points: Points;
  readonly constraints: ConstraintSet;
  readonly ids?: readonly InstanceId[] | undefined;
  readonly notices: readonly string[];
}

export interface Run {
  readonly ablation: Ablation;
  /** Less their mean where metrics are learned, so that mapped rows keep their digits. */
  readonly points: Points;
  readonly offset: Float64Array;
  /** The variance of each column. */
  readonly spread: Float64Array;
  readonly names: readonly string[] | undefined;
  /** What all statements ask. */
  readonly statements: Links;
  readonly crowds: Crowds | null;
  /** Where the crowds are; its labels are `labels`. */
  readonly placement: Placement;
  /** What statements ask of rows that are in no crowd. */
  readonly links: Links;
  readonly joint: JointCrowds | null;
  readonly jointPlacement: Placement;
  /** Bound rows that are in no crowd of either kind. */
  readonly units: Units;
  readonly bulk: Bulk | null;
  readonly free: KernelRows;
  /** The rows of units, ascending. */
  readonly rest: Int32Array;
  readonly labels: Int32Array;
  centres: Float64Array;
  maps: LinearMaps;
  farthest: Farthest | null;
  learned: Learned | null;
  /** Whether a metric was mended in any iteration of the descent. */
  mended: boolean;
  refills: number;
}

/** With so many rows in them joint crowds are worth their while; below, a table of all costs is quicker. */
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
  const soft = penalty !== "none" && statements.hasPenalties;
  const together = soft ? crowdComponents(statements) : new Int32Array(0);
  const crowds = together.length > 0 ? crowdsOf(statements, together, points, k, learning, kernels, arena) : null;
  const links = crowds ? withoutCrowds(statements, together) : statements;
  const mixed = soft && !ablation.faithful ? manyJoint(statements, together, ablation.jointFrom) : new Int32Array(0);
  const others = mixed.length > 0 ? crowdsOf(links, mixed, points, k, learning, kernels, arena) : null;
  const units = unitsOf(links, points, k, soft, ids, mixed);
  const rest = rowsWhere(units.of, false);
  const free = kernelRows(points, freeOf(units, crowds, others), k, learning, kernels, arena);
  const centres = first.map((value, p) => value - offset[p % points.d]!);
  if (ablation.spherical) ontoSphere(centres, points.d);
  const labels = new Int32Array(points.n).fill(-1);
  placeApart(units, k, (u) => squaresTo(points, units, centres, u), labels, ids);
  const maps = identityMaps(1);
  const run: Run = {
    ablation,
    points,
    offset,
    spread: variance,
    names: original.names,
    statements,
    crowds,
    placement: { cluster: new Int32Array(together.length).fill(UNPLACED), labels },
    links,
    joint: others && jointCrowds(others, mixed, links.componentCount),
    jointPlacement: { cluster: new Int32Array(mixed.length).fill(UNPLACED), labels },
    units,
    bulk: soft ? bulkOf(links, points, learning?.matrix === "full", others && { components: mixed, crowds: others }) : null,
    free,
    rest,
    labels,
    centres,
    maps,
    farthest: null,
    learned: null,
    mended: false,
    refills: 0,
  };
  tellCentres(run);
  if (learning && statements.hasCannot) run.farthest = yield* farthestPairs(run);
  return run;
}

/** The components that are joint crowds, if these have many rows. */
function manyJoint(links: Links, alone: Int32Array, least = MANY_ROWS): Int32Array {
  const found = jointComponents(links, alone);
  const rows = found.reduce((sum, c) => sum + links.members.start[c + 1]! - links.members.start[c]!, 0);
  return rows >= least ? found : new Int32Array(0);
}

/** The rows that are neither units nor in a crowd, ascending. */
function freeOf({ of }: Units, ...crowds: readonly (Crowds | null)[]): Int32Array {
  const taken = of.slice();
  for (const each of crowds) {
    const rows = each?.kernel.rows ?? [];
    for (let f = 0; f < rows.length; f++) taken[rows[f]!] = 0;
  }
  return rowsWhere(taken, true);
}

/** Rows that a machine has, beside those of units that none has. */
function machinesOf({ free, crowds, joint }: Run): KernelRows[] {
  return [free, ...(crowds ? [crowds.kernel] : []), ...(joint ? [joint.crowds.kernel] : [])];
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
