import { constraints, plainKernels, pointsFromRows, randomFrom, scoresOf } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { agreement, chooseK } from "./choose-k.js";

test("agreement over all pairs is the adjusted Rand index", () => {
  const labelling = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 3, maxLength: 12 });
  fc.assert(
    fc.property(labelling, (rows) => {
      const heard = { must: 0, mustTogether: 0, cannot: 0, cannotTogether: 0 };
      rows.forEach(([label, truth], i) => {
        for (const [otherLabel, otherTruth] of rows.slice(i + 1)) {
          heard[truth === otherTruth ? "must" : "cannot"]++;
          if (label === otherLabel) heard[truth === otherTruth ? "mustTogether" : "cannotTogether"]++;
        }
      });
      const [labels, truth] = [0, 1].map((which) => Int32Array.from(rows, (row) => row[which]!));
      const { adjustedRand } = scoresOf(labels!, truth!);
      expect(agreement(heard).score).toBeCloseTo(adjustedRand, 9);
    }),
    { numRuns: 100 },
  );
});

test("worked: 8 of 10 must-links together and 3 of 10 cannot-links", () => {
  // Agreed 15 of 20; together 11 of 20, so by chance 1/2.
  const { score, error } = agreement({ must: 10, mustTogether: 8, cannot: 10, cannotTogether: 3 });
  expect(score).toBeCloseTo(0.5, 12);
  expect(error).toBeCloseTo(Math.sqrt((0.75 * 0.25) / 20) / 0.5, 12);
  expect(agreement({ must: 4, mustTogether: 4, cannot: 9, cannotTogether: 0 })).toEqual({ score: 1, error: 0 });
});

test("many classes, of which few pairs are must-links, are counted: 9 groups of 12 rows", async () => {
  const random = randomFrom(3);
  const truth = Array.from({ length: 108 }, (_, i) => i % 9);
  const points = pointsFromRows(truth.map((c) => [6 * (c % 3) + random.normal(), 6 * Math.floor(c / 3) + random.normal()]));
  const pairs = Array.from({ length: 120 }, () => random.sample(108, 2) as unknown as [number, number]);
  const known = constraints(
    { n: 108 },
    {
      mustLink: pairs.filter(([a, b]) => truth[a] === truth[b]),
      cannotLink: pairs.filter(([a, b]) => truth[a] !== truth[b]),
    },
  );
  const spec = { algorithm: "pck-means", options: {}, seed: 1 };
  const { k, by } = await chooseK(points, known, spec, { from: 6, to: 10 }, { kernels: plainKernels, pause: async () => {} });
  expect(by).toContain("held-out");
  expect([8, 9, 10]).toContain(k);
});
