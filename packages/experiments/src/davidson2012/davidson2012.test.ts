import { constraints, randomFrom } from "@coterie/core";
import { expect, test } from "vitest";
import { brainSlice } from "./brain.js";
import { labelsOf, load, plainRand, randOf, randomCentres } from "./methods.js";
import { pixelPicture } from "./pixel-picture.js";
import { feasibleShare } from "./trials.js";

test("a forest of m cannot-links leaves ((k-1)/k)^m of the clusterings, a triangle (k-1)(k-2)/k²", () => {
  const forest = constraints(
    { n: 9 },
    {
      mustLink: [[0, 8]],
      cannotLink: [
        [0, 1],
        [1, 2],
        [3, 4],
      ],
    },
  );
  expect(feasibleShare(forest, 3)).toBeCloseTo((2 / 3) ** 3, 12);
  const triangle = constraints(
    { n: 3 },
    {
      cannotLink: [
        [0, 1],
        [1, 2],
        [0, 2],
      ],
    },
  );
  expect(feasibleShare(triangle, 4)).toBeCloseTo((3 * 2) / 16, 12);
});

test("without constraints COP-k-means is plain k-means from the same centres; a set that it cannot keep gives none", async () => {
  const iris = await load("iris-fisher");
  const centres = randomCentres(iris, 3, randomFrom(1));
  const empty = constraints(iris, {});
  expect(randOf("CKM", iris, empty, 3, centres)).toBe(plainRand(iris, 3, centres));
  const impossible = constraints(iris, {
    cannotLink: [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
      [1, 3],
      [2, 3],
    ],
  });
  expect(labelsOf("CKM", iris, impossible, 3, centres)).toBeNull();
});

test("the slice: four regions, the same for the same seed", () => {
  const slice = brainSlice(3);
  expect(new Set(slice.region)).toEqual(new Set([-1, 0, 1, 2, 3]));
  expect(slice.pixels.truth!.codes.every((code, row) => (code === 1) === slice.region[row]! >= 0)).toBe(true);
  expect(brainSlice(3).pixels.x).toEqual(slice.pixels.x);
  expect(brainSlice(4).pixels.x).not.toEqual(slice.pixels.x);
});

test("a picture has a square for each pixel of each panel", () => {
  const grid = { width: 2, height: 1, x: Int32Array.of(0, 1), y: Int32Array.of(0, 0) };
  const drawn = pixelPicture(
    grid,
    "Two",
    [
      { title: "one", fill: () => "#123456" },
      { title: "two", fill: () => "#654321" },
    ],
    [],
  );
  expect(drawn.match(/fill="#123456"/g)).toHaveLength(2);
  expect(drawn.match(/fill="#654321"/g)).toHaveLength(2);
});
