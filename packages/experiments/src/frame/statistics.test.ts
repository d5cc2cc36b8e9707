import { expect, test } from "vitest";
import {
  againstNumber,
  correlation,
  correlationP,
  holm,
  meanOf,
  normalP,
  pairedTest,
  shareOf,
  sharesTest,
  welchTest,
  withError,
} from "./statistics.js";

test("mean and standard error", () => {
  expect(meanOf([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ mean: 5, error: Math.sqrt(32 / 7 / 8), count: 8 });
  expect(withError(meanOf([1, 2, 3]))).toBe("2.000 ± 0.577");
  expect(withError(meanOf([]))).toBe("–");
});

test("t-tests give SciPy's figures", () => {
  const first = [5.1, 4.9, 6.2, 5.8, 6.0];
  const second = [4.8, 5.0, 5.5, 5.1, 5.2];
  const paired = pairedTest(first, second);
  expect(paired.t).toBeCloseTo(2.848276, 5);
  expect(paired.p).toBeCloseTo(0.0464768, 6);
  expect(paired.error).toBeCloseTo(paired.difference / paired.t, 12);
  const welch = welchTest(first, [...second, 7.5]);
  expect(welch.t).toBeCloseTo(0.1732813, 6);
  expect(welch.freedom).toBeCloseTo(8.121795, 5);
  expect(welch.p).toBeCloseTo(0.8666712, 6);
  expect(againstNumber(first, 5).p).toBeCloseTo(pairedTest(first, [5, 5, 5, 5, 5]).p, 12);
});

test("a difference without spread is certain; none at all is nothing; one value says nothing", () => {
  expect(pairedTest([2, 3], [1, 2]).p).toBe(0);
  expect(pairedTest([1, 2], [1, 2])).toMatchObject({ t: 0, p: 1 });
  expect(welchTest([2, 2], [1, 1]).p).toBe(0);
  expect(pairedTest([2], [1]).p).toBeNaN();
  expect(welchTest([2], [1, 2]).p).toBeNaN();
});

test("correlation of a line and of its reverse, and its chance", () => {
  expect(correlation([1, 2, 3], [2, 4, 6])).toBeCloseTo(1, 12);
  expect(correlation([1, 2, 3], [6, 4, 2])).toBeCloseTo(-1, 12);
  // The 1% point for 100 pairs.
  expect(correlationP(0.2565, 100)).toBeCloseTo(0.01, 3);
  expect(correlationP(Number.NaN, 100)).toBeNaN();
});

test("shares: the normal test of two proportions, and an error even for none", () => {
  // 0.25 / √(0.275 · 0.725 · 0.02) = 3.959 standard errors.
  expect(sharesTest([40, 100], [15, 100]).p).toBeCloseTo(7.5e-5, 5);
  expect(shareOf(0, 100).mean).toBe(0);
  expect(shareOf(0, 100).error).toBeGreaterThan(0);
  expect(normalP(1.959964)).toBeCloseTo(0.05, 5);
});

test("Holm's correction, as in his article: the smallest times all, the next times one less, never falling", () => {
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(holm([0.5, Number.NaN])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});
