import fc from "fast-check";
import { expect, test } from "vitest";
import { gram } from "../../linalg/symmetric.js";
import { randomFrom } from "../../random/index.js";
import { diagonalMetric, fullMetric } from "./estimate.js";

/** Σ xxᵀ over `rows` random rows of `d` numbers, the lower triangle. */
function outerProducts(rows: number, d: number, seed: number): Float64Array {
  const random = randomFrom(seed);
  const sum = new Float64Array(d * d);
  for (let row = 0; row < rows; row++) {
    const x = Array.from({ length: d }, () => random.normal());
    for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) sum[i * d + j]! += x[i]! * x[j]!;
  }
  return sum;
}

const ones = (d: number): Float64Array => new Float64Array(d).fill(1);

test("by hand: S = [[4, 2], [2, 2]] of 4 rows gives A = 4·S⁻¹ = [[2, -2], [-2, 4]]", () => {
  const { map, logDet, repaired } = fullMetric(Float64Array.of(4, 0, 2, 2), 4, ones(2))!;
  const [r00, , r10, r11] = map;
  expect(r00! * r00! + r10! * r10!).toBeCloseTo(2, 12);
  expect(r10! * r11!).toBeCloseTo(-2, 12);
  expect(r11! * r11!).toBeCloseTo(4, 12);
  expect(logDet).toBeCloseTo(Math.log(4), 12);
  expect(repaired).toBe("no");
  expect(diagonalMetric(Float64Array.of(4, 2), 4, ones(2))).toMatchObject({
    map: Float64Array.of(1, Math.SQRT2),
    repaired: "no",
  });
});

test("sums of fewer rows than features are singular despite rounding: no direction gets more weight than the conditioned one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), (d, seed) => {
      const rows = 1 + (seed % (d - 1));
      const s = outerProducts(rows, d, seed);
      const { map, repaired } = fullMetric(s, rows, ones(d))!;
      expect(repaired).not.toBe("no");
      let trace = 0;
      for (let j = 0; j < d; j++) trace += s[j * d + j]!;
      const heaviest = map.reduce((most, value) => Math.max(most, value * value), 0);
      expect(heaviest).toBeLessThan((2 * rows) / (1e-9 * trace));
    }),
    { numRuns: 2000 },
  );
});

test("sums of many rows give A·S = N·I, whatever the scales of the features", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: -6, max: 6 }), fc.nat(), (d, exponent, seed) => {
      const rows = 3 * d;
      const s = outerProducts(rows, d, seed);
      const scale = (j: number): number => (j % 2 === 0 ? 1 : 10 ** exponent);
      for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) s[i * d + j]! *= scale(i) * scale(j);
      const variances = Float64Array.from({ length: d }, (_, j) => scale(j) ** 2);
      const { map, repaired } = fullMetric(s, rows, variances)!;
      expect(repaired).toBe("no");
      const a = gram(map, d, d);
      for (let i = 0; i < d; i++) {
        for (let j = 0; j < d; j++) {
          let product = 0;
          for (let m = 0; m < d; m++) product += a[i * d + m]! * s[Math.max(m, j) * d + Math.min(m, j)]!;
          expect((product * scale(i)) / scale(j) / rows).toBeCloseTo(i === j ? 1 : 0, 7);
        }
      }
    }),
  );
});
