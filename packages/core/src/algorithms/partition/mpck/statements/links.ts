/**
 * What a constraint set asks of the family, ready for sums without lists of pairs.
 *
 * Every penalty is a uniform weight on all pairs of a component (must-links), of two components (edges) or of a set of
 * components (cliques: the classes of a labelling, an exclusive group), plus a correction for each given pair whose own
 * weight differs. Uniform sums come from counts, means and scatters alone.
 *
 * Hard statements (weight Infinity) join rows into units that move as one and forbid units to meet. They hold for what they
 * say and for what follows from hard statements alone. What follows with the help of soft must-links is soft: such an entailed
 * cannot-link weighs as the weakest must-links it rests on.
 *
 * Two components may meet in several cliques and in an edge as well; the largest weight counts. An edge between them then holds
 * the difference to what the cliques say in sum, which may be below 0.
 */

import { type Closure, closeConstraints, refuseContradictions } from "../../../../constraints/index.js";
import type { ConstraintSet, Links as GivenLinks } from "../../../../model/constraint-set.js";
import type { InstanceId } from "../../../../model/points.js";
import { type Lists, listsByKey, placeOf } from "../../../../structures/components.js";
import { hardPart } from "../../../hard-part.js";

export interface Links {
  readonly n: number;
  /** Components that say anything, numbered 0 … componentCount-1; cliques follow, up to groupCount-1. */
  readonly componentCount: number;
  readonly groupCount: number;
  /** Component of each row, -1 for rows that no statement binds. */
  readonly component: Int32Array;
  readonly members: Lists;
  /** Uniform weight of the pairs inside each component. */
  readonly mustWeight: Float64Array;
  /** Uniform weight of the pairs between two components beside what cliques say, both ways; neighbours ascend. */
  readonly edges: { readonly start: Int32Array; readonly other: Int32Array; readonly weight: Float64Array };
  /** Clique q (group componentCount + q): its components, and the uniform weight of pairs between any two of them. */
  readonly cliques: {
    readonly components: Lists;
    readonly weight: Float64Array;
    readonly of: Lists;
    readonly source: Int32Array;
  };
  /** Corrections for given pairs. */
  readonly pairs: Pairs;
  /** The closure of the hard statements, null without any: its components are the units. */
  readonly hard: Closure | null;
  /** Whether any cannot-link, clique or correction of one can cost anything. */
  readonly hasCannot: boolean;
  readonly hasPenalties: boolean;
}

export interface Pairs {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly weight: Float64Array;
  /** 1 for a must-link, 0 for a cannot-link. */
  readonly must: Uint8Array;
  /** For each row the pairs it is in: pair s as 2s from its a, 2s + 1 from its b. */
  readonly of: Lists;
}

/** `scale` multiplies every weight. */
export function linksOf(set: ConstraintSet, scale: number, ids?: readonly InstanceId[]): Links {
  const closure = closeConstraints(set);
  const hard = hardPart(set);
  if (hard) refuseContradictions(hard, ids);
  const bound = boundComponents(closure);
  const component = closure.component.map((c) => bound[c]!);
  const componentCount = bound.reduce((count, number) => count + (number >= 0 ? 1 : 0), 0);
  const original = new Int32Array(componentCount);
  bound.forEach((number, c) => {
    if (number >= 0) original[number] = c;
  });

  const mustWeight = Float64Array.from(original, (c) => {
    const weight = closure.entailedMustWeight(c);
    return weight === Infinity ? 0 : scale * weight;
  });
  const cliques = cliqueLevels(closure, bound, componentCount, scale);
  const edges = edgesBeyondCliques(closure, original, bound, cliques, scale);
  const uniform = { component, mustWeight, edges, cliques };
  const pairs = corrections(set, uniform, hard, scale);
  return {
    n: set.n,
    componentCount,
    groupCount: componentCount + cliques.weight.length,
    component,
    members: listsByKey(component, componentCount),
    mustWeight,
    edges,
    cliques,
    pairs,
    hard,
    hasCannot: edges.weight.some((w) => w !== 0) || cliques.weight.length > 0 || pairs.must.includes(0),
    hasPenalties:
      mustWeight.some((w) => w > 0) || edges.weight.some((w) => w !== 0) || cliques.weight.length > 0 || pairs.a.length > 0,
  };
}

/** Numbers the components that bind anything: several rows, or a component to be apart from. */
function boundComponents({ componentCount, sizes, edges, cliques }: Closure): Int32Array {
  const numbers = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) {
    const apart = edges.start[c + 1]! > edges.start[c]! || cliques.of.start[c + 1]! > cliques.of.start[c]!;
    if (sizes[c]! > 1 || apart) numbers[c] = count++;
  }
  return numbers;
}

/**
 * Cliques with one weight each. Two members of a clique are apart with the smaller of their weights: the clique is cut into
 * nested ones, one per level of weight, that each add the step from the level below.
 */
function cliqueLevels(closure: Closure, bound: Int32Array, componentCount: number, scale: number): Links["cliques"] {
  const { cliques } = closure;
  const lists: number[][] = [];
  const weights: number[] = [];
  const sources: number[] = [];
  for (let q = 0; q < cliques.count; q++) {
    const places = Array.from({ length: cliques.start[q + 1]! - cliques.start[q]! }, (_, p) => cliques.start[q]! + p);
    const soft = places.map((p) => softened(cliques.weight[p]!, closure.entailedMustWeight(cliques.items[p]!)));
    let below = 0;
    for (const level of [...new Set(soft)].sort((a, b) => a - b)) {
      const inside = places.filter((_, e) => soft[e]! >= level);
      if (inside.length < 2) break;
      lists.push(inside.map((p) => bound[cliques.items[p]!]!).sort((a, b) => a - b));
      weights.push(scale * (level - below));
      sources.push(q);
      below = level;
    }
  }
  const start = new Int32Array(lists.length + 1);
  lists.forEach((list, q) => {
    start[q + 1] = start[q]! + list.length;
  });
  const items = Int32Array.from(lists.flat());
  const cliqueAt = new Int32Array(items.length);
  for (let q = 0; q < lists.length; q++) cliqueAt.fill(q, start[q]!, start[q + 1]!);
  const places = listsByKey(items, componentCount);
  return {
    components: { start, items },
    weight: Float64Array.from(weights),
    source: Int32Array.from(sources),
    of: { start: places.start, items: places.items.map((p) => cliqueAt[p]!) },
  };
}

/** The weight that a statement has where it is not hard: its own, else that of the weakest must-link it rests on, else 1. */
function softened(weight: number, restsOn: number): number {
  if (weight < Infinity) return weight;
  return restsOn < Infinity ? restsOn : 1;
}

/** Edges less what cliques say already, and corrections where cliques overlap. */
function edgesBeyondCliques(
  closure: Closure,
  original: Int32Array,
  bound: Int32Array,
  cliques: Links["cliques"],
  scale: number,
): Links["edges"] {
  const largest = softEdgeWeights(closure);
  const overlaps = overlappingPairs(cliques, original.length);
  const start = new Int32Array(original.length + 1);
  const other: number[] = [];
  const weight: number[] = [];
  original.forEach((c, a) => {
    const given = new Map<number, number>();
    for (const b of overlaps.get(a) ?? []) given.set(b, 0);
    for (let p = closure.edges.start[c]!; p < closure.edges.start[c + 1]!; p++) {
      given.set(bound[closure.edges.other[p]!]!, scale * largest[p]!);
    }
    for (const b of [...given.keys()].sort((p, q) => p - q)) {
      const { sum, most } = cliqueWeights(cliques, a, b);
      other.push(b);
      weight.push(Math.max(given.get(b)!, most) - sum);
    }
    start[a + 1] = other.length;
  });
  return { start, other: Int32Array.from(other), weight: Float64Array.from(weight) };
}

/** Pairs looked at, at most, for cliques that overlap; beyond them a pair counts once for each clique. */
const MOST_OVERLAPS = 20_000_000;

/** For each component, those that share more than one clique with it. */
function overlappingPairs({ components, of, source }: Links["cliques"], componentCount: number): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  const inSeveral = (c: number): boolean => {
    const [from, to] = [of.start[c]!, of.start[c + 1]!];
    return to > from && source[of.items[from]!] !== source[of.items[to - 1]!];
  };
  const lists = Array.from(source, (_, q) =>
    q > 0 && source[q] === source[q - 1]
      ? []
      : Array.from(components.items.subarray(components.start[q]!, components.start[q + 1]!)).filter(inSeveral),
  );
  if (lists.reduce((sum, list) => sum + list.length * list.length, 0) > MOST_OVERLAPS) return found;
  const seen = new Set<number>();
  for (const list of lists) {
    for (const a of list) {
      for (const b of list) {
        if (a === b) continue;
        const key = a * componentCount + b;
        if (!seen.has(key)) seen.add(key);
        else found.set(a, (found.get(a) ?? new Set<number>()).add(b));
      }
    }
  }
  return found;
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

/** The weights with which cliques keep two components apart: of all together, and of the one that says most. */
function cliqueWeights(
  { of, weight, source }: Links["cliques"],
  a: number,
  b: number,
): { readonly sum: number; readonly most: number } {
  let sum = 0;
  let most = 0;
  let ofSource = 0;
  let last = -1;
  for (let p = of.start[a]!; p < of.start[a + 1]!; p++) {
    const q = of.items[p]!;
    if (placeOf(of.items, of.start[b]!, of.start[b + 1]!, q) < 0) continue;
    ofSource = source[q] === last ? ofSource + weight[q]! : weight[q]!;
    last = source[q]!;
    sum += weight[q]!;
    most = Math.max(most, ofSource);
  }
  return { sum, most };
}

/** Given pairs whose weight is not the uniform one. */
function corrections(
  { n, mustLinks, cannotLinks }: ConstraintSet,
  { component, mustWeight, edges, cliques }: Pick<Links, "component" | "mustWeight" | "edges" | "cliques">,
  hard: Closure | null,
  scale: number,
): Pairs {
  const a: number[] = [];
  const b: number[] = [];
  const weight: number[] = [];
  const must: number[] = [];
  const add = (links: GivenLinks, s: number, uniform: number, kind: number): void => {
    const correction = scale * links.weight[s]! - uniform;
    if (correction === 0) return;
    a.push(links.a[s]!);
    b.push(links.b[s]!);
    weight.push(correction);
    must.push(kind);
  };
  const inOneUnit = (i: number, j: number): boolean => hard !== null && hard.component[i] === hard.component[j];
  for (let s = 0; s < mustLinks.a.length; s++) {
    if (mustLinks.weight[s] === Infinity || inOneUnit(mustLinks.a[s]!, mustLinks.b[s]!)) continue;
    add(mustLinks, s, mustWeight[component[mustLinks.a[s]!]!]!, 1);
  }
  for (let s = 0; s < cannotLinks.a.length; s++) {
    if (cannotLinks.weight[s] === Infinity) continue;
    const p = component[cannotLinks.a[s]!]!;
    const q = component[cannotLinks.b[s]!]!;
    const edge = p === q ? -1 : placeOf(edges.other, edges.start[p]!, edges.start[p + 1]!, q);
    add(cannotLinks, s, p === q ? 0 : (edge < 0 ? 0 : edges.weight[edge]!) + cliqueWeights(cliques, p, q).sum, 0);
  }
  const ends = new Int32Array(2 * a.length);
  for (let s = 0; s < a.length; s++) {
    ends[2 * s] = a[s]!;
    ends[2 * s + 1] = b[s]!;
  }
  return {
    a: Int32Array.from(a),
    b: Int32Array.from(b),
    weight: Float64Array.from(weight),
    must: Uint8Array.from(must),
    of: listsByKey(ends, n),
  };
}
