import { type Instances, mapPoints, pointsFromRows, type Report, type RunInRows, randomFrom } from "@coterie/core/internal";
import { comparisonOf, principalComponents } from "@coterie/core/layout";
import { describe, expect, test } from "vitest";
import { pairs, tuples } from "../../../core/src/testing/tuples.js";
import { scatterFigure } from "../marks/scatter.js";
import { htmlReport } from "../pages/report-html.js";
import { blobs, reportOf } from "../testing/samples.js";
import { meanDistances } from "./notable-clusters.js";

const { points, labels } = blobs(60, 4, 3, 5);
const mixed: Instances = {
  ...pointsFromRows(
    Array.from({ length: 60 }, (_, i) => [points.x[4 * i]!, i % 3, points.x[4 * i + 1]!]),
    ["size", "kind", "weight"],
  ),
  nominal: Uint8Array.of(0, 1, 0),
  levels: [null, ["oak", "ash", "elm"], null],
};

const run = (more: Partial<RunInRows> & Partial<Pick<Report, "options">>) => ({ ...reportOf(points, labels), ...more });
const pageOf = (instances: Instances, more: Partial<RunInRows>) =>
  htmlReport({ report: { ...reportOf(instances, labels), ...more }, instances });

/** A full metric A = RᵀR from a random R, as a report has it, and R. */
function fullMetric(d: number): { matrix: number[][]; root: Float64Array } {
  const random = randomFrom(8);
  const root = Float64Array.from({ length: d * d }, () => random.normal());
  const entry = (i: number, j: number) =>
    Array.from({ length: d }, (_, m) => root[m * d + i]! * root[m * d + j]!).reduce((a, b) => a + b);
  return { matrix: Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, j) => entry(i, j))), root };
}

/** Equal up to the sign of each axis, which is fixed by the columns and not by the mapped ones. */
function sameScores(found: Float64Array, expected: Float64Array): void {
  for (const axis of [0, 1]) {
    const own = found.filter((_, at) => at % 2 === axis);
    const other = expected.filter((_, at) => at % 2 === axis);
    const sign = Math.sign(own.reduce((sum, value, i) => sum + value * other[i]!, 0));
    own.forEach((value, i) => {
      expect(value).toBeCloseTo(sign * other[i]!, 8);
    });
  }
}

describe("what the map draws is what the method saw", () => {
  test("a full metric: the components of the mapped rows", () => {
    const { matrix, root } = fullMetric(4);
    const seen = comparisonOf(run({ algorithm: "mpck-means", metric: { kind: "full", matrices: [matrix] } }), points);
    const mapped = mapPoints(points, { kind: "full", maps: [root], logDets: new Float64Array(1) });
    const [found, expected] = [principalComponents(points, 2, seen.view), principalComponents(mapped)];
    sameScores(found.scores, expected.scores);
    expect(found.share[0]).toBeCloseTo(expected.share[0]!, 9);
  });

  test("a metric that does not see a direction", () => {
    const flat = [
      [1, 1, 0, 0],
      [1, 1, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 4],
    ];
    const seen = comparisonOf(run({ metric: { kind: "full", matrices: [flat] } }), points);
    const root = Float64Array.of(1, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    const mapped = mapPoints(points, { kind: "full", maps: [root], logDets: new Float64Array(1) });
    sameScores(principalComponents(points, 2, seen.view).scores, principalComponents(mapped).scores);
  });

  test("weights, and the mean of several by the rows of their clusters; nominal columns by all their levels", () => {
    const sizes = [30, 20, 10];
    const matrices = [
      [1, 2, 3, 4, 5],
      [6, 6, 6, 6, 6],
      [0, 0, 0, 12, 0],
    ];
    const report = run({ sizes, metric: { kind: "diagonal", matrices } });
    const mean = [2.5, 3, 3.5, 6, 4.5];
    const { root } = comparisonOf(report, mixed).view!;
    expect([...root!.into(new Float64Array(5).fill(1))].map((value) => value ** 2)).toEqual(
      mean.map((value) => expect.closeTo(value, 9)),
    );
    expect(principalComponents(mixed, 2, { root: root! }).columns).toHaveLength(5);
    expect(pageOf(mixed, { metric: { kind: "diagonal", matrices } })).toContain("PC 1 under the mean of the learned metrics");
  });

  test("the cosine: directions; a row and twice that row are at one place", () => {
    const rows = pointsFromRows(tuples("1 2 2, 2 4 4, 3 0 1, 0 0 0"));
    for (const algorithm of ["average-link", "mpck-means", "spreading"]) {
      const { view } = comparisonOf(run({ algorithm, options: { distance: "cosine" } }), rows);
      const { scores } = principalComponents(rows, 2, view);
      expect(scores[0]).toBeCloseTo(scores[2]!, 12);
      expect(scores[1]).toBeCloseTo(scores[3]!, 12);
    }
  });

  test.each([
    ["ccl", mixed, {}, "60 rows, by Gower’s distance", "Gower’s distance, axis 1: "],
    ["spreading", mixed, {}, "60 rows, by Gower’s distance", "Gower’s distance, axis 2: "],
    ["ward", mixed, {}, "60 rows<", "PC 1, "],
    ["ccl", mixed, { linkage: "ward" }, "60 rows<", "PC 1, "],
    ["kmeans", mixed, {}, "60 rows<", "PC 1, "],
    ["ccl", points, { distance: "hamming" }, "by Hamming’s distance", "Hamming’s distance, axis 1: "],
    ["complete-link", points, { distance: "cosine" }, "by the direction of rows", "PC 1 of directions, "],
    ["complete-link", points, { distance: "sqeuclidean" }, "60 rows<", "PC 1, "],
    ["complete-link", points, {}, "60 rows<", "PC 1, "],
  ] as const)("%s: the page says so (%#)", (algorithm, instances, options, aside, axis) => {
    const page = pageOf(instances, { algorithm, options });
    expect(page).toContain(aside);
    expect(page).toContain(axis);
  });

  test("given distances, although there are columns", () => {
    const given = { ...points, distances: Float64Array.from({ length: 1770 }, (_, p) => 1 + (p % 7)) };
    expect(pageOf(given, { algorithm: "ccl" })).toContain("by the distances that were given");
    expect(pageOf(given, { algorithm: "ccl" })).toContain("given distances, axis 1: ");
  });

  test("a metric of other columns is refused, with a sentence", () => {
    expect(() => pageOf(points, { metric: { kind: "diagonal", matrices: [[1, 2]] } })).toThrow(/2 numbers, not 4/);
  });

  test("two number columns are no axes under a metric", () => {
    const two = pointsFromRows(pairs("0 5, 1 9, 4 6"), ["width", "height"]);
    const seen = comparisonOf(run({ metric: { kind: "diagonal", matrices: [[1, 100]] } }), two);
    const drawn = scatterFigure({ points: two, labels: [0, 0, 1], seen });
    expect(drawn).toContain("PC 1 under the learned metric, ");
    expect(drawn).toContain("of the spread: height");
    expect(drawn).toContain("Rows are drawn by the learned metric");
  });
});

test("mean distances are those that the method saw; a cluster of one row has none", () => {
  const rows = pointsFromRows(pairs("0 0, 3 4, 6 8, 9 9"));
  const of = Int32Array.of(0, 0, 0, 1);
  expect([...meanDistances(rows, of, 2)]).toEqual([expect.closeTo(20 / 3, 12), 0]);
  const seen = comparisonOf(run({ metric: { kind: "diagonal", matrices: [[1, 0]] } }), rows);
  expect([...meanDistances(rows, of, 2, seen)]).toEqual([expect.closeTo(4, 12), 0]);
  const gower = comparisonOf(run({ algorithm: "ccl", options: { distance: "gower" } }), rows);
  expect(meanDistances(rows, of, 2, gower)[0]).toBeCloseTo(((3 / 9 + 4 / 9) / 2) * (4 / 3), 12);
});

test("very many rows of many columns: the axes come from a sample, and the map says so", () => {
  const wide = blobs(12_000, 320, 3, 2);
  const { sampled, scores } = principalComponents(wide.points);
  expect(sampled).toBeLessThan(12_000);
  expect(sampled).toBeGreaterThanOrEqual(2000);
  expect(scores).toHaveLength(24_000);
  expect(scatterFigure(wide)).toMatch(/The axes are those of an even sample of [\d,]+ rows\./);
});

test("texts are drawn by how alike they are, also without a run: equal words are near, and no text has a place of its own", () => {
  const texts = [
    "late parcel from york",
    "late parcel from leeds",
    "parcel late from bath",
    "card charged twice",
    "card charged again",
  ];
  const points: Instances = {
    ...pointsFromRows(
      texts.map((_, i) => [i]),
      ["text"],
    ),
    nominal: Uint8Array.of(1),
    levels: [texts],
    texts: Uint8Array.of(1),
  };
  const seen = comparisonOf(run({ algorithm: "kmeans" }), points);
  expect(seen.between!(0, 1)).toBeLessThan(seen.between!(0, 3));
  expect(scatterFigure({ points, labels: [0, 0, 0, 1, 1] })).toContain("Gower");
});
