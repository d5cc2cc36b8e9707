/**
 * From a hierarchy that induces every relative constraint to k clusters. Any set of branches does: if a and c are in one branch,
 * so is b, for a and b meet below.
 *
 * - `cutAside`, the outlier rule of liu2011 §4.2.1: merges are undone, but branches below a size do not count; they join a
 *   cluster afterwards (`recon-outliers.ts`). The paper leaves open which merge is undone next: the last
 *   one that was made, or that of the largest branch, from the root down (docs/decisions, "cuts of ReCon").
 * - `cutByTriplets` needs no threshold: the k branches that satisfy the most triplets, ab|c being satisfied if a and b are in
 *   one branch and c is not. Among equals the k branches whose undone merges come latest; without triplets that is the
 *   cut in merge order. The triplets that a set of classes entails are all satisfied by the classes alone. A size for
 *   outliers may be given all the same.
 */

import { meetingPlaces } from "../../../constraints/meeting.js";
import type { Triples } from "../../../model/constraint-set.js";
import type { Merge } from "../../../model/result.js";

export interface Branches {
  /** Nodes of the hierarchy: rows 0 … n-1, then the merges. */
  readonly clusters: readonly number[];
  /** Small branches, which belong to no cluster yet. */
  readonly aside: readonly number[];
}

/** Which branches count as clusters: those of `least` rows or more, and those that are named. */
export interface Counting {
  readonly least: number;
  readonly counted?: ReadonlySet<number>;
}

/** Which merge is undone next. */
export type Undoing = "latest" | "largest";

/**
 * Undoes merges until k branches that count are left. The merges before `firm` are not undone, those at height Infinity
 * always and first. Null if there are no such k branches.
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
  /** Undoing helps where a part is large; outliers stay as they are. */
  const mayBeUndone = (node: number): boolean =>
    node >= n + firm && (isForbidden(node) || merges[node - n]!.slice(0, 2).some(isLarge));
  const rank = undoing === "latest" ? (node: number) => node : sizeOf;
  const before = (p: number, q: number): boolean =>
    isForbidden(p) === isForbidden(q) ? rank(p) > rank(q) || (rank(p) === rank(q) && p > q) : isForbidden(p);
  const open: number[] = [];
  const whole: number[] = [];
  let large = 0;
  const add = (node: number): void => {
    (mayBeUndone(node) ? open : whole).push(node);
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
 * The k branches that count and satisfy the most weight of triplets; others may be set aside. Null if no k
 * branches keep to `firm` and to the forbidden merges.
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
    // Only the counts on the way down are needed from now on.
    for (const child of [left, right]) best[child] = { ...best[child]!, gain: [], lateness: [] };
  });
  const top = best.at(-1)!.gain[k];
  return top === undefined || top === -Infinity ? null : descend(best, merges, n, k);
}

/** For each node, the weight of the triplets ab|c with a and b below it and c not. */
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

/** By number of branches: the weight they satisfy, how late the undone merges are, and how many branches are on the left. */
interface Choice {
  readonly gain: number[];
  readonly lateness: number[];
  readonly left: number[];
}

/** A small branch, which is set aside and counts for nothing. */
const ASIDE: Choice = { gain: [0], lateness: [0], left: [0] };

/** `late` is below 0, so that fewer undone merges are better than more. */
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
      // Plus one, so that 0 says: this node as a whole.
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
