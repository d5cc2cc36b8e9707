/**
 * The weight of every pair that a constraint set joins or parts, without a list of pairs. All methods that price constraints
 * take their prices from here.
 *
 * A pair inside a must-link component has one weight, the component's. A pair between two components has one weight too:
 *
 *     max(the cannot-links between the two, the sum of the cliques that hold both)
 *
 * A clique is the classes of the labelling or one exclusive group. So a pair that two exclusive columns part counts once for each
 * column, as the report lists it once for each; a cannot-link beside them adds nothing unless it is heavier than all of
 * them. A pair that is itself given has its own weight in place of the entailed one.
 *
 *     clique weights     1 ──┬── 1      two columns hold a and b: 1 + 1
 *     cannot-link        ── 3 ──        a heavier cannot-link: 3
 *
 * The result is kept as uniform weights (of components, edges and cliques) and corrections for single pairs, so sums over all
 * pairs come from counts alone. Edges hold what a cannot-link says beyond the cliques, never less than 0.
 */
import type { Links } from "../model/constraint-set.js";
import { type Lists, listsByKey, placeOf } from "../structures/components.js";
import type { Closure } from "./closure.js";
import { sharedWeight } from "./component-graph.js";

/** What the constraints of a set cost, where a weight may be infinite. */
export interface Pricing {
  /** Of an entailed must-link inside a component of the closure. */
  must(component: number): number;
  /** Of an entailed cannot-link at a place of the closure's edges, in the list of a component. */
  edge(place: number, component: number): number;
  /** Of an entry in a clique; two entries are apart with the smaller of their prices. */
  entry(weight: number, component: number): number;
  /** Of a given link; null where it has no price of its own. */
  given(weight: number, a: number, b: number, must: boolean): number | null;
}

export interface WeightedClosure {
  /** Components that bind anything: those of several rows, and those apart from another. */
  readonly componentCount: number;
  /** Component of each row, -1 for rows that nothing binds. */
  readonly component: Int32Array;
  /** Each component's number in the closure. */
  readonly original: Int32Array;
  /** Weight of each pair inside a component. */
  readonly mustWeight: Float64Array;
  /** Weight of each pair between two components beyond the cliques, both ways; neighbours ascend. */
  readonly edges: { readonly start: Int32Array; readonly other: Int32Array; readonly weight: Float64Array };
  /** Sets of components, ascending, with one weight for all pairs between any two; `of` lists those of each component. */
  readonly cliques: { readonly components: Lists; readonly weight: Float64Array; readonly of: Lists };
  /** Corrections for given pairs whose own weight is not the uniform one. */
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

/** Numbers the components that bind anything; -1 for the others. */
function numbersOf({ componentCount, sizes, edges, cliques }: Closure): Int32Array {
  const numbers = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) {
    const apart = edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!;
    if (sizes[c]! > 1 || apart) numbers[c] = count++;
  }
  return numbers;
}

/** For each place of the closure's edges, what the cliques ask of the pair and what the edge does. */
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
 * Cliques of one weight each. Two members of a clique are apart with the smaller of their prices. So the clique becomes nested
 * ones, one for each level of price, that add the step from the level below.
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
    // Inside a component the cannot-link contradicts it, and is charged beside its must-links.
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
