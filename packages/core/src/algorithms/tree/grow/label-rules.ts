/**
 * Part 1 chooses the labels of the two new leaves of a split (struyf2006, section 3.3).
 *
 * A leaf can take a label of the other leaves. It can take a new label if the other leaves use fewer than k labels. With the rule "any" it
 * can take every label of the other leaves, as printed in the paper. With the rule "linked" it can only take labels to which it has a
 * must-link, as in the authors' program.
 *
 * The two labels must differ. The pair with the least weight of violated constraints to other leaves is chosen. On ties: more must-links to
 * its labels, then more new labels, then the lowest first and second label.
 *
 * All these criteria are sums over the two leaves. So it suffices to compare the best two labels of each leaf.
 *
 * Part 2 computes the constraint weights for a tree (`pairCosts`).
 */
import { type Closure, type WeightedClosure, weighClosure } from "../../../constraints/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { type Lists, listsByKey } from "../../../structures/components.js";

export type LabelRule = "linked" | "any";

/**
 * The constraints between rows of a leaf to split and rows of other leaves. Sums are over the rows that pass the test. Sums with names
 * ending in `OfAll` are over all rows of the leaf.
 */
export interface Outward {
  /** Labels of the other leaves, ascending. */
  readonly others: Int32Array;
  /** Number of labels that the other leaves do not use, at most 2. */
  readonly free: number;
  readonly linkedOnly: boolean;
  /** By label: the weight of cannot-links to rows with this label, minus the weight of must-links to these rows. */
  readonly cost: Float64Array;
  readonly costOfAll: Float64Array;
  /** By label: the number of must-links to rows with this label. */
  readonly links: Float64Array;
  readonly linksOfAll: Float64Array;
  /** The weight of all must-links to other leaves. A new label violates all of them. */
  fresh: number;
  freshOfAll: number;
}

/** The chosen labels, and the weight of the constraints to other leaves that they violate. Infinity if no pair of labels is allowed. */
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

const NONE = -2;

export function labelScratch(): LabelScratch {
  const ranked = (): Ranked => ({ label: NONE, cost: 0, links: 0, nextLabel: NONE, nextCost: 0, nextLinks: 0 });
  return { first: ranked(), second: ranked(), choice: { first: NONE, second: NONE, violated: Infinity } };
}

/** Whether the two sides of a split can take two different labels. If not, the leaf cannot be split. */
export function hasTwoLabels({ others, free, linkedOnly, linksOfAll }: Outward): boolean {
  let labels = free;
  for (let e = 0; e < others.length && labels < 2; e++) if (!linkedOnly || linksOfAll[others[e]!]! > 0) labels++;
  return labels >= 2;
}

/** A label that no leaf has yet. It gets a number when the split is made. */
export const NEW = -1;

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

/** Used if both sides have the same best label: one side takes it, and the other side takes its second-best label. */
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

/**
 * Finds the best two labels for one side of a split. side: 0 for the rows that pass the test, 1 for the rows that fail. On ties, new labels
 * come first, then low numbers.
 */
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
 * Part 2: the constraint weights of a tree, without a list of pairs.
 *
 * The weights are the weights of the weighted closure, with a finite weight instead of Infinity. If a cannot-link is inside a component, it
 * counts in addition to the must-links. Rows of one component in one exclusive group do not count.
 *
 * Weights are rounded to multiples of a power of two. This power is so small that the sum of all weights takes 51 bits. Then sums are exact
 * in any order, and an updated sum equals a recomputed sum.
 */

export interface PairCosts {
  /** By row: its unit, -1 for none. A unit is a component that has any constraint. */
  readonly unit: Int32Array;
  readonly unitCount: number;
  readonly rows: Int32Array;
  /** By unit: its only row; -1 if it has several rows. */
  readonly onlyRow: Int32Array;
  /** By unit: the weight of a must-link between two of its rows. */
  readonly mustWeight: Float64Array;
  /** Cannot-links between units. Each edge is listed for both units. weight: the weight of one pair of rows. */
  readonly edges: { readonly start: Int32Array; readonly other: Int32Array; readonly weight: Float64Array };
  /** Sets of units in which no two units can share a cluster. All pairs of a set have the same weight. `of`: the sets of each unit. */
  readonly cliques: { readonly count: number; readonly weight: Float64Array; readonly of: Lists };
  readonly pairs: {
    readonly start: Int32Array;
    readonly other: Int32Array;
    readonly weight: Float64Array;
    readonly must: Uint8Array;
  };
  readonly total: number;
  readonly hard: "none" | "alone" | "mixed";
}

export function pairCosts(closure: Closure): PairCosts {
  const { finite, hard } = finiteWeights(closure.set);
  const rough = costsWith(closure, finite);
  const quantum = quantumOf(rough.total);
  const rounded = (weight: number): number => Math.max(1, Math.round(finite(weight) / quantum)) * quantum;
  return { ...costsWith(closure, rounded), hard };
}

/** The weight of a hard constraint, as a multiple of the heaviest soft constraint. */
const HARD = 1000;

/** The finite weight that replaces Infinity: 1 if there are no soft constraints, else HARD times the heaviest soft constraint. */
function finiteWeights(set: ConstraintSet): Pick<PairCosts, "hard"> & { readonly finite: (weight: number) => number } {
  let heaviest = set.exclusive.length > 0 ? 1 : 0;
  let hard = false;
  for (const { weight } of [set.mustLinks, set.cannotLinks, set.labels]) {
    for (const w of weight) {
      if (w === Infinity) hard = true;
      else heaviest = Math.max(heaviest, w);
    }
  }
  const standIn = heaviest === 0 ? 1 : HARD * heaviest;
  return {
    finite: (weight) => (weight === Infinity ? standIn : weight),
    hard: !hard ? "none" : heaviest > 0 ? "mixed" : "alone",
  };
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
