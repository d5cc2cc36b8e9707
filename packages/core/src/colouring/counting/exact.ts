/**
 * Computes the chromatic polynomial P(G, k) exactly at an integer k: the number of colourings with k colours.
 *
 * A vertex is simplicial if its neighbours are pairwise adjacent. It multiplies the count by k minus its degree, so simplicial vertices are
 * removed first: trees and all chordal graphs disappear here. The remaining connected components are counted by vertex elimination, in an
 * order that adds few edges (min-fill). To eliminate a vertex, the count only needs to know which of its later neighbours share a colour.
 * So the tables are indexed by partitions of these neighbours.
 */

import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import { type Adjacency, connectedComponents, induced } from "../graphs/adjacency.js";
import { smallestLast } from "../graphs/clique.js";

/** A decomposed graph: P(G, k) = Π (k - d)^factors[d] · Π P(part, k). `factors[d]`: number of removed vertices that had d neighbours. */
export interface Counting {
  readonly factors: readonly number[];
  readonly parts: readonly Adjacency[];
}

export function* takeApart(graph: Adjacency, budget: Budget): Interruptible<Counting> {
  const { factors, rest } = yield* withoutSimplicial(graph, budget);
  const kernel = induced(graph, rest);
  return { factors, parts: connectedComponents(kernel).map((part) => induced(kernel, part)) };
}

/** The number of ways to colour the removed simplicial vertices: Π (k - d)^factors[d]. */
export function productOfFactors(factors: readonly number[], k: number): bigint {
  // The last entry of `factors` is positive, so the graph has a clique of factors.length vertices.
  if (factors.length > k) return 0n;
  let product = 1n;
  factors.forEach((times, d) => {
    if (times > 0) product *= BigInt(k - d) ** BigInt(times);
  });
  return product;
}

/** Maximum degree of a vertex that is tested for being simplicial. The test takes quadratic time. */
const MOST_SIMPLICIAL = 64;

function* withoutSimplicial(
  { n, start, items }: Adjacency,
  budget: Budget,
): Interruptible<{ readonly factors: number[]; readonly rest: Int32Array }> {
  const neighboursOf = Array.from({ length: n }, (_, v) => new Set(items.subarray(start[v]!, start[v + 1]!)));
  const gone = new Uint8Array(n);
  const waiting = new Uint8Array(n).fill(1);
  const factors: number[] = [];
  const queue = Array.from({ length: n }, (_, v) => v);
  for (let q = 0; q < queue.length; q++) {
    const v = queue[q]!;
    waiting[v] = 0;
    const around = [...neighboursOf[v]!];
    chargeLooks(budget, around.length);
    if (pauseDue(budget)) yield;
    if (around.length > MOST_SIMPLICIAL || !around.every((u, i) => around.every((w, j) => j >= i || neighboursOf[u]!.has(w))))
      continue;
    gone[v] = 1;
    while (factors.length <= around.length) factors.push(0);
    factors[around.length]!++;
    for (const u of around) {
      neighboursOf[u]!.delete(v);
      if (waiting[u] === 1 || gone[u] === 1) continue;
      waiting[u] = 1;
      queue.push(u);
    }
  }
  const rest: number[] = [];
  for (let v = 0; v < n; v++) if (gone[v] === 0) rest.push(v);
  return { factors, rest: Int32Array.from(rest) };
}

/** A vertex to eliminate. `scope`: its later neighbours. `truly`: for each of these, whether it is a neighbour in the original graph. */
interface Elimination {
  readonly vertex: number;
  readonly scope: readonly number[];
  readonly truly: readonly boolean[];
}

/** An elimination order that adds few edges. The cost of counting is exponential in `width`, the size of the largest scope. */
export interface Plan {
  readonly steps: readonly Elimination[];
  readonly width: number;
}

/** Maximum width of an elimination plan. For wider graphs, three or more colours have too many partitions to list. */
const WIDEST = 24;
/** Maximum degree of a vertex for which added edges are counted. Vertices of larger degree are eliminated late anyway. */
const MOST_FILLED = 100;

/** Greedily eliminates the vertex that adds the fewest edges. Null if the width exceeds WIDEST or the budget is spent. */
export function* eliminationPlan(graph: Adjacency, budget: Budget): Interruptible<Plan | null> {
  const { n, start, items } = graph;
  if (degeneracy(graph) > WIDEST) return null;
  const truly = Array.from({ length: n }, (_, v) => new Set(items.subarray(start[v]!, start[v + 1]!)));
  const neighboursOf = truly.map((set) => new Set(set));
  const left = new Set(neighboursOf.keys());
  const fill = neighboursOf.map((set) => missing(neighboursOf, set));
  const steps: Elimination[] = [];
  let width = 0;
  while (left.size > 0) {
    chargeLooks(budget, left.size);
    if (budget.left <= 0) return null;
    if (pauseDue(budget)) yield;
    let vertex = -1;
    for (const v of left) {
      if (
        vertex === -1 ||
        fill[v]! < fill[vertex]! ||
        (fill[v] === fill[vertex] && neighboursOf[v]!.size < neighboursOf[vertex]!.size)
      )
        vertex = v;
    }
    const scope = [...neighboursOf[vertex]!].sort((a, b) => a - b);
    steps.push({ vertex, scope, truly: scope.map((v) => truly[vertex]!.has(v)) });
    width = Math.max(width, scope.length);
    if (width > WIDEST) return null;
    left.delete(vertex);
    const changed = new Set(scope);
    for (const u of scope) {
      neighboursOf[u]!.delete(vertex);
      for (const w of scope) {
        if (w === u || neighboursOf[u]!.has(w)) continue;
        neighboursOf[u]!.add(w);
        neighboursOf[w]!.add(u);
        for (const between of neighboursOf[u]!) if (neighboursOf[w]!.has(between)) changed.add(between);
      }
    }
    for (const u of changed) {
      chargeLooks(budget, neighboursOf[u]!.size * neighboursOf[u]!.size);
      fill[u] = missing(neighboursOf, neighboursOf[u]!);
    }
  }
  return { steps, width };
}

/** Degeneracy: repeatedly removes a vertex of smallest degree and returns the largest of these degrees. It is at most the width. */
function degeneracy(graph: Adjacency): number {
  const place = new Int32Array(graph.n);
  smallestLast(graph).forEach((v, i) => {
    place[v] = i;
  });
  let most = 0;
  for (let v = 0; v < graph.n; v++) {
    let later = 0;
    for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) if (place[graph.items[p]!]! > place[v]!) later++;
    most = Math.max(most, later);
  }
  return most;
}

function missing(neighboursOf: readonly Set<number>[], around: ReadonlySet<number>): number {
  if (around.size > MOST_FILLED) return around.size * around.size;
  const list = [...around];
  let pairs = 0;
  for (let i = 0; i < list.length; i++) for (let j = 0; j < i; j++) if (!neighboursOf[list[i]!]!.has(list[j]!)) pairs++;
  return pairs;
}

/** The number P(G, k) of colourings of one part. Charges one node for each partition; null if the budget is spent. */
export function* countPart(graph: Adjacency, plan: Plan | null, k: number, budget: Budget): Interruptible<bigint | null> {
  if (k < 2) return 0n;
  if (k === 2) return isBipartite(graph) ? 2n : 0n;
  if (plan === null) return null;
  let product = 1n;
  const adjacency = plan.steps.map(() => new Set<number>());
  for (let v = 0; v < graph.n; v++)
    for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) adjacency[v]!.add(graph.items[p]!);
  if (!isWithin(plan, adjacency, k, budget.left)) return null;
  const inbox = new Map<number, Table[]>();
  const at = new Int32Array(graph.n);
  plan.steps.forEach(({ vertex }, i) => {
    at[vertex] = i;
  });
  for (const step of plan.steps) {
    if (pauseDue(budget)) yield;
    const table = sumOut(step, inbox.get(step.vertex) ?? [], adjacency, k, budget);
    if (table === null) return null;
    inbox.delete(step.vertex);
    if (step.scope.length === 0) product *= table.values.get("") ?? 0n;
    else {
      const next = step.scope.reduce((a, b) => (at[a]! < at[b]! ? a : b));
      const list = inbox.get(next);
      if (list) list.push(table);
      else inbox.set(next, [table]);
    }
  }
  return product;
}

function isBipartite({ n, start, items }: Adjacency): boolean {
  const side = new Int8Array(n);
  const reached = [0];
  side[0] = 1;
  for (let r = 0; r < reached.length; r++) {
    const v = reached[r]!;
    for (let p = start[v]!; p < start[v + 1]!; p++) {
      const other = items[p]!;
      if (side[other] === side[v]) return false;
      if (side[other] === 0) {
        side[other] = -side[v]!;
        reached.push(other);
      }
    }
  }
  return true;
}

/**
 * `isWithin` allows `most` complete partitions and BEGUN_FOR_EACH · `most` incomplete partitions. For small k, most partitions are never
 * completed.
 */
const BEGUN_FOR_EACH = 8;

/** Whether counting visits at most `most` partitions. This quick check avoids starting a count that cannot finish. */
function isWithin({ steps }: Plan, adjacency: readonly Set<number>[], k: number, most: number): boolean {
  let left = most;
  let begun = BEGUN_FOR_EACH * most;
  const visit = (scope: readonly number[], classes: number[], i: number, used: number): boolean => {
    if (i === scope.length) return --left >= 0;
    if (--begun < 0) return false;
    for (let c = 0; c < Math.min(used + 1, k); c++) {
      if (clashes(scope, classes, i, c, adjacency)) continue;
      classes[i] = c;
      if (!visit(scope, classes, i + 1, Math.max(used, c + 1))) return false;
    }
    return true;
  };
  return steps
    .toSorted((a, b) => b.scope.length - a.scope.length)
    .every(({ scope }) => visit(scope, new Array<number>(scope.length).fill(0), 0, 0));
}

/** For each partition of the scope into colour classes: the number of ways to colour the vertices eliminated so far. */
interface Table {
  readonly scope: readonly number[];
  readonly values: ReadonlyMap<string, bigint>;
}

function sumOut(
  { vertex, scope, truly }: Elimination,
  children: readonly Table[],
  adjacency: readonly Set<number>[],
  k: number,
  budget: Budget,
): Table | null {
  const values = new Map<string, bigint>();
  // For each child table, the positions of its scope vertices in this scope. The eliminated vertex itself has position scope.length.
  const places = children.map((child) => child.scope.map((v) => (v === vertex ? scope.length : scope.indexOf(v))));
  const classes = new Array<number>(scope.length + 1).fill(0);
  const valueHere = (): bigint => {
    let value = 1n;
    for (let c = 0; c < children.length && value !== 0n; c++) value *= children[c]!.values.get(keyOf(places[c]!, classes)) ?? 0n;
    return value;
  };
  const visit = (i: number, used: number): boolean => {
    if (i < scope.length) {
      for (let c = 0; c < Math.min(used + 1, k); c++) {
        if (clashes(scope, classes, i, c, adjacency)) continue;
        classes[i] = c;
        if (!visit(i + 1, Math.max(used, c + 1))) return false;
      }
      return true;
    }
    if (budget.left-- <= 0) return false;
    let total = 0n;
    for (let c = 0; c < used; c++) {
      if (truly.some((edge, j) => edge && classes[j] === c)) continue;
      classes[scope.length] = c;
      total += valueHere();
    }
    if (used < k) {
      classes[scope.length] = used;
      total += BigInt(k - used) * valueHere();
    }
    if (total !== 0n) values.set(keyOf(scope.keys(), classes), total);
    return true;
  };
  return visit(0, 0) ? { scope, values } : null;
}

function clashes(
  scope: readonly number[],
  classes: readonly number[],
  i: number,
  c: number,
  adjacency: readonly Set<number>[],
): boolean {
  for (let j = 0; j < i; j++) if (classes[j] === c && adjacency[scope[i]!]!.has(scope[j]!)) return true;
  return false;
}

function keyOf(places: Iterable<number>, classes: readonly number[]): string {
  const names: number[] = [];
  let next = 0;
  let key = "";
  for (const place of places) {
    names[classes[place]!] ??= next++;
    key += String.fromCharCode(names[classes[place]!]!);
  }
  return key;
}
