import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, emptyConstraints, violationCount } from "../../../constraints/index.js";
import type { Instances } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { anyTable } from "../../../testing/tables.js";
import { chooseMetric } from "../../distance.js";
import { cutBest } from "../cut/cut-best.js";
import { singleLink } from "../linkage.js";
import goldens from "./goldens/hdbscan.json" with { type: "json" };
import { density } from "./index.js";
import { edgeLengths } from "./index.reference.js";
import { MOST_TREE_COLUMNS, spanningMergeSteps } from "./spanning-merges.js";

/**
 * Pairs each cluster with the cluster of `others` that shares most rows with it, noise with noise. Returns the number of rows outside
 * their pair.
 */
function rowsApart(labels: ArrayLike<number>, others: readonly number[]): number {
  const shared = new Map<string, number>();
  others.forEach((other, i) => {
    shared.set(`${labels[i]} ${other}`, (shared.get(`${labels[i]} ${other}`) ?? 0) + 1);
  });
  const pairs = [...shared].sort((p, q) => q[1] - p[1]).map(([key]) => key.split(" ").map(Number) as [number, number]);
  const there = new Map([[-1, -1]]);
  for (const [label, other] of pairs) {
    if (!there.has(label) && ![...there.values()].includes(other)) there.set(label, other);
  }
  return others.filter((other, i) => there.get(labels[i]!) !== other).length;
}

/** The labels that the package finds for the same rows in other orders. They differ if there are several minimum spanning trees. */
function inOtherOrders(labels: readonly number[], others: readonly (readonly number[])[]): number[][] {
  return others.map((pairs) => {
    const changed = labels.slice();
    for (let p = 0; p < pairs.length; p += 2) changed[pairs[p]!] = pairs[p + 1]!;
    return changed;
  });
}

describe.each(goldens.sets)(
  "$name, beside the package hdbscan",
  ({ points: rows, labels, others, merges, minClusterSize, ...more }) => {
    const points = pointsFromRows(rows);
    const options = { minClusterSize, ...("minSamples" in more ? { minSamples: more.minSamples as number } : {}) };

    test("the cut of its tree has its labels, up to names", () => {
      const theirs = merges as unknown as readonly Merge[];
      const cut = cutBest(theirs, emptyConstraints(points.n), { minClusterSize, scale: "density" });
      expect(rowsApart(cut.labels, labels)).toBe(0);
    });

    test("our tree has the heights of its tree, and our labels are its labels: on these rows, or where ties decide, on these rows in another order", () => {
      const ours = density(points, undefined, options);
      const apart = ours.merges.map((merge, m) => Math.abs(merge[2] - merges[m]![2]!));
      expect(Math.max(...apart)).toBeLessThan(1e-6);
      const theirs = [labels, ...inOtherOrders(labels, others)];
      expect(Math.min(...theirs.map((each) => rowsApart(ours.labels, each)))).toBe(0);
    });
  },
);

const tables = anyTable(2, 60, 6, 3);

test("the spanning tree is as short as the shortest, with the bits of the distance kernels", () => {
  fc.assert(
    fc.property(tables, fc.integer({ min: 0, max: 6 }), (points, minSamples) => {
      const raw = drain(spanningMergeSteps(points, "euclidean", minSamples));
      const lengths = Array.from({ length: points.n - 1 }, (_, e) => raw[3 * e + 2]!).sort((a, b) => a - b);
      expect(lengths).toEqual(edgeLengths(points, minSamples));
    }),
    { numRuns: 60 },
  );
});

test("texts, missing cells and weights of columns count as in the matrix that linkages take", () => {
  const random = randomFrom(8);
  const n = 24;
  const names = Array.from({ length: 8 }, (_, i) => `${i < 4 ? "Meyer Anna" : "Okafor Ben"} ${"abcd"[i % 4]}`);
  const x = Float64Array.from({ length: 3 * n }, (_, p) => (p % 3 === 0 ? random.int(8) : random.normal()));
  const written = { n, d: 3, x, nominal: Uint8Array.of(1, 0, 0), texts: Uint8Array.of(1, 0, 0), levels: [names, null, null] };
  const holed = { ...written, x: x.map((value, p) => (p % 7 === 4 ? Number.NaN : value)), holes: true };
  const numbers = {
    n,
    d: 2,
    x: x.filter((_, p) => p % 3 > 0).map((value, p) => (p % 5 === 1 ? Number.NaN : value)),
    holes: true,
  };
  const weighed = { ...written, texts: Uint8Array.of(0, 0, 0), weights: Float64Array.of(3, 1, 1) };
  for (const points of [written, holed, numbers, weighed] as unknown as Instances[]) {
    const { metric } = chooseMetric(points, undefined);
    const raw = drain(spanningMergeSteps(points, metric, 0));
    const lengths = Array.from({ length: n - 1 }, (_, e) => raw[3 * e + 2]!).sort((a, b) => a - b);
    expect(lengths).toEqual(singleLink(points, undefined, { k: 2 }).merges.map(([, , height]) => height));
    expect(lengths.every(Number.isFinite)).toBe(true);
  }
  const { labels } = density(
    { ...written, x: x.map((value, p) => (p % 3 === 0 ? value : 0)) } as unknown as Instances,
    undefined,
    { k: 2 },
  );
  expect([...labels]).toEqual(Array.from(labels, (_, i) => (x[3 * i]! < 4 === x[0]! < 4 ? 0 : 1)));
});

test("many columns, and distances that are given, go row by row to the same clusters", () => {
  const random = randomFrom(4);
  const rows = Array.from({ length: 120 }, (_, i) => Array.from({ length: 4 }, () => 8 * (i % 3) + random.normal()));
  const few = density(pointsFromRows(rows), undefined, {});
  const zeros = new Array(MOST_TREE_COLUMNS).fill(0);
  const many = density(pointsFromRows(rows.map((row) => [...row, ...zeros])), undefined, {});
  expect(few.k).toBe(3);
  expect([...many.labels]).toEqual([...few.labels]);
  const distance = (i: number, j: number) => Math.sqrt(rows[i]!.reduce((sum, value, c) => sum + (value - rows[j]![c]!) ** 2, 0));
  const distances = Float64Array.from(rows.flatMap((_, i) => rows.slice(i + 1).map((_, j) => distance(i, i + 1 + j))));
  expect([...density({ n: 120, d: 0, x: new Float64Array(0), distances }, undefined, {}).labels]).toEqual([...few.labels]);
});

describe("constraints", () => {
  const random = randomFrom(9);
  const at = (x: number) => Array.from({ length: 30 }, () => [x + random.normal(), random.normal()]);
  const points = pointsFromRows([...at(0), ...at(7), ...at(30)]);

  test("weigh in the cut: a must-link joins what density parts, a cannot-link parts what it joins", () => {
    const free = density(points, undefined, {});
    const [a, b] = [0, 40].map((row) => free.labels[row]);
    expect(free.k).toBe(3);
    expect(a).not.toBe(b);
    const near = [...free.labels.keys()].filter((row) => free.labels[row] === a).slice(0, 1);
    const other = [...free.labels.keys()].filter((row) => free.labels[row] === b).slice(0, 1);
    const joined = density(points, constraints({ n: 90 }, { mustLink: [[near[0]!, other[0]!]] }), {});
    expect(joined.k).toBe(2);
    expect(violationCount(joined.violations)).toBe(0);
    const parted = density(
      points,
      constraints({ n: 90 }, { mustLink: [[near[0]!, other[0]!]], cannotLink: [[near[0]!, other[0]!, 3]] }),
      {},
    );
    expect(parted.violations.cannotLink).toEqual([]);
  });

  test("k clusters, or a height, where smaller groups are noise", () => {
    expect(density(points, undefined, { k: 2 }).k).toBe(2);
    const { k, noise } = density(points, undefined, { height: 2 });
    expect(k).toBeLessThanOrEqual(4);
    expect(noise).toBeGreaterThanOrEqual(0);
  });
});

test("duplicates, few rows and a single row end", () => {
  const same = pointsFromRows(Array.from({ length: 40 }, (_, i) => [i < 20 ? 0 : 5, i < 20 ? 0 : 5]));
  expect(density(same, undefined, {}).k).toBe(2);
  const seven = pointsFromRows(Array.from({ length: 140 }, (_, i) => [i % 7, (i + 3) % 7]));
  expect(density(seven, undefined, {}).sizes).toEqual(new Array(7).fill(20));
  const constant = density(pointsFromRows(Array.from({ length: 30 }, () => [1, 1])), undefined, {});
  expect([constant.k, constant.noise]).toEqual([0, 30]);
  for (const n of [1, 2, 3])
    expect(density(pointsFromRows(Array.from({ length: n }, (_, i) => [i])), undefined, {}).noise).toBe(n);
});

describe("more minimum samples than neighbours", () => {
  const two = pointsFromRows([[0], [1], [2], [3], [4], [50], [51], [52], [53], [54]]);

  test("a notice says so, and the advice is to lower the number that is too high", () => {
    const { notices, labels } = density(two, undefined, { minClusterSize: 2, minSamples: 20 });
    expect(labels.every((label) => label === -1)).toBe(true);
    expect(notices[0]).toMatch(/^Each row has only 9 neighbours, fewer than the 20 minimum samples/);
    expect(notices[1]).toMatch(
      /every row is noise\. A smaller number of minimum samples, or a number of clusters, gives clusters\.$/,
    );
  });

  test("no notice where there are enough rows", () => {
    expect(density(two, undefined, { minClusterSize: 4, minSamples: 4 }).notices).toEqual([]);
  });
});

describe("wide rows", () => {
  /** Groups in many columns: a row has the value 3 in a few columns of its group, and noise elsewhere. */
  function wide(n: number, d: number) {
    const random = randomFrom(9);
    return pointsFromRows(
      Array.from({ length: n }, (_, i) =>
        Array.from({ length: d }, (_, j) => random.normal() + (j % 4 === i % 4 && j < 24 ? 2 : 0)),
      ),
    );
  }

  test("are measured on a map of neighbourhoods, which is announced; few rows are noise there", () => {
    const points = wide(300, 60);
    const found = density(points, undefined, {});
    expect(found.notices[0]).toContain("60 columns");
    expect(found.labels.filter((label) => label < 0).length).toBeLessThan(30);
    for (let i = 4; i < 300; i++)
      if (found.labels[i]! >= 0 && found.labels[i % 4]! >= 0) expect(found.labels[i]).toBe(found.labels[i % 4]);
    const between = density(points, undefined, { space: "rows" });
    expect(between.notices.join(" ")).not.toContain("map of neighbourhoods");
    expect(between.labels.filter((label) => label < 0).length).toBeGreaterThan(150);
  });

  test("with a height are measured between the rows, and rows without numbers in all cells cannot be placed on the map", () => {
    expect(density(wide(120, 40), undefined, { height: 9 }).notices.join(" ")).not.toContain("map of neighbourhoods");
    const distances = Float64Array.from({ length: 45 }, (_, p) => 1 + (p % 7));
    expect(() => density({ n: 10, d: 0, x: new Float64Array(0), distances }, undefined, { space: "neighbourhoods" })).toThrow(
      "space",
    );
  });
});
