import { expect, expectTypeOf, test } from "vitest";
import type * as z from "zod";
import { ccl } from "./algorithms/hierarchical/ccl/index.js";
import type { KRange } from "./algorithms/method.js";
import { takesK } from "./algorithms/method.js";
import type { OptionsByMethod } from "./algorithms/method-options.js";
import { kmeans } from "./algorithms/partition/kmeans.js";
import type { ClusterOptions, MethodName, MethodOf, OptionsOf, ResultOf } from "./catalogue.js";
import { catalogue, cluster } from "./catalogue.js";
import { constraints } from "./constraints/index.js";
import type { HierarchyResult, Merge, PartitionResult, TreeResult } from "./model/result.js";
import { pointsFromRows } from "./rows.js";
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

test("k can be a range for every method, and nothing else can", () => {
  expectTypeOf(cluster(points, known, { algorithm: "ccl", k: [2, 3] })).toEqualTypeOf<HierarchyResult>();
  expectTypeOf(kmeans(points, known, { k: [2, 3] })).toEqualTypeOf<PartitionResult>();
  expectTypeOf<{ algorithm: "clusilc"; k: readonly [number, number] }>().toExtend<ClusterOptions<"clusilc">>();
  expectTypeOf<Unchoosable>().toBeNever();
  expectTypeOf<OptionsOf<"ccl">["minClusterSize"]>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error: the first and the last alone
  expect(problemOf(() => cluster(points, known, { algorithm: "kmeans", k: [2, 3, 4] }))).toMatchObject({ option: "k" });
  // @ts-expect-error: no texts
  expect(problemOf(() => cluster(points, known, { algorithm: "kmeans", k: ["2", "3"] }))).toMatchObject({ option: "k" });
});

/** Methods with a k that cannot be a range. */
type Unchoosable = {
  [Name in MethodName]: OptionsOf<Name> extends { readonly k?: infer K } ? (KRange extends K ? never : Name) : never;
}[MethodName];

/** Methods with merges that are not hierarchies, or hierarchies without merges. */
type OddlyMerging = {
  [Name in MethodName]: MethodOf<Name>["family"] extends "hierarchy"
    ? ResultOf<Name> extends { readonly merges: readonly Merge[] }
      ? never
      : Name
    : "merges" extends keyof ResultOf<Name>
      ? Name
      : never;
}[MethodName];

type Schema<Name extends MethodName> = z.input<MethodOf<Name>["options"]>;
type OneSided<A, B> = Exclude<keyof A, keyof B> | Exclude<keyof B, keyof A>;

/** Methods whose described options differ from their schema. */
type OddlyDescribed = {
  [Name in MethodName]: [Schema<Name>, OptionsByMethod[Name]] extends [OptionsByMethod[Name], Schema<Name>]
    ? OneSided<Schema<Name>, OptionsByMethod[Name]> extends never
      ? never
      : Name
    : Name;
}[MethodName];

test("merges are there for a hierarchy and only there; described options are the schema's", () => {
  expectTypeOf<OddlyMerging>().toBeNever();
  expectTypeOf<OddlyDescribed>().toBeNever();
  expectTypeOf<keyof OptionsByMethod>().toEqualTypeOf<MethodName>();
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
  // @ts-expect-error: the same, in a method that has no options of its own
  expect(problemOf(() => cluster(points, known, { algorithm: "ward", k: 2, lookahead: true }))).toMatchObject({
    option: "lookahead",
  });
  // @ts-expect-error: centres are no part of a hierarchy
  expect(cluster(points, known, { algorithm: "ccl", k: 2 }).centres).toBeUndefined();
  // @ts-expect-error: merges are no part of k-means
  expect(cluster(points, known, { algorithm: "kmeans", k: 2 }).merges).toBeUndefined();
  // @ts-expect-error: nor of a tree
  expect(cluster(points, known, { algorithm: "clusilc", k: 2 }).merges).toBeUndefined();
  // @ts-expect-error: k-means cannot do without k
  expect(problemOf(() => kmeans(points, known, {}))).toMatchObject({ option: "k" });
  // @ts-expect-error: no linkage of that name
  expect(problemOf(() => ccl(points, known, { k: 2, linkage: "wards" }))).toMatchObject({ option: "linkage" });
});

test("every method is found by the name that it carries", () => {
  for (const method of catalogue) {
    const options = { algorithm: method.name as "ccl", ...(takesK(method) ? { k: 2 } : {}) };
    expect(cluster(points, known, options).labels).toHaveLength(4);
  }
});
