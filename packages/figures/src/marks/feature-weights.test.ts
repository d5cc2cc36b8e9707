import { pointsFromRows } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { pairs } from "../../../core/src/testing/tuples.js";
import { htmlReport } from "../pages/report-html.js";
import { blobs, malformed, randomFrom, reportOf, times } from "../testing/samples.js";
import { featureWeightsFigure } from "./feature-weights.js";
import { metricMatrixFigure } from "./metric-matrix.js";

const random = randomFrom(3);
const wide = blobs(80, 64, 3, 5);
const diagonal = { kind: "diagonal" as const, matrices: [Array.from({ length: 64 }, (_, j) => 64 - j)] };
const full = (d: number) => {
  const rows = Array.from({ length: d }, () => Array.from({ length: d }, () => random() - 0.5));
  return rows.map((row) => rows.map((other) => row.reduce((sum, value, j) => sum + value * other[j]!, 0)));
};

test("one metric: bars from the largest share down, then how many more", () => {
  const figure = featureWeightsFigure({ metric: diagonal, points: wide.points });
  expect(malformed(figure)).toBeNull();
  const shares = [...figure.matchAll(/>(\d+\.\d)%</g)].map((match) => Number(match[1]));
  expect(shares).toHaveLength(30);
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
  expect(figure).toMatch(/>34 more, together \d+\.\d%</);
  expect(figure).toContain(">all clusters<");
});

test("a metric for each cluster: a panel each, in its colour, twelve columns at most", () => {
  const metric = {
    kind: "diagonal" as const,
    matrices: [1, 2, 3].map((by) => Array.from({ length: 64 }, (_, j) => (j * by) % 7)),
  };
  const figure = featureWeightsFigure({ metric, points: wide.points, names: ["", "birch"], theme: "dark" });
  expect(malformed(figure)).toBeNull();
  expect(times(figure, "52 more, together")).toBe(3);
  expect(figure).toContain(">birch<");
});

test("few columns are all shown, whatever their names hold", () => {
  const points = pointsFromRows(pairs("1 2, 3 1, 2 9"), [
    "<b>",
    "a very long name of a column that cannot be shown in full anywhere",
  ]);
  const figure = featureWeightsFigure({ metric: { kind: "diagonal", matrices: [[4, 1]] }, points });
  expect(malformed(figure)).toBeNull();
  expect(figure).toContain("&lt;b&gt;");
  expect(figure).not.toContain("more, together");
  expect(figure).toMatch(/a very lo[^<]*…[^<]*where</);
});

test("a full metric: a square for each pair, filled above 0 and hollow below, at most 32 columns", () => {
  const metric = { kind: "full" as const, matrices: [full(64)] };
  const figure = metricMatrixFigure({ metric, points: wide.points });
  expect(malformed(figure)).toBeNull();
  expect(figure).toContain("The 32 columns of largest share, of 64.");
  const negative = [...figure.matchAll(/<title>[^<]*: −0\.\d\d<\/title>/g)].length;
  expect(negative).toBeGreaterThan(50);
  expect(times(figure, 'stroke-width="1.2"')).toBe(negative);
});

test("entries just below 0 are drawn as small squares, not as negative ones", () => {
  const points = pointsFromRows(pairs("1 2, 3 1, 2 5"), ["a", "b"]);
  for (const entry of [-0.006, -0.0075, -0.009, -0.02]) {
    const matrix = [
      [1, entry],
      [entry, 1],
    ];
    expect(metricMatrixFigure({ metric: { kind: "full", matrices: [matrix] }, points })).not.toMatch(/(width|height)="-/);
  }
});

test("of very many metrics those of the largest clusters are shown", () => {
  const { points } = blobs(60, 3, 3, 4);
  const matrices = Array.from({ length: 30 }, () => [1, 2, 3]);
  const sizes = matrices.map((_, cluster) => (cluster === 29 ? 9 : 1));
  const drawn = featureWeightsFigure({ metric: { kind: "diagonal", matrices }, points, sizes });
  expect(drawn).toContain("The metrics of the 24 largest of 30 clusters.");
  expect(drawn).toContain(">cluster 29<");
});

test("the page has the weights, as bars and as a table, and the matrix of a full metric", () => {
  const { points, labels } = blobs(30, 3, 3, 4);
  const of = (metric: { kind: "diagonal" | "full"; matrices: readonly unknown[] }) =>
    htmlReport({ report: reportOf(points, labels, { metric }), instances: points });
  const plain = of({ kind: "diagonal", matrices: [[1, 2, 3]] });
  expect(plain).toContain("Weights of the columns");
  expect(plain).toContain("one metric for all clusters");
  expect(plain).not.toContain("The whole matrix");
  const many = of({ kind: "full", matrices: [full(3), full(3), full(3)] });
  expect(many).toContain("3 metrics, one for each cluster");
  expect(many).toContain("The whole matrix");
});

test("the page has tree and rules", () => {
  const { points, labels } = blobs(30, 3, 3, 4);
  const tree = {
    leaves: 2,
    root: { test: { column: "f0", above: 1 }, size: 30, yes: { cluster: 0, size: 10 }, no: { cluster: 1, size: 20 } },
  };
  const page = htmlReport({ report: reportOf(points, labels, { tree, rules: ["f0 > 1", "f0 ≤ 1"] }), instances: points });
  expect(page).toContain("2 leaves; yes above, no below");
  expect(page).toContain("f0 ≤ 1");
});

test("names that fit beside a matrix stand in full", () => {
  const points = pointsFromRows(pairs("1 2, 3 1, 2 5"), ["sepal_length", "id"]);
  const figure = metricMatrixFigure({ metric: { kind: "full", matrices: [full(2), full(2)] }, points });
  expect(figure).not.toContain("…");
});
