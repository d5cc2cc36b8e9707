import { expect, test } from "vitest";
import { correlation, meanOf, pairedTest, welchTest, withError } from "./statistics.js";

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
  const welch = welchTest(first, [...second, 7.5]);
  expect(welch.t).toBeCloseTo(0.1732813, 6);
  expect(welch.freedom).toBeCloseTo(8.121795, 5);
  expect(welch.p).toBeCloseTo(0.8666712, 6);
});

test("a difference without spread is certain; none at all is nothing", () => {
  expect(pairedTest([2, 3], [1, 2]).p).toBe(0);
  expect(pairedTest([1, 2], [1, 2])).toMatchObject({ t: 0, p: 1 });
});

test("correlation of a line and of its reverse", () => {
  expect(correlation([1, 2, 3], [2, 4, 6])).toBeCloseTo(1, 12);
  expect(correlation([1, 2, 3], [6, 4, 2])).toBeCloseTo(-1, 12);
});
