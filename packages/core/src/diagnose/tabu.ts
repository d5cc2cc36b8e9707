/**
 * TabuCol (Hertz and de Werra 1987): from an assignment with k colours, again and again the change of one vertex's colour that
 * leaves the fewest edges with equal ends, not undone for a while. It proves nothing when it fails, but finds colourings of
 * large sparse graphs close to the limit, where backtracking is lost. The random stream is its own and fixed.
 */
import { randomFrom } from "../random/random.js";
import type { Adjacency } from "./adjacency.js";
import type { Budget } from "./budget.js";

/** Steps for one node of the budget: a step is a cheap thing. */
const STEPS_PER_NODE = 8;
/** Steps for each vertex without a new best, after which it is hopeless. */
const PATIENCE = 8;

interface State {
  readonly graph: Adjacency;
  readonly k: number;
  readonly colours: Int32Array;
  /** For each vertex and colour, how many neighbours have it. */
  readonly count: Int32Array;
  /** Vertices with a neighbour of equal colour, and the place of each in that list, -1 for the others. */
  readonly troubled: number[];
  readonly place: Int32Array;
  clashes: number;
}

/** Starts from `colours`, of which those above k - 1 are replaced; null when the steps are spent. */
export function searchTabu(graph: Adjacency, k: number, start: Int32Array, steps: number, budget: Budget): Int32Array | null {
  const random = randomFrom(0).split("tabu");
  const state = openState(
    graph,
    k,
    start.map((c) => (c < k ? c : random.int(k))),
  );
  const until = new Int32Array(graph.n * k);
  const patience = PATIENCE * (graph.n + 100);
  let fewest = state.clashes;
  let improved = 0;
  for (let step = 1; step <= steps && state.clashes > 0 && step <= improved + patience; step++) {
    if (step % STEPS_PER_NODE === 0 && budget.left-- <= 0) return null;
    let best = Infinity;
    let ties = 0;
    let move = -1;
    for (const v of state.troubled) {
      const now = state.count[v * k + state.colours[v]!]!;
      for (let c = 0; c < k; c++) {
        if (c === state.colours[v]) continue;
        const change = state.count[v * k + c]! - now;
        if (change > best || (until[v * k + c]! >= step && state.clashes + change >= fewest)) continue;
        ties = change < best ? 1 : ties + 1;
        best = change;
        if (ties === 1 || random.int(ties) === 0) move = v * k + c;
      }
    }
    if (move === -1) continue;
    const v = Math.floor(move / k);
    until[v * k + state.colours[v]!] = step + random.int(10) + Math.floor(0.6 * state.troubled.length);
    recolour(state, v, move - v * k);
    if (state.clashes < fewest) {
      fewest = state.clashes;
      improved = step;
    }
  }
  return state.clashes === 0 ? state.colours : null;
}

function openState(graph: Adjacency, k: number, colours: Int32Array): State {
  const { n, start, items } = graph;
  const state: State = {
    graph,
    k,
    colours,
    count: new Int32Array(n * k),
    troubled: [],
    place: new Int32Array(n).fill(-1),
    clashes: 0,
  };
  for (let v = 0; v < n; v++) {
    for (let p = start[v]!; p < start[v + 1]!; p++) state.count[v * k + colours[items[p]!]!]!++;
    state.clashes += state.count[v * k + colours[v]!]! / 2;
    note(state, v);
  }
  return state;
}

function recolour(state: State, v: number, colour: number): void {
  const { graph, k, colours, count } = state;
  const before = colours[v]!;
  state.clashes += count[v * k + colour]! - count[v * k + before]!;
  colours[v] = colour;
  note(state, v);
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    const other = graph.items[p]!;
    count[other * k + before]!--;
    count[other * k + colour]!++;
    if (colours[other] === before || colours[other] === colour) note(state, other);
  }
}

/** Keeps the list of troubled vertices true for v. */
function note({ k, colours, count, troubled, place }: State, v: number): void {
  const trouble = count[v * k + colours[v]!]! > 0;
  if (trouble === place[v]! >= 0) return;
  if (trouble) {
    place[v] = troubled.length;
    troubled.push(v);
    return;
  }
  const last = troubled.pop()!;
  if (last !== v) {
    troubled[place[v]!] = last;
    place[last] = place[v]!;
  }
  place[v] = -1;
}
