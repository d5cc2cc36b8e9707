/**
 * Merges suggested by pairs of near rows, least mean distance first: average linkage of the known components, restricted to pairs
 * of near rows. Components that are known to be apart never merge.
 */
import type { Step } from "../../../steps/index.js";
import { type Heap, heapify, popLeast, push } from "../../../structures/heap.js";
import type { Knowledge } from "../knowledge.js";

/** Pairs of near rows, ordered by distance. */
export interface Candidates {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly distance: Float64Array;
}

export interface SuggestedMerge {
  /** The nearest pair of rows across the two groups, as an index among the candidates. */
  readonly place: number;
  /** Mean distance between the rows of the two groups. */
  readonly height: number;
  /** Number of pairs of rows that the merge decides. */
  readonly pairs: number;
}

/** A group of rows. Its name is the root of its first known component. */
interface Group {
  readonly name: number;
  readonly rows: number[];
  /** The names of the groups that it is known to be apart from by a cannot-link. */
  readonly apart: Set<number>;
  /** The cliques of mutually separate components that it has a component in. */
  readonly cliques: Set<number>;
  /** By the name of another group: the mean distance to it, and the index of the nearest pair. */
  readonly near: Map<number, Edge>;
}

interface Edge {
  readonly height: number;
  readonly place: number;
}

/** The merges in order, up to the first one for which `isLast` holds; heights never fall. */
export function* suggestedMerges(
  candidates: Candidates,
  knowledge: Knowledge,
  between: (i: number, j: number) => number,
  isLast: (merge: SuggestedMerge) => boolean = () => false,
): Generator<Step, readonly SuggestedMerge[], void> {
  const groups = yield* openGroups(candidates, knowledge, between);
  // The number of groups falls with every merge, so it is taken before the first merge.
  const total = groups.size - 1;
  const edges: { readonly a: number; readonly b: number; readonly edge: Edge }[] = [];
  const heap: Heap = { keys: [], items: [] };
  for (const [name, { near }] of groups) {
    for (const [other, edge] of near) {
      if (other < name) continue;
      heap.keys.push(edge.height);
      heap.items.push(edges.push({ a: name, b: other, edge }) - 1);
    }
  }
  heapify(heap);
  const merges: SuggestedMerge[] = [];
  while (heap.items.length > 0) {
    const { a, b, edge } = edges[popLeast(heap)]!;
    const [one, other] = [groups.get(a), groups.get(b)];
    if (one?.near.get(b) !== edge || !other) continue;
    const merge = { place: edge.place, height: edge.height, pairs: one.rows.length * other.rows.length };
    merges.push(merge);
    if (isLast(merge)) break;
    for (const [name, joined] of join(groups, one, other, between))
      push(heap, joined.height, edges.push({ a, b: name, edge: joined }) - 1);
    if (merges.length % 256 === 0) yield { phase: "merging", done: merges.length, total };
  }
  return merges;
}

function* openGroups(
  { a, b, distance }: Candidates,
  knowledge: Knowledge,
  between: (i: number, j: number) => number,
): Generator<Step, Map<number, Group>, void> {
  const groups = new Map<number, Group>();
  for (let row = 0; row < knowledge.n; row++) {
    const name = knowledge.component(row);
    const group = groups.get(name);
    if (group) group.rows.push(row);
    else {
      const { apart, cliques } = knowledge.separation(row);
      groups.set(name, { name, rows: [row], apart: new Set(apart), cliques: new Set(cliques), near: new Map() });
    }
  }
  for (let place = 0; place < distance.length; place++) {
    const [one, other] = [groups.get(knowledge.component(a[place]!))!, groups.get(knowledge.component(b[place]!))!];
    if (one === other || one.near.has(other.name) || areSeparated(one, other)) continue;
    link(one, other, { height: meanDistance(one, other, between), place });
    if (place % 4096 === 0) yield { phase: "merging", done: 0, total: groups.size - 1 };
  }
  return groups;
}

function link(one: Group, other: Group, edge: Edge): void {
  one.near.set(other.name, edge);
  other.near.set(one.name, edge);
}

function areSeparated({ apart, cliques }: Group, other: Group): boolean {
  if (apart.has(other.name)) return true;
  for (const q of cliques) if (other.cliques.has(q)) return true;
  return false;
}

/** Maximum number of pairs of rows used for the mean distance of two groups. */
const MOST_PAIRS = 256;

function meanDistance({ rows }: Group, other: Group, between: (i: number, j: number) => number): number {
  const all = rows.length * other.rows.length;
  const step = Math.max(1, Math.floor(all / MOST_PAIRS));
  let [sum, count] = [0, 0];
  for (let pair = 0; pair < all; pair += step, count++)
    sum += between(rows[pair % rows.length]!, other.rows[Math.floor(pair / rows.length)]!);
  return sum / count;
}

/** Merges `other` into `one`; returns the edges of the merged group. */
function join(
  groups: Map<number, Group>,
  one: Group,
  other: Group,
  between: (i: number, j: number) => number,
): Map<number, Edge> {
  const [size, otherSize] = [one.rows.length, other.rows.length];
  groups.delete(other.name);
  one.near.delete(other.name);
  other.near.delete(one.name);
  for (const name of new Set([...one.near.keys(), ...other.near.keys()])) {
    const third = groups.get(name)!;
    const [mine, theirs] = [one.near.get(name), other.near.get(name)];
    third.near.delete(one.name);
    third.near.delete(other.name);
    one.near.delete(name);
    if (areSeparated(mine ? other : one, third)) continue;
    const height =
      (size * (mine?.height ?? meanDistance(one, third, between)) +
        otherSize * (theirs?.height ?? meanDistance(other, third, between))) /
      (size + otherSize);
    link(one, third, { height, place: Math.min(mine?.place ?? Infinity, theirs?.place ?? Infinity) });
  }
  one.rows.push(...other.rows);
  for (const q of other.cliques) one.cliques.add(q);
  for (const name of other.apart) {
    one.apart.add(name);
    const third = groups.get(name)!;
    third.apart.delete(other.name);
    third.apart.add(one.name);
  }
  return one.near;
}
