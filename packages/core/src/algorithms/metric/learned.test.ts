import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMethod } from "../../catalogue.js";
import { constraints, emptyConstraints } from "../../constraints/index.js";
import { CoterieError } from "../../errors.js";
import { plainKernels } from "../../kernels/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Result } from "../../model/result.js";
import { modelOf } from "../../models/model-file.js";
import { predict } from "../../models/predict.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { tuples } from "../../testing/tuples.js";
import { finish } from "../finish.js";
import { linkages } from "../hierarchical/linkage.js";
import { treatmentsOf } from "../method.js";
import { kmeans } from "../partition/kmeans.js";
import { mapPoints } from "./linear-maps.js";
import { rca } from "./rca.js";

function run(name: string, points: Instances, known: ConstraintSet, options: Record<string, unknown>): Result {
  const method = findMethod(name)!;
  const input = { points, constraints: known };
  return finish(
    input,
    drain(method.steps(input, method.options.parse(options), { kernels: plainKernels, random: randomFrom(0) })),
  );
}

/** Two classes that differ in the first column; the second column is strong noise, the third has a large mean. */
function noisy(
  seed: number,
  n = 60,
): { readonly points: Instances; readonly links: ConstraintSet; readonly triplets: ConstraintSet } {
  const random = randomFrom(seed);
  const codes = Int32Array.from({ length: n }, (_, i) => i % 2);
  const rows = Array.from(codes, (code) => [code + 0.1 * random.normal(), 5 * random.normal(), 1000 + random.normal()]);
  const points: Instances = { ...pointsFromRows(rows, ["signal", "noise", "far"]), truth: { codes, names: ["a", "b"] } };
  const mustLink = Array.from({ length: 20 }, (_, s) => [s, s + 2] as const);
  const relative = Array.from({ length: 30 }, (_, s) => [s, s + 2, (s + 5) % n] as const);
  return { points, links: constraints(points, { mustLink }), triplets: constraints(points, { relative }) };
}

const POINTS = ["kmeans", "cop-kmeans", "pck-means", "supervised-means"];
const DISTANCES = ["complete-link", "average-link", "single-link", "ward", "centroid-link", "ccl", "recon"];

describe("a metric that is learned first", () => {
  test.each([...POINTS, ...DISTANCES])("%s accepts it, and finds classes that noise hides", (name) => {
    const { points, links, triplets } = noisy(4);
    for (const [learnedMetric, known] of [
      ["rca", links],
      ["svm", triplets],
    ] as const) {
      const result = run(name, points, known, { k: 2, learnedMetric });
      expect(result.metric!.kind).toBe(learnedMetric === "rca" ? "full" : "diagonal");
      const [weights] = result.metric!.matrices;
      expect(weights![0]).toBeGreaterThan(50 * (learnedMetric === "rca" ? weights![4]! : weights![1]!));
      if (name !== "single-link" && name !== "centroid-link") expect(result.scores!.rand).toBeGreaterThan(0.9);
    }
  });

  test("equals the method on mapped rows: labels, and heights of merges", () => {
    const { points, links } = noisy(7);
    const { truth: _, ...rows } = points;
    const mapped = mapPoints(rows, rca(rows, links).maps);
    expect(run("kmeans", rows, links, { k: 3, learnedMetric: "rca" }).labels).toEqual(kmeans(mapped, undefined, { k: 3 }).labels);
    const merges = run("average-link", rows, links, { k: 3, learnedMetric: "rca" }).merges!;
    linkages.average(mapped, undefined, { k: 3 }).merges!.forEach(([left, right, height, size], m) => {
      expect([merges[m]![0], merges[m]![1], merges[m]![3]]).toEqual([left, right, size]);
      expect(merges[m]![2]).toBeCloseTo(height, 8);
    });
  });

  test("centres come back in the units of the points", () => {
    const { points, links, triplets } = noisy(3);
    for (const [learnedMetric, known] of [
      ["rca", links],
      ["svm", triplets],
    ] as const) {
      const { labels, centres, sizes } = run("kmeans", points, known, { k: 2, learnedMetric });
      centres!.forEach((centre, c) => {
        centre.forEach((value, j) => {
          const mean = labels.reduce((sum, label, i) => (label === c ? sum + points.x[i * 3 + j]! : sum), 0) / sizes[c]!;
          expect(value).toBeCloseTo(mean, 8);
        });
      });
    }
  });

  test("first centres that are given are mapped too", () => {
    const { points, links } = noisy(3);
    const init = tuples("0 0 1000, 1 0 1000");
    const { scores, labels } = run("kmeans", points, links, { k: 2, learnedMetric: "rca", init });
    expect(scores!.rand).toBe(1);
    expect(labels[0]).toBe(0);
    expect(() => run("kmeans", points, links, { k: 2, learnedMetric: "rca", init: [[1], [2]] })).toThrow(
      "2 rows of 3 are needed",
    );
  });
});

test("a model carries the metric: training rows get their labels, nominal columns and zero weights included", () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(...POINTS), fc.constantFrom("rca", "svm"), (seed, name, learnedMetric) => {
      const random = randomFrom(seed);
      const rows = Array.from({ length: 50 }, () => [random.normal(), 3 * random.normal(), random.int(3)]);
      const points: Instances = { ...pointsFromRows(rows, ["a", "b", "kind"]), nominal: Uint8Array.of(0, 0, 1) };
      const soft = { relative: [[0, 1, 2] as const, [3, 4, 5] as const] };
      const known = constraints(
        points,
        learnedMetric === "svm" ? soft : { mustLink: [[0, 1] as const, [2, 3] as const, [4, 5] as const] },
      );
      const result = run(name, points, known, { k: 3, learnedMetric, ...(name === "supervised-means" ? {} : { restarts: 2 }) });
      // If only a nominal column has weight, fewer rows can be different than there are clusters; a model gives equal rows one label.
      fc.pre(!result.notices.some((notice) => notice.includes("equal rows are in different clusters")));
      const model = modelOf(points, result, { algorithm: name, options: { learnedMetric } });
      const { labels } = predict(model, points);
      // Must-links can keep rows away from their nearest cluster.
      for (let i = learnedMetric === "rca" ? 6 : 0; i < 50; i++) expect(labels[i]).toBe(result.labels[i]);
    }),
    { numRuns: 25, examples: [[16, "pck-means", "svm"], [3, "pck-means", "rca"]] }, // biome-ignore format: one line
  );
});

describe("nothing to learn from", () => {
  const { points } = noisy(5);
  const none = emptyConstraints(points.n);
  test.each([
    ["rca", "There are no must-links or labels to learn a metric from: distances stay as they are."],
    ["svm", "There are no relative constraints to learn a metric from: every column has the weight 1."],
  ])("%s says so and changes nothing", (learnedMetric, notice) => {
    for (const name of ["kmeans", "ward", "ccl"]) {
      const result = run(name, points, none, { k: 3, learnedMetric });
      expect(result.notices).toContain(notice);
      if (learnedMetric === "rca") expect(result.metric).toBeUndefined();
      expect(result.labels).toEqual(run(name, points, none, { k: 3 }).labels);
    }
  });
});

test("refuses options that do not fit; methods with their own metric do not have these options", () => {
  const { points, links } = noisy(5);
  const code = (name: string, options: Record<string, unknown>) => {
    try {
      run(name, points, links, { k: 2, ...options });
    } catch (error) {
      return error instanceof CoterieError ? error.problem.code : "schema";
    }
    return "none";
  };
  expect(code("kmeans", { cost: 2 })).toBe("bad-option");
  expect(code("kmeans", { learnedMetric: "svm", prior: 2 })).toBe("bad-option");
  expect(code("average-link", { learnedMetric: "rca", distance: "cosine" })).toBe("bad-option");
  expect(code("pck-means", { learnedMetric: "rca", distance: "cosine" })).toBe("bad-option");
  expect(code("average-link", { learnedMetric: "rca", distance: "sqeuclidean" })).toBe("none");
  const given = { ...points, distances: new Float64Array(points.n * points.n) };
  expect(() => run("ward", given as Instances, links, { k: 2, learnedMetric: "rca" })).toThrow(
    "left out when the distances are given",
  );
  for (const name of ["mpck-means", "mk-means", "rca-kmeans", "svm-kmeans", "clusilc"])
    expect(code(name, { learnedMetric: "rca" })).toBe("schema");
});

test("with a learned metric there is only one start", () => {
  const { starts } = findMethod("kmeans")!;
  expect(starts!.count({ k: 2, restarts: 7, init: "random" })).toBe(7);
  expect(starts!.count({ k: 2, restarts: 7, init: "random", learnedMetric: "rca" })).toBe(1);
});

test("what a metric learns from is not ignored", () => {
  const kmeans = findMethod("kmeans")!;
  expect(treatmentsOf(kmeans, { learnedMetric: "rca" })).toMatchObject({ mustLink: "soft", labels: "soft", relative: "ignored" });
  expect(treatmentsOf(kmeans, { learnedMetric: "svm" })).toMatchObject({ mustLink: "ignored", relative: "soft" });
  expect(treatmentsOf(findMethod("recon")!, { learnedMetric: "svm" }).relative).toBe("hard");
});
