/**
 * How many clusterings keep the constraints (Davidson 2012, NFC), as labelled clusterings of the vertices of the constraint
 * graph: with at most k clusters, P(G, k), and with exactly k, Σ (-1)^(k-j) C(k, j) P(G, j).
 *
 * Exact where it can be, in whole numbers of any size; a part that is too wide for that is sampled, and the answer says so by
 * an interval instead of a decimal string. Logarithms come along, for the counts leave the range of doubles at once.
 */
import { log10 as log10Of } from "../linalg/elementary.js";
import { type Random, randomFrom } from "../random/random.js";
import { type Adjacency, maxDegree } from "./adjacency.js";
import { budgetOf, checkColours, type EffortOptions } from "./budget.js";
import { shareUsingAll, usageOf } from "./colour-usage.js";
import { MOST_ARCS } from "./colouring.js";
import { countPart, eliminationPlan, type Plan, productOfFactors, takeApart } from "./count-exact.js";
import { type Estimate, estimateCount, leastSteps } from "./glauber.js";
import { expand, type Graph, largestListedClique } from "./graph.js";
import { withoutLoneMembers } from "./lone-members.js";
import { solve } from "./solve.js";
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

/** A partition is looked at once for each number of clusters up to k. */
const NODES_PER_PARTITION = 3;
/** Changes of colour that the sampler may try for one node of effort. */
const STEPS_PER_NODE = 40;
/** The first pass of the sampler may take this many times as many changes: without it there is nothing to tell. */
const MOST_BEYOND = 25;
/** Binomial coefficients above this leave the range of doubles. */
const MOST_SHARED = 1000;

export function countClusterings(graph: Graph, k: number, options: CountOptions = {}): FeasibleClusterings {
  checkColours(k);
  const clique = largestListedClique(graph);
  if (clique.length > k) return none([]);
  const { factors: lone, rest } = withoutLoneMembers(graph);
  const listed = expand(graph, rest, MOST_ARCS);
  if (listed === null) return unknown("The constraint graph is too dense to be counted.");
  const { factors, parts } = takeApart(listed);
  const powers = Array.from({ length: Math.max(lone.length, factors.length) }, (_, d) => (lone[d] ?? 0) + (factors[d] ?? 0));
  const plans = parts.map((part) => eliminationPlan(part));
  const partitions = { left: budgetOf(options).left / NODES_PER_PARTITION };
  const exact = parts.map((part, i) => countPart(part, plans[i]!, k, partitions));
  if (exact.includes(0n) || productOfFactors(powers, k) === 0n) return none([]);
  const wide = parts.filter((_, i) => exact[i] === null);
  const countable = parts.flatMap((graph, i) => (exact[i] === null ? [] : [{ graph, plan: plans[i]! }]));
  // A part that could be counted at k can be counted below, where there are fewer partitions.
  const countAt = (j: number): bigint => productAt(powers, countable, j);
  if (wide.length === 0) return allExact(countAt, graph.vertices, k);
  return withSamples(upTo(k, countAt), wide, k, options);
}

function upTo(k: number, countAt: (j: number) => bigint): bigint[] {
  return Array.from({ length: k + 1 }, (_, j) => countAt(j));
}

function productAt(powers: readonly number[], parts: readonly { graph: Adjacency; plan: Plan | null }[], k: number): bigint {
  let product = productOfFactors(powers, k);
  for (const { graph, plan } of parts) {
    if (product === 0n) break;
    product *= countPart(graph, plan, k, { left: Infinity })!;
  }
  return product;
}

function allExact(countAt: (j: number) => bigint, vertices: number, k: number): FeasibleClusterings {
  const notices: string[] = [];
  if (vertices === 0)
    notices.push("Nothing has to be apart: the constraint graph has no vertex, and there is one clustering of it.");
  else if (vertices < k) {
    notices.push(
      `Only ${vertices} groups of rows have to be apart: with ${k} clusters some hold free rows alone, so none is counted as using all ${k}.`,
    );
  }
  return { atMostK: exactCount(countAt(k)), exactlyK: exactCount(vertices < k ? 0n : surjections(upTo(k, countAt), k)), notices };
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

function withSamples(
  counts: readonly bigint[],
  wide: readonly Adjacency[],
  k: number,
  options: CountOptions,
): FeasibleClusterings {
  const { random = randomFrom(0), epsilon = 0.05 } = options;
  const budget = budgetOf(options);
  const steps = (STEPS_PER_NODE * budget.left) / wide.length;
  const largest = wide.reduce((most, { n }) => Math.max(most, n), 0);
  if (leastSteps(largest) > MOST_BEYOND * steps) {
    return unknown(
      `The number of clusterings was not estimated: ${largest} groups of rows hang together, too many to sample within the effort.`,
    );
  }
  const estimates: Estimate[] = [];
  for (const [i, part] of wide.entries()) {
    const start = solve(part, k, budget);
    if (start.status === "infeasible") return none([]);
    if (start.status === "undecided")
      return unknown("Whether any clustering keeps the constraints was not decided within the effort.");
    const settings = { random: random.split("part", i), epsilon: epsilon / Math.sqrt(wide.length), steps };
    estimates.push(estimateCount(part, k, start.colours, settings));
  }
  const degree = wide.reduce((most, part) => Math.max(most, maxDegree(part)), 0);
  const sound = k >= degree + 2;
  let total = log10OfBig(counts[k]!);
  let variance = 0;
  for (const estimate of estimates) {
    total += estimate.log * Math.LOG10E;
    variance += (estimate.error * Math.LOG10E) ** 2;
  }
  const { share, error } =
    k > MOST_SHARED
      ? { share: 0, error: 0 }
      : shareUsingAll(
          usageOf(counts, k),
          estimates.map(({ usage }) => usage),
          k,
        );
  const notices = samplerNotices(wide, estimates, k, degree);
  return {
    atMostK: sampled(total, variance, sound),
    exactlyK:
      share === 0
        ? { log10: null, exact: null, interval: null }
        : sampled(total + log10Of(share), variance + (error * Math.LOG10E) ** 2, sound),
    notices: share === 0 ? [...notices, `None of the sampled clusterings uses all ${k} clusters.`] : notices,
  };
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
