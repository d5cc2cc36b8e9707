/**
 * The pair to ask about when answers are evidence: the row whose class is in most doubt, counting the rows that lean on it, and the
 * member of its likeliest class that is nearest to it. An answer that is not believed is asked once more, the other way round.
 */
import { BEYOND, type Beliefs, type Evidence, type Ground, overruledBy, UNMET } from "./beliefs.js";
import { pairScores } from "./join-groups.js";

/** A row is left when so little doubt remains; nothing is worth asking when all rows have less than the least. */
const ENOUGH = 0.03;
const LEAST = 0.002;
/** What stands for chance in rows nobody asked about. */
const CHANCE = 0.03;

export interface Asked extends Ground {
  readonly between: (i: number, j: number) => number;
  /** Rows that somebody was unsure about, and pairs. */
  readonly passed: ReadonlySet<number>;
  readonly isOpen: (i: number, j: number) => boolean;
}

/** For each row the chance that it is not where it seems to be. */
function doubts({ k }: Ground, beliefs: Beliefs): Float64Array {
  const { known, mass, count, nodeOf, chances } = beliefs;
  const none = CHANCE + (count < k ? UNMET : BEYOND);
  const byNode = new Map<number, number>();
  return Float64Array.from(known, (group, row) => {
    if (group >= 0) {
      const node = nodeOf(row)!;
      if (!byNode.has(node)) byNode.set(node, 1 - chances(node)[0]!.chance);
      return byNode.get(node)!;
    }
    let most = 0;
    let total = none;
    for (let c = 0; c < count; c++) {
      total += mass[row * count + c]!;
      most = Math.max(most, mass[row * count + c]!);
    }
    return 1 - most / total;
  });
}

/** `current`: the row asked about last, which is placed before another is begun. */
export function nextPair(
  ground: Asked,
  beliefs: Beliefs,
  evidence: readonly Evidence[],
  current: number,
): { readonly row: number; readonly pair: readonly [number, number] } | null {
  const doubt = doubts(ground, beliefs);
  const stays = current >= 0 && doubt[current]! >= ENOUGH && !ground.passed.has(current);
  if (!stays && beliefs.count > ground.k) {
    const pair = likeliestOne(ground, beliefs, evidence);
    if (pair) return { row: -1, pair };
  }
  const tried = new Set<number>();
  for (let row = stays ? current : -1; ; row = -1) {
    if (row < 0) row = mostDoubtful(ground, beliefs, doubt, tried);
    if (row < 0) return null;
    const pair = onceMore(row, ground, beliefs, evidence) ?? withMember(row, ground, beliefs, evidence, doubt);
    if (pair) return { row, pair };
    tried.add(row);
  }
}

function mostDoubtful({ graph, passed }: Asked, { known }: Beliefs, doubt: Float64Array, tried: ReadonlySet<number>): number {
  let best = -1;
  let most = 0;
  for (let i = 0; i < graph.n; i++) {
    if (doubt[i]! < LEAST || passed.has(i) || tried.has(i)) continue;
    let leaning = 1;
    for (let e = graph.start[i]!; e < graph.start[i + 1]!; e++) if (known[graph.other[e]!]! < 0) leaning += graph.weight[e]!;
    if (doubt[i]! * leaning > most) {
      most = doubt[i]! * leaning;
      best = i;
    }
  }
  return best;
}

/** An answer about the row that others speak against, and that was given once: its rows in the other order. */
function onceMore(
  row: number,
  { isOpen }: Asked,
  beliefs: Beliefs,
  evidence: readonly Evidence[],
): readonly [number, number] | null {
  const times = timesAsked(evidence);
  for (const place of overruledBy(beliefs, evidence)) {
    const { i, j } = evidence[place]!;
    if ((i === row || j === row) && isOpen(i, j) && times(i, j) === 1) return [j, i];
  }
  return null;
}

/** How often two rows were asked about, in whichever order. */
function timesAsked(evidence: readonly Evidence[]): (i: number, j: number) => number {
  const times = new Map<string, number>();
  const keyOf = (i: number, j: number) => (i < j ? `${i} ${j}` : `${j} ${i}`);
  for (const { i, j } of evidence) times.set(keyOf(i, j), (times.get(keyOf(i, j)) ?? 0) + 1);
  return (i, j) => times.get(keyOf(i, j)) ?? 0;
}

/** The row and the nearest member of its likeliest class; one that was asked about, or is in doubt itself, is as if farther away. */
function withMember(
  row: number,
  { between, isOpen, law }: Asked,
  { known, mass, count, nodes, nodeOf, chances }: Beliefs,
  evidence: readonly Evidence[],
  doubt: Float64Array,
): readonly [number, number] | null {
  const node = nodeOf(row);
  const times = timesAsked(evidence);
  const far = (member: number) => between(row, member) * (1 + 2 * times(row, member)) * (doubt[member]! > 0.1 ? 3 : 1);
  const nearest = (group: number): { readonly member: number; readonly distance: number } => {
    let best = { member: -1, distance: Infinity };
    for (const other of nodes) {
      if (known[other] !== group || nodeOf(other) === node) continue;
      for (const member of law.members(other)) {
        const distance = far(member);
        if ((distance < best.distance || best.member < 0) && isOpen(row, member)) best = { member, distance };
      }
    }
    return best;
  };
  const ranked =
    node === undefined
      ? Array.from({ length: count }, (_, group) => ({ group, chance: mass[row * count + group]! }))
      : chances(node).filter(({ group }) => group >= 0);
  const found = ranked.map(({ group, chance }) => ({ chance, ...nearest(group) })).filter(({ member }) => member >= 0);
  found.sort((a, b) => b.chance - a.chance || a.distance - b.distance || a.member - b.member);
  const best = found[0];
  if (!best) return null;
  return times(row, best.member) % 2 === 0 ? [row, best.member] : [best.member, row];
}

/** Where there are more classes than there should be: the two that most likely are one, by the rows of theirs that are nearest to each other. */
function likeliestOne(ground: Asked, beliefs: Beliefs, evidence: readonly Evidence[]): readonly [number, number] | null {
  const scores = pairScores(ground, beliefs, evidence, beliefs.group, beliefs.count);
  for (const { a, b } of scores.sort((p, q) => q.score - p.score)) {
    const pair = nearestAcross(ground, beliefs, evidence, a, b);
    if (pair) return pair;
  }
  return null;
}

/** Rows of two classes; those that were asked about are as if farther apart. */
function nearestAcross(
  { between, isOpen }: Asked,
  { nodes, group }: Beliefs,
  evidence: readonly Evidence[],
  a: number,
  b: number,
): readonly [number, number] | null {
  const times = timesAsked(evidence);
  let best: readonly [number, number] | null = null;
  let least = Infinity;
  nodes.forEach((i, p) => {
    if (group[p] !== a) return;
    nodes.forEach((j, q) => {
      if (group[q] !== b || !isOpen(i, j)) return;
      const distance = between(i, j) * (1 + 2 * times(i, j));
      if (distance < least || best === null) [least, best] = [distance, times(i, j) % 2 === 0 ? [i, j] : [j, i]];
    });
  });
  return best;
}
