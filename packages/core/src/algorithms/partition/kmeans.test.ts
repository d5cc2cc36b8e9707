import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { tuples } from "../../testing/tuples.js";
import golden from "./goldens/sklearn-kmeans.json" with { type: "json" };
import { kmeans } from "./kmeans.js";
import { lloydByDefinition } from "./kmeans.reference.js";

/** The same partition, independent of the numbering of clusters. */
function samePartition(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  const there = new Map<number, number>();
  const back = new Map<number, number>();
  return Array.from(a).every((label, i) => {
    if (!there.has(label)) there.set(label, b[i]!);
    if (!back.has(b[i]!)) back.set(b[i]!, label);
    return there.get(label) === b[i] && back.get(b[i]!) === label;
  });
}

describe("scikit-learn's Lloyd from the same centres, iteration by iteration", () => {
  test.each(golden.map((item) => [item.name, item] as const))("%s", (_, { rows, centres, steps }) => {
    const points = pointsFromRows(rows);
    for (const [t, step] of steps.entries()) {
      const ours = kmeans(points, undefined, { k: centres.length, init: centres, maxIterations: t + 1 });
      expect(samePartition(ours.labels, step.labels)).toBe(true);
      expect(ours.iterations).toBe(step.iterations);
      expect(ours.objective).toBeCloseTo(step.inertia, 9);
      const theirs = step.centres.filter((_, c) => step.labels.includes(c));
      expect(ours.centres).toHaveLength(theirs.length);
      for (const centre of ours.centres!) {
        const near = theirs.some((their) => their.every((value, j) => Math.abs(value - centre[j]!) < 1e-9));
        expect(near).toBe(true);
      }
    }
  });
});

test("worked by hand: 0 1 10 11 from the centres 0 and 1", () => {
  const result = kmeans(pointsFromRows([[0], [1], [10], [11]]), undefined, { k: 2, init: [[0], [1]] });
  // 0 | 1 10 11 → centres 0, 22/3; then 0 1 | 10 11 → centres 0.5, 10.5; then nothing moves.
  expect([...result.labels]).toEqual([0, 0, 1, 1]);
  expect(result.centres!.map((centre) => centre[0])).toEqual([0.5, 10.5]);
  expect(result.objective).toBe(1);
  expect(result.iterations).toBe(3);
  expect(result.stopped).toBe("converged");
  expect(result.history).toEqual([182 / 3, 1, 1].map((value) => expect.closeTo(value, 12)));
});

const table = fc
  .record({
    n: fc.integer({ min: 2, max: 40 }),
    d: fc.integer({ min: 1, max: 5 }),
    k: fc.integer({ min: 1, max: 6 }),
    seed: fc.nat(),
  })
  .map(({ n, d, k, seed }) => {
    const random = randomFrom(seed);
    return {
      k: Math.min(k, n),
      seed,
      points: pointsFromRows(Array.from({ length: n }, () => Array.from({ length: d }, () => random.normal()))),
    };
  });

test("one iteration equals the definition if no cluster becomes empty", () => {
  fc.assert(
    fc.property(table, ({ points, k }) => {
      const init = Array.from({ length: k }, (_, c) => [...points.x.subarray(c * points.d, (c + 1) * points.d)]);
      const expected = lloydByDefinition(points, init, 3);
      const ours = kmeans(points, undefined, { k, init, maxIterations: 2 });
      expect(samePartition(ours.labels, expected.labels)).toBe(true);
    }),
  );
});

test("the objective never rises and fits labels and centres; bounds change nothing", () => {
  fc.assert(
    fc.property(table, ({ points, k, seed }) => {
      const { labels, centres, objective, history, ...rest } = kmeans(points, undefined, { k, seed, restarts: 2 });
      for (let t = 1; t < history!.length; t++) expect(history![t]!).toBeLessThanOrEqual(history![t - 1]! * (1 + 1e-12));
      let sum = 0;
      labels.forEach((label, i) => {
        centres![label]!.forEach((value, j) => {
          sum += (points.x[i * points.d + j]! - value) ** 2;
        });
      });
      expect(objective).toBeCloseTo(sum, 9);
      expect(history!.at(-1)).toBe(objective);
      const plain = kmeans(points, undefined, { k, seed, restarts: 2, bounds: false });
      expect(plain).toEqual({ labels, centres, objective, history, ...rest });
    }),
  );
});

test("the same seed gives the same result, inputs stay untouched, more restarts are never worse", () => {
  fc.assert(
    fc.property(table, ({ points, k, seed }) => {
      const before = points.x.slice();
      const once = kmeans(points, undefined, { k, seed, restarts: 1 });
      expect(kmeans(points, undefined, { k, seed, restarts: 1 })).toEqual(once);
      expect(points.x).toEqual(before);
      expect(kmeans(points, undefined, { k, seed, restarts: 4 }).objective!).toBeLessThanOrEqual(once.objective!);
    }),
    { numRuns: 30 },
  );
});

test("clusters are numbered by first appearance and their sizes add up", () => {
  const result = kmeans(pointsFromRows([[9], [0], [9.1], [0.1], [5]]), undefined, { k: 3, seed: 1 });
  expect([...result.labels]).toEqual([0, 1, 0, 1, 2]);
  expect(result.sizes).toEqual([2, 2, 1]);
});

test("fewer different rows than k: fewer clusters, and a notice that says so", () => {
  const result = kmeans(pointsFromRows([[1], [1], [2], [2]]), undefined, { k: 3 });
  expect(result.k).toBe(2);
  expect(result.notices).toEqual(["Only 2 of the 3 clusters have rows: there are not enough different rows."]);
});

test("k above the number of rows is bad input; k below 1 and unknown options are refused", () => {
  const points = pointsFromRows([[1], [2]]);
  expect(() => kmeans(points, undefined, { k: 3 })).toThrow("k is 3, but there are only 2 rows; ask for at most 2 clusters.");
  expect(() => kmeans(points, undefined, { k: 0 })).toThrow();
  expect(() => kmeans(points, undefined, { k: 1, speed: 3 } as never)).toThrow();
});

test("given centres of the wrong shape are refused with their shape", () => {
  const points = pointsFromRows(tuples("1 2, 3 4"));
  expect(() => kmeans(points, undefined, { k: 2, init: [[1, 2]] })).toThrow(
    "The first centres are 1 rows of 2 numbers; 2 rows of 2 are needed.",
  );
});

test("nominal columns count as 0 or 1/√2 per level", () => {
  const points = { ...pointsFromRows([[0], [0], [1], [2]]), nominal: Uint8Array.of(1) };
  const result = kmeans(points, undefined, { k: 3, restarts: 3 });
  expect([...result.labels]).toEqual([0, 0, 1, 2]);
  expect(result.notices[0]).toBe("1 nominal column is encoded as 0 or 1/√2 for each level, 3 columns in all.");
});
