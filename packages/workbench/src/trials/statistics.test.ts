import { expect, test } from "vitest";
import {
  againstNumber,
  correlation,
  correlationP,
  deviationOf,
  deviationsTest,
  holm,
  meanOf,
  pairedTest,
  shareOf,
  sharesTest,
  shareTest,
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

test("a difference without spread is as certain as its number of values; none at all is nothing; one value says nothing", () => {
  expect(pairedTest([2, 3], [1, 2]).p).toBe(0.5);
  expect(pairedTest(Array(12).fill(2), Array(12).fill(1)).p).toBe(2 ** -11);
  expect(pairedTest([1, 2], [1, 2])).toMatchObject({ t: 0, p: 1 });
  expect(welchTest([2, 2], [1, 1]).p).toBe(0.25);
  expect(pairedTest([2], [1]).p).toBeNaN();
  expect(welchTest([2], [1, 2]).p).toBeNaN();
});

test("standard deviations: twice the spread is certain with many values, and left open with few", () => {
  const sample = (spread: number, count: number): number[] => Array.from({ length: count }, (_, i) => (i % 2 ? spread : -spread));
  const test = (count: number, factor?: number) =>
    deviationsTest([sample(2, count), sample(4, count)], [sample(1, count), sample(2, count)], factor);
  expect(test(100).difference / meanOf([deviationOf(sample(1, 100)), deviationOf(sample(2, 100))]).mean).toBeCloseTo(1, 12);
  expect([test(4).p < 0.05, test(100).p < 0.05]).toEqual([false, true]);
  expect(test(100, 0.5)).toMatchObject({ difference: 0, p: 1 });
});

test("correlation of a line and of its reverse, and its chance", () => {
  expect(correlation([1, 2, 3], [2, 4, 6])).toBeCloseTo(1, 12);
  expect(correlation([1, 2, 3], [6, 4, 2])).toBeCloseTo(-1, 12);
  // The 1% point for 100 pairs.
  expect(correlationP(0.2565, 100)).toBeCloseTo(0.01, 3);
  expect(correlationP(Number.NaN, 100)).toBeNaN();
});

test("shares: exact tests, and an error even for none", () => {
  // Fisher's tables of four and four cases: 3 against 1 has p = 34/70, 4 against 0 has p = 2/70.
  expect(sharesTest([3, 4], [1, 4]).p).toBeCloseTo(34 / 70, 12);
  expect(sharesTest([4, 4], [0, 4]).p).toBeCloseTo(2 / 70, 12);
  expect(sharesTest([0, 0], [1, 4]).p).toBeNaN();
  // 9 heads of 10: twice (10 + 1) / 1024.
  expect(shareTest(9, 10, 0.5).difference).toBeCloseTo(0.4, 12);
  expect(shareTest(9, 10, 0.5).p).toBeCloseTo(22 / 1024, 12);
  expect(shareTest(5, 10, 0.5).p).toBe(1);
  expect(shareTest(0, 50, 0.1).p).toBeCloseTo(2 * 0.9 ** 50, 12);
  expect(shareTest(0, 0, 0.1).p).toBeNaN();
  expect(shareOf(0, 100).mean).toBe(0);
  expect(shareOf(0, 100).error).toBeGreaterThan(0);
});

test("Holm's correction, as in his article: the smallest times all, the next times one less, never falling", () => {
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(holm([0.5, Number.NaN])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});
