import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../../random/index.js";
import { drain } from "../../steps/index.js";
import { type FlatRows, nearestRowSteps } from "./nearest-rows.js";

/** All pairs, sorted: the definition. */
function byDefinition({ n, d, x }: FlatRows, k: number): number[] {
  const square = (i: number, j: number) => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (x[i * d + f]! - x[j * d + f]!) ** 2;
    return sum;
  };
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => j)
      .filter((j) => j !== i)
      .sort((a, b) => square(i, a) - square(i, b) || a - b)
      .slice(0, k),
  ).flat();
}

/** Rows around centres, near a plane of few dimensions. */
function clouds(n: number, d: number, seed: number): FlatRows {
  const random = randomFrom(seed);
  const centres = Array.from({ length: 12 }, () => Array.from({ length: d }, () => random.normal()));
  const axes = Array.from({ length: 6 }, () => Array.from({ length: d }, () => random.normal()));
  const x = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    const centre = centres[random.int(12)]!;
    const along = axes.map(() => random.normal());
    for (let f = 0; f < d; f++)
      x[i * d + f] = centre[f]! + axes.reduce((sum, axis, a) => sum + 0.4 * along[a]! * axis[f]!, 0) + 0.2 * random.normal();
  }
  return { n, d, x };
}

test("exact lists equal the definition, with ties, in few and in many columns", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 90 }),
      fc.constantFrom(1, 2, 3, 7, 9, 12),
      fc.integer({ min: 1, max: 12 }),
      fc.integer(),
      (n, d, count, seed) => {
        const random = randomFrom(seed);
        const rows = { n, d, x: Float64Array.from({ length: n * d }, () => random.int(4)) };
        const found = drain(nearestRowSteps(rows, count));
        expect(found.k).toBe(Math.min(count, n - 1));
        expect(found.exact).toBe(true);
        expect([...found.rows]).toEqual(byDefinition(rows, found.k));
      },
    ),
    { numRuns: 150 },
  );
});

test("approximate lists contain most of the true neighbours, the same ones each time", () => {
  const rows = clouds(1500, 20, 3);
  const [k, options] = [10, { exactRows: 100, random: randomFrom(5) }];
  const exact = drain(nearestRowSteps(rows, k));
  const found = drain(nearestRowSteps(rows, k, options));
  expect([exact.exact, found.exact]).toEqual([true, false]);
  let hits = 0;
  for (let i = 0; i < rows.n; i++) {
    const truth = new Set(exact.rows.subarray(i * k, (i + 1) * k));
    for (let p = i * k; p < (i + 1) * k; p++) hits += truth.has(found.rows[p]!) ? 1 : 0;
  }
  expect(hits / (rows.n * k)).toBeGreaterThan(0.95);
  expect(drain(nearestRowSteps(rows, k, options))).toEqual(found);
  for (let i = 0; i < rows.n; i++) {
    const own = [...found.distances.subarray(i * k, (i + 1) * k)];
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
});

test("one row has no neighbours, and equal rows are neighbours at distance 0", () => {
  expect(drain(nearestRowSteps({ n: 1, d: 3, x: new Float64Array(3) }, 5)).k).toBe(0);
  const same = drain(nearestRowSteps({ n: 300, d: 10, x: new Float64Array(3000) }, 3, { exactRows: 50 }));
  expect(same.distances.every((distance) => distance === 0)).toBe(true);
  expect(same.rows.every((row) => row >= 0)).toBe(true);
});
