/**
 * A cheap legal place for every vertex of a constraint graph: exactly the cheapest for small graphs, and for large ones what moves
 * and Kempe chains make of a greedy placement or of the solver's colouring.
 */
import type { Graph } from "../../colouring/graphs/graph.js";
import type { Steps } from "../../steps/index.js";
import { exactSteps, type Limits, smallParts } from "./exact.js";
import { improveSteps } from "./improve.js";
import { pruneLeaves, putLeaves } from "./leaves.js";
import { greedySteps, renameSteps } from "./legal.js";
import { openPlacement, type Placement, totalCost } from "./placement.js";
import { PLACING, type Work } from "./work.js";

/** Nodes of the exact search: parts of so many units are mostly decided in far fewer. */
const LIMITS: Limits = { mostMembers: 40, nodesPerPart: 2_000, nodesInAll: 100_000 };

export interface Places {
  readonly graph: Graph;
  readonly k: number;
  /** vertices × k. */
  readonly costs: Float64Array;
}

/**
 * Clusters of all vertices, none with a neighbour. `before` is a legal placement or null; where there is none and the greedy way
 * ends, `colouring` is asked for one. Null if that has none either.
 */
export function* cheapestSteps(
  { graph, k, costs }: Places,
  before: Int32Array | null,
  colouring: () => Steps<Int32Array | null>,
  work: Work,
): Steps<Int32Array | null> {
  const pruned = pruneLeaves(graph, k, costs);
  const { units } = pruned;
  const parts = smallParts(pruned.graph, LIMITS);
  const open = (labels: Int32Array | null): Placement => openPlacement(pruned.graph, units.length, k, pruned.costs, labels, null);
  const refine = function* (placement: Placement): Steps<Placement> {
    yield* improveSteps(placement, work);
    yield* exactSteps(placement, parts, LIMITS, work);
    return placement;
  };
  yield PLACING;
  const kept = before && (yield* refine(open(units.map((v) => before[v]!))));
  let fresh = open(null);
  if (!(yield* greedySteps(fresh, work))) {
    const known = kept ? null : yield* colouring();
    if (known) {
      fresh = open(null);
      yield* renameSteps(
        fresh,
        units.map((v) => known[v]!),
        work,
      );
    } else if (kept) fresh = kept;
    else return null;
  }
  if (fresh !== kept) yield* refine(fresh);
  const best = kept && totalCost(kept) <= totalCost(fresh) + kept.slack ? kept : fresh;
  return putLeaves(pruned, k, best.labels);
}
