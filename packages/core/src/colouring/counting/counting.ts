/**
 * How many clusterings keep the constraints (Davidson 2012, NFC), as labelled clusterings of the vertices of the constraint
 * graph: with at most k clusters, P(G, k), and with exactly k, Σ (-1)^(k-j) C(k, j) P(G, j).
 *
 * Exact where it can be, in whole numbers of any size; a part that is too wide for that is sampled, and the answer says so by
 * an interval instead of a decimal string. Logarithms come along, for the counts leave the range of doubles at once.
 */
import { log10 as log10Of } from "../../linalg/elementary.js";
import { type Random, randomFrom } from "../../random/random.js";
import {
  type Budget,
  budgetOf,
  checkColours,
  type EffortOptions,
  giveBack,
  type Interruptible,
  share,
} from "../../steps/budget.js";
import { drain } from "../../steps/steps.js";
import { type Adjacency, maxDegree } from "../graphs/adjacency.js";
import { expand, type Graph, largestListedClique } from "../graphs/graph.js";
import { solve } from "../solve.js";
import { withoutCliqueMembers } from "./clique-members.js";
import { shareUsingAll, usageOf } from "./colour-usage.js";
import { countPart, eliminationPlan, type Plan, productOfFactors, takeApart } from "./exact.js";
import { CHANGES_PER_NODE, type Estimate, estimateCount, leastSteps } from "./glauber.js";
import { surjections } from "./surjections.js";

export interface Count {
  /** Null when the count is 0, or when it could not even be sampled. */
  readonly log10: number | null;
  /** All digits; null if a part was sampled. */
  readonly exact: string | null;
  /** Ends of a 95% interval, as log10 of counts, for a sampled count; null if exact, or if the sampler proves nothing. */
  readonly interval: readonly [number, number] | null;
}

export interface FeasibleClusterings {
  readonly atMostK: Count;
  readonly exactlyK: Count;
  readonly notices: readonly string[];
}

export interface CountOptions extends EffortOptions {
  /** For the sampler. */
  readonly random?: Random;
  /** Relative half-width of the 95% interval at which sampling stops, 0.05 if not given. */
  readonly epsilon?: number;
}

/** Neighbours listed at most (some 100 MB as sets). */
const MOST_ARCS = 2_000_000;
/** A partition is looked at once for each number of clusters up to k: so many nodes at least, and one for each four of these numbers. */
const LEAST_PER_PARTITION = 3;
const CLUSTERS_PER_NODE = 4;
/** Changes of colour for one node of effort, after the first pass of the sampler: they only make its interval narrower. */
const STEPS_PER_NODE = 40;
/** Bits of all the numbers that are computed at most, and times k, where all of them are added up for each number of clusters. */
const MOST_BITS = 50_000_000;
const MOST_BITS_ADDED = 1_000_000_000;
/** Binomial coefficients above this leave the range of doubles. */
const MOST_SHARED = 1000;

export function countClusterings(graph: Graph, k: number, options: CountOptions = {}): FeasibleClusterings {
  return drain(searchCount(graph, k, options, budgetOf(options)));
}

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
  // Small parts first: a large one that cannot be counted would leave no effort for them.
  for (const part of parts.toSorted((p, q) => p.n - q.n)) {
    const plan = yield* planFor(part, budget);
    // With more clusters than vertices none uses all of them: the part is counted once.
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

/** What can be counted exactly: powers of k - d, and parts. */
interface Known {
  readonly powers: readonly number[];
  readonly countable: readonly Countable[];
  readonly vertices: number;
  /** About as many as the count has. */
  readonly bits: number;
}

/** An order of elimination may take half of the effort that is left. */
function* planFor(part: Adjacency, budget: Budget): Interruptible<Plan | null> {
  const nodes = share(budget, budget.left / 2);
  const plan = yield* eliminationPlan(part, nodes);
  giveBack(budget, nodes);
  return plan;
}

/** `times`: for how many numbers of clusters the part will be counted. */
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

/** The product at j clusters. A part that could be counted at k can be counted below, where there are fewer partitions. */
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

function* allExact(known: Known, k: number): Interruptible<FeasibleClusterings> {
  const { vertices, bits } = known;
  const notices: string[] = [];
  if (vertices === 0)
    notices.push("Nothing has to be apart: the constraint graph has no vertex, and there is one clustering of it.");
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
  return `Only ${vertices} groups of rows have to be apart: with ${clusters} clusters some hold free rows alone, so none is counted as using all ${clusters}.`;
}

/** Clusterings that leave out one of k clusters or more are at most k times as many as those with k - 1. */
function* boundedBelow(
  known: Known,
  count: bigint,
  k: number,
): Interruptible<{ readonly exactlyK: Count; readonly notice: string }> {
  const least = count - BigInt(k) * (yield* productAt(known, k - 1));
  const notice = `How many clusterings use all ${k} clusters is given by bounds: the numbers are too long to be counted one by one.`;
  const log10 = log10OfBig(count);
  return { exactlyK: { log10, exact: null, interval: least > 0n ? [log10OfBig(least), log10] : null }, notice };
}

function exactCount(count: bigint): Count {
  return { log10: count === 0n ? null : log10OfBig(count), exact: count.toString(), interval: null };
}

/** From the leading digits and their number. */
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
      `The number of clusterings was not estimated: ${largest} groups of rows hang together, too many to sample within the effort.`,
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
      : `How many use all ${k} clusters was not counted.`;
    return { atMostK, exactlyK: { log10: null, exact: null, interval: null }, notices: [...notices, why] };
  }
  const exactlyK = sampled(total + log10Of(using.share), variance + (using.error * Math.LOG10E) ** 2, sound);
  return { atMostK, exactlyK, notices };
}

/** The share of clusterings that use all k clusters; null where the numbers are too large to tell. */
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
    `The number of clusterings is estimated by sampling: ${vertices} groups of rows are too entangled to count exactly.`,
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
