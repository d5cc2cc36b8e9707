/**
 * For duplicate detection (our own strategy): asks whether two groups of similar rows belong together.
 *
 * Average linkage over pairs of near rows suggests merges. Low merges join equal rows, high merges join different rows, and a threshold
 * separates them. The first threshold is estimated from the heights; each answer moves it to where the fewest answers are on the wrong
 * side. The next question is about the merge that is expected to decide the most pairs of rows wrongly. Such a merge has many pairs and a
 * height near the threshold. The question shows the nearest two rows of the merge. Merges that an exclusive group or an answer decides are
 * never asked about.
 *
 * The clusters are the merges below the threshold. If the number of clusters is given, constrained complete linkage makes the clusters.
 */

import * as z from "zod/mini";
import { log } from "../../../linalg/elementary.js";
import { option, whole } from "../../../options.js";
import { drain, type PairAnswer, type Step, type Steps } from "../../../steps/index.js";
import { type Heap, heapify, popLeast, push } from "../../../structures/heap.js";
import { rowDistance } from "../../distance.js";
import { distancesOf } from "../../distance-between.js";
import type { Context, Outcome } from "../../method.js";
import { linkageOutcome } from "../constrained-outcome.js";
import { Journal } from "../journal.js";
import { Knowledge } from "../knowledge.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";

export const closestOptions = z.strictObject({
  neighbours: option(z._default(whole(1), 8), "number of nearest rows considered as possible duplicates of each row"),
  distance: rowDistance,
});

type Options = z.output<typeof closestOptions>;

export function* startClosest(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  const { between: measured, notices } = distancesOf(input.points, options.distance);
  const between = memoised(measured, input.points.n);
  const candidates = yield* candidatesOf(setting, options.neighbours, between);
  const start = firstThreshold(heightsOf(yield* suggestedMerges(candidates, setting.knowledge, between)));
  return new PairSession(
    setting,
    closest(setting, candidates, { ...context, notices, distance: options.distance, between, start }),
  );
}

/** Up to this many rows, all distances are cached: 8,000 rows take 256 MB. */
const MOST_ROWS_KEPT = 8000;

/** Caches distances, because every question reads nearly the same pairs as the question before, and text distances are slow. */
function memoised(between: (i: number, j: number) => number, n: number): (i: number, j: number) => number {
  if (n > MOST_ROWS_KEPT) return between;
  const kept = new Float64Array((n * (n - 1)) / 2).fill(-1);
  return (i, j) => {
    const [low, high] = i < j ? [i, j] : [j, i];
    // Pairs are stored in the order in which the search for candidates reads them.
    const place = low * n - (low * (low + 1)) / 2 + high - low - 1;
    if (kept[place]! < 0) kept[place] = between(low, high);
    return kept[place]!;
  };
}

/**
 * Finds the candidate pairs: each row with its `neighbours` nearest rows, lower rows first on ties. Pairs whose relation is known are left
 * out.
 */
function* candidatesOf(
  { points: { n }, knowledge }: QuestionerSetting,
  neighbours: number,
  between: (i: number, j: number) => number,
): Generator<Step, Candidates, void> {
  const nearest = Array.from({ length: n }, (): Neighbour[] => []);
  // For each row i, the distance of its farthest neighbour in a full list. A row at this distance or farther is rejected without a look at
  // the list, which saves most of the time.
  const limit = new Float64Array(n).fill(Infinity);
  const keep = (i: number, j: number, distance: number): void => {
    if (distance >= limit[i]!) return;
    const list = nearest[i]!;
    keepNearest(list, { row: j, distance }, neighbours);
    if (list.length === neighbours) limit[i] = list[neighbours - 1]!.distance;
  };
  for (let i = 0; i < n; i++) {
    if (i % 16 === 0) yield { phase: "neighbours", done: i, total: n };
    for (let j = i + 1; j < n; j++) {
      const distance = between(i, j);
      if ((distance >= limit[i]! && distance >= limit[j]!) || knowledge.relation(i, j) !== null) continue;
      keep(i, j, distance);
      keep(j, i, distance);
    }
  }
  const found = new Map<number, number>();
  for (const [i, list] of nearest.entries())
    for (const { row: j, distance } of list) found.set(Math.min(i, j) * n + Math.max(i, j), distance);
  const pairs = [...found].sort(([p, d], [q, e]) => d - e || p - q);
  return {
    a: Int32Array.from(pairs, ([key]) => Math.floor(key / n)),
    b: Int32Array.from(pairs, ([key]) => key % n),
    distance: Float64Array.from(pairs, ([, distance]) => distance),
  };
}

interface Neighbour {
  readonly row: number;
  readonly distance: number;
}

/**
 * Inserts a neighbour into a list of at most `most` neighbours, sorted by distance. Neighbours arrive in ascending row order and equal
 * distances stay in this order, so lower rows come first on ties.
 */
function keepNearest(list: Neighbour[], found: Neighbour, most: number): void {
  let at = list.length;
  while (at > 0 && list[at - 1]!.distance > found.distance) at--;
  list.splice(at, 0, found);
  if (list.length > most) list.pop();
}

interface ClosestContext extends Context {
  readonly notices: readonly string[];
  readonly distance: Options["distance"];
  readonly between: (i: number, j: number) => number;
  readonly start: number;
}

function closest(setting: QuestionerSetting, candidates: Candidates, { between, start, ...context }: ClosestContext): Questioner {
  const { knowledge, journal, points } = setting;
  const count = candidates.distance.length;
  /**
   * The answer about each candidate pair: 0 not asked, 1 same, 2 different, 3 unsure or implied. `height`: the height of the merge that the
   * question about this pair stood for.
   */
  const answers = new Uint8Array(count);
  const height = new Float64Array(count);
  const pending = Int32Array.of(-1);
  const threshold = (): number => thresholdOf(height, answers, start);
  return {
    propose() {
      const search = searchOfDoubt(threshold(), points.n);
      const see = (merge: SuggestedMerge) => {
        if (answers[merge.place] === 0) search.see(merge);
        return search.isOver(merge.height);
      };
      drain(suggestedMerges(candidates, knowledge, between, see));
      const asked = search.found();
      journal.set(pending, 0, asked?.place ?? -1);
      if (!asked) return null;
      journal.set(height, asked.place, asked.height);
      return [candidates.a[asked.place]!, candidates.b[asked.place]!];
    },
    observe(answer: PairAnswer) {
      journal.set(answers, pending[0]!, answer === "same" ? 1 : answer === "different" ? 2 : 3);
    },
    *outcome(): Steps<Outcome> {
      if (setting.k !== undefined)
        return yield* linkageOutcome(points, knowledge.constraints(), setting.k, context.distance, context);
      const limit = threshold();
      const joined = new Knowledge(knowledge.constraints(), new Journal(), points.ids);
      for (const merge of yield* suggestedMerges(candidates, knowledge, between)) {
        if (merge.height > limit) break;
        const [a, b] = [candidates.a[merge.place]!, candidates.b[merge.place]!];
        if (joined.relation(a, b) === null) joined.learn(a, b, "same");
      }
      return { labels: Int32Array.from({ length: points.n }, (_, row) => joined.component(row)), notices: context.notices };
    },
  };
}

function heightsOf(merges: readonly SuggestedMerge[]): Float64Array {
  return Float64Array.from(merges, ({ height }) => height);
}

export interface SearchOfDoubt {
  /** Considers a suggested merge as the next question. Merges must be passed in order, lowest height first. */
  see(merge: SuggestedMerge): void;
  /** Whether the search can stop, because no merge at `height` or above can have more expected wrong pairs than the best merge so far. */
  isOver(height: number): boolean;
  found(): SuggestedMerge | undefined;
}

/**
 * Finds the merge with the largest expected number of wrongly decided pairs: pairs · exp(-|height - threshold| / s). Here s is the standard
 * deviation of the heights below the threshold. A merge of n rows decides at most n²/4 pairs, so from some height on no merge can be
 * better, and the search ends.
 */
export function searchOfDoubt(threshold: number, n: number): SearchOfDoubt {
  const low: SuggestedMerge[] = [];
  const mostPairs = log(Math.max(1, (n * n) / 4));
  let spread: number | undefined;
  let best: SuggestedMerge | undefined;
  let bestDoubt = -Infinity;
  const judge = (merge: SuggestedMerge, unit: number): void => {
    const doubt = log(merge.pairs) - Math.abs(merge.height - threshold) / unit;
    if (best && !(doubt > bestDoubt)) return;
    best = merge;
    bestDoubt = doubt;
  };
  /**
   * Judges the merges below the threshold, once: the standard deviation s of their heights is only known when the first merge above the
   * threshold arrives.
   */
  const judgeLow = (): number => {
    if (spread !== undefined) return spread;
    const mean = low.reduce((sum, { height }) => sum + height, 0) / Math.max(1, low.length);
    const squares = low.reduce((sum, { height }) => sum + (height - mean) ** 2, 0);
    const unit = Math.sqrt(squares / Math.max(1, low.length)) || threshold || 1;
    for (const merge of low) judge(merge, unit);
    spread = unit;
    return unit;
  };
  return {
    see(merge) {
      if (merge.height <= threshold) low.push(merge);
      else judge(merge, judgeLow());
    },
    isOver: (height) => height > threshold && mostPairs - (height - threshold) / judgeLow() <= bestDoubt,
    found() {
      judgeLow();
      return best;
    },
  };
}

/**
 * The first threshold, from the heights of the suggested merges in ascending order: the split with the least spread of heights on both
 * sides (Otsu 1979).
 */
export function firstThreshold(distance: Float64Array): number {
  const n = distance.length;
  if (n === 0) return 0;
  const total = distance.reduce((sum, each) => sum + each, 0);
  let [best, most, below] = [0, -1, 0];
  for (let place = 0; place < n - 1; place++) {
    below += distance[place]!;
    const low = place + 1;
    const gap = below / low - (total - below) / (n - low);
    const between = low * (n - low) * gap * gap;
    if (between > most) [most, best] = [between, place];
  }
  return n === 1 ? distance[0]! : (distance[best]! + distance[best + 1]!) / 2;
}

/**
 * The threshold with the fewest answers on the wrong side ("same" above it, "different" below it); on ties, the nearest to `start`.
 * `height`: height of the merge that each answer was about, in any order.
 */
export function thresholdOf(height: Float64Array, answers: Uint8Array, start: number): number {
  const answered = Array.from(answers.keys()).filter((place) => answers[place] === 1 || answers[place] === 2);
  if (answered.length === 0) return start;
  answered.sort((p, q) => height[p]! - height[q]! || p - q);
  let wrong = answered.filter((place) => answers[place] === 1).length;
  let best = { wrong: Infinity, threshold: start };
  const consider = (low: number, high: number) => {
    const threshold = Math.min(Math.max(start, low), high);
    if (wrong < best.wrong || (wrong === best.wrong && Math.abs(threshold - start) < Math.abs(best.threshold - start)))
      best = { wrong, threshold };
  };
  let low = 0;
  for (const place of answered) {
    consider(low, (low + height[place]!) / 2);
    wrong += answers[place] === 1 ? -1 : 1;
    low = height[place]!;
  }
  consider(low, Math.max(low, start));
  return best.threshold;
}

/*
 * Merges suggested by pairs of near rows, smallest mean distance first. This is average linkage of the known components, restricted to
 * components with a pair of near rows between them. Components that are known to be apart never merge.
 */

/** Pairs of near rows `a` and `b`, ordered by distance. Only these pairs suggest merges and are asked about. */
export interface Candidates {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly distance: Float64Array;
}

export interface SuggestedMerge {
  /** The nearest pair of rows between the two groups that the merge joins, as an index into the candidates. */
  readonly place: number;
  /** Mean distance between the rows of the two groups. */
  readonly height: number;
  /** Number of pairs of rows, one row in each group, that an answer about this merge decides. */
  readonly pairs: number;
}

/** A group of rows that suggested merges have joined. Its name is the root of its first must-link component. */
interface Group {
  readonly name: number;
  readonly rows: number[];
  /** The names of the groups that a cannot-link separates from this group. */
  readonly apart: Set<number>;
  /** The cliques of mutually separate components that contain a component of this group. */
  readonly cliques: Set<number>;
  /** For each group with a pair of near rows to this group, by name: the mean distance, and the index of the nearest pair. */
  readonly near: Map<number, Edge>;
}

interface Edge {
  readonly height: number;
  readonly place: number;
}

/** Yields steps and returns the suggested merges, lowest height first, up to the first merge for which `isLast` holds. */
export function* suggestedMerges(
  candidates: Candidates,
  knowledge: Knowledge,
  between: (i: number, j: number) => number,
  isLast: (merge: SuggestedMerge) => boolean = () => false,
): Generator<Step, readonly SuggestedMerge[], void> {
  const groups = yield* openGroups(candidates, knowledge, between);
  // Computed before the first merge, because merges reduce the number of groups.
  const total = groups.size - 1;
  const edges: { readonly a: number; readonly b: number; readonly edge: Edge }[] = [];
  const heap: Heap = { keys: [], items: [] };
  for (const [name, { near }] of groups) {
    for (const [other, edge] of near) {
      if (other < name) continue;
      heap.keys.push(edge.height);
      heap.items.push(edges.push({ a: name, b: other, edge }) - 1);
    }
  }
  heapify(heap);
  const merges: SuggestedMerge[] = [];
  while (heap.items.length > 0) {
    const { a, b, edge } = edges[popLeast(heap)]!;
    const [one, other] = [groups.get(a), groups.get(b)];
    if (one?.near.get(b) !== edge || !other) continue;
    const merge = { place: edge.place, height: edge.height, pairs: one.rows.length * other.rows.length };
    merges.push(merge);
    if (isLast(merge)) break;
    for (const [name, joined] of join(groups, one, other, between))
      push(heap, joined.height, edges.push({ a, b: name, edge: joined }) - 1);
    if (merges.length % 256 === 0) yield { phase: "merging", done: merges.length, total };
  }
  return merges;
}

function* openGroups(
  { a, b, distance }: Candidates,
  knowledge: Knowledge,
  between: (i: number, j: number) => number,
): Generator<Step, Map<number, Group>, void> {
  const groups = new Map<number, Group>();
  for (let row = 0; row < knowledge.n; row++) {
    const name = knowledge.component(row);
    const group = groups.get(name);
    if (group) group.rows.push(row);
    else {
      const { apart, cliques } = knowledge.separation(row);
      groups.set(name, { name, rows: [row], apart: new Set(apart), cliques: new Set(cliques), near: new Map() });
    }
  }
  for (let place = 0; place < distance.length; place++) {
    const [one, other] = [groups.get(knowledge.component(a[place]!))!, groups.get(knowledge.component(b[place]!))!];
    if (one === other || one.near.has(other.name) || areSeparated(one, other)) continue;
    link(one, other, { height: meanDistance(one, other, between), place });
    if (place % 4096 === 0) yield { phase: "merging", done: 0, total: groups.size - 1 };
  }
  return groups;
}

function link(one: Group, other: Group, edge: Edge): void {
  one.near.set(other.name, edge);
  other.near.set(one.name, edge);
}

function areSeparated({ apart, cliques }: Group, other: Group): boolean {
  if (apart.has(other.name)) return true;
  for (const q of cliques) if (other.cliques.has(q)) return true;
  return false;
}

/** Maximum number of pairs of rows over which the mean distance of two groups is computed. */
const MOST_PAIRS = 256;

function meanDistance({ rows }: Group, other: Group, between: (i: number, j: number) => number): number {
  const all = rows.length * other.rows.length;
  const step = Math.max(1, Math.floor(all / MOST_PAIRS));
  let [sum, count] = [0, 0];
  for (let pair = 0; pair < all; pair += step, count++)
    sum += between(rows[pair % rows.length]!, other.rows[Math.floor(pair / rows.length)]!);
  return sum / count;
}

/** Merges group `other` into group `one`, by average linkage. Returns the edges of the merged group, by the names of the other groups. */
function join(
  groups: Map<number, Group>,
  one: Group,
  other: Group,
  between: (i: number, j: number) => number,
): Map<number, Edge> {
  const [size, otherSize] = [one.rows.length, other.rows.length];
  groups.delete(other.name);
  one.near.delete(other.name);
  other.near.delete(one.name);
  for (const name of new Set([...one.near.keys(), ...other.near.keys()])) {
    const third = groups.get(name)!;
    const [mine, theirs] = [one.near.get(name), other.near.get(name)];
    third.near.delete(one.name);
    third.near.delete(other.name);
    one.near.delete(name);
    if (areSeparated(mine ? other : one, third)) continue;
    const height =
      (size * (mine?.height ?? meanDistance(one, third, between)) +
        otherSize * (theirs?.height ?? meanDistance(other, third, between))) /
      (size + otherSize);
    link(one, third, { height, place: Math.min(mine?.place ?? Infinity, theirs?.place ?? Infinity) });
  }
  one.rows.push(...other.rows);
  for (const q of other.cliques) one.cliques.add(q);
  for (const name of other.apart) {
    one.apart.add(name);
    const third = groups.get(name)!;
    third.apart.delete(other.name);
    third.apart.add(one.name);
  }
  return one.near;
}
