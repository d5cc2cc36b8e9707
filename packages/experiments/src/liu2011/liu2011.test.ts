import { constraints, informativeTripletsOfClasses, pointsFromRows, randomFrom, randomTriplets, recon } from "@coterie/core";
import { expect, test } from "vitest";
import { load } from "../frame/data.js";
import { naiveClustersLeft } from "./naive-linkage.js";
import { informativeCount, marksTo, setNamed } from "./sets.js";
import { someInformative } from "./tables.js";

test("counts go from none to all, evenly; quick ones are among the full", () => {
  expect(marksTo(150, "full")).toEqual([0, 38, 75, 113, 150]);
  expect(marksTo(150, "quick")).toEqual([0, 75, 150]);
});

test("informative statements: as many as counted, a part of them is a part", async () => {
  const iris = await load("iris-fisher");
  const all = informativeTripletsOfClasses(iris.truth).relative;
  expect(all.a.length).toBe(informativeCount(setNamed("iris-fisher")));
  expect(someInformative(iris, 10, randomFrom(1)).relative.a.length).toBe(10);
});

test("section 4.2's example: ab|c and cd|a have a hierarchy, but when b and d merge first there is no way on", () => {
  const points = pointsFromRows([[0], [5], [20], [5.1]]);
  const known = constraints(points, {
    relative: [
      [0, 1, 2],
      [2, 3, 0],
    ],
  });
  expect(naiveClustersLeft(points, known)).toBe(3);
  expect(recon(points, known, { k: 1 }).merges).toHaveLength(3);
});

test("without statements the naive linkage never stops; with them it stops at times, ReCon never", async () => {
  const iris = await load("iris-fisher");
  expect(naiveClustersLeft(iris, constraints(iris, {}))).toBe(1);
  const left = [1, 2, 3].map((seed) =>
    naiveClustersLeft(iris, randomTriplets(iris.truth, { count: 75, random: randomFrom(seed) })),
  );
  expect(Math.max(...left)).toBeGreaterThan(1);
});
