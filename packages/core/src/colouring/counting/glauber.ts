/**
 * The number of colourings estimated by random walks (Davidson 2012, section 3; Jerrum 1995): a walk changes the colour of a
 * random vertex to a random colour if no neighbour has it, which makes all colourings equally likely in the long run.
 *
 * Departs from the paper: the count is a product of one ratio for each vertex, not for each edge. Vertices are added one by one;
 * P(with v) / P(without v) is the mean number of colours that v could take in a random colouring without it. This is the same
 * product with the edges of v added at once and the last draw averaged out: fewer factors, each with less spread, and none at
 * all where v's earlier neighbours are a clique. A vertex comes after all but few of its neighbours, so ratios stay near k.
 *
 * All colourings are connected by single changes for k ≥ Δ + 2 (Δ the largest degree), and the walk is known to mix fast for
 * k > 2Δ: k/(k - 2Δ)·n·ln(6mn/ε) steps. Between the two, burn-in is a rule of thumb.
 */
import { log } from "../../linalg/elementary.js";
import type { Random } from "../../random/random.js";
import { type Budget, type Interruptible, pauseDue } from "../../steps/budget.js";
import { type Adjacency, adjacent, maxDegree } from "../graphs/adjacency.js";
import { smallestLast } from "../graphs/clique.js";

export interface Estimate {
  /** Natural logarithm of the estimated count, and its standard error. */
  readonly log: number;
  readonly error: number;
  /** For each number of colours up to k and to the number of vertices, the share of sampled colourings that use it; for each batch. */
  readonly usage: readonly Float64Array[];
  /** Whether the number of steps before sampling is a proven bound. */
  readonly proven: boolean;
}

export interface EstimateOptions {
  readonly random: Random;
  /** Relative half-width of the 95% interval at which sampling stops. */
  readonly epsilon: number;
  /** Most single changes of colour to try, but for the first pass. */
  readonly steps: number;
  /** What the changes are charged to. */
  readonly budget: Budget;
}

/** Single changes of colour that count as one node. */
export const CHANGES_PER_NODE = 1_000;

const MOST_INT = 2 ** 31;
const BATCHES = 16;
const FIRST_SAMPLES = 64;
const LEAST_SUM = 0.5 / FIRST_SAMPLES;

/** Sums over the samples of one ratio: of batch means, their squares, the products of successive ones, and how many there were. */
interface Ratio {
  sum: number;
  squares: number;
  products: number;
  batches: number;
}

/** Changes of colour that the shortest pass tries. */
export function leastSteps(graph: Adjacency, k: number, epsilon: number): number {
  return (graph.n * graph.n * (BATCHES + burnIn(graph, maxDegree(graph), k, epsilon))) / 2;
}

/** `start` is any proper colouring with k colours. */
export function* estimateCount(
  graph: Adjacency,
  k: number,
  start: Int32Array,
  options: EstimateOptions,
): Interruptible<Estimate> {
  const { random, epsilon, steps, budget } = options;
  const order = smallestLast(graph).reverse();
  const ordered = renumber(graph, order);
  // Colours above 2^31 are no 32-bit numbers.
  const colours = k <= MOST_INT ? order.map((v) => start[v]!) : Float64Array.from(order, (v) => start[v]!);
  const ratios: Ratio[] = Array.from({ length: graph.n }, () => ({ sum: 0, squares: 0, products: 0, batches: 0 }));
  const usage: Float64Array[] = [];
  const degree = maxDegree(graph);
  const wanted = log(1 + epsilon) / 1.96;
  let spent = 0;
  // A pass takes about n²/2 steps for each sample.
  const first = graph.n * graph.n * FIRST_SAMPLES > steps ? BATCHES : FIRST_SAMPLES;
  for (let pass = 0, samples = first; ; pass++, samples *= 2) {
    const walk: Walk = { graph: ordered, k, colours: colours.slice(), random: random.split("walk", pass), steps: 0 };
    yield* onePass(walk, samples, burnIn(graph, degree, k, epsilon), ratios, usage, budget);
    spent += walk.steps;
    const estimate = productOf(ratios);
    // The next pass would cost about twice as much as this one.
    if (estimate.error <= wanted || spent + 2 * walk.steps > steps) return { ...estimate, usage, proven: k > 2 * degree };
  }
}

function productOf(ratios: readonly Ratio[]): { readonly log: number; readonly error: number } {
  let total = 0;
  let independent = 0;
  let shared = 0;
  for (const { sum, squares, products, batches } of ratios) {
    // A mean of 0 comes from too few samples alone, for there is a colouring.
    const mean = Math.max(sum, LEAST_SUM) / batches;
    total += log(mean);
    const scale = (batches - 1) * mean * mean;
    const spread = Math.max(0, squares / batches - mean * mean);
    independent += spread / scale;
    // Each mean is the batches' own, which makes them look less alike than they are.
    shared += (products / (batches * (1 - 1 / BATCHES)) - mean * mean + spread / batches) / scale;
  }
  // Successive batches of a walk are alike, and what they share counts twice; over all ratios, for one alone shows chance.
  return { log: total, error: Math.sqrt(independent + 2 * Math.max(0, shared)) };
}

/** Sweeps over all vertices before sampling; proven for k > 2Δ. */
function burnIn({ n, items }: Adjacency, degree: number, k: number, epsilon: number): number {
  const rounds = log((3 * items.length * n) / epsilon);
  return Math.ceil(k > 2 * degree ? (k / (k - 2 * degree)) * rounds : rounds / 2);
}

interface Walk {
  readonly graph: Adjacency;
  readonly k: number;
  readonly colours: Int32Array | Float64Array;
  readonly random: Random;
  steps: number;
}

/** Adds vertex after vertex. One sample is taken after each sweep of as many steps as there are vertices. */
function* onePass(
  walk: Walk,
  samples: number,
  burn: number,
  ratios: readonly Ratio[],
  usage: Float64Array[],
  budget: Budget,
): Interruptible<void> {
  const { graph, k } = walk;
  const start = walk.colours.slice();
  const perBatch = samples / BATCHES;
  const taken = new Set<number>();
  for (let v = 0; v < graph.n; v++) {
    budget.left -= ((burn + samples) * v) / CHANGES_PER_NODE;
    if (pauseDue(budget)) yield;
    const earlier = earlierNeighbours(graph, v);
    const ratio = ratios[v]!;
    // Where the earlier neighbours are all apart from each other the number of free colours never changes.
    const constant = allApart(graph, earlier);
    if (!constant) for (let b = 0; b < burn; b++) sweep(walk, v);
    let before = 0;
    for (let batch = 0; batch < BATCHES; batch++) {
      let sum = 0;
      for (let s = 0; s < perBatch; s++) {
        if (!constant) sweep(walk, v);
        sum += freeColours(walk, earlier, taken);
        if (constant) break;
      }
      const mean = constant ? sum : sum / perBatch;
      ratio.sum += mean;
      ratio.squares += mean * mean;
      ratio.products += mean * before;
      before = mean;
      ratio.batches++;
    }
    admit(walk, v, earlier, start);
  }
  for (let b = 0; b < burn; b++) sweep(walk, graph.n);
  for (let batch = 0; batch < BATCHES; batch++) {
    const share = new Float64Array(Math.min(k, graph.n) + 1);
    for (let s = 0; s < perBatch; s++) {
      sweep(walk, graph.n);
      share[new Set(walk.colours).size]! += 1 / perBatch;
    }
    usage.push(share);
  }
}

/** As many steps as there are vertices below n; each a random colour for a random vertex, taken if no earlier neighbour has it. */
function sweep(walk: Walk, n: number): void {
  const { graph, k, colours, random } = walk;
  walk.steps += n;
  const choices = n * k;
  const areFew = choices <= Number.MAX_SAFE_INTEGER;
  for (let step = 0; step < n; step++) {
    // One number says which vertex and which colour, where it can be that large.
    const draw = areFew ? random.int(choices) : 0;
    const v = areFew ? Math.floor(draw / k) : random.int(n);
    const colour = areFew ? draw - v * k : random.int(k);
    let free = true;
    for (let p = graph.start[v]!; p < graph.start[v + 1]! && free; p++) {
      if (graph.items[p]! >= n) break;
      free = colours[graph.items[p]!] !== colour;
    }
    if (free) colours[v] = colour;
  }
}

function freeColours({ k, colours }: Walk, earlier: Int32Array, taken: Set<number>): number {
  taken.clear();
  for (const u of earlier) taken.add(colours[u]!);
  return k - taken.size;
}

/** Vertex v joins the walk with a random colour that is free; without one, which k > Δ excludes, all start again. */
function admit({ k, colours, random }: Walk, v: number, earlier: Int32Array, start: Walk["colours"]): void {
  const taken = [...new Set(Array.from(earlier, (u) => colours[u]!))].sort((a, b) => a - b);
  if (taken.length === k) {
    colours.set(start.subarray(0, v + 1));
    return;
  }
  // The free colour of a random number among the free ones: colours that are taken are passed over.
  let colour = random.int(k - taken.length);
  for (const each of taken) if (each <= colour) colour++;
  colours[v] = colour;
}

function earlierNeighbours({ start, items }: Adjacency, v: number): Int32Array {
  return items.subarray(start[v]!, start[v + 1]!).filter((u) => u < v);
}

function allApart(graph: Adjacency, vertices: Int32Array): boolean {
  return vertices.every((u, i) => vertices.subarray(0, i).every((w) => adjacent(graph, u, w)));
}

function renumber(graph: Adjacency, order: Int32Array): Adjacency {
  const place = new Int32Array(graph.n);
  order.forEach((v, i) => {
    place[v] = i;
  });
  const start = new Int32Array(graph.n + 1);
  const items = new Int32Array(graph.items.length);
  order.forEach((v, i) => {
    const around = graph.items
      .subarray(graph.start[v]!, graph.start[v + 1]!)
      .map((u) => place[u]!)
      .sort();
    items.set(around, start[i]!);
    start[i + 1] = start[i]! + around.length;
  });
  return { n: graph.n, start, items };
}
