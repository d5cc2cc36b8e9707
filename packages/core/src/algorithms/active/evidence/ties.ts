/**
 * Answers as evidence. An answer that is wrong with chance e speaks for what it says with the log-odds ln((1 - e) / e); what others
 * imply may outweigh it. The classes that explain answers best are those that most weight agrees with: correlation clustering.
 *
 * Pairs of groups are joined as long as the weight between some two is above 0, most first (greedy additive edge contraction: Keuper,
 * Levinkov, Bonneel, Lavoué, Brox, Andres 2015); then single rows move, and groups join, while that helps.
 *
 * Bansal, Blum, Chawla: Correlation Clustering. Machine Learning 56, 2004.
 */
import { log } from "../../../linalg/elementary.js";

/** What speaks for two nodes being together, or, below 0, apart. */
export interface Tie {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
}

/** What no number of answers outweighs. */
export const LAW = 1e6;

const LEAST_RATE = 0.005;
const MOST_RATE = 0.45;

/** The weight of an answer: full where somebody is sure, none where they say that they guess. */
export function weightOf(errorRate: number, confidence = 1): number {
  const rate = Math.min(MOST_RATE, Math.max(LEAST_RATE, errorRate));
  const sureness = Math.max(0, 2 * confidence - 1);
  const wrong = 0.5 - (0.5 - rate) * sureness;
  return log((1 - wrong) / wrong);
}

/** Which of several ties between the same nodes are believed, when nothing else is known. */
export function believed(n: number, ties: readonly Tie[]): boolean[] {
  const groups = groupsOf(n, ties);
  return ties.map(({ a, b, weight }) => (groups[a] === groups[b]) === weight > 0);
}

/** The weight of ties that agree with the groups, less that of those that do not. */
export function agreement(ties: readonly Tie[], groups: Int32Array): number {
  let total = 0;
  for (const { a, b, weight } of ties) total += groups[a] === groups[b] ? weight : -weight;
  return total;
}

/** Groups of the nodes 0 … n-1, named by their lowest members. */
export function groupsOf(n: number, ties: readonly Tie[]): Int32Array {
  const groups = contracted(n, ties);
  for (let round = 0; round < n && improve(n, ties, groups); round++);
  return named(groups);
}

function named(groups: Int32Array): Int32Array {
  const names = new Map<number, number>();
  groups.forEach((group, node) => {
    if (!names.has(group)) names.set(group, node);
  });
  return groups.map((group) => names.get(group)!);
}

function contracted(n: number, ties: readonly Tie[]): Int32Array {
  const groups = Int32Array.from({ length: n }, (_, node) => node);
  const between = weightsBetween(n, ties);
  for (;;) {
    const best = heaviest(between);
    if (!best) return groups;
    const [kept, gone] = best;
    for (let node = 0; node < n; node++) if (groups[node] === gone) groups[node] = kept;
    between[kept]!.delete(gone);
    for (const [other, weight] of between[gone]!) {
      between[other]!.delete(gone);
      if (other === kept) continue;
      const sum = (between[kept]!.get(other) ?? 0) + weight;
      between[kept]!.set(other, sum);
      between[other]!.set(kept, sum);
    }
    between[gone]!.clear();
  }
}

function weightsBetween(n: number, ties: readonly Tie[]): Map<number, number>[] {
  const between = Array.from({ length: n }, () => new Map<number, number>());
  for (const { a, b, weight } of ties) {
    if (a === b) continue;
    const sum = (between[a]!.get(b) ?? 0) + weight;
    between[a]!.set(b, sum);
    between[b]!.set(a, sum);
  }
  return between;
}

/** The two groups that most speaks for joining, the lowest on ties; null where nothing does. */
function heaviest(between: readonly Map<number, number>[]): readonly [number, number] | null {
  let best: readonly [number, number] | null = null;
  let most = 1e-9;
  between.forEach((weights, a) => {
    for (const [b, weight] of weights) {
      if (a > b || weight < most || (weight === most && best)) continue;
      most = weight;
      best = [a, b];
    }
  });
  return best;
}

/** One round of moves of single nodes, to another group or out of all; whether any helped. */
function improve(n: number, ties: readonly Tie[], groups: Int32Array): boolean {
  const between = weightsBetween(n, ties);
  let helped = false;
  for (let node = 0; node < n; node++) {
    const pull = new Map<number, number>();
    for (const [other, weight] of between[node]!) pull.set(groups[other]!, (pull.get(groups[other]!) ?? 0) + weight);
    const stays = pull.get(groups[node]!) ?? 0;
    let [to, most] = [-1, Math.max(0, stays) + 1e-9];
    for (const [group, weight] of pull) if (group !== groups[node] && weight > most) [to, most] = [group, weight];
    if (to < 0 && stays < -1e-9) to = freeName(groups);
    if (to < 0) continue;
    groups[node] = to;
    helped = true;
  }
  return helped;
}

function freeName(groups: Int32Array): number {
  const used = new Set(groups);
  let name = 0;
  while (used.has(name)) name++;
  return name;
}
