import { expect, test } from "vitest";
import { constraints } from "../constraints/index.js";
import { pointsFromRows } from "../model/points.js";
import { problemOf } from "../testing/problem-of.js";
import { startAsking } from "./active/strategies.js";
import { constrainedCompleteLink } from "./hierarchical/ccl.js";
import { linkage } from "./hierarchical/linkage.js";
import { recon } from "./hierarchical/recon.js";
import { copKMeans } from "./partition/cop-kmeans.js";
import { kMeans } from "./partition/kmeans.js";
import { mkMeans } from "./partition/mk-means.js";
import { mpckMeans } from "./partition/mpck-means.js";
import { pckMeans } from "./partition/pck-means.js";
import { rcaKMeans } from "./partition/rca-kmeans.js";
import { supervisedMeans } from "./partition/supervised-means.js";
import { svmKMeans } from "./partition/svm-kmeans.js";
import { clusilc } from "./tree/clusilc.js";

const points = pointsFromRows([[0], [1], [10], [11]], ["length"]);
const known = constraints(points, { mustLink: [[0, 1]] });
const METHODS = {
  clusilc,
  constrainedCompleteLink,
  copKMeans,
  mkMeans,
  mpckMeans,
  pckMeans,
  rcaKMeans,
  recon,
  supervisedMeans,
  svmKMeans,
  kMeans: (rows: typeof points, _: unknown, options: { k: number }) => kMeans(rows, options),
  linkage: (rows: typeof points, _: unknown, options: { k: number }) => linkage(rows, { linkage: "average", ...options }),
};

test.each(Object.entries(METHODS))("%s: what is wrong with options or rows is an error of ours", (name, method) => {
  expect(problemOf(() => method(points, known, { k: 0 }))).toMatchObject({ code: "bad-option", option: "k", value: 0 });
  expect(problemOf(() => method(points, known, { k: 2, speed: 9 } as { k: number }))).toMatchObject({
    option: "speed",
    value: 9,
  });
  const holed = pointsFromRows([[0], [Number.NaN]]);
  expect(problemOf(() => method(holed, constraints(holed, {}), { k: 1 }))).toMatchObject({ code: "bad-input" });
  if (name === "kMeans" || name === "linkage") return;
  expect(problemOf(() => method(points, constraints({ n: 3 }, {}), { k: 2 }))).toMatchObject({
    code: "bad-input",
    message: "The constraints are about 3 rows, but there are 4.",
  });
});

test("options of a strategy are checked alike", () => {
  const ask = () => startAsking({ points, k: 2, budget: 3, strategy: "spreading", options: { neighbours: 0 } });
  expect(problemOf(ask)).toMatchObject({ code: "bad-option", option: "neighbours" });
});
