import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scores } from "../model/result.js";
import { contingency } from "../structures/contingency.js";
import goldens from "./goldens/sklearn-measures.json" with { type: "json" };
import { pairCounts, pairsOf } from "./pair-counts.js";
import { plainPairCounts } from "./pairs.reference.js";
import { adjustedRandIndex, normalizedMutualInformation, pairwiseF, randIndex, scoresOf, scoresOverClustered } from "./scores.js";

const codes = (values: readonly number[]) => Int32Array.from(values);

/** Two labellings of the same rows: few or many labels, with gaps, some unknown. */
const twoLabellings = fc.integer({ min: 0, max: 40 }).chain((n) => {
  const few = fc.integer({ min: -1, max: 3 });
  const wide = fc.constantFrom(-1, 0, 5, 1500, 2_000_000_000);
  const label = fc.oneof(few, wide);
  const labelling = fc.oneof(fc.array(few, { minLength: n, maxLength: n }), fc.array(label, { minLength: n, maxLength: n }));
  return fc.tuple(labelling, labelling);
});

describe("scikit-learn's scores", () => {
  test.each(goldens.cases)("$name", ({ labels, truth, ...expected }) => {
    const scores = scoresOf(codes(labels), codes(truth));
    expect(scores.rand).toBeCloseTo(expected.rand, 13);
    expect(scores.adjustedRand).toBeCloseTo(expected.adjustedRand, 13);
    expect(scores.pairwiseF).toBeCloseTo(expected.pairwiseF, 13);
    expect(scores.normalizedMutualInformation).toBeCloseTo(expected.normalizedMutualInformation, 12);
    expect(scores.constrainedRand).toBe(scores.rand);
  });
});

test("Rand 1971, six points: 9 of 15 pairs agree", () => {
  expect(randIndex(pairCounts(contingency(codes([0, 0, 0, 1, 1, 1]), codes([0, 0, 1, 1, 1, 2]))))).toBe(9 / 15);
});

describe("against pairs, one by one", () => {
  test("pair counts", () => {
    fc.assert(
      fc.property(twoLabellings, ([a, b]) => {
        expect(pairCounts(contingency(codes(a), codes(b)))).toEqual(plainPairCounts(a, b));
      }),
      { numRuns: 400 },
    );
  });
  test("the table, dense or sparse, has every cell and sum", () => {
    const manyLabels = fc.array(fc.tuple(fc.integer({ min: -1, max: 900 }), fc.integer({ min: -1, max: 900 })), {
      maxLength: 60,
    });
    const table = fc.oneof(
      manyLabels.map((pairs) => [pairs.map(([a]) => a), pairs.map(([, b]) => b)] as [number[], number[]]),
      twoLabellings,
    );
    fc.assert(
      fc.property(table, ([a, b]) => {
        const { n, start, column, count, rowSums, columnSums } = contingency(codes(a), codes(b));
        const known = a.flatMap((label, i) => (label >= 0 && b[i]! >= 0 ? [`${label} ${b[i]}`] : []));
        const expected = [...new Set(known)].map((cell) => known.filter((other) => other === cell).length);
        expect([...count].sort()).toEqual(expected.sort());
        expect(n).toBe(known.length);
        expect(rowSums.reduce((x, y) => x + y, 0)).toBe(n);
        expect(columnSums.reduce((x, y) => x + y, 0)).toBe(n);
        rowSums.forEach((sum, r) => {
          const columns = column.subarray(start[r]!, start[r + 1]!);
          expect(count.subarray(start[r]!, start[r + 1]!).reduce((x, y) => x + y, 0)).toBe(sum);
          expect([...columns]).toEqual([...new Set(columns)].sort((x, y) => x - y));
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe("properties", () => {
  test("names of clusters and order of rows do not matter; equal clusterings score 1", () => {
    fc.assert(
      fc.property(twoLabellings, fc.infiniteStream(fc.nat()), ([a, b], stream) => {
        const scores = scoresOf(codes(a), codes(b));
        const renamed = a.map((label) => (label < 0 ? -1 : 2_000_000_000 - label));
        const order = a.map((_, i) => [stream.next().value, i] as const).sort(([x], [y]) => x - y);
        const shuffled = scoresOf(codes(order.map(([, i]) => renamed[i]!)), codes(order.map(([, i]) => b[i]!)));
        for (const key of Object.keys(scores) as (keyof typeof scores)[]) expect(shuffled[key]).toBeCloseTo(scores[key], 12);
        expect(Object.values(scoresOf(codes(a), codes(renamed)))).toEqual([1, 1, 1, 1, 1]);
      }),
    );
  });
  test("scores are in range, and symmetric but for precision and recall", () => {
    fc.assert(
      fc.property(twoLabellings, ([a, b]) => {
        // Noise only concerns clusters, so neither labelling contains noise here.
        const there = scoresOf(codes(a.map(Math.abs)), codes(b.map(Math.abs)));
        const back = scoresOf(codes(b.map(Math.abs)), codes(a.map(Math.abs)));
        for (const key of Object.keys(there) as (keyof typeof there)[]) {
          expect(back[key]).toBeCloseTo(there[key], 12);
          expect(there[key]).toBeGreaterThanOrEqual(key === "adjustedRand" ? -1 : 0);
          expect(there[key]).toBeLessThanOrEqual(1);
        }
        const f = pairwiseF(pairCounts(contingency(codes(a), codes(b))));
        const swapped = pairwiseF(pairCounts(contingency(codes(b), codes(a))));
        expect([swapped.precision, swapped.recall]).toEqual([f.recall, f.precision]);
      }),
    );
  });
});

function near(found: Scores, expected: Scores): void {
  for (const key of Object.keys(expected) as (keyof Scores)[]) expect(found[key]).toBeCloseTo(expected[key], 12);
}

test("rows without a cluster are clusters of their own; the scores over clustered rows leave them out and report the number of remaining rows", () => {
  fc.assert(
    fc.property(twoLabellings, ([a, b]) => {
      const alone = a.map((label, row) => (label < 0 ? 3_000 + row : label));
      near(scoresOf(codes(a), codes(b)), scoresOf(codes(alone), codes(b)));
      const both = [...a.keys()].filter((row) => a[row]! >= 0 && b[row]! >= 0);
      const clustered = scoresOverClustered(codes(a), codes(b));
      const hasNoise = a.some((label, row) => label < 0 && b[row]! >= 0);
      expect(clustered !== undefined).toBe(hasNoise && both.length > 1);
      if (!clustered) return;
      const { rows, ...scores } = clustered;
      expect(rows).toBe(both.length);
      near(scores, scoresOf(codes(both.map((row) => a[row]!)), codes(both.map((row) => b[row]!))));
    }),
  );
  expect(scoresOf(Int32Array.of(2 ** 31 - 1, -1, -1, 2 ** 31 - 1), Int32Array.of(0, 0, 1, 0)).rand).toBe(4 / 6);
});

test("F: nothing to find is 1, one empty side is 0", () => {
  expect(pairwiseF({ both: 0, clusteringOnly: 0, truthOnly: 0, neither: 9 })).toEqual({ precision: 1, recall: 1, f: 1 });
  expect(pairwiseF({ both: 0, clusteringOnly: 4, truthOnly: 0, neither: 5 }).f).toBe(0);
  expect(pairwiseF({ both: 0, clusteringOnly: 0, truthOnly: 4, neither: 5 }).f).toBe(0);
  expect(pairwiseF({ both: 6, clusteringOnly: 2, truthOnly: 6, neither: 1 })).toEqual({ precision: 0.75, recall: 0.5, f: 0.6 });
});

test("no row in common: every score is 1, none is NaN", () => {
  expect(Object.values(scoresOf(codes([-1, 0]), codes([0, -1])))).toEqual([1, 1, 1, 1, 1]);
  expect(Object.values(scoresOf(codes([]), codes([])))).toEqual([1, 1, 1, 1, 1]);
});

test("different lengths are refused", () => {
  expect(() => contingency(codes([0]), codes([0, 1]))).toThrow("1 labels cannot be compared with 2.");
});

test("ten million rows are counted exactly", () => {
  const n = 10_000_000;
  const a = new Int32Array(n);
  const b = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    a[i] = i % 3;
    b[i] = i % 2;
  }
  const big = (sizes: number[]) => sizes.reduce((sum, size) => sum + (BigInt(size) * BigInt(size - 1)) / 2n, 0n);
  const cells = Array.from({ length: 6 }, (_, r) => Math.floor((n - 1 - r) / 6) + 1);
  const counts = pairCounts(contingency(a, b));
  expect(BigInt(counts.both)).toBe(big(cells));
  expect(BigInt(counts.clusteringOnly)).toBe(big([3333334, 3333333, 3333333]) - big(cells));
  expect(BigInt(counts.both + counts.clusteringOnly + counts.truthOnly + counts.neither)).toBe(big([n]));
  expect(BigInt(pairsOf(99_999_999))).toBe(big([99_999_999]));
  expect(adjustedRandIndex(counts)).toBeCloseTo(0, 6);
  expect(normalizedMutualInformation(contingency(a, b))).toBeCloseTo(0, 6);
});
