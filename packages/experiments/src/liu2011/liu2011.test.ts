import {
  constraints,
  informativeTripletsOfClasses,
  kmeans,
  pointsFromRows,
  randomFrom,
  randomTriplets,
  recon,
  svmKmeans,
} from "@coterie/core/internal";
import { expect, test } from "vitest";
import { load } from "../frame/data.js";
import { naiveClustersLeft } from "./dead-ends.js";
import { clusterings, KMEANS, KMEANS_SVM, PLAIN, RECON, RECON_OURS, RECON_SVM, RECON_SVM_OURS, SCHEMES } from "./schemes.js";
import { informativeCount, marksTo, setNamed } from "./sets.js";
import { keepingTime, mergesTested, someInformative } from "./tables.js";

test("counts go from none to all, evenly; quick ones are among the full", () => {
  expect(marksTo(150, "full")).toEqual([0, 38, 75, 113, 150]);
  expect(marksTo(150, "quick")).toEqual([0, 75, 150]);
});

test("the number of merges tested comes from ReCon, and is not 0 if ReCon does not report it", () => {
  const points = pointsFromRows([[0], [5], [20], [5.1]]);
  const { notices } = recon(points, constraints(points, { relative: [[0, 1, 2]] }), { k: 1 });
  expect(mergesTested(notices, 1)).toBeGreaterThan(0);
  expect(mergesTested(recon(points, undefined, { k: 1 }).notices, 0)).toBe(0);
  expect(() => mergesTested(["1 row is far away."], 1)).toThrow("no notice");
});

test("informative constraints: as many as counted, a part of them is a part", async () => {
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

test("without constraints the naive linkage never stops; with them it stops at times, ReCon never", async () => {
  const iris = await load("iris-fisher");
  expect(naiveClustersLeft(iris, constraints(iris, {}))).toBe(1);
  const left = [1, 2, 3].map((seed) =>
    naiveClustersLeft(iris, randomTriplets(iris.truth, { count: 75, random: randomFrom(seed) })),
  );
  expect(Math.max(...left)).toBeGreaterThan(1);
});

test("the schemes share hierarchies and the metric, and are what the library gives one by one", async () => {
  const iris = await load("iris-fisher");
  const set = randomTriplets(iris.truth, { count: 75, random: randomFrom(7) });
  const all = clusterings(iris, set, 3, 5);
  const printed = { k: 3, outliers: "5%", outliersJoin: "nearest", seed: 5 } as const;
  const alone = {
    [RECON]: recon(iris, set, printed),
    [RECON_OURS]: recon(iris, set, { ...printed, outliersJoin: "keep" }),
    [RECON_SVM]: recon(iris, set, { ...printed, learnedMetric: "svm", costScale: "unit" }),
    [RECON_SVM_OURS]: recon(iris, set, { ...printed, outliersJoin: "keep", learnedMetric: "svm", costScale: "unit" }),
    [KMEANS_SVM]: svmKmeans(iris, set, { k: 3, seed: 5, costScale: "unit" }),
    [PLAIN]: recon(iris, constraints(iris, {}), printed),
    [KMEANS]: kmeans(iris, undefined, { k: 3, seed: 5 }),
  };
  for (const scheme of SCHEMES) expect(all[scheme].labels, scheme).toEqual(alone[scheme].labels);
});

test("the time of the keeping rule is that of the run with its cut exchanged", () => {
  const line = { "ReCon, ms": 100, "cut as printed, ms": 10, "cut keeping (ours), ms": 25, "centroid linkage, ms": 50 };
  expect(keepingTime(line)).toBe(115);
});
