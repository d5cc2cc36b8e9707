import fc from "fast-check";
import { expect, test } from "vitest";
import { thresholdBetween } from "./prune.js";

test.each([
  [1.9, 3, 2.5],
  [95, 96, 95.5],
  [900, 1100, 1000],
  [-1, 1.00002, 0],
  [6, 15, 10],
  [0.123456, 0.123457, 0.1234565],
  [-7, -6, -6.5],
  [1e300, 3e300, 2e300],
])("between %d and %d: %d", (low, high, threshold) => {
  expect(thresholdBetween(low, high)).toBe(threshold);
});

test("separates any two numbers, in the middle half of the gap where the doubles allow", () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(number, number, (a, b) => {
      fc.pre(a !== b);
      const [low, high] = a < b ? [a, b] : [b, a];
      const threshold = thresholdBetween(low, high);
      expect(threshold).toBeGreaterThanOrEqual(low);
      expect(threshold).toBeLessThan(high);
    }),
    { numRuns: 2000 },
  );
  expect(thresholdBetween(1, 1 + Number.EPSILON)).toBe(1);
});
