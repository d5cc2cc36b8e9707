/**
 * What a constraint set asks of the family, ready for sums without lists of pairs.
 *
 * The weights of pairs are those of the weighted closure. Uniform sums come from counts, means and scatters alone.
 *
 * Hard constraints (weight Infinity) join rows into units that move as one and forbid units to meet. They hold for what they
 * say and for what follows from hard constraints alone. What follows with the help of soft must-links is soft: such an entailed
 * cannot-link weighs as the weakest must-links it rests on.
 */

import {
  type Closure,
  closeConstraints,
  refuseContradictions,
  type WeightedClosure,
  weighClosure,
} from "../../../../constraints/index.js";
import type { ConstraintSet } from "../../../../model/constraint-set.js";
import type { InstanceId } from "../../../../model/points.js";
import { type Lists, listsByKey, placeOf } from "../../../../structures/components.js";
import { hardPart } from "../../../hard-part.js";

export interface Links extends Omit<WeightedClosure, "original" | "pairs"> {
  readonly n: number;
  /** Components are groups 0 … componentCount-1; cliques follow, up to groupCount-1. */
  readonly groupCount: number;
  readonly members: Lists;
  /** Corrections for given pairs. */
  readonly pairs: Pairs;
  /** The closure of the hard constraints, null without any: its components are the units. */
  readonly hard: Closure | null;
  /** Whether any cannot-link, clique or correction of one can cost anything. */
  readonly hasCannot: boolean;
  readonly hasPenalties: boolean;
  /** Components whose cannot-links are counted cluster by cluster while rows move; null where cannot-links differ in weight. */
  readonly crowded: Crowded | null;
}

/** Components of many rows and many cannot-links: to walk all of these for each row would take most of the time. */
export interface Crowded {
  /** The weight of each cannot-link. */
  readonly weight: number;
  /** For each component its place among the crowded ones, or -1. */
  readonly place: Int32Array;
  readonly count: number;
  /** For each component the places of crowded components that it must be apart from. */
  readonly neighbours: Lists;
}

type Pairs = WeightedClosure["pairs"] & {
  /** For each row the pairs it is in: pair s as 2s from its a, 2s + 1 from its b. */
  readonly of: Lists;
};

/** `scale` multiplies every weight. */
export function linksOf(set: ConstraintSet, scale: number, ids?: readonly InstanceId[]): Links {
  const closure = closeConstraints(set);
  const hard = hardPart(set);
  if (hard) refuseContradictions(hard, ids);
  const weakest = closure.entailedMustWeight;
  const soft = softEdgeWeights(closure);
  const inOneUnit = (i: number, j: number): boolean => hard !== null && hard.component[i] === hard.component[j];
  const { original: _, ...weighted } = weighClosure(closure, {
    must: (c) => (weakest(c) === Infinity ? 0 : scale * weakest(c)),
    edge: (place) => scale * soft[place]!,
    // Where a label is hard, what follows from it weighs as the weakest must-link that it rests on, else 1.
    entry: (weight, c) => scale * (weight < Infinity ? weight : weakest(c) < Infinity ? weakest(c) : 1),
    given: (weight, a, b, must) => (weight === Infinity || (must && inOneUnit(a, b)) ? null : scale * weight),
  });
  const { componentCount, component, mustWeight, edges, cliques, pairs } = weighted;
  const hasCannot = edges.weight.some((w) => w !== 0) || cliques.weight.length > 0 || pairs.must.includes(0);
  const members = listsByKey(component, componentCount);
  const ends = Int32Array.from({ length: 2 * pairs.a.length }, (_, end) => (end & 1 ? pairs.b : pairs.a)[end >> 1]!);
  return {
    ...weighted,
    n: set.n,
    groupCount: componentCount + cliques.weight.length,
    members,
    pairs: { ...pairs, of: listsByKey(ends, set.n) },
    hard,
    hasCannot,
    hasPenalties: hasCannot || mustWeight.some((w) => w > 0) || pairs.a.length > 0,
    crowded: crowdedOf(weighted, members),
  };
}

/** Rows times cannot-links from which on a component is crowded. */
const CROWDED = 1024;

function crowdedOf({ edges, componentCount }: Pick<Links, "edges" | "componentCount">, members: Lists): Crowded | null {
  const weight = edges.weight.find((w) => w !== 0);
  if (weight === undefined || edges.weight.some((w) => w !== weight)) return null;
  const place = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) {
    const rows = members.start[c + 1]! - members.start[c]!;
    if (rows > 1 && rows * (edges.start[c + 1]! - edges.start[c]!) >= CROWDED) place[c] = count++;
  }
  if (count === 0) return null;
  const start = new Int32Array(componentCount + 1);
  const items: number[] = [];
  for (let c = 0; c < componentCount; c++) {
    for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++) {
      const other = place[edges.other[e]!]!;
      if (other >= 0) items.push(other);
    }
    start[c + 1] = items.length;
  }
  return { weight, place, count, neighbours: { start, items: Int32Array.from(items) } };
}

/** Weights of entailed cannot-links: the largest given; beside a hard one, the weakest must-link that its entailments rest on. */
function softEdgeWeights(closure: Closure): Float64Array {
  const { edges, component, set } = closure;
  const soft = edges.weight.slice();
  if (!soft.includes(Infinity)) return soft;
  for (let c = 0; c < closure.componentCount; c++) {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) {
      if (soft[p] !== Infinity) continue;
      const weakest = Math.min(closure.entailedMustWeight(c), closure.entailedMustWeight(edges.other[p]!));
      soft[p] = weakest === Infinity ? 0 : weakest;
    }
  }
  const { a, b, weight } = set.cannotLinks;
  const raise = (c: number, to: number, w: number): void => {
    const p = placeOf(edges.other, edges.start[c]!, edges.start[c + 1]!, to);
    if (p >= 0 && w > soft[p]!) soft[p] = w;
  };
  for (let s = 0; s < a.length; s++) {
    if (weight[s] === Infinity) continue;
    raise(component[a[s]!]!, component[b[s]!]!, weight[s]!);
    raise(component[b[s]!]!, component[a[s]!]!, weight[s]!);
  }
  return soft;
}
