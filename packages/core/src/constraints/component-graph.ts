/**
 * Who may not be together, between must-link components: single edges from cannot-links, and cliques, which say "no two of
 * these" for the classes of a labelling and for the rows of an exclusive group without listing a pair.
 */
import type { ConstraintSet, Grouping, Links } from "../model/constraint-set.js";
import { type Components, type Lists, listsByKey, placeOf } from "../structures/components.js";

/** Cannot-links between components, both ways: the neighbours of each, ascending, with the largest weight given. */
export interface Edges {
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly weight: Float64Array;
}

/** Sets of components no two of which may be together; two members are apart with the smaller of their weights. */
export interface Cliques extends Lists {
  readonly count: number;
  /** Weight of each entry of `items`. */
  readonly weight: Float64Array;
  /** Where each clique comes from: -1 for the classes of the labelling, else a position in `exclusive`. */
  readonly source: Int32Array;
  /** For each component, the cliques it is in, ascending, and its place in `items` for each. */
  readonly of: Lists & { readonly place: Int32Array };
}

/** Edges between different components; a cannot-link inside one is a contradiction and no edge. */
export function edgesBetween(links: Links, components: Components): Edges {
  const { component, count } = components;
  const m = links.a.length;
  const source = new Int32Array(2 * m);
  const target = new Int32Array(2 * m);
  for (let e = 0; e < m; e++) {
    const a = component[links.a[e]!]!;
    const b = component[links.b[e]!]!;
    source[2 * e] = target[2 * e + 1] = a === b ? -1 : a;
    target[2 * e] = source[2 * e + 1] = a === b ? -1 : b;
  }
  // A counting sort by target and then, keeping that order, by source: each list of neighbours comes out ascending.
  const byTarget = listsByKey(target, count).items;
  const sources = byTarget.map((arc) => source[arc]!);
  const sorted = listsByKey(sources, count);
  return withoutRepeats(sorted, (s) => byTarget[s]!, target, links.weight, count);
}

/** Keeps one of several arcs between the same two components, with the largest weight. */
function withoutRepeats(
  sorted: Lists,
  arcAt: (s: number) => number,
  target: Int32Array,
  weights: Float64Array,
  count: number,
): Edges {
  const start = new Int32Array(count + 1);
  const other = new Int32Array(sorted.items.length);
  const weight = new Float64Array(sorted.items.length);
  let kept = 0;
  for (let c = 0; c < count; c++) {
    for (let p = sorted.start[c]!; p < sorted.start[c + 1]!; p++) {
      const arc = arcAt(sorted.items[p]!);
      const w = weights[arc >> 1]!;
      if (kept > start[c]! && other[kept - 1] === target[arc]) {
        if (w > weight[kept - 1]!) weight[kept - 1] = w;
      } else {
        other[kept] = target[arc]!;
        weight[kept++] = w;
      }
    }
    start[c + 1] = kept;
  }
  return { start, other: other.slice(0, kept), weight: weight.slice(0, kept) };
}

/** Gathers cliques one after another; a component that comes twice in one clique is kept once, with the larger weight. */
interface Gathering {
  readonly ends: number[];
  readonly sources: number[];
  items: Int32Array;
  weights: Float64Array;
  length: number;
  /** For each component, the last clique that took it, and where. */
  readonly lastClique: Int32Array;
  readonly lastPlace: Int32Array;
  open: number;
}

export function cliquesOf(set: ConstraintSet, components: Components): Cliques {
  const grouped = set.exclusive.map((grouping) => listsByKey(grouping.codes, groupCount(grouping)));
  let most = set.labels.names.length;
  for (const groups of grouped) most += groups.items.length;
  const gathering: Gathering = {
    ends: [],
    sources: [],
    items: new Int32Array(most),
    weights: new Float64Array(most),
    length: 0,
    lastClique: new Int32Array(components.count).fill(-1),
    lastPlace: new Int32Array(components.count),
    open: 0,
  };
  const heaviest = heaviestLabels(set);
  for (let code = 0; code < heaviest.weight.length; code++) {
    if (heaviest.row[code]! >= 0) take(gathering, components.component[heaviest.row[code]!]!, heaviest.weight[code]!);
  }
  close(gathering, -1);
  grouped.forEach((groups, source) => {
    for (let g = 0; g + 1 < groups.start.length; g++) {
      for (let p = groups.start[g]!; p < groups.start[g + 1]!; p++) take(gathering, components.component[groups.items[p]!]!, 1);
      close(gathering, source);
    }
  });
  return finish(gathering, components.count);
}

/** One past the largest code. */
export function groupCount(grouping: Grouping): number {
  let most = -1;
  for (let i = 0; i < grouping.codes.length; i++) if (grouping.codes[i]! > most) most = grouping.codes[i]!;
  return most + 1;
}

/** How many rows each group has. */
export function groupSizes(grouping: Grouping): Int32Array {
  const sizes = new Int32Array(groupCount(grouping));
  for (const code of grouping.codes) if (code >= 0) sizes[code]!++;
  return sizes;
}

/** For each class its first labelled row (-1 for none) and the largest weight of its constraints. */
function heaviestLabels({ labels }: ConstraintSet): { readonly row: Int32Array; readonly weight: Float64Array } {
  const row = new Int32Array(labels.names.length).fill(-1);
  const weight = new Float64Array(labels.names.length);
  for (let s = 0; s < labels.row.length; s++) {
    const code = labels.code[s]!;
    if (row[code] === -1) row[code] = labels.row[s]!;
    if (labels.weight[s]! > weight[code]!) weight[code] = labels.weight[s]!;
  }
  return { row, weight };
}

function take(gathering: Gathering, component: number, weight: number): void {
  if (gathering.lastClique[component] === gathering.open) {
    const place = gathering.lastPlace[component]!;
    if (weight > gathering.weights[place]!) gathering.weights[place] = weight;
    return;
  }
  gathering.lastClique[component] = gathering.open;
  gathering.lastPlace[component] = gathering.length;
  gathering.items[gathering.length] = component;
  gathering.weights[gathering.length++] = weight;
}

/** Ends the open clique; one of fewer than two components says nothing. */
function close(gathering: Gathering, source: number): void {
  const from = gathering.ends.at(-1) ?? 0;
  gathering.open++;
  if (gathering.length - from < 2) gathering.length = from;
  else {
    gathering.ends.push(gathering.length);
    gathering.sources.push(source);
  }
}

function finish({ ends, sources, items, weights, length }: Gathering, componentCount: number): Cliques {
  const kept = items.slice(0, length);
  const cliqueAt = new Int32Array(length);
  ends.forEach((end, q) => {
    cliqueAt.fill(q, q === 0 ? 0 : ends[q - 1]!, end);
  });
  const places = listsByKey(kept, componentCount);
  return {
    count: ends.length,
    start: Int32Array.from([0, ...ends]),
    items: kept,
    weight: weights.slice(0, length),
    source: Int32Array.from(sources),
    of: { start: places.start, items: places.items.map((p) => cliqueAt[p]!), place: places.items },
  };
}

/** Place of the edge in the list of one of the two, or -1. */
export function edgeBetween({ start, other }: Edges, a: number, b: number): number {
  const ofA = start[a + 1]! - start[a]!;
  const ofB = start[b + 1]! - start[b]!;
  return ofA <= ofB ? placeOf(other, start[a]!, start[a + 1]!, b) : placeOf(other, start[b]!, start[b + 1]!, a);
}

/**
 * The first clique that holds both a and b: its place in the list of the one with fewer cliques, or -1. The longer list is
 * searched by halving, since a component of many rows can be in very many groups.
 */
export function sharedClique({ of }: Cliques, a: number, b: number): number {
  if (a === b) return -1;
  const [short, long] = shorterFirst(of, a, b);
  for (let p = of.start[short]!; p < of.start[short + 1]!; p++) {
    if (placeOf(of.items, of.start[long]!, of.start[long + 1]!, of.items[p]!) >= 0) return p;
  }
  return -1;
}

/** The weight with which all cliques that hold both together keep two components apart; `entry` prices a member's weight. */
export function sharedWeight(
  { of, weight }: Cliques,
  a: number,
  b: number,
  entry: (weight: number, component: number) => number = (given) => given,
): number {
  if (a === b) return 0;
  const [short, long] = shorterFirst(of, a, b);
  let sum = 0;
  for (let p = of.start[short]!; p < of.start[short + 1]!; p++) {
    const q = placeOf(of.items, of.start[long]!, of.start[long + 1]!, of.items[p]!);
    if (q >= 0) sum += Math.min(entry(weight[of.place[p]!]!, short), entry(weight[of.place[q]!]!, long));
  }
  return sum;
}

function shorterFirst({ start }: Lists, a: number, b: number): readonly [number, number] {
  return start[a + 1]! - start[a]! <= start[b + 1]! - start[b]! ? [a, b] : [b, a];
}
