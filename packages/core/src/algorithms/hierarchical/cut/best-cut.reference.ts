/**
 * Reference for tests: every cut of a small hierarchy, with its constraint weight and stability computed row by row and pair by pair. Slow
 * and simple.
 */
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Merge } from "../../../model/result.js";
import type { Scale } from "./cut-best.js";

interface Node {
  readonly id: number;
  readonly rows: readonly number[];
  readonly height: number;
  readonly parts: readonly Node[];
}

export interface JudgedCut {
  readonly labels: readonly number[];
  readonly weight: number;
  readonly stability: number;
}

export function everyCut(
  merges: readonly Merge[],
  n: number,
  set: ConstraintSet,
  minClusterSize: number,
  scale: Scale,
): JudgedCut[] {
  const nodes: Node[] = Array.from({ length: n }, (_, row) => ({ id: row, rows: [row], height: 0, parts: [] }));
  merges.forEach(([left, right, height], m) => {
    const parts = [nodes[left]!, nodes[right]!];
    nodes.push({ id: n + m, rows: parts.flatMap(({ rows }) => rows), height, parts });
  });
  const positive = merges.map((merge) => merge[2]).filter((height) => height > 0);
  const level = (height: number) => (scale === "lifetime" ? -height : 1 / (height > 0 ? height : Math.min(...positive) / 2));
  const isLarge = ({ rows }: Node) => rows.length >= minClusterSize;

  /** The level at which a row leaves the cluster of `node`. */
  const leaves = (row: number, node: Node): number => {
    const mine = node.parts.find(({ rows }) => rows.includes(row));
    const goesOn = mine && isLarge(mine) && node.parts.filter(isLarge).length === 1;
    return goesOn ? leaves(row, mine) : level(node.height);
  };
  /** The two clusters that the cluster of `node` splits into, or no cluster. */
  const splits = (node: Node): readonly Node[] => {
    const large = node.parts.filter(isLarge);
    return large.length === 1 ? splits(large[0]!) : large;
  };
  const cutsBelow = (node: Node): (readonly Node[])[] => {
    const [one, other] = splits(node);
    return one && other ? cutsOf(one).flatMap((a) => cutsOf(other).map((b) => [...a, ...b])) : [];
  };
  const cutsOf = (node: Node): (readonly Node[])[] => [[node], ...cutsBelow(node)];

  const birth = new Map<number, number>();
  for (const node of nodes) for (const part of splits(node)) birth.set(part.id, birthLevel(nodes, part, isLarge, level));
  return cutsBelow(nodes.at(-1)!).map((clusters) => {
    const labels = Array.from({ length: n }, (_, row) => clusters.findIndex(({ rows }) => rows.includes(row)));
    const stability = clusters.flatMap((node) => node.rows.map((row) => leaves(row, node) - birth.get(node.id)!));
    return { labels, weight: satisfiedWeight(set, labels), stability: stability.reduce((sum, value) => sum + value, 0) };
  });
}

/** The level at which cluster `part` begins: the level of the merge above it. */
function birthLevel(
  nodes: readonly Node[],
  part: Node,
  isLarge: (node: Node) => boolean,
  level: (height: number) => number,
): number {
  const parent = nodes.find(({ parts }) => parts.includes(part))!;
  if (!parent.parts.every(isLarge)) throw new Error("Not where a cluster begins.");
  return level(parent.height);
}

export function satisfiedWeight(set: ConstraintSet, labels: readonly number[]): number {
  const together = (i: number, j: number) => labels[i]! >= 0 && labels[i] === labels[j];
  let satisfied = 0;
  set.mustLinks.a.forEach((a, s) => {
    if (together(a, set.mustLinks.b[s]!)) satisfied += set.mustLinks.weight[s]!;
  });
  set.cannotLinks.a.forEach((a, s) => {
    if (!together(a, set.cannotLinks.b[s]!)) satisfied += set.cannotLinks.weight[s]!;
  });
  set.relative.a.forEach((a, s) => {
    const [b, c] = [set.relative.b[s]!, set.relative.c[s]!];
    if (together(a, c) === together(b, c)) satisfied += set.relative.weight[s]!;
  });
  const { row, code, weight } = set.labels;
  const sum = (which: (s: number) => boolean) => weight.reduce((total, w, s) => total + (which(s) ? w : 0), 0);
  row.forEach((i, s) => {
    const mine = sum((t) => code[t] === code[s]);
    const others = sum((t) => code[t] !== code[s]);
    const with_ = labels[i]! < 0 ? 0 : sum((t) => code[t] === code[s] && together(i, row[t]!));
    const amid = sum((t) => code[t] !== code[s] && together(i, row[t]!));
    satisfied += (weight[s]! / 2) * (with_ / mine + 1 - (others > 0 ? amid / others : 0));
  });
  for (const { codes } of set.exclusive) {
    for (const cluster of new Set(labels.filter((label) => label >= 0))) {
      const here = [...codes].filter((group, i) => group >= 0 && labels[i] === cluster);
      satisfied -= here.length - new Set(here).size;
    }
  }
  return satisfied;
}
