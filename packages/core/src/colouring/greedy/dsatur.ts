/**
 * DSATUR (Brélaz 1979): the next vertex is the vertex with the most different colours among its neighbours. Ties go to the larger degree,
 * then the lower index. A single pass is the greedy colouring. With backtracking it decides whether k colours are enough.
 *
 * Colours are interchangeable. So a clique gets fixed colours first, and a vertex tries at most one unused colour. Each dead end depends
 * only on vertices chosen before. So if the search fails, the set of all vertices ever chosen is a core: it needs more than k colours.
 */

import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "../graphs/adjacency.js";
import { smallestLast } from "../graphs/clique.js";

export type SearchAnswer =
  | { readonly status: "feasible"; readonly colours: Int32Array }
  | { readonly status: "infeasible"; readonly core: Int32Array }
  | { readonly status: "undecided" };

/** Maximum number of vertices. The search scans all vertices to find the next one, so a step is too slow for larger graphs. */
export const MOST_SATURATED = 4096;

/** The better of two greedy colourings: DSATUR and smallest-last order. */
export function greedyColouring(graph: Adjacency): { readonly colours: Int32Array; readonly used: number } {
  const last = greedyInOrder(graph, smallestLast(graph).reverse());
  if (graph.n > MOST_SATURATED) return last;
  const colours = new Int32Array(graph.n).fill(-1);
  const state = saturation(graph, last.used);
  let used = 0;
  for (let i = 0; i < graph.n; i++) {
    const v = mostSaturated(state);
    let colour = 0;
    while (colour < last.used && state.count[v * last.used + colour]! > 0) colour++;
    if (colour === last.used) return last;
    give(state, v, colour);
    colours[v] = colour;
    used = Math.max(used, colour + 1);
  }
  return used < last.used ? { colours, used } : last;
}

function greedyInOrder(
  { n, start, items }: Adjacency,
  order: Int32Array,
): { readonly colours: Int32Array; readonly used: number } {
  const colours = new Int32Array(n).fill(-1);
  const taken = new Int32Array(n + 1).fill(-1);
  let used = 0;
  for (const v of order) {
    for (let p = start[v]!; p < start[v + 1]!; p++) if (colours[items[p]!]! >= 0) taken[colours[items[p]!]!] = v;
    let colour = 0;
    while (taken[colour] === v) colour++;
    colours[v] = colour;
    used = Math.max(used, colour + 1);
  }
  return { colours, used };
}

export function* searchSaturated(graph: Adjacency, k: number, clique: Int32Array, budget: Budget): Interruptible<SearchAnswer> {
  const { n } = graph;
  if (clique.length > k) return { status: "infeasible", core: clique };
  const state = saturation(graph, k);
  const everChosen = new Uint8Array(n);
  clique.forEach((v, colour) => {
    give(state, v, colour);
    everChosen[v] = 1;
  });
  // Per depth: the vertex chosen, the colour tried last, and the number of colours used above this depth.
  const chosen = new Int32Array(n);
  const tried = new Int32Array(n);
  const usedBefore = new Int32Array(n + 1);
  usedBefore[0] = clique.length;
  let depth = 0;
  let fresh = true;
  while (depth < n - clique.length) {
    if (fresh) {
      if (budget.left-- <= 0) return { status: "undecided" };
      if (pauseDue(budget)) yield;
      chosen[depth] = mostSaturated(state);
      everChosen[chosen[depth]!] = 1;
      tried[depth] = -1;
    } else take(state, chosen[depth]!);
    const v = chosen[depth]!;
    chargeLooks(budget, graph.start[v + 1]! - graph.start[v]!);
    const most = Math.min(k - 1, usedBefore[depth]!);
    let colour = tried[depth]! + 1;
    while (colour <= most && state.count[v * k + colour]! > 0) colour++;
    fresh = colour <= most;
    if (fresh) {
      tried[depth] = colour;
      give(state, v, colour);
      usedBefore[depth + 1] = Math.max(usedBefore[depth]!, colour + 1);
      depth++;
    } else if (depth-- === 0) {
      const core: number[] = [];
      for (let u = 0; u < n; u++) if (everChosen[u] === 1) core.push(u);
      return { status: "infeasible", core: Int32Array.from(core) };
    }
  }
  return { status: "feasible", colours: state.colours };
}

interface Saturation {
  readonly graph: Adjacency;
  readonly k: number;
  readonly colours: Int32Array;
  /** `count[v * k + c]`: number of neighbours of v with colour c. `used[v]`: number of different colours among the neighbours of v. */
  readonly count: Int32Array;
  readonly used: Int32Array;
}

function saturation(graph: Adjacency, k: number): Saturation {
  const { n } = graph;
  return { graph, k, colours: new Int32Array(n).fill(-1), count: new Int32Array(n * k), used: new Int32Array(n) };
}

function give({ graph: { start, items }, k, colours, count, used }: Saturation, v: number, colour: number): void {
  colours[v] = colour;
  for (let p = start[v]!; p < start[v + 1]!; p++) if (count[items[p]! * k + colour]!++ === 0) used[items[p]!]!++;
}

function take({ graph: { start, items }, k, colours, count, used }: Saturation, v: number): void {
  const colour = colours[v]!;
  colours[v] = -1;
  for (let p = start[v]!; p < start[v + 1]!; p++) if (--count[items[p]! * k + colour]! === 0) used[items[p]!]!--;
}

function mostSaturated({ graph: { n, start }, colours, used }: Saturation): number {
  let best = -1;
  for (let v = 0; v < n; v++) {
    if (colours[v] !== -1) continue;
    if (best !== -1) {
      const more = used[v]! - used[best]!;
      if (more < 0 || (more === 0 && start[v + 1]! - start[v]! <= start[best + 1]! - start[best]!)) continue;
    }
    best = v;
  }
  return best;
}
