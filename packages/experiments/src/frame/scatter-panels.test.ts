import { constraints, pointsFromRows } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { scatterPanels } from "../klein2002/figure-12.js";

const points = pointsFromRows([
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
]);
const places = { x: Float64Array.of(0, 1, 0, 1), y: Float64Array.of(0, 0, 1, 1) };
const known = constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 2]] });

test("a dot for each row in the colour of its cluster, must-links as lines, cannot-links dashed", () => {
  const drawn = scatterPanels("square", [places], [[{ title: "CCL, 2", labels: Int32Array.of(0, 0, 1, 1), known }]]);
  expect(drawn.match(/h0/g)).toHaveLength(4);
  const colours = [...drawn.matchAll(/h0" stroke="(#[0-9a-f]{6})"/g)].map(([, colour]) => colour);
  expect(new Set(colours).size).toBe(2);
  expect(drawn.match(/stroke-dasharray/g)).toHaveLength(1);
  // Row 0 is below row 2 in the plane, so lower in the picture.
  const at = [...drawn.matchAll(/M([\d.]+) ([\d.]+)h0/g)].map(([, , y]) => Number(y));
  expect(at[0]).toBeGreaterThan(at[2]!);
});

test("without a clustering all dots are grey; panels stand side by side and below each other", () => {
  const none = { title: "CKM", labels: null, known: null };
  const drawn = scatterPanels("square", [places], [[none, none], [none]]);
  expect(new Set([...drawn.matchAll(/h0" stroke="(#[0-9a-f]{6})"/g)].map(([, colour]) => colour)).size).toBe(1);
  const corners = [...drawn.matchAll(/<g transform="translate\((\d+) (\d+)\)"><text/g)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(corners).toHaveLength(3);
  expect(corners[0]![1]).toBe(corners[1]![1]);
  expect(corners[2]![0]).toBe(corners[0]![0]);
  expect(corners[2]![1]).toBeGreaterThan(corners[0]![1]!);
});
