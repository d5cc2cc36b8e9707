import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Merge } from "../model/result.js";
import { tuples } from "../testing/tuples.js";
import { constraints } from "./build.js";
import { anySet } from "./closure.reference.js";
import { violationCount } from "./counts.js";
import { violationsOf } from "./violations.js";

const none = { mustLink: [], cannotLink: [], relative: [], labels: [], exclusive: [] };

describe("by hand", () => {
  test("links, as given; a row in no cluster breaks its must-links and no cannot-link", () => {
    const known = constraints({ n: 5 }, { mustLink: tuples("1 0, 2 3, 3 4"), cannotLink: tuples("3 2, 0 2, 4 3") });
    expect(violationsOf(known, Int32Array.of(0, 0, 1, 1, -1))).toEqual({ ...none, mustLink: [[3, 4]], cannotLink: [[3, 2]] });
    expect(violationsOf(known, Int32Array.of(-1, -1, 1, -1, -1)).mustLink).toEqual(tuples("1 0, 2 3, 3 4"));
    expect(violationsOf(known, Int32Array.of(-1, -1, -1, -1, -1)).cannotLink).toEqual([]);
  });
  test("relative constraints in a flat clustering", () => {
    const known = constraints({ n: 3 }, { relative: [[0, 1, 2]] });
    for (const [labels, broken] of [
      [[0, 0, 1], false],
      [[0, 0, 0], false],
      [[0, 1, 2], false],
      [[0, 1, 0], true],
      [[0, 1, 1], true],
      [[-1, -1, -1], false],
      [[-1, 0, 0], true],
    ] as const) {
      expect(violationsOf(known, Int32Array.from(labels)).relative.length, labels.join()).toBe(broken ? 1 : 0);
    }
  });
  test("relative constraints in a hierarchy", () => {
    const merges: Merge[] = [
      [0, 1, 1, 2],
      [2, 3, 2, 2],
      [4, 5, 3, 4],
    ];
    const known = constraints({ n: 4 }, { relative: tuples("0 1 2, 0 2 1, 0 2 3, 2 3 0") });
    expect(violationsOf(known, new Int32Array(4), merges).relative).toEqual(tuples("0 2 1, 0 2 3"));
  });
  test("rows that never meet are not closer than other rows", () => {
    const known = constraints({ n: 4 }, { relative: tuples("0 1 2, 0 2 1, 2 3 0") });
    expect(violationsOf(known, new Int32Array(4), [[0, 1, 1, 2]]).relative).toEqual(tuples("0 2 1, 2 3 0"));
  });
  test("labels: the matching that keeps the most constraints decides", () => {
    const labels = [
      [0, "x"],
      [1, "x"],
      [2, "x"],
      [3, "y"],
      [4, "y"],
      [5, "z"],
    ] as const;
    const known = constraints({ n: 6 }, { labels });
    expect(violationsOf(known, Int32Array.of(7, 7, 9, 7, 9, -1)).labels).toEqual([
      [2, "x"],
      [3, "y"],
      [5, "z"],
    ]);
  });
  test("exclusive groups, once per group and cluster", () => {
    const exclusive = [{ column: "frame", codes: Int32Array.of(0, 0, 0, 1, 1, -1, -1), names: ["a", "b"] }];
    const known = constraints({ n: 7, exclusive });
    expect(violationsOf(known, Int32Array.of(4, 4, 4, 4, 1, 1, 1)).exclusive).toEqual([
      { column: "frame", value: "a", cluster: 4, rows: [0, 1, 2] },
    ]);
    expect(violationCount(violationsOf(known, Int32Array.of(-1, -1, 1, 1, 1, 0, 0)))).toBe(1);
  });
});

const labelled = anySet.chain((set) =>
  fc.record({ set: fc.constant(set), labels: fc.array(fc.integer({ min: -1, max: 3 }), { minLength: set.n, maxLength: set.n }) }),
);

describe("against the definition", () => {
  test("exclusive groups and labels", () => {
    fc.assert(
      fc.property(labelled, ({ set, labels }) => {
        const found = violationsOf(set, Int32Array.from(labels));
        const expected: string[] = [];
        for (const { column, codes, names } of set.exclusive) {
          for (let g = 0; g < 4; g++) {
            for (let cluster = 0; cluster < 4; cluster++) {
              const rows = labels.flatMap((label, i) => (label === cluster && codes[i] === g ? [i] : []));
              if (rows.length > 1) expected.push(`${column} ${names[g]} ${cluster} ${rows}`);
            }
          }
        }
        expect(found.exclusive.map(({ column, value, cluster, rows }) => `${column} ${value} ${cluster} ${rows}`).sort()).toEqual(
          expected.sort(),
        );
        expect(set.labels.row.length - found.labels.length).toBe(
          mostKept(
            set.labels.names.length,
            (code, cluster) => set.labels.row.filter((row, s) => set.labels.code[s] === code && labels[row] === cluster).length,
          ),
        );
      }),
      { numRuns: 300 },
    );
  });
  test("relative constraints in random hierarchies, by sets of leaves", () => {
    const tree = fc
      .tuple(fc.integer({ min: 3, max: 12 }), fc.infiniteStream(fc.nat()))
      .map(([n, stream]) => randomMerges(n, stream));
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.nat()), (merges, stream) => {
        const n = merges.length + 1;
        const draw = () => stream.next().value % n;
        const relative = Array.from({ length: 10 }, () => [draw(), draw(), draw()] as const).filter(
          ([a, b, c]) => a !== b && a !== c && b !== c,
        );
        const known = constraints({ n }, { relative });
        const sets: Set<number>[] = Array.from({ length: n }, (_, i) => new Set([i]));
        for (const [left, right] of merges) sets.push(new Set([...sets[left]!, ...sets[right]!]));
        const meet = (i: number, j: number) => sets.findIndex((set) => set.has(i) && set.has(j));
        const triples = Array.from(known.relative.a, (a, s) => [a, known.relative.b[s]!, known.relative.c[s]!]);
        const expected = triples.filter(([a, b, c]) => meet(a!, b!) >= meet(a!, c!));
        expect(violationsOf(known, new Int32Array(n), merges).relative).toEqual(expected);
      }),
    );
  });
});

/** The maximum number of constraints that a one-to-one matching of classes to four clusters satisfies, by brute force. */
function mostKept(classes: number, count: (code: number, cluster: number) => number, code = 0, used = 0): number {
  if (code === classes) return 0;
  let best = mostKept(classes, count, code + 1, used);
  for (let cluster = 0; cluster < 4; cluster++) {
    if (used & (1 << cluster)) continue;
    best = Math.max(best, count(code, cluster) + mostKept(classes, count, code + 1, used | (1 << cluster)));
  }
  return best;
}

function randomMerges(n: number, stream: Iterator<number>): Merge[] {
  const alive = Array.from({ length: n }, (_, i) => i);
  const merges: Merge[] = [];
  while (alive.length > 1) {
    const [left] = alive.splice(stream.next().value! % alive.length, 1);
    const [right] = alive.splice(stream.next().value! % alive.length, 1);
    merges.push([left!, right!, merges.length, 2]);
    alive.push(n + merges.length - 1);
  }
  return merges;
}
