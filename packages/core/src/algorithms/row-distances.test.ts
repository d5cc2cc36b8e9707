import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyConstraints } from "../constraints/index.js";
import { distanceBetween } from "../kernels/pairs.js";
import type { Instances } from "../model/points.js";
import { tuples } from "../testing/tuples.js";
import { distancesOf } from "./distance-between.js";
import { ccl } from "./hierarchical/ccl/index.js";
import { density } from "./hierarchical/density/index.js";
import { averageLink, ward } from "./hierarchical/linkage.js";
import { recon } from "./hierarchical/recon/index.js";
import { kmeans } from "./partition/kmeans.js";
import { distanceHere } from "./row-distances.js";
import { clusilc } from "./tree/clusilc.js";

const _ = Number.NaN;

function pointsOf(rows: readonly (readonly number[])[], more: Partial<Instances> = {}): Instances {
  return { n: rows.length, d: rows[0]!.length, x: Float64Array.from(rows.flat()), ...more };
}

describe("worked by hand", () => {
  test("Gower: the mean over the columns that both rows have", () => {
    const points = pointsOf(
      [
        [0, 0, 10],
        [_, 1, 20],
        [4, _, 30],
        [2, 1, _],
      ],
      { nominal: Uint8Array.of(0, 1, 0), holes: true },
    );
    const between = distanceHere(points, "gower");
    expect(between(0, 1)).toBeCloseTo((1 + 0.5) / 2, 15);
    expect(between(0, 2)).toBeCloseTo((1 + 1) / 2, 15);
    expect(between(0, 3)).toBeCloseTo((0.5 + 1) / 2, 15);
    expect(between(1, 2)).toBeCloseTo(0.5, 15);
    expect(between(1, 1)).toBe(0);
  });

  test("Euclid: missing columns count like the shared ones; rows without a common column get the largest distance", () => {
    const points = pointsOf(
      [
        [0, 0],
        [3, _],
        [_, 4],
        [3, 4],
      ],
      { holes: true },
    );
    const between = distanceHere(points, "euclidean");
    expect(between(0, 1)).toBeCloseTo(Math.sqrt(2 * 9), 14);
    expect(between(0, 3)).toBe(5);
    expect(between(1, 2)).toBe(5);
    expect(distanceHere(points, "sqeuclidean")(0, 2)).toBe(32);
  });

  test("a column of weight 2 equals the column given twice", () => {
    const nominal = Uint8Array.of(1, 0, 1);
    const rows = tuples("0 1 2, 1 3 2, 0 9 0");
    const twice = rows.map(([a, b, c]) => [a!, a!, b!, c!]);
    const weighted = pointsOf(rows, { nominal, weights: Float64Array.of(2, 1, 1) });
    const doubled = pointsOf(twice, { nominal: Uint8Array.of(1, 1, 0, 1) });
    for (const [i, j] of tuples("0 1, 0 2, 1 2")) {
      expect(distancesOf(weighted, undefined).between(i, j)).toBeCloseTo(distancesOf(doubled, undefined).between(i, j), 15);
      expect(distancesOf(weighted, "hamming").between(i, j)).toBe(distancesOf(doubled, "hamming").between(i, j));
    }
  });
});

test("without missing cells and weights it equals the kernels' distance", () => {
  const value = fc.integer({ min: -20, max: 20 });
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value, fc.nat(2)), { minLength: 2, maxLength: 8 }), (rows) => {
      const plain = pointsOf(rows, { nominal: Uint8Array.of(0, 0, 1) });
      const ranges = Float64Array.from(
        [0, 1],
        (f) => Math.max(...rows.map((row) => row[f]!)) - Math.min(...rows.map((row) => row[f]!)),
      );
      for (const metric of ["gower", "hamming", "euclidean", "sqeuclidean"] as const) {
        const kernel = distanceBetween(metric, plain.x, plain.n, 3, Float64Array.of(...ranges, -1));
        const here = distanceHere({ ...plain, holes: true }, metric);
        for (let i = 0; i < plain.n; i++)
          for (let j = 0; j < plain.n; j++) expect(Math.abs(here(i, j) - kernel(i, j))).toBeLessThanOrEqual(1e-12);
      }
    }),
    { numRuns: 60 },
  );
});

describe("methods and missing cells", () => {
  const rows = Array.from({ length: 12 }, (__, i) => [i < 6 ? i : 50 + i, i % 5 === 0 ? _ : i < 6 ? 1 : 90]);
  const points = pointsOf(rows, { holes: true });
  const cannot = {
    ...emptyConstraints(12),
    cannotLinks: { a: Int32Array.of(0), b: Int32Array.of(1), weight: Float64Array.of(1) },
  };
  const halves = rows.map((__, i) => (i < 6 ? 0 : 1));

  test("methods that use only distances skip them", () => {
    expect([...averageLink(points, undefined, { k: 2 }).labels]).toEqual(halves);
    expect([...ccl(points, undefined, { k: 2 }).labels]).toEqual(halves);
    expect([...recon(points, undefined, { k: 2, linkage: "average" }).labels]).toEqual(halves);
    const apart = ccl(points, cannot, { k: 3 }).labels;
    expect(apart[0]).not.toBe(apart[1]);
  });

  test("methods that need means or tests refuse them", () => {
    const sentence = "Methods that only use distances can skip missing cells";
    expect(() => kmeans(points, undefined, { k: 2 })).toThrow(sentence);
    expect(() => ward(points, undefined, { k: 2 })).toThrow(sentence);
    expect(() => clusilc(points, undefined, { k: 2 })).toThrow(sentence);
    expect(() => averageLink(points, undefined, { k: 2, distance: "cosine" })).toThrow("The cosine of rows with missing cells");
  });
});

test("k-means: a row of weight w is w rows; equal weights change nothing", () => {
  const rows = [[0], [1], [2], [10], [11], [30]];
  const weights = [3, 1, 2, 1, 4, 1];
  const repeated = rows.flatMap((row, i) => Array.from({ length: weights[i]! }, () => row));
  const init = [[0], [12]];
  const weighted = kmeans(pointsOf(rows, { rowWeights: Float64Array.from(weights) }), undefined, { k: 2, init });
  const many = kmeans(pointsOf(repeated), undefined, { k: 2, init });
  expect(weighted.centres!.map((centre) => centre[0]!)).toEqual(many.centres!.map((centre) => expect.closeTo(centre[0]!, 12)));
  expect(weighted.objective).toBeCloseTo(many.objective!, 10);
  const even = kmeans(pointsOf(rows, { rowWeights: new Float64Array(6).fill(2) }), undefined, { k: 2 });
  const plain = kmeans(pointsOf(rows), undefined, { k: 2 });
  expect(even.labels).toEqual(plain.labels);
  expect(even.objective).toBeCloseTo(2 * plain.objective!, 10);
});

describe("distances that are only a convention are reported", () => {
  const cosine = pointsOf([
    [1, 2],
    [0, 0],
    [2, 1],
    [0, 0],
  ]);
  const zeros = "2 rows are all zero and have no direction. The cosine distance from such a row to any other is taken as 1.";

  test("rows of zeros under the cosine, in every hierarchy and in question strategies", () => {
    const options = { k: 2, distance: "cosine" } as const;
    for (const method of [averageLink, ccl, density])
      expect(method(cosine, undefined, options).notices, method.name).toContain(zeros);
    expect(recon(cosine, undefined, { ...options, linkage: "average" }).notices).toContain(zeros);
    expect(distancesOf(cosine, "cosine").notices).toContain(zeros);
    expect(distancesOf(cosine, "euclidean").notices).toEqual([]);
  });

  test("counts the pairs of rows without a common column, as comparing all pairs does", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.boolean(), { minLength: 35, maxLength: 35 }), { minLength: 2, maxLength: 12 }), (full) => {
        // Most cells are missing, so that some rows share no column.
        const there = full.map((row, i) => row.map((cell, j) => cell && (i * 5 + j) % 7 < 2));
        const points = pointsOf(
          there.map((row) => row.map((cell, j) => (cell ? j : _))),
          { holes: true },
        );
        let pairs = 0;
        there.forEach((a, i) => {
          for (const b of there.slice(i + 1)) if (!a.some((cell, j) => cell && b[j])) pairs++;
        });
        const [notice] = distancesOf(points, undefined).notices;
        if (pairs === 0) return expect(notice).toBeUndefined();
        expect(notice).toMatch(new RegExp(`^${pairs} pairs? of rows ha`));
      }),
    );
  });

  test("the notice names the distance of such pairs", () => {
    const apart = pointsOf([[1, _], [_, 2], [3, 4]], { holes: true }); // biome-ignore format: a table
    expect(averageLink(apart, undefined, { k: 2 }).notices).toContain(
      "1 pair of rows has no column in which both have a value: the distance is taken to be the largest possible.",
    );
  });
});

test("recon skips missing cells and accepts other distances, without the option linkage", () => {
  const rows = [[1, 2], [2, _], [8, 9], [_, 8]]; // biome-ignore format: a table
  const skipped = recon(pointsOf(rows, { holes: true }), undefined, { k: 2 });
  expect([...skipped.labels]).toEqual([0, 0, 1, 1]);
  expect(skipped.notices).toContain("Rows with missing cells have no means: the linkage is average, not centroid.");
  const points = pointsOf([[1, 2], [2, 4], [9, 1], [8, 1]]); // biome-ignore format: a table
  const cosine = recon(points, undefined, { k: 2, distance: "cosine" });
  expect([...cosine.labels]).toEqual([0, 0, 1, 1]);
  expect(cosine.notices).toContain('Under the distance "cosine" rows have no means: the linkage is average, not centroid.');
  expect(() => recon(points, undefined, { k: 2, distance: "cosine", linkage: "centroid" })).toThrow("with centroid linkage");
  expect(recon(points, undefined, { k: 2 }).merges).toEqual(recon(points, undefined, { k: 2, linkage: "centroid" }).merges);
});
