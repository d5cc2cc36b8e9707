import { expect, expectTypeOf, test } from "vitest";
import { ccl } from "./algorithms/hierarchical/ccl/index.js";
import { kmeans } from "./algorithms/partition/kmeans.js";
import type { MethodName, OptionsOf, ResultOf } from "./catalogue.js";
import { catalogue } from "./catalogue.js";
import { cluster } from "./cluster.js";
import { constraints } from "./constraints/index.js";
import { pointsFromRows } from "./model/points.js";
import type { HierarchyResult, Merge, PartitionResult, TreeResult } from "./model/result.js";
import { problemOf } from "./testing/problem-of.js";

const points = pointsFromRows([[0], [1], [10], [11]]);
const known = constraints(points, { mustLink: [[0, 1]] });

test("the compiler knows names, options and results", () => {
  expectTypeOf(cluster(points, known, { algorithm: "ccl", k: 2 })).toEqualTypeOf<HierarchyResult>();
  expectTypeOf(cluster(points, known, { algorithm: "kmeans", k: 2, seed: 1 })).toEqualTypeOf<PartitionResult>();
  expectTypeOf(cluster(points, known, { algorithm: "clusilc", k: 2 })).toEqualTypeOf<TreeResult>();
  expectTypeOf<ResultOf<"ward">["merges"]>().toEqualTypeOf<readonly Merge[]>();
  expectTypeOf<ResultOf<"kmeans">>().not.toHaveProperty("merges");
  expectTypeOf<OptionsOf<"ccl">>().toHaveProperty("lookahead");
  expectTypeOf<OptionsOf<"ccl">>().toHaveProperty("learnedMetric");
  expectTypeOf<OptionsOf<"kmeans">>().not.toHaveProperty("lookahead");
  expectTypeOf<"ccl">().toExtend<MethodName>();
  expectTypeOf<string>().not.toExtend<MethodName>();
});

test("what does not compile is refused at run time too", () => {
  // @ts-expect-error: no such method
  expect(problemOf(() => cluster(points, known, { algorithm: "cll", k: 2 }))).toMatchObject({
    option: "algorithm",
    value: "cll",
    expected: expect.stringContaining("did you mean ccl?"),
  });
  // @ts-expect-error: k is a number
  expect(problemOf(() => cluster(points, known, { algorithm: "ccl", k: "three" }))).toMatchObject({ option: "k" });
  // @ts-expect-error: a slip in the name of an option
  expect(problemOf(() => cluster(points, known, { algorithm: "ccl", k: 2, lookahaed: true }))).toMatchObject({
    option: "lookahaed",
  });
  // @ts-expect-error: an option of another method
  expect(problemOf(() => cluster(points, known, { algorithm: "kmeans", k: 2, gamma: 1 }))).toMatchObject({ option: "gamma" });
  // @ts-expect-error: the same, called directly
  expect(problemOf(() => kmeans(points, known, { k: 2, gamma: 1 }))).toMatchObject({ option: "gamma" });
  // @ts-expect-error: k-means cannot do without k
  expect(problemOf(() => kmeans(points, known, {}))).toMatchObject({ option: "k" });
  // @ts-expect-error: no linkage of that name
  expect(problemOf(() => ccl(points, known, { k: 2, linkage: "wards" }))).toMatchObject({ option: "linkage" });
});

test("every method is found by the name that it carries", () => {
  for (const { name } of catalogue) {
    expect(cluster(points, known, { algorithm: name as MethodName, k: 2 }).labels).toHaveLength(4);
  }
});
