/** The best cut of a finished hierarchy as labels, with what speaks for it. */
import { groupBeyond } from "../../../constraints/index.js";
import { meetingPlaces } from "../../../constraints/meeting.js";
import type { ConstraintSet, Grouping, KnownLabels } from "../../../model/constraint-set.js";
import type { Chosen, Found, Merge } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import { labelsOfBranches } from "./merges.js";

/** One part, below a forbidden merge, counts as beside another of no clusters. */
const NO_PART: Counts = { weight: Float64Array.of(0), stability: Float64Array.of(0), inFirst: Int32Array.of(0) };

export interface BestCutRequest {
  /** So many clusters; any number if left out. */
  readonly k?: number | undefined;
  readonly minClusterSize?: number | undefined;
  readonly scale?: Scale;
  /** What would give more clusters, as the subject of a sentence. */
  readonly looser?: string;
  /** The first merges that are never undone. */
  readonly firm?: number;
  /** For branches below a forbidden merge, the height at which they would merge if nothing were forbidden. */
  readonly ends?: ReadonlyMap<number, number> | undefined;
}

interface Wanted extends Condensing {
  readonly looser: string;
}

/** Of HDBSCAN's package. */
export const USUAL_MIN_CLUSTER_SIZE = 5;

/** Cuts into more clusters are not compared with others. */
const MOST_COMPARED = 50;

export function cutBest(
  merges: readonly Merge[],
  constraints: ConstraintSet,
  { k, minClusterSize, scale = "lifetime", looser = "A smaller minimum cluster size", firm = 0, ends }: BestCutRequest,
): Pick<Found, "labels" | "notices" | "chosen"> {
  const { n } = constraints;
  const condensing: Wanted = {
    looser,
    minClusterSize: minClusterSize ?? usualMinClusterSize(constraints),
    scale,
    firm,
    ...(ends ? { ends } : {}),
  };
  const kept = keptWeights(merges, n, constraints);
  if (k !== undefined) return cutInto(merges, k, kept, condensing, n);
  const found = bestCut(merges, n, kept, condensing);
  const labels = labelsOfBranches(found.branches, merges, n);
  const chosen = { k: found.branches.length, by: wordsFor(kept), evidence: evidenceFor(merges, n, kept, condensing, found) };
  return { labels, chosen, notices: noiseNotices(labels, found, condensing) };
}

/**
 * Clusters of 5 rows, as in HDBSCAN's package. But an exclusive group of g rows needs g clusters, and any cut two: then no more than a
 * quarter of the rows that a cluster has on average at most, so that records of a few sources may be alone.
 */
function usualMinClusterSize(constraints: ConstraintSet): number {
  const clusters = Math.max(2, groupBeyond(constraints, 0)?.rows ?? 0);
  return Math.max(1, Math.min(USUAL_MIN_CLUSTER_SIZE, Math.floor(constraints.n / (4 * clusters))));
}

function cutInto(
  merges: readonly Merge[],
  k: number,
  kept: KeptWeights,
  condensing: Wanted,
  n: number,
): Pick<Found, "labels" | "notices"> {
  const cuts = bestCuts(merges, n, k, kept, condensing);
  const found = cuts.into(Math.min(k, cuts.most));
  const labels = labelsOfBranches(found.branches, merges, n);
  const fewer =
    cuts.most < k
      ? [
          `The hierarchy has no ${k} clusters of at least ${counted(condensing.minClusterSize, "row")} apart from each other: there are ${cuts.most}. ${condensing.looser} allows more.`,
        ]
      : [];
  return { labels, notices: [...fewer, ...noiseNotices(labels, found, condensing)] };
}

function wordsFor({ any }: KeptWeights): string {
  return any ? "best cut: constraint weight, then stability" : "best cut: stability";
}

/** The best cuts into fewer and more clusters, and how stable they are. */
function evidenceFor(
  merges: readonly Merge[],
  n: number,
  kept: KeptWeights,
  condensing: Condensing,
  found: BestCut,
): Chosen["evidence"] {
  const k = found.branches.length;
  if (k < 2 || 2 * k > MOST_COMPARED) return k === 0 ? [] : [{ k, score: found.stability }];
  const cuts = bestCuts(merges, n, Math.max(10, 2 * k), kept, condensing);
  const lost = (cut: BestCut) => (kept.any ? { lost: Math.max(0, found.weight - cut.weight) } : {});
  return Array.from({ length: cuts.most - 1 }, (_, at) => {
    const cut = cuts.into(at + 2);
    return { k: at + 2, score: cut.stability, ...lost(cut) };
  });
}

function noiseNotices(labels: Int32Array, { branches }: BestCut, { minClusterSize, looser }: Wanted): string[] {
  const noise = labels.reduce((sum, label) => sum + (label < 0 ? 1 : 0), 0);
  if (noise === 0) return [];
  const least = counted(minClusterSize, "row");
  if (branches.length === 0)
    return [
      `No part of the hierarchy splits into two clusters of at least ${least}: every row is noise. ${looser}, or a number of clusters, gives clusters.`,
    ];
  return [
    `${counted(noise, "row")} ${noise === 1 ? "is" : "are"} noise: clusters have at least ${least}. With the minimum cluster size 1 every row is in a cluster.`,
  ];
}

/*
 * The condensed tree of a hierarchy: its branches of at least some rows, as clusters that live, shrink and split.
 *
 * From the root down, a merge of two large branches ends a cluster and begins two. Where only one branch is large, the cluster goes
 * on as that one, and the rows of the other fall out of it. What a cluster holds is the whole branch that it began with. A merge that
 * a constraint forbids ends a cluster always, so that what is below it can be had without it.
 *
 * Campello, Moulavi, Zimek, Sander 2013, and McInnes, Healy, Astels 2017 for the name.
 */

/**
 * How long rows stay in a cluster is measured in heights (`lifetime`), or in 1 / height (`density`), which for distances of mutual
 * reachability is HDBSCAN*'s.
 */
export type Scale = "lifetime" | "density";

export interface Condensing {
  /** Rows of the smallest cluster. */
  readonly minClusterSize: number;
  readonly scale: Scale;
  /** The first merges that are never undone: those inside must-link components of a method that keeps them. */
  readonly firm: number;
  /** For branches below a forbidden merge, the height at which they would merge if nothing were forbidden. */
  readonly ends?: ReadonlyMap<number, number>;
}

/** Clusters are numbered from the root, 0; each before the parts that it splits into, which stand side by side. */
export interface CondensedTree {
  readonly count: number;
  /** The node of the hierarchy that a cluster began with. */
  readonly node: Int32Array;
  /** The first of the clusters that a cluster splits into, and how many there are: none, two, or below a forbidden merge one. */
  readonly first: Int32Array;
  readonly parts: Uint8Array;
  /** Over the rows of a cluster, how long they stay in it, summed up. */
  readonly stability: Float64Array;
  /** Whether the root holds rows that may not be noise. */
  readonly bound: boolean;
}

export function condensedTree(
  merges: readonly Merge[],
  n: number,
  { minClusterSize, scale, firm, ends }: Condensing,
): CondensedTree {
  const nodes = n + merges.length;
  const level = levelsOf(merges, n, scale, firm);
  const bound = boundNodes(merges, n, firm);
  const isLarge = (node: number): boolean => (node < n ? 1 : merges[node - n]![3]) >= minClusterSize || bound[node] === 1;
  const most = 2 * n;
  const node = new Int32Array(most);
  const first = new Int32Array(most).fill(-1);
  const parts = new Uint8Array(most);
  const stability = new Float64Array(most);
  const birth = new Float64Array(most);
  const clusterOf = new Int32Array(nodes).fill(-1);
  node[0] = nodes - 1;
  clusterOf[nodes - 1] = 0;
  birth[0] = scale === "density" ? 0 : level[nodes - 1]!;
  let count = 1;
  for (let at = nodes - 1; at >= 0; at--) {
    const cluster = clusterOf[at]!;
    if (cluster < 0) continue;
    const stay = level[at]! - birth[cluster]!;
    if (at < n + firm) {
      stability[cluster]! += stay * (at < n ? 1 : merges[at - n]![3]);
      continue;
    }
    const [left, right, height, size] = merges[at - n]!;
    const [onLeft, onRight] = [isLarge(left), isLarge(right)];
    if (onLeft !== onRight && height < Infinity) {
      const [large, small] = onLeft ? [left, right] : [right, left];
      stability[cluster]! += stay * (small < n ? 1 : merges[small - n]![3]);
      clusterOf[large] = cluster;
      continue;
    }
    stability[cluster]! += stay * size;
    first[cluster] = count;
    for (const child of [left, right]) {
      if (!(child === left ? onLeft : onRight)) continue;
      const end = ends?.get(child);
      node[count] = child;
      birth[count] = end === undefined ? level[at]! : Math.min(level[child]!, -end);
      parts[cluster]!++;
      clusterOf[child] = count++;
    }
  }
  return {
    count,
    node: node.slice(0, count),
    first: first.slice(0, count),
    parts: parts.slice(0, count),
    stability: stability.slice(0, count),
    bound: bound[nodes - 1] === 1,
  };
}

/**
 * Where each node stands on the scale, rising from the root down. A merge counts as high as the highest below it; one that a constraint
 * forbids, as high as the highest that none does. At height 0 a density counts as twice that of the smallest height above 0.
 */
function levelsOf(merges: readonly Merge[], n: number, scale: Scale, firm: number): Float64Array {
  const height = new Float64Array(n + merges.length);
  let [least, most] = [Infinity, 0];
  for (const [, , own] of merges) {
    if (own === Infinity) continue;
    if (own > most) most = own;
    if (own > 0 && own < least) least = own;
  }
  merges.forEach(([left, right, own], m) => {
    if (m >= firm) height[n + m] = Math.max(Math.min(own, most), height[left]!, height[right]!);
  });
  if (scale === "lifetime") return height.map((value) => -value);
  return height.map((value) => 1 / (value > 0 ? value : least / 2));
}

/** Nodes with a must-link component of several rows below them. */
function boundNodes(merges: readonly Merge[], n: number, firm: number): Uint8Array {
  const bound = new Uint8Array(n + merges.length);
  merges.forEach(([left, right], m) => {
    bound[n + m] = m < firm ? 1 : bound[left]! | bound[right]!;
  });
  return bound;
}

/*
 * The best cut of a hierarchy, which need not be at one height: the clusters of its condensed tree, one on each way from the root to a
 * cluster that splits no further, that keep the most constraint weight, and among those the most stable.
 *
 * Campello, Moulavi, Zimek, Sander 2013: A framework for semi-supervised and unsupervised optimal extraction of clusters from
 * hierarchies. By dynamic programming from the last clusters up: a cluster is taken whole, or as the best of its two parts.
 *
 * Departs from the paper: the paper adds up the share of kept constraints and stability, or takes one of them; here weight comes
 * first. The root, which would keep all must-links, is no cluster, as in the paper, unless one cluster is asked for, or it holds a must-link
 * component that may not be noise and nothing splits.
 */

interface BestCut {
  /** Nodes of the hierarchy: rows 0 … n-1, then the merges. */
  readonly branches: readonly number[];
  /** Constraint weight, up to a constant, and stability. */
  readonly weight: number;
  readonly stability: number;
}

/** The best cut into any number of clusters. Empty if no part of the hierarchy splits into two large enough ones. */
export function bestCut(merges: readonly Merge[], n: number, kept: KeptWeights, condensing: Condensing): BestCut {
  const tree = condensedTree(merges, n, condensing);
  const { count, node, first, parts } = tree;
  const weight = Float64Array.from(node, (at) => kept.weight[at]!);
  const stability = tree.stability.slice();
  const whole = new Uint8Array(count).fill(1);
  for (let c = count - 1; c >= 0; c--) {
    if (parts[c] === 0) continue;
    const [w, s] = [sumOfParts(weight, tree, c), sumOfParts(stability, tree, c)];
    if (c > 0 && !isBetter(w, s, weight[c]!, stability[c]!, kept.tolerance)) continue;
    whole[c] = 0;
    weight[c] = w;
    stability[c] = s;
  }
  // Where all merges are equally high, as among equal rows, any clusters would be arbitrary.
  const isFlat = stability[0] === 0 && !kept.any;
  if ((count === 1 || isFlat) && !tree.bound) return { branches: [], weight: 0, stability: 0 };
  const branches: number[] = [];
  const open = [0];
  while (open.length > 0) {
    const c = open.pop()!;
    if (whole[c] === 1) branches.push(node[c]!);
    else for (let p = 0; p < parts[c]!; p++) open.push(first[c]! + p);
  }
  return { branches, weight: weight[0]!, stability: stability[0]! };
}

function sumOfParts(values: Float64Array, { first, parts }: CondensedTree, c: number): number {
  return values[first[c]!]! + (parts[c] === 2 ? values[first[c]! + 1]! : 0);
}

/** Clusters that are equally good are not taken apart. */
function isBetter(weight: number, stability: number, than: number, thanStability: number, tolerance: number): boolean {
  if (weight > than + tolerance) return true;
  return weight >= than - tolerance && stability > thanStability;
}

/** For 1, 2, … clusters below a cluster: the best weight and stability, and how many of them are in its first part, 0 for none. */
interface Counts {
  readonly weight: Float64Array;
  readonly stability: Float64Array;
  readonly inFirst: Int32Array;
}

interface CutsByCount {
  /** The most clusters that there can be, or that were asked for. */
  readonly most: number;
  /** The best cut into so many, from 1 to `most`. */
  into(k: number): BestCut;
}

/** The best cuts into 1 to `k` clusters. */
export function bestCuts(merges: readonly Merge[], n: number, k: number, kept: KeptWeights, condensing: Condensing): CutsByCount {
  const tree = condensedTree(merges, n, condensing);
  const counts: Counts[] = new Array(tree.count);
  for (let c = tree.count - 1; c >= 0; c--) {
    const own = { weight: kept.weight[tree.node[c]!]!, stability: tree.stability[c]! };
    const parts = counts.slice(tree.first[c]!, tree.first[c]! + tree.parts[c]!);
    counts[c] = tree.parts[c] === 0 ? whole(own) : combine(own, parts, k, kept.tolerance);
  }
  return {
    most: counts[0]!.inFirst.length,
    into: (asked) => ({
      branches: descend(tree, counts, asked),
      weight: counts[0]!.weight[asked - 1]!,
      stability: counts[0]!.stability[asked - 1]!,
    }),
  };
}

interface Own {
  readonly weight: number;
  readonly stability: number;
}

function whole({ weight, stability }: Own): Counts {
  return { weight: Float64Array.of(weight), stability: Float64Array.of(stability), inFirst: Int32Array.of(0) };
}

function combine(own: Own, [one, other]: readonly Counts[], k: number, tolerance: number): Counts {
  const rest = other ?? NO_PART;
  const least = other ? 1 : 0;
  const most = Math.min(k, one!.inFirst.length + (other?.inFirst.length ?? 0));
  const weight = new Float64Array(most).fill(-Infinity);
  const stability = new Float64Array(most).fill(-Infinity);
  const inFirst = new Int32Array(most);
  [weight[0], stability[0]] = [own.weight, own.stability];
  for (let p = 1; p <= one!.inFirst.length; p++) {
    for (let q = least; q - least < rest.inFirst.length && p + q <= most; q++) {
      const w = one!.weight[p - 1]! + rest.weight[q - least]!;
      const s = one!.stability[p - 1]! + rest.stability[q - least]!;
      const at = p + q - 1;
      if (!isBetter(w, s, weight[at]!, stability[at]!, tolerance)) continue;
      weight[at] = w;
      stability[at] = s;
      inFirst[at] = p;
    }
  }
  return { weight, stability, inFirst };
}

function descend({ node, first, parts }: CondensedTree, counts: readonly Counts[], k: number): number[] {
  const branches: number[] = [];
  const open: [cluster: number, count: number][] = [[0, k]];
  while (open.length > 0) {
    const [c, count] = open.pop()!;
    const inFirst = counts[c]!.inFirst[count - 1]!;
    if (inFirst === 0) branches.push(node[c]!);
    else {
      open.push([first[c]!, inFirst]);
      if (parts[c] === 2) open.push([first[c]! + 1, count - inFirst]);
    }
  }
  return branches;
}

/*
 * What each branch of a hierarchy keeps and breaks if it is a cluster, in constraint weight. Summed up over the clusters of a cut, it
 * is the weight that the cut keeps, up to a constant.
 *
 * - A must-link counts for the branches that hold both rows, a cannot-link against them. So a row that is in no cluster breaks its
 *   must-links and keeps its cannot-links.
 * - ab|c counts against a branch that holds c and just one of a and b.
 * - A label counts half for the share of its class that is with it, and half against the share of other classes that is. Shares
 *   are by weight: so a class of many rows counts no more than its labels weigh.
 * - An exclusive group counts 1 against a branch for each row beyond its first.
 *
 * One constraint of weight Infinity counts more than all others together.
 */

interface KeptWeights {
  /** By node: the weight that it keeps less what it breaks. */
  readonly weight: Float64Array;
  /** Differences below this are those of rounding. */
  readonly tolerance: number;
  /** Whether there are constraints. */
  readonly any: boolean;
}

export function keptWeights(merges: readonly Merge[], n: number, set: ConstraintSet): KeptWeights {
  const weight = new Float64Array(n + merges.length);
  const { priceOf, total } = pricesOf(set);
  const meet = meetingPlaces(n, merges);
  const add = (node: number, value: number): void => {
    weight[node]! += value;
  };
  const { mustLinks, cannotLinks, relative } = set;
  mustLinks.a.forEach((a, s) => {
    add(meet(a, mustLinks.b[s]!), priceOf(mustLinks.weight[s]!));
  });
  cannotLinks.a.forEach((a, s) => {
    add(meet(a, cannotLinks.b[s]!), -priceOf(cannotLinks.weight[s]!));
  });
  relative.a.forEach((a, s) => {
    const [one, other] = [meet(a, relative.c[s]!), meet(relative.b[s]!, relative.c[s]!)];
    add(Math.min(one, other), -priceOf(relative.weight[s]!));
    add(Math.max(one, other), priceOf(relative.weight[s]!));
  });
  for (const grouping of set.exclusive) addExcess(weight, merges, n, grouping);
  merges.forEach(([left, right], m) => {
    weight[n + m]! += weight[left]! + weight[right]!;
  });
  addLabels(weight, merges, n, set.labels, priceOf);
  return { weight, tolerance: 1e-12 * total, any: total > 0 };
}

function pricesOf({ mustLinks, cannotLinks, relative, labels, exclusive }: ConstraintSet): {
  readonly priceOf: (weight: number) => number;
  readonly total: number;
} {
  let finite = 0;
  let infinite = 0;
  for (const { weight } of [mustLinks, cannotLinks, relative, labels]) {
    for (const value of weight) {
      if (value === Infinity) infinite++;
      else finite += value;
    }
  }
  for (const { codes } of exclusive) for (const code of codes) if (code >= 0) finite++;
  const hard = 1 + finite;
  return { priceOf: (weight) => (weight === Infinity ? hard : weight), total: finite + infinite * hard };
}

/** A merge brings together one row too many for each group that both parts have. */
function addExcess(weight: Float64Array, merges: readonly Merge[], n: number, { codes }: Grouping): void {
  const groups: (Set<number> | undefined)[] = Array.from(codes, (code) => (code < 0 ? undefined : new Set([code])));
  merges.forEach(([left, right], m) => {
    const [one, other] = [groups[left], groups[right]];
    groups[left] = groups[right] = undefined;
    if (one === undefined || other === undefined) {
      groups[n + m] = one ?? other;
      return;
    }
    const [small, large] = one.size < other.size ? [one, other] : [other, one];
    let shared = 0;
    for (const group of small) {
      if (large.has(group)) shared++;
      else large.add(group);
    }
    weight[n + m]! -= shared;
    groups[n + m] = large;
  });
}

/** The labels below a node: weight by class, and the sums that the shares are made of. */
interface Labelled {
  readonly byClass: Map<number, number>;
  weight: number;
  /** Σ w² / W over the classes: w of W of the class's weight is here. */
  together: number;
  /** Σ w / (W' - W) over the classes, with W' the weight of all labels; then Σ w² / (W' - W). */
  others: number;
  othersSquared: number;
}

function addLabels(
  weight: Float64Array,
  merges: readonly Merge[],
  n: number,
  { row, code, weight: given, names }: KnownLabels,
  priceOf: (weight: number) => number,
): void {
  if (row.length === 0) return;
  const ofClass = new Float64Array(names.length);
  row.forEach((_, s) => {
    ofClass[code[s]!]! += priceOf(given[s]!);
  });
  const all = ofClass.reduce((sum, value) => sum + value, 0);
  const labelled: (Labelled | undefined)[] = new Array(n + merges.length);
  const put = (to: Labelled, c: number, w: number): void => {
    const before = to.byClass.get(c) ?? 0;
    const outside = all - ofClass[c]!;
    to.byClass.set(c, before + w);
    to.weight += w;
    to.together += (w * (w + 2 * before)) / ofClass[c]!;
    to.others += outside > 0 ? w / outside : 0;
    to.othersSquared += outside > 0 ? (w * (w + 2 * before)) / outside : 0;
  };
  const credit = ({ weight: here, together, others, othersSquared }: Labelled): number =>
    (together - (here * others - othersSquared)) / 2;
  row.forEach((i, s) => {
    labelled[i] ??= { byClass: new Map(), weight: 0, together: 0, others: 0, othersSquared: 0 };
    put(labelled[i]!, code[s]!, priceOf(given[s]!));
  });
  for (const i of new Set(row)) weight[i]! += credit(labelled[i]!);
  merges.forEach(([left, right], m) => {
    const [one, other] = [labelled[left], labelled[right]];
    const [small, large] = (one?.byClass.size ?? 0) < (other?.byClass.size ?? 0) ? [one, other] : [other, one];
    if (large === undefined) return;
    if (small) for (const [c, w] of small.byClass) put(large, c, w);
    labelled[left] = labelled[right] = undefined;
    labelled[n + m] = large;
    weight[n + m]! += credit(large);
  });
}
