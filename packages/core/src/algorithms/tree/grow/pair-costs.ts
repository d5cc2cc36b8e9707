/**
 * What a constraint set charges a tree, ready to be counted without a list of pairs.
 *
 * The weights are those of the weighted closure, with a finite weight in place of an infinite one. A cannot-link inside a
 * component contradicts it and counts beside the must-links; rows of one component in one exclusive group count nothing.
 *
 * Weights are rounded to multiples of a power of two so small that all of them together take 51 bits: sums are then exact in
 * any order, and a count that is carried along equals one that is made anew.
 */

import { type Closure, type WeightedClosure, weighClosure } from "../../../constraints/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { type Lists, listsByKey } from "../../../structures/components.js";

/** What a hard constraint weighs, in units of the heaviest soft one. */
const HARD = 1000;

export interface PairCosts {
  /** Components that say anything are units; -1 for rows of no unit. */
  readonly unit: Int32Array;
  readonly unitCount: number;
  /** The rows that have a unit. */
  readonly rows: Int32Array;
  /** The row of a unit that has but one, else -1. */
  readonly onlyRow: Int32Array;
  /** Weight of each pair inside a unit. */
  readonly mustWeight: Float64Array;
  /** Weight of each pair between two units, listed both ways. */
  readonly edges: { readonly start: Int32Array; readonly other: Int32Array; readonly weight: Float64Array };
  /** Sets of units no two of which may meet, all pairs with one weight; `of` lists those of each unit. */
  readonly cliques: { readonly count: number; readonly weight: Float64Array; readonly of: Lists };
  /** Corrections, listed by row both ways. */
  readonly pairs: {
    readonly start: Int32Array;
    readonly other: Int32Array;
    readonly weight: Float64Array;
    readonly must: Uint8Array;
  };
  /** The weight of all pairs. */
  readonly total: number;
  /** Whether there are hard constraints, and soft ones beside them. */
  readonly hard: "none" | "alone" | "mixed";
}

export function pairCosts(closure: Closure): PairCosts {
  const { finite, hard } = finiteWeights(closure.set);
  const rough = costsWith(closure, finite);
  const quantum = quantumOf(rough.total);
  const rounded = (weight: number): number => Math.max(1, Math.round(finite(weight) / quantum)) * quantum;
  return { ...costsWith(closure, rounded), hard };
}

/** A stand-in for infinite weights: all alike if there is nothing else, many times the heaviest otherwise. */
function finiteWeights(set: ConstraintSet): Pick<PairCosts, "hard"> & { readonly finite: (weight: number) => number } {
  let heaviest = set.exclusive.length > 0 ? 1 : 0;
  let hard = false;
  for (const { weight } of [set.mustLinks, set.cannotLinks, set.labels]) {
    for (const w of weight) {
      if (w === Infinity) hard = true;
      else heaviest = Math.max(heaviest, w);
    }
  }
  const stand = heaviest === 0 ? 1 : HARD * heaviest;
  return { finite: (weight) => (weight === Infinity ? stand : weight), hard: !hard ? "none" : heaviest > 0 ? "mixed" : "alone" };
}

function quantumOf(total: number): number {
  if (total === 0) return 1;
  let quantum = 1;
  while (total / quantum > 2 ** 51) quantum *= 2;
  while (total / quantum < 2 ** 50) quantum /= 2;
  return quantum;
}

function costsWith(closure: Closure, finite: (weight: number) => number): Omit<PairCosts, "hard"> {
  const { sizes, members, edges } = closure;
  const weighted = weighClosure(closure, {
    must: (c) => (sizes[c]! > 1 ? finite(closure.entailedMustWeight(c)) : 0),
    edge: (place) => finite(edges.weight[place]!),
    entry: finite,
    given: finite,
  });
  const { component, componentCount, original, mustWeight, cliques } = weighted;
  return {
    unit: component,
    unitCount: componentCount,
    rows: upTo(component.length).filter((row) => component[row]! >= 0),
    onlyRow: original.map((c) => (sizes[c] === 1 ? members.items[members.start[c]!]! : -1)),
    mustWeight,
    edges: weighted.edges,
    cliques: { count: cliques.weight.length, weight: cliques.weight, of: cliques.of },
    pairs: listPairs(weighted.pairs, closure.n),
    total: totalOf(
      weighted,
      original.map((c) => sizes[c]!),
    ),
  };
}

function listPairs({ a, b, weight, must }: WeightedClosure["pairs"], n: number): PairCosts["pairs"] {
  const rows = Int32Array.from({ length: 2 * a.length }, (_, arc) => (arc & 1 ? b : a)[arc >> 1]!);
  const lists = listsByKey(rows, n);
  return {
    start: lists.start,
    other: lists.items.map((arc) => rows[arc ^ 1]!),
    weight: Float64Array.from(lists.items, (arc) => weight[arc >> 1]!),
    must: Uint8Array.from(lists.items, (arc) => must[arc >> 1]!),
  };
}

function totalOf({ mustWeight, edges, cliques, pairs }: WeightedClosure, sizes: Int32Array): number {
  let total = 0;
  const rows = new Float64Array(cliques.weight.length);
  const squares = new Float64Array(cliques.weight.length);
  for (let u = 0; u < sizes.length; u++) {
    const size = sizes[u]!;
    total += (mustWeight[u]! * size * (size - 1)) / 2;
    for (let p = edges.start[u]!; p < edges.start[u + 1]!; p++) {
      if (edges.other[p]! > u) total += edges.weight[p]! * size * sizes[edges.other[p]!]!;
    }
    for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) {
      rows[cliques.of.items[p]!]! += size;
      squares[cliques.of.items[p]!]! += size * size;
    }
  }
  for (let q = 0; q < rows.length; q++) total += (cliques.weight[q]! * (rows[q]! * rows[q]! - squares[q]!)) / 2;
  for (const weight of pairs.weight) total += weight;
  return total;
}
