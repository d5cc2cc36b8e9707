/** Constraints of infinite weight, which soft methods must also satisfy. */

import { colour } from "../colouring/colouring.js";
import { constraintGraph, rowsOf } from "../colouring/graphs/graph.js";
import { type Closure, closeConstraints, refuseContradictions } from "../constraints/index.js";
import { CoterieError } from "../errors.js";
import type { ConstraintSet, Links, Triples } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import { tripletConsistency } from "../triplets/consistency.js";

/** Maximum number of nodes of the search for a proof that k clusters cannot satisfy the hard constraints. */
const EFFORT = 100_000;

/** Throws if the hard constraints contradict each other, or if k clusters provably cannot satisfy them. */
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
export function refuseClash({ a, b, c, weight }: Triples, ids?: readonly InstanceId[]): void {
  const isHard = (_: unknown, s: number): boolean => weight[s] === Infinity;
  if (!weight.includes(Infinity)) return;
  const { conflict } = tripletConsistency({ a: a.filter(isHard), b: b.filter(isHard), c: c.filter(isHard) });
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

/** The closure of the hard constraints only; null if there are none. */
export function hardPart(set: ConstraintSet): Closure | null {
  const onlyHard = ({ a, b, weight }: Links): Links => {
    return {
      a: a.filter((_, s) => weight[s] === Infinity),
      b: b.filter((_, s) => weight[s] === Infinity),
      weight: weight.filter((w) => w === Infinity),
    };
  };
  const { labels } = set;
  if (![set.mustLinks, set.cannotLinks, labels].some(({ weight }) => weight.includes(Infinity))) return null;
  const hardLabel = (_: unknown, s: number): boolean => labels.weight[s] === Infinity;
  const mustLinks = onlyHard(set.mustLinks);
  const cannotLinks = onlyHard(set.cannotLinks);
  const row = labels.row.filter(hardLabel);
  return closeConstraints({
    ...set,
    mustLinks,
    cannotLinks,
    labels: { row, code: labels.code.filter(hardLabel), weight: labels.weight.filter(hardLabel), names: labels.names },
    exclusive: [],
  });
}
