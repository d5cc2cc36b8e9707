import { pointsFromRows } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { clusterSizesFigure } from "../marks/cluster-sizes.js";
import { featureMeansFigure } from "../marks/feature-means.js";
import { historyFigure } from "../marks/history.js";
import { blobs, group, malformed, times } from "../testing/samples.js";
import { type NumericProfile, profiles } from "./profile.js";

const points = {
  ...pointsFromRows(
    [
      [-1, 5, 0, 7],
      [-1, 5, 0, 7],
      [1, 5, 1, 8],
      [1, 5, 0, 6],
      [40, 9, 1, 0],
    ],
    ["length", "constant", "site", "noise"],
  ),
  nominal: Uint8Array.of(0, 0, 1, 0),
  levels: [null, null, ["north", "south"], null],
  scaling: { offset: [10, 0, 0, 0], factor: [2, 1, 1, 1] },
};
const labels = Int32Array.of(0, 0, 1, 1, -1);

test("means, deviations and shares by hand, in original units, without the row that has no cluster", () => {
  const found = profiles(points, labels, 2);
  expect(found.map((profile) => profile.name)).toEqual(["length", "site", "constant", "noise"]);
  const [length, site, constant, noise] = found as [NumericProfile, (typeof found)[1], NumericProfile, NumericProfile];
  expect(length).toMatchObject({ means: [8, 12], mean: 10, deviation: 2, low: 8, high: 12, tellsApart: 1 });
  expect(constant).toMatchObject({ means: [5, 5], deviation: 0, tellsApart: 0 });
  expect(noise).toMatchObject({ means: [7, 7], mean: 7, tellsApart: 0 });
  expect(site).toMatchObject({
    kind: "nominal",
    common: [
      { level: "north", share: 1 },
      { level: "north", share: 0.5 },
    ],
  });
  expect(site.tellsApart).toBeCloseTo(1 - 0.25 / 0.375, 14);
});

test("feature means: one mark for each cluster and column that separates, with the values", () => {
  const drawn = featureMeansFigure({ points, labels });
  expect(malformed(drawn)).toBeNull();
  expect(times(group(drawn, "cluster 0"), "<circle")).toBe(2);
  expect(times(group(drawn, "cluster 1"), "<path")).toBe(2);
  for (const text of [">8.0<", ">12.0<", "north", "8 to 12"]) expect(drawn).toContain(text);
  expect(drawn).not.toMatch(/NaN|Infinity|undefined/);
});

test("feature means are bounded in columns and clusters, and say so", () => {
  const { points: wide } = blobs(300, 90, 3);
  const drawn = featureMeansFigure({ points: wide, labels: Int32Array.from({ length: 300 }, (_, i) => (i < 100 ? i : i % 20)) });
  expect(drawn).toContain("The 40 columns with the highest separation, of 90.");
  expect(drawn).toContain("The 12 largest of 100 clusters.");
  expect([...drawn.matchAll(/aria-label="cluster (\d+)"/g)].map((match) => Number(match[1]))).toEqual([...Array(12).keys()]);
});

test("sizes: a bar each, as long as its share of the largest", () => {
  const drawn = clusterSizesFigure({ sizes: [30, 15], none: 5, names: ["<b>"] });
  expect(malformed(drawn)).toBeNull();
  const widths = [...drawn.matchAll(/<g aria-label="size"[^>]*><rect[^>]* width="([\d.]+)"/g)].map((match) => Number(match[1]));
  expect(widths).toHaveLength(3);
  expect(widths[1]! / widths[0]!).toBeCloseTo(0.5, 2);
  expect(drawn).toContain(">&lt;b&gt;</text>");
  expect(drawn).toContain("60.0%");
});

test("history: a line over the iterations; one value, none and null are no trouble", () => {
  const drawn = historyFigure({ history: [10, 6, null, 5] });
  expect(malformed(drawn)).toBeNull();
  expect(times(group(drawn, "dot"), "<circle")).toBe(3);
  for (const history of [[4], [], [null]]) {
    const odd = historyFigure({ history });
    expect(malformed(odd)).toBeNull();
    expect(odd).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test("cells that are missing, or were filled, are left out and counted", () => {
  const holed = {
    ...pointsFromRows([
      [1, 0, Number.NaN],
      [3, 1, Number.NaN],
      [100, 1, Number.NaN],
      [9, Number.NaN, Number.NaN],
    ]),
    nominal: Uint8Array.of(0, 1, 0),
    levels: [null, ["a", "b"], null],
    filledRows: [Int32Array.of(2), Int32Array.of(2), Int32Array.of()],
  };
  const [number, level, nothing] = profiles(holed, Int32Array.of(0, 0, 0, 1), 2).sort((a, b) => a.column - b.column);
  expect(number).toMatchObject({ missing: 1, means: [2, 9], low: 1, high: 9 });
  expect(level).toMatchObject({ missing: 2, common: [{ level: "a", share: 0.5 }, null] });
  expect(nothing).toMatchObject({ missing: 4, tellsApart: 0, means: [Number.NaN, Number.NaN] });
});
