/** The closure by its definition, pair by pair; and random small constraint sets. For tests only. */
import fc from "fast-check";
import type { ConstraintSet } from "../model/constraint-set.js";
import { constraints } from "./build.js";

export interface PlainClosure {
  /** joined[i][j]: rows i and j must be together. */
  readonly joined: boolean[][];
  /** parted[i][j]: the weight with which i and j must be apart, 0 if not. */
  readonly parted: number[][];
  /** Contradictory statements: cannot-links inside, groups and labellings with two rows inside. */
  readonly contradictory: boolean;
}

/** Every pairwise must-link that was said, directly or by labels, with its weight. */
export function saidTogether(set: ConstraintSet): [number, number, number][] {
  const { mustLinks, labels } = set;
  const said: [number, number, number][] = Array.from(mustLinks.a, (a, s) => [a, mustLinks.b[s]!, mustLinks.weight[s]!]);
  for (let s = 0; s < labels.row.length; s++) {
    for (let t = 0; t < s; t++) {
      if (labels.code[s] !== labels.code[t] || labels.row[s] === labels.row[t]) continue;
      said.push([labels.row[s]!, labels.row[t]!, Math.min(labels.weight[s]!, labels.weight[t]!)]);
    }
  }
  return said;
}

/** Every pairwise cannot-link that was said, directly, by labels or by groups, with its weight. */
export function saidApart(set: ConstraintSet): [number, number, number][] {
  const { cannotLinks, labels, exclusive, n } = set;
  const said: [number, number, number][] = Array.from(cannotLinks.a, (a, s) => [a, cannotLinks.b[s]!, cannotLinks.weight[s]!]);
  for (let s = 0; s < labels.row.length; s++) {
    for (let t = 0; t < s; t++) {
      if (labels.code[s] === labels.code[t]) continue;
      said.push([labels.row[s]!, labels.row[t]!, Math.min(labels.weight[s]!, labels.weight[t]!)]);
    }
  }
  for (const { codes } of exclusive) {
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) if (codes[i]! >= 0 && codes[i] === codes[j]) said.push([i, j, 1]);
  }
  return said;
}

export function plainClosure(set: ConstraintSet): PlainClosure {
  const { n } = set;
  const joined = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => i === j));
  for (const [a, b] of saidTogether(set)) joined[a]![b] = joined[b]![a] = true;
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (joined[i]![k] && joined[k]![j]) joined[i]![j] = true;
  }
  const parted = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  let contradictory = false;
  for (const [a, b, weight] of saidApart(set)) {
    if (joined[a]![b]) contradictory = true;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        if (!joined[i]![a] || !joined[j]![b] || joined[a]![b]) continue;
        parted[i]![j] = parted[j]![i] = Math.max(parted[i]![j]!, weight);
      }
    }
  }
  return { joined, parted, contradictory };
}

/** Sets over up to 14 rows: links, labels and up to two exclusive columns, contradictory or not. */
export const anySet: fc.Arbitrary<ConstraintSet> = fc.integer({ min: 1, max: 14 }).chain((n) => {
  const row = fc.integer({ min: 0, max: n - 1 });
  const weight = fc.constantFrom(0.5, 1, 2, 3, Infinity);
  const pair = fc.tuple(row, row, weight);
  const apart = pair.filter(([a, b]) => a !== b);
  const triple = fc.tuple(row, row, row, weight).filter(([a, b, c]) => a !== b && a !== c && b !== c);
  const label = fc.tuple(row, fc.constantFrom("x", "y", "z"), weight);
  const codes = fc.array(fc.integer({ min: -1, max: 3 }), { minLength: n, maxLength: n });
  return fc
    .record({
      mustLink: fc.array(pair, { maxLength: 8 }),
      cannotLink: n > 1 ? fc.array(apart, { maxLength: 8 }) : fc.constant([]),
      relative: n > 2 ? fc.array(triple, { maxLength: 5 }) : fc.constant([]),
      labels: fc.oneof(fc.constant([]), fc.array(label, { maxLength: 7 })),
      columns: fc.oneof(fc.constant<number[][]>([]), fc.array(codes, { maxLength: 2 })),
    })
    .map(({ columns, ...statements }) => {
      const names = ["p", "q", "r", "s"];
      const exclusive = columns.map((column, c) => ({ column: `col${c}`, codes: Int32Array.from(column), names }));
      const { notices: _, ...set } = constraints({ n }, { ...statements, exclusive });
      return set;
    });
});
