/**
 * Reference for tests: ClusILC from its definition. It lists all constrained pairs, tries all tests and pairs of labels, and computes H
 * again for each split.
 */
import { type PlainPair, plainWeights } from "../../constraints/closure.reference.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Points } from "../../model/points.js";

/**
 * Every constrained pair of rows, given or entailed, with its weight. A hard pair has 1,000 times the weight of the heaviest soft
 * constraint.
 */
export function plainPairs(set: ConstraintSet): PlainPair[] {
  const { mustLinks, cannotLinks, labels, exclusive } = set;
  const soft = [mustLinks, cannotLinks, labels].flatMap(({ weight }) => [...weight].filter((w) => w !== Infinity));
  if (exclusive.length > 0) soft.push(1);
  const hard = soft.length === 0 ? 1 : 1000 * Math.max(...soft);
  const finite = <T extends { readonly weight: Float64Array }>(given: T): T => {
    return { ...given, weight: given.weight.map((weight) => (weight === Infinity ? hard : weight)) };
  };
  return plainWeights({
    ...set,
    mustLinks: finite(mustLinks),
    cannotLinks: finite(cannotLinks),
    labels: finite(labels),
  });
}

export interface PlainLeaf {
  readonly rows: readonly number[];
  readonly label: number;
}

export interface PlainTree {
  readonly leaves: readonly PlainLeaf[];
  readonly heights: readonly number[];
}

interface PlainOptions {
  readonly k: number;
  readonly gamma: number;
  readonly minLeaf: number;
  readonly maxLeaves: number;
  readonly labelRule: "linked" | "any";
  /** Columns that can be tested, and columns whose variance counts, in order. */
  readonly describe: readonly number[];
  readonly variance: readonly number[];
}

function plainHeuristic(
  points: Points,
  pairs: readonly PlainPair[],
  leaves: readonly PlainLeaf[],
  { gamma, variance }: PlainOptions,
): number {
  const all = Array.from({ length: points.n }, (_, i) => i);
  const total = scatter(points, all, variance);
  const within = leaves.reduce((sum, { rows }) => sum + scatter(points, rows, variance), 0);
  const weight = pairs.reduce((sum, pair) => sum + pair.weight, 0);
  const broken = pairs.reduce((sum, pair) => sum + (isBroken(pair, leaves) ? pair.weight : 0), 0);
  return (total > 0 ? ((1 - gamma) * within) / total : 0) + (weight > 0 ? (gamma * broken) / weight : 0);
}

function isBroken({ a, b, must }: PlainPair, leaves: readonly PlainLeaf[]): boolean {
  const label = (row: number): number => leaves.find(({ rows }) => rows.includes(row))!.label;
  return must !== (label(a) === label(b));
}

/** n times the variance: the sum of squares around the mean for numbers, the Gini index for levels. */
function scatter({ d, x, nominal }: Points, rows: readonly number[], variance: readonly number[]): number {
  let sum = 0;
  for (const j of variance) {
    const column = rows.map((i) => x[i * d + j]!);
    if (nominal?.[j] === 1) {
      const share = (value: number): number => column.filter((v) => v === value).length / rows.length;
      sum += rows.length * (1 - [...new Set(column)].reduce((squares, value) => squares + share(value) ** 2, 0));
    } else {
      const mean = column.reduce((s, v) => s + v, 0) / rows.length;
      sum += column.reduce((s, v) => s + (v - mean) ** 2, 0);
    }
  }
  return sum;
}

export function plainClusilc(points: Points, set: ConstraintSet, options: PlainOptions): PlainTree {
  const pairs = plainPairs(set);
  let leaves: readonly PlainLeaf[] = [{ rows: Array.from({ length: points.n }, (_, i) => i), label: 0 }];
  const heights = [plainHeuristic(points, pairs, leaves, options)];
  while (leaves.length < options.maxLeaves) {
    let best: { leaves: readonly PlainLeaf[]; height: number } | undefined;
    for (const [slot, leaf] of leaves.entries()) {
      for (const [yes, no] of splits(points, leaf.rows, options.describe)) {
        if (Math.min(yes.length, no.length) < options.minLeaf) continue;
        const labels = bestLabels(pairs, leaves, slot, yes, no, options);
        if (!labels) continue;
        const refined = [...leaves, { rows: no, label: labels[1] }];
        refined[slot] = { rows: yes, label: labels[0] };
        const height = plainHeuristic(points, pairs, refined, options);
        if (height < (best?.height ?? heights.at(-1)!) - 1e-12) best = { leaves: refined, height };
      }
    }
    if (!best) break;
    leaves = best.leaves;
    heights.push(best.height);
  }
  return { leaves, heights };
}

/** Every test on the rows, in order: columns, then values from large to small, then sets of levels by size. */
function* splits(
  { d, x, nominal }: Points,
  rows: readonly number[],
  describe: readonly number[],
): Generator<[number[], number[]]> {
  for (const j of describe) {
    const value = (i: number): number => x[i * d + j]!;
    const values = [...new Set(rows.map(value))].sort((a, b) => a - b);
    if (nominal?.[j] === 1) {
      for (const set of subsets(values))
        yield [rows.filter((i) => set.includes(value(i))), rows.filter((i) => !set.includes(value(i)))];
    } else {
      for (const low of values.slice(0, -1).reverse())
        yield [rows.filter((i) => value(i) > low), rows.filter((i) => value(i) <= low)];
    }
  }
}

/**
 * The sets of levels that a test can separate from the other levels. With more than five levels: single levels. With at most five levels:
 * all sets of at most half of the levels. Of two sets of exactly half of the levels, only the set with the first level.
 */
function subsets(values: readonly number[]): number[][] {
  const all: number[][] = [[]];
  for (const value of values) all.push(...all.map((set) => [...set, value]));
  return all
    .filter(({ length }) => length > 0 && (values.length <= 5 ? 2 * length <= values.length : length === 1))
    .filter((set) => 2 * set.length < values.length || set.includes(values[0]!))
    .sort((a, b) => a.length - b.length);
}

function bestLabels(
  pairs: readonly PlainPair[],
  leaves: readonly PlainLeaf[],
  slot: number,
  yes: readonly number[],
  no: readonly number[],
  { k, labelRule }: PlainOptions,
): [number, number] | undefined {
  const others = leaves.filter((_, s) => s !== slot);
  const used = [...new Set(others.map(({ label }) => label))].sort((a, b) => a - b);
  const unused = Array.from({ length: used.length + 2 }, (_, c) => c).filter((c) => !used.includes(c));
  const fresh = unused.slice(0, Math.max(0, Math.min(2, k - used.length)));
  const linksTo = (side: readonly number[], label: number): number =>
    pairs.filter(({ a, b, must }) => must && others.some((o) => o.label === label && leads(side, o.rows, a, b))).length;
  const candidates = (side: readonly number[]): number[] => [
    ...fresh,
    ...used.filter((label) => labelRule === "any" || linksTo(side, label) > 0),
  ];
  const outward = (side: readonly number[], label: number): number =>
    pairs.reduce((sum, pair) => {
      const other = others.find(({ rows }) => leads(side, rows, pair.a, pair.b));
      return other && pair.must !== (other.label === label) ? sum + pair.weight : sum;
    }, 0);
  const keys: { labels: [number, number]; key: number[] }[] = [];
  for (const c of candidates(yes)) {
    for (const e of candidates(no)) {
      // New labels are used in ascending order: one new label is the lowest free label, and two new labels are the lowest two.
      const news = [c, e].filter((label) => fresh.includes(label));
      if (c === e || news.some((label, at) => label !== fresh[at])) continue;
      const order = (label: number): number => (fresh.includes(label) ? -1 : label);
      keys.push({
        labels: [c, e],
        key: [outward(yes, c) + outward(no, e), -linksTo(yes, c) - linksTo(no, e), -news.length, order(c), order(e)],
      });
    }
  }
  return keys.sort((a, b) => compare(a.key, b.key))[0]?.labels;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let e = 0; e < a.length; e++) if (a[e] !== b[e]) return a[e]! - b[e]!;
  return 0;
}

/** Whether the pair of rows a and b connects the sets of rows `from` and `to`. */
function leads(from: readonly number[], to: readonly number[], a: number, b: number): boolean {
  return (from.includes(a) && to.includes(b)) || (from.includes(b) && to.includes(a));
}
