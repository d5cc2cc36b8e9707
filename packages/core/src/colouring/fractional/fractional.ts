/**
 * Computes the fractional chromatic number (Davidson 2012, section 4, equation 6): how many clusters the constraints need if a point can be
 * split over several clusters. It is at most the chromatic number and at least the size of any clique. Each vertex also gets a price; the
 * prices form a fractional clique, which shows where the difficulty is.
 *
 * Each connected component is solved in these steps:
 *
 * - If a clique is as large as the number of colours in a colouring, this number is the answer.
 * - Vertices that cannot change the result are removed: vertices with fewer neighbours than the clique has members, and dominated vertices.
 *   A vertex is dominated if a non-adjacent vertex is adjacent to all its neighbours.
 * - If an odd cycle remains, a formula gives the answer. Any other remaining graph goes to the linear program.
 */
import { upTo } from "../../linalg/indices.js";
import { randomFrom } from "../../random/random.js";
import type { Budget, EffortOptions, Interruptible } from "../../steps/budget.js";
import { budgetOf, chargeLooks, giveBack, looksLeft, pauseDue, share } from "../../steps/budget.js";
import { drain } from "../../steps/steps.js";
import { searchChromaticNumber } from "../colouring.js";
import { type Adjacency, connectedComponents, induced } from "../graphs/adjacency.js";
import { findClique } from "../graphs/clique.js";
import { expand, type Graph } from "../graphs/graph.js";
import { greedyColouring } from "../greedy/dsatur.js";
import { solve } from "../solve.js";
import { coverByIndependentSets, fillInOrder, GAP, MOST_VERTICES, type WeightedSet } from "./columns.js";
import { heaviestIndependentSet } from "./independent-set.js";
import type { LpSolver } from "./lp-solver.js";

export interface FractionalOptions extends EffortOptions {
  readonly solver: LpSolver;
  /** Seed of the random numbers in the greedy search for independent sets. The computed number does not depend on it. */
  readonly seed?: number;
}

export interface FractionalColouring {
  /** Bounds of the fractional chromatic number; equal unless the effort was spent. */
  readonly lower: number;
  readonly upper: number;
  /** The number as a fraction, for example "5/2". Null unless an exact check in integers proves it. */
  readonly fraction: string | null;
  /** One entry per connected component, in the order of their first vertices. Empty if the graph is too dense to list. */
  readonly parts: readonly FractionalPart[];
  /** `rounds`: number of linear programs solved. `nodes`: nodes of effort spent. */
  readonly rounds: number;
  readonly nodes: number;
}

export interface FractionalPart {
  readonly vertices: Int32Array;
  readonly lower: number;
  readonly upper: number;
  readonly fraction: Fraction | null;
  /** Maximal independent sets that cover each vertex of the part; their weights sum to `upper`. */
  readonly sets: readonly WeightedSet[];
  /** Weight of each vertex of the part in a fractional clique; the weights sum to `lower`. */
  readonly prices: Float64Array;
}

/** Node limit of the clique search, and of the test whether `clique.length` colours are enough. */
const COLOURING_NODES = 20_000;
const MOST_ARCS = 1_000_000;

export function fractionalColouring(graph: Graph, options: FractionalOptions): FractionalColouring {
  return drain(searchFractional(graph, options, budgetOf(options)));
}

export function* searchFractional(graph: Graph, options: FractionalOptions, budget: Budget): Interruptible<FractionalColouring> {
  const effort = budget.left;
  const state: State = { options, budget, rounds: 0 };
  const listed = expand(graph, upTo(graph.vertices), MOST_ARCS);
  if (listed === null) {
    const { lower, upper } = yield* searchChromaticNumber(graph, budget);
    return { lower, upper, fraction: lower === upper ? String(upper) : null, parts: [], rounds: 0, nodes: 0 };
  }
  const parts: FractionalPart[] = [];
  for (const vertices of connectedComponents(listed)) {
    chargeLooks(budget, vertices.length);
    if (pauseDue(budget)) yield;
    parts.push(yield* ofConnected(induced(listed, vertices), vertices, state));
  }
  const hardest = parts.reduce<FractionalPart | null>((best, part) => (best && best.lower >= part.lower ? best : part), null);
  const upper = parts.reduce((most, part) => Math.max(most, part.upper), 0);
  const lower = hardest?.lower ?? 0;
  // The part that needs the most colours decides: its fraction is the answer for the whole graph.
  const fraction = hardest === null ? "0" : upper === lower && hardest.fraction ? fractionText(hardest.fraction) : null;
  return { lower, upper, fraction, parts, rounds: state.rounds, nodes: effort - budget.left };
}

interface State {
  readonly options: FractionalOptions;
  readonly budget: Budget;
  rounds: number;
}

type Solved = Omit<FractionalPart, "vertices">;

function* ofConnected(graph: Adjacency, vertices: Int32Array, state: State): Interruptible<FractionalPart> {
  const solved = yield* solveConnected(graph, state);
  return { ...solved, vertices, sets: largest(graph, solved.sets).map((set) => inVertices(set, vertices)) };
}

function inVertices({ vertices, weight }: WeightedSet, names: Int32Array): WeightedSet {
  return { vertices: vertices.map((v) => names[v]!), weight };
}

function largest(graph: Adjacency, sets: readonly WeightedSet[]): WeightedSet[] {
  const order = upTo(graph.n);
  const byKey = new Map<string, WeightedSet>();
  for (const { vertices, weight } of sets) {
    const whole = fillInOrder(graph, vertices, order);
    const key = whole.join();
    byKey.set(key, { vertices: whole, weight: weight + (byKey.get(key)?.weight ?? 0) });
  }
  return [...byKey.values()];
}

function* solveConnected(graph: Adjacency, state: State): Interruptible<Solved> {
  const { clique } = yield* withShare(state.budget, (nodes) => findClique(graph, nodes));
  const greedy = greedyColouring(graph);
  if (greedy.used === clique.length) return integral(graph.n, clique, greedy.colours);
  const aside = yield* setAside(graph, clique.length, state.budget);
  const { rest } = aside;
  const core = induced(graph, rest);
  const answer = yield* withShare(state.budget, (nodes) => solve(core, clique.length, nodes));
  const layers: Layer[] = [];
  if (answer.status === "feasible") {
    for (let c = 0; c < clique.length; c++) layers.push({ vertices: new Set(), weight: 1 });
    answer.colours.forEach((colour, i) => {
      layers[colour]!.vertices.add(rest[i]!);
    });
    return rebuilt(graph, aside, layers, wholeOf(graph.n, clique));
  }
  const parts: { readonly names: Int32Array; readonly solved: Solved }[] = [];
  for (const vertices of connectedComponents(core)) {
    const names = vertices.map((i) => rest[i]!);
    parts.push({ names, solved: yield* solveCore(induced(core, vertices), clique.length, state) });
  }
  const upper = parts.reduce((most, { solved }) => Math.max(most, solved.upper), clique.length);
  const bound = parts.reduce(
    (best, { names, solved }) => (solved.lower > best.lower + GAP ? boundFrom(graph.n, names, solved) : best),
    wholeOf(graph.n, clique),
  );
  let strip: Layer[] = [{ vertices: new Set(), weight: upper }];
  for (const { names, solved } of parts) {
    const own = solved.sets.map(({ vertices, weight }) => ({ vertices: new Set(vertices.map((v) => names[v]!)), weight }));
    strip = overlay(strip, own);
  }
  trim(strip, graph.n);
  return rebuilt(graph, aside, strip, bound);
}

function* withShare<T>(budget: Budget, work: (nodes: Budget) => Interruptible<T>): Interruptible<T> {
  const nodes = share(budget, COLOURING_NODES);
  const answer = yield* work(nodes);
  giveBack(budget, nodes);
  return answer;
}

type Bound = Pick<Solved, "lower" | "fraction" | "prices">;

function wholeOf(n: number, clique: Int32Array): Bound {
  const prices = new Float64Array(n);
  for (const v of clique) prices[v] = 1;
  return { lower: clique.length, fraction: reduced(clique.length, 1), prices };
}

function boundFrom(n: number, names: Int32Array, { lower, fraction, prices }: Solved): Bound {
  const all = new Float64Array(n);
  prices.forEach((price, i) => {
    all[names[i]!] = price;
  });
  return { lower, fraction, prices: all };
}

/** If a colouring has as many colours as a clique has vertices, this number is the fractional chromatic number. Returns this solution. */
function integral(n: number, clique: Int32Array, colours: Int32Array): Solved {
  const classes = Array.from({ length: clique.length }, () => [] as number[]);
  colours.forEach((colour, v) => {
    classes[colour]!.push(v);
  });
  const sets = classes.map((vertices) => ({ vertices: Int32Array.from(vertices), weight: 1 }));
  return { ...wholeOf(n, clique), upper: clique.length, sets };
}

/** Layer weights below this are rounding errors. */
const THIN = 1e-9;

function rebuilt(graph: Adjacency, { removed, dominatedBy }: Aside, layers: Layer[], bound: Bound): Solved {
  for (let i = removed.length - 1; i >= 0; i--) {
    const v = removed[i]!;
    const other = dominatedBy[v]!;
    if (other >= 0) addWithDominator(layers, v, other);
    else putBack(layers, graph, v);
  }
  const sets = layers
    .filter(({ weight }) => weight > THIN)
    .map(({ vertices, weight }) => ({ vertices: Int32Array.from(vertices).sort(), weight }));
  const total = sets.reduce((sum, { weight }) => sum + weight, 0);
  const upper = total - bound.lower <= 4 * GAP ? bound.lower : total;
  return { ...bound, upper, fraction: upper === bound.lower ? bound.fraction : null, sets };
}

interface Aside {
  readonly rest: Int32Array;
  readonly removed: readonly number[];
  /** For each dominated vertex that was removed: the vertex that dominates it; -1 for other vertices. */
  readonly dominatedBy: Int32Array;
}

/**
 * Removes two kinds of vertices that cannot change the result: vertices with fewer than `enough` neighbours, and dominated vertices. All
 * neighbours of a dominated vertex are also neighbours of another vertex.
 */
function* setAside(graph: Adjacency, enough: number, budget: Budget): Interruptible<Aside> {
  const { n, start, items } = graph;
  const neighboursOf = Array.from({ length: n }, (_, v) => new Set(items.subarray(start[v]!, start[v + 1]!)));
  const alive = new Uint8Array(n).fill(1);
  const dominatedBy = new Int32Array(n).fill(-1);
  const removed: number[] = [];
  for (let changed = true; changed; ) {
    changed = false;
    for (let v = 0; v < n; v++) {
      if (alive[v] === 0) continue;
      if (neighboursOf[v]!.size >= enough) {
        chargeLooks(budget, neighboursOf[v]!.size * neighboursOf[v]!.size);
        if (pauseDue(budget)) yield;
        dominatedBy[v] = looksLeft(budget) > 0 ? dominating(neighboursOf, v) : -1;
        if (dominatedBy[v] === -1) continue;
      }
      alive[v] = 0;
      removed.push(v);
      for (const other of neighboursOf[v]!) neighboursOf[other]!.delete(v);
      changed = true;
    }
  }
  const rest: number[] = [];
  for (let v = 0; v < n; v++) if (alive[v] === 1) rest.push(v);
  return { rest: Int32Array.from(rest), removed, dominatedBy };
}

/** A vertex adjacent to all neighbours of v, or -1. Candidates: neighbours of v's lowest-degree neighbour. */
function dominating(neighboursOf: readonly Set<number>[], v: number): number {
  let least = -1;
  for (const u of neighboursOf[v]!) if (least === -1 || neighboursOf[u]!.size < neighboursOf[least]!.size) least = u;
  for (const w of neighboursOf[least]!) {
    if (w === v || neighboursOf[w]!.size < neighboursOf[v]!.size) continue;
    let all = true;
    for (const u of neighboursOf[v]!) {
      all = neighboursOf[w]!.has(u);
      if (!all) break;
    }
    if (all) return w;
  }
  return -1;
}

function* solveCore(graph: Adjacency, enough: number, state: State): Interruptible<Solved> {
  if (graph.items.length === 2 * graph.n && isCycle(graph)) return oddCycle(graph);
  if (graph.n > MOST_VERTICES) return byColouring(graph, enough);
  const { solver, seed = 0 } = state.options;
  const random = randomFrom(seed).split("fractional colouring");
  const cover = yield* coverByIndependentSets(graph, enough, solver, random, state.budget);
  if (cover === null) return byColouring(graph, enough);
  state.rounds += cover.rounds;
  const certain = cover.upper - cover.lower <= 2 * GAP;
  const fraction = certain ? yield* exactTotal(graph, cover.sets, cover.prices, state.budget) : null;
  if (fraction) {
    const value = fraction.numerator / fraction.denominator;
    return { ...cover, lower: value, upper: value, fraction };
  }
  if (!certain) return { ...cover, fraction: null };
  const value = withoutRounding(cover.upper, yield* exactBound(graph, cover.prices, state.budget));
  return { ...cover, lower: value, upper: value, fraction: null };
}

/** Replaces 2.4999999999999654 from a solver by 2.5 if `bound` proves 2.5 exactly. */
function withoutRounding(value: number, bound: Fraction | null): number {
  const exact = bound ? bound.numerator / bound.denominator : NaN;
  return Math.abs(exact - value) <= 2 * GAP ? exact : value;
}

function byColouring(graph: Adjacency, enough: number): Solved {
  const { colours, used } = greedyColouring(graph);
  const sets = Array.from({ length: used }, (_, c) => ({
    vertices: Int32Array.from(colours.keys()).filter((v) => colours[v] === c),
    weight: 1,
  }));
  return { lower: enough, upper: used, fraction: null, sets, prices: new Float64Array(graph.n) };
}

function isCycle({ n, start }: Adjacency): boolean {
  for (let v = 0; v < n; v++) if (start[v + 1]! - start[v]! !== 2) return false;
  return true;
}

/** An odd cycle of 2m + 1 vertices: for each start vertex, every second vertex (m in total) forms a set of weight 1 / m. */
function oddCycle({ n, start, items }: Adjacency): Solved {
  const ring = [0];
  let before = -1;
  for (let v = 0; ring.length < n; ) {
    const [a, b] = [items[start[v]!]!, items[start[v]! + 1]!];
    const next = a === before ? b : a;
    before = v;
    v = next;
    ring.push(v);
  }
  const m = (n - 1) / 2;
  const sets = ring.map((_, from) => ({
    vertices: Int32Array.from({ length: m }, (_, i) => ring[(from + 2 * i) % n]!).sort(),
    weight: 1 / m,
  }));
  const value = n / m;
  return { lower: value, upper: value, fraction: reduced(n, m), sets, prices: new Float64Array(n).fill(1 / m) };
}

/*
 * A fractional colouring as a strip of layers. A layer is an independent set, and its width is its weight. Connected parts of a graph have
 * separate strips, which `overlay` combines. Removed vertices are put back into layers that contain none of their neighbours.
 */

interface Layer {
  readonly vertices: Set<number>;
  weight: number;
}

/**
 * Combines two strips into one strip. A new layer starts wherever a layer starts in either strip. `wide` is at least as wide as `narrow`.
 */
function overlay(wide: readonly Layer[], narrow: readonly Layer[]): Layer[] {
  const layers: Layer[] = [];
  let i = 0;
  let j = 0;
  let leftOfI = wide[0]?.weight ?? 0;
  let leftOfJ = narrow[0]?.weight ?? 0;
  while (i < wide.length) {
    const weight = j < narrow.length ? Math.min(leftOfI, leftOfJ) : leftOfI;
    if (weight > THIN) layers.push({ vertices: new Set([...wide[i]!.vertices, ...(narrow[j]?.vertices ?? [])]), weight });
    leftOfI -= weight;
    leftOfJ -= weight;
    if (leftOfI <= THIN) leftOfI = wide[++i]?.weight ?? 0;
    if (j < narrow.length && leftOfJ <= THIN) leftOfJ = narrow[++j]?.weight ?? 0;
  }
  return layers;
}

function trim(layers: Layer[], n: number): void {
  const surplus = new Float64Array(n).fill(-1);
  for (const { vertices, weight } of layers) for (const v of vertices) surplus[v]! += weight;
  for (let v = 0; v < n; v++) {
    for (let i = 0; surplus[v]! > THIN && i < layers.length; i++) {
      if (!layers[i]!.vertices.has(v)) continue;
      cut(layers, i, surplus[v]!);
      layers[i]!.vertices.delete(v);
      surplus[v]! -= layers[i]!.weight;
    }
  }
}

function putBack(layers: Layer[], { start, items }: Adjacency, v: number): void {
  const neighbours = items.subarray(start[v]!, start[v + 1]!);
  let open = 1;
  for (let i = 0; open > THIN && i < layers.length; i++) {
    if (neighbours.some((other) => layers[i]!.vertices.has(other))) continue;
    cut(layers, i, open);
    layers[i]!.vertices.add(v);
    open -= layers[i]!.weight;
  }
}

/** Adds v to every layer that contains `other`. */
function addWithDominator(layers: readonly Layer[], v: number, other: number): void {
  for (const { vertices } of layers) if (vertices.has(other)) vertices.add(v);
}

/** Splits layer i if it is wider than `width`; the first part then has weight `width`. */
function cut(layers: Layer[], i: number, width: number): void {
  const layer = layers[i]!;
  if (layer.weight <= width + THIN) return;
  layers.splice(i + 1, 0, { vertices: new Set(layer.vertices), weight: layer.weight - width });
  layer.weight = width;
}

/*
 * Converts floating-point results into a proven fraction. Weights and prices are read as fractions with small denominators, then
 * both are checked in integers. If their totals agree, this total is the exact optimum.
 */

interface Fraction {
  readonly numerator: number;
  readonly denominator: number;
}

/** The exact smallest total of a cover. Null if the weights or prices are not simple fractions, or do not prove this total. */
function* exactTotal(
  graph: Adjacency,
  sets: readonly WeightedSet[],
  prices: Float64Array,
  budget: Budget,
): Interruptible<Fraction | null> {
  const weights = wholeMultiples(sets.map(({ weight }) => weight));
  if (weights === null) return null;
  const covered = new Float64Array(graph.n);
  sets.forEach(({ vertices }, s) => {
    for (const v of vertices) covered[v]! += weights.numerators[s]!;
  });
  if (covered.some((c) => c < weights.denominator)) return null;
  const total = sum(weights.numerators);
  const bound = yield* exactBound(graph, prices, budget);
  return bound && total * bound.denominator === bound.numerator * weights.denominator ? bound : null;
}

/** The exact total of the prices, if no independent set costs more than 1. Then every cover has at least this total. */
function* exactBound(graph: Adjacency, prices: Float64Array, budget: Budget): Interruptible<Fraction | null> {
  const costs = wholeMultiples(prices);
  if (costs === null) return null;
  const heavier = yield* heaviestIndependentSet(graph, costs.numerators, costs.denominator, budget);
  if (heavier.vertices !== null || !heavier.exact) return null;
  return reduced(sum(costs.numerators), costs.denominator);
}

function reduced(numerator: number, denominator: number): Fraction {
  const common = commonDivisor(numerator, denominator);
  return { numerator: numerator / common, denominator: denominator / common };
}

/** A fraction as text, for example "5/2"; an integer has no denominator. */
function fractionText({ numerator, denominator }: Fraction): string {
  return denominator === 1 ? String(numerator) : `${numerator}/${denominator}`;
}

/** Largest common denominator at which values are recognised as fractions. */
const MOST_DENOMINATOR = 1_000_000;

function wholeMultiples(values: ArrayLike<number>): { readonly numerators: Float64Array; readonly denominator: number } | null {
  let denominator = 1;
  for (let i = 0; i < values.length; i++) {
    const own = denominatorOf(values[i]!);
    denominator *= own / commonDivisor(denominator, own);
    if (denominator > MOST_DENOMINATOR) return null;
  }
  const numerators = Float64Array.from(values, (value) => Math.round(value * denominator));
  return { numerators, denominator };
}

/** Tolerance when a number is converted to a fraction, relative to the denominator. */
const NEAR = 1e-8;

function denominatorOf(value: number): number {
  let rest = value;
  let [before, now] = [0, 1];
  for (let step = 0; step < 20; step++) {
    if (Math.abs(value * now - Math.round(value * now)) <= NEAR * now || now > MOST_DENOMINATOR) return now;
    const part = rest - Math.floor(rest);
    rest = 1 / part;
    [before, now] = [now, Math.floor(rest) * now + before];
  }
  return now;
}

function commonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
