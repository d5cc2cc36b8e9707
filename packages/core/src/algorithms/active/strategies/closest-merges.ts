/**
 * The merges that pairs of near rows suggest, least mean distance first: average linkage over the components that are known, along pairs
 * of near rows alone. Components that something known parts never merge.
 */
import type { Step } from "../../../steps/index.js";
import { type Heap, heapify, popLeast, push } from "../../../structures/heap.js";
import type { Knowledge } from "../knowledge.js";

/** Pairs of rows in order of their distance. */
export interface Candidates {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly distance: Float64Array;
}

export interface SuggestedMerge {
  /** The nearest pair of rows across the two groups, by its place among the candidates. */
  readonly place: number;
  /** Mean distance between the rows of the two groups. */
  readonly height: number;
  /** Pairs of rows that the merge decides. */
  readonly pairs: number;
}

/** A group of rows: the known components in it. It is named by the component that it began with. */
interface Group {
  readonly name: number;
  readonly rows: number[];
  readonly components: number[];
  /** Whether anything is known that parts one of the components from others. */
  parted: boolean;
  /** By the name of another group: the mean distance to it, and the place of the nearest pair. */
  readonly near: Map<number, Edge>;
}

interface Edge {
  readonly height: number;
  readonly place: number;
}

/** The merges in the order they are made, all or until one is the last that is wanted; heights never fall. */
export function* suggestedMerges(
  candidates: Candidates,
  knowledge: Knowledge,
  between: (i: number, j: number) => number,
  isLast: (merge: SuggestedMerge) => boolean = () => false,
): Generator<Step, readonly SuggestedMerge[], void> {
  const groups = yield* openGroups(candidates, knowledge, between);
  // Groups disappear as they merge: the number before the first merge bounds the number of merges.
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
    for (const [name, joined] of join(groups, one, other, knowledge, between))
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
    else groups.set(name, { name, rows: [row], components: [row], parted: knowledge.isParted(row), near: new Map() });
  }
  for (let place = 0; place < distance.length; place++) {
    const [one, other] = [groups.get(knowledge.component(a[place]!))!, groups.get(knowledge.component(b[place]!))!];
    if (one === other || one.near.has(other.name) || areParted(one, other, knowledge)) continue;
    link(one, other, { height: meanDistance(one, other, between), place });
    if (place % 4096 === 0) yield { phase: "merging", done: 0, total: groups.size - 1 };
  }
  return groups;
}

function link(one: Group, other: Group, edge: Edge): void {
  one.near.set(other.name, edge);
  other.near.set(one.name, edge);
}

function areParted({ components, parted }: Group, other: Group, knowledge: Knowledge): boolean {
  if (!parted || !other.parted) return false;
  return components.some((row) => other.components.some((each) => knowledge.relation(row, each) === "different"));
}

/** Pairs of rows that are looked at for the mean of two groups, at most. */
const MOST_PAIRS = 256;

function meanDistance({ rows }: Group, other: Group, between: (i: number, j: number) => number): number {
  const all = rows.length * other.rows.length;
  const step = Math.max(1, Math.floor(all / MOST_PAIRS));
  let [sum, count] = [0, 0];
  for (let pair = 0; pair < all; pair += step, count++)
    sum += between(rows[pair % rows.length]!, other.rows[Math.floor(pair / rows.length)]!);
  return sum / count;
}

/** Takes the other group into the first one. Returns the edges of what they have become. */
function join(
  groups: Map<number, Group>,
  one: Group,
  other: Group,
  knowledge: Knowledge,
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
    if (areParted(mine ? other : one, third, knowledge)) continue;
    const height =
      (size * (mine?.height ?? meanDistance(one, third, between)) +
        otherSize * (theirs?.height ?? meanDistance(other, third, between))) /
      (size + otherSize);
    link(one, third, { height, place: Math.min(mine?.place ?? Infinity, theirs?.place ?? Infinity) });
  }
  one.rows.push(...other.rows);
  one.components.push(...other.components);
  one.parted ||= other.parted;
  return one.near;
}
