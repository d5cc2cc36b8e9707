/** The figures of methods: each runs the method to its end, and its last frame is what the method gives. */
import { catalogue, constraints, pointsFromRows } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { framesOf } from "../docs/.vitepress/theme/figure-run.mjs";
import { FIGURES, rowsOf } from "../docs/.vitepress/theme/figure-sets.mjs";

interface Figure {
  readonly set: string;
  readonly k?: number;
  readonly moves: string;
  readonly init?: string;
  readonly mustLink?: [number, number][];
  readonly cannotLink?: [number, number][];
  readonly relative?: [number, number, number][];
}

const figures = Object.entries(FIGURES as unknown as Record<string, Figure>);

test("every method in the plane has a figure", () => {
  expect(figures.map(([name]) => name).sort()).toEqual(
    catalogue
      .map(({ name }) => name)
      .filter((name) => name !== "duplicates")
      .sort(),
  );
});

test.each(figures)("%s: several steps, which end with the clusters of the method", (name, figure) => {
  const rows = rowsOf(figure.set);
  const { mustLink = [], cannotLink = [], relative = [] } = figure;
  const frames = framesOf(name, rows, { mustLink, cannotLink, relative }, figure as Required<Figure>);
  expect(frames.length).toBeGreaterThan(1);
  for (const { labels, text } of frames) {
    expect(labels).toHaveLength(rows.length);
    expect(text).not.toMatch(/undefined|NaN/);
  }
  if (figure.moves === "iterations" || figure.moves === "leaves") return;
  const method = catalogue.find((each) => each.name === name)!;
  const points = { ...pointsFromRows(rows, ["x", "y"]), scaleGiven: true as const };
  const options = figure.k === undefined ? {} : { k: figure.k };
  const result = method(points, constraints(points, { mustLink, cannotLink, relative }), { ...options, seed: 1 });
  expect(frames.at(-1)!.labels).toEqual([...result.labels]);
});
