import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainKernels } from "../kernels/index.js";
import { randomFrom } from "../random/index.js";
import { pointsFromRows } from "../rows.js";
import { drain } from "../steps/index.js";
import { internalScoreSteps } from "./internal-scores.js";

const scoresOf = (rows: readonly number[][], labels: readonly number[], work?: number) =>
  drain(internalScoreSteps(pointsFromRows(rows), Int32Array.from(labels), plainKernels, work));

/** The three scores by their definitions. */
function plainScores(rows: readonly number[][], labels: readonly number[]) {
  const distance = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((value, j) => value - b[j]!));
  const names = [...new Set(labels)];
  const members = names.map((name) => rows.filter((_, i) => labels[i] === name));
  const means = members.map((list) => list[0]!.map((_, j) => list.reduce((sum, row) => sum + row[j]!, 0) / list.length));
  const widths = rows.map((row, i) => {
    const own = names.indexOf(labels[i]!);
    if (members[own]!.length === 1) return 0;
    const meanTo = (c: number) =>
      members[c]!.reduce((sum, other) => sum + distance(row, other), 0) / (members[c]!.length - (c === own ? 1 : 0));
    const a = meanTo(own);
    const b = Math.min(...names.map((_, c) => (c === own ? Infinity : meanTo(c))));
    return Math.max(a, b) === 0 ? 0 : (b - a) / Math.max(a, b);
  });
  const spread = members.map((list, c) => list.reduce((sum, row) => sum + distance(row, means[c]!), 0) / list.length);
  const worst = names.map((_, c) =>
    Math.max(...names.map((__, e) => (c === e ? -Infinity : (spread[c]! + spread[e]!) / distance(means[c]!, means[e]!)))),
  );
  const all = rows[0]!.map((_, j) => rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length);
  const between = members.reduce((sum, list, c) => sum + list.length * distance(means[c]!, all) ** 2, 0);
  const within = members.reduce((sum, list, c) => sum + list.reduce((s, row) => s + distance(row, means[c]!) ** 2, 0), 0);
  return {
    silhouette: widths.reduce((sum, width) => sum + width, 0) / rows.length,
    daviesBouldin: worst.reduce((sum, value) => sum + value, 0) / names.length,
    calinskiHarabasz: between / (names.length - 1) / (within / (rows.length - names.length)),
  };
}

describe("scores that need no known classes", () => {
  test("worked by hand: 0 1 | 10 11", () => {
    const { silhouette, daviesBouldin, calinskiHarabasz } = scoresOf([[0], [1], [10], [11]], [0, 0, 1, 1]);
    // The outer rows: (10.5 - 1) / 10.5; the inner ones: (9.5 - 1) / 9.5.
    expect(silhouette).toBeCloseTo((9.5 / 10.5 + 8.5 / 9.5) / 2, 12);
    expect(daviesBouldin).toBeCloseTo((0.5 + 0.5) / 10, 12);
    expect(calinskiHarabasz).toBeCloseTo(100 / (1 / 2), 12);
  });

  test("are those of the definitions", () => {
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const random = randomFrom(seed);
        const rows = Array.from({ length: 8 + random.int(20) }, () => [random.normal(), 3 * random.normal()]);
        const labels = rows.map((_, i) => (i < 3 ? i : random.int(3)));
        const found = scoresOf(rows, labels);
        for (const [name, value] of Object.entries(plainScores(rows, labels)))
          expect(found[name as "silhouette"]).toBeCloseTo(value, 8);
      }),
      { numRuns: 100 },
    );
  });

  test("noise rows count for nothing; one cluster has no scores", () => {
    expect(scoresOf([[0], [1], [10], [11], [500]], [0, 0, 1, 1, -1])).toEqual(scoresOf([[0], [1], [10], [11]], [0, 0, 1, 1]));
    expect(scoresOf([[0], [1], [2]], [0, 0, 0])).toEqual({ silhouette: null, daviesBouldin: null, calinskiHarabasz: null });
  });

  test("with a limit on the work the silhouette is that of a sample, and says so", () => {
    const random = randomFrom(8);
    const rows = Array.from({ length: 3000 }, (_, i) => [10 * (i % 2) + random.normal()]);
    const labels = rows.map((_, i) => i % 2);
    const exact = scoresOf(rows, labels);
    const sampled = scoresOf(rows, labels, 1e6);
    expect(exact.sampled).toBeUndefined();
    expect(sampled.sampled).toBe(1000);
    expect(sampled.silhouette).toBeCloseTo(exact.silhouette!, 1);
    expect(sampled.daviesBouldin).toBe(exact.daviesBouldin);
  });
});
