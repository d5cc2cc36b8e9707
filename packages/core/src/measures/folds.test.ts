import fc from "fast-check";
import { expect, test } from "vitest";
import { generateConstraints } from "../constraints/index.js";
import { randomFrom } from "../random/index.js";
import { drawFolds, heldOutF, trainingPart } from "./scores.js";

test("folds split the rows evenly and at random, and depend only on the seed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 2, max: 9 }), fc.nat(), (n, count, seed) => {
      const folds = drawFolds(n, count, randomFrom(seed));
      const sizes = Array.from({ length: count }, (_, f) => folds.filter((fold) => fold === f).length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(n);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(drawFolds(n, count, randomFrom(seed))).toEqual(folds);
    }),
    { numRuns: 50 },
  );
  expect([...drawFolds(50, 5, randomFrom(1))]).not.toEqual(Array.from({ length: 50 }, (_, i) => i % 5));
  expect(() => drawFolds(10, 1, randomFrom(0))).toThrow("folds");
});

test("no constraint drawn from the training part concerns the fold, and scores use only the fold", () => {
  const random = randomFrom(4);
  const truth = { codes: Int32Array.from({ length: 60 }, () => random.int(3)), names: ["a", "b", "c"] };
  const folds = drawFolds(60, 5, random.split("folds"));
  const { mustLinks, cannotLinks } = generateConstraints(trainingPart(truth, folds, 2), { count: 300, random });
  const touched = [...mustLinks.a, ...mustLinks.b, ...cannotLinks.a, ...cannotLinks.b];
  expect(mustLinks.a.length + cannotLinks.a.length).toBe(300);
  expect(touched.some((row) => folds[row] === 2)).toBe(false);
  const rightThere = truth.codes.map((code, i) => (folds[i] === 2 ? code : 0));
  expect(heldOutF(rightThere, truth, folds, 2)).toBe(1);
  expect(heldOutF(rightThere, truth, folds, 1)).toBeLessThan(0.8);
});
