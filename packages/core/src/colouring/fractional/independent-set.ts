/**
 * Finds the heaviest independent set exactly, by branch and bound. This is the pricing step of fractional colouring.
 *
 * Before branching, the search applies safe reductions. A vertex that weighs at least as much as all its neighbours together is taken. A
 * vertex of degree 1, or of degree 2 with adjacent neighbours, is folded: its weight is subtracted from its neighbours. At the end, the
 * folded vertex is in the set unless one of its neighbours is.
 *
 * Connected parts are solved separately. The upper bound is a clique cover: the sum of the charges of the cliques (see `coverBound`).
 * Weights are integers, so undoing a change restores the sums exactly.
 */

import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import { type Adjacency, adjacent } from "../graphs/adjacency.js";

export interface HeaviestSet {
  /** Vertices of the set, ascending; null if no independent set weighs more than `moreThan`. */
  readonly vertices: Int32Array | null;
  readonly weight: number;
  /** False if the budget was spent; a heavier set may exist. */
  readonly exact: boolean;
}

/** Number of nodes of this search that count as one node of the budget. A node of this search takes little time. */
const NODES_FOR_ONE = 20;

/** An independent set of the largest weight, if that is more than `moreThan`. Ignores vertices of weight 0. */
export function* heaviestIndependentSet(
  graph: Adjacency,
  weights: Float64Array,
  moreThan: number,
  budget: Budget,
): Interruptible<HeaviestSet> {
  const search = openSearch(graph, weights, budget);
  const everything: number[] = [];
  for (let v = 0; v < graph.n; v++) if (search.alive[v] === 1) everything.push(v);
  const found = yield* best(search, everything, moreThan);
  const exact = budget.left > 0;
  if (found === null) return { vertices: null, weight: moreThan, exact };
  return { vertices: Int32Array.from(found.set).sort(), weight: found.weight, exact };
}

interface Search {
  readonly graph: Adjacency;
  readonly alive: Uint8Array;
  readonly weight: Float64Array;
  readonly degree: Int32Array;
  readonly around: Float64Array;
  /** Undo log. Removing vertex v adds the entry v. Reducing the weight of v adds two entries: the reduction, then ~v. */
  readonly trail: number[];
  readonly budget: Budget;
  /** Adjacency matrix, n x n, row-major; null if the graph is too large. */
  readonly table: Uint8Array | null;
  /**
   * Work space. `mark[v] === walk` if the last traversal reached v. `open`: the weight of each vertex that cliques have not charged yet.
   */
  readonly mark: Int32Array;
  walk: number;
  readonly open: Float64Array;
}

interface WeightedSet {
  readonly set: readonly number[];
  readonly weight: number;
}

function openSearch(graph: Adjacency, weights: Float64Array, budget: Budget): Search {
  const { n, start, items } = graph;
  const alive = Uint8Array.from(weights, (w) => (w > 0 ? 1 : 0));
  const degree = new Int32Array(n);
  const around = new Float64Array(n);
  for (let v = 0; v < n; v++) {
    for (let p = start[v]!; p < start[v + 1]!; p++) {
      if (alive[items[p]!] === 0) continue;
      degree[v]!++;
      around[v]! += weights[items[p]!]!;
    }
  }
  return {
    graph,
    alive,
    weight: weights.slice(),
    degree,
    around,
    trail: [],
    budget,
    table: n <= MOST_IN_TABLE ? tableOf(graph) : null,
    mark: new Int32Array(n),
    walk: 0,
    open: new Float64Array(n),
  };
}

const MOST_IN_TABLE = 1_000;

function tableOf({ n, start, items }: Adjacency): Uint8Array {
  const table = new Uint8Array(n * n);
  for (let v = 0; v < n; v++) for (let p = start[v]!; p < start[v + 1]!; p++) table[v * n + items[p]!] = 1;
  return table;
}

function joined({ table, graph }: Search, u: number, v: number): boolean {
  return table ? table[u * graph.n + v] === 1 : adjacent(graph, u, v);
}

/** The heaviest independent set among these vertices if it weighs more than `need`. Restores the search state before it returns. */
function* best(search: Search, vertices: readonly number[], need: number): Interruptible<WeightedSet | null> {
  if (search.budget.left <= 0) return null;
  search.budget.left -= 1 / NODES_FOR_ONE;
  if (pauseDue(search.budget)) yield;
  const before = search.trail.length;
  const decided = reduce(search, vertices);
  const rest = vertices.filter((v) => search.alive[v] === 1);
  const found = rest.length === 0 ? atLeast([], 0, need - decided.gain) : yield* inParts(search, rest, need - decided.gain);
  takeBack(search, before);
  if (found === null) return null;
  return { set: withDecided(search, decided, found.set), weight: found.weight + decided.gain };
}

function atLeast(set: readonly number[], weight: number, need: number): WeightedSet | null {
  return weight > need ? { set, weight } : null;
}

interface Decided {
  /**
   * Lower bound of the weight of the final set: the weights of taken vertices and of folded vertices. If a folded vertex is not in the set,
   * one of its neighbours contributes at least the weight of the folded vertex.
   */
  readonly gain: number;
  readonly taken: readonly number[];
  /** Folded vertices in the order of removal. A folded vertex is in the set unless one of its neighbours is. */
  readonly folded: readonly number[];
}

function reduce(search: Search, vertices: readonly number[]): Decided {
  const { graph, alive, weight, degree, around } = search;
  const taken: number[] = [];
  const folded: number[] = [];
  let gain = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (const v of vertices) {
      if (alive[v] === 0) continue;
      if (weight[v]! >= around[v]!) {
        gain += weight[v]!;
        taken.push(v);
        removeWithNeighbours(search, v);
      } else if (degree[v] === 1 || (degree[v] === 2 && neighboursJoined(search, v))) {
        const own = weight[v]!;
        gain += own;
        folded.push(v);
        remove(search, v);
        for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
          const other = graph.items[p]!;
          if (alive[other] === 0) continue;
          if (weight[other]! <= own) remove(search, other);
          else discount(search, other, own);
        }
      } else continue;
      changed = true;
    }
  }
  return { gain, taken, folded };
}

function neighboursJoined(search: Search, v: number): boolean {
  const { graph, alive } = search;
  let first = -1;
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    const other = graph.items[p]!;
    if (alive[other] === 0) continue;
    if (first >= 0) return joined(search, first, other);
    first = other;
  }
  return false;
}

function withDecided({ graph }: Search, { taken, folded }: Decided, set: readonly number[]): readonly number[] {
  const all = [...set, ...taken];
  if (folded.length === 0) return all;
  const inside = new Set(all);
  for (let f = folded.length - 1; f >= 0; f--) {
    const v = folded[f]!;
    let free = true;
    for (let p = graph.start[v]!; free && p < graph.start[v + 1]!; p++) free = !inside.has(graph.items[p]!);
    if (free) {
      inside.add(v);
      all.push(v);
    }
  }
  return all;
}

/** Solves each connected part and joins the sets. Small parts come first, because they show early whether `need` can still be reached. */
function* inParts(search: Search, rest: readonly number[], need: number): Interruptible<WeightedSet | null> {
  const parts = partsOf(search, rest);
  if (parts.length === 1) return yield* branch(search, rest, need);
  const bounds = parts.map((part) => coverBound(search, part));
  let possible = bounds.reduce((sum, bound) => sum + bound, 0);
  const set: number[] = [];
  let weight = 0;
  for (const p of parts.map((_, i) => i).sort((i, j) => parts[i]!.length - parts[j]!.length || i - j)) {
    if (weight + possible <= need) return null;
    possible -= bounds[p]!;
    const found = yield* best(search, parts[p]!, need - weight - possible);
    if (found === null) return null;
    weight += found.weight;
    for (const v of found.set) set.push(v);
  }
  return atLeast(set, weight, need);
}

/** Branches on the vertex with most neighbours: first with the vertex in the set, then without it. */
function* branch(search: Search, rest: readonly number[], need: number): Interruptible<WeightedSet | null> {
  if (coverBound(search, rest) <= need) return null;
  let v = rest[0]!;
  for (const u of rest) {
    const more = search.degree[u]! - search.degree[v]!;
    if (more > 0 || (more === 0 && search.weight[u]! > search.weight[v]!)) v = u;
  }
  const before = search.trail.length;
  const own = search.weight[v]!;
  removeWithNeighbours(search, v);
  const left = rest.filter((u) => search.alive[u] === 1);
  const inside = yield* best(search, left, need - own);
  takeBack(search, before);
  const withV = inside && { set: [...inside.set, v], weight: inside.weight + own };
  remove(search, v);
  const outside = yield* best(
    search,
    rest.filter((u) => u !== v),
    withV?.weight ?? need,
  );
  takeBack(search, before);
  return outside ?? withV;
}

function partsOf(search: Search, rest: readonly number[]): number[][] {
  const { graph, alive, mark } = search;
  const walk = ++search.walk;
  const parts: number[][] = [];
  for (const root of rest) {
    if (mark[root] === walk) continue;
    mark[root] = walk;
    const part = [root];
    for (let r = 0; r < part.length; r++) {
      for (let p = graph.start[part[r]!]!; p < graph.start[part[r]! + 1]!; p++) {
        const other = graph.items[p]!;
        if (alive[other] === 0 || mark[other] === walk) continue;
        mark[other] = walk;
        part.push(other);
      }
    }
    parts.push(part);
  }
  return parts;
}

/**
 * Upper bound by a clique cover. Repeatedly takes the lightest vertex with remaining weight, and builds a clique of this vertex and some
 * neighbours. The charge of the clique is the remaining weight of the vertex. It is subtracted from all members. The bound is the sum of
 * all charges, because an independent set contains at most one member of each clique.
 */
function coverBound(search: Search, vertices: readonly number[]): number {
  const { graph, alive, weight, open } = search;
  for (const v of vertices) open[v] = weight[v]!;
  const order = [...vertices].sort((u, v) => weight[u]! - weight[v]! || u - v);
  const clique: number[] = [];
  let bound = 0;
  let looks = vertices.length;
  for (const v of order) {
    const charge = open[v]!;
    if (charge === 0) continue;
    bound += charge;
    looks += graph.start[v + 1]! - graph.start[v]!;
    clique.length = 0;
    for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
      const other = graph.items[p]!;
      if (alive[other] === 0 || open[other] === 0 || !joinedToAll(search, clique, other)) continue;
      clique.push(other);
      open[other] = Math.max(0, open[other]! - charge);
    }
  }
  chargeLooks(search.budget, looks);
  return bound;
}

function joinedToAll(search: Search, clique: readonly number[], v: number): boolean {
  for (let i = 0; i < clique.length; i++) if (!joined(search, clique[i]!, v)) return false;
  return true;
}

function remove({ graph, alive, weight, degree, around, trail }: Search, v: number): void {
  alive[v] = 0;
  trail.push(v);
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    degree[graph.items[p]!]!--;
    around[graph.items[p]!]! -= weight[v]!;
  }
}

function removeWithNeighbours(search: Search, v: number): void {
  remove(search, v);
  const { graph, alive } = search;
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) if (alive[graph.items[p]!] === 1) remove(search, graph.items[p]!);
}

function discount({ graph, weight, around, trail }: Search, v: number, less: number): void {
  weight[v]! -= less;
  trail.push(less, ~v);
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) around[graph.items[p]!]! -= less;
}

function takeBack({ graph, alive, weight, degree, around, trail }: Search, length: number): void {
  while (trail.length > length) {
    const entry = trail.pop()!;
    const v = entry < 0 ? ~entry : entry;
    const more = entry < 0 ? trail.pop()! : weight[v]!;
    if (entry < 0) weight[v]! += more;
    else alive[v] = 1;
    for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
      if (entry >= 0) degree[graph.items[p]!]!++;
      around[graph.items[p]!]! += more;
    }
  }
}
