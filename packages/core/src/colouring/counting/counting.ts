/**
 * Counts the clusterings that satisfy the constraints (Davidson 2012, NFC). It counts labelled clusterings, that is, colourings of the
 * constraint graph G. The number of clusterings with at most k clusters is P(G, k). The number with exactly k clusters is
 * Σ (-1)^(k-j) C(k, j) P(G, j).
 *
 * The count is exact where possible, as an integer of any size. A part of the graph that is too wide for exact counting is sampled, and the
 * result then has an interval instead of a decimal string. Logarithms are returned too, because the counts quickly exceed the range of
 * doubles.
 */
import { log, log10 as log10Of } from "../../linalg/elementary.js";
import { type Random, randomFrom } from "../../random/random.js";
import type { Budget, EffortOptions, Interruptible } from "../../steps/budget.js";
import { budgetOf, checkColours, giveBack, pauseDue, share } from "../../steps/budget.js";
import { drain } from "../../steps/steps.js";
import { type Adjacency, adjacent, maxDegree } from "../graphs/adjacency.js";
import { smallestLast } from "../graphs/clique.js";
import { cliqueSize, expand, type Graph, largestListedClique } from "../graphs/graph.js";
import { solve } from "../solve.js";
import { countPart, eliminationPlan, type Plan, productOfFactors, takeApart } from "./exact.js";

/** The first pass draws this many samples for each factor of the estimated count. */
const FIRST_SAMPLES = 64;

export interface Count {
  /** The decimal logarithm of the count. Null if the count is 0 or could not be sampled. */
  readonly log10: number | null;
  /** All decimal digits of the count; null if a part of the graph was sampled. */
  readonly exact: string | null;
  /** Ends of a 95% interval of a sampled count, as log10. Null if the count is exact or if the sampler has no guarantee. */
  readonly interval: readonly [number, number] | null;
}

export interface FeasibleClusterings {
  readonly atMostK: Count;
  readonly exactlyK: Count;
  readonly notices: readonly string[];
}

export interface CountOptions extends EffortOptions {
  readonly random?: Random;
  /** Sampling stops when the relative half-width of the 95% interval is at most this, default 0.05. */
  readonly epsilon?: number;
}

export function countClusterings(graph: Graph, k: number, options: CountOptions = {}): FeasibleClusterings {
  return drain(searchCount(graph, k, options, budgetOf(options)));
}

/** Maximum number of entries in all neighbour lists together (about 100 MB as sets). A denser graph is not counted. */
const MOST_ARCS = 2_000_000;

export function* searchCount(graph: Graph, k: number, options: CountOptions, budget: Budget): Interruptible<FeasibleClusterings> {
  checkColours(k);
  const clique = largestListedClique(graph);
  if (clique.length > k) return none([]);
  const { factors: inCliques, rest } = withoutCliqueMembers(graph);
  const listed = expand(graph, rest, MOST_ARCS);
  if (listed === null) return unknown("The constraint graph is too dense to be counted.");
  const { factors, parts } = yield* takeApart(listed, budget);
  const powers = Array.from(
    { length: Math.max(inCliques.length, factors.length) },
    (_, d) => (inCliques[d] ?? 0) + (factors[d] ?? 0),
  );
  if (powers.length > k) return none([]);
  const countable: Countable[] = [];
  const wide: Adjacency[] = [];
  // Small parts first, because a large part that cannot be counted would use up the effort.
  for (const part of parts.toSorted((p, q) => p.n - q.n)) {
    const plan = yield* planFor(part, budget);
    // If k exceeds the number of vertices, no clustering uses all clusters. Then only the count for k itself is needed.
    const count = yield* countAtOnce(part, plan, k, k > graph.vertices ? 1 : k, budget);
    if (count === 0n) return none([]);
    if (count === null) wide.push(part);
    else countable.push({ graph: part, plan });
  }
  const known: Known = { powers, countable, vertices: graph.vertices, bits: graph.vertices * k.toString(2).length };
  if (wide.length === 0) return yield* allExact(known, k);
  return yield* withSamples(known, wide, k, options, budget);
}

interface Countable {
  readonly graph: Adjacency;
  readonly plan: Plan | null;
}

/** The exactly known part of the count: powers of (k - d), and graphs that can be counted exactly. */
interface Known {
  readonly powers: readonly number[];
  readonly countable: readonly Countable[];
  readonly vertices: number;
  readonly bits: number;
}

/** Finds an elimination order; uses at most half of the effort that is left. */
function* planFor(part: Adjacency, budget: Budget): Interruptible<Plan | null> {
  const nodes = share(budget, budget.left / 2);
  const plan = yield* eliminationPlan(part, nodes);
  giveBack(budget, nodes);
  return plan;
}

/**
 * Effort of one partition in `countPart`. If the graph will be counted for `times` values of k, a partition costs times / CLUSTERS_PER_NODE
 * nodes, but at least LEAST_PER_PARTITION nodes.
 */
const LEAST_PER_PARTITION = 3;
const CLUSTERS_PER_NODE = 4;

/**
 * The number of colourings of a part with k colours; null if the budget is too small. `times`: number of values of k for which the part
 * will be counted.
 */
function* countAtOnce(
  part: Adjacency,
  plan: Plan | null,
  k: number,
  times: number,
  budget: Budget,
): Interruptible<bigint | null> {
  const perPartition = Math.max(LEAST_PER_PARTITION, times / CLUSTERS_PER_NODE);
  const partitions = { left: budget.left / perPartition };
  const count = yield* countPart(part, plan, k, partitions);
  budget.left = Math.max(0, partitions.left) * perPartition;
  return count;
}

/**
 * The product of the counts of all countable parts with j clusters. No budget is needed: a graph that can be counted with k clusters can
 * be counted with fewer.
 */
function* productAt({ powers, countable }: Known, j: number): Interruptible<bigint> {
  let product = productOfFactors(powers, j);
  for (const { graph, plan } of countable) {
    if (product === 0n) break;
    product *= (yield* countPart(graph, plan, j, { left: Infinity }))!;
  }
  return product;
}

function* productsUpTo(known: Known, k: number): Interruptible<bigint[]> {
  const products: bigint[] = [];
  for (let j = 0; j <= k; j++) {
    yield;
    products.push(yield* productAt(known, j));
  }
  return products;
}

/**
 * Limits on the size of big integers. MOST_BITS: maximum number of bits of the counts for 0 … k together. MOST_BITS_ADDED: maximum of k
 * times this number of bits, because each sum over k adds k counts.
 */
const MOST_BITS = 50_000_000;

function* allExact(known: Known, k: number): Interruptible<FeasibleClusterings> {
  const { vertices, bits } = known;
  const notices: string[] = [];
  if (vertices === 0)
    notices.push("No rows have to be apart: the constraint graph has no vertex, so there is one clustering of it.");
  else if (vertices < k) notices.push(moreThanNeeded(vertices, k));
  const count = yield* productAt(known, k);
  const atMostK = exactCount(count);
  if (vertices < k) return { atMostK, exactlyK: exactCount(0n), notices };
  if (bits * k <= MOST_BITS) {
    return { atMostK, exactlyK: exactCount(surjections(yield* productsUpTo(known, k), k)), notices };
  }
  const { exactlyK, notice } = yield* boundedBelow(known, count, k);
  return { atMostK, exactlyK, notices: [...notices, notice] };
}

function moreThanNeeded(vertices: number, k: number): string {
  const clusters = k.toLocaleString("en");
  return `Only ${vertices} groups of rows have to be apart: with ${clusters} clusters, some clusters hold only unconstrained rows, so no clustering counts as using all ${clusters}.`;
}

/** A lower bound of the number of clusterings that use all k clusters. At most k · P(G, k - 1) clusterings leave a cluster empty. */
function* boundedBelow(
  known: Known,
  count: bigint,
  k: number,
): Interruptible<{ readonly exactlyK: Count; readonly notice: string }> {
  const least = count - BigInt(k) * (yield* productAt(known, k - 1));
  const notice = `The number of clusterings that use all ${k} clusters is given as bounds: the numbers are too long to count exactly.`;
  const log10 = log10OfBig(count);
  return { exactlyK: { log10, exact: null, interval: least > 0n ? [log10OfBig(least), log10] : null }, notice };
}

function exactCount(count: bigint): Count {
  return { log10: count === 0n ? null : log10OfBig(count), exact: count.toString(), interval: null };
}

/** log10 of a big integer, from its leading digits and its number of bits. */
export function log10OfBig(count: bigint): number {
  const bits = count.toString(16).length * 4;
  if (bits <= 1000) return log10Of(Number(count));
  const dropped = bits - 512;
  return log10Of(Number(count >> BigInt(dropped))) + dropped * LOG10_OF_2;
}

const LOG10_OF_2 = Math.LN2 * Math.LOG10E;

function none(notices: readonly string[]): FeasibleClusterings {
  return { atMostK: exactCount(0n), exactlyK: exactCount(0n), notices };
}

function unknown(notice: string): FeasibleClusterings {
  const count: Count = { log10: null, exact: null, interval: null };
  return { atMostK: count, exactlyK: count, notices: [notice] };
}

/** Number of single colour changes that cost one node of effort. */
const CHANGES_PER_NODE = 1_000;
/** How many colour changes the later passes can try per node of effort. The value is low, because later passes only narrow the interval. */
const STEPS_PER_NODE = 40;

function* withSamples(
  known: Known,
  wide: readonly Adjacency[],
  k: number,
  options: CountOptions,
  budget: Budget,
): Interruptible<FeasibleClusterings> {
  const { random = randomFrom(0), epsilon = 0.05 } = options;
  const least = wide.reduce((sum, part) => sum + leastSteps(part, k, epsilon), 0);
  if (least > CHANGES_PER_NODE * budget.left) {
    const largest = wide.reduce((most, { n }) => Math.max(most, n), 0);
    return unknown(
      `The number of clusterings was not estimated: ${largest} groups of rows are connected, too many to sample within the effort.`,
    );
  }
  const steps = (STEPS_PER_NODE * budget.left) / wide.length;
  const estimates: Estimate[] = [];
  for (const [i, part] of wide.entries()) {
    const start = yield* solve(part, k, budget);
    if (start.status === "infeasible") return none([]);
    if (start.status === "undecided")
      return unknown("Whether any clustering keeps the constraints was not decided within the effort.");
    const settings = { random: random.split("part", i), epsilon: epsilon / Math.sqrt(wide.length), steps, budget };
    estimates.push(yield* estimateCount(part, k, start.colours, settings));
  }
  const degree = wide.reduce((most, part) => Math.max(most, maxDegree(part)), 0);
  const sound = k >= degree + 2;
  let total = log10OfBig(yield* productAt(known, k));
  let variance = 0;
  for (const estimate of estimates) {
    total += estimate.log * Math.LOG10E;
    variance += (estimate.error * Math.LOG10E) ** 2;
  }
  const atMostK = sampled(total, variance, sound);
  const notices = samplerNotices(wide, estimates, k, degree);
  if (known.vertices < k) return { atMostK, exactlyK: exactCount(0n), notices: [...notices, moreThanNeeded(known.vertices, k)] };
  const using = yield* usingAll(known, estimates, k);
  if (using === null || using.share === 0) {
    const why = using
      ? `None of the sampled clusterings uses all ${k} clusters.`
      : `The number of clusterings that use all ${k} clusters was not computed.`;
    return { atMostK, exactlyK: { log10: null, exact: null, interval: null }, notices: [...notices, why] };
  }
  const exactlyK = sampled(total + log10Of(using.share), variance + (using.error * Math.LOG10E) ** 2, sound);
  return { atMostK, exactlyK, notices };
}

const MOST_BITS_ADDED = 1_000_000_000;
/** Above this k, binomial coefficients are too large for doubles. The share of clusterings with all k clusters then stays unknown. */
const MOST_SHARED = 1000;

/** The share of clusterings that use all k clusters; null if the numbers are too large to compute it. */
function* usingAll(
  known: Known,
  estimates: readonly Estimate[],
  k: number,
): Interruptible<{ readonly share: number; readonly error: number } | null> {
  if (k > MOST_SHARED || known.bits * k > MOST_BITS || known.bits * k * k > MOST_BITS_ADDED) return null;
  const usage = usageOf(yield* productsUpTo(known, k), k);
  return shareUsingAll(
    usage,
    estimates.map((estimate) => estimate.usage),
    k,
  );
}

function sampled(log10: number, variance: number, sound: boolean): Count {
  const half = 1.96 * Math.sqrt(variance);
  return { log10, exact: null, interval: sound ? [log10 - half, log10 + half] : null };
}

function samplerNotices(wide: readonly Adjacency[], estimates: readonly Estimate[], k: number, degree: number): string[] {
  const vertices = wide.reduce((sum, part) => sum + part.n, 0);
  const notices = [
    `The number of clusterings is estimated by sampling: ${vertices} groups of rows are too densely connected to count exactly.`,
  ];
  if (k < degree + 2) {
    notices.push(
      `The sampler is only sure to reach every clustering with ${degree + 2} clusters or more; with ${k} its estimate has no interval.`,
    );
  } else if (estimates.some(({ proven }) => !proven)) {
    notices.push(`With ${k} clusters the sampler's running time is a rule of thumb; it is proven from ${2 * degree + 1} on.`);
  }
  return notices;
}

/*
 * Distribution of the number of colours in a random colouring of the whole graph, computed from its independent parts. Colours are
 * interchangeable. So if a part uses `a` colours, each set of `a` colours is equally likely. Two parts that use `a` and `b` colours
 * together use a + b - s colours, where s is the overlap of two random sets of sizes a and b.
 */

/**
 * The result has an entry for each number of colours from 0 to k: the share of colourings that use exactly this number. `counts[j]`: number
 * of colourings with at most j colours.
 */
function usageOf(counts: readonly bigint[], k: number): Float64Array {
  const share = new Float64Array(k + 1);
  let binomial = 1n;
  for (let used = 0; used <= k; used++) {
    share[used] = ratio(binomial * surjections(counts, used), counts[k]!);
    binomial = (binomial * BigInt(k - used)) / BigInt(used + 1);
  }
  return share;
}

/** a / b in [0, 1] to about 15 digits, for integers of any size. */
function ratio(a: bigint, b: bigint): number {
  const excess = BigInt(Math.max(0, b.toString(16).length * 4 - 1000));
  return Number(a >> excess) / Number(b >> excess);
}

export function shareUsingAll(
  exact: Float64Array,
  sampledParts: readonly (readonly Float64Array[])[],
  k: number,
): { readonly share: number; readonly error: number } {
  const overlap = overlaps(k);
  const batches = Math.min(...sampledParts.map((usage) => usage.length));
  const shares: number[] = [];
  for (let b = 0; b < batches; b++) {
    let all = exact;
    for (const usage of sampledParts) all = unionUsage(all, usage[b]!, k, overlap);
    shares.push(all[k]!);
  }
  const share = shares.reduce((sum, s) => sum + s, 0) / batches;
  if (share === 0) return { share, error: 0 };
  const squares = shares.reduce((sum, s) => sum + (s - share) * (s - share), 0);
  return { share, error: Math.sqrt(squares / (batches * (batches - 1))) / share };
}

function unionUsage(
  one: Float64Array,
  other: Float64Array,
  k: number,
  overlap: (a: number, b: number, s: number) => number,
): Float64Array {
  const union = new Float64Array(k + 1);
  for (let a = 0; a <= k; a++) {
    for (let b = 0; b <= k && (one[a] ?? 0) > 0; b++) {
      if ((other[b] ?? 0) === 0) continue;
      for (let s = Math.max(0, a + b - k); s <= Math.min(a, b); s++) union[a + b - s]! += one[a]! * other[b]! * overlap(a, b, s);
    }
  }
  return union;
}

/**
 * Returns a function of (a, b, s). It gives the probability that two random sets of sizes a and b, drawn from k elements, have exactly s
 * elements in common.
 */
function overlaps(k: number): (a: number, b: number, s: number) => number {
  const rows: number[][] = [[1]];
  for (let n = 1; n <= k; n++)
    rows.push(Array.from({ length: n + 1 }, (_, i) => (rows[n - 1]![i - 1] ?? 0) + (rows[n - 1]![i] ?? 0)));
  return (a, b, s) => (rows[a]![s]! * (rows[k - a]![b - s] ?? 0)) / rows[k]![b]!;
}

/*
 * Estimates the number of colourings by random walks (Davidson 2012, section 3; Jerrum 1995). A walk changes the colour of a random vertex
 * to a random colour if no neighbour has that colour. In the long run all colourings are equally likely.
 *
 * Departs from the paper: the count is a product of one ratio per vertex instead of one per edge. Vertices are added one by one. The ratio
 * P(with v) / P(without v) is the mean number of free colours of v in a random colouring without v. The product equals the paper's product.
 * It has fewer factors, and each factor has a smaller variance. If the earlier neighbours of v form a clique, no sampling is needed. A
 * vertex comes after all but a few of its neighbours, so the ratios stay near k.
 *
 * Single changes connect all colourings for k ≥ Δ + 2 (Δ is the largest degree). For k > 2Δ the walk is proven to mix within
 * k/(k - 2Δ)·n·ln(6mn/ε) steps. For Δ + 2 ≤ k ≤ 2Δ the burn-in is a rule of thumb.
 */

interface Estimate {
  /** Natural logarithm of the estimated count. `error` is the standard error of this logarithm. */
  readonly log: number;
  readonly error: number;
  /** `usage[batch][c]`: the share of sampled colourings in the batch that use c colours, for c up to min(k, vertices). */
  readonly usage: readonly Float64Array[];
  /** Whether the number of burn-in steps is a proven bound. */
  readonly proven: boolean;
}

interface EstimateOptions {
  readonly random: Random;
  /** Sampling stops when the relative half-width of the 95% interval is at most this. */
  readonly epsilon: number;
  /** Maximum number of colour changes to try. The first pass always runs to its end. */
  readonly steps: number;
  readonly budget: Budget;
}

/**
 * Sums over the batches of one ratio. `sum`: of batch means. `squares`: of squared batch means. `products`: of products of successive batch
 * means.
 */
interface Ratio {
  sum: number;
  squares: number;
  products: number;
  batches: number;
}

/** Number of batches of samples per ratio. The standard error is computed from the batches. */
const BATCHES = 16;

function leastSteps(graph: Adjacency, k: number, epsilon: number): number {
  return (graph.n * graph.n * (BATCHES + burnIn(graph, maxDegree(graph), k, epsilon))) / 2;
}

/** Colours below this value fit into an Int32Array. */
const MOST_INT = 2 ** 31;

/** Estimates by sampling how many colourings with k colours the graph has. `start`: any proper colouring with k colours. */
export function* estimateCount(
  graph: Adjacency,
  k: number,
  start: Int32Array,
  options: EstimateOptions,
): Interruptible<Estimate> {
  const { random, epsilon, steps, budget } = options;
  const order = smallestLast(graph).reverse();
  const ordered = renumber(graph, order);
  const colours = k <= MOST_INT ? order.map((v) => start[v]!) : Float64Array.from(order, (v) => start[v]!);
  const ratios: Ratio[] = Array.from({ length: graph.n }, () => ({ sum: 0, squares: 0, products: 0, batches: 0 }));
  const usage: Float64Array[] = [];
  const degree = maxDegree(graph);
  const wanted = log(1 + epsilon) / 1.96;
  let spent = 0;
  // One sample for every ratio takes about n²/2 steps.
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

/** Lower limit of a sum of batch means, so that its logarithm is finite. */
const LEAST_SUM = 0.5 / FIRST_SAMPLES;

function productOf(ratios: readonly Ratio[]): { readonly log: number; readonly error: number } {
  let total = 0;
  let independent = 0;
  let shared = 0;
  for (const { sum, squares, products, batches } of ratios) {
    // A mean of 0 can only come from too few samples, because at least one colouring exists.
    const mean = Math.max(sum, LEAST_SUM) / batches;
    total += log(mean);
    const scale = (batches - 1) * mean * mean;
    const spread = Math.max(0, squares / batches - mean * mean);
    independent += spread / scale;
    // The batches are centred by their own mean, so they look less correlated than they are. The last term corrects this bias.
    shared += (products / (batches * (1 - 1 / BATCHES)) - mean * mean + spread / batches) / scale;
  }
  // Successive batches are correlated, so their covariance counts twice. It is summed over all ratios first, which reduces its noise.
  return { log: total, error: Math.sqrt(independent + 2 * Math.max(0, shared)) };
}

/** Number of sweeps over all vertices before sampling; a proven bound for k > 2Δ. */
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

/**
 * Adds the vertices one by one. Before a vertex is added, sweeps of the random walk recolour the vertices before it. The number of free
 * colours of the new vertex is one sample.
 */
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
    const earlier = graph.items.subarray(graph.start[v]!, graph.start[v + 1]!).filter((u) => u < v);
    const ratio = ratios[v]!;
    // If the earlier neighbours are pairwise adjacent, the number of free colours is constant.
    const constant = earlier.every((u, i) => earlier.subarray(0, i).every((w) => adjacent(graph, u, w)));
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

/** Makes n steps. Each step draws a random vertex below n and a random colour, and changes the colour if no neighbour below n has it. */
function sweep(walk: Walk, n: number): void {
  const { graph, k, colours, random } = walk;
  walk.steps += n;
  const choices = n * k;
  const areFew = choices <= Number.MAX_SAFE_INTEGER;
  for (let step = 0; step < n; step++) {
    // One random number gives the vertex and the colour, if n·k is a safe integer.
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

/** Adds v with a random free colour. If no colour is free, the vertices up to v return to the start colouring. */
function admit({ k, colours, random }: Walk, v: number, earlier: Int32Array, start: Walk["colours"]): void {
  const taken = [...new Set(Array.from(earlier, (u) => colours[u]!))].sort((a, b) => a - b);
  if (taken.length === k) {
    colours.set(start.subarray(0, v + 1));
    return;
  }
  // Picks the free colour with a random rank: the loop skips the taken colours.
  let colour = random.int(k - taken.length);
  for (const each of taken) if (each <= colour) colour++;
  colours[v] = colour;
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

/** Number of colourings that use all j colours, by inclusion-exclusion. `counts[i]`: number of colourings with at most i colours. */
function surjections(counts: readonly bigint[], j: number): bigint {
  let total = 0n;
  let binomial = 1n;
  for (let i = j; i >= 0; i--) {
    total += (j - i) % 2 === 0 ? binomial * counts[i]! : -binomial * counts[i]!;
    binomial = (binomial * BigInt(i)) / BigInt(j - i + 1);
  }
  return total;
}

/*
 * Removes vertices whose edges all belong to one clique, for example the rows of a single exclusive column. The neighbours of such a vertex
 * are pairwise adjacent. So the vertex multiplies the number of colourings by k minus its degree. Removing these vertices first avoids
 * listing the pairs of the clique.
 */

function withoutCliqueMembers(graph: Graph): { readonly factors: number[]; readonly rest: Int32Array } {
  const { vertices, links, cliques, cliquesOf } = graph;
  const left = Int32Array.from({ length: cliques.start.length - 1 }, (_, q) => cliqueSize(graph, q));
  const factors: number[] = [];
  const rest: number[] = [];
  for (let v = 0; v < vertices; v++) {
    const alone = links.start[v + 1] === links.start[v] && cliquesOf.start[v + 1]! - cliquesOf.start[v]! === 1;
    if (!alone) {
      rest.push(v);
      continue;
    }
    const degree = --left[cliquesOf.items[cliquesOf.start[v]!]!]!;
    while (factors.length <= degree) factors.push(0);
    factors[degree]!++;
  }
  return { factors, rest: Int32Array.from(rest) };
}
