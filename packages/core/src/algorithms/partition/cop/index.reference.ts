/** Reference for tests: COP-k-means by its definition, and an enumeration of all clusterings. */
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Points } from "../../../model/points.js";

/**
 * An n × n matrix of all given and implied pairs: 1 if the rows must be together, -1 if they must be apart, 0 otherwise. Null if some rows
 * must be both.
 */
export function allPairs(set: ConstraintSet): Int8Array[] | null {
  const { n, mustLinks, cannotLinks, labels, exclusive } = set;
  const together = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => i === j));
  const apart = Array.from({ length: n }, () => new Array<boolean>(n).fill(false));
  const mark = (table: boolean[][], i: number, j: number): void => {
    table[i]![j] = table[j]![i] = true;
  };
  mustLinks.a.forEach((a, m) => {
    mark(together, a, mustLinks.b[m]!);
  });
  cannotLinks.a.forEach((a, m) => {
    mark(apart, a, cannotLinks.b[m]!);
  });
  labels.row.forEach((row, s) => {
    labels.row.forEach((other, t) => {
      if (s !== t) mark(labels.code[s] === labels.code[t] ? together : apart, row, other);
    });
  });
  for (const { codes } of exclusive) {
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) if (codes[i]! >= 0 && codes[i] === codes[j]) mark(apart, i, j);
  }
  for (let m = 0; m < n; m++) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (together[i]![m] && together[m]![j]) together[i]![j] = true;
  }
  const pairs = Array.from({ length: n }, () => new Int8Array(n));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (!apart[i]![j]) continue;
      for (let p = 0; p < n; p++) for (let q = 0; q < n; q++) if (together[i]![p] && together[j]![q]) pairs[p]![q] = -1;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (together[i]![j] && pairs[i]![j] === -1) return null;
      if (together[i]![j]) pairs[i]![j] = 1;
    }
  }
  return pairs;
}

export function isLegal(pairs: readonly Int8Array[], labels: ArrayLike<number>): boolean {
  return pairs.every((row, i) => row.every((pair, j) => pair === 0 || (pair === 1) === (labels[i] === labels[j])));
}

/** All k^n assignments of n rows to k clusters, as labels. */
export function* assignments(n: number, k: number): Generator<readonly number[], void, void> {
  const labels = new Array<number>(n).fill(0);
  for (;;) {
    yield labels;
    let i = 0;
    while (i < n && labels[i] === k - 1) labels[i++] = 0;
    if (i === n) return;
    labels[i]!++;
  }
}

export function squared({ d, x }: Points, i: number, centre: readonly number[]): number {
  return centre.reduce((sum, value, j) => sum + (x[i * d + j]! - value) ** 2, 0);
}

/**
 * Table 1 of Wagstaff et al. 2001, row by row. Returns "open" if a cluster becomes empty or the iteration does not converge, because the
 * paper defines neither case.
 */
export function copKMeansByDefinition(
  points: Points,
  pairs: readonly Int8Array[],
  order: readonly number[],
  first: readonly (readonly number[])[],
): { readonly labels: number[]; readonly centres: readonly (readonly number[])[] } | { readonly deadEnd: number } | "open" {
  let centres = first;
  let before: number[] = [];
  for (let iteration = 0; iteration < 100; iteration++) {
    const labels = new Array<number>(points.n).fill(-1);
    for (const i of order) {
      const nearest = centres.map((_, c) => c).sort((b, c) => squared(points, i, centres[b]!) - squared(points, i, centres[c]!));
      const legal = nearest.find((c) =>
        labels.every((label, j) => label === -1 || pairs[i]![j] === 0 || (pairs[i]![j] === 1) === (label === c)),
      );
      if (legal === undefined) return { deadEnd: i };
      labels[i] = legal;
    }
    const means = centres.map((_, c) => {
      const rows = order.filter((i) => labels[i] === c).sort((i, j) => i - j);
      return Array.from(
        { length: points.d },
        (_, j) => rows.reduce((sum, i) => sum + points.x[i * points.d + j]!, 0) / rows.length,
      );
    });
    if (means.some((mean) => mean.some(Number.isNaN))) return "open";
    if (labels.every((label, i) => label === before[i])) return { labels, centres: means };
    before = labels;
    centres = means;
  }
  return "open";
}
