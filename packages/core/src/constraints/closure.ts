/**
 * Computes the closure of a constraint set without listing it. Must-links and equal labels form an equivalence relation; its
 * classes are the components. A cannot-link holds between all members of two components. A component of s rows entails s²/2 pairs
 * and a group of g rows forbids g²/2 pairs, so neither is ever listed: time and memory are near-linear in the number of given
 * constraints.
 *
 * Weights: an entailed must-link has the smallest weight of the must-links and labels given in its component. An entailed
 * cannot-link has the largest weight of the cannot-links given between its two components. Two labels of the same class entail a
 * must-link, two labels of different classes a cannot-link, with the smaller of the two label weights. An exclusive group separates
 * its rows with weight 1. If several cliques separate two components, their weights are added; the result is the larger of this sum
 * and the cannot-link weight.
 */
import type { ConstraintSet } from "../model/constraint-set.js";
import { checkConstraintSet } from "../rows.js";
import { type Components, componentsOf, forest, join, type Lists } from "../structures/components.js";
import { type Cliques, cliquesOf, type Edges, edgeBetween, edgesBetween, sharedClique, sharedWeight } from "./component-graph.js";

export interface Closure {
  readonly set: ConstraintSet;
  readonly n: number;
  /**
   * Component of each row. A row without constraints is a component of its own. Components are numbered in the order of their first
   * rows.
   */
  readonly component: Int32Array;
  readonly componentCount: number;
  readonly sizes: Int32Array;
  /** Rows of component c, ascending: `members.items[members.start[c]] … members.items[members.start[c + 1] - 1]`. */
  readonly members: Lists;
  /** Cannot-links between components, as neighbour lists; cliques are not included. */
  readonly edges: Edges;
  /** The classes of the labelling, and each exclusive group. */
  readonly cliques: Cliques;

  /** Whether components a and b must be in different clusters; false if a = b. */
  apart(a: number, b: number): boolean;
  /** Number of components that must be apart from this component. */
  degree(component: number): number;
  /**
   * The components that must be apart from this component, each once: neighbours by single edges first, ascending, then clique by
   * clique.
   */
  neighbours(component: number): Generator<number, void, void>;
  /** Weight of an entailed must-link inside the component; Infinity if the component has no must-link. */
  entailedMustWeight(component: number): number;
  /** Weight of an entailed cannot-link between two components; 0 if they have none. */
  entailedCannotWeight(a: number, b: number): number;
}

export function closeConstraints(set: ConstraintSet): Closure {
  checkConstraintSet(set);
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

/**
 * Joins must-linked rows, and each labelled row with the first row of its class. Writes the first row of each class to
 * `firstOfClass`.
 */
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
  // A class with one labelled row links nothing, so its weight does not count as a must-link weight.
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
      // Skips components that an earlier clique has already yielded.
      if (cliques.of.items[sharedClique(cliques, c, other)] === q) yield other;
    }
  }
}

function cannotWeight(edges: Edges, cliques: Cliques, a: number, b: number): number {
  const edge = edgeBetween(edges, a, b);
  return Math.max(edge >= 0 ? edges.weight[edge]! : 0, sharedWeight(cliques, a, b));
}
