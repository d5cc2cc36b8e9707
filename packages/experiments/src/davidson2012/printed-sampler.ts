/**
 * The sampler of figure 2 and section 3.4, as printed: for each cannot-link in turn, chains walk over the clusterings that keep
 * the others, and the share that keeps this one too is a factor of the count. `k <= Δ` is refused (figure 2 prints `k < Δ`, and
 * section 3.1 asks for k > Δ).
 */
import type { Random } from "@coterie/core/internal";

export type Edge = readonly [number, number];

/** Equation 4: draws of one chain, for q constrained instances. */
export function drawsOf(q: number, epsilon: number): number {
  return Math.ceil(q * Math.log(q / epsilon));
}

/** Equation 5: chains of one ratio, for so many cannot-links. Fewer than 16 give an exponent below 1, and at 2 it is negative. */
export function chainsOf(cannotLinks: number, epsilon: number, delta: number): number {
  return Math.ceil((1 / (delta * epsilon ** 2)) ** Math.log(Math.log(cannotLinks)));
}

/** The largest degree: the sampler is for more clusters than this. */
export function largestDegree(n: number, edges: readonly Edge[]): number {
  const degree = new Int32Array(n);
  for (const [a, b] of edges) {
    degree[a]!++;
    degree[b]!++;
  }
  return degree.reduce((most, own) => Math.max(most, own), 0);
}

/** The natural logarithm of the product of ratios (equation 1 without its last factor); null where k is not large enough. */
export function logRatios(
  n: number,
  edges: readonly Edge[],
  k: number,
  { chains, draws, random }: { readonly chains: number; readonly draws: number; readonly random: Random },
): number | null {
  if (k <= largestDegree(n, edges)) return null;
  let sum = 0;
  for (let taken = edges.length; taken > 0; taken--) {
    const kept = edges.slice(0, taken - 1);
    const ratio = ratioOf(n, kept, edges[taken - 1]!, k, chains, draws, random.split("ratio", taken));
    sum += Math.log(ratio);
  }
  return sum;
}

/** The share of chains that end in a clustering which keeps the edge too. The walk goes on from chain to chain, as printed. */
function ratioOf(
  n: number,
  edges: readonly Edge[],
  tested: Edge,
  k: number,
  chains: number,
  draws: number,
  random: Random,
): number {
  const neighbours: number[][] = Array.from({ length: n }, () => []);
  for (const [a, b] of edges) {
    neighbours[a]!.push(b);
    neighbours[b]!.push(a);
  }
  const cluster = firstClustering(neighbours, k);
  let successes = 0;
  for (let chain = 0; chain < chains; chain++) {
    for (let draw = 0; draw < draws; draw++) {
      const choice = random.int(n * k);
      const vertex = Math.floor(choice / k);
      const wanted = choice - vertex * k;
      if (neighbours[vertex]!.every((other) => cluster[other] !== wanted)) cluster[vertex] = wanted;
    }
    if (cluster[tested[0]] !== cluster[tested[1]]) successes++;
  }
  return successes / chains;
}

/** Each vertex in the first cluster that none of its neighbours has; with more clusters than neighbours there is one. */
function firstClustering(neighbours: readonly (readonly number[])[], k: number): Int32Array {
  const cluster = new Int32Array(neighbours.length).fill(-1);
  neighbours.forEach((around, vertex) => {
    const taken = new Set(around.map((other) => cluster[other]));
    for (let c = 0; c < k && cluster[vertex] === -1; c++) if (!taken.has(c)) cluster[vertex] = c;
  });
  return cluster;
}

/** log of k!·S(n, k): clusterings of n instances with no empty cluster, the last factor of equation 1 as printed. */
export function logSurjections(n: number, k: number): number {
  let sum = 0;
  for (let j = 0, choose = 1; j <= k; j++) {
    sum += (j % 2 === 0 ? 1 : -1) * choose * ((k - j) / k) ** n;
    choose = (choose * (k - j)) / (j + 1);
  }
  return n * Math.log(k) + Math.log(sum);
}
