/** Several starts: if the paper's first centres are bad, other centres must be tried. */
import { expect, test } from "vitest";
import { constraints, generateConstraints } from "../../../constraints/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { copKmeans } from "../cop/index.js";
import { initOf, pckMeans } from "./methods.js";

/** Two adjacent classes and a long class far from both: of three neighbourhoods chosen farthest first, two are in the long class. */
function sideBySide(seed: number) {
  const random = randomFrom(seed);
  const codes = Int32Array.from({ length: 150 }, (_, i) => i % 3);
  const rows = Array.from(codes, (code) => [
    [-3, -1, 5][code]! + 0.5 * random.normal(),
    (code === 2 ? 2.5 : 0.5) * random.normal(),
  ]);
  const known = generateConstraints({ codes, names: ["a", "b", "c"] }, { count: 30, random: random.split("pairs") });
  return { points: pointsFromRows(rows), known };
}

test("with all starts, the objective of PCK-means is at most that of a clustering without violations; one start can be above it", () => {
  let stuck = 0;
  for (let seed = 0; seed < 12; seed++) {
    const { points, known } = sideBySide(seed);
    const bound = 1.01 * copKmeans(points, known, { k: 3 }).objective!;
    expect(pckMeans(points, known, { k: 3 }).objective!).toBeLessThanOrEqual(bound);
    if (pckMeans(points, known, { k: 3, restarts: 1 }).objective! > bound) stuck++;
  }
  expect(stuck).toBeGreaterThan(0);
});

test("the first start is the paper's; with `faithful` all starts are; given options are respected", () => {
  const inits = (asked: { readonly init: "neighbourhoods" | "random"; readonly faithful?: boolean }) =>
    [0, 1, 2, 3].map((index) => initOf({ ...asked, restarts: 4 }, index));
  expect(inits({ init: "neighbourhoods", faithful: false })).toEqual([
    "neighbourhoods",
    "k-means++",
    "neighbourhoods",
    "k-means++",
  ]);
  expect(inits({ init: "neighbourhoods", faithful: true })).toEqual(Array(4).fill("neighbourhoods"));
  expect(inits({ init: "neighbourhoods" })).toEqual(Array(4).fill("neighbourhoods"));
  expect(inits({ init: "random", faithful: false })).toEqual(Array(4).fill("random"));
});

test("with the cosine, rows of zeros are counted in a notice", () => {
  const notices = (...more: number[][]) =>
    pckMeans(pointsFromRows([[1, 0], [2, 0.1], [0, 1], [0.1, 3], ...more]), constraints({ n: 4 + more.length }, {}), {
      k: 2,
      distance: "cosine",
    }).notices.filter((notice) => notice.includes("zero"));
  expect(notices()).toEqual([]);
  expect(notices([0, 0])).toEqual(["1 row is all zero and has no direction."]);
  expect(notices([0, 0], [0, 0])).toEqual(["2 rows are all zero and have no direction."]);
});
