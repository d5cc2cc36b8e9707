/**
 * Decides exactly whether k clusters can satisfy the constraints. The answer has a proof. If k clusters are enough, the proof is a
 * colouring of the constraint graph with k colours. Otherwise the proof is a core: a small set of vertices that needs more than k colours.
 * In most cases the core is a clique of k + 1 vertices.
 *
 * Effort is counted in nodes. When the nodes are spent, the answer is "undecided". Ties are broken by index, so the answer depends only on
 * the graph.
 */

import type { Budget, EffortOptions, Interruptible } from "../steps/budget.js";
import { budgetOf, chargeLooks, checkColours, giveBack, pauseDue, share } from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { type Adjacency, connectedComponents, induced } from "./graphs/adjacency.js";
import { findClique } from "./graphs/clique.js";
import { degreeBound, expand, type Graph, largestListedClique } from "./graphs/graph.js";
import { fillGreedily, peelCliques } from "./graphs/reduce.js";
import { greedyColouring } from "./greedy/dsatur.js";
import { solve } from "./solve.js";

export interface Core {
  /** Vertices that need more than k colours, ascending. */
  readonly vertices: Int32Array;
  /** True if removing any single vertex of the core makes k colours enough. False if the effort was spent before every vertex was tried. */
  readonly critical: boolean;
}

export type Colouring =
  | { readonly status: "feasible"; readonly colouring: Int32Array }
  | { readonly status: "infeasible"; readonly core: Core }
  | { readonly status: "undecided" };

export interface ChromaticNumber {
  readonly lower: number;
  readonly upper: number;
  readonly colouring: Int32Array;
}

/** Maximum number of entries in all neighbour lists of a graph together (64 MB). A denser graph is coloured greedily or left undecided. */
export const MOST_ARCS = 16_000_000;

/**
 * Finds a colouring with k colours or a core that needs more. Spends at most `effort` nodes on the answer, and at most a quarter of
 * `effort` more to make a core smaller.
 */
export function colour(graph: Graph, k: number, options: EffortOptions = {}): Colouring {
  return drain(searchColouring(graph, k, budgetOf(options)));
}

export function* searchColouring(graph: Graph, colours: number, budget: Budget): Interruptible<Colouring> {
  checkColours(colours);
  // As in `solve`, more colours than vertices are never needed. The limit keeps tables small if the caller asks for a billion colours.
  const k = Math.min(colours, Math.max(1, graph.vertices));
  const forCore = { left: budget.left * FOR_CORE };
  const answer = yield* decide(graph, k, budget);
  if (answer.status !== "infeasible") return answer;
  return { status: "infeasible", core: yield* smallerCore(graph, k, answer.core, forCore) };
}

/** Effort for making a core smaller, as a fraction of the whole effort. The answer is valid with or without it. */
const FOR_CORE = 0.25;

type Decision =
  | Exclude<Colouring, { readonly status: "infeasible" }>
  | { readonly status: "infeasible"; readonly core: Int32Array };

function* decide(graph: Graph, k: number, budget: Budget): Interruptible<Decision> {
  const listed = largestListedClique(graph);
  if (listed.length > k) return { status: "infeasible", core: listed.slice(0, k + 1).sort() };
  const { rest, removed } = peelCliques(graph, k);
  const colouring = new Int32Array(graph.vertices).fill(-1);
  if (rest.length > 0) {
    const adjacency = expand(graph, rest, MOST_ARCS);
    if (adjacency === null) return greedyOrUndecided(graph, k);
    const answer = yield* solve(adjacency, k, budget);
    if (answer.status === "infeasible") return { status: "infeasible", core: answer.core.map((v) => rest[v]!) };
    if (answer.status === "undecided") return answer;
    answer.colours.forEach((c, i) => {
      colouring[rest[i]!] = c;
    });
  }
  fillGreedily(graph, removed.reverse(), k, colouring);
  return { status: "feasible", colouring };
}

function greedyOrUndecided(graph: Graph, k: number): Decision {
  const colouring = greedyWithoutListing(graph, k);
  return colouring.includes(-1) ? { status: "undecided" } : { status: "feasible", colouring };
}

function greedyWithoutListing(graph: Graph, k: number): Int32Array {
  const bounds = Int32Array.from({ length: graph.vertices }, (_, v) => degreeBound(graph, v));
  const order = bounds.map((_, v) => v).sort((u, v) => bounds[v]! - bounds[u]! || u - v);
  const colouring = new Int32Array(graph.vertices).fill(-1);
  fillGreedily(graph, order, k, colouring);
  return colouring;
}

/**
 * Search limits for testing whether a core without one vertex still needs more than k colours. Backtracking is slow on these graphs, but
 * a short search usually finds a colouring if there is one.
 */
const OF_A_CORE = { saturatedNodes: 50, tabuSteps: 20, walkRounds: 1 };

function* smallerCore(graph: Graph, k: number, core: Int32Array, budget: Budget): Interruptible<Core> {
  const listed = expand(graph, core, MOST_ARCS);
  if (listed === null) return { vertices: core, critical: false };
  if (core.length === k + 1 && listed.items.length === core.length * k) return { vertices: core, critical: true };
  let left = core.map((_, i) => i);
  const needed = new Uint8Array(core.length);
  for (let v = core.length - 1; v >= 0 && budget.left > 0; v--) {
    if (needed[v] === 1 || !left.includes(v)) continue;
    const without = left.filter((u) => u !== v);
    chargeLooks(budget, listed.items.length);
    if (pauseDue(budget)) yield;
    const answer = yield* solve(induced(listed, without), k, budget, OF_A_CORE);
    if (answer.status === "infeasible") left = answer.core.map((u) => without[u]!).sort();
    else if (answer.status === "feasible") {
      const colours = new Int32Array(core.length).fill(-1);
      answer.colours.forEach((c, i) => {
        colours[without[i]!] = c;
      });
      markNeeded(listed, k, v, colours, needed);
    }
  }
  return { vertices: left.map((i) => core[i]!).sort(), critical: left.every((v) => needed[v] === 1) };
}

/**
 * Marks vertices that the core needs. A vertex is needed if k colours are enough without it.
 *
 * `colours` gives every vertex except v a colour, so v is needed. If only one neighbour of v has colour c, then v can take c and the
 * neighbour becomes uncoloured. So this neighbour is needed too, and the same step starts again from the neighbour. This is model rotation
 * from satisfiability (Belov and Marques-Silva 2011).
 */
function markNeeded({ start, items }: Adjacency, k: number, v: number, colours: Int32Array, needed: Uint8Array): void {
  needed[v] = 1;
  const open = [{ v, colours }];
  for (let next = open.pop(); next; next = open.pop()) {
    const holder = new Int32Array(k).fill(-1);
    for (let p = start[next.v]!; p < start[next.v + 1]!; p++) {
      const colour = next.colours[items[p]!]!;
      if (colour >= 0) holder[colour] = holder[colour] === -1 ? items[p]! : SEVERAL;
    }
    holder.forEach((w, colour) => {
      if (w < 0 || needed[w] === 1) return;
      needed[w] = 1;
      const rotated = next.colours.slice();
      rotated[next.v] = colour;
      rotated[w] = -1;
      open.push({ v: w, colours: rotated });
    });
  }
}

const SEVERAL = -2;

/**
 * Bounds the chromatic number of the graph from below and above. The bounds are equal unless the effort is spent. Connected components
 * share the effort.
 */
export function chromaticNumber(graph: Graph, options: EffortOptions = {}): ChromaticNumber {
  return drain(searchChromaticNumber(graph, budgetOf(options)));
}

export function* searchChromaticNumber(graph: Graph, budget: Budget): Interruptible<ChromaticNumber> {
  const clique = largestListedClique(graph);
  const everything = Int32Array.from({ length: graph.vertices }, (_, v) => v);
  const greedy = greedyWithoutListing(graph, graph.vertices);
  const upper = most(greedy) + 1;
  const lower = Math.max(clique.length, Math.min(1, graph.vertices));
  if (lower === upper) return { lower, upper, colouring: greedy };
  const listed = expand(graph, everything, MOST_ARCS);
  if (listed === null) return { lower, upper, colouring: greedy };
  const found: ChromaticNumber = { lower, upper, colouring: greedy };
  return better(found, yield* ofComponents(listed, lower, budget));
}

function most(values: Int32Array): number {
  return values.reduce((a, b) => Math.max(a, b), -1);
}

function better(a: ChromaticNumber, b: ChromaticNumber): ChromaticNumber {
  const best = b.upper < a.upper ? b : a;
  return { lower: Math.max(a.lower, b.lower), upper: best.upper, colouring: best.colouring };
}

function* ofComponents(graph: Adjacency, least: number, budget: Budget): Interruptible<ChromaticNumber> {
  const colouring = new Int32Array(graph.n);
  let lower = least;
  let upper = 0;
  for (const part of connectedComponents(graph)) {
    if (pauseDue(budget)) yield;
    chargeLooks(budget, part.length);
    const found = yield* ofConnected(induced(graph, part), lower, budget);
    lower = Math.max(lower, found.lower);
    upper = Math.max(upper, found.upper);
    found.colouring.forEach((c, i) => {
      colouring[part[i]!] = c;
    });
  }
  return { lower: Math.min(lower, upper), upper, colouring };
}

/**
 * Bounds the chromatic number of a connected graph. First raises the lower bound until the search cannot decide, then lowers the upper
 * bound. Stops at `enough` colours: another part of the whole graph already needs this many colours.
 */
function* ofConnected(graph: Adjacency, enough: number, budget: Budget): Interruptible<ChromaticNumber> {
  const greedy = greedyColouring(graph);
  let { used: upper, colours: colouring } = greedy;
  const forClique = share(budget, budget.left / 4);
  let lower = Math.min(upper, (yield* findClique(graph, forClique)).clique.length);
  giveBack(budget, forClique);
  let down = false;
  while (lower < upper && upper > enough) {
    const k = down ? upper - 1 : Math.max(lower, enough);
    const answer = yield* solve(graph, k, budget);
    if (answer.status === "feasible") {
      colouring = answer.colours;
      upper = most(colouring) + 1;
    } else if (answer.status === "infeasible") lower = k + 1;
    else if (down) break;
    else down = true;
  }
  return { lower, upper, colouring };
}
