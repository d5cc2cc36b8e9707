/**
 * Cuts a hierarchy that induces every relative constraint into k clusters. Any set of branches satisfies the constraints ab|c: if a and c
 * are in one branch, b is too, because a and b meet below.
 *
 * - `cutAside`: the outlier rule of liu2011 §4.2.1. It undoes merges; branches below a minimum size do not count as clusters, and join a
 *   cluster afterwards (`outliers.ts`). The paper leaves open which merge is undone next: the last merge, or the merge of the largest
 *   branch, from the root down (docs/decisions, "cuts of ReCon").
 * - `cutByTriplets`: needs no threshold. It takes the k branches that satisfy the most weight of triplets; ab|c is satisfied if a and b
 *   are in one branch and c is not. Among equal choices it undoes the latest merges; without triplets this is the cut in merge order. If
 *   the triplets are entailed by a set of classes, the classes satisfy all of them, and no other cut does. A minimum size for outliers is
 *   optional.
 */

import { meetingPlaces } from "../../../constraints/meeting.js";
import type { Triples } from "../../../model/constraint-set.js";
import type { Merge } from "../../../model/result.js";

export interface Branches {
  /** Nodes of the hierarchy: 0 … n-1 are rows, then the merges follow. */
  readonly clusters: readonly number[];
  /** Small branches, which belong to no cluster yet. */
  readonly aside: readonly number[];
}

/** Which branches count as clusters: branches of at least `least` rows, and the branches in `counted`. */
export interface Counting {
  readonly least: number;
  readonly counted?: ReadonlySet<number>;
}

/** Which merge is undone next. */
export type Undoing = "latest" | "largest";

/**
 * Undoes merges until k counted branches are left. Merges at height Infinity are undone first, all of them. The first `firm` merges
 * are never undone. Null if no number of undone merges leaves exactly k counted branches.
 */
export function cutAside(
  merges: readonly Merge[],
  n: number,
  k: number,
  { least, counted }: Counting,
  firm: number,
  undoing: Undoing,
): Branches | null {
  const sizeOf = (node: number): number => (node < n ? 1 : merges[node - n]![3]);
  const isLarge = (node: number): boolean => sizeOf(node) >= least || counted?.has(node) === true;
  const isForbidden = (node: number): boolean => merges[node - n]![2] === Infinity;
  /** A merge is undone only if one of its parts is large. Outliers stay whole. */
  const canBeUndone = (node: number): boolean =>
    node >= n + firm && (isForbidden(node) || merges[node - n]!.slice(0, 2).some(isLarge));
  const rank = undoing === "latest" ? (node: number) => node : sizeOf;
  const before = (p: number, q: number): boolean =>
    isForbidden(p) === isForbidden(q) ? rank(p) > rank(q) || (rank(p) === rank(q) && p > q) : isForbidden(p);
  const open: number[] = [];
  const whole: number[] = [];
  let large = 0;
  const add = (node: number): void => {
    (canBeUndone(node) ? open : whole).push(node);
    if (isLarge(node)) large++;
  };
  add(n + merges.length - 1);
  while (open.length > 0) {
    let at = 0;
    for (let p = 1; p < open.length; p++) if (before(open[p]!, open[at]!)) at = p;
    const node = open[at]!;
    if (large >= k && !isForbidden(node)) break;
    open[at] = open.at(-1)!;
    open.pop();
    if (isLarge(node)) large--;
    add(merges[node - n]![0]);
    add(merges[node - n]![1]);
  }
  if (large !== k) return null;
  const all = [...open, ...whole].sort((p, q) => p - q);
  return { clusters: all.filter(isLarge), aside: all.filter((node) => !isLarge(node)) };
}

/**
 * The k branches that count and satisfy the most weight of triplets. Other branches may be set aside. Null if no k branches respect
 * `firm` and the forbidden merges.
 */
export function cutByTriplets(
  merges: readonly Merge[],
  n: number,
  k: number,
  { least, counted }: Counting,
  firm: number,
  relative: Triples,
): Branches | null {
  const satisfied = satisfiedWeights(merges, n, relative);
  const single: Choice = { gain: [-Infinity, 0], lateness: [0, 0], left: [0, 0] };
  const best: Choice[] = Array.from({ length: n }, (_, row) => (least <= 1 || counted?.has(row) ? single : ASIDE));
  const barred = new Uint8Array(n + merges.length);
  merges.forEach(([left, right, height, size], m) => {
    const node = n + m;
    barred[node] = height === Infinity ? 1 : barred[left]! | barred[right]!;
    const whole = barred[node] === 1 ? -Infinity : satisfied[node]!;
    if (size < least && barred[node] === 0 && !counted?.has(node)) best.push(ASIDE);
    else if (m < firm) best.push({ gain: [-Infinity, whole], lateness: [0, 0], left: [0, 0] });
    else best.push(combine(best[left]!, best[right]!, whole, m - merges.length, k));
    // Only `left` is needed from now on, for `descend`.
    for (const child of [left, right]) best[child] = { ...best[child]!, gain: [], lateness: [] };
  });
  const top = best.at(-1)!.gain[k];
  return top === undefined || top === -Infinity ? null : descend(best, merges, n, k);
}

/** By node: the weight of the triplets ab|c with a and b below the node and c not below it. */
function satisfiedWeights(merges: readonly Merge[], n: number, { a, b, c, weight }: Triples): Float64Array {
  const satisfied = new Float64Array(n + merges.length);
  const meet = meetingPlaces(n, merges);
  for (let s = 0; s < a.length; s++) {
    const [low, high] = [meet(a[s]!, b[s]!), meet(a[s]!, c[s]!)];
    if (low >= high) continue;
    const w = weight[s] === Infinity ? 1 : weight[s]!;
    satisfied[low]! += w;
    satisfied[high]! -= w;
  }
  merges.forEach(([left, right], m) => {
    satisfied[n + m]! += satisfied[left]! + satisfied[right]!;
  });
  return satisfied;
}

/**
 * Indexed by the number of branches: the satisfied weight, how late the undone merges are, and the number of branches on the left plus 1
 * (0: the whole node).
 */
interface Choice {
  readonly gain: number[];
  readonly lateness: number[];
  readonly left: number[];
}

/** A small branch that is set aside and counts for nothing. */
const ASIDE: Choice = { gain: [0], lateness: [0], left: [0] };

/** `late` is negative, so that fewer undone merges are better than more. */
function combine(left: Choice, right: Choice, whole: number, late: number, k: number): Choice {
  const choice: Choice = { gain: [-Infinity, whole], lateness: [0, 0], left: [0, 0] };
  for (let p = 0; p < left.gain.length; p++) {
    for (let q = p === 0 ? 1 : 0; q < right.gain.length && p + q <= k; q++) {
      const at = p + q;
      const gain = left.gain[p]! + right.gain[q]!;
      const lateness = left.lateness[p]! + right.lateness[q]! + late;
      const old = choice.gain[at];
      if (old !== undefined && (gain < old || (gain === old && (gain === -Infinity || lateness <= choice.lateness[at]!))))
        continue;
      choice.gain[at] = gain;
      choice.lateness[at] = lateness;
      // Plus 1, because 0 means the node as a whole.
      choice.left[at] = p + 1;
    }
  }
  return choice;
}

function descend(best: readonly Choice[], merges: readonly Merge[], n: number, k: number): Branches {
  const clusters: number[] = [];
  const aside: number[] = [];
  const open: [node: number, count: number][] = [[n + merges.length - 1, k]];
  while (open.length > 0) {
    const [node, count] = open.pop()!;
    const onLeft = best[node]!.left[count]! - 1;
    if (onLeft < 0) {
      (count === 1 ? clusters : aside).push(node);
      continue;
    }
    const [left, right] = merges[node - n]!;
    open.push([left, onLeft], [right, count - onLeft]);
  }
  return { clusters, aside };
}
