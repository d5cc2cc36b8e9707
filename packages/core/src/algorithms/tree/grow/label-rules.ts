import { type Closure, type WeightedClosure, weighClosure } from "../../../constraints/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { type Lists, listsByKey } from "../../../structures/components.js";

/** What a hard constraint weighs, in units of the heaviest soft one. */
const HARD = 1000;
/**
 * Which labels the two new leaves of a split take (struyf2006, section 3.3).
 *
 * A leaf may take a label of the other leaves or a new one while the others use fewer than k. By the rule "any" every label of
 * the others will do, as printed; by the rule "linked", that of the authors' program, only those to which a must-link leads
 * from the leaf. Of the pairs of different labels the one with the least weight of violated constraints to other leaves is
 * taken; then the one with more must-links to its labels, then more new labels, then the lowest first and second label.
 *
 * Those orders add up over the two leaves, so the best pair is made of the best two labels of each.
 */

/** A label that no other leaf has, to be numbered when the split is made. */
export const NEW = -1;
const NONE = -2;

export type LabelRule = "linked" | "any";

/** Constraints from the passing side of a split to other leaves; the other side has the rest. */
export interface Outward {
  /** Labels of the other leaves, ascending. */
  readonly others: Int32Array;
  /** Labels that the other leaves leave free, 2 at most. */
  readonly free: number;
  readonly linkedOnly: boolean;
  /** For each label: weight of cannot-links to it less that of must-links. */
  readonly cost: Float64Array;
  readonly costOfAll: Float64Array;
  /** For each label: number of must-links to it. */
  readonly links: Float64Array;
  readonly linksOfAll: Float64Array;
  /** Weight of all must-links to other leaves: what a new label breaks. */
  fresh: number;
  freshOfAll: number;
}

/** The choice, and the weight of constraints to other leaves that it violates; Infinity when there is no legal pair. */
export interface Choice {
  first: number;
  second: number;
  violated: number;
}

interface Ranked {
  label: number;
  cost: number;
  links: number;
  nextLabel: number;
  nextCost: number;
  nextLinks: number;
}

export interface LabelScratch {
  readonly first: Ranked;
  readonly second: Ranked;
  readonly choice: Choice;
}

export function labelScratch(): LabelScratch {
  const ranked = (): Ranked => ({ label: NONE, cost: 0, links: 0, nextLabel: NONE, nextCost: 0, nextLinks: 0 });
  return { first: ranked(), second: ranked(), choice: { first: NONE, second: NONE, violated: Infinity } };
}

/** Whether the leaf's rows together may take two labels: else no split of them can. */
export function hasTwoLabels({ others, free, linkedOnly, linksOfAll }: Outward): boolean {
  let labels = free;
  for (let e = 0; e < others.length && labels < 2; e++) if (!linkedOnly || linksOfAll[others[e]!]! > 0) labels++;
  return labels >= 2;
}

/** Writes the best pair of labels to `scratch.choice`. */
export function chooseLabels(outward: Outward, { first, second, choice }: LabelScratch): void {
  const { fresh, freshOfAll, free } = outward;
  if (free === 2 && freshOfAll === 0) take(choice, NEW, NEW, 0);
  else {
    rank(outward, first, fresh, 0);
    rank(outward, second, freshOfAll - fresh, 1);
    const clash = first.label === second.label && !(first.label === NEW && free === 2);
    if (first.label === NONE || second.label === NONE) take(choice, NONE, NONE, Infinity);
    else if (clash) resolveClash(choice, first, second);
    else take(choice, first.label, second.label, first.cost + second.cost);
  }
}

/** Both sides like one label best: one of them keeps it, the other takes its next. */
function resolveClash(choice: Choice, first: Ranked, second: Ranked): void {
  const canKeepFirst = second.nextLabel !== NONE;
  const canKeepSecond = first.nextLabel !== NONE;
  if (canKeepFirst && (!canKeepSecond || keepingFirstIsBetter(first, second))) {
    take(choice, first.label, second.nextLabel, first.cost + second.nextCost);
  } else if (canKeepSecond) take(choice, first.nextLabel, second.label, first.nextCost + second.cost);
  else take(choice, NONE, NONE, Infinity);
}

function take(choice: Choice, first: number, second: number, violated: number): void {
  choice.first = first;
  choice.second = second;
  choice.violated = violated;
}

function keepingFirstIsBetter(first: Ranked, second: Ranked): boolean {
  const cost = first.cost + second.nextCost - (first.nextCost + second.cost);
  if (cost !== 0) return cost < 0;
  const links = first.links + second.nextLinks - (first.nextLinks + second.links);
  if (links !== 0) return links > 0;
  const news = Number(second.nextLabel === NEW) - Number(first.nextLabel === NEW);
  if (news !== 0) return news > 0;
  return first.label < first.nextLabel;
}

/** The best two labels of one side. Later ones must be strictly better, so new ones and low numbers win ties. */
function rank(outward: Outward, ranked: Ranked, fresh: number, side: 0 | 1): void {
  const { others, cost, costOfAll, links, linksOfAll, linkedOnly } = outward;
  ranked.label = NONE;
  ranked.nextLabel = NONE;
  if (outward.free > 0) offer(ranked, NEW, fresh, 0);
  for (let e = 0; e < others.length; e++) {
    const label = others[e]!;
    const toLabel = side === 0 ? links[label]! : linksOfAll[label]! - links[label]!;
    if (linkedOnly && toLabel === 0) continue;
    offer(ranked, label, fresh + (side === 0 ? cost[label]! : costOfAll[label]! - cost[label]!), toLabel);
  }
}

function offer(ranked: Ranked, label: number, cost: number, links: number): void {
  if (ranked.label === NONE || cost < ranked.cost || (cost === ranked.cost && links > ranked.links)) {
    ranked.nextLabel = ranked.label;
    ranked.nextCost = ranked.cost;
    ranked.nextLinks = ranked.links;
    ranked.label = label;
    ranked.cost = cost;
    ranked.links = links;
  } else if (ranked.nextLabel === NONE || cost < ranked.nextCost || (cost === ranked.nextCost && links > ranked.nextLinks)) {
    ranked.nextLabel = label;
    ranked.nextCost = cost;
    ranked.nextLinks = links;
  }
}

/*
 * What a constraint set charges a tree, ready to be counted without a list of pairs.
 *
 * The weights are those of the weighted closure, with a finite weight in place of an infinite one. A cannot-link inside a
 * component contradicts it and counts beside the must-links; rows of one component in one exclusive group count nothing.
 *
 * Weights are rounded to multiples of a power of two so small that all of them together take 51 bits: sums are then exact in
 * any order, and a count that is carried along equals one that is made anew.
 */

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
