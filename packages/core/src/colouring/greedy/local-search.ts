/**
 * Local searches for a colouring with k colours: tabu search and a random walk. Both change one colour at a time and maintain the number of
 * clashes. A clash is an edge whose ends have the same colour. A failure proves nothing, but both searches colour large sparse graphs close
 * to the limit, where backtracking fails. Each has its own fixed random stream.
 */

import { mix32 } from "../../random/key.js";
import { randomFrom } from "../../random/random.js";
import type { Budget, Interruptible } from "../../steps/budget.js";
import { chargeLooks, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "../graphs/adjacency.js";

/*
 * TabuCol (Hertz and de Werra 1987): each step changes the colour of one vertex so that the fewest clashes are left. For some steps the
 * change cannot be undone.
 */

/** Number of steps that count as one node of the budget, because a step takes little time. */
const TABU_STEPS_PER_NODE = 8;
/** The search gives up after this many steps per vertex without an improvement. */
const PATIENCE = 8;

/**
 * Tabu search for a colouring with k colours. Starts from the colours in `start`; colours above k - 1 are replaced at random. Null if the
 * steps are spent.
 */
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
    if (step % TABU_STEPS_PER_NODE === 0) {
      if (budget.left-- <= 0) return null;
      chargeLooks(budget, TABU_STEPS_PER_NODE * state.troubles * k);
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

/*
 * A random walk towards a colouring with k colours (focused Metropolis search: Seitz, Alava and Orponen 2005; for colouring: Zdeborová and
 * Krzakala 2007). A vertex is troubled if a neighbour has its colour. Each step gives a random troubled vertex a random new colour. If the
 * number of clashes does not grow, the change is accepted. Otherwise the change is accepted with a probability. The probability is lower
 * for more added clashes and for a lower temperature.
 *
 * A step takes almost no time. The walk colours large sparse graphs with nearly as many edges as a colourable graph can have.
 */

interface Walk {
  readonly clashes: Clashes;
  /** A counter that visits every 32-bit integer. Mixing the bits of the counter gives the next random number. */
  random: number;
}

/** Probability that the walk accepts a step that adds one clash. HOT: at the start of a round. COLD: at the end. */
const HOT = 0.2;
const COLD = 0.08;
/** Steps per vertex in the first round. Each following round is LONGER times as long. */
const FIRST_ROUND = 100;
const LONGER = 4;
/**
 * Limit on the number of clashing vertices: after the first round, the walk continues only if at some time at most n / HOPEFUL of the n
 * vertices had a clash. The limit halves with each round.
 */
const HOPEFUL = 8;
/** This many steps of the random walk count as one node of the budget. */
const WALK_STEPS_PER_NODE = 300;
/** Steps between two temperature updates. */
const STRIDE = 512;
/** Random numbers are 32-bit integers. Some choices are therefore likelier by a factor of 1 + 2^-20, which does no harm here. */
const WORD = 2 ** 32;

/** Random walk towards a colouring with k ≥ 2 colours; null if none was found within `rounds` rounds. */
export function* searchWalk(graph: Adjacency, k: number, rounds: number, budget: Budget): Interruptible<Int32Array | null> {
  const random = randomFrom(0).split("walk");
  const colours = Int32Array.from({ length: graph.n }, () => random.int(k));
  const clashes = openClashes(graph, k, colours);
  const walk: Walk = { clashes, random: random.int(WORD) };
  let steps = FIRST_ROUND * graph.n;
  for (let round = 0; round < rounds; round++) {
    let fewest = graph.n;
    for (let step = 0; step < steps; step += STRIDE) {
      budget.left -= STRIDE / WALK_STEPS_PER_NODE;
      if (budget.left <= 0) return null;
      if (pauseDue(budget)) yield;
      chargeLooks(budget, stride(walk, HOT + ((COLD - HOT) * step) / steps));
      if (clashes.troubles === 0) return colours;
      fewest = Math.min(fewest, clashes.troubles);
    }
    if (fewest * HOPEFUL * 2 ** round > graph.n) return null;
    steps *= LONGER;
  }
  return null;
}

/** A step that would add more clashes than this is always refused. */
const MOST_MORE = 16;

/** Runs up to STRIDE steps of the random walk. Returns the number of neighbours visited. */
function stride(walk: Walk, chance: number): number {
  const { clashes } = walk;
  const { start } = clashes.graph;
  let looks = 0;
  const { k, colours, count, troubled } = clashes;
  const accepted = new Float64Array(MOST_MORE + 1).fill(WORD);
  for (let more = 1; more <= MOST_MORE; more++) accepted[more] = accepted[more - 1]! * chance;
  for (let step = 0; step < STRIDE && clashes.troubles > 0; step++) {
    const move = Math.floor((draw(walk) / WORD) * clashes.troubles * (k - 1));
    const at = Math.floor(move / (k - 1));
    const v = troubled[at]!;
    const before = colours[v]!;
    const other = move - at * (k - 1);
    const colour = other < before ? other : other + 1;
    const more = count[v * k + colour]! - count[v * k + before]!;
    if (more > 0 && (more > MOST_MORE || draw(walk) >= accepted[more]!)) continue;
    recolour(clashes, v, colour);
    looks += start[v + 1]! - start[v]!;
  }
  return looks;
}

function draw(walk: Walk): number {
  walk.random = (walk.random + 0x9e3779b9) | 0;
  return mix32(walk.random) >>> 0;
}

/*
 * State of a local search over assignments of k colours. It maintains the list of troubled vertices: they have a neighbour of the same
 * colour.
 */

interface Clashes {
  readonly graph: Adjacency;
  readonly k: number;
  readonly colours: Int32Array;
  /** For each vertex and colour, the number of neighbours with this colour; n x k, row-major. */
  readonly count: Int32Array;
  /**
   * `troubled`: the first `troubles` entries are the vertices with a neighbour of the same colour. `place`: the index of each vertex in
   * `troubled`, or -1.
   */
  readonly troubled: Int32Array;
  readonly place: Int32Array;
  troubles: number;
  edges: number;
}

/** The search state for these colours. Steps of the search change the array `colours` in place. */
function openClashes(graph: Adjacency, k: number, colours: Int32Array): Clashes {
  const { n, start, items } = graph;
  const count = new Int32Array(n * k);
  const clashes = {
    graph,
    k,
    colours,
    count,
    troubled: new Int32Array(n),
    place: new Int32Array(n).fill(-1),
    troubles: 0,
    edges: 0,
  };
  for (let v = 0; v < n; v++) {
    for (let p = start[v]!; p < start[v + 1]!; p++) count[v * k + colours[items[p]!]!]!++;
    clashes.edges += count[v * k + colours[v]!]! / 2;
    note(clashes, v);
  }
  return clashes;
}

function recolour(clashes: Clashes, v: number, colour: number): void {
  const { graph, k, colours, count } = clashes;
  const before = colours[v]!;
  clashes.edges += count[v * k + colour]! - count[v * k + before]!;
  colours[v] = colour;
  note(clashes, v);
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    const other = graph.items[p]!;
    count[other * k + before]!--;
    count[other * k + colour]!++;
    if (colours[other] === before || colours[other] === colour) note(clashes, other);
  }
}

function note(clashes: Clashes, v: number): void {
  const { k, colours, count, troubled, place } = clashes;
  const trouble = count[v * k + colours[v]!]! > 0;
  if (trouble === place[v]! >= 0) return;
  if (trouble) {
    place[v] = clashes.troubles;
    troubled[clashes.troubles++] = v;
    return;
  }
  const last = troubled[--clashes.troubles]!;
  if (last !== v) {
    troubled[place[v]!] = last;
    place[last] = place[v]!;
  }
  place[v] = -1;
}
