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
