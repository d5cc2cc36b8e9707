import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { euclideanMatrix, LINKAGES, plainMerges } from "../../../kernels/testing/linkage-cases.js";
import type { Merge } from "../../../model/result.js";
import { tuples } from "../../../testing/tuples.js";
import { cutAtHeight, cutToK, orderMerges } from "./merges.js";

const INF = Number.POSITIVE_INFINITY;

describe("orderMerges", () => {
  test("sorts by height and numbers as SciPy does", () => {
    // Slots 2 and 3 merge at 5, then 0 and 1 at 2, then the two pairs at 7.
    const raw = Float64Array.of(2, 3, 5, 0, 1, 2, 1, 3, 7);
    expect(orderMerges(raw, 4)).toEqual(tuples("0 1 2 2, 2 3 5 2, 4 5 7 4"));
  });

  test("keeps the order of equal heights, forbidden ones too", () => {
    const raw = Float64Array.of(4, 5, INF, 2, 3, 1, 0, 1, 1, 1, 3, INF, 3, 5, INF);
    expect(orderMerges(raw, 6)).toEqual([
      [2, 3, 1, 2],
      [0, 1, 1, 2],
      [4, 5, INF, 2],
      [6, 7, INF, 4],
      [8, 9, INF, 6],
    ]);
  });

  test("leaves centroid and median linkage in the order of merging", () => {
    const raw = Float64Array.of(0, 1, 2, 1, 2, 1.9);
    const merged: Merge[] = [
      [0, 1, 2, 2],
      [2, 3, 1.9, 3],
    ];
    expect(orderMerges(raw, 3, "centroid")).toEqual(merged);
    expect(orderMerges(raw, 3, "median")).toEqual(merged);
  });

  test("of one row is empty", () => expect(orderMerges(new Float64Array(0), 1)).toEqual([]));
});

const example: Merge[] = [
  [1, 3, 1, 2],
  [0, 4, 2, 2],
  [5, 6, 4, 4],
  [2, 7, 9, 5],
];

describe("cutToK", () => {
  test.each(["00000", "00100", "01210", "01213", "01234"].map((labels, less) => [less + 1, labels] as const))(
    "k = %i",
    (k, labels) => expect(cutToK(example, 5, k).join("")).toBe(labels),
  );

  test("gives k clusters, numbered by first appearance", () => {
    const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })), {
      minLength: 1,
      maxLength: 25,
    });
    fc.assert(
      fc.property(points, fc.constantFrom(...LINKAGES), fc.nat(24), (rows, linkage, less) => {
        const n = rows.length;
        const k = 1 + (less % n);
        const labels = cutToK(orderMerges(plainMerges(linkage, euclideanMatrix(rows), n), n, linkage), n, k);
        expect([...new Set(labels)]).toEqual(Array.from({ length: k }, (_, cluster) => cluster));
      }),
    );
  });
});

describe("cutAtHeight", () => {
  test.each([
    [0.5, [0, 1, 2, 3, 4]],
    [1, [0, 1, 2, 1, 3]],
    [3.9, [0, 1, 2, 1, 0]],
    [4, [0, 0, 1, 0, 0]],
    [INF, [0, 0, 0, 0, 0]],
  ])("height %d", (height, labels) => expect([...cutAtHeight(example, 5, height)]).toEqual(labels));

  test("counts a merge as high as the highest below it", () => {
    const falling: Merge[] = [
      [0, 1, 2, 2],
      [2, 4, 1.9, 3],
      [3, 5, 1.8, 4],
    ];
    expect([...cutAtHeight(falling, 4, 1.95)]).toEqual([0, 1, 2, 3]);
    expect([...cutAtHeight(falling, 4, 2)]).toEqual([0, 0, 0, 0]);
  });
});
