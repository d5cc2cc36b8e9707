import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, emptyConstraints, violationCount } from "../../../constraints/index.js";
import { CoterieError } from "../../../errors.js";
import { makeSynthetic, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { transport } from "../../../structures/transport.js";
import { matchingSteps } from "../../placement/matching.js";
import { openWork } from "../../placement/work.js";
import { copKmeans } from "./index.js";
import { allPairs, assignments, isLegal } from "./index.reference.js";

const sizesOf = (labels: ArrayLike<number>, k: number): number[] => {
  const sizes = new Array<number>(k).fill(0);
  for (let i = 0; i < labels.length; i++) sizes[labels[i]!]!++;
  return sizes;
};

describe("transport", () => {
  const problem = fc
    .record({ n: fc.integer({ min: 1, max: 7 }), k: fc.integer({ min: 1, max: 3 }) })
    .chain(({ n, k }) =>
      fc.record({
        n: fc.constant(n),
        k: fc.constant(k),
        costs: fc.array(fc.nat(30), { minLength: n * k, maxLength: n * k }),
        lower: fc.array(fc.nat(3), { minLength: k, maxLength: k }),
        room: fc.array(fc.nat(4), { minLength: k, maxLength: k }),
        prices: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: k, maxLength: k }),
      }),
    )
    .map((given) => ({ ...given, upper: given.lower.map((low, c) => low + given.room[c]!) }))
    .filter(({ n, lower, upper }) => {
      const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
      return sum(lower) <= n && sum(upper) >= n;
    });

  test("finds the cheapest assignment within the bounds, from any first prices", () => {
    fc.assert(
      fc.property(problem, ({ n, k, costs, lower, upper, prices }) => {
        const flat = Float64Array.from(costs);
        const fits = (labels: ArrayLike<number>) => sizesOf(labels, k).every((size, c) => size >= lower[c]! && size <= upper[c]!);
        let least = Infinity;
        for (const labels of assignments(n, k)) {
          if (fits(labels)) least = Math.min(least, labels.reduce((sum, c, i) => sum + costs[i * k + c]!, 0)); // biome-ignore format: one line
        }
        for (const start of [new Float64Array(k), Float64Array.from(prices)]) {
          const found = transport(flat, n, k, Int32Array.from(lower), Int32Array.from(upper), start);
          expect(fits(found.labels)).toBe(true);
          expect(found.cost).toBe(least);
          found.labels.forEach((c, i) => {
            for (let e = 0; e < k; e++) {
              expect(costs[i * k + c]! + found.prices[c]!).toBeLessThanOrEqual(costs[i * k + e]! + found.prices[e]! + 1e-9);
            }
          });
        }
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    [1, 1000],
    [2, 3000],
  ])("with many rows in excess too, which the prices prove (seed %i, %i rows)", (seed, n) => {
    const random = randomFrom(seed);
    const k = 5;
    const costs = Float64Array.from({ length: n * k }, (_, p) => random.unit() + (p % k) / 8);
    const [lower, upper] = [new Int32Array(k).fill(n / k / 1.25), new Int32Array(k).fill((n / k) * 1.25)];
    for (const start of [new Float64Array(k), Float64Array.from({ length: k }, () => random.unit() - 0.5)]) {
      const { labels, cost, prices } = transport(costs, n, k, lower, upper, start);
      expect(sizesOf(labels, k).every((size, c) => size >= lower[c]! && size <= upper[c]!)).toBe(true);
      // A lower bound on the cost of every assignment within the bounds, for any prices.
      let bound = 0;
      for (let i = 0; i < n; i++) bound += Math.min(...prices.map((price, c) => costs[i * k + c]! + price));
      for (let c = 0; c < k; c++) bound -= prices[c]! * (prices[c]! > 0 ? upper[c]! : lower[c]!);
      expect(cost).toBeCloseTo(bound, 6);
    }
  });

  test("a price is the value of a place: one more place in a full cluster saves that much", () => {
    const costs = Float64Array.of(0, 5, 0, 6, 0, 8, 0, 9);
    const full = transport(costs, 4, 2, Int32Array.of(0, 0), Int32Array.of(2, 4), new Float64Array(2));
    expect([...full.labels]).toEqual([1, 1, 0, 0]);
    expect(full.prices[1]).toBe(0);
    expect(full.prices[0]).toBeGreaterThanOrEqual(6);
    expect(full.prices[0]).toBeLessThanOrEqual(8);
  });
});

test("cheapest matching: against all one-to-one assignments, barred pairs included", () => {
  fc.assert(
    fc.property(
      fc.record({ m: fc.integer({ min: 1, max: 4 }), more: fc.nat(1), seed: fc.nat() }).map(({ m, more, seed }) => {
        const random = randomFrom(seed);
        const costs = Float64Array.from({ length: m * (m + more) }, () => (random.int(4) === 0 ? Infinity : random.int(50) - 10));
        return { m, columns: m + more, costs };
      }),
      ({ m, columns, costs }) => {
        const cost = (labels: ArrayLike<number>) => Array.from(labels).reduce((sum, c, i) => sum + costs[i * columns + c]!, 0);
        let least = Infinity;
        for (const labels of assignments(m, columns)) if (new Set(labels).size === m) least = Math.min(least, cost(labels));
        const found = drain(matchingSteps(costs, m, columns, openWork(Infinity)));
        expect(found === null).toBe(least === Infinity);
        if (found) expect([new Set(found).size, cost(found)]).toEqual([m, least]);
      },
    ),
    { numRuns: 400 },
  );
});

describe("size bounds", () => {
  test("worked by hand: 0 1 2 10 in pairs", () => {
    const points = pointsFromRows([[0], [1], [2], [10]]);
    const result = copKmeans(points, emptyConstraints(4), { k: 2, init: [[1], [10]], maxSize: 2 });
    expect([...result.labels]).toEqual([0, 0, 1, 1]);
    expect(result.objective).toBe(32.5);
  });

  test("bounds that bind nothing change nothing", () => {
    const { points } = makeSynthetic("circles", 90, randomFrom(3));
    const free = copKmeans(points, emptyConstraints(90), { k: 4, seed: 1 });
    const bounded = copKmeans(points, emptyConstraints(90), { k: 4, seed: 1, minSize: 1, maxSize: 90 });
    expect(bounded.labels).toEqual(free.labels);
    expect(bounded.objective).toBeCloseTo(free.objective!, 9);
  });

  test("with links, labels and groups: met whenever any assignment meets them, and every constraint is kept", () => {
    const seen = { kept: 0, refused: 0 };
    const pair = (n: number) => fc.tuple(fc.nat(n - 1), fc.nat(n - 1));
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 8 }).chain((n) =>
          fc.record({
            rows: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { minLength: n, maxLength: n }),
            must: fc.array(pair(n), { maxLength: 4 }),
            cannot: fc.array(pair(n), { maxLength: 4 }),
            groups: fc.option(fc.array(fc.integer({ min: -1, max: 4 }), { minLength: n, maxLength: n })),
            k: fc.integer({ min: 1, max: 3 }),
            minSize: fc.nat(3),
            maxSize: fc.integer({ min: 1, max: 5 }),
          }),
        ),
        ({ rows, must, cannot, groups, k, minSize, maxSize }) => {
          const n = rows.length;
          fc.pre(k * minSize <= n && k * maxSize >= n && minSize <= maxSize);
          const points = pointsFromRows(rows);
          const exclusive = groups ? [{ column: "g", codes: Int32Array.from(groups), names: ["a", "b", "c", "d", "e"] }] : [];
          const differ = ([a, b]: readonly [number, number]): boolean => a !== b;
          const set = constraints(points, { mustLink: must.filter(differ), cannotLink: cannot.filter(differ), exclusive });
          const pairs = allPairs(set);
          fc.pre(pairs !== null);
          const fits = (labels: ArrayLike<number>) => sizesOf(labels, k).every((size) => size >= minSize && size <= maxSize);
          let isPossible = false;
          for (const labels of assignments(n, k)) isPossible ||= fits(labels) && isLegal(pairs, labels);
          try {
            const result = copKmeans(points, set, { k, minSize, maxSize, restarts: 2 });
            expect(isPossible).toBe(true);
            expect(fits(result.labels)).toBe(true);
            expect(isLegal(pairs, result.labels)).toBe(true);
            for (let t = 1; t < result.history!.length; t++) {
              expect(result.history![t]!).toBeLessThanOrEqual(result.history![t - 1]! * (1 + 1e-9));
            }
            seen.kept++;
          } catch (error) {
            if (!(error instanceof CoterieError)) throw error;
            expect([error.problem.code, isPossible]).toEqual(["infeasible", false]);
            seen.refused++;
          }
        },
      ),
      { numRuns: 700, seed: 1 },
    );
    expect(Math.min(seen.kept, seen.refused)).toBeGreaterThan(80);
  });

  test("halves of circles, with cannot-links and a block among free rows", () => {
    const { points } = makeSynthetic("circles", 120, randomFrom(5));
    const set = constraints(points, { mustLink: [[0, 1], [1, 2], [2, 3]], cannotLink: [[0, 50], [50, 51], [60, 61]] }); // biome-ignore format: one line
    const result = copKmeans(points, set, { k: 4, minSize: 30, maxSize: 30, seed: 2 });
    expect(result.sizes).toEqual([30, 30, 30, 30]);
    expect(violationCount(result.violations)).toBe(0);
  });

  test("bounds that cannot be met are refused in a sentence", () => {
    const points = pointsFromRows([[0], [1], [2], [3]]);
    const run = (options: object, set = emptyConstraints(4)) => copKmeans(points, set, { k: 2, ...options });
    expect(() => run({ minSize: 3 })).toThrow(
      "2 clusters of at least 3 rows need 6 rows; there are 4. Ask for at least 2 rows or fewer, or for fewer clusters.",
    );
    expect(() => run({ maxSize: 1 })).toThrow(
      "2 clusters of at most 1 rows hold 2 rows; there are 4. Allow 2 rows or more, or more clusters.",
    );
    expect(() => run({ minSize: 3, maxSize: 2 })).toThrow("minSize is 3; it must be at most maxSize, 2.");
    const block = constraints(points, { mustLink: [[0, 1], [1, 2]] }); // biome-ignore format: one line
    expect(() => run({ maxSize: 2 }, block)).toThrow(
      "No clustering with 2 clusters of 0 to 2 rows keeps all constraints: there is no place for 1 group of rows: {0, 1, 2}.",
    );
  });
});
