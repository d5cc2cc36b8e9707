/** The closure by its definition, pair by pair; and random small constraint sets. For tests only. */
import fc from "fast-check";
import type { ConstraintSet } from "../model/constraint-set.js";
import { constraints } from "./build.js";

export interface PlainClosure {
  /** joined[i][j]: rows i and j must be together. */
  readonly joined: boolean[][];
  /**
   * apartWeight[i][j]: weight of the entailed cannot-link between i and j; 0 if there is none. It is the larger of two numbers: the weight
   * of the cannot-links, and the sum of the clique weights.
   */
  readonly apartWeight: number[][];
  /** byCliques[i][j]: the part of apartWeight[i][j] that comes from cliques, without cannot-links. */
  readonly byCliques: number[][];
  /**
   * Whether the constraints contradict each other: a component contains both rows of a cannot-link, two rows of a group, or two different
   * labels.
   */
  readonly contradictory: boolean;
}

/** The given must-links as triples [row, row, weight]. Rows with the same label are included. */
export function givenMustLinks(set: ConstraintSet): [number, number, number][] {
  const { mustLinks, labels } = set;
  const pairs: [number, number, number][] = Array.from(mustLinks.a, (a, s) => [a, mustLinks.b[s]!, mustLinks.weight[s]!]);
  for (let s = 0; s < labels.row.length; s++) {
    for (let t = 0; t < s; t++) {
      if (labels.code[s] !== labels.code[t] || labels.row[s] === labels.row[t]) continue;
      pairs.push([labels.row[s]!, labels.row[t]!, Math.min(labels.weight[s]!, labels.weight[t]!)]);
    }
  }
  return pairs;
}

function givenCannotLinks({ cannotLinks }: ConstraintSet): [number, number, number][] {
  return Array.from(cannotLinks.a, (a, s) => [a, cannotLinks.b[s]!, cannotLinks.weight[s]!]);
}

/**
 * The cliques as lists of weighted pairs of rows. There is one list for the classes, and one list for each value of an exclusive column.
 */
function givenByCliques({ labels, exclusive }: ConstraintSet): [number, number, number][][] {
  const classes: [number, number, number][] = [];
  for (let s = 0; s < labels.row.length; s++) {
    for (let t = 0; t < s; t++) {
      if (labels.code[s] === labels.code[t]) continue;
      classes.push([labels.row[s]!, labels.row[t]!, Math.min(labels.weight[s]!, labels.weight[t]!)]);
    }
  }
  const groups = exclusive.flatMap(({ codes }) =>
    [...new Set(codes)]
      .filter((code) => code >= 0)
      .map((code) => {
        const rows = [...codes.keys()].filter((i) => codes[i] === code);
        return rows.flatMap((i) => rows.filter((j) => j < i).map((j): [number, number, number] => [i, j, 1]));
      }),
  );
  return [classes, ...groups];
}

export function plainClosure(set: ConstraintSet): PlainClosure {
  const { n } = set;
  const joined = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => i === j));
  for (const [a, b] of givenMustLinks(set)) joined[a]![b] = joined[b]![a] = true;
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (joined[i]![k] && joined[k]![j]) joined[i]![j] = true;
  }
  const links = heaviestBetween(givenCannotLinks(set), joined);
  const cliques = givenByCliques(set).map((pairs) => heaviestBetween(pairs, joined));
  const byCliques = joined.map((row, i) => row.map((_, j) => cliques.reduce((sum, { weight }) => sum + weight[i]![j]!, 0)));
  const apartWeight = byCliques.map((row, i) => row.map((weight, j) => Math.max(weight, links.weight[i]![j]!)));
  const contradictory = [links, ...cliques].some((pairs) => pairs.contradictory);
  return { joined, apartWeight, byCliques, contradictory };
}

export interface PlainPair {
  readonly a: number;
  readonly b: number;
  readonly must: boolean;
  readonly weight: number;
}

/** Every pair of rows that the constraints join or separate, with its weight. Includes entailed pairs. */
export function plainWeights(set: ConstraintSet): PlainPair[] {
  const { joined, apartWeight, byCliques } = plainClosure(set);
  const weakest = new Array<number>(set.n).fill(Infinity);
  for (const [row, , weight] of givenMustLinks(set))
    for (let i = 0; i < set.n; i++) if (joined[i]![row]) weakest[i] = Math.min(weakest[i]!, weight);
  const pairs: PlainPair[] = [];
  for (let a = 0; a < set.n; a++) {
    for (let b = a + 1; b < set.n; b++) {
      if (joined[a]![b]) {
        pairs.push({ a, b, must: true, weight: given(set.mustLinks, a, b) ?? weakest[a]! });
      }
      const own = given(set.cannotLinks, a, b);
      const weight = own === undefined ? apartWeight[a]![b]! : Math.max(own, byCliques[a]![b]!);
      if (weight > 0) pairs.push({ a, b, must: false, weight });
    }
  }
  return pairs;
}

function given({ a, b, weight }: ConstraintSet["mustLinks"], i: number, j: number): number | undefined {
  return weight[a.findIndex((row, s) => (row === i && b[s] === j) || (row === j && b[s] === i))];
}

/**
 * For each pair of rows: the largest weight of the given pairs between their components. `contradictory`: whether a given pair is inside a
 * component.
 */
function heaviestBetween(pairs: readonly (readonly [number, number, number])[], joined: readonly boolean[][]) {
  const weight = joined.map((row) => row.map(() => 0));
  const membersOf = joined.map((row) => row.flatMap((together, i) => (together ? [i] : [])));
  let contradictory = false;
  for (const [a, b, w] of pairs) {
    if (joined[a]![b]) {
      contradictory = true;
      continue;
    }
    for (const i of membersOf[a]!) for (const j of membersOf[b]!) weight[i]![j] = weight[j]![i] = Math.max(weight[i]![j]!, w);
  }
  return { weight, contradictory };
}

/** Random sets over up to 14 rows: links, labels and up to two exclusive columns, with or without contradictions. */
export const anySet: fc.Arbitrary<ConstraintSet> = fc.integer({ min: 1, max: 14 }).chain((n) => {
  const row = fc.integer({ min: 0, max: n - 1 });
  const weight = fc.constantFrom(0.5, 1, 2, 3, Infinity);
  const pair = fc.tuple(row, row, weight);
  const apart = pair.filter(([a, b]) => a !== b);
  const triple = fc.tuple(row, row, row, weight).filter(([a, b, c]) => a !== b && a !== c && b !== c);
  const label = fc.tuple(row, fc.constantFrom("x", "y", "z"), weight);
  const labels = fc.uniqueArray(label, { maxLength: 7, selector: ([labelled]) => labelled });
  const codes = fc.array(fc.integer({ min: -1, max: 3 }), { minLength: n, maxLength: n });
  return fc
    .record({
      mustLink: fc.array(pair, { maxLength: 8 }),
      cannotLink: n > 1 ? fc.array(apart, { maxLength: 8 }) : fc.constant([]),
      relative: n > 2 ? fc.array(triple, { maxLength: 5 }) : fc.constant([]),
      labels: fc.oneof(fc.constant([]), labels),
      columns: fc.oneof(fc.constant<number[][]>([]), fc.array(codes, { maxLength: 2 })),
    })
    .map(({ columns, ...lists }) => {
      const names = ["p", "q", "r", "s"];
      const exclusive = columns.map((column, c) => ({ column: `col${c}`, codes: Int32Array.from(column), names }));
      const { notices: _, ...set } = constraints({ n }, { ...lists, exclusive });
      return set;
    });
});
