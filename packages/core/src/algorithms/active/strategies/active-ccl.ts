/**
 * Active constrained complete linkage: asks about merges at large distances before it makes them.
 *
 * Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002, section 5.5.
 *
 * Complete linkage runs without questions below a height alpha. From alpha on, each merge is asked about; the question shows one row (the
 * root) of each cluster. After "same" the clusters merge: their distance becomes 0, and distances between other clusters become shortest
 * paths that may lead through them. After "different" the pair is barred, and complete linkage refuses every merge that would contain it.
 * When the budget is spent, the linkage continues without questions.
 *
 * Alpha is chosen so that `share` · budget merges are left between alpha and k clusters. The other questions are reserved for answers
 * "different", which cost a question and merge nothing. (The paper expects some merges below alpha after an answer "same". There are none,
 * because a shortened distance is a sum or minimum of distances of at least alpha.)
 *
 * Departs from the paper, or decides what it leaves open: The root is the cluster's medoid. After "unsure" the merge is made, because its
 * distance is the smallest. The dialogue ends at k clusters. The linkage after the last answer looks ahead, as `ccl` does, so that it ends
 * in k clusters that satisfy every answer. If clusters formed without questions make that impossible, `ccl` clusters all rows anew under
 * all answers. `lookahead: false` continues as in the paper, and can violate answers. The height of a merge in the hierarchy is the
 * distance at which it was proposed, even if answers changed the distance, so that heights do not fall while questions are asked.
 */

import * as z from "zod/mini";
import { graphOf } from "../../../colouring/graphs/graph.js";
import { type IncrementalColouring, keepColouring } from "../../../colouring/kept-colouring.js";
import { closeConstraints, type Lists } from "../../../constraints/index.js";
import type { Arena, F32, F64, Kernels, Metric } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Instances } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import { atLeast, option, toggle } from "../../../options.js";
import type { PairAnswer, Step, Steps } from "../../../steps/index.js";
import { listsByKey } from "../../../structures/components.js";
import { distanceMatrixSteps, rowDistance } from "../../distance.js";
import { constrainSteps } from "../../hierarchical/ccl/constrain-proximities.js";
import { expandMerges } from "../../hierarchical/ccl/constrained-linkage.js";
import { cutToK, labelsAfter } from "../../hierarchical/cut/merges.js";
import { mergeSteps, prepareLinkage } from "../../hierarchical/linkage.js";
import type { Context, Outcome } from "../../method.js";
import { linkageOutcome } from "../constrained-outcome.js";
import type { Journal } from "../journal.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";

export const activeCclOptions = z.strictObject({
  share: option(
    z._default(atLeast(0).check(z.lte(1)), 0.75),
    "expected share of questions with the answer 'same', which merges two clusters; the other answers are 'different'",
  ),
  lookahead: option(
    toggle(true),
    "refuse merges that would make it impossible for k clusters to satisfy every answer; used after the last answer",
  ),
  distance: rowDistance,
});

type Options = z.output<typeof activeCclOptions>;

export function* startActiveCcl(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  const { points, constraints, budget } = input;
  const k = input.k!;
  const merges = Math.round(Math.min(options.share * budget, points.n));
  const start = yield* reduceSteps(points, constraints, { k, merges, distance: options.distance }, context.kernels);
  const { journal } = setting;
  const matrix = new ReducedMatrix(start.distances, start.bars, start.barred, journal);
  const clusters = new GrownClusters(start.rows, start.totals, journal);
  const tree = new GrowingTree(start.merges, start.rows, journal);
  return new PairSession(setting, activeCcl(setting, { ...options, k }, context, { ...start, matrix, clusters, tree }));
}

interface LinkageState {
  readonly alpha: number;
  readonly matrix: ReducedMatrix;
  readonly clusters: GrownClusters;
  readonly tree: GrowingTree;
  readonly notices: readonly string[];
}

function activeCcl(
  setting: QuestionerSetting,
  options: Options & { readonly k: number },
  context: Context,
  growing: LinkageState,
): Questioner {
  const { knowledge, journal } = setting;
  const { alpha, matrix, clusters, tree } = growing;
  /** The two clusters that the last proposed question is about. */
  const proposed = Int32Array.of(-1, -1);
  return {
    propose() {
      while (matrix.count > options.k) {
        const pair = matrix.nearest();
        if (pair === null) return null;
        const [a, b] = pair;
        if (matrix.effective(a, b) >= alpha) {
          journal.set(proposed, 0, a);
          journal.set(proposed, 1, b);
          return [clusters.root(a), clusters.root(b)];
        }
        clusters.merge(a, b);
        join(growing, a, b);
      }
      return null;
    },
    observe(answer: PairAnswer) {
      const [a = -1, b = -1] = proposed;
      if (answer === "different") return matrix.bar(a, b);
      const height = matrix.effective(a, b);
      if (answer === "same") matrix.contract(a, b);
      clusters.merge(a, b);
      tree.merge(a, b, height);
      matrix.merge(a, b);
    },
    *outcome(): Steps<Outcome> {
      const mark = journal.mark();
      const further = mergesToK(matrix, options);
      journal.rewind(mark);
      if (!further) return yield* linkageOutcome(setting.points, knowledge.constraints(), options.k, options.distance, context);
      const k = Math.min(options.k, matrix.count);
      for (const [a, b] of further) join(growing, a, b);
      for (let pair = nearestOfAll(matrix); pair; pair = nearestOfAll(matrix)) join(growing, ...pair);
      const merges = [...tree.merges];
      journal.rewind(mark);
      return { labels: cutToK(merges, setting.points.n, k), merges, notices: growing.notices };
    },
  };
}

/**
 * Continues complete linkage without questions down to k clusters, and returns the merges. Returns null if lookahead finds no way to
 * satisfy every answer. Afterwards the matrix has k clusters, and merges that lookahead refused are barred in it.
 */
function mergesToK(
  matrix: ReducedMatrix,
  { k, lookahead }: { readonly k: number; readonly lookahead: boolean },
): (readonly [number, number])[] | null {
  const colouring = lookahead ? colouringOf(matrix, k) : undefined;
  if (colouring === null) return null;
  const merges: (readonly [number, number])[] = [];
  while (matrix.count > k) {
    const pair = lookahead ? matrix.nearest() : nearestOfAll(matrix);
    if (pair === null) return null;
    const [a, b] = pair;
    if (colouring && colouring.canMerge(a, b) !== "yes") {
      matrix.bar(a, b);
      continue;
    }
    colouring?.merge(a, b);
    matrix.merge(a, b);
    merges.push(pair);
  }
  return merges;
}

/** The closest two clusters. A barred pair is returned only if all pairs are barred; null if one cluster is left. */
function nearestOfAll(matrix: ReducedMatrix): readonly [number, number] | null {
  return matrix.nearest() ?? matrix.nearestBarred();
}

function join({ matrix, tree }: LinkageState, a: number, b: number): void {
  tree.merge(a, b, matrix.isBarred(a, b) ? Infinity : matrix.effective(a, b));
  matrix.merge(a, b);
}

/**
 * A k-colouring of the graph whose edges are barred pairs of clusters. It is updated as clusters merge, and shows which merges still leave
 * k clusters possible. Null if no k-colouring exists.
 */
function colouringOf(matrix: ReducedMatrix, k: number): IncrementalColouring | null {
  const left = matrix.clusters();
  const pairs = left.flatMap((a) => left.filter((b) => b > a && matrix.isBarred(a, b)).map((b) => [a, b] as const));
  const answer = keepColouring(graphOf(matrix.m, pairs), k);
  return answer.status === "feasible" ? answer.kept : null;
}

/*
 * The start of active complete linkage: it runs without questions up to a height alpha. After that the dialogue needs only the remaining
 * clusters, their distances, and the total distance from each row to each cluster.
 */

interface ReducedStart {
  /** Merges from this height on are asked about. */
  readonly alpha: number;
  /** `merges`: the merges below alpha, starting from single rows. `rows`: the rows of each of the m clusters that these merges make. */
  readonly merges: readonly Merge[];
  readonly rows: Lists;
  /**
   * `distances`: m × m distances between the m clusters. `bars`: 1 for pairs of clusters that must not merge. `barred`: number that is
   * added to the distance of such a pair.
   */
  readonly distances: Float64Array;
  readonly bars: Uint8Array;
  readonly barred: number;
  /** n × m: for each row and each cluster, the sum of the distances from the row to the cluster's rows. */
  readonly totals: Float64Array;
  readonly notices: readonly string[];
}

/**
 * Computes alpha, and the clusters that the merges below alpha make. `merges`: number of merges, out of those that lead to k clusters, that
 * are not made yet but left for questions.
 */
function* reduceSteps(
  points: Instances,
  constraints: ConstraintSet,
  { k, merges: left, distance }: { readonly k: number; readonly merges: number; readonly distance: Metric | undefined },
  kernels: Kernels,
): Steps<ReducedStart> {
  const closure = closeConstraints(constraints);
  const { metric, storage, notices } = prepareLinkage("complete", points, { distance });
  const constrained = function* <R>(work: (matrix: F64 | F32, arena: Arena) => Steps<R>): Steps<R> {
    const arena = kernels.arena();
    try {
      return yield* work(yield* distanceMatrixSteps(points, metric, storage, kernels, arena), arena);
    } finally {
      arena.release();
    }
  };
  const { alpha, below } = yield* constrained(function* (matrix, arena) {
    const barred = yield* constrainSteps(matrix, closure, kernels, arena);
    const merges = yield* mergeSteps("complete", matrix, closure.componentCount, kernels, arena);
    const alpha = alphaOf(merges, barred, k, left);
    return { alpha, below: merges.filter((merge) => merge[2] < alpha) };
  });
  const ofComponents = labelsAfter(below, closure.componentCount, () => true);
  const labels = closure.component.map((c) => ofComponents[c]!);
  const rows = listsByKey(labels, 1 + labels.reduce((most, label) => Math.max(most, label), -1));
  return yield* constrained(function* (matrix, arena) {
    const totals = yield* totalsTo(matrix, labels, rows);
    const barred = yield* constrainSteps(matrix, closure, kernels, arena);
    const reduced = yield* reduce(matrix, barred, ofComponents, rows);
    return { alpha, merges: expandMerges(below, closure), rows, totals, barred, ...reduced, notices };
  });
}

/** Returns alpha: the height of the first of the last `left` merges before k clusters are reached. Merges of barred pairs do not count. */
function alphaOf(merges: readonly Merge[], barred: number, k: number, left: number): number {
  const free = merges.findIndex((merge) => merge[2] >= barred);
  const last = Math.min(free < 0 ? merges.length : free, merges.length + 1 - k);
  return merges[Math.max(0, last - left)]?.[2] ?? Infinity;
}

function* totalsTo(matrix: F64 | F32, labels: Int32Array, { start }: Lists): Generator<Step, Float64Array, void> {
  const n = labels.length;
  const m = start.length - 1;
  const totals = new Float64Array(n * m);
  const d = matrix.view();
  for (let i = 0; i < n; i++) {
    if (i % 512 === 0) yield { phase: "roots", done: i, total: n };
    for (let j = 0; j < n; j++) totals[i * m + labels[j]!]! += d[i * n + j]!;
  }
  return totals;
}

/**
 * Reduces the matrix of must-link components to a matrix of start clusters. For every two start clusters: the largest distance between
 * their components, and whether any component of one must be apart from a component of the other.
 */
function* reduce(
  matrix: F64 | F32,
  barred: number,
  labels: Int32Array,
  { start }: Lists,
): Generator<Step, { readonly distances: Float64Array; readonly bars: Uint8Array }, void> {
  const n = labels.length;
  const m = start.length - 1;
  const distances = new Float64Array(m * m);
  const bars = new Uint8Array(m * m);
  const d = matrix.view();
  for (let i = 0; i < n; i++) {
    if (i % 512 === 0) yield { phase: "clusters' distances", done: i, total: n };
    const row = labels[i]! * m;
    for (let j = 0; j < n; j++) {
      const entry = d[i * n + j]!;
      const at = row + labels[j]!;
      if (entry >= barred) bars[at] = 1;
      const distance = entry >= barred ? entry - barred : entry;
      if (distance > distances[at]!) distances[at] = distance;
    }
  }
  return { distances, bars };
}

/*
 * The hierarchy during the dialogue: the merges before the questions, then the merges from answers. Clusters are numbered as in SciPy's
 * linkage matrix. The journal can undo merges.
 */

class GrowingTree {
  readonly merges: Merge[];
  readonly #n: number;
  /** For each cluster of the dialogue: its node number in the hierarchy, and its number of rows. */
  readonly #name: Int32Array;
  readonly #size: Int32Array;
  readonly #journal: Journal;

  /** `merges`: the merges of single rows that make the start clusters. `start`, `items`: lists of the rows of each start cluster. */
  constructor(merges: readonly Merge[], { start, items }: Lists, journal: Journal) {
    const n = items.length;
    this.#n = n;
    this.#journal = journal;
    this.merges = [...merges];
    this.#size = Int32Array.from({ length: start.length - 1 }, (_, c) => start[c + 1]! - start[c]!);
    const clusterOf = new Int32Array(n + merges.length);
    this.#size.forEach((size, c) => {
      for (let p = start[c]!; p < start[c]! + size; p++) clusterOf[items[p]!] = c;
    });
    this.#name = this.#size.map((_, c) => items[start[c]!]!);
    // A start cluster has the node number of the last merge that formed it.
    merges.forEach(([left], t) => {
      clusterOf[n + t] = clusterOf[left]!;
      this.#name[clusterOf[left]!] = n + t;
    });
  }

  /** Merges cluster b into a. */
  merge(a: number, b: number, height: number): void {
    const [one, other] = [this.#name[a]!, this.#name[b]!];
    const size = this.#size[a]! + this.#size[b]!;
    this.merges.push([Math.min(one, other), Math.max(one, other), height, size]);
    this.#journal.did(() => this.merges.pop());
    this.#journal.set(this.#name, a, this.#n + this.merges.length - 1);
    this.#journal.set(this.#size, a, size);
  }
}

/*
 * The rows of clusters that grow by merging, and the root of each cluster. Questions about a cluster show its root. The paper does not
 * define the root; here it is the medoid, the member with the least total distance to the cluster's rows, the lowest row on ties.
 */

class GrownClusters {
  readonly #rows: Lists;
  /** n × m: for each row, the sum of its distances to the rows of each of the m start clusters. */
  readonly #totals: Float64Array;
  readonly #m: number;
  /** For each row, the sum of its distances to the rows of its own cluster. The medoid has the smallest sum. */
  readonly #own: Float64Array;
  /** For each start cluster, the next start cluster of the same cluster. The start clusters of a cluster form a circle. */
  readonly #ring: Int32Array;
  readonly #journal: Journal;

  /** `rows`: the rows of each start cluster. `totals`: n × m, the sum of distances from each row to the rows of each start cluster. */
  constructor(rows: Lists, totals: Float64Array, journal: Journal) {
    this.#rows = rows;
    this.#totals = totals;
    this.#m = rows.start.length - 1;
    this.#journal = journal;
    this.#ring = upTo(this.#m);
    this.#own = new Float64Array(rows.items.length);
    for (let c = 0; c < this.#m; c++) for (const row of this.startRows(c)) this.#own[row] = totals[row * this.#m + c]!;
  }

  /** All rows of a cluster. */
  *members(cluster: number): Generator<number, void, void> {
    for (const part of this.parts(cluster)) yield* this.startRows(part);
  }

  /** The start clusters that the cluster consists of. */
  parts(cluster: number): number[] {
    const parts = [cluster];
    for (let c = this.#ring[cluster]!; c !== cluster; c = this.#ring[c]!) parts.push(c);
    return parts;
  }

  root(cluster: number): number {
    let best = -1;
    for (const row of this.members(cluster)) {
      const better = best < 0 ? -1 : this.#own[row]! - this.#own[best]!;
      if (better < 0 || (better === 0 && row < best)) best = row;
    }
    return best;
  }

  merge(a: number, b: number): void {
    const sides = [this.parts(a), this.parts(b)] as const;
    for (const [side, other] of [sides, [sides[1], sides[0]]] as const) {
      for (const part of side) {
        for (const row of this.startRows(part)) {
          let total = this.#own[row]!;
          for (const c of other) total += this.#totals[row * this.#m + c]!;
          this.#journal.set(this.#own, row, total);
        }
      }
    }
    const next = this.#ring[a]!;
    this.#journal.set(this.#ring, a, this.#ring[b]!);
    this.#journal.set(this.#ring, b, next);
  }

  /** The rows of a start cluster. */
  startRows(part: number): Int32Array {
    return this.#rows.items.subarray(this.#rows.start[part]!, this.#rows.start[part + 1]!);
  }
}

/*
 * The distances between clusters in active complete linkage. A merge keeps the larger distance. The answer "same" contracts the space
 * around two clusters by shortest paths. The answer "different" bars a pair. Bars are flags beside the distances: a barred pair counts as
 * farther than any other pair (`barred + distance`), a contraction never shortens its distance, and no shortest path leads through it.
 */

class ReducedMatrix {
  readonly m: number;
  /** The number that is added to the distance of a barred pair. It is larger than any distance at the start. */
  readonly barred: number;
  readonly #d: Float64Array;
  readonly #bars: Uint8Array;
  readonly #alive: Uint8Array;
  readonly #count: Int32Array;
  readonly #journal: Journal;

  /** `d`, `bars`: m × m, both symmetric. The matrix uses both arrays without a copy and changes them. */
  constructor(d: Float64Array, bars: Uint8Array, barred: number, journal: Journal) {
    this.m = Math.round(Math.sqrt(d.length));
    this.barred = barred;
    this.#d = d;
    this.#bars = bars;
    this.#journal = journal;
    this.#alive = new Uint8Array(this.m).fill(1);
    this.#count = Int32Array.of(this.m);
  }

  /** Number of clusters left. */
  get count(): number {
    return this.#count[0]!;
  }

  clusters(): number[] {
    const left: number[] = [];
    for (let a = 0; a < this.m; a++) if (this.#alive[a] === 1) left.push(a);
    return left;
  }

  isBarred(a: number, b: number): boolean {
    return this.#bars[a * this.m + b] === 1;
  }

  effective(a: number, b: number): number {
    const distance = this.#d[a * this.m + b]!;
    return this.isBarred(a, b) ? this.barred + distance : distance;
  }

  /** The closest two clusters that are not barred, the clusters with the lower numbers on ties; null if all pairs are barred. */
  nearest(): readonly [number, number] | null {
    return this.#nearest(0);
  }

  /** The closest two barred clusters; null if there are none. */
  nearestBarred(): readonly [number, number] | null {
    return this.#nearest(1);
  }

  #nearest(flag: number): readonly [number, number] | null {
    const { m } = this;
    const left = Int32Array.from(this.clusters());
    let least = Infinity;
    let low = -1;
    let high = -1;
    for (let p = 0; p < left.length; p++) {
      const row = left[p]! * m;
      for (let q = p + 1; q < left.length; q++) {
        const at = row + left[q]!;
        if (this.#d[at]! < least && this.#bars[at] === flag) {
          least = this.#d[at]!;
          low = left[p]!;
          high = left[q]!;
        }
      }
    }
    return low < 0 ? null : [low, high];
  }

  bar(a: number, b: number): void {
    this.#journal.set(this.#bars, a * this.m + b, 1);
    this.#journal.set(this.#bars, b * this.m + a, 1);
  }

  /**
   * Sets the distance of clusters a and b to 0. The distance between any other two clusters becomes the length of the path through a and b
   * if this path is shorter; so a and b get equal distances. A cluster that must be apart from a or from b must then be apart from both.
   */
  contract(a: number, b: number): void {
    const others = this.clusters().filter((x) => x !== a && x !== b);
    for (const x of others) if (this.isBarred(a, x) !== this.isBarred(b, x)) this.bar(this.isBarred(a, x) ? b : a, x);
    const near = others.filter((x) => !this.isBarred(a, x));
    const reach = new Map(near.map((x) => [x, Math.min(this.#d[a * this.m + x]!, this.#d[b * this.m + x]!)]));
    for (const [x, length] of reach) for (const end of [a, b]) this.#lower(x, end, length);
    for (const [x, toX] of reach) for (const [y, toY] of reach) if (x < y && !this.isBarred(x, y)) this.#lower(x, y, toX + toY);
    this.#lower(a, b, 0);
  }

  #lower(a: number, b: number, distance: number): void {
    if (!(distance < this.#d[a * this.m + b]!)) return;
    this.#journal.set(this.#d, a * this.m + b, distance);
    this.#journal.set(this.#d, b * this.m + a, distance);
  }

  /**
   * Merges cluster b into cluster a, by complete linkage: the distance from the union to another cluster is the larger of the distances of
   * a and b.
   */
  merge(a: number, b: number): void {
    const { m } = this;
    this.#journal.set(this.#alive, b, 0);
    this.#journal.set(this.#count, 0, this.count - 1);
    for (let x = 0; x < m; x++) {
      if (this.#alive[x] === 0 || x === a) continue;
      if (this.isBarred(b, x) && !this.isBarred(a, x)) this.bar(a, x);
      const larger = this.#d[b * m + x]!;
      if (larger <= this.#d[a * m + x]!) continue;
      this.#journal.set(this.#d, a * m + x, larger);
      this.#journal.set(this.#d, x * m + a, larger);
    }
  }
}
