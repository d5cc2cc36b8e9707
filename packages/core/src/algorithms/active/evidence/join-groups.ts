/** Classes that answers made beyond the number there should be: the two that most likely are one join, until no more are left than k. */
import { log } from "../../../linalg/elementary.js";
import { type Beliefs, type Evidence, type Ground, netWeights } from "./beliefs.js";

/** What reaches a row by chance alone. */
const CHANCE = 0.03;

/**
 * The group of each node, numbers from 0. What speaks for two groups being one: the weight of answers between them, and how much
 * of each reaches a row of the other on average. Groups that the law keeps apart stay apart.
 */
export function joinedGroups(ground: Ground, beliefs: Beliefs, evidence: readonly Evidence[]): Int32Array {
  const group = beliefs.group.slice();
  for (let count = beliefs.count; count > ground.k; count--) {
    const pair = likeliestPair(ground, beliefs, evidence, group, count);
    if (!pair) return group;
    const [kept, gone] = pair;
    group.forEach((name, node) => {
      if (name === gone) group[node] = kept;
      else if (name > gone) group[node]!--;
    });
  }
  return group;
}

function likeliestPair(
  ground: Ground,
  beliefs: Beliefs,
  evidence: readonly Evidence[],
  group: Int32Array,
  count: number,
): readonly [number, number] | null {
  let best: readonly [number, number] | null = null;
  let most = -Infinity;
  for (const { a, b, score } of pairScores(ground, beliefs, evidence, group, count))
    if (score > most) [most, best] = [score, [a, b]];
  return best;
}

/** For each two groups that the law does not keep apart, what speaks for their being one. */
export function pairScores(
  { reach, law }: Ground,
  { nodes, nodeOf }: Pick<Beliefs, "nodes" | "nodeOf">,
  evidence: readonly Evidence[],
  group: Int32Array,
  count: number,
): { readonly a: number; readonly b: number; readonly score: number }[] {
  const mass = new Float64Array(count * count);
  const barred = new Uint8Array(count * count);
  const size = new Int32Array(count);
  nodes.forEach((row, a) => {
    const reached = reach(row);
    size[group[a]!]!++;
    nodes.forEach((other, b) => {
      if (group[a] === group[b]) return;
      mass[group[b]! * count + group[a]!]! += reached[other]!;
      if (law.relation(row, other) === "different") barred[group[a]! * count + group[b]!] = 1;
    });
  });
  const net = netWeights(evidence, (row) => group[nodeOf(row)!]!, count);
  const from = (a: number, b: number): number => log(mass[a * count + b]! / size[a]! + CHANCE / count);
  const found: { a: number; b: number; score: number }[] = [];
  for (let a = 0; a < count; a++)
    for (let b = a + 1; b < count; b++)
      if (barred[a * count + b] === 0) found.push({ a, b, score: net[a * count + b]! + from(a, b) + from(b, a) });
  return found;
}
