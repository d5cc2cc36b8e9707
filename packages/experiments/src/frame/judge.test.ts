import { expect, test } from "vitest";
import { findingOf, marksOf, verdictOf } from "./judge.js";
import type { Cell, Claim, Seen } from "./paper.js";

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
    "✓",
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
    most: 0.02,
  });
  const cells = [even(0.01, 0.5), even(0.01, 0.001), even(0.01, 0.5, 0.3), even(0.1, 0.5), even(-0.1, 0.001)];
  expect(cells.map((cell) => marksOf([cell])[0])).toEqual(["✓", "✓", "○", "○", "✗"]);
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
  const seen = (missing: readonly string[]): Seen => ({ size: "full", seed: 0, lines: () => [], missing });
  expect(findingOf(claim, seen(["protein"]))).toMatchObject({ verdict: "not judged", missing: ["protein"], cells: [] });
  expect(judged).toBe(0);
  expect(findingOf(claim, seen(["yeast"]))).toMatchObject({ verdict: "holds", because: null, cells: [{ mark: "✓" }] });
});
