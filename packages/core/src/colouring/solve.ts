/**
 * Decides whether k colours are enough. Reduces the graph, splits it into blocks, and searches each block, first by fast and then by slower
 * methods.
 */

import { type Budget, giveBack, type Interruptible, share } from "../steps/budget.js";
import { type Adjacency, blocks, induced } from "./graphs/adjacency.js";
import { findClique } from "./graphs/clique.js";
import { putBack, reduce } from "./graphs/reduce.js";
import { greedyColouring, MOST_SATURATED, type SearchAnswer, searchSaturated } from "./greedy/dsatur.js";
import { searchTabu, searchWalk } from "./greedy/local-search.js";
import { searchLearning } from "./sat/search.js";

/** Limits of the searches in a block that run before the clause-learning search. */
export interface Means {
  /** Maximum number of nodes of plain backtracking. */
  readonly saturatedNodes: number;
  /** Maximum number of steps of tabu search, per vertex of the block. */
  readonly tabuSteps: number;
  /** Maximum number of rounds of the random walk; each round is longer than the previous round. */
  readonly walkRounds: number;
}

const EVERYTHING: Means = { saturatedNodes: 4_000, tabuSteps: 200, walkRounds: 4 };

/**
 * Decides whether k colours are enough for `graph`. If they are not, the result has a core: a set of vertices that needs more than k
 * colours. The core is not always minimal.
 */
export function* solve(
  graph: Adjacency,
  colours: number,
  budget: Budget,
  means: Means = EVERYTHING,
): Interruptible<SearchAnswer> {
  // More colours than vertices are never needed, and tables have one entry per colour.
  const k = Math.min(colours, graph.n);
  if (k === 0) return graph.n === 0 ? feasible(new Int32Array(0)) : { status: "infeasible", core: Int32Array.of(0) };
  const reduced = yield* reduce(graph, k, budget);
  const { rest } = reduced;
  const found = new Int32Array(graph.n).fill(-1);
  if (rest.length > 0) {
    const answer = yield* solveParts(induced(graph, rest), k, budget, means);
    if (answer.status === "infeasible") return { status: "infeasible", core: answer.core.map((v) => rest[v]!) };
    if (answer.status === "undecided") return answer;
    answer.colours.forEach((colour, i) => {
      found[rest[i]!] = colour;
    });
  }
  putBack(graph, reduced, k, found);
  return feasible(found);
}

function feasible(colours: Int32Array): SearchAnswer {
  return { status: "feasible", colours };
}

function* solveParts(graph: Adjacency, k: number, budget: Budget, means: Means): Interruptible<SearchAnswer> {
  const parts = blocks(graph);
  if (parts.length === 1) return yield* searchBlock(graph, k, budget, means);
  const answers = new Map<Int32Array, Int32Array>();
  let undecided = false;
  // Small blocks first: if one of them needs more than k colours, the other blocks need no search.
  for (const part of parts.toSorted((a, b) => a.length - b.length)) {
    const answer = yield* solve(induced(graph, part), k, budget, means);
    if (answer.status === "infeasible") return { status: "infeasible", core: answer.core.map((v) => part[v]!) };
    if (answer.status === "undecided") undecided = true;
    else answers.set(part, answer.colours);
  }
  if (undecided) return { status: "undecided" };
  return feasible(joinBlocks(graph.n, parts, (part) => answers.get(part)!));
}

/**
 * Joins the colourings of blocks. A block shares at most one vertex with earlier blocks. If its colour differs in the two colourings, two
 * colours of the block are swapped.
 */
function joinBlocks(n: number, parts: readonly Int32Array[], coloursOf: (part: Int32Array) => Int32Array): Int32Array {
  const colours = new Int32Array(n).fill(-1);
  for (const part of parts) {
    const own = coloursOf(part);
    const at = part.findIndex((v) => colours[v] !== -1);
    const here = at === -1 ? 0 : own[at]!;
    const there = at === -1 ? 0 : colours[part[at]!]!;
    part.forEach((v, i) => {
      colours[v] = own[i] === here ? there : own[i] === there ? here : own[i]!;
    });
  }
  return colours;
}

const CLIQUE_NODES = 2_000;

function* searchBlock(graph: Adjacency, k: number, budget: Budget, means: Means): Interruptible<SearchAnswer> {
  const forClique = share(budget, CLIQUE_NODES);
  const { clique } = yield* findClique(graph, forClique, k + 1);
  giveBack(budget, forClique);
  if (clique.length > k) return { status: "infeasible", core: clique.slice(0, k + 1) };
  const greedy = greedyColouring(graph);
  if (greedy.used <= k) return feasible(greedy.colours);
  if (graph.n <= MOST_SATURATED) {
    const forSearch = share(budget, means.saturatedNodes);
    const answer = yield* searchSaturated(graph, k, clique, forSearch);
    giveBack(budget, forSearch);
    if (answer.status !== "undecided") return answer;
  }
  const colours = k > 2 ? yield* searchLocally(graph, k, greedy.colours, budget, means) : null;
  if (colours) return feasible(colours);
  return yield* searchLearning(graph, k, clique, budget);
}

const MOST_TABU = 500;

/**
 * Local searches for a colouring. Tabu search runs only on small graphs, because its steps visit many vertices. Then the random walk runs.
 */
function* searchLocally(
  graph: Adjacency,
  k: number,
  start: Int32Array,
  budget: Budget,
  means: Means,
): Interruptible<Int32Array | null> {
  const tabu = graph.n <= MOST_TABU ? yield* searchTabu(graph, k, start, means.tabuSteps * graph.n, budget) : null;
  return tabu ?? (yield* searchWalk(graph, k, means.walkRounds, budget));
}
