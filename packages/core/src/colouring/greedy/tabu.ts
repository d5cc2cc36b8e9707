/**
 * TabuCol (Hertz and de Werra 1987). Starts from an assignment of k colours. Each step changes the colour of one vertex so that the
 * fewest edges have ends of equal colour; the change cannot be undone for a while. A failure proves nothing, but the search finds
 * colourings of large sparse graphs close to the limit, where backtracking fails. The search has its own fixed random stream.
 */
import { randomFrom } from "../../random/random.js";
import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "../graphs/adjacency.js";
import { openClashes, recolour } from "./clashes.js";

/** Steps per node of the budget, because a step is cheap. */
const STEPS_PER_NODE = 8;
/** Steps per vertex without an improvement after which the search gives up. */
const PATIENCE = 8;

/** Starts from `start`; colours above k - 1 are replaced at random. Null if the steps are spent. */
export function* searchTabu(
  graph: Adjacency,
  k: number,
  start: Int32Array,
  steps: number,
  budget: Budget,
): Interruptible<Int32Array | null> {
  const random = randomFrom(0).split("tabu");
  const state = openClashes(
    graph,
    k,
    start.map((c) => (c < k ? c : random.int(k))),
  );
  const until = new Int32Array(graph.n * k);
  const patience = PATIENCE * (graph.n + 100);
  let fewest = state.edges;
  let improved = 0;
  for (let step = 1; step <= steps && state.edges > 0 && step <= improved + patience; step++) {
    if (step % STEPS_PER_NODE === 0) {
      if (budget.left-- <= 0) return null;
      chargeLooks(budget, STEPS_PER_NODE * state.troubles * k);
      if (pauseDue(budget)) yield;
    }
    let best = Infinity;
    let ties = 0;
    let move = -1;
    for (let i = 0; i < state.troubles; i++) {
      const v = state.troubled[i]!;
      const now = state.count[v * k + state.colours[v]!]!;
      for (let c = 0; c < k; c++) {
        if (c === state.colours[v]) continue;
        const change = state.count[v * k + c]! - now;
        if (change > best || (until[v * k + c]! >= step && state.edges + change >= fewest)) continue;
        ties = change < best ? 1 : ties + 1;
        best = change;
        if (ties === 1 || random.int(ties) === 0) move = v * k + c;
      }
    }
    if (move === -1) continue;
    const v = Math.floor(move / k);
    until[v * k + state.colours[v]!] = step + random.int(10) + Math.floor(0.6 * state.troubles);
    recolour(state, v, move - v * k);
    if (state.edges < fewest) {
      fewest = state.edges;
      improved = step;
    }
  }
  return state.edges === 0 ? state.colours : null;
}
