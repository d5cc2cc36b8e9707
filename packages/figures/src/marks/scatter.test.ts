import { pointsFromRows, type Violations } from "@coterie/core/internal";
import { describe, expect, test } from "vitest";
import { pairs, tuples } from "../../../core/src/testing/tuples.js";
import { linkStrength, NO_VIOLATIONS } from "../layout/constraint-links.js";
import { blobs, constraintSet, group, malformed, randomFrom, times } from "../testing/samples.js";
import { scatterFigure } from "./scatter.js";

const small = {
  points: {
    ...pointsFromRows(pairs("0 0, 1 0.5, 0.5 1, 5 5, 6 5.5, 5.5 6.5, 9 0, 9.5 1"), ["width", "height"]),
    ids: "abcdefgh".split(""),
  },
  labels: Int32Array.of(0, 0, 0, 1, 1, 1, 2, 2),
  constraints: constraintSet(8, {
    mustLink: [
      [0, 1],
      [2, 3],
    ],
    cannotLink: [
      [0, 3],
      [4, 5],
      [1, 6],
    ],
    relative: [[0, 2, 7]],
    labels: [[6, 0]],
  }),
  violations: { ...NO_VIOLATIONS, mustLink: [[2, 3]], cannotLink: [[4, 5]] } satisfies Violations,
};

describe("a small map", () => {
  const drawn = scatterFigure(small);

  test("is the golden picture", async () => {
    await expect(drawn).toMatchFileSnapshot("goldens/scatter-small.svg");
  });

  test("is the same bytes each time, and well formed", () => {
    expect(scatterFigure(small)).toBe(drawn);
    expect(malformed(drawn)).toBeNull();
  });

  test("has a mark for every row, in one group per cluster and kind", () => {
    expect(times(group(drawn, "cluster 0, with constraints"), "<circle")).toBe(3);
    expect(times(group(drawn, "cluster 1, with constraints"), "<path")).toBe(3);
    expect(times(group(drawn, "cluster 2, with constraints"), "<path")).toBe(2);
    expect(drawn).not.toContain('aria-label="cluster 0"');
  });

  test("draws kept must-links solid, cannot-links dashed, relative ones dotted to the odd one out", () => {
    expect(times(group(drawn, "must-link"), "<path")).toBe(1);
    expect(times(group(drawn, "cannot-link"), "<path")).toBe(2);
    expect(times(group(drawn, "relative"), "<path")).toBe(2);
    expect(/<g aria-label="must-link"[^>]*>/.exec(drawn)![0]).not.toContain("dash");
    expect(/<g aria-label="cannot-link"[^>]*>/.exec(drawn)![0]).toContain('stroke-dasharray="5 3.5"');
    expect(/<g aria-label="relative"[^>]*>/.exec(drawn)![0]).toContain('stroke-dasharray="0.1 3.5"');
  });

  test("draws broken ones red, with halo, rings and words, after everything else", () => {
    expect(times(group(drawn, "broken must-link"), "<path")).toBe(1);
    expect(times(group(drawn, "broken cannot-link"), "<path")).toBe(1);
    expect(/<g aria-label="broken cannot-link"[^>]*>/.exec(drawn)![0]).toMatch(/stroke="#c4122f".*stroke-dasharray/);
    expect(times(group(drawn, "halo"), "<path")).toBe(2);
    expect(times(group(drawn, "ring"), "<circle")).toBe(4);
    expect(drawn).toContain("2 of 7 broken");
    expect(drawn.indexOf('aria-label="halo"')).toBeGreaterThan(drawn.lastIndexOf('with constraints"'));
  });

  test("has a description for screen readers", () => {
    expect(drawn).toContain("<title>Map of 8 rows in 3 clusters</title>");
    expect(drawn).toContain("0 with 3 rows, 1 with 3 rows, 2 with 2 rows. 2 of 7 constraints broken.");
  });
});

test("lines of kept constraints fade as they become many; broken ones do not", () => {
  const strengths = [1, 30, 31, 120, 500, 2000, 100_000].map((count) => linkStrength(count, 30));
  expect(strengths.slice(0, 2)).toEqual([1, 1]);
  strengths.slice(2).forEach((strength, at) => {
    expect(strength).toBeLessThanOrEqual(strengths[at + 1]!);
  });
  expect(strengths[3]).toBeCloseTo(0.5, 9);
  expect(strengths.at(-1)).toBeGreaterThan(0);
  const { points, labels } = blobs(500, 2, 2);
  const pairs = Array.from({ length: 480 }, (_, i) => [i, i + 17] as const);
  const drawn = scatterFigure({
    points,
    labels,
    constraints: constraintSet(500, { cannotLink: pairs }),
    violations: { ...NO_VIOLATIONS, cannotLink: pairs.slice(0, 3) },
  });
  expect(/<g aria-label="cannot-link"[^>]*stroke-opacity="([\d.]+)"/.exec(drawn)![1]).toBe(
    (0.42 * linkStrength(477, 30)).toFixed(3),
  );
  expect(/<g aria-label="broken cannot-link"[^>]*>/.exec(drawn)![0]).not.toContain("stroke-opacity");
});

test("themes: plain colours when fixed, variables when the reader decides, nothing from the net", () => {
  const light = scatterFigure(small);
  const dark = scatterFigure({ ...small, theme: "dark" });
  const auto = scatterFigure({ ...small, theme: "auto" });
  expect(light).toContain("#2563c9");
  expect(light).not.toContain("var(");
  expect(dark).toContain("#6aa5ff");
  expect(dark).not.toContain("#2563c9");
  expect(auto).toContain("prefers-color-scheme:dark");
  for (const svg of [light, dark, auto]) expect(svg.match(/https?:[^"]*/g)).toEqual(["http://www.w3.org/2000/svg"]);
  expect(scatterFigure({ ...small, theme: "inherit" })).not.toContain("http");
});

test("without constraints there is no key and no red", () => {
  const drawn = scatterFigure({ points: small.points, labels: small.labels });
  expect(times(group(drawn, "cluster 0"), "<circle")).toBe(3);
  expect(drawn).not.toMatch(/#c4122f|-link|broken/);
});

test("rows without a cluster are hollow and counted", () => {
  const drawn = scatterFigure({ points: small.points, labels: Int32Array.of(0, 0, 0, 1, 1, 1, -1, -1) });
  expect(/<g aria-label="cluster –"[^>]*>/.exec(drawn)![0]).toContain('fill="#ffffff"');
  expect(drawn).toContain("2 rows in no cluster");
});

test("a broken label and a shared exclusive group ring their rows", () => {
  const violations: Violations = {
    ...NO_VIOLATIONS,
    labels: [[6, "x"]],
    exclusive: [{ column: "s", value: "1", cluster: 0, rows: [0, 1] }],
  };
  const drawn = scatterFigure({ ...small, violations });
  expect(times(group(drawn, "ring"), "<circle")).toBe(3);
  expect(drawn).toContain("2 of 7 broken");
});

test("two number columns are the axes as they are; three are turned into components", () => {
  const two = scatterFigure({
    points: pointsFromRows(pairs("0 5, 1 9, 4 6"), ["width", "height"]),
    labels: [0, 0, 1],
  });
  expect(two).toContain("Rows by width and height.");
  expect(two).not.toContain("PC 1");
  const three = scatterFigure({
    points: pointsFromRows(tuples("0 5 1, 1 9 2, 4 6 9")),
    labels: [0, 0, 1],
  });
  expect(three).toContain("PC 1");
  const still = scatterFigure({
    points: pointsFromRows(pairs("0 5, 0 9, 0 6"), ["width", "height"]),
    labels: [0, 0, 1],
  });
  expect(still).toContain("of the spread: height");
});

test("one column becomes a strip named after it; its second axis has no ticks", () => {
  const { points, labels } = blobs(40, 1, 2);
  const drawn = scatterFigure({ points, labels });
  expect(drawn).toContain("f0 →");
  expect(drawn).not.toContain("PC 2");
  expect(drawn).not.toContain("y-axis");
});

test.each([
  ["no row", 0, 2],
  ["one row", 1, 3],
  ["two equal rows", 2, 2],
])("%s is drawn without a fuss", (_, n, d) => {
  const drawn = scatterFigure({ points: { n, d, x: new Float64Array(n * d) }, labels: new Int32Array(n) });
  expect(malformed(drawn)).toBeNull();
  expect(drawn).not.toMatch(/NaN|Infinity|undefined/);
  expect(times(group(drawn, "cluster 0"), "<circle")).toBe(n);
});

test("from the ninth cluster on a colour returns with another shape, and 64 looks serve any number of clusters", () => {
  const { points } = blobs(3000, 2, 1);
  const labels = Int32Array.from({ length: 3000 }, (_, i) => i % 1500);
  const drawn = scatterFigure({ points, labels });
  const shape = (cluster: number) => / d="([^"]*)"/.exec(group(drawn, `cluster ${cluster}`))?.[1];
  expect(group(drawn, "cluster 0")).toContain("<circle");
  expect(shape(8)).toBe(shape(1));
  expect(times(drawn, 'aria-label="cluster ')).toBe(64);
});

describe("many rows and links", () => {
  const n = 100_000;
  const { points, labels } = blobs(n, 6, 9, 3);
  const random = randomFrom(5);
  const pairs = Array.from({ length: 4000 }, () => [Math.floor(random() * n), Math.floor(random() * n)] as const).filter(
    ([a, b]) => a !== b,
  );
  const constraints = constraintSet(n, { cannotLink: pairs });
  const violations = { ...NO_VIOLATIONS, cannotLink: pairs.filter(([a, b]) => labels[a] === labels[b]) };
  const began = process.cpuUsage();
  const drawn = scatterFigure({ points, labels, constraints, violations });
  const took = process.cpuUsage(began).user / 1e3;

  test("take less than 8 MB, and seconds on a busy machine", () => {
    expect(took).toBeLessThan(20_000);
    expect(drawn.length).toBeLessThan(8e6);
  });

  test("20,000 rows are marks, every drawn constraint has its rows, and the caption says so", () => {
    const rows = [..."012345678"].reduce((sum, cluster) => {
      const marks = group(drawn, `cluster ${cluster}`) + group(drawn, `cluster ${cluster}, with constraints`);
      return sum + times(marks, "<circle") + times(marks, "<path");
    }, 0);
    expect(rows).toBe(20_000);
    expect(drawn).toContain("20,000 of 100,000 rows are drawn");
    const links = times(group(drawn, "cannot-link"), "<path") + times(group(drawn, "broken cannot-link"), "<path");
    expect(links).toBe(2000);
    expect(times(group(drawn, "broken cannot-link"), "<path")).toBe(violations.cannotLink.length);
    expect(drawn).toContain("2,000 of 4,000 constraints are drawn");
  });
});
