/**
 * TabuCol (Hertz and de Werra 1987): from an assignment with k colours, again and again the change of one vertex's colour that
 * leaves the fewest edges with equal ends, not undone for a while. It proves nothing when it fails, but finds colourings of
 * large sparse graphs close to the limit, where backtracking is lost. The random stream is its own and fixed.
 */
import { randomFrom } from "../../random/random.js";
import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "../graphs/adjacency.js";
import { openClashes, recolour } from "./clashes.js";

/** Steps for one node of the budget: a step is a cheap thing. */
const STEPS_PER_NODE = 8;
/** Steps for each vertex without a new best, after which it is hopeless. */
const PATIENCE = 8;

/** Starts from `colours`, of which those above k - 1 are replaced; null when the steps are spent. */
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
