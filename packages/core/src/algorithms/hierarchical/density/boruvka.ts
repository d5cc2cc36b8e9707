/**
 * A minimum spanning tree of mutual reachability, without a matrix: Borůvka's rounds with searches from a k-d tree into itself.
 *
 * After the package of McInnes, Healy, Astels 2017. In each round every tree of the forest finds its shortest edge to another tree. Two nodes of the k-d tree are not looked at further where both lie in one tree, or where their boxes are
 * farther apart than the best edges that the rows of the first have.
 *
 * Departs from it: for each row a bound on its own shortest edge is kept from round to round, which only rises as trees grow. So stretches of rows are
 * passed over whose bounds are above the best edges of their trees.
 */
import type { Step } from "../../../steps/index.js";
import { forest, join, rootOf } from "../../../structures/components.js";
import { boxesSquare, boxSquare, type KdTree, rowSquare } from "../../../structures/kd-tree.js";
import type { Neighbours } from "./neighbours.js";

/** Edges of the spanning tree, by places in the k-d tree. */
export interface SpanningTree {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

interface State {
  readonly tree: KdTree;
  /** Squared core distance by place. */
  readonly core: Float64Array;
  readonly nearby: Neighbours;
  /** The tree of the forest that each place is in. */
  readonly of: Int32Array;
  /** No edge of a place to another tree is shorter; and the place where one of that length was found, -1 if none was. */
  readonly bound: Float64Array;
  readonly found: Int32Array;
  /** By node of the k-d tree: the tree that all of its rows are in, -1 if they are in several. */
  readonly whole: Int32Array;
  /** The least core distance of its rows, and their least bound. */
  readonly leastCore: Float64Array;
  readonly leastBound: Float64Array;
  /** The longest best edge of the trees that its rows are in. */
  readonly longest: Float64Array;
  /** The best edge of each tree: from, to, square. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly best: Float64Array;
  work: number;
}

const WORK_PER_STEP = 4_000_000;

/** Rows that are searched from together. */
const BLOCK = 64;

export function* boruvkaSteps(tree: KdTree, core: Float64Array, nearby: Neighbours): Generator<Step, SpanningTree, void> {
  const { n } = tree;
  const state = openState(tree, core, nearby);
  const blocks = blocksOf(tree);
  const trees = forest(n);
  const edges = { a: new Int32Array(n - 1), b: new Int32Array(n - 1) };
  const order = placesByRow(tree);
  let made = joinDenser(state, order, trees, edges);
  while (made < n - 1) {
    beginRound(state, trees);
    for (const block of blocks) {
      searchPair(state, block, 0, 0);
      if (state.work < WORK_PER_STEP) continue;
      state.work = 0;
      yield { phase: "spanning tree", done: made, total: n - 1 };
    }
    for (const t of order) {
      if (state.best[t] === Infinity || !join(trees, state.from[t]!, state.to[t]!)) continue;
      edges.a[made] = state.from[t]!;
      edges.b[made] = state.to[t]!;
      made++;
    }
    endRound(state);
  }
  return edges;
}

function openState(tree: KdTree, core: Float64Array, nearby: Neighbours): State {
  const { n, nodes, from, to, second } = tree;
  const leastCore = new Float64Array(nodes).fill(Infinity);
  for (let v = nodes - 1; v >= 0; v--) {
    if (second[v]! >= 0) leastCore[v] = Math.min(leastCore[v + 1]!, leastCore[second[v]!]!);
    else for (let p = from[v]!; p < to[v]!; p++) leastCore[v] = Math.min(leastCore[v]!, core[p]!);
  }
  return {
    tree,
    core,
    nearby,
    leastCore,
    of: new Int32Array(n),
    bound: core.slice(),
    found: new Int32Array(n).fill(-1),
    whole: new Int32Array(nodes),
    leastBound: new Float64Array(nodes),
    longest: new Float64Array(nodes),
    from: new Int32Array(n),
    to: new Int32Array(n),
    best: new Float64Array(n),
    work: 0,
  };
}

function placesByRow({ n, rows }: KdTree): Int32Array {
  const places = new Int32Array(n);
  for (let p = 0; p < n; p++) places[rows[p]!] = p;
  return places;
}

/**
 * Joins each row to its nearest neighbour that is no less dense: no edge of it is shorter. Among edges of equal length these come first, row by row,
 * as in the package: which of two clusters a row between them belongs to hangs on that. Returns how many edges were made.
 */
function joinDenser({ core, nearby }: State, order: Int32Array, trees: Int32Array, { a, b }: SpanningTree): number {
  const { k, places } = nearby;
  let made = 0;
  for (const p of order) {
    for (let r = p * k; r < p * k + k; r++) {
      const q = places[r]!;
      if (core[q]! > core[p]!) continue;
      if (join(trees, p, q)) {
        a[made] = p;
        b[made++] = q;
      }
      break;
    }
  }
  return made;
}

/** The largest nodes of at most some rows. */
function blocksOf({ from, to, second }: KdTree): number[] {
  const blocks: number[] = [];
  const open = [0];
  while (open.length > 0) {
    const v = open.pop()!;
    if (second[v]! < 0 || to[v]! - from[v]! <= BLOCK) blocks.push(v);
    else open.push(second[v]!, v + 1);
  }
  return blocks;
}

function beginRound(state: State, trees: Int32Array): void {
  const { tree, of, whole, leastBound, longest, best, bound, found } = state;
  const { n, nodes, from, to, second } = tree;
  for (let p = 0; p < n; p++) of[p] = rootOf(trees, p);
  best.fill(Infinity);
  for (let p = 0; p < n; p++) fromNearby(state, p);
  for (let v = nodes - 1; v >= 0; v--) {
    const [one, other] = [v + 1, second[v]!];
    if (other >= 0) {
      whole[v] = whole[one] === whole[other] ? whole[one]! : -1;
      leastBound[v] = Math.min(leastBound[one]!, leastBound[other]!);
      longest[v] = Math.max(longest[one]!, longest[other]!);
      continue;
    }
    whole[v] = of[from[v]!]!;
    leastBound[v] = Infinity;
    longest[v] = 0;
    for (let p = from[v]!; p < to[v]!; p++) {
      if (of[p] !== whole[v]) whole[v] = -1;
      if (found[p]! < 0) leastBound[v] = Math.min(leastBound[v]!, bound[p]!);
      longest[v] = Math.max(longest[v]!, best[of[p]!]!);
    }
  }
}

/** Nothing shorter than the best edge of its tree leaves any row. */
function endRound({ tree: { n }, of, best, bound, found }: State): void {
  for (let p = 0; p < n; p++) if (found[p]! < 0 && best[of[p]!]! > bound[p]!) bound[p] = best[of[p]!]!;
}

function offer({ of, best, from, to }: State, p: number, q: number, square: number): void {
  const t = of[p]!;
  if (square >= best[t]!) return;
  best[t] = square;
  from[t] = p;
  to[t] = q;
}

/** What is known of a place without a search: its edge of an earlier round, and its nearest neighbours. */
function fromNearby(state: State, p: number): void {
  const { core, of, bound, found, nearby } = state;
  if (found[p]! >= 0) {
    if (of[found[p]!] !== of[p]) {
      offer(state, p, found[p]!, bound[p]!);
      return;
    }
    found[p] = -1;
  }
  const { k, places, squares } = nearby;
  const reach = squares[p * k + k - 1]!;
  let nearest = -1;
  let shortest = Infinity;
  for (let r = p * k; r < p * k + k; r++) {
    const q = places[r]!;
    if (of[q] === of[p]) continue;
    const square = Math.max(squares[r]!, core[p]!, core[q]!);
    if (square >= shortest) continue;
    shortest = square;
    nearest = q;
  }
  // Rows beyond the list are at least as far as the last of it.
  if (reach > bound[p]! && shortest > reach) bound[p] = reach;
  if (nearest < 0) return;
  offer(state, p, nearest, shortest);
  if (shortest > Math.max(reach, bound[p]!)) return;
  bound[p] = shortest;
  found[p] = nearest;
}

/** Searches from the rows of node u to those of node v; `least` bounds their distances from below. */
function searchPair(state: State, u: number, v: number, least: number): void {
  const { tree, whole, leastCore, leastBound, longest, best } = state;
  const { from, to, second } = tree;
  const mine = whole[u]!;
  if (mine >= 0 && mine === whole[v]) return;
  const limit = mine >= 0 ? best[mine]! : longest[u]!;
  if (least >= limit || leastCore[u]! >= limit || leastCore[v]! >= limit || leastBound[u]! >= limit) return;
  const [isLeaf, isOtherLeaf] = [second[u]! < 0, second[v]! < 0];
  if (isLeaf && isOtherLeaf) {
    searchLeaves(state, u, v);
    return;
  }
  if (isLeaf || (!isOtherLeaf && to[v]! - from[v]! >= to[u]! - from[u]!)) {
    const [near, far] = [boxGap(state, u, v + 1), boxGap(state, u, second[v]!)];
    if (near <= far) {
      searchPair(state, u, v + 1, near);
      searchPair(state, u, second[v]!, far);
    } else {
      searchPair(state, u, second[v]!, far);
      searchPair(state, u, v + 1, near);
    }
    return;
  }
  const [one, other] = [boxGap(state, u + 1, v), boxGap(state, second[u]!, v)];
  if (one <= other) {
    searchPair(state, u + 1, v, one);
    searchPair(state, second[u]!, v, other);
  } else {
    searchPair(state, second[u]!, v, other);
    searchPair(state, u + 1, v, one);
  }
  longest[u] = Math.max(longest[u + 1]!, longest[second[u]!]!);
}

function searchLeaves(state: State, u: number, v: number): void {
  const { tree, core, of, bound, found, best, longest } = state;
  const { d, x, boxes, from, to } = tree;
  const end = to[v]!;
  let most = 0;
  for (let p = from[u]!; p < to[u]!; p++) {
    const mine = of[p]!;
    let limit = best[mine]!;
    if (found[p]! < 0 && bound[p]! < limit && core[p]! < limit && boxSquare(boxes, v * 2 * d, x, p * d, d, limit) < limit) {
      for (let q = from[v]!; q < end; q++) {
        if (of[q] === mine || core[q]! >= limit) continue;
        const square = Math.max(rowSquare(x, p * d, q * d, d, limit), core[p]!, core[q]!);
        if (square >= limit) continue;
        limit = square;
        offer(state, p, q, square);
      }
      state.work += (end - from[v]!) * d;
    }
    state.work += d;
    if (best[mine]! > most) most = best[mine]!;
  }
  longest[u] = most;
}

function boxGap(state: State, u: number, v: number): number {
  const { d, boxes } = state.tree;
  state.work += d;
  return boxesSquare(boxes, u, v, d);
}
