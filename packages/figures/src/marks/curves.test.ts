import { expect, test } from "vitest";
import { curvesFigure } from "./curves.js";

const panel = (title: string, level: number) => ({
  title,
  series: [
    { name: "with <constraints>", points: [0, 50, 100].map((x) => ({ x, y: level + x / 1000, error: 0.02 })) },
    { name: "without", points: [0, 50, 100].map((x) => ({ x, y: level })) },
  ],
});

test("a panel for each set, one legend entry for each series, names escaped", () => {
  const picture = curvesFigure({
    title: "Learning curves",
    panels: [panel("iris", 0.8), panel("wine", 0.6)],
    xLabel: "constraints",
    yLabel: "Rand",
  });
  expect(picture.match(/>iris</g)).toHaveLength(1);
  expect(picture.match(/>wine</g)).toHaveLength(1);
  expect(picture.match(/>with &lt;constraints&gt;</g)).toHaveLength(1);
  expect(picture).not.toContain("<constraints>");
  expect(picture).not.toContain("NaN");
});

test("points that are not numbers are left out, and an empty panel says so", () => {
  const picture = curvesFigure({
    title: "Gaps",
    panels: [
      {
        title: "gaps",
        series: [
          {
            name: "a",
            points: [
              { x: 1, y: Number.NaN },
              { x: 2, y: 0.5, error: Number.NaN },
            ],
          },
        ],
      },
      { title: "empty", series: [] },
    ],
    xLabel: "x",
    yLabel: "y",
    marks: "dots",
  });
  expect(picture).toContain(">empty<");
  expect(picture.match(/>no values</g)).toHaveLength(1);
  expect(picture).not.toContain("NaN");
});

test("published points are rings of their own: no line, no colour of a series, one legend entry, with their words", () => {
  const published = { name: "published <1>", published: true, points: [{ x: 100, y: 0.9 }] };
  const panels = [panel("iris", 0.8), panel("wine", 0.6)].map((own) => ({ ...own, series: [...own.series, published] }));
  const options = { title: "Beside the paper", xLabel: "constraints", yLabel: "Rand" };
  const [plain, picture] = [panels.map(({ series, ...own }) => ({ ...own, series: series.slice(0, 2) })), panels].map((shown) =>
    curvesFigure({ ...options, panels: shown }),
  ) as [string, string];
  const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  expect(count(picture, />published &lt;1&gt;</g)).toBe(1);
  expect(count(picture, /published &lt;1&gt;: 0\.9 at 100/g)).toBe(2);
  // The lines of the others stay as many as they were.
  const lines = / d="M[^"]*L[^"]*L/g;
  expect(count(plain, lines)).toBeGreaterThan(0);
  expect(count(picture, lines)).toBe(count(plain, lines));
  const colours = (text: string): Set<string> => new Set(text.match(/#[0-9a-f]{6}/g));
  expect([...colours(picture)].filter((colour) => !colours(plain).has(colour)).length).toBeLessThanOrEqual(1);
});

test("a shared axis puts the same value at the same height in every panel, published points included", () => {
  const panels = [
    { title: "low", series: [{ name: "a", points: [{ x: 1, y: 0.5 }] }] },
    {
      title: "high",
      series: [
        { name: "a", points: [{ x: 1, y: 0.5 }] },
        { name: "paper", published: true, points: [{ x: 1, y: 1 }] },
      ],
    },
  ];
  const heights = (more: { readonly yDomain?: "shared" }): number[] => {
    const picture = curvesFigure({ title: "Two", panels, xLabel: "x", yLabel: "y", marks: "dots", columns: 2, ...more });
    return [...picture.matchAll(/<(?:path|circle)[^>]*(?:translate\([^,]+,\s*|cy=")([\d.]+)[^>]*>\s*<title>a: 0\.5/g)].map(
      ([, y]) => Number(y),
    );
  };
  const shared = heights({ yDomain: "shared" });
  expect(shared).toHaveLength(2);
  expect(shared[0]).toBeCloseTo(shared[1]!, 6);
  const own = heights({});
  expect(own[0]).not.toBeCloseTo(own[1]!, 0);
});

test("a point without a value is a gap: the line does not go on through it", () => {
  const lineOf = (values: readonly number[]): string => {
    const points = values.map((y, x) => ({ x, y }));
    const picture = curvesFigure({
      title: "Gap",
      panels: [{ title: "a", series: [{ name: "s", points }] }],
      xLabel: "x",
      yLabel: "y",
    });
    return picture.match(/ d="(M[^"]*L[^"]*)"/)![1]!;
  };
  expect(lineOf([0.1, 0.2, 0.3, 0.4, 0.5]).match(/M/g)).toHaveLength(1);
  expect(lineOf([0.1, 0.2, Number.NaN, 0.4, 0.5]).match(/M/g)).toHaveLength(2);
});

test("error bars end at the edge of a range that is given", () => {
  const series = [{ name: "s", points: [0, 1].map((x) => ({ x, y: 1, error: 0.5 })) }];
  const bars = (yDomain: readonly [number, number]): number[] => {
    const picture = curvesFigure({ title: "Bars", panels: [{ title: "a", series }], xLabel: "x", yLabel: "y", yDomain });
    const lines = [...picture.matchAll(/y1="([\d.-]+)"[^>]*y2="([\d.-]+)"/g)];
    // Lines of the grid have no height.
    return lines.map(([, one, other]) => Math.abs(Number(one) - Number(other))).filter((height) => height > 0);
  };
  const [whole, cut] = [bars([0, 2]), bars([0, 1])];
  expect(whole).toHaveLength(2);
  // Half of the bar is left, on an axis of twice the scale.
  expect(cut[0]! / whole[0]!).toBeCloseTo(1, 6);
});
