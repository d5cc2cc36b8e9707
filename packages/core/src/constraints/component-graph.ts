/**
 * Cannot-links between must-link components. Given cannot-links are stored as single edges. The classes of a labelling and the rows of an
 * exclusive group are stored as cliques. All members of a clique must be in different clusters; their pairs are not listed.
 */
import type { ConstraintSet, Grouping, Links } from "../model/constraint-set.js";
import { type Components, type Lists, listsByKey, placeOf } from "../structures/components.js";

/** Cannot-links between components, listed for both components, with the largest given weight. */
export interface Edges {
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly weight: Float64Array;
}

/** Sets of components that must all be in different clusters. The weight of a pair is the smaller weight of its two components. */
export interface Cliques extends Lists {
  readonly count: number;
  /** Weight of each entry of `items`. */
  readonly weight: Float64Array;
  /** Origin of each clique: -1 for the classes of the labelling, otherwise an index in `exclusive`. */
  readonly source: Int32Array;
  /** By component. `items`: its cliques, ascending. `place`: its position in the `items` of each of these cliques. */
  readonly of: Lists & { readonly place: Int32Array };
}

/** Edges between different components. A cannot-link inside a component is a contradiction and gives no edge. */
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
  // A stable counting sort by target, then by source: each neighbour list ends up in ascending order.
  const byTarget = listsByKey(target, count).items;
  const sources = byTarget.map((arc) => source[arc]!);
  const sorted = listsByKey(sources, count);
  return withoutRepeats(sorted, (s) => byTarget[s]!, target, links.weight, count);
}

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

/** Collects cliques one after another. A component that occurs twice in a clique is stored once, with the larger weight. */
interface Gathering {
  readonly ends: number[];
  readonly sources: number[];
  items: Int32Array;
  weights: Float64Array;
  length: number;
  /** By component. `lastClique`: the last clique that contains the component. `lastPlace`: the position of the component in that clique. */
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

/** Number of groups of an exclusive column: the largest code + 1. */
export function groupCount(grouping: Grouping): number {
  let most = -1;
  for (let i = 0; i < grouping.codes.length; i++) if (grouping.codes[i]! > most) most = grouping.codes[i]!;
  return most + 1;
}

export function groupSizes(grouping: Grouping): Int32Array {
  const sizes = new Int32Array(groupCount(grouping));
  for (const code of grouping.codes) if (code >= 0) sizes[code]!++;
  return sizes;
}

/** For each class, its first labelled row (-1 if none) and the largest weight of its labels. */
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

/** Closes the clique that is being collected; drops it if it has fewer than two components. */
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

/** Position of an edge in the neighbour list of one of its ends; -1 if there is no edge. */
export function edgeBetween({ start, other }: Edges, a: number, b: number): number {
  const ofA = start[a + 1]! - start[a]!;
  const ofB = start[b + 1]! - start[b]!;
  return ofA <= ofB ? placeOf(other, start[a]!, start[a + 1]!, b) : placeOf(other, start[b]!, start[b + 1]!, a);
}

/**
 * The first clique that contains a and b; -1 if there is none. Returned as a position in the shorter of the two clique lists of a and b.
 */
export function sharedClique({ of }: Cliques, a: number, b: number): number {
  if (a === b) return -1;
  const [short, long] = shorterFirst(of, a, b);
  for (let p = of.start[short]!; p < of.start[short + 1]!; p++) {
    if (placeOf(of.items, of.start[long]!, of.start[long + 1]!, of.items[p]!) >= 0) return p;
  }
  return -1;
}

/** The total weight of all cliques that contain a and b. `entry`: maps an entry's weight to its penalty. */
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
