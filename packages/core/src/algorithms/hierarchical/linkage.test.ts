import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { anyTable } from "../../testing/tables.js";
import { tuples } from "../../testing/tuples.js";
import { type Linkage, linkages } from "./linkage.js";

const LINKAGES: readonly Linkage[] = ["single", "complete", "average", "weighted", "ward", "centroid", "median"];
const line = pointsFromRows([[0], [1], [5], [6.5], [20]]);

test("worked by hand: complete linkage of 0 1 5 6.5 20", () => {
  const { merges, labels, sizes } = linkages.complete(line, undefined, { k: 2 });
  expect(merges).toEqual(tuples("0 1 1 2, 2 3 1.5 2, 5 6 6.5 4, 4 7 20 5"));
  expect([...labels]).toEqual([0, 0, 0, 0, 1]);
  expect(sizes).toEqual([4, 1]);
});

test("worked by hand: the other linkages of the same rows differ in the last two heights", () => {
  const heights = (kind: Linkage) => linkages[kind](line, undefined, { k: 1 }).merges!.map((merge) => merge[2]);
  expect(heights("single")).toEqual([1, 1.5, 4, 13.5]);
  expect(heights("average")).toEqual([1, 1.5, 5.25, 16.875]);
  expect(heights("weighted")).toEqual([1, 1.5, 5.25, 16.875]);
  expect(heights("centroid")).toEqual([1, 1.5, 5.25, 16.875]);
  expect(heights("ward")[2]).toBeCloseTo(Math.sqrt(2 * 5.25 ** 2), 12);
});

test("a cut at a height makes the merges up to it", () => {
  expect([...linkages.complete(line, undefined, { height: 1.5 }).labels]).toEqual([0, 0, 1, 1, 2]);
  expect([...linkages.complete(line, undefined, { height: 1.4 }).labels]).toEqual([0, 0, 1, 2, 3]);
  expect(linkages.complete(line, undefined, { height: 0 }).k).toBe(5);
});

test("one row has no merges and one cluster", () => {
  for (const kind of LINKAGES) {
    const result = linkages[kind](pointsFromRows([[3, 4]]), undefined, { k: 1 });
    expect(result.merges).toEqual([]);
    expect([...result.labels]).toEqual([0]);
  }
});

const tables = anyTable(1, 30, 4, 4);

describe.each(LINKAGES)("%s linkage", (kind) => {
  test("every k gives k clusters, each a merge of two of the next cut; inputs stay untouched", () => {
    fc.assert(
      fc.property(tables, (points) => {
        const before = points.x.slice();
        let finer: Int32Array | undefined;
        for (let k = points.n; k >= 1; k--) {
          const { labels, k: found, sizes } = linkages[kind](points, undefined, { k });
          expect(found).toBe(k);
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(points.n);
          if (finer) {
            const parents = new Map<number, number>();
            finer.forEach((child, i) => {
              expect(parents.get(child) ?? labels[i]).toBe(labels[i]);
              parents.set(child, labels[i]!);
            });
          }
          finer = labels;
        }
        expect(points.x).toEqual(before);
      }),
      { numRuns: 15 },
    );
  });

  test("the hierarchy holds n - 1 merges that use each part once, with sizes that add up", () => {
    fc.assert(
      fc.property(tables, (points) => {
        const { n } = points;
        const merges = linkages[kind](points, undefined, { k: 1 }).merges!;
        expect(merges).toHaveLength(n - 1);
        const size = new Array<number>(2 * n - 1).fill(1);
        const used = new Set<number>();
        merges.forEach(([left, right, height, count], m) => {
          expect(left).toBeLessThan(right);
          expect(right).toBeLessThan(n + m);
          expect(used.has(left) || used.has(right)).toBe(false);
          used.add(left).add(right);
          size[n + m] = size[left]! + size[right]!;
          expect(count).toBe(size[n + m]);
          expect(height).toBeGreaterThanOrEqual(0);
        });
      }),
      { numRuns: 30 },
    );
  });
});

test("single precision is near double precision", () => {
  const random = randomFrom(3);
  const points = pointsFromRows(Array.from({ length: 60 }, () => [random.normal(), random.normal()]));
  const double = linkages.average(points, undefined, { k: 4 });
  const single = linkages.average(points, undefined, { k: 4, storage: "f32" });
  single.merges!.forEach((merge, m) => {
    expect(merge[2]).toBeCloseTo(double.merges![m]![2], 5);
  });
});

test("the metric follows the columns, and says so", () => {
  const codes = pointsFromRows(tuples("0 0 1, 0 1 1, 2 1 0"));
  const nominal = { ...codes, nominal: Uint8Array.of(1, 1, 1) };
  const hamming = linkages.complete(nominal, undefined, { k: 1 });
  expect(hamming.merges!.map((merge) => merge[2])).toEqual([1, 3]);
  expect(hamming.notices[0]).toContain("Hamming");
  const mixed = {
    ...pointsFromRows(tuples("0 0, 10 0, 5 1")),
    nominal: Uint8Array.of(0, 1),
  };
  const gower = linkages.complete(mixed, undefined, { k: 1 });
  expect(gower.merges!.map((merge) => merge[2])).toEqual([0.5, 0.75]);
  expect(gower.notices[0]).toContain("Gower");
  const ward = linkages.ward(nominal, undefined, { k: 1 });
  expect(ward.merges![0]![2]).toBeCloseTo(1, 12);
});

test("what does not fit is refused with a sentence", () => {
  const nominal = { ...line, nominal: Uint8Array.of(1), names: ["kind"] };
  expect(() => linkages.complete(nominal, undefined, { k: 2, distance: "euclidean" })).toThrow(
    'The distance "euclidean" needs numbers, but the column "kind" is nominal.',
  );
  expect(() => linkages.ward(line, undefined, { k: 2, distance: "gower" })).toThrow('it must be "euclidean" with ward linkage');
  expect(() => linkages.ward(line, undefined, { cut: "k" })).toThrow("k is undefined; it must be given");
  expect(() => linkages.ward(line, undefined, { k: 6 })).toThrow("k is 6, but there are only 5 rows");
});

test("single linkage of many rows needs no matrix; other linkages say what to do before they allocate one", () => {
  const random = randomFrom(2);
  const rows = Array.from({ length: 8_100 }, (_, i) => [30 * (i % 3) + random.normal(), random.normal()]);
  const { sizes, merges } = linkages.single(pointsFromRows(rows), undefined, { k: 3 });
  expect(sizes).toEqual([2700, 2700, 2700]);
  expect(merges).toHaveLength(8_099);
  const many = { n: 60_000, d: 1, x: new Float64Array(60_000) };
  expect(() => linkages.complete(many, undefined, { k: 2 })).toThrow("take 14.4 GB");
  expect(() => linkages.complete(many, undefined, { k: 2 })).toThrow("--sample 20000");
});

test("linkages of means that get a storage option do not recommend themselves", () => {
  const points = { n: 40_000, d: 1, x: new Float64Array(40_000).map((_, i) => i) };
  for (const kind of ["ward", "centroid", "median"] as const) {
    const run = () => linkages[kind](points, undefined, { k: 2, storage: "f32" });
    expect(run).toThrow(/Leave the storage out: this linkage then needs no matrix\.$/);
  }
  expect(() => linkages.average(points, undefined, { k: 2, storage: "f32" })).toThrow(/or take a method without a matrix/);
});
