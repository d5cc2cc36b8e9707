/**
 * Questions that test a hierarchy. Every branch with the parts P and Q claims that P and Q belong together rather than with
 * anything outside. Three rows that represent P, Q and an outside branch S test this claim: the answer "the row from S is the odd one"
 * confirms it, any other answer moves a whole part.
 *
 * The stake of a question is min(|P|, |Q|) · d(P, Q) / (d(P, Q) + d to S): the size of the smaller part times the doubt in the claim. So
 * the large branches near the cut come first, and single rows last.
 */

import type { Points } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import type { Triple } from "../triplet-knowledge.js";

export interface Branching {
  readonly points: Points;
  readonly merges: readonly Merge[];
  /** The nodes of the clusters (nodes are rows, then merges). */
  readonly clusters: readonly number[];
}

interface Candidate {
  readonly parts: readonly [number, number];
  readonly outsiders: readonly number[];
  readonly stake: number;
}

/** Maximum number of outside branches tried per branch. */
const MOST_OUTSIDERS = 4;

/** Triples of rows, highest stake first; in the hierarchy the third row is the odd one. */
export function* candidateTriples(branching: Branching): Generator<Triple, void, void> {
  const { merges, points } = branching;
  const means = meansOf(points, merges);
  const row = representatives(points, merges, means);
  const candidates = candidatesOf(branching, means).sort((p, q) => q.stake - p.stake || q.parts[1] - p.parts[1]);
  for (let depth = 0; depth < MOST_OUTSIDERS; depth++) {
    for (const { parts, outsiders } of candidates) {
      const outsider = outsiders[depth];
      if (outsider !== undefined) yield [row(parts[0]), row(parts[1]), row(outsider)];
    }
  }
}

function candidatesOf({ merges, points, clusters }: Branching, means: Float64Array): Candidate[] {
  const n = points.n;
  const d = points.d;
  const clusterOf = clusterOfNodes(n, merges, clusters);
  const parent = new Int32Array(n + merges.length).fill(-1);
  merges.forEach(([left, right], m) => {
    parent[left] = parent[right] = n + m;
  });
  const sizeOf = (node: number): number => (node < n ? 1 : merges[node - n]![3]);
  const between = (p: number, q: number): number => {
    let square = 0;
    for (let j = 0; j < d; j++) square += (means[p * d + j]! - means[q * d + j]!) ** 2;
    return Math.sqrt(square);
  };
  return merges.flatMap(([left, right], m): Candidate[] => {
    const node = n + m;
    const own = clusterOf[node]!;
    const found = own >= 0 ? clusters.filter((cluster) => clusterOf[cluster] !== own) : besides(node, parent, merges, n);
    if (found.length === 0) return [];
    const near = (other: number): number => Math.min(between(left, other), between(right, other));
    const outsiders = found
      .map((other) => ({ other, distance: near(other) }))
      .sort((p, q) => p.distance - q.distance || p.other - q.other)
      .slice(0, MOST_OUTSIDERS);
    const apart = between(left, right);
    const doubt = apart / (apart + outsiders[0]!.distance || 1);
    return [
      {
        parts: [left, right],
        outsiders: outsiders.map(({ other }) => other),
        stake: Math.min(sizeOf(left), sizeOf(right)) * doubt,
      },
    ];
  });
}

/** For each node, the cluster that contains all its rows; -1 for a node above the clusters. */
function clusterOfNodes(n: number, merges: readonly Merge[], clusters: readonly number[]): Int32Array {
  const clusterOf = new Int32Array(n + merges.length).fill(-1);
  clusters.forEach((node, number) => {
    clusterOf[node] = number;
  });
  for (let m = merges.length - 1; m >= 0; m--) {
    const own = clusterOf[n + m]!;
    if (own >= 0) clusterOf[merges[m]![0]] = clusterOf[merges[m]![1]] = own;
  }
  return clusterOf;
}

/** The sibling branches of a node and of its ancestors. */
function besides(node: number, parent: Int32Array, merges: readonly Merge[], n: number): number[] {
  const found: number[] = [];
  for (let at = node; parent[at]! >= 0 && found.length < MOST_OUTSIDERS; at = parent[at]!) {
    const [left, right] = merges[parent[at]! - n]!;
    found.push(left === at ? right : left);
  }
  return found;
}

function meansOf({ n, d, x }: Points, merges: readonly Merge[]): Float64Array {
  const means = new Float64Array((n + merges.length) * d);
  means.set(x.subarray(0, n * d));
  const sizeOf = (node: number): number => (node < n ? 1 : merges[node - n]![3]);
  merges.forEach(([left, right, , size], m) => {
    const share = sizeOf(left) / size;
    for (let j = 0; j < d; j++) means[(n + m) * d + j] = share * means[left * d + j]! + (1 - share) * means[right * d + j]!;
  });
  return means;
}

/** For a node, the row nearest to its mean, the lowest on ties. */
function representatives({ n, d, x }: Points, merges: readonly Merge[], means: Float64Array): (node: number) => number {
  const known = new Map<number, number>();
  const find = (top: number): number => {
    let [best, least] = [-1, Infinity];
    const open = [top];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node >= n) {
        open.push(merges[node - n]![0], merges[node - n]![1]);
        continue;
      }
      let square = 0;
      for (let j = 0; j < d; j++) square += (x[node * d + j]! - means[top * d + j]!) ** 2;
      if (square < least || (square === least && node < best)) [best, least] = [node, square];
    }
    return best;
  };
  return (node) => {
    if (!known.has(node)) known.set(node, find(node));
    return known.get(node)!;
  };
}
