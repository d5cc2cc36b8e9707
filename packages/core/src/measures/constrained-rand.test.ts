import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints } from "../constraints/build.js";
import { closeConstraints } from "../constraints/closure.js";
import { anySet, plainClosure } from "../constraints/closure.reference.js";
import { emptyConstraints } from "../constraints/sets.js";
import { processorMs } from "../testing/processor-ms.js";
import { constrainedRandIndex } from "./constrained-rand.js";
import { plainPairCounts } from "./pairs.reference.js";
import { randIndex, scoresOf } from "./scores.js";

const index = (labels: readonly number[], truth: readonly number[], lists: Parameters<typeof constraints>[1]) =>
  constrainedRandIndex(
    Int32Array.from(labels),
    Int32Array.from(truth),
    closeConstraints(constraints({ n: labels.length }, lists)),
  );

describe("by hand", () => {
  test("must-linked pairs are not free", () => {
    // Of the six pairs, 01 and 23 are wrong; the must-link fixes 01.
    expect(index([0, 1, 2, 3], [0, 0, 1, 1], {})).toBe(4 / 6);
    expect(index([0, 1, 2, 3], [0, 0, 1, 1], { mustLink: [[0, 1]] })).toBe(4 / 5);
  });
  test("nor are pairs that follow", () => {
    // Rows 0 and 1 must be apart from row 2, so the pairs 02, 12 and 01 are fixed; of the free pairs 03, 13, 23 only 23 is wrong.
    expect(index([0, 0, 1, 2], [0, 0, 1, 1], { mustLink: [[0, 1]], cannotLink: [[1, 2]] })).toBe(2 / 3);
  });
  test("without a free pair it is 1", () => {
    expect(
      index([0, 0, 1], [0, 1, 2], {
        labels: [
          [0, "x"],
          [1, "y"],
          [2, "z"],
        ],
      }),
    ).toBe(1);
    expect(index([0], [0], {})).toBe(1);
  });
});

describe("against free pairs, one by one", () => {
  const scored = anySet.chain((set) => {
    const labelling = fc.array(fc.integer({ min: -1, max: 3 }), { minLength: set.n, maxLength: set.n });
    const wide = fc.array(fc.constantFrom(0, 1, 3_000_000, 2_000_000_000), { minLength: set.n, maxLength: set.n });
    return fc.tuple(fc.constant(set), fc.oneof(labelling, wide), labelling);
  });
  test("any constraint set", () => {
    fc.assert(
      fc.property(scored, ([set, labels, truth]) => {
        const { joined, apartWeight } = plainClosure(set);
        const expected = randIndex(plainPairCounts(labels, truth, (i, j) => !joined[i]![j] && apartWeight[i]![j] === 0));
        const closure = closeConstraints(set);
        expect(constrainedRandIndex(Int32Array.from(labels), Int32Array.from(truth), closure)).toBe(expected);
        // For the scores, each row without a cluster is a cluster of its own.
        const alone = labels.map((label, row) => (label < 0 ? 100 + row : label));
        const whole = randIndex(plainPairCounts(alone, truth, (i, j) => !joined[i]![j] && apartWeight[i]![j] === 0));
        expect(scoresOf(Int32Array.from(labels), Int32Array.from(truth), closure).constrainedRand).toBe(whole);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("large sets", () => {
  const n = 100_000;
  const labels = Int32Array.from({ length: n }, (_, i) => i % 7);
  const truth = Int32Array.from({ length: n }, (_, i) => i % 5);
  const timed = (run: () => number) => {
    const begin = processorMs();
    const value = run();
    expect(processorMs() - begin).toBeLessThan(4000);
    return value;
  };
  test("two exclusive columns, one of them a single group of all rows", () => {
    const exclusive = [
      { column: "one", codes: new Int32Array(n), names: ["all"] },
      { column: "two", codes: Int32Array.from({ length: n }, (_, i) => i >> 1), names: [] },
    ];
    expect(timed(() => constrainedRandIndex(labels, truth, closeConstraints({ ...emptyConstraints(n), exclusive })))).toBe(1);
  });
  test("pairs of rows linked across two sources", () => {
    const half = n / 2;
    const a = Int32Array.from({ length: half }, (_, i) => i);
    const mustLinks = { a, b: a.map((i) => i + half), weight: new Float64Array(half).fill(1) };
    const exclusive = [
      { column: "source", codes: Int32Array.from({ length: n }, (_, i) => (i < half ? 0 : 1)), names: ["A", "B"] },
    ];
    expect(
      timed(() => constrainedRandIndex(labels, truth, closeConstraints({ ...emptyConstraints(n), mustLinks, exclusive }))),
    ).toBe(1);
  });
});
