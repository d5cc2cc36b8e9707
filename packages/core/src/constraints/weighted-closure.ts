/**
 * Computes the weight of every pair that a constraint set joins or separates, without a list of pairs. All methods that penalise
 * violations take their penalties from here.
 *
 * A pair inside a must-link component has one weight, the weight of the component. A pair between two components also has one
 * weight:
 *
 *     max(cannot-links between the two, sum of the cliques that contain both)
 *
 * A clique is the set of classes of the labelling or one exclusive group. So a pair that two exclusive columns separate counts once
 * per column, as in the report. An additional cannot-link counts only if it is heavier than the sum. A pair that is itself given
 * has its own weight instead of the entailed weight.
 *
 *     clique weights     1 ──┬── 1      two columns contain a and b: 1 + 1
 *     cannot-link        ── 3 ──        a heavier cannot-link: 3
 *
 * The result consists of uniform weights (of components, edges and cliques) and corrections for single pairs, so sums over all
 * pairs need only counts. An edge holds the weight of its cannot-link above the cliques, at least 0.
 */
import type { Links } from "../model/constraint-set.js";
import { type Lists, listsByKey, placeOf } from "../structures/components.js";
import type { Closure } from "./closure.js";
import { sharedWeight } from "./component-graph.js";

/** The penalty of each kind of constraint. Weights can be infinite; penalties are finite. */
export interface Pricing {
  /** Penalty of an entailed must-link inside a component of the closure. */
  must(component: number): number;
  /** Penalty of the entailed cannot-link at position `place` of the closure's edges, in the list of `component`. */
  edge(place: number, component: number): number;
  /** Penalty of an entry of a clique; a pair of entries has the smaller of the two penalties. */
  entry(weight: number, component: number): number;
  /** Penalty of a given link; null if it has no penalty of its own. */
  given(weight: number, a: number, b: number, must: boolean): number | null;
}

export interface WeightedClosure {
  /** Number of constrained components: components of several rows, and components that must be apart from another. */
  readonly componentCount: number;
  /** Component of each row, -1 for rows without constraints. */
  readonly component: Int32Array;
  /** Number of each component in the closure. */
  readonly original: Int32Array;
  /** Weight of each pair inside a component. */
  readonly mustWeight: Float64Array;
  /** Weight of each pair between two components above the cliques, in both directions; neighbours ascend. */
  readonly edges: { readonly start: Int32Array; readonly other: Int32Array; readonly weight: Float64Array };
  /** Sets of components, ascending, with one weight for all pairs of a set; `of` lists the cliques of each component. */
  readonly cliques: { readonly components: Lists; readonly weight: Float64Array; readonly of: Lists };
  /** Corrections for given pairs whose own weight differs from the uniform weight. */
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

/** Numbers the constrained components; -1 for all other components. */
function numbersOf({ componentCount, sizes, edges, cliques }: Closure): Int32Array {
  const numbers = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) {
    const apart = edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!;
    if (sizes[c]! > 1 || apart) numbers[c] = count++;
  }
  return numbers;
}

/** For each position of the closure's edges: the penalty from the cliques, and the penalty from the edge. */
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
 * Splits cliques into cliques of uniform weight. A pair of members has the smaller of their two penalties. So a clique becomes
 * nested cliques, one per distinct penalty; each adds the difference to the next lower penalty.
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
