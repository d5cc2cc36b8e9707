import fc from "fast-check";
import { expect, test } from "vitest";
import { type Random, randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { tuples } from "../../testing/tuples.js";
import { comparisons, learnWeightsSteps, weightColumns } from "./schultz-joachims.js";
import { objectiveAt, slowWeights } from "./schultz-joachims.reference.js";

function problem(random: Random, n: number, d: number, m: number, scales = false) {
  const points = pointsFromRows(
    Array.from({ length: n }, () =>
      Array.from({ length: d }, (_, j) => random.normal() * (scales ? [1, 1000, 0.001][j % 3]! : 1)),
    ),
  );
  const draws = Array.from({ length: m }, () => random.sample(n, 3));
  const column = (p: number): Int32Array => Int32Array.from(draws, (rows) => rows[p]!);
  return { points, relative: { a: column(0), b: column(1), c: column(2) } };
}

test("one comparison, by hand: w is z divided by its squared length, without its negative part", () => {
  // a = (0,0), b = (0,1), c = (2,0): z of (a,c) is (4,-1), z of (b,c) is (4,0).
  const points = pointsFromRows(tuples("0 0, 0 1, 2 0"));
  const relative = { a: Int32Array.of(0), b: Int32Array.of(1), c: Int32Array.of(2) };
  expect([...comparisons(points, relative)]).toEqual([4, -1, 4, 0]);
  const { weights, objective } = drain(learnWeightsSteps(points, relative));
  expect(weights[0]).toBeCloseTo(0.25, 6);
  expect(weights[1]).toBeCloseTo(0, 6);
  expect(objective).toBeCloseTo(0.03125, 8);
});

test("the KKT conditions hold", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 60 }), fc.boolean(), (seed, d, m, scales) => {
      const { points, relative } = problem(randomFrom(seed), 20, d, m, scales);
      const cost = 1;
      const z = comparisons(points, relative);
      const { weights, multipliers, objective, bound } = drain(learnWeightsSteps(points, relative, { cost }));
      // The objective of the weights equals the lower bound from the multipliers, so all conditions hold up to the gap.
      expect(objective - bound).toBeLessThanOrEqual(1e-6 * objective);
      expect(objective).toBeCloseTo(objectiveAt(z, weights, cost), 9);
      expect(Math.min(...weights)).toBeGreaterThanOrEqual(0);
      expect(Math.min(...multipliers)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...multipliers)).toBeLessThanOrEqual(cost);
      const pull = weights.map((_, j) => multipliers.reduce((sum, alpha, t) => sum + alpha * z[t * d + j]!, 0));
      for (const [j, value] of pull.entries()) if (!scales) expect(Math.max(0, value)).toBeCloseTo(weights[j]!, 2);
    }),
    { numRuns: 60 },
  );
});

test("with more columns than comparisons the multipliers prove the weights too, in few steps", () => {
  for (const [seed, d, m] of tuples("1 300 5, 2 300 20, 3 1000 40")) {
    const { points, relative } = problem(randomFrom(seed), 30, d, m);
    const { weights, objective, bound, iterations } = drain(learnWeightsSteps(points, relative));
    expect(objective - bound).toBeLessThanOrEqual(1e-6 * objective);
    expect(objective).toBeCloseTo(objectiveAt(comparisons(points, relative), weights, 1), 9);
    expect(iterations).toBeLessThan(60);
  }
});

test("columns of scales from 1 to a million: where the predictor cycles, the steady descent converges", () => {
  for (const [seed, d, m] of tuples("1549655747 6 3, 6232 6 6, 17445 5 17")) {
    const { points, relative } = problem(randomFrom(seed), 20, d, m, true);
    const { objective, bound, iterations } = drain(learnWeightsSteps(points, relative));
    expect(objective - bound).toBeLessThanOrEqual(1e-6 * objective);
    expect(iterations).toBeGreaterThan(60);
  }
});

test("projected subgradients come close to it, never below", () => {
  for (const seed of [1, 2, 3]) {
    const { points, relative } = problem(randomFrom(seed), 12, 3, 15);
    const z = comparisons(points, relative);
    const { objective } = drain(learnWeightsSteps(points, relative, { cost: 0.5 }));
    const slow = objectiveAt(z, slowWeights(z, 3, 0.5, 20_000), 0.5);
    expect(slow).toBeGreaterThanOrEqual(objective * (1 - 1e-9));
    expect(slow).toBeLessThanOrEqual(objective * 1.01);
  }
});

test("without relative constraints nothing is learned; weighted columns have the weighted distances", () => {
  const points = pointsFromRows(tuples("0 3, 4 0"));
  const none = { a: new Int32Array(0), b: new Int32Array(0), c: new Int32Array(0) };
  expect([...drain(learnWeightsSteps(points, none)).weights]).toEqual([0, 0]);
  expect([...weightColumns(points, Float64Array.of(4, 0.25)).x]).toEqual([0, 1.5, 8, 0]);
});
