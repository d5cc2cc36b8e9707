/**
 * Fractional colouring as a linear program, by column generation (Mehrotra and Trick 1996): weights of independent sets that
 * cover each vertex once, of least total. The program holds few of the sets at a time. A set that would help is one whose
 * vertices have prices of more than 1 together: several are found greedily each round, then by local search, and only when
 * both fail is the best one sought exactly. If there is none the optimum is proven; before that, Farley's bound (total price over the best set's price)
 * may already meet the value. Prices are cut down to whole numbers of 2^-40, so that the proof is not a matter of rounding.
 */
import type { Random } from "../random/random.js";
import type { Adjacency } from "./adjacency.js";
import type { Budget } from "./budget.js";
import { greedyColouring } from "./dsatur.js";
import { heavySets } from "./heavy-sets.js";
import { heaviestIndependentSet } from "./independent-set.js";
import type { LpModel, LpSolver } from "./lp-solver.js";

export interface WeightedSet {
  /** Independent vertices, ascending. */
  readonly vertices: Int32Array;
  readonly weight: number;
}

export interface Cover {
  /** Bounds of the least total; equal up to `GAP` unless the budget was spent. */
  readonly lower: number;
  readonly upper: number;
  /** Sets of positive weight, `upper` together, that cover each vertex at least once. */
  readonly sets: readonly WeightedSet[];
  readonly prices: Float64Array;
  readonly rounds: number;
}

export const GAP = 1e-9;
/** Prices are whole multiples of 1 / UNIT; sums of 8,000 of them stay exact. */
const UNIT = 2 ** 40;
export const MOST_VERTICES = 8_000;
/** Greedy sets tried in a round. */
const TRIES = 12;
/** Greedy sets that make a round; with fewer, better ones are sought. */
const ENOUGH = 4;
/** Greedy sets tried at the start for each vertex. */
const FIRST = 1;
/** A set helps if its price is above 1 by more than rounding. */
const HELPS = UNIT * (1 + 1e-6);
/** Shares of prices are told apart by this much; with the number of a vertex they are whole numbers below 2^53. */
const SHARES = 2 ** 32;
/** Share of the best bound's prices in those at which it is sought. */
const STEADY = 0.5;
/** Share of the past in the calm prices. */
const CALM = 0.7;

/** `enough` is a lower bound that is known, such as the size of a clique. */
export function coverByIndependentSets(
  graph: Adjacency,
  enough: number,
  solver: LpSolver,
  random: Random,
  budget: Budget,
): Cover {
  const model = solver.createModel(new Float64Array(graph.n).fill(1));
  try {
    return generate(graph, enough, model, random, budget);
  } finally {
    model.dispose();
  }
}

function generate(graph: Adjacency, enough: number, model: LpModel, random: Random, budget: Budget): Cover {
  const columns: Columns = { model, sets: [], known: new Set() };
  add(columns, firstSets(graph, random));
  const bound: Bound = { lower: enough, centre: null };
  const calm = new Float64Array(graph.n);
  for (let rounds = 1; ; rounds++) {
    const { value, x, prices } = model.solve();
    const cut = prices.map((price) => Math.floor(Math.max(0, price) * UNIT));
    const done = (): Cover => ({
      lower: Math.min(bound.lower, value),
      upper: value,
      sets: columns.sets.map((vertices, s) => ({ vertices, weight: x[s]! })).filter(({ weight }) => weight > GAP),
      prices: cut.map((price) => price / UNIT),
      rounds,
    });
    if (value - bound.lower <= GAP) return done();
    const mean = smoothed(calm, cut);
    const found = [
      ...greedySets(graph, cut, cut, random.split("round", rounds)),
      ...greedySets(graph, mean, cut, random.split("calm", rounds)),
    ];
    const added = add(columns, found);
    if (added >= ENOUGH) continue;
    const heavy = heavySets(graph, cut, HELPS, random.split("heavy", rounds)).map((set) => extended(graph, set));
    if (add(columns, heavy) > 0) continue;
    // Between the prices of the best bound and the present ones: sets found there are good for long.
    const between = bound.centre && cut.map((price, v) => Math.floor(STEADY * bound.centre![v]! + (1 - STEADY) * price));
    let more = between ? priceExactly(graph, between, columns, bound, budget) : 0;
    if (value - bound.lower <= GAP) return done();
    if (added + more === 0) more = priceExactly(graph, cut, columns, bound, budget);
    if (added + more === 0) return done();
  }
}

/** What is known from below, and prices that show it: no independent set has more than 1 of them. */
interface Bound {
  lower: number;
  centre: Float64Array | null;
}

/** The heaviest set at these prices: it bounds the optimum, and joins the program if it is new. */
function priceExactly(graph: Adjacency, prices: Float64Array, columns: Columns, bound: Bound, budget: Budget): number {
  const heaviest = heaviestIndependentSet(graph, prices, UNIT, budget);
  if (!heaviest.exact) return 0;
  const most = Math.max(UNIT, heaviest.weight);
  const lower = prices.reduce((sum, price) => sum + price, 0) / most;
  if (lower > bound.lower || bound.centre === null) bound.centre = prices.map((price) => price * (UNIT / most));
  bound.lower = Math.max(bound.lower, lower);
  return heaviest.vertices === null ? 0 : add(columns, [extended(graph, heaviest.vertices)]);
}

interface Columns {
  readonly model: LpModel;
  readonly sets: Int32Array[];
  readonly known: Set<string>;
}

/** Adds the sets that are new; their number. */
function add({ model, sets, known }: Columns, found: readonly Int32Array[]): number {
  const fresh = found.filter((vertices) => {
    const key = vertices.join();
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
  if (fresh.length > 0) model.addColumns(fresh.map((rows) => ({ cost: 1, rows })));
  for (const vertices of fresh) sets.push(vertices);
  return fresh.length;
}

/** The classes of a greedy colouring, for each vertex a set that holds it, and greedy sets at like prices; all as large as can be. */
function firstSets(graph: Adjacency, random: Random): Int32Array[] {
  const { colours, used } = greedyColouring(graph);
  const classes = Array.from({ length: used }, () => [] as number[]);
  colours.forEach((colour, v) => {
    classes[colour]!.push(v);
  });
  for (let v = 0; v < graph.n; v++) classes.push([v]);
  const sets = classes.map((vertices) => extended(graph, vertices));
  const alike = new Float64Array(graph.n).fill(UNIT);
  for (let i = 0; i < (FIRST * graph.n) / TRIES; i++) sets.push(...greedySets(graph, alike, alike, random.split("first", i)));
  return sets;
}

/** The set with every vertex that still fits, vertices of few neighbours first. */
function extended(graph: Adjacency, vertices: Iterable<number>): Int32Array {
  const score = Float64Array.from({ length: graph.n }, (_, v) => graph.start[v]! - graph.start[v + 1]!);
  return fill(graph, vertices, score);
}

/** The set with every vertex that still fits, those of the largest score first, then the lower ones. */
export function fill(graph: Adjacency, vertices: Iterable<number>, score: Float64Array): Int32Array {
  const order = Int32Array.from({ length: graph.n }, (_, v) => v).sort((u, v) => score[v]! - score[u]! || u - v);
  return fillInOrder(graph, vertices, order);
}

/** The set with every vertex of `order` that still fits. */
function fillInOrder({ n, start, items }: Adjacency, vertices: Iterable<number>, order: ArrayLike<number>): Int32Array {
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

/** Moves the calm prices towards the present ones, which jump from round to round, and returns them. */
function smoothed(calm: Float64Array, prices: Float64Array): Float64Array {
  for (let v = 0; v < prices.length; v++) calm[v] = CALM * calm[v]! + (1 - CALM) * prices[v]!;
  return calm;
}

/** Sets of more than 1, taken by a guiding price against that of the neighbours, which is shaken a little each time. */
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
      // One number for share and vertex sorts several times as fast as a comparison of both.
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
