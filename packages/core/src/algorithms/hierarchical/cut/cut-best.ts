/**
 * The best cut of a finished hierarchy: the labels, and a comparison with other numbers of clusters.
 *
 * Part 1 reads the hierarchy as a condensed tree. Part 2 finds its best cut by dynamic programming. Part 3 computes the weight of the
 * constraints that each branch satisfies and violates.
 */
import { groupBeyond } from "../../../constraints/index.js";
import { meetingPlaces } from "../../../constraints/meeting.js";
import type { ConstraintSet, Grouping, KnownLabels } from "../../../model/constraint-set.js";
import type { ChosenK, Merge, Outcome } from "../../../model/result.js";
import { counted } from "../../../model/wording.js";
import { labelsOfBranches } from "./merges.js";

/** An empty second part, for clusters that end at a forbidden merge with only one large branch. */
const NO_PART: Counts = { weight: Float64Array.of(0), stability: Float64Array.of(0), inFirst: Int32Array.of(0) };

export interface BestCutRequest {
  /** Number of clusters. If left out, the cut chooses the number. */
  readonly k?: number | undefined;
  readonly minClusterSize?: number | undefined;
  readonly scale?: Scale;
  /** Start of a notice: how to get more clusters, for example "A smaller number of minimum samples". */
  readonly looser?: string;
  /** Number of merges inside must-link components. They are the first merges of the hierarchy, and the cut never undoes them. Default 0. */
  readonly firm?: number;
  /** For each branch below a forbidden merge: the height at which it would merge if nothing were forbidden. */
  readonly ends?: ReadonlyMap<number, number> | undefined;
}

interface Wanted extends Condensing {
  readonly looser: string;
}

/** Default minimum number of rows in a cluster, as in the `hdbscan` package. */
export const USUAL_MIN_CLUSTER_SIZE = 5;

/** Maximum number of clusters for which `evidenceFor` computes a score. */
const MOST_COMPARED = 50;

export function cutBest(
  merges: readonly Merge[],
  constraints: ConstraintSet,
  { k, minClusterSize, scale = "lifetime", looser = "A smaller minimum cluster size", firm = 0, ends }: BestCutRequest,
): Pick<Outcome, "labels" | "notices" | "chosen"> {
  const { n } = constraints;
  const condensing: Wanted = {
    looser,
    minClusterSize: minClusterSize ?? usualMinClusterSize(constraints),
    scale,
    firm,
    ...(ends ? { ends } : {}),
  };
  const satisfied = satisfiedWeights(merges, n, constraints);
  if (k !== undefined) return cutInto(merges, k, satisfied, condensing, n);
  const found = bestCut(merges, n, satisfied, condensing);
  const labels = labelsOfBranches(found.branches, merges, n);
  const chosen = {
    k: found.branches.length,
    by: satisfied.any ? "best cut: constraint weight, then stability" : "best cut: stability",
    evidence: evidenceFor(merges, n, satisfied, condensing, found),
  };
  return { labels, chosen, notices: noiseNotices(labels, found, condensing) };
}

/**
 * Default minimum cluster size: 5 rows, as in the `hdbscan` package, but at most n / (4 · clusters). `clusters` is the smallest possible
 * number of clusters: 2, or g if there is an exclusive group of g rows. In record linkage the result can be 1, so a single record can be a
 * cluster.
 */
function usualMinClusterSize(constraints: ConstraintSet): number {
  const clusters = Math.max(2, groupBeyond(constraints, 0)?.rows ?? 0);
  return Math.max(1, Math.min(USUAL_MIN_CLUSTER_SIZE, Math.floor(constraints.n / (4 * clusters))));
}

function cutInto(
  merges: readonly Merge[],
  k: number,
  satisfied: SatisfiedWeights,
  condensing: Wanted,
  n: number,
): Pick<Outcome, "labels" | "notices"> {
  const cuts = bestCuts(merges, n, k, satisfied, condensing);
  const found = cuts.into(Math.min(k, cuts.most));
  const labels = labelsOfBranches(found.branches, merges, n);
  const fewer =
    cuts.most < k
      ? [
          `The hierarchy has no ${k} separate clusters of at least ${counted(condensing.minClusterSize, "row")}: it has ${cuts.most}. ${condensing.looser} allows more.`,
        ]
      : [];
  return { labels, notices: [...fewer, ...noiseNotices(labels, found, condensing)] };
}

function evidenceFor(
  merges: readonly Merge[],
  n: number,
  satisfied: SatisfiedWeights,
  condensing: Condensing,
  found: BestCut,
): ChosenK["evidence"] {
  const k = found.branches.length;
  if (k < 2 || 2 * k > MOST_COMPARED) return k === 0 ? [] : [{ k, score: found.stability }];
  const cuts = bestCuts(merges, n, Math.max(10, 2 * k), satisfied, condensing);
  const lost = (cut: BestCut) => (satisfied.any ? { lost: Math.max(0, found.weight - cut.weight) } : {});
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
 * Part 1. The condensed tree of a hierarchy: only branches of at least `minClusterSize` rows are clusters.
 *
 * Read the hierarchy from the root down. A merge of two large branches ends one cluster and starts two. If only one branch is large, the
 * cluster continues in this branch, and the rows of the small branch leave the cluster. A cluster contains all rows of the branch at which
 * it starts. A forbidden merge always ends a cluster, so a cut can separate its two branches.
 *
 * Campello, Moulavi, Zimek, Sander 2013; McInnes, Healy, Astels 2017 for the name.
 */

/**
 * How heights are converted to levels for the stability of a cluster. `lifetime`: level = -height. `density`: level = 1 / height
 * (HDBSCAN*). A row counts with the difference between the levels at which it enters and leaves the cluster.
 */
export type Scale = "lifetime" | "density";

export interface Condensing {
  readonly minClusterSize: number;
  readonly scale: Scale;
  /** Number of merges inside must-link components. They are the first merges of the hierarchy, and the cut never undoes them. */
  readonly firm: number;
  readonly ends?: ReadonlyMap<number, number>;
}

/**
 * The clusters of a hierarchy. The root is cluster 0. Each cluster has a lower number than its parts. The parts of a cluster have
 * consecutive numbers.
 */
export interface CondensedTree {
  readonly count: number;
  /** The node of the hierarchy at which each cluster starts. */
  readonly node: Int32Array;
  /** `first`: number of the first part of each cluster, -1 for none. `parts`: number of parts: 0, 1 (at a forbidden merge) or 2. */
  readonly first: Int32Array;
  readonly parts: Uint8Array;
  /** By cluster: the stability, Σ over its rows of (level where the row leaves - level where the cluster starts). */
  readonly stability: Float64Array;
  /** Whether the root contains a must-link component of several rows. Rows of such a component are never noise. */
  readonly bound: boolean;
}

function condensedTree(merges: readonly Merge[], n: number, { minClusterSize, scale, firm, ends }: Condensing): CondensedTree {
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
 * The level of each node, increasing from the root down. The height of a merge is raised to the largest height below it. A forbidden merge
 * gets the largest finite height. For densities, height 0 is replaced by half of the smallest height above 0.
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

/** Marks the nodes that contain a must-link component of several rows. */
function boundNodes(merges: readonly Merge[], n: number, firm: number): Uint8Array {
  const bound = new Uint8Array(n + merges.length);
  merges.forEach(([left, right], m) => {
    bound[n + m] = m < firm ? 1 : bound[left]! | bound[right]!;
  });
  return bound;
}

/*
 * Part 2. The best cut of a hierarchy. Its clusters may be at different heights.
 *
 * A cut selects exactly one cluster of the condensed tree on each path from the root to a leaf cluster. The best cut satisfies the most
 * constraint weight; on ties it has the highest stability. Campello, Moulavi, Zimek, Sander 2013: A framework for semi-supervised and
 * unsupervised optimal extraction of clusters from hierarchies. Dynamic programming runs from the leaf clusters up: each cluster is either
 * taken whole, or replaced by the best cuts of its parts.
 *
 * Departs from the paper: the paper adds the share of satisfied constraints to the stability, or uses only one of them. Here the constraint
 * weight comes first. As in the paper, the root is not a cluster: it would satisfy all must-links. There are two exceptions: the caller
 * asks for one cluster, or the root has no parts but contains a must-link component.
 */

interface BestCut {
  /** The clusters as nodes of the hierarchy: 0 … n-1 are rows, n is the first merge, and so on. */
  readonly branches: readonly number[];
  /** `weight`: satisfied minus violated constraint weight, see part 3. `stability`: sum of the stabilities of the clusters. */
  readonly weight: number;
  readonly stability: number;
}

/** The best cut into any number of clusters; no branches if no merge joins two branches that are large enough. */
export function bestCut(merges: readonly Merge[], n: number, satisfied: SatisfiedWeights, condensing: Condensing): BestCut {
  const tree = condensedTree(merges, n, condensing);
  const { count, node, first, parts } = tree;
  const weight = Float64Array.from(node, (at) => satisfied.weight[at]!);
  const stability = tree.stability.slice();
  const whole = new Uint8Array(count).fill(1);
  for (let c = count - 1; c >= 0; c--) {
    if (parts[c] === 0) continue;
    const [w, s] = [sumOfParts(weight, tree, c), sumOfParts(stability, tree, c)];
    if (c > 0 && !isBetter(w, s, weight[c]!, stability[c]!, satisfied.tolerance)) continue;
    whole[c] = 0;
    weight[c] = w;
    stability[c] = s;
  }
  // If all merges have the same height, every choice of clusters would be arbitrary. So no cluster is chosen.
  const isFlat = stability[0] === 0 && !satisfied.any;
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

/** Whether a cut is strictly better than another cut: more constraint weight, or equal weight and more stability. */
function isBetter(weight: number, stability: number, than: number, thanStability: number, tolerance: number): boolean {
  if (weight > than + tolerance) return true;
  return weight >= than - tolerance && stability > thanStability;
}

/**
 * The best cuts of one branch. Entry c - 1 describes the best cut into c clusters. `inFirst`: number of clusters in the first part; 0 if
 * the branch stays one cluster.
 */
interface Counts {
  readonly weight: Float64Array;
  readonly stability: Float64Array;
  readonly inFirst: Int32Array;
}

interface CutsByCount {
  /** The largest possible number of clusters, at most the requested number. */
  readonly most: number;
  /** The best cut into k clusters, 1 ≤ k ≤ `most`. */
  into(k: number): BestCut;
}

/** The best cuts into 1 to `k` clusters. */
export function bestCuts(
  merges: readonly Merge[],
  n: number,
  k: number,
  satisfied: SatisfiedWeights,
  condensing: Condensing,
): CutsByCount {
  const tree = condensedTree(merges, n, condensing);
  const counts: Counts[] = new Array(tree.count);
  for (let c = tree.count - 1; c >= 0; c--) {
    const own = { weight: satisfied.weight[tree.node[c]!]!, stability: tree.stability[c]! };
    const parts = counts.slice(tree.first[c]!, tree.first[c]! + tree.parts[c]!);
    counts[c] = tree.parts[c] === 0 ? whole(own) : combine(own, parts, k, satisfied.tolerance);
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
 * Part 3. The weight of each branch of a hierarchy as a cluster: satisfied minus violated constraint weight. The weights of the clusters of
 * a cut add up to the weight that the cut satisfies, plus a constant.
 *
 * - Must-link: adds its weight if the branch contains both rows. Noise rows therefore violate their must-links.
 * - Cannot-link: subtracts its weight if the branch contains both rows.
 * - ab|c: subtracts its weight if the branch contains c and exactly one of a and b.
 * - Label of weight v: adds v/2 times the share of its own class in the branch, and subtracts v/2 times the share of all other classes in
 *   the branch. Shares are by weight, so every class counts with the weight of its labels, not with its number of rows.
 * - Exclusive group: subtracts 1 for each row of the group in the branch after the first.
 *
 * One constraint of weight Infinity counts more than all finite constraints together.
 */

interface SatisfiedWeights {
  /** By node of the hierarchy: satisfied minus violated constraint weight if the node is a cluster. */
  readonly weight: Float64Array;
  /** Weight differences up to this value are rounding errors. */
  readonly tolerance: number;
  readonly any: boolean;
}

export function satisfiedWeights(merges: readonly Merge[], n: number, set: ConstraintSet): SatisfiedWeights {
  const weight = new Float64Array(n + merges.length);
  const { finiteWeight, total } = finiteWeightsOf(set);
  const meet = meetingPlaces(n, merges);
  const add = (node: number, value: number): void => {
    weight[node]! += value;
  };
  const { mustLinks, cannotLinks, relative } = set;
  mustLinks.a.forEach((a, s) => {
    add(meet(a, mustLinks.b[s]!), finiteWeight(mustLinks.weight[s]!));
  });
  cannotLinks.a.forEach((a, s) => {
    add(meet(a, cannotLinks.b[s]!), -finiteWeight(cannotLinks.weight[s]!));
  });
  relative.a.forEach((a, s) => {
    const [one, other] = [meet(a, relative.c[s]!), meet(relative.b[s]!, relative.c[s]!)];
    add(Math.min(one, other), -finiteWeight(relative.weight[s]!));
    add(Math.max(one, other), finiteWeight(relative.weight[s]!));
  });
  for (const grouping of set.exclusive) addExcess(weight, merges, n, grouping);
  merges.forEach(([left, right], m) => {
    weight[n + m]! += weight[left]! + weight[right]!;
  });
  addLabels(weight, merges, n, set.labels, finiteWeight);
  return { weight, tolerance: 1e-12 * total, any: total > 0 };
}

function finiteWeightsOf({ mustLinks, cannotLinks, relative, labels, exclusive }: ConstraintSet): {
  readonly finiteWeight: (weight: number) => number;
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
  return { finiteWeight: (weight) => (weight === Infinity ? hard : weight), total: finite + infinite * hard };
}

/**
 * Subtracts the violations of exclusive groups from the weights of the nodes. A merge adds one violation for each group with rows in both
 * of its branches.
 */
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

/**
 * The labels below a node: weight by class, and the sums for the shares of classes. In the formulas, w is the weight of a class below the
 * node, W the weight of the whole class, and W' the weight of all labels.
 */
interface Labelled {
  readonly byClass: Map<number, number>;
  weight: number;
  /** For the shares of own classes: Σ w² / W over the classes. */
  together: number;
  /** For the shares of other classes. `others`: Σ w / (W' - W). `othersSquared`: Σ w² / (W' - W). Sums over the classes. */
  others: number;
  othersSquared: number;
}

function addLabels(
  weight: Float64Array,
  merges: readonly Merge[],
  n: number,
  { row, code, weight: given, names }: KnownLabels,
  finiteWeight: (weight: number) => number,
): void {
  if (row.length === 0) return;
  const ofClass = new Float64Array(names.length);
  row.forEach((_, s) => {
    ofClass[code[s]!]! += finiteWeight(given[s]!);
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
    put(labelled[i]!, code[s]!, finiteWeight(given[s]!));
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
