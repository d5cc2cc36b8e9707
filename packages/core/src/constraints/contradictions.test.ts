import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConstraintSet } from "../model/constraint-set.js";
import { processorMs } from "../testing/processor-ms.js";
import { tuples } from "../testing/tuples.js";
import { constraints } from "./build.js";
import { closeConstraints } from "./closure.js";
import { anySet, givenMustLinks, plainClosure } from "./closure.reference.js";
import { contradictions, isContradictory, refuseContradictions } from "./contradictions.js";
import { emptyConstraints } from "./sets.js";

/** Shortest path lengths between all rows along must-links, including equal labels (Floyd and Warshall). */
function stepsBetween(set: ConstraintSet): number[][] {
  const steps = Array.from({ length: set.n }, (_, i) => Array.from({ length: set.n }, (_, j) => (i === j ? 0 : Infinity)));
  for (const [a, b] of givenMustLinks(set)) steps[a]![b] = steps[b]![a] = a === b ? 0 : 1;
  for (let k = 0; k < set.n; k++) {
    for (let i = 0; i < set.n; i++)
      for (let j = 0; j < set.n; j++) steps[i]![j] = Math.min(steps[i]![j]!, steps[i]![k]! + steps[k]![j]!);
  }
  return steps;
}

const found = (n: number, lists: Parameters<typeof constraints>[1]) =>
  contradictions(closeConstraints(constraints({ n }, lists)));

describe("by hand", () => {
  test("a cannot-link inside a component, with the shorter of two ways", () => {
    const mustLink = tuples("0 1, 1 2, 2 3, 0 4, 4 3");
    expect(
      found(6, {
        mustLink,
        cannotLink: tuples("5 0, 3 0"),
      }),
    ).toEqual([{ kind: "cannot-link", rows: [3, 0], path: [3, 4, 0] }]);
  });
  test("a path steps through a class at once", () => {
    const labels = [
      [1, "x"],
      [2, "x"],
      [3, "x"],
    ] as const;
    const all = found(6, {
      mustLink: tuples("0 1, 3 4"),
      labels,
      cannotLink: [[0, 4]],
    });
    expect(all).toEqual([{ kind: "cannot-link", rows: [0, 4], path: [0, 1, 3, 4] }]);
  });
  test("two classes in one component; the closest pair is named", () => {
    const all = found(6, {
      mustLink: tuples("0 1, 1 2, 2 3, 3 4"),
      labels: [
        [0, "x"],
        [4, "y"],
        [1, "x"],
      ],
    });
    expect(all).toEqual([{ kind: "labels", rows: [1, 4], path: [1, 2, 3, 4], names: ["x", "y"] }]);
  });
  test("a row with two labels, which no builder lets through", () => {
    const labels = { row: Int32Array.of(2, 2), code: Int32Array.of(0, 1), weight: Float64Array.of(1, 1), names: ["x", "y"] };
    expect(contradictions(closeConstraints({ ...emptyConstraints(3), labels }))).toEqual([
      { kind: "labels", rows: [2, 2], path: [2], names: ["x", "y"] },
    ]);
  });
  test("an exclusive group with two rows in a component", () => {
    const exclusive = [{ column: "frame", codes: Int32Array.of(0, -1, 0, 0, 1), names: ["f0", "f1"] }];
    const all = found(5, { mustLink: tuples("0 1, 1 2, 2 3"), exclusive });
    expect(all).toEqual([{ kind: "exclusive", rows: [2, 3], path: [2, 3], names: ["frame", "f0"] }]);
  });
  test("two rows of an exclusive group that only a class joins, which is reached from both ends", () => {
    const all = found(4, {
      mustLink: tuples("0 1, 3 2"),
      labels: [
        [1, "x"],
        [2, "x"],
      ],
      exclusive: [{ column: "frame", codes: Int32Array.of(0, -1, -1, 0), names: ["f0"] }],
    });
    expect(all).toEqual([{ kind: "exclusive", rows: [0, 3], path: [0, 1, 2, 3], names: ["frame", "f0"] }]);
  });
  test("hard methods throw a sentence in the user's ids", () => {
    const closure = closeConstraints(constraints({ n: 3 }, { mustLink: tuples("0 1, 1 2"), cannotLink: [[0, 2]] }));
    expect(() => refuseContradictions(closure, ["a", "b", "c"])).toThrow(
      "a and c cannot link, yet must-links join them: a – b – c.",
    );
    expect(() => refuseContradictions(closeConstraints(emptyConstraints(3)))).not.toThrow();
  });
});

describe("properties", () => {
  test("found if and only if they exist by definition", () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const closure = closeConstraints(set);
        const expected = plainClosure(set).contradictory;
        expect(contradictions(closure).length > 0).toBe(expected);
        expect(isContradictory(closure)).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });
  test("one entry per cannot-link, per component with several classes, per group and component; each path is shortest", () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const closure = closeConstraints(set);
        const all = contradictions(closure);
        const steps = stepsBetween(set);
        for (const { rows, path } of all) {
          expect([path[0], path.at(-1)]).toEqual(rows);
          expect(path.length - 1).toBe(steps[rows[0]]![rows[1]]);
          for (let p = 1; p < path.length; p++) expect(steps[path[p - 1]!]![path[p]!]).toBe(1);
        }
        const links = Array.from(set.cannotLinks.a, (a, s) => [a, set.cannotLinks.b[s]!]);
        const inside = links.filter(([a, b]) => closure.component[a!] === closure.component[b!]);
        expect(all.filter(({ kind }) => kind === "cannot-link").map(({ rows }) => rows)).toEqual(inside);
        checkClosest(set, closure.component, all, steps);
      }),
      { numRuns: 400 },
    );
  });
});

function checkClosest(
  set: ConstraintSet,
  component: Int32Array,
  all: ReturnType<typeof contradictions>,
  steps: number[][],
): void {
  const best = new Map<string, number>();
  const offer = (key: string, length: number) => best.set(key, Math.min(best.get(key) ?? Infinity, length));
  const { row, code } = set.labels;
  for (let s = 0; s < row.length; s++) {
    for (let t = 0; t < s; t++) {
      const [i, j] = [row[s]!, row[t]!];
      if (code[s] !== code[t] && component[i] === component[j]) offer(`labels ${component[i]}`, steps[i]![j]!);
    }
  }
  for (const { column, codes, names } of set.exclusive) {
    for (let i = 0; i < set.n; i++) {
      for (let j = 0; j < i; j++) {
        if (codes[i]! < 0 || codes[i] !== codes[j] || component[i] !== component[j]) continue;
        offer(`${column} ${names[codes[i]!]} ${component[i]}`, steps[i]![j]!);
      }
    }
  }
  const listed = all.filter(({ kind }) => kind !== "cannot-link");
  const key = ({ kind, names, rows }: (typeof all)[number]) =>
    `${kind === "labels" ? "labels" : names?.join(" ")} ${component[rows[0]]}`;
  expect(new Map(listed.map((entry) => [key(entry), entry.path.length - 1]))).toEqual(best);
  expect(listed.length).toBe(best.size);
}

describe("bounds", () => {
  const n = 100_001;
  const rows = Int32Array.from({ length: n - 1 }, (_, i) => i);
  const mustLinks = { a: rows, b: rows.map((i) => i + 1), weight: new Float64Array(n - 1).fill(1) };
  const timed = (set: ConstraintSet) => {
    const closure = closeConstraints(set);
    const begin = processorMs();
    const all = contradictions(closure);
    expect(processorMs() - begin).toBeLessThan(5000);
    return all;
  };
  test("100,000 contradictory cannot-links along a chain: all are listed, the first with a path", () => {
    const cannotLinks = { a: rows, b: rows.map((i) => n - 1 - (i >> 1)), weight: mustLinks.weight };
    const all = timed({ ...emptyConstraints(n), mustLinks, cannotLinks });
    expect(all.length).toBeGreaterThan(99_000);
    expect(all[0]!.path.length).toBe(n);
    expect(all.filter(({ path }) => path.length === 0).length).toBeGreaterThan(90_000);
    expect(all.reduce((sum, { path }) => sum + path.length, 0)).toBeLessThan(1_200_000);
  });
  test("cannot-links that share a row share a search", () => {
    const cannotLinks = { a: rows.map(() => 0), b: rows.map((i) => (i % 9) + 1), weight: mustLinks.weight };
    const all = timed({ ...emptyConstraints(n), mustLinks, cannotLinks });
    expect(all.every(({ path }) => path.length > 1)).toBe(true);
  });
  test("the search starts at the row that more of them share, whichever end it is", () => {
    const mustLink = Array.from({ length: 9 }, (_, i) => [i, i + 1] as const);
    const cannotLink = Array.from({ length: 9 }, (_, i) => [i + 1, 0] as const);
    const all = contradictions(closeConstraints(constraints({ n: 10 }, { mustLink, cannotLink })), { effort: 5 });
    expect(all.map(({ path }) => path.length)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
  test("a spent effort leaves the entries and drops the paths", () => {
    const set = constraints({ n: 4 }, { mustLink: tuples("0 1, 1 2, 2 3"), cannotLink: tuples("0 2, 1 3") });
    const all = contradictions(closeConstraints(set), { effort: 1 });
    expect(all.map(({ path }) => path)).toEqual([[0, 1, 2], []]);
  });
  test("an exclusive group of 100,000 rows in one component", () => {
    const exclusive = [{ column: "source", codes: new Int32Array(n), names: ["only"] }];
    expect(timed({ ...emptyConstraints(n), mustLinks, exclusive })).toHaveLength(1);
  });
});
