/**
 * What a constraint set charges a tree, ready to be counted without a list of pairs.
 *
 * Every pair of rows inside a must-link component has the component's weight; every pair between two components that must be
 * apart has the weight of their edge, or of the clique (classes of a labelling, an exclusive group) that holds both. A given
 * pair that has a weight of its own is a correction. A pair that two exclusive columns keep apart counts once for each; where
 * an edge and cliques part the same components, the larger counts. A cannot-link inside a component contradicts it and counts
 * beside the must-links; rows of one component in one exclusive group, or in two classes, count nothing.
 *
 * Weights are rounded to multiples of a power of two so small that all of them together take 51 bits: sums are then exact in
 * any order, and a count that is carried along equals one that is made anew.
 */

import type { Closure } from "../../../constraints/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { type Lists, listsByKey } from "../../../structures/components.js";

/** What a hard statement weighs, in units of the heaviest soft one. */
const HARD = 1000;

export interface PairCosts {
  /** Components that say anything are units; -1 for rows of no unit. */
  readonly unit: Int32Array;
  readonly unitCount: number;
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
  /** Whether there are hard statements, and soft ones beside them. */
  readonly hard: "none" | "alone" | "mixed";
}

type Correction = readonly [a: number, b: number, weight: number, must: 0 | 1];

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
  const { componentCount, sizes, edges, cliques } = closure;
  const number = new Int32Array(componentCount).fill(-1);
  const original: number[] = [];
  for (let c = 0; c < componentCount; c++) {
    const parted = edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!;
    if (sizes[c]! > 1 || parted) number[c] = original.push(c) - 1;
  }
  const mustWeight = Float64Array.from(original, (c) => (sizes[c]! > 1 ? finite(closure.entailedMustWeight(c)) : 0));
  const sizeOf = Float64Array.from(original, (c) => sizes[c]!);
  const apart = cliqueWeights(closure, finite);
  const unitEdges = edgesOf(closure, original, number, finite, apart);
  const unitCliques = levelsOf(closure, number, original.length, finite);
  const unit = closure.component.map((c) => number[c]!);
  const corrections = correctionsOf(closure, unit, mustWeight, finite, apart);
  return {
    unit,
    unitCount: original.length,
    onlyRow: Int32Array.from(original, (c) => (sizes[c] === 1 ? closure.members.items[closure.members.start[c]!]! : -1)),
    mustWeight,
    edges: unitEdges,
    cliques: unitCliques,
    pairs: listPairs(corrections, closure.n),
    total: totalOf(sizeOf, mustWeight, unitEdges, unitCliques, corrections),
  };
}

/** The sum of what the cliques that hold both components ask. */
function cliqueWeights({ cliques }: Closure, finite: (weight: number) => number): (a: number, b: number) => number {
  const { of, weight } = cliques;
  return (a, b) => {
    let sum = 0;
    let p = of.start[a]!;
    let q = of.start[b]!;
    while (p < of.start[a + 1]! && q < of.start[b + 1]!) {
      const difference = of.items[p]! - of.items[q]!;
      if (difference === 0) sum += finite(Math.min(weight[of.place[p]!]!, weight[of.place[q]!]!));
      if (difference <= 0) p++;
      if (difference >= 0) q++;
    }
    return sum;
  };
}

/** What each edge asks beyond the cliques. */
function edgesOf(
  { edges }: Closure,
  original: readonly number[],
  number: Int32Array,
  finite: (weight: number) => number,
  apart: (a: number, b: number) => number,
): PairCosts["edges"] {
  const start = new Int32Array(original.length + 1);
  const other = new Int32Array(edges.other.length);
  const weight = new Float64Array(edges.other.length);
  let kept = 0;
  original.forEach((c, u) => {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) {
      const excess = finite(edges.weight[p]!) - apart(c, edges.other[p]!);
      if (excess <= 0) continue;
      other[kept] = number[edges.other[p]!]!;
      weight[kept++] = excess;
    }
    start[u + 1] = kept;
  });
  return { start, other: other.slice(0, kept), weight: weight.slice(0, kept) };
}

/**
 * Cliques of one weight each. Two members are apart with the smaller of their weights, so a clique becomes nested ones, one
 * for each level of weight, that add the step from the level below.
 */
function levelsOf(
  { cliques }: Closure,
  number: Int32Array,
  unitCount: number,
  finite: (weight: number) => number,
): PairCosts["cliques"] {
  const weights: number[] = [];
  const members: number[] = [];
  const cliqueAt: number[] = [];
  for (let q = 0; q < cliques.count; q++) {
    const levels = new Set<number>();
    for (let p = cliques.start[q]!; p < cliques.start[q + 1]!; p++) levels.add(finite(cliques.weight[p]!));
    let below = 0;
    for (const level of [...levels].sort((a, b) => a - b)) {
      for (let p = cliques.start[q]!; p < cliques.start[q + 1]!; p++) {
        if (finite(cliques.weight[p]!) < level) continue;
        members.push(number[cliques.items[p]!]!);
        cliqueAt.push(weights.length);
      }
      weights.push(level - below);
      below = level;
    }
  }
  const places = listsByKey(Int32Array.from(members), unitCount);
  return {
    count: weights.length,
    weight: Float64Array.from(weights),
    of: { start: places.start, items: places.items.map((p) => cliqueAt[p]!) },
  };
}

function correctionsOf(
  { set, component }: Closure,
  unit: Int32Array,
  mustWeight: Float64Array,
  finite: (weight: number) => number,
  apart: (a: number, b: number) => number,
): Correction[] {
  const { mustLinks, cannotLinks } = set;
  const found: Correction[] = [];
  const add = (a: number, b: number, weight: number, must: 0 | 1): void => {
    if (weight !== 0) found.push([a, b, weight, must]);
  };
  for (let s = 0; s < mustLinks.a.length; s++) {
    const a = mustLinks.a[s]!;
    add(a, mustLinks.b[s]!, finite(mustLinks.weight[s]!) - mustWeight[unit[a]!]!, 1);
  }
  const heaviest = heaviestBetween(set, component);
  for (let s = 0; s < cannotLinks.a.length; s++) {
    const [a, b, own] = [cannotLinks.a[s]!, cannotLinks.b[s]!, finite(cannotLinks.weight[s]!)];
    const [c, e] = [component[a]!, component[b]!];
    if (c === e) add(a, b, own, 0);
    else {
      const floor = apart(c, e);
      add(a, b, Math.max(floor, own) - Math.max(floor, finite(heaviest(c, e))), 0);
    }
  }
  return found;
}

/** The largest weight of the cannot-links given between two components. */
function heaviestBetween({ cannotLinks }: ConstraintSet, component: Int32Array): (a: number, b: number) => number {
  const heaviest = new Map<number, number>();
  const key = (a: number, b: number): number => Math.min(a, b) * component.length + Math.max(a, b);
  for (let s = 0; s < cannotLinks.a.length; s++) {
    const at = key(component[cannotLinks.a[s]!]!, component[cannotLinks.b[s]!]!);
    heaviest.set(at, Math.max(heaviest.get(at) ?? 0, cannotLinks.weight[s]!));
  }
  return (a, b) => heaviest.get(key(a, b))!;
}

function listPairs(corrections: readonly Correction[], n: number): PairCosts["pairs"] {
  const rows = Int32Array.from({ length: 2 * corrections.length }, (_, arc) => corrections[arc >> 1]![(arc & 1) as 0 | 1]);
  const lists = listsByKey(rows, n);
  return {
    start: lists.start,
    other: lists.items.map((arc) => rows[arc ^ 1]!),
    weight: Float64Array.from(lists.items, (arc) => corrections[arc >> 1]![2]),
    must: Uint8Array.from(lists.items, (arc) => corrections[arc >> 1]![3]),
  };
}

function totalOf(
  sizes: Float64Array,
  mustWeight: Float64Array,
  edges: PairCosts["edges"],
  cliques: PairCosts["cliques"],
  corrections: readonly Correction[],
): number {
  let total = 0;
  const rows = new Float64Array(cliques.count);
  const squares = new Float64Array(cliques.count);
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
  for (let q = 0; q < cliques.count; q++) total += (cliques.weight[q]! * (rows[q]! * rows[q]! - squares[q]!)) / 2;
  for (const [, , weight] of corrections) total += weight;
  return total;
}
