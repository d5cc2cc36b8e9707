import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Points } from "../../model/points.js";
import type { Merge } from "../../model/result.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { orderMerges } from "./cut/merges.js";
import { linkages, type MeansLinkage, meansLinkageSteps } from "./linkage.js";

const KINDS = ["ward", "centroid", "median"] as const satisfies readonly MeansLinkage[];

function mergesOf(kind: MeansLinkage, points: Points): readonly Merge[] {
  return orderMerges(drain(meansLinkageSteps(kind, points)), points.n, kind);
}

/** Random tables with clumps of close rows. No two distances are equal. */
const anyTable = fc
  .record({
    n: fc.integer({ min: 1, max: 200 }),
    d: fc.integer({ min: 1, max: 9 }),
    clumps: fc.integer({ min: 1, max: 6 }),
    seed: fc.nat(),
  })
  .map(({ n, d, clumps, seed }) => {
    const random = randomFrom(seed);
    const centres = Array.from({ length: clumps }, () => Array.from({ length: d }, () => 5 * random.normal()));
    return pointsFromRows(Array.from({ length: n }, () => centres[random.int(clumps)]!.map((value) => value + random.normal())));
  });

describe.each(KINDS)("%s linkage over means", (kind) => {
  test("has the merges of the matrix, and its heights but for the last bits", () => {
    fc.assert(
      fc.property(anyTable, (points) => {
        const ours = mergesOf(kind, points);
        const { merges } = linkages[kind](points, undefined, { k: 1 });
        expect(ours.map(([left, right, , size]) => [left, right, size])).toEqual(
          merges.map(([left, right, , size]) => [left, right, size]),
        );
        const apart = ours.map(([, , height], m) => Math.abs(height - merges[m]![2]) / (1 + height));
        expect(Math.max(0, ...apart)).toBeLessThan(1e-9);
      }),
      { numRuns: 12 },
    );
  });

  test("of equal distances takes one that is least: nothing that is left was nearer", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })), { minLength: 2, maxLength: 16 }),
        (rows) => {
          expectLeast(kind, rows, drain(meansLinkageSteps(kind, pointsFromRows(rows.map((row) => [...row])))));
        },
      ),
      { numRuns: 40 },
    );
  });

  test("rows that are all equal, and squares beyond all numbers, end", () => {
    const same = mergesOf(kind, pointsFromRows(Array.from({ length: 3000 }, () => [2, 7])));
    expect(same.every((merge) => merge[2] === 0)).toBe(true);
    const far = mergesOf(kind, pointsFromRows([[1e200], [-1e200], [3e200], [0]]));
    expect(far).toHaveLength(3);
    expect(far.at(-1)![3]).toBe(4);
  });
});

/** Replays the merges on the rows. At each merge, no two other clusters are closer than the two merged clusters. */
function expectLeast(kind: MeansLinkage, rows: readonly (readonly number[])[], raw: Float64Array): void {
  const clusters = new Map(rows.map((row, i) => [i, { mean: [...row], size: 1 }]));
  type Cluster = { mean: number[]; size: number };
  const between = (a: Cluster, b: Cluster) => {
    const square = a.mean.reduce((sum, value, j) => sum + (value - b.mean[j]!) ** 2, 0);
    return Math.sqrt(kind === "ward" ? ((2 * a.size * b.size) / (a.size + b.size)) * square : square);
  };
  for (let m = 0; m < raw.length; m += 3) {
    const [gone, kept] = [clusters.get(raw[m]!)!, clusters.get(raw[m + 1]!)!];
    const live = [...clusters.values()];
    const least = Math.min(...live.flatMap((a, i) => live.slice(i + 1).map((b) => between(a, b))));
    expect(raw[m + 2]).toBeCloseTo(between(gone, kept), 9);
    expect(raw[m + 2]).toBeLessThan(least + 1e-9);
    const share = kind === "median" ? 0.5 : gone.size / (gone.size + kept.size);
    kept.mean = kept.mean.map((value, j) => (1 - share) * value + share * gone.mean[j]!);
    kept.size += gone.size;
    clusters.delete(raw[m]!);
  }
  expect(clusters.size).toBe(1);
}

test("worked example: rows at 0, 1, 5 and 9 on a line", () => {
  const line = pointsFromRows([[0], [1], [5], [9]]);
  // 0 and 1 merge at 1. Ward: the distance from their mean 0.5 to 5 is √(2·2/3)·4.5. So 5 and 9 merge first, at 4. Then the means 0.5 and
  // 7 merge, at √2·6.5.
  expect(mergesOf("ward", line).map((merge) => merge[2])).toEqual([1, 4, Math.sqrt(2 * 6.5 * 6.5)]);
  // Centroid linkage: 5 and 9 merge at 4. Then the means 0.5 and 7 merge, at 6.5.
  expect(mergesOf("centroid", line).map((merge) => merge[2])).toEqual([1, 4, 6.5]);
});

test("Ward of more rows than distances fit in doubles goes by means, and pauses for Ctrl-C", () => {
  const n = 16_400;
  const x = Float64Array.from({ length: n }, (_, i) => (i % 4) * 1000 + i / n);
  const steps = meansLinkageSteps("ward", { n, d: 1, x });
  expect(steps.next().value).toMatchObject({ phase: "merging", done: 0 });
  const { sizes, notices } = linkages.ward({ n, d: 1, x }, undefined, { k: 4 });
  expect([...sizes]).toEqual([4100, 4100, 4100, 4100]);
  expect(notices.join(" ")).not.toContain("single precision");
});
