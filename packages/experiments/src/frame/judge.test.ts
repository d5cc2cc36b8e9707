import { againstNumber, pairedTest } from "@coterie/workbench/trials";
import { expect, test } from "vitest";
import { atLeastCell, evenCell, factCell, largestCell, shareCell, testCell, weaker } from "./cells.js";
import { findingOf, marksOf, verdictOf } from "./judge.js";
import type { Cell, Claim, PageData } from "./paper.js";

const place = { row: "iris", column: "CKM", said: "" };
const difference = (value: number, p: number, least?: number): Cell => ({
  ...place,
  kind: "difference",
  difference: value,
  p,
  ...(least === undefined ? {} : { least }),
});

test("a difference counts with its sign, its size and its certainty", () => {
  expect(marksOf([difference(0.1, 0.01)])).toEqual(["✓"]);
  expect(marksOf([difference(-0.1, 0.01)])).toEqual(["✗"]);
  expect(marksOf([difference(0.1, 0.2)])).toEqual(["○"]);
  expect(marksOf([difference(0.1, 0.01, 0.2)])).toEqual(["○"]);
  expect(marksOf([difference(Number.NaN, Number.NaN)])).toEqual(["○"]);
});

test("many tests are corrected: what is certain alone is not among ten", () => {
  const cells = Array.from({ length: 10 }, () => difference(0.1, 0.02));
  expect(marksOf(cells.slice(0, 1))).toEqual(["✓"]);
  expect(marksOf(cells)).toEqual(Array.from({ length: 10 }, () => "○"));
  expect(marksOf([difference(0.1, 0.001), ...cells.slice(1)])[0]).toBe("✓");
});

test("facts and numbers are not corrected, and do not count among the tests", () => {
  const fact = (holds: boolean): Cell => ({ ...place, kind: "fact", holds });
  const number = (ours: number, error: number): Cell => ({ ...place, kind: "number", ours, error, published: 0.3, within: 0.1 });
  expect(marksOf([fact(true), fact(false), number(0.39, 0), number(0.5, 0.01), number(0.5, 0.11), difference(1, 0.04)])).toEqual([
    "✓",
    "✗",
    "✓",
    "✗",
    "○",
    "✓",
  ]);
});

test("alike: within the bound, error and all; unlike: beyond it and certain", () => {
  const even = (value: number, p: number, error = 0.01): Cell => ({
    ...place,
    kind: "even",
    difference: value,
    error,
    p,
    most: 0.03,
  });
  const cells = [even(0.01, 0.5), even(0.01, 0.001), even(0.01, 0.5, 0.3), even(0.1, 0.5), even(-0.1, 0.001)];
  expect(cells.map((cell) => marksOf([cell])[0])).toEqual(["✓", "✓", "○", "○", "✗"]);
});

test("few trials make no mark easier: what they leave open is neither ✓ nor ✗", () => {
  const markOf = (cell: Cell) => marksOf([cell])[0];
  const share = (cases: number, count: number, least: number) => markOf(shareCell(place, [cases, count], least, ""));
  // 73% against a bound of 90%: refuted by 100 trials, left open by 15.
  expect([share(11, 15, 0.9), share(73, 100, 0.9)]).toEqual(["○", "✗"]);
  expect([share(15, 15, 0.9), share(100, 100, 0.9)]).toEqual(["○", "✓"]);
  const always = (trials: number) => markOf(factCell(place, true, "", trials));
  expect([always(2), always(28), always(29)]).toEqual(["○", "○", "✓"]);
  expect(markOf(factCell(place, false, "", 2))).toBe("✗");
  const number = (error: number) => markOf({ ...place, kind: "number", ours: 0.33, error, published: 0.3, within: 0.1 });
  expect([number(0.01), number(0.1)]).toEqual(["✓", "○"]);
  const even = (count: number) => markOf(evenCell(place, pairedTest(Array(count).fill(0.51), Array(count).fill(0.5)), 0.02));
  expect([even(1), even(10)]).toEqual(["○", "✓"]);
  const equal = (count: number) => markOf(testCell(place, pairedTest(Array(count).fill(2), Array(count).fill(1))));
  expect([equal(2), equal(10)]).toEqual(["○", "✓"]);
});

test("at least as accurate: a difference of none is ✓ if it is certain enough, and one beyond the margin ✗", () => {
  const values = (mean: number, spread: number): number[] =>
    Array.from({ length: 20 }, (_, i) => mean + (i % 2 ? spread : -spread));
  const mark = (mean: number, spread: number) => marksOf([atLeastCell(place, againstNumber(values(mean, spread), 0), 0.02)])[0];
  expect([mark(0, 0.005), mark(0.1, 0.005), mark(0, 0.2), mark(-0.1, 0.005)]).toEqual(["✓", "✓", "○", "✗"]);
});

test("the largest of many values is tested as many times; of two claims the weaker one decides", () => {
  const largest = (value: number, values: number) =>
    marksOf([largestCell(place, { difference: value, error: 1, t: 1, freedom: 9, p: 0.02 }, values, "")])[0];
  expect([largest(1, 2), largest(1, 9), largest(-1, 9)]).toEqual(["✓", "○", "✗"]);
  const [sure, unsure, refuted] = [difference(1, 0.001), difference(1, 0.3), difference(-1, 0.01)];
  expect(weaker(sure, unsure)).toBe(unsure);
  expect(weaker(sure, difference(1, Number.NaN))).toMatchObject({ p: Number.NaN });
  expect(weaker(sure, refuted)).toBe(refuted);
  expect(weaker(refuted, difference(-1, 0.2))).toBe(refuted);
});

test("one rule for verdicts", () => {
  expect(verdictOf(["✓", "✓"], "every")).toBe("holds");
  expect(verdictOf(["✓", "○"], "every")).toBe("holds in part");
  expect(verdictOf(["✓", "✗"], "every")).toBe("does not hold");
  expect(verdictOf(["○", "○"], "every")).toBe("does not hold");
  expect(verdictOf(["✓", "✓", "✗"], "most")).toBe("holds");
  expect(verdictOf(["✓", "✗"], "most")).toBe("does not hold");
  expect(verdictOf(["✓", "✗", "✗"], "some")).toBe("holds");
  expect(verdictOf(["✗"], "some")).toBe("does not hold");
  expect(verdictOf([], "every")).toBe("does not hold");
});

test("a claim is judged on all of its data sets or not at all", () => {
  let judged = 0;
  const claim: Claim = {
    id: "c",
    section: "1",
    quote: "it holds",
    published: "yes",
    about: "every",
    needs: ["iris-fisher", "protein"],
    judge: () => {
      judged++;
      return { cells: [difference(1, 0.001)], because: "never shown where it holds" };
    },
  };
  const seen = (missing: readonly string[]): PageData => ({ size: "full", seed: 0, lines: () => [], missing });
  expect(findingOf(claim, seen(["protein"]))).toMatchObject({ verdict: "not judged", missing: ["protein"], cells: [] });
  expect(judged).toBe(0);
  expect(findingOf(claim, seen(["yeast"]))).toMatchObject({ verdict: "holds", because: null, cells: [{ mark: "✓" }] });
});
