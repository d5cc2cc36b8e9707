/**
 * Clusters rows by scored pairs: correlation clustering under constraints (Bansal, Blum, Chawla: Correlation Clustering. 2004).
 *
 * A pair has a weight, such as its log odds of a match. Above 0, its rows should be in one cluster; below 0, in different clusters. The
 * disagreement is the total absolute weight of the pairs that are not as they should be. The clustering minimises the disagreement. Weights
 * determine the number of clusters. Pairs without a score have the weight `unscored`, at most 0.
 *
 * The items to cluster are must-link components. Items that must be apart never share a cluster. First the items are split into independent
 * sets: no weight between two sets is above 0.
 * - A set of at most `MOST_EXACT` items is solved exactly by branch and bound.
 * - In a larger set, the two clusters with the largest weight between them merge, until no weight is above 0 (greedy additive edge
 *   contraction; Keuper et al. 2015). Then single items move to other clusters while the disagreement falls.
 *
 * Memory is linear in the pairs. Time is near-linear in the pairs and in the cannot-links.
 */
import type { Closure } from "../../constraints/closure.js";
import type { Step } from "../../steps/index.js";
import { type Components, componentsOf, forest, join, listsByKey } from "../../structures/components.js";
import { type Heap, popLeast, push } from "../../structures/heap.js";

export interface WeightedPairs {
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** Above 0 if the two rows should be together, below 0 if apart, for example the log odds of a match. Finite. Each pair occurs once. */
  readonly weight: Float64Array;
}

export interface CorrelationClustering {
  readonly labels: Int32Array;
  /** The total disagreement, including pairs inside must-link components. */
  readonly objective: number;
  /**
   * Number of independent sets that were too large for the exact search, and number of their rows. Their clusters are not proven optimal.
   */
  readonly unproven: { readonly sets: number; readonly rows: number };
}

const SETS_PER_STEP = 256;

export function* correlationSteps(
  pairs: WeightedPairs,
  closure: Closure,
  unscored: number,
): Generator<Step, CorrelationClustering, void> {
  const items = yield* itemsSteps(pairs, closure, unscored);
  const sets = yield* independentSets(items);
  const cluster = new Int32Array(closure.componentCount);
  let used = 0;
  let unproven = { sets: 0, rows: 0 };
  const large: number[] = [];
  for (let s = 0; s < sets.count; s++) {
    if (s % SETS_PER_STEP === 0) yield { phase: "clustering scored pairs", done: s, total: sets.count };
    const members = sets.members.items.subarray(sets.members.start[s]!, sets.members.start[s + 1]!);
    if (members.length > MOST_EXACT) {
      large.push(s);
      continue;
    }
    const local = exactPartition(items, members);
    for (const [p, item] of members.entries()) cluster[item] = used + local[p]!;
    used += Math.max(...local) + 1;
  }
  for (const s of large) {
    const members = sets.members.items.subarray(sets.members.start[s]!, sets.members.start[s + 1]!);
    const local = yield* greedyPartition(items, members);
    for (const [p, item] of members.entries()) cluster[item] = used + local[p]!;
    used += local.reduce((most, each) => Math.max(most, each), -1) + 1;
    unproven = { sets: unproven.sets + 1, rows: unproven.rows + members.reduce((sum, item) => sum + closure.sizes[item]!, 0) };
  }
  const labels = closure.component.map((component) => cluster[component]!);
  return { labels, objective: disagreement(pairs, labels, unscored), unproven };
}

/** The total disagreement of a clustering with scored pairs. Cost: linear in pairs and rows. */
export function disagreement({ a, b, weight }: WeightedPairs, labels: Int32Array, unscored: number): number {
  let sum = 0;
  let scoredInside = 0;
  for (let p = 0; p < a.length; p++) {
    const inside = labels[a[p]!] === labels[b[p]!];
    if (inside) scoredInside++;
    if (inside !== weight[p]! > 0) sum += Math.abs(weight[p]!);
  }
  const sizes = new Map<number, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  let together = 0;
  for (const size of sizes.values()) together += (size * (size - 1)) / 2;
  return sum - unscored * (together - scoredInside);
}

/**
 * The graph of items (must-link components). Two items are neighbours if there are scored pairs between them. The weight of an edge is the
 * sum of (weight - `unscored`) over these pairs.
 *
 * The weight between two sets of x and y rows is then: the sum of the edges between the sets + `unscored` · x · y.
 */
interface Items {
  readonly count: number;
  readonly closure: Closure;
  readonly unscored: number;
  /** The neighbours of item i are `other[start[i]]` … `other[start[i + 1] - 1]`. `weight` has the weight of each edge. */
  readonly start: Int32Array;
  readonly other: Int32Array;
  readonly weight: Float64Array;
}

const PAIRS_PER_STEP = 65536;

function* itemsSteps({ a, b, weight }: WeightedPairs, closure: Closure, unscored: number): Generator<Step, Items, void> {
  const { component, componentCount } = closure;
  const source = new Int32Array(2 * a.length).fill(-1);
  const target = new Int32Array(2 * a.length);
  for (let p = 0; p < a.length; p++) {
    if (p % PAIRS_PER_STEP === 0) yield { phase: "clustering scored pairs", done: 0, total: null };
    const [u, v] = [component[a[p]!]!, component[b[p]!]!];
    if (u === v) continue;
    source[2 * p] = target[2 * p + 1] = u;
    source[2 * p + 1] = target[2 * p] = v;
  }
  const arcs = listsByKey(source, componentCount);
  const start = new Int32Array(componentCount + 1);
  const other = new Int32Array(arcs.items.length);
  const sums = new Float64Array(arcs.items.length);
  const place = new Int32Array(componentCount).fill(-1);
  let kept = 0;
  for (let u = 0; u < componentCount; u++) {
    if (u % SETS_PER_STEP === 0) yield { phase: "clustering scored pairs", done: 0, total: null };
    const first = kept;
    for (let q = arcs.start[u]!; q < arcs.start[u + 1]!; q++) {
      const arc = arcs.items[q]!;
      const v = target[arc]!;
      if (place[v]! < first) {
        place[v] = kept;
        other[kept++] = v;
      }
      sums[place[v]!]! += weight[arc >> 1]! - unscored;
    }
    start[u + 1] = kept;
  }
  return {
    count: componentCount,
    closure,
    unscored,
    start,
    other: other.slice(0, kept),
    weight: sums.slice(0, kept),
  };
}

/**
 * Splits the items into independent sets. An edge joins two items if their weight is above 0 and no constraint keeps them apart. The sets
 * are the connected components.
 */
function* independentSets(items: Items): Generator<Step, Components, void> {
  const { count, start, other, weight, closure, unscored } = items;
  const trees = forest(count);
  for (let u = 0; u < count; u++) {
    if (u % PAIRS_PER_STEP === 0) yield { phase: "clustering scored pairs", done: 0, total: null };
    for (let q = start[u]!; q < start[u + 1]!; q++) {
      const v = other[q]!;
      if (v > u && weight[q]! + unscored * closure.sizes[u]! * closure.sizes[v]! > 0 && !closure.apart(u, v)) join(trees, u, v);
    }
  }
  return componentsOf(trees);
}

/** Independent sets with at most this number of items are solved exactly: 10 items have 115,975 partitions. */
const MOST_EXACT = 10;

/** The best partition of a few items, by branch and bound: the search puts one item after another into an open cluster or a new cluster. */
function exactPartition({ start, other, weight, closure, unscored }: Items, members: Int32Array): Int32Array {
  const m = members.length;
  const best = new Int32Array(m);
  if (m === 1) return best;
  const placeOf = new Map(Array.from(members, (item, p) => [item, p]));
  const between = new Float64Array(m * m);
  for (let p = 0; p < m; p++)
    for (let q = 0; q < m; q++) between[p * m + q] = unscored * closure.sizes[members[p]!]! * closure.sizes[members[q]!]!;
  members.forEach((item, p) => {
    for (let e = start[item]!; e < start[item + 1]!; e++) {
      const q = placeOf.get(other[e]!);
      if (q !== undefined) between[p * m + q]! += weight[e]!;
    }
  });
  for (let p = 0; p < m; p++)
    for (let q = 0; q < p; q++) if (closure.apart(members[p]!, members[q]!)) between[p * m + q] = between[q * m + p] = -Infinity;
  /** For each p: an upper bound of what items p, p + 1, … can still add to the objective. */
  const rest = new Float64Array(m + 1);
  for (let p = m - 1; p >= 0; p--) {
    let sum = 0;
    for (let q = 0; q < p; q++) sum += Math.max(0, between[p * m + q]!);
    rest[p] = rest[p + 1]! + sum;
  }
  const label = new Int32Array(m);
  let most = -Infinity;
  const place = (p: number, open: number, sum: number): void => {
    if (sum + rest[p]! <= most) return;
    if (p === m) {
      most = sum;
      best.set(label);
      return;
    }
    const gain = new Float64Array(open + 1);
    for (let q = 0; q < p; q++) gain[label[q]!]! += between[p * m + q]!;
    const order = [...gain.keys()].sort((c, e) => gain[e]! - gain[c]! || c - e);
    for (const c of order) {
      if (gain[c] === -Infinity) break;
      label[p] = c;
      place(p + 1, Math.max(open, c + 1), sum + gain[c]!);
    }
  };
  place(0, 0, 0);
  return best;
}

/** A cluster during greedy merging. Its name in `groups` is the number of one of its items. */
interface Group {
  size: number;
  readonly items: number[];
  /** The sum of edge weights to each other group with scored pairs. The key is the name of the other group. */
  readonly near: Map<number, number>;
  /**
   * `cliques`: the cliques with an item of this group; groups with a common clique must stay apart. `apart`: items and groups that
   * cannot-links keep apart from this group.
   */
  readonly cliques: Set<number>;
  readonly apart: Set<number>;
}

/** Partitions a large set: merges greedily, then moves single items while this helps. Returns the cluster of each member, from 0. */
function* greedyPartition(items: Items, members: Int32Array): Generator<Step, Int32Array, void> {
  const { start, other, weight, closure, unscored } = items;
  const inside = new Set(members);
  const groups = new Map<number, Group>();
  for (const item of members) {
    const near = new Map<number, number>();
    for (let e = start[item]!; e < start[item + 1]!; e++) if (inside.has(other[e]!)) near.set(other[e]!, weight[e]!);
    const { edges, cliques } = closure;
    groups.set(item, {
      size: closure.sizes[item]!,
      items: [item],
      near,
      cliques: new Set(cliques.of.items.subarray(cliques.of.start[item]!, cliques.of.start[item + 1]!)),
      apart: new Set(edges.other.subarray(edges.start[item]!, edges.start[item + 1]!)),
    });
  }
  yield* mergeGreedily(groups, unscored);
  return yield* improved(items, members, groups);
}

function* mergeGreedily(groups: Map<number, Group>, unscored: number): Generator<Step, void, void> {
  const heap: Heap = { keys: [], items: [] };
  const edges: { readonly one: number; readonly other: number; readonly weight: number }[] = [];
  const offer = (one: number, other: number): void => {
    const [a, b] = [groups.get(one)!, groups.get(other)!];
    const weight = a.near.get(other)! + unscored * a.size * b.size;
    if (weight > 0 && !areApart(a, b, one, other)) push(heap, -weight, edges.push({ one, other, weight }) - 1);
  };
  for (const [one, { near }] of groups) for (const other of near.keys()) if (other > one) offer(one, other);
  for (let popped = 1; heap.items.length > 0; popped++) {
    if (popped % 4096 === 0) yield { phase: "merging similar rows", done: popped, total: null };
    const { one, other, weight } = edges[popLeast(heap)]!;
    const [a, b] = [groups.get(one), groups.get(other)];
    if (!a || !b) continue;
    const now = a.near.get(other)! + unscored * a.size * b.size;
    if (now !== weight) {
      // The weight changed after this entry was stored. If the weight grew, there is a newer entry. If it fell, stores a new entry.
      if (now > 0 && now < weight) offer(one, other);
      continue;
    }
    if (areApart(a, b, one, other)) continue;
    const [kept, gone, keptName, goneName] = a.near.size >= b.near.size ? [a, b, one, other] : [b, a, other, one];
    groups.delete(goneName);
    kept.near.delete(goneName);
    kept.size += gone.size;
    kept.items.push(...gone.items);
    for (const q of gone.cliques) kept.cliques.add(q);
    for (const name of gone.apart) {
      kept.apart.add(name);
      const third = groups.get(name);
      third?.apart.add(keptName);
    }
    for (const [name, own] of gone.near) {
      if (name === keptName) continue;
      const third = groups.get(name)!;
      third.near.delete(goneName);
      const sum = own + (kept.near.get(name) ?? 0);
      kept.near.set(name, sum);
      third.near.set(keptName, sum);
      offer(keptName, name);
    }
  }
}

function areApart(a: Group, b: Group, nameOfA: number, nameOfB: number): boolean {
  if (a.apart.has(nameOfB) || b.apart.has(nameOfA)) return true;
  const [few, many] = a.cliques.size <= b.cliques.size ? [a.cliques, b.cliques] : [b.cliques, a.cliques];
  for (const q of few) if (many.has(q)) return true;
  return false;
}

/** Maximum number of rounds over all items. Usually only the first two or three rounds move items. */
const MOST_ROUNDS = 20;

/** Moves single items to the cluster with the largest gain, or to a new cluster, while a move gains. Returns the cluster of each member. */
function* improved(items: Items, members: Int32Array, groups: Map<number, Group>): Generator<Step, Int32Array, void> {
  const { start, other, weight, closure, unscored } = items;
  const { edges, cliques, sizes } = closure;
  const cluster = new Map<number, number>();
  const rows: number[] = [];
  const ofClique = new Map<string, number>();
  const count = (c: number, item: number, by: number): void => {
    rows[c] = (rows[c] ?? 0) + by * sizes[item]!;
    for (let q = cliques.of.start[item]!; q < cliques.of.start[item + 1]!; q++) {
      const key = `${c} ${cliques.of.items[q]!}`;
      ofClique.set(key, (ofClique.get(key) ?? 0) + by);
    }
  };
  for (const group of groups.values()) {
    const c = rows.length;
    rows.push(0);
    for (const item of group.items) {
      cluster.set(item, c);
      count(c, item, 1);
    }
  }
  const mayJoin = (item: number, c: number): boolean => {
    for (let e = edges.start[item]!; e < edges.start[item + 1]!; e++) if (cluster.get(edges.other[e]!) === c) return false;
    for (let q = cliques.of.start[item]!; q < cliques.of.start[item + 1]!; q++)
      if ((ofClique.get(`${c} ${cliques.of.items[q]!}`) ?? 0) > 0) return false;
    return true;
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let moved = 0;
    for (const [p, item] of members.entries()) {
      if (p % 4096 === 0) yield { phase: "moving rows", done: p, total: members.length };
      const own = cluster.get(item)!;
      const gains = new Map<number, number>([[own, 0]]);
      for (let e = start[item]!; e < start[item + 1]!; e++) {
        const c = cluster.get(other[e]!);
        if (c !== undefined) gains.set(c, (gains.get(c) ?? 0) + weight[e]!);
      }
      const gainOf = (c: number, sum: number) => sum + unscored * sizes[item]! * (rows[c]! - (c === own ? sizes[item]! : 0));
      const stay = gainOf(own, gains.get(own)!);
      let [best, most] = [own, stay + 1e-9];
      for (const [c, sum] of gains) {
        const gain = gainOf(c, sum);
        if (c !== own && gain > most && mayJoin(item, c)) [best, most] = [c, gain];
      }
      if (most < 0 && rows[own]! > sizes[item]!) best = rows.push(0) - 1;
      if (best === own) continue;
      count(own, item, -1);
      count(best, item, 1);
      cluster.set(item, best);
      moved++;
    }
    if (moved === 0) break;
  }
  const names = new Map<number, number>();
  return Int32Array.from(members, (item) => {
    const c = cluster.get(item)!;
    if (!names.has(c)) names.set(c, names.size);
    return names.get(c)!;
  });
}
