/**
 * Solves fractional colouring as a linear program by column generation (Mehrotra and Trick 1996): minimise the total weight of independent
 * sets that cover each vertex once. The program contains only some of the independent sets at a time. Adding a set helps if the prices
 * (dual values) of its vertices sum to more than 1.
 *
 * Each round searches for several helpful sets, first greedily, then by local search. If both find nothing, an exact search finds the best
 * set. If no set helps, the optimum is proven. Farley's bound (total price / price of the best set) can prove the optimum earlier. Prices
 * are rounded down to multiples of 2^-40. Sums of these multiples are exact, so rounding errors cannot invalidate the proof.
 */
import type { Random } from "../../random/random.js";
import { type Budget, chargeLooks, type Interruptible, pauseDue } from "../../steps/budget.js";
import type { Adjacency } from "../graphs/adjacency.js";
import { greedyColouring } from "../greedy/dsatur.js";

import { heaviestIndependentSet } from "./independent-set.js";
import type { LpModel, LpSolution, LpSolver } from "./lp-solver.js";

export interface WeightedSet {
  /** Independent vertices, ascending. */
  readonly vertices: Int32Array;
  readonly weight: number;
}

export interface Cover {
  /** Bounds of the smallest total weight. They differ by at most `GAP`, unless the budget was spent. */
  readonly lower: number;
  readonly upper: number;
  /** Sets of positive weight. Together they cover each vertex at least once, and their weights sum to `upper`. */
  readonly sets: readonly WeightedSet[];
  readonly prices: Float64Array;
  readonly rounds: number;
}

/** Prices are integer multiples of 1 / UNIT. Sums of 8,000 prices stay exact. */
const UNIT = 2 ** 40;

/**
 * The cheapest cover of all vertices by weighted independent sets; null if the budget is too small to find a cover. `enough`: a known
 * lower bound, at which the search stops.
 */
export function* coverByIndependentSets(
  graph: Adjacency,
  enough: number,
  solver: LpSolver,
  random: Random,
  budget: Budget,
): Interruptible<Cover | null> {
  const model = solver.createModel(new Float64Array(graph.n).fill(1));
  try {
    return yield* generate(graph, enough, model, random, budget);
  } finally {
    model.dispose();
  }
}

export const GAP = 1e-9;
/** The local search runs if the greedy search adds fewer sets than this to the linear program. */
const ENOUGH = 4;
/** A set is worth adding to the linear program if its price exceeds 1 by more than rounding errors. */
const HELPS = UNIT * (1 + 1e-6);
/** Exact pricing runs at STEADY · (prices of the best bound) + (1 - STEADY) · (current prices). */
const STEADY = 0.5;

function* generate(
  graph: Adjacency,
  enough: number,
  model: LpModel,
  random: Random,
  budget: Budget,
): Interruptible<Cover | null> {
  const columns: Columns = { model, sets: [], known: new Set(), entries: 0, order: byFewNeighbours(graph) };
  if (!(yield* addFirstSets(graph, columns, random, budget))) return null;
  const bound: Bound = { lower: enough, centre: null };
  const calm = new Float64Array(graph.n);
  let cover: Cover | null = null;
  const asKnown = (): Cover | null => cover && { ...cover, lower: Math.min(bound.lower, cover.upper) };
  for (let rounds = 1; ; rounds++) {
    const solution = yield* solveInSlices(columns, budget);
    if (solution === null) return asKnown();
    const { value, x, prices } = solution;
    const cut = prices.map((price) => Math.floor(Math.max(0, price) * UNIT));
    cover = {
      lower: enough,
      upper: value,
      sets: columns.sets.map((vertices, s) => ({ vertices, weight: x[s]! })).filter(({ weight }) => weight > GAP),
      prices: cut.map((price) => price / UNIT),
      rounds,
    };
    if (value - bound.lower <= GAP || !isWithinLimits(columns, budget)) return asKnown();
    chargeLooks(budget, ROUND_LOOKS * (graph.n + graph.items.length));
    if (pauseDue(budget)) yield;
    const mean = smoothed(calm, cut);
    const found = [
      ...greedySets(graph, cut, cut, random.split("round", rounds)),
      ...greedySets(graph, mean, cut, random.split("calm", rounds)),
    ];
    const added = add(columns, found);
    if (added >= ENOUGH) continue;
    const heavy = heavySets(graph, cut, HELPS, random.split("heavy", rounds)).map((set) => extended(graph, set, columns));
    if (add(columns, heavy) > 0) continue;
    // Current prices change strongly from round to round. Sets found at mixed prices stay useful longer.
    const between = bound.centre && cut.map((price, v) => Math.floor(STEADY * bound.centre![v]! + (1 - STEADY) * price));
    let more = between ? yield* priceExactly(graph, between, columns, bound, budget) : 0;
    if (value - bound.lower <= GAP) return asKnown();
    if (added + more === 0) more = yield* priceExactly(graph, cut, columns, bound, budget);
    if (added + more === 0) return asKnown();
  }
}

/** Cost of a round, in looks (steps along a neighbour list), for each vertex and each neighbour. */
const ROUND_LOOKS = 100;

/**
 * Maximum number of entries in the matrix of the linear program. Above it, the LP solver could run out of memory, which would end the
 * process.
 */
const MOST_ENTRIES = 2_000_000;

function isWithinLimits({ entries }: Columns, budget: Budget): boolean {
  return budget.left > 0 && entries <= MOST_ENTRIES;
}

/** Number of matrix entries that the simplex method reads for one node of effort. */
const ENTRIES_PER_NODE = 10_000;
/** Work of the simplex method between two pauses, in nodes of effort. */
const NODES_PER_SLICE = 1_000;

/** The optimum of the current linear program; null if the budget is spent first. */
function* solveInSlices({ model, entries }: Columns, budget: Budget): Interruptible<LpSolution | null> {
  const nodesPerStep = (1 + entries) / ENTRIES_PER_NODE;
  const most = Math.ceil(NODES_PER_SLICE / nodesPerStep);
  while (budget.left > 0) {
    const solution = model.solveFor(most);
    budget.left -= nodesPerStep * (solution?.steps ?? most);
    if (pauseDue(budget)) yield;
    if (solution) return solution;
  }
  return null;
}

/**
 * The best lower bound of the total weight of a cover. `centre`: the prices that prove the bound. At these prices no independent set costs
 * more than 1.
 */
interface Bound {
  lower: number;
  centre: Float64Array | null;
}

/**
 * Finds the heaviest independent set at these prices and adds it to the linear program; its weight gives a lower bound. Returns the
 * number of sets added.
 */
function* priceExactly(
  graph: Adjacency,
  prices: Float64Array,
  columns: Columns,
  bound: Bound,
  budget: Budget,
): Interruptible<number> {
  const heaviest = yield* heaviestIndependentSet(graph, prices, UNIT, budget);
  if (!heaviest.exact) return 0;
  const most = Math.max(UNIT, heaviest.weight);
  const lower = prices.reduce((sum, price) => sum + price, 0) / most;
  if (lower > bound.lower || bound.centre === null) bound.centre = prices.map((price) => price * (UNIT / most));
  bound.lower = Math.max(bound.lower, lower);
  return heaviest.vertices === null ? 0 : add(columns, [extended(graph, heaviest.vertices, columns)]);
}

interface Columns {
  readonly model: LpModel;
  readonly sets: Int32Array[];
  readonly known: Set<string>;
  entries: number;
  /** Vertices by increasing degree. Sets that are filled in this order become large. */
  readonly order: Int32Array;
}

function add(columns: Columns, found: readonly Int32Array[]): number {
  const { model, sets, known } = columns;
  const fresh = found.filter((vertices) => {
    const key = vertices.join();
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
  if (fresh.length > 0) model.addColumns(fresh.map((rows) => ({ cost: 1, rows })));
  for (const vertices of fresh) {
    sets.push(vertices);
    columns.entries += vertices.length;
  }
  return fresh.length;
}

/** Greedy sets tried per round. */
const TRIES = 12;
/** Greedy sets tried at the start, per vertex. */
const FIRST = 1;

/**
 * Fills the linear program with maximal independent sets: colour classes, a set for each vertex, and greedy sets. Returns false if the
 * budget is too small for the linear program.
 */
function* addFirstSets(graph: Adjacency, columns: Columns, random: Random, budget: Budget): Interruptible<boolean> {
  const { n, items } = graph;
  const { colours, used } = greedyColouring(graph);
  const classes = Array.from({ length: used }, () => [] as number[]);
  colours.forEach((colour, v) => {
    classes[colour]!.push(v);
  });
  for (let v = 0; v < n; v++) classes.push([v]);
  for (const vertices of classes) {
    add(columns, [extended(graph, vertices, columns)]);
    chargeLooks(budget, 2 * n);
    if (pauseDue(budget)) yield;
    // The simplex method takes at least one step per vertex.
    if (!isWithinLimits(columns, budget) || (n * columns.entries) / ENTRIES_PER_NODE > budget.left) return false;
  }
  const alike = new Float64Array(n).fill(UNIT);
  for (let i = 0; i < (FIRST * n) / TRIES && isWithinLimits(columns, budget); i++) {
    add(columns, greedySets(graph, alike, alike, random.split("first", i)));
    chargeLooks(budget, TRIES * (n + items.length));
    if (pauseDue(budget)) yield;
  }
  return true;
}

function byFewNeighbours({ n, start }: Adjacency): Int32Array {
  const degree = (v: number): number => start[v + 1]! - start[v]!;
  return Int32Array.from({ length: n }, (_, v) => v).sort((u, v) => degree(u) - degree(v) || u - v);
}

/** Extends the set greedily to a maximal independent set, vertices of low degree first. */
function extended(graph: Adjacency, vertices: Iterable<number>, { order }: Columns): Int32Array {
  return fillInOrder(graph, vertices, order);
}

/** Extends the set with every vertex of `order` that is not adjacent to it. */
export function fillInOrder({ n, start, items }: Adjacency, vertices: Iterable<number>, order: ArrayLike<number>): Int32Array {
  const barred = new Uint8Array(n);
  const set: number[] = [];
  const take = (v: number): void => {
    set.push(v);
    barred[v] = 1;
    for (let p = start[v]!; p < start[v + 1]!; p++) barred[items[p]!] = 1;
  };
  for (const v of vertices) take(v);
  for (let i = 0; i < order.length; i++) if (barred[order[i]!] === 0) take(order[i]!);
  return Int32Array.from(set).sort();
}

/** Weight of the earlier prices when prices are smoothed. */
const CALM = 0.7;

/** Smooths the prices exponentially, because they change strongly from round to round. Updates and returns `calm`. */
function smoothed(calm: Float64Array, prices: Float64Array): Float64Array {
  for (let v = 0; v < prices.length; v++) calm[v] = CALM * calm[v]! + (1 - CALM) * prices[v]!;
  return calm;
}

export const MOST_VERTICES = 8_000;
/** Shares of prices are rounded to multiples of 1 / SHARES. A share and a vertex number then fit into an integer below 2^53. */
const SHARES = 2 ** 32;

/**
 * Builds maximal independent sets greedily and returns the sets with a total price above 1. Vertices are taken in the order of price / (own
 * price + neighbours' prices), with random noise.
 */
function greedySets(graph: Adjacency, guide: Float64Array, prices: Float64Array, random: Random): Int32Array[] {
  const { n, start, items } = graph;
  const found: Int32Array[] = [];
  const shaken = new Float64Array(n);
  const keys = new Float64Array(n);
  const order = new Int32Array(n);
  for (let t = 0; t < TRIES; t++) {
    for (let v = 0; v < n; v++) shaken[v] = guide[v]! * (t === 0 ? 1 : 0.4 + 1.2 * random.unit()) + 1;
    for (let v = 0; v < n; v++) {
      let around = shaken[v]!;
      for (let p = start[v]!; p < start[v + 1]!; p++) around += shaken[items[p]!]!;
      // A single number for share and vertex sorts several times faster than a comparison function.
      keys[v] = Math.floor((1 - shaken[v]! / around) * SHARES) * MOST_VERTICES + v;
    }
    keys.sort();
    for (let i = 0; i < n; i++) order[i] = keys[i]! % MOST_VERTICES;
    const set = fillInOrder(graph, [], order);
    let total = 0;
    for (const v of set) total += prices[v]!;
    if (total > HELPS) found.push(set);
  }
  return found;
}

/*
 * Tabu search for independent sets above a given weight. Each step adds the vertex with the largest gain and removes its neighbours.
 * Removed vertices stay out for some steps. Every maximal set on the way is a result. The search proves nothing. But it finds several sets
 * at once where greedy search finds no set, and so it avoids most exact searches.
 */

interface Walk {
  readonly graph: Adjacency;
  readonly weights: Float64Array;
  readonly inside: Uint8Array;
  /** For each vertex: total weight (`against`) and number (`barred`) of its neighbours in the set. */
  readonly against: Float64Array;
  readonly barred: Int32Array;
  total: number;
}

const STEPS = 300;
/** Maximum number of sets returned; the heaviest sets are kept. */
const MOST = 20;
/** A vertex that left the set stays out for STAY_OUT steps plus a random number below LONGER. */
const STAY_OUT = 2;
const LONGER = 10;

/**
 * Distinct independent sets, vertices ascending. Each set weighs more than `moreThan`, and no vertex of positive weight can be added to
 * it.
 */
export function heavySets(graph: Adjacency, weights: Float64Array, moreThan: number, random: Random): Int32Array[] {
  const { n, start, items } = graph;
  const walk: Walk = {
    graph,
    weights,
    inside: new Uint8Array(n),
    against: new Float64Array(n),
    barred: new Int32Array(n),
    total: 0,
  };
  const until = new Int32Array(n);
  const found = new Map<string, { readonly set: Int32Array; readonly total: number }>();
  for (let step = 1; step <= STEPS; step++) {
    const v = bestMove(walk, until, step);
    if (v === -1) continue;
    for (let p = start[v]!; p < start[v + 1]!; p++) {
      const other = items[p]!;
      if (walk.inside[other] === 0) continue;
      change(walk, other, -1);
      until[other] = step + STAY_OUT + random.int(LONGER);
    }
    change(walk, v, 1);
    if (walk.total <= moreThan || isExtendable(walk)) continue;
    const set = membersOf(walk);
    found.set(set.join(), { set, total: walk.total });
  }
  const heaviest = [...found.values()].sort((a, b) => b.total - a.total);
  return heaviest.slice(0, MOST).map(({ set }) => set);
}

/** The vertex with the largest gain: its weight minus the weight of its neighbours in the set. -1 if no vertex may be added. */
function bestMove({ weights, inside, against }: Walk, until: Int32Array, step: number): number {
  let best = -1;
  let most = -Infinity;
  for (let v = 0; v < weights.length; v++) {
    if (inside[v] === 1 || until[v]! > step) continue;
    const gain = weights[v]! - against[v]!;
    if (gain <= most) continue;
    most = gain;
    best = v;
  }
  return best;
}

/** Adds v to the set (1) or removes it (-1). Weights are integers, so undoing a change restores the sums exactly. */
function change(walk: Walk, v: number, sign: 1 | -1): void {
  const { graph, weights, inside, against, barred } = walk;
  const weight = sign * weights[v]!;
  inside[v] = sign === 1 ? 1 : 0;
  walk.total += weight;
  for (let p = graph.start[v]!; p < graph.start[v + 1]!; p++) {
    against[graph.items[p]!]! += weight;
    barred[graph.items[p]!]! += sign;
  }
}

function isExtendable({ weights, inside, barred }: Walk): boolean {
  for (let v = 0; v < weights.length; v++) if (inside[v] === 0 && barred[v] === 0 && weights[v]! > 0) return true;
  return false;
}

function membersOf({ inside }: Walk): Int32Array {
  const set: number[] = [];
  for (let v = 0; v < inside.length; v++) if (inside[v] === 1) set.push(v);
  return Int32Array.from(set);
}
