import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutBetween, faintClusters, layOut, type MergeRow, MIXED, runs } from "../layout/dendrogram.js";
import { malformed, times } from "../testing/samples.js";
import { dendrogramFigure } from "./dendrogram.js";

/** Rows 0 1 | 2 3 | 4: joins at 1, 2, 4, 9. */
const merges: MergeRow[] = [
  [0, 1, 1, 2],
  [2, 3, 2, 2],
  [5, 6, 4, 4],
  [4, 7, 9, 5],
];
const labels = Int32Array.of(0, 0, 1, 1, 2);

/** n rows in a line that join one after the other. */
function chain(n: number): MergeRow[] {
  return Array.from({ length: n - 1 }, (_, m): MergeRow => [m === 0 ? 0 : n + m - 1, m + 1, m + 1, m + 2]);
}

describe("layout", () => {
  test("children keep their order and a merge sits between them", () => {
    const { tips, branches, highest } = layOut(merges, labels, 4);
    expect(tips.map((tip) => tip.node)).toEqual([4, 0, 1, 2, 3]);
    expect(branches.map(({ left, right }) => [left, right])).toEqual([
      [1.5, 2.5],
      [3.5, 4.5],
      [2, 4],
      [0.5, 3],
    ]);
    expect(branches.map((branch) => branch.cluster)).toEqual([0, 1, MIXED, MIXED]);
    expect(highest).toBe(9);
  });

  test("cut short, subtrees become tips with their counts", () => {
    const { tips, branches } = layOut(merges, labels, 2);
    expect(tips.map(({ node, size, cluster }) => [node, size, cluster])).toEqual([
      [4, 1, 2],
      [5, 2, 0],
      [6, 2, 1],
    ]);
    expect(branches).toHaveLength(2);
  });

  test("a level line between the merges below and above, where there is one", () => {
    expect(cutBetween(merges, labels, 3)).toEqual({ below: 2, above: 4 });
    expect(cutBetween(merges, labels, 2)).toBeUndefined();
    expect(cutBetween(merges, Int32Array.of(0, 0, 0, 0, 1), 2)).toEqual({ below: 4, above: 9 });
    expect(cutBetween(merges, new Int32Array(5), 1)).toBeUndefined();
    const falling: MergeRow[] = [
      [0, 1, 3, 2],
      [2, 3, 1, 3],
    ];
    expect(cutBetween(falling, Int32Array.of(0, 0, 1), 2)).toBeUndefined();
    const forbidden: MergeRow[] = [
      [0, 1, 3, 2],
      [2, 3, null, 3],
    ];
    expect(cutBetween(forbidden, Int32Array.of(0, 0, 1), 2)).toEqual({ below: 3, above: null });
  });

  test("runs of neighbours add up their rows", () => {
    expect(runs(layOut(merges, labels, 2).tips).map(({ from, to, cluster, rows }) => [from, to, cluster, rows])).toEqual([
      [0, 1, 2, 1],
      [1, 2, 0, 2],
      [2, 3, 1, 2],
    ]);
  });
});

/** Random merges of n rows, some of them forbidden, with heights that may fall. */
const trees = fc
  .record({
    n: fc.integer({ min: 2, max: 40 }),
    picks: fc.array(fc.nat(), { minLength: 80, maxLength: 80 }),
    heights: fc.array(fc.oneof(fc.double({ min: 0, max: 50, noNaN: true }), fc.constant(null), fc.constant(0)), {
      minLength: 39,
      maxLength: 39,
    }),
    shown: fc.integer({ min: 1, max: 20 }),
    labels: fc.array(fc.integer({ min: -1, max: 20 }), { minLength: 40, maxLength: 40 }),
    mostLeaves: fc.constantFrom(5, 200),
  })
  .map(({ n, picks, heights, ...more }) => {
    const roots = Array.from({ length: n }, (_, i) => ({ node: i, size: 1 }));
    const merged = Array.from({ length: n - 1 }, (_, m): MergeRow => {
      const [a] = roots.splice(picks[2 * m]! % roots.length, 1);
      const [b] = roots.splice(picks[2 * m + 1]! % roots.length, 1);
      roots.push({ node: n + m, size: a!.size + b!.size });
      return [a!.node, b!.node, heights[m]!, a!.size + b!.size];
    });
    return { n, merged, ...more };
  });

test("whatever is forbidden and wherever the tree is cut short, every place is a number", () => {
  fc.assert(
    fc.property(trees, ({ n, merged, shown, labels: own, mostLeaves }) => {
      const drawn = dendrogramFigure({ merges: merged, labels: own.slice(0, n), k: 21, mostLeaves, lastMerges: shown });
      expect(drawn).not.toMatch(/NaN|Infinity|undefined/);
    }),
    { numRuns: 300 },
  );
});

test("a subtree that a constraint forbids ends above the break, and says so", () => {
  const deep: MergeRow[] = [
    [0, 1, 2, 2],
    [2, 5, null, 3],
    [3, 6, null, 4],
    [4, 7, null, 5],
  ];
  const drawn = dendrogramFigure({ merges: deep, labels: Int32Array.of(0, 0, 1, 2, 3), k: 4, mostLeaves: 3, lastMerges: 2 });
  expect(drawn).not.toContain("NaN");
  expect(drawn).toContain("3 rows, joined against a constraint");
  expect(drawn).toContain("3 merges would break a constraint.");
});

test("of neighbours that share a colour every second one is fainter", () => {
  const tips = [0, 8, 16, 3, 11, 3, 0].map((cluster, node) => ({ node, size: 1, cluster }));
  expect([...faintClusters(tips)]).toEqual([8, 11]);
  const pairs: MergeRow[] = [
    [0, 1, 1, 2],
    [2, 3, 2, 2],
    [4, 5, 4, 4],
  ];
  // The branch and the bar of cluster 8.
  expect(times(dendrogramFigure({ merges: pairs, labels: Int32Array.of(0, 0, 8, 8), k: 2 }), 'stroke-opacity="0.45"')).toBe(2);
  expect(times(dendrogramFigure({ merges, labels, k: 3 }), "stroke-opacity")).toBe(0);
});

describe("figure", () => {
  test("few rows: a path per colour, every name, the cut in words", () => {
    const drawn = dendrogramFigure({ merges, labels, k: 3, leafNames: ["ant", "bee", "cat", "<dog>", "eel"] });
    expect(malformed(drawn)).toBeNull();
    for (const name of ["ant", "bee", "cat", "&lt;dog&gt;", "eel"]) expect(drawn).toContain(`>${name}</text>`);
    expect(drawn).toContain("3 clusters at 3");
    expect(times(drawn, 'class="cut"')).toBe(1);
    expect(drawn).not.toContain('class="forbidden"');
    expect(dendrogramFigure({ merges, labels, k: 3, leafNames: ["ant", "bee", "cat", "<dog>", "eel"] })).toBe(drawn);
  });

  test("a forbidden merge is red and dashed above a break, given as null or as Infinity", () => {
    const withNull = [...merges.slice(0, 3), [4, 7, null, 5] as const];
    const drawn = dendrogramFigure({ merges: withNull, labels: Int32Array.of(0, 0, 0, 0, 1), k: 2 });
    expect(/<path[^>]*class="forbidden"[^>]*>/.exec(drawn)![0]).toMatch(/stroke="#c4122f".*stroke-dasharray="5 3.5"/);
    expect(drawn).toContain("forbidden");
    expect(drawn).toContain("2 clusters, no allowed merge is left");
    expect(drawn).not.toMatch(/NaN|Infinity/);
    const withInfinity = [...merges.slice(0, 3), [4, 7, Number.POSITIVE_INFINITY, 5] as const];
    expect(dendrogramFigure({ merges: withInfinity, labels: Int32Array.of(0, 0, 0, 0, 1), k: 2 })).toBe(drawn);
  });

  test("names that do not fit below stand beside, one line each", () => {
    const drawn = dendrogramFigure({ merges: chain(150), labels: new Int32Array(150), k: 1 });
    expect(Number(/ height="(\d+)/.exec(drawn)![1])).toBeGreaterThan(1500);
    expect(times(drawn, 'text-anchor="end"')).toBe(150 + 1);
  });

  test("thousands of rows: the last 60 merges, triangles with counts", () => {
    const n = 20_000;
    const began = process.cpuUsage();
    const drawn = dendrogramFigure({
      merges: chain(n),
      labels: Int32Array.from({ length: n }, (_, i) => (i < n - 2 ? 0 : i - n + 3)),
      k: 3,
    });
    expect(process.cpuUsage(began).user / 1e3).toBeLessThan(10_000);
    expect(drawn.length).toBeLessThan(100_000);
    expect(drawn).toContain(`×${"19,940"}`);
    expect(drawn).toContain("The last 60 of 19,999 merges");
    expect(times(drawn, "joined at")).toBe(1);
  });

  test("two rows, one row, equal rows", () => {
    for (const [rows, k] of [
      [[[0, 1, 0, 2]], 1],
      [[], 1],
      [
        [
          [0, 1, 0, 2],
          [2, 3, 0, 3],
        ],
        2,
      ],
    ] as [MergeRow[], number][]) {
      const drawn = dendrogramFigure({ merges: rows, labels: new Int32Array(rows.length + 1), k });
      expect(malformed(drawn)).toBeNull();
      expect(drawn).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});
