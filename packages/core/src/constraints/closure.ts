/**
 * What follows from a constraint set, without listing it. Must-links and equal labels are an equivalence, whose classes are
 * the components; a cannot-link holds between all members of two components. A component of s rows entails s²/2 pairs and a
 * group of g rows forbids g²/2, so neither is ever expanded: closing takes near-linear time and memory in what was given.
 *
 * Weights: an entailed must-link weighs as the smallest of its component's given ones, an entailed cannot-link as the largest
 * of those given between its two components. A label links rows of its class with the smaller of their two weights, and parts
 * rows of other classes likewise; an exclusive group parts its rows with weight 1. Where several cliques part two components
 * their weights add up; of that sum and the cannot-links between the two the larger counts.
 */
import type { ConstraintSet } from "../model/constraint-set.js";
import { type Components, componentsOf, forest, join, type Lists } from "../structures/components.js";
import { type Cliques, cliquesOf, type Edges, edgeBetween, edgesBetween, sharedClique, sharedWeight } from "./component-graph.js";

export interface Closure {
  readonly set: ConstraintSet;
  readonly n: number;
  /** Component of each row: all rows are in one, alone or not; numbered in the order of their first rows. */
  readonly component: Int32Array;
  readonly componentCount: number;
  readonly sizes: Int32Array;
  /** Rows of component c, ascending: `members.items[members.start[c]] … members.items[members.start[c + 1] - 1]`. */
  readonly members: Lists;
  /** Cannot-links between components, as lists of neighbours; does not hold what the cliques say. */
  readonly edges: Edges;
  /** The classes of the labelling, and each exclusive group. */
  readonly cliques: Cliques;

  /** Whether members of components a and b may not be together; false for a component and itself. */
  apart(a: number, b: number): boolean;
  /** How many components must be apart from this one. */
  degree(component: number): number;
  /** They, each once: those of single edges first, ascending, then clique by clique. */
  neighbours(component: number): Generator<number, void, void>;
  /** Weight of an entailed must-link inside the component; Infinity where it has none. */
  entailedMustWeight(component: number): number;
  /** Weight of an entailed cannot-link between two components; 0 if they are not apart. */
  entailedCannotWeight(a: number, b: number): number;
}

export function closeConstraints(set: ConstraintSet): Closure {
  const firstOfClass = new Int32Array(set.labels.names.length).fill(-1);
  const components = componentsOf(linkedRows(set, firstOfClass));
  const edges = edgesBetween(set.cannotLinks, components);
  const cliques = cliquesOf(set, components);
  const mustWeights = smallestWeights(set, components, firstOfClass);
  return {
    set,
    n: set.n,
    component: components.component,
    componentCount: components.count,
    sizes: components.sizes,
    members: components.members,
    edges,
    cliques,
    apart: (a, b) => edgeBetween(edges, a, b) >= 0 || sharedClique(cliques, a, b) >= 0,
    degree: (component) => degreeOf(edges, cliques, component),
    neighbours: (component) => neighboursOf(edges, cliques, component),
    entailedMustWeight: (component) => mustWeights[component]!,
    entailedCannotWeight: (a, b) => cannotWeight(edges, cliques, a, b),
  };
}

/** Joins must-linked rows, and each labelled row with the first of its class, which is written to `firstOfClass`. */
function linkedRows({ n, mustLinks, labels }: ConstraintSet, firstOfClass: Int32Array): Int32Array {
  const trees = forest(n);
  for (let m = 0; m < mustLinks.a.length; m++) join(trees, mustLinks.a[m]!, mustLinks.b[m]!);
  for (let s = 0; s < labels.row.length; s++) {
    const first = firstOfClass[labels.code[s]!]!;
    if (first === -1) firstOfClass[labels.code[s]!] = labels.row[s]!;
    else join(trees, first, labels.row[s]!);
  }
  return trees;
}

function smallestWeights(
  { mustLinks, labels }: ConstraintSet,
  { component, count }: Components,
  firstOfClass: Int32Array,
): Float64Array {
  const smallest = new Float64Array(count).fill(Infinity);
  const lower = (row: number, weight: number): void => {
    const c = component[row]!;
    if (weight < smallest[c]!) smallest[c] = weight;
  };
  for (let m = 0; m < mustLinks.a.length; m++) lower(mustLinks.a[m]!, mustLinks.weight[m]!);
  // A class with one labelled row links nothing, so its weight is no must-link's.
  const shared = new Uint8Array(firstOfClass.length);
  for (let s = 0; s < labels.row.length; s++) {
    if (labels.row[s] !== firstOfClass[labels.code[s]!]) shared[labels.code[s]!] = 1;
  }
  for (let s = 0; s < labels.row.length; s++) if (shared[labels.code[s]!] === 1) lower(labels.row[s]!, labels.weight[s]!);
  return smallest;
}

function degreeOf(edges: Edges, cliques: Cliques, c: number): number {
  const single = edges.start[c + 1]! - edges.start[c]!;
  const from = cliques.of.start[c]!;
  const inCliques = cliques.of.start[c + 1]! - from;
  if (inCliques === 0) return single;
  if (inCliques === 1 && single === 0) {
    const q = cliques.of.items[from]!;
    return cliques.start[q + 1]! - cliques.start[q]! - 1;
  }
  let degree = 0;
  for (const _ of neighboursOf(edges, cliques, c)) degree++;
  return degree;
}

function* neighboursOf(edges: Edges, cliques: Cliques, c: number): Generator<number, void, void> {
  for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) yield edges.other[p]!;
  for (let p = cliques.of.start[c]!; p < cliques.of.start[c + 1]!; p++) {
    const q = cliques.of.items[p]!;
    for (let m = cliques.start[q]!; m < cliques.start[q + 1]!; m++) {
      const other = cliques.items[m]!;
      if (other === c || edgeBetween(edges, c, other) >= 0) continue;
      // Named already if an earlier clique holds both.
      if (cliques.of.items[sharedClique(cliques, c, other)] === q) yield other;
    }
  }
}

function cannotWeight(edges: Edges, cliques: Cliques, a: number, b: number): number {
  const edge = edgeBetween(edges, a, b);
  return Math.max(edge >= 0 ? edges.weight[edge]! : 0, sharedWeight(cliques, a, b));
}
