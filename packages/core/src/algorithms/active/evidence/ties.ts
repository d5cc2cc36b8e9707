/**
 * Correlation clustering of answers. An answer that is wrong with probability e has the weight ln((1 - e) / e) (log-odds); the
 * other answers together can outweigh it. The groups maximise the total weight of the answers that agree with them.
 *
 * Starting from single nodes, the two groups with the largest positive weight between them are joined as long as there are any (greedy
 * additive edge contraction: Keuper, Levinkov, Bonneel, Lavoué, Brox, Andres 2015); then single nodes move while that helps.
 *
 * Bansal, Blum, Chawla: Correlation Clustering. Machine Learning 56, 2004.
 */
import { log } from "../../../linalg/elementary.js";

/** Evidence that two nodes are in the same group (weight above 0) or in different groups (below 0). */
export interface SignedEdge {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
}

/** The weight of a hard constraint: no number of answers outweighs it. */
export const LAW = 1e6;

const LEAST_RATE = 0.005;
const MOST_RATE = 0.45;

/** The weight of an answer; `confidence`: from 1 (sure, full weight) down to 0.5 (guess, weight 0). */
export function weightOf(errorRate: number, confidence = 1): number {
  const rate = Math.min(MOST_RATE, Math.max(LEAST_RATE, errorRate));
  const sureness = Math.max(0, 2 * confidence - 1);
  const wrong = 0.5 - (0.5 - rate) * sureness;
  return log((1 - wrong) / wrong);
}

/** Which of several edges are believed, by the edges alone. */
export function believed(n: number, edges: readonly SignedEdge[]): boolean[] {
  const groups = groupsOf(n, edges);
  return edges.map(({ a, b, weight }) => (groups[a] === groups[b]) === weight > 0);
}

/** The total weight of edges that agree with the groups, minus the total of those that do not. */
export function agreement(edges: readonly SignedEdge[], groups: Int32Array): number {
  let total = 0;
  for (const { a, b, weight } of edges) total += groups[a] === groups[b] ? weight : -weight;
  return total;
}

/** Groups of the nodes 0 … n-1, named by their lowest members. */
export function groupsOf(n: number, edges: readonly SignedEdge[]): Int32Array {
  const groups = contracted(n, edges);
  for (let round = 0; round < n && improve(n, edges, groups); round++);
  return named(groups);
}

function named(groups: Int32Array): Int32Array {
  const names = new Map<number, number>();
  groups.forEach((group, node) => {
    if (!names.has(group)) names.set(group, node);
  });
  return groups.map((group) => names.get(group)!);
}

function contracted(n: number, edges: readonly SignedEdge[]): Int32Array {
  const groups = Int32Array.from({ length: n }, (_, node) => node);
  const between = weightsBetween(n, edges);
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

function weightsBetween(n: number, edges: readonly SignedEdge[]): Map<number, number>[] {
  const between = Array.from({ length: n }, () => new Map<number, number>());
  for (const { a, b, weight } of edges) {
    if (a === b) continue;
    const sum = (between[a]!.get(b) ?? 0) + weight;
    between[a]!.set(b, sum);
    between[b]!.set(a, sum);
  }
  return between;
}

/** The two groups with the largest weight between them, the lowest on ties; null if no weight is positive. */
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

/** One round of moves of single nodes, to another group or a new one; returns whether any helped. */
function improve(n: number, edges: readonly SignedEdge[], groups: Int32Array): boolean {
  const between = weightsBetween(n, edges);
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
