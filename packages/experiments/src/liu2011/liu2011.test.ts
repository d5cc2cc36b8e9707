import { emptyConstraints, informativeTripletsOfClasses } from "@coterie/core";
import { expect, test } from "vitest";
import { deviationOf } from "./curves.js";
import { isBetter } from "./figure-2.js";
import { SCHEMES, scoreOf } from "./schemes.js";
import { load, marksTo } from "./sets.js";

test("counts go from none to all, evenly", () => {
  expect(marksTo(150, 5)).toEqual([0, 30, 60, 90, 120, 150]);
  expect(marksTo(7, 2)).toEqual([0, 4, 7]);
});

test("better means higher, and surely so", () => {
  expect(isBetter([0.9, 0.91, 0.92], [0.5, 0.52, 0.51])).toBe(true);
  expect(isBetter([0.5, 0.9], [0.4, 0.8])).toBe(false);
  expect(isBetter([0.5, 0.52, 0.51], [0.9, 0.91, 0.92])).toBe(false);
  expect(deviationOf([1, 2, 3])).toBeCloseTo(1, 12);
});

test("all schemes on iris: with all informative statements ReCon finds the classes; without any it is the plain hierarchy", async () => {
  const points = await load("iris-fisher");
  const all = informativeTripletsOfClasses(points.truth);
  const none = emptyConstraints(points.n);
  const scores = Object.fromEntries(SCHEMES.map((scheme) => [scheme, scoreOf(scheme, points, all, 3, 0)]));
  expect(scores["ReCon + Euclidean"]).toBe(1);
  expect(scores["ReCon + SVM"]).toBe(1);
  for (const scheme of SCHEMES) expect(scores[scheme]).toBeGreaterThan(0.7);
  expect(scoreOf("ReCon + Euclidean", points, none, 3, 0)).toBe(scores["Hierarchical + Euclidean"]);
});
