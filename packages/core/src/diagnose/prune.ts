/**
 * Pruning (Davidson 2012, section 6.2): drops the constraints of points that are hard to place. The remaining constraints then leave a
 * method more freedom.
 *
 * First, the constraint graph gets extra edges from each constrained row to the rows furthest from it, because very distant rows rarely
 * share a cluster. The fractional colouring of this graph shows which component is in the fewest independent sets. In this component, the
 * row with the most cannot-links loses its constraints. Then everything is recomputed.
 *
 * Departs from the paper, which does not define when to stop. Here pruning stops at a number of dropped constraints, or when the fractional
 * chromatic number is at most k. Must-linked rows are one vertex, so one row of the vertex is chosen.
 */

import { type FractionalOptions, fractionalColouring } from "../colouring/fractional/fractional.js";
import { type ConstraintGraph, constraintGraph, type Graph, graphOf } from "../colouring/graphs/graph.js";
import { closeConstraints } from "../constraints/closure.js";
import { badOption } from "../errors.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Points } from "../model/points.js";
import { drain, type Step } from "../steps/index.js";
import { givenItems, withoutItems } from "./repair/given.js";

export interface PruneOptions extends FractionalOptions {
  /** Number of constraints to drop. */
  readonly count?: number;
  /** Drops constraints until the fractional chromatic number is at most this number. Exactly one of `count` and `untilK` is required. */
  readonly untilK?: number;
  /** Each constrained row gets edges to this number of furthest rows. Default 5. */
  readonly furthest?: number;
}

export interface Pruned {
  readonly set: ConstraintSet;
  /** Number of dropped constraints. */
  readonly dropped: number;
  readonly notices: readonly string[];
}

/**
 * Drops the constraints that make a set hard to satisfy, row by row (Davidson 2012). Points must be numeric; encode nominal columns
 * as one column per level first.
 *
 * ```ts
 * pruneConstraints(known, points, { count: 30 }).set;
 * ```
 */
export function pruneConstraints(set: ConstraintSet, points: Points, options: PruneOptions): Pruned {
  return drain(pruneSteps(set, points, options));
}

export interface PruneStep extends Step {
  readonly set: ConstraintSet;
}

/** Drops constraints row by row, and yields after each row. */
export function* pruneSteps(set: ConstraintSet, points: Points, options: PruneOptions): Generator<PruneStep, Pruned, void> {
  const { count, untilK, furthest = 5 } = options;
  if ((count === undefined) === (untilK === undefined)) throw badOption("count", count, "given, or untilK, and not both");
  let left = set;
  let dropped = 0;
  const far = new Map<number, Int32Array>();
  for (;;) {
    const graph = constraintGraph(closeConstraints(left));
    if (count !== undefined && dropped >= count) return { set: left, dropped, notices: [] };
    if (untilK !== undefined && fractionalColouring(graph, options).upper <= untilK + 1e-9)
      return { set: left, dropped, notices: [] };
    const row = hardestRow(graph, points, far, furthest, options);
    if (row === null)
      return { set: left, dropped, notices: [`Only ${dropped} constraints could be dropped: no cannot-link is left.`] };
    const gone = linksOf(left, row).slice(0, count === undefined ? Infinity : count - dropped);
    left = withoutItems(givenItems(left), new Set(gone));
    dropped += gone.length;
    yield { phase: "pruning", done: dropped, total: count ?? null, set: left };
  }
}

/** The row with the most cannot-links in the component that is hardest to place; null without cannot-links. */
function hardestRow(
  graph: ConstraintGraph,
  points: Points,
  far: Map<number, Int32Array>,
  furthest: number,
  options: FractionalOptions,
): number | null {
  const { closure } = graph;
  const links = new Int32Array(closure.n);
  for (const row of closure.set.cannotLinks.a) links[row]!++;
  for (const row of closure.set.cannotLinks.b) links[row]!++;
  const sets = new Map<number, number>();
  const price = new Map<number, number>();
  for (const part of fractionalColouring(withFurthest(graph, points, far, furthest), options).parts) {
    for (const set of part.sets) for (const c of set.vertices) sets.set(c, (sets.get(c) ?? 0) + 1);
    part.vertices.forEach((c, i) => {
      price.set(c, part.prices[i]!);
    });
  }
  let hardest: number | null = null;
  const harder = (row: number, other: number): boolean => {
    const [c, d] = [closure.component[row]!, closure.component[other]!];
    const fewer =
      (sets.get(d) ?? 0) - (sets.get(c) ?? 0) || (price.get(c) ?? 0) - (price.get(d) ?? 0) || links[row]! - links[other]!;
    return fewer > 0;
  };
  for (let row = 0; row < closure.n; row++) {
    if (links[row]! > 0 && (hardest === null || harder(row, hardest))) hardest = row;
  }
  return hardest;
}

function withFurthest({ closure }: ConstraintGraph, points: Points, far: Map<number, Int32Array>, furthest: number): Graph {
  const { cannotLinks } = closure.set;
  const pairs: [number, number][] = [];
  const join = (row: number, other: number): void => {
    const [c, d] = [closure.component[row]!, closure.component[other]!];
    if (c !== d) pairs.push([c, d]);
  };
  cannotLinks.a.forEach((a, s) => {
    join(a, cannotLinks.b[s]!);
  });
  for (const row of new Set([...cannotLinks.a, ...cannotLinks.b])) {
    if (!far.has(row)) far.set(row, furthestFrom(points, row, furthest));
    for (const other of far.get(row)!) join(row, other);
  }
  return graphOf(closure.componentCount, pairs);
}

/** The `count` rows furthest from `row`; ties go to the lower row. */
function furthestFrom({ n, d, x }: Points, row: number, count: number): Int32Array {
  const distance = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) {
      const difference = x[i * d + f]! - x[row * d + f]!;
      distance[i]! += difference * difference;
    }
  }
  const order = Int32Array.from({ length: n }, (_, i) => i).sort((i, j) => distance[j]! - distance[i]! || i - j);
  return order.filter((i) => i !== row).slice(0, count);
}

/** The item numbers (see repair/given.ts) of a row's links: first its cannot-links, then its must-links. */
function linksOf({ mustLinks, cannotLinks }: ConstraintSet, row: number): number[] {
  const first = mustLinks.a.length;
  const cannot = Array.from(cannotLinks.a.keys()).filter((s) => cannotLinks.a[s] === row || cannotLinks.b[s] === row);
  const must = Array.from(mustLinks.a.keys()).filter((s) => mustLinks.a[s] === row || mustLinks.b[s] === row);
  return [...cannot.map((s) => first + s), ...must];
}
