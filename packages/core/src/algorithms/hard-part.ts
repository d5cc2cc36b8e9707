/** Checks whether the hard constraints (constraints of infinite weight) can be satisfied. Soft methods must satisfy them too. */

import { colour } from "../colouring/colouring.js";
import { constraintGraph, rowsOf } from "../colouring/graphs/graph.js";
import { type Closure, closeConstraints, refuseContradictions } from "../constraints/index.js";
import { entriesWhere } from "../constraints/sets.js";
import { CoterieError } from "../errors.js";
import type { ConstraintSet, KnownLabels, Links, Triples } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import { tripletConsistency } from "../triplets/consistency.js";

/** Limit of the search that tries to prove that the hard constraints are infeasible, in nodes. */
const EFFORT = 100_000;

/** Throws if the hard constraints contradict each other, or if the search proves that k clusters cannot satisfy them. */
export function refuseUnsatisfiable(set: ConstraintSet, k: number, ids?: readonly InstanceId[]): void {
  const hard = hardPart(set);
  if (!hard) return;
  refuseContradictions(hard, ids);
  const graph = constraintGraph(hard);
  if (graph.vertices === 0) return;
  const answer = colour(graph, k, { effort: EFFORT });
  if (answer.status !== "infeasible") return;
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const core = Array.from(answer.core.vertices, (v) => Array.from(rowsOf(graph, v), name));
  throw new CoterieError({ code: "infeasible", k, core });
}

/** Throws if no hierarchy satisfies all hard relative constraints. */
export function refuseClash(relative: Triples, ids?: readonly InstanceId[]): void {
  if (!relative.weight.includes(Infinity)) return;
  const { conflict } = tripletConsistency(onlyHard(relative));
  if (!conflict) return;
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  throw new CoterieError({
    code: "inconsistent",
    conflict: {
      instances: conflict.instances.map(name),
      constraints: conflict.constraints.map(([a, b, c]) => [name(a), name(b), name(c)] as const),
      withMustLinks: false,
    },
  });
}

/** The closure of the must-links, cannot-links and labels of infinite weight; null if all weights are finite. */
export function hardPart(set: ConstraintSet): Closure | null {
  const { mustLinks, cannotLinks, labels } = set;
  if (![mustLinks, cannotLinks, labels].some(({ weight }) => weight.includes(Infinity))) return null;
  return closeConstraints({
    ...set,
    mustLinks: onlyHard(mustLinks),
    cannotLinks: onlyHard(cannotLinks),
    labels: onlyHard(labels),
    exclusive: [],
  });
}

function onlyHard<List extends Links | KnownLabels>(list: List): List {
  return entriesWhere(list, (s) => list.weight[s] === Infinity);
}
