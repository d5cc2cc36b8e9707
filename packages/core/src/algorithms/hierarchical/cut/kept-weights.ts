/**
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
import { meetingPlaces } from "../../../constraints/meeting.js";
import type { ConstraintSet, Grouping, KnownLabels } from "../../../model/constraint-set.js";
import type { Merge } from "../../../model/result.js";

export interface KeptWeights {
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
