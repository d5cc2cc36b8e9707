/**
 * Computes the closure of a constraint set (all constraints that follow from it) without listing its pairs. Must-links and equal labels
 * form an equivalence relation; its classes are the components. A cannot-link between two rows separates all rows of their two components.
 * A component of s rows entails s²/2 pairs, and a group of g rows forbids g²/2 pairs. These pairs are never listed, so time and memory are
 * near-linear in the number of given constraints.
 *
 * Weights:
 *
 * - Two labels of the same class act as a must-link. Two labels of different classes act as a cannot-link. The weight is the smaller of the
 *   two label weights.
 * - An entailed must-link has the smallest weight of the must-links and labels in its component.
 * - An entailed cannot-link has the largest weight of the cannot-links between its two components.
 * - An exclusive group separates its rows with weight 1.
 * - If several cliques separate two components, their weights are added. The result is the larger of this sum and the cannot-link weight.
 */
import type { ConstraintSet, KnownLabels, Links } from "../model/constraint-set.js";
import type { InstanceId } from "../model/points.js";
import { checkConstraintSet } from "../rows.js";
import { type Components, componentsOf, forest, join, type Lists, listsByKey, placeOf } from "../structures/components.js";
import type { BuiltConstraints } from "./build.js";
import { type Cliques, cliquesOf, type Edges, edgeBetween, edgesBetween, sharedClique, sharedWeight } from "./component-graph.js";
import { refuseContradictions } from "./contradictions.js";
import { emptyConstraints } from "./sets.js";

export interface Closure {
  readonly set: ConstraintSet;
  readonly n: number;
  /** Component of each row, numbered by first row. A row without constraints is a component of its own. */
  readonly component: Int32Array;
  readonly componentCount: number;
  readonly sizes: Int32Array;
  /** Rows of component c, ascending: `members.items[members.start[c]] … members.items[members.start[c + 1] - 1]`. */
  readonly members: Lists;
  /** Cannot-links between components as neighbour lists, without cliques. */
  readonly edges: Edges;
  /** Sets of components that must all be in different clusters: the classes of the labelling, and each exclusive group. */
  readonly cliques: Cliques;

  /** Whether components a and b must be in different clusters; false if a = b. */
  apart(a: number, b: number): boolean;
  degree(component: number): number;
  /** The components that must be apart from this component, each once: neighbours by single edges first, then neighbours in cliques. */
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
 * Joins must-linked rows, and joins each labelled row with the first labelled row of its class. Writes these first rows to
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
  // A class with only one labelled row links nothing. So its weight is not a must-link weight.
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

/*
 * Converts a closure to a compact, equivalent constraint set. Each component becomes must-links from its first row to its other rows. Two
 * components that must be apart get one cannot-link between their first rows. Exclusive groups and relative constraints are copied. The
 * classes of a labelling become cannot-links between the classes if this takes at most MOST_CLASS_PAIRS pairs. Otherwise they stay
 * labels, one label per class.
 */

const MOST_CLASS_PAIRS = 10_000;

/**
 * The closure as a constraint set, with the weights of entailed links. Throws if the closure contains a contradiction; the error names
 * rows by `ids`.
 */
export function closeAsSet(closure: Closure, ids?: readonly InstanceId[]): BuiltConstraints {
  refuseContradictions(closure, ids);
  const { set, cliques, members } = closure;
  const firstRow = (component: number): number => members.items[members.start[component]!]!;
  const hasClasses = cliques.count > 0 && cliques.source[0] === -1;
  const classes = hasClasses ? cliques.items.subarray(0, cliques.start[1]!) : new Int32Array(0);
  const pairs = (classes.length * (classes.length - 1)) / 2;
  const expanded = pairs <= MOST_CLASS_PAIRS;
  return {
    ...emptyConstraints(set.n),
    mustLinks: stars(closure, firstRow),
    cannotLinks: cannotLinksOf(closure, expanded ? classes : new Int32Array(0), firstRow),
    relative: set.relative,
    labels: expanded ? emptyConstraints(set.n).labels : oneLabelEach(closure, classes, firstRow),
    exclusive: set.exclusive,
    notices: expanded
      ? []
      : [
          `The ${classes.length} classes would need ${pairs} cannot-links between them; they stay as one label for each class instead.`,
        ],
  };
}

function stars({ componentCount, members, entailedMustWeight }: Closure, firstRow: (component: number) => number): Links {
  const links = gatherLinks();
  for (let c = 0; c < componentCount; c++) {
    for (let p = members.start[c]! + 1; p < members.start[c + 1]!; p++)
      links.add(firstRow(c), members.items[p]!, entailedMustWeight(c));
  }
  return links.done();
}

/** Cannot-links for all edges and all pairs of classes, each listed once, in ascending order. */
function cannotLinksOf(closure: Closure, classes: Int32Array, firstRow: (component: number) => number): Links {
  const { componentCount, edges, entailedCannotWeight } = closure;
  const isClass = new Set(classes);
  const links = gatherLinks();
  for (let c = 0; c < componentCount; c++) {
    const single = edges.other.subarray(edges.start[c]!, edges.start[c + 1]!);
    const others = isClass.has(c) ? new Set([...single, ...classes]) : single;
    const later = Int32Array.from([...others].filter((other) => other > c)).sort();
    for (const other of later) links.add(firstRow(c), firstRow(other), entailedCannotWeight(c, other));
  }
  return links.done();
}

function oneLabelEach(
  { set, component, cliques }: Closure,
  classes: Int32Array,
  firstRow: (component: number) => number,
): KnownLabels {
  const nameOf = new Map<number, string>();
  set.labels.row.forEach((row, s) => {
    nameOf.set(component[row]!, set.labels.names[set.labels.code[s]!]!);
  });
  return {
    row: classes.map(firstRow),
    code: classes.map((_, code) => code),
    weight: cliques.weight.slice(0, classes.length),
    names: Array.from(classes, (c) => nameOf.get(c)!),
  };
}

function gatherLinks() {
  const a: number[] = [];
  const b: number[] = [];
  const weight: number[] = [];
  return {
    add(first: number, second: number, w: number): void {
      a.push(first);
      b.push(second);
      weight.push(w);
    },
    done: (): Links => ({ a: Int32Array.from(a), b: Int32Array.from(b), weight: Float64Array.from(weight) }),
  };
}

/*
 * Computes the weight of every pair that a constraint set joins or separates, without a list of pairs. All methods that penalise violations
 * take their penalties from here.
 *
 * A pair inside a must-link component has one weight, the weight of the component. A pair between two components also has one weight:
 *
 *     max(cannot-links between the two, sum of the cliques that contain both)
 *
 * A clique is the set of classes of the labelling or one exclusive group. So a pair that two exclusive columns separate counts once for
 * each column, as in the report of violations. An additional cannot-link counts only if it is heavier than the sum. A pair that the user
 * gave keeps its own weight instead of the entailed weight.
 *
 *     clique weights     1 ──┬── 1      two columns contain a and b: 1 + 1
 *     cannot-link        ── 3 ──        a heavier cannot-link: 3
 *
 * The result has one weight for each component, edge and clique, and corrections for single pairs. So sums over all pairs need only the
 * number of pairs. An edge stores only the part of its cannot-link weight that exceeds the sum of the cliques, at least 0.
 */

/** Turns weights of constraints into penalties. A weight can be infinite; a penalty is finite. */
export interface Pricing {
  /** Penalty of an entailed must-link inside a component of the closure. */
  must(component: number): number;
  /** Penalty of the entailed cannot-link of edge number `place`. This edge is in the neighbour list of `component`. */
  edge(place: number, component: number): number;
  /** Penalty of a component as a member of a clique. A pair of members has the smaller of their two penalties. */
  entry(weight: number, component: number): number;
  /** Penalty of a link that the user gave; null if the link has the same penalty as the entailed link. */
  given(weight: number, a: number, b: number, must: boolean): number | null;
}

export interface WeightedClosure {
  /** Number of components that have several rows or must be apart from another component. */
  readonly componentCount: number;
  /** Component of each row, -1 for rows without constraints. */
  readonly component: Int32Array;
  readonly original: Int32Array;
  readonly mustWeight: Float64Array;
  /**
   * The part of the cannot-link weight between two components that exceeds the weight of their cliques. Edges are listed in both
   * directions; neighbours ascend.
   */
  readonly edges: { readonly start: Int32Array; readonly other: Int32Array; readonly weight: Float64Array };
  /** Sets of components; all pairs within a set have the same weight. `of`: the cliques of each component. */
  readonly cliques: { readonly components: Lists; readonly weight: Float64Array; readonly of: Lists };
  /** Corrections for given links whose weight differs from the weight of their component, edge or cliques. */
  readonly pairs: {
    readonly a: Int32Array;
    readonly b: Int32Array;
    readonly weight: Float64Array;
    /** 1 for a must-link, 0 for a cannot-link. */
    readonly must: Uint8Array;
  };
}

export function weighClosure(closure: Closure, pricing: Pricing): WeightedClosure {
  const number = numbersOf(closure);
  const original = Int32Array.from([...number.keys()].filter((c) => number[c]! >= 0));
  const component = closure.component.map((c) => number[c]!);
  const { edges, uniform } = edgesBeyond(closure, original, number, pricing);
  return {
    componentCount: original.length,
    component,
    original,
    mustWeight: Float64Array.from(original, (c) => pricing.must(c)),
    edges,
    cliques: levelsOf(closure, number, original.length, pricing),
    pairs: correctionsOf(closure, uniform, pricing),
  };
}

/** Numbers the components that have constraints; -1 for all other components. */
function numbersOf({ componentCount, sizes, edges, cliques }: Closure): Int32Array {
  const numbers = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) {
    const apart = edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!;
    if (sizes[c]! > 1 || apart) numbers[c] = count++;
  }
  return numbers;
}

/** For each edge of the closure: the penalty from cliques, and the penalty from the edge itself. */
interface Uniform {
  readonly cliques: Float64Array;
  readonly edge: Float64Array;
}

function edgesBeyond(
  closure: Closure,
  original: Int32Array,
  number: Int32Array,
  pricing: Pricing,
): { readonly edges: WeightedClosure["edges"]; readonly uniform: Uniform } {
  const { start, other } = closure.edges;
  const uniform = { cliques: new Float64Array(other.length), edge: new Float64Array(other.length) };
  for (let c = 0; c + 1 < start.length; c++) {
    for (let p = start[c]!; p < start[c + 1]!; p++) {
      uniform.cliques[p] = sharedWeight(closure.cliques, c, other[p]!, pricing.entry);
      uniform.edge[p] = pricing.edge(p, c);
    }
  }
  const edges = {
    start: Int32Array.from([0, ...original.map((c) => start[c + 1]!)]),
    other: other.map((c) => number[c]!),
    weight: uniform.edge.map((weight, p) => Math.max(0, weight - uniform.cliques[p]!)),
  };
  return { edges, uniform };
}

/**
 * Splits each clique into nested cliques of uniform weight. A pair of members has the smaller of their two penalties. For each distinct
 * penalty, there is one clique of all members with at least this penalty. Its weight is this penalty minus the next lower penalty.
 */
function levelsOf({ cliques }: Closure, number: Int32Array, count: number, { entry }: Pricing): WeightedClosure["cliques"] {
  const members: number[][] = [];
  const weights: number[] = [];
  for (let q = 0; q < cliques.count; q++) {
    const components = cliques.items.subarray(cliques.start[q]!, cliques.start[q + 1]!);
    const price = Float64Array.from(components, (c, p) => entry(cliques.weight[cliques.start[q]! + p]!, c));
    let below = 0;
    for (const level of [...new Set(price)].sort((a, b) => a - b)) {
      const inside = Array.from(components, (c, p) => (price[p]! >= level ? number[c]! : -1)).filter((c) => c >= 0);
      if (inside.length < 2) break;
      members.push(inside.sort((a, b) => a - b));
      weights.push(level - below);
      below = level;
    }
  }
  const start = new Int32Array(members.length + 1);
  for (const [q, list] of members.entries()) start[q + 1] = start[q]! + list.length;
  const items = new Int32Array(start[members.length]!);
  const cliqueAt = new Int32Array(items.length);
  for (const [q, list] of members.entries()) {
    items.set(list, start[q]!);
    cliqueAt.fill(q, start[q]!, start[q + 1]!);
  }
  const places = listsByKey(items, count);
  return {
    components: { start, items },
    weight: Float64Array.from(weights),
    of: { start: places.start, items: places.items.map((p) => cliqueAt[p]!) },
  };
}

function correctionsOf(closure: Closure, uniform: Uniform, pricing: Pricing): WeightedClosure["pairs"] {
  const { set, component, edges } = closure;
  const [a, b, weight, must]: number[][] = [[], [], [], []];
  const correct = (links: Links, kind: 0 | 1, correction: (own: number, c: number, e: number) => number): void => {
    for (let s = 0; s < links.a.length; s++) {
      const [i, j] = [links.a[s]!, links.b[s]!];
      const own = pricing.given(links.weight[s]!, i, j, kind === 1);
      if (own === null) continue;
      const by = correction(own, component[i]!, component[j]!);
      if (by === 0) continue;
      a!.push(i);
      b!.push(j);
      weight!.push(by);
      must!.push(kind);
    }
  };
  correct(set.mustLinks, 1, (own, c) => own - pricing.must(c));
  correct(set.cannotLinks, 0, (own, c, e) => {
    // Inside a component, the cannot-link contradicts the must-links. Both penalties count.
    if (c === e) return own;
    const p = placeOf(edges.other, edges.start[c]!, edges.start[c + 1]!, e);
    const floor = uniform.cliques[p]!;
    return Math.max(floor, own) - Math.max(floor, uniform.edge[p]!);
  });
  return {
    a: Int32Array.from(a!),
    b: Int32Array.from(b!),
    weight: Float64Array.from(weight!),
    must: Uint8Array.from(must!),
  };
}
