import fc from "fast-check";
import { expect, test } from "vitest";
import { constraints } from "../constraints/index.js";
import { scoresOf } from "../measures/index.js";
import { randomFrom } from "../random/index.js";
import { pointsFromRows } from "../rows.js";
import { problemOf } from "../testing/problem-of.js";
import { tuples } from "../testing/tuples.js";
import { chooseAtOnce, choosingK } from "./choose-k.js";
import { agreement } from "./held-out.js";
import { ccl } from "./hierarchical/ccl/index.js";
import { averageLink } from "./hierarchical/linkage.js";
import { copKmeans } from "./partition/cop/index.js";
import { kmeans } from "./partition/kmeans.js";
import { pckMeans } from "./partition/mpck/methods.js";
import { silhouette } from "./silhouette.js";

test("agreement over all pairs is the adjusted Rand index", () => {
  const labelling = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 3, maxLength: 12 });
  fc.assert(
    fc.property(labelling, (rows) => {
      const counts = { must: 0, mustTogether: 0, cannot: 0, cannotTogether: 0 };
      rows.forEach(([label, truth], i) => {
        for (const [otherLabel, otherTruth] of rows.slice(i + 1)) {
          counts[truth === otherTruth ? "must" : "cannot"]++;
          if (label === otherLabel) counts[truth === otherTruth ? "mustTogether" : "cannotTogether"]++;
        }
      });
      const [labels, truth] = [0, 1].map((which) => Int32Array.from(rows, (row) => row[which]!));
      const { adjustedRand } = scoresOf(labels!, truth!);
      expect(agreement(counts).score).toBeCloseTo(adjustedRand, 9);
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

test("many classes, where few pairs are must-links: finds 9 groups of 12 rows", () => {
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
  const { k, chosen, labels } = pckMeans(points, known, { k: [6, 10], seed: 1 });
  expect(chosen!.by).toContain("held-out");
  expect(chosen!.evidence.map((each) => each.k)).toEqual([6, 7, 8, 9, 10]);
  expect([8, 9, 10]).toContain(k);
  expect(chosen!.k).toBe(k);
  // The final run uses all constraints, and equals a run with the chosen k alone.
  expect(labels).toEqual(pckMeans(points, known, { k, seed: 1 }).labels);
});

test("a plain hierarchy is built once, and its cuts give the evidence of all runs", () => {
  const random = randomFrom(4);
  const points = pointsFromRows(Array.from({ length: 60 }, (_, i) => [5 * (i % 4) + random.normal(), random.normal()]));
  const known = constraints({ n: 60 }, {});
  const choosing = choosingK({ points, constraints: known }, { method: averageLink, options: {}, seed: 0 }, [2, 7]);
  const asked: number[] = [];
  const { k, evidence } = chooseAtOnce(choosing, (trial) => {
    asked.push(trial.k);
    return averageLink(points, known, { k: trial.k });
  });
  expect(asked).toEqual([7]);
  expect(k).toBe(4);
  for (const { k: each, score } of evidence)
    expect(score).toBe(silhouette(points, averageLink(points, known, { k: each }).labels, each));
});

/** Three groups in the plane, and pairs of which the plain linkage breaks a few at small k. */
function linked(seed: number, pairs: number) {
  const random = randomFrom(seed);
  const truth = Array.from({ length: 60 }, (_, i) => i % 4);
  const points = pointsFromRows(truth.map((c) => [3 * c + random.normal(), random.normal()]));
  const drawn = Array.from({ length: pairs }, () => random.sample(60, 2) as unknown as [number, number]);
  const known = constraints(
    { n: 60 },
    {
      mustLink: drawn.filter(([a, b]) => truth[a] === truth[b]),
      cannotLink: drawn.filter(([a, b]) => truth[a] !== truth[b]),
    },
  );
  return { points, constraints: known };
}

test.each([
  { pairs: 0, options: {} },
  { pairs: 30, options: {} },
  { pairs: 60, options: {} },
  { pairs: 60, options: { linkage: "average" } },
  { pairs: 60, options: { linkage: "ward", lookahead: false } },
  { pairs: 30, options: { learnedMetric: "rca" } },
] as const)(
  "constrained linkage, $pairs pairs, $options: one hierarchy for each part gives the evidence of a run for each k",
  ({ pairs, options }) => {
    let [few, many] = [0, 0];
    for (const seed of [1, 2]) {
      const input = linked(seed, pairs);
      const choose = (
        method: typeof ccl | Omit<typeof ccl, "sharedTree">,
        range: readonly [number, number],
        counts: () => void,
      ) =>
        chooseAtOnce(choosingK(input, { method, options, seed }, range), (trial) => {
          counts();
          return ccl(input.points, trial.known, { ...options, ...trial.options, k: trial.k });
        });
      const { sharedTree, ...alone } = ccl;
      expect(sharedTree).toBeDefined();
      for (const range of [
        [1, 9],
        [50, 60],
      ] as const)
        expect(choose(ccl, range, () => few++)).toEqual(choose({ ...alone, family: ccl.family }, range, () => many++));
    }
    expect(few).toBeLessThan(many);
    if (pairs === 0 || "lookahead" in options) expect(few).toBeLessThanOrEqual(many / 9);
  },
);

const line = pointsFromRows([[0], [1], [10], [11], [30], [31]]);

test("worked by hand: without constraints the highest silhouette decides; a row alone in its cluster has silhouette 0", () => {
  // Rows 0 and 1 are at distance 1, and on average at 10.5 and 9.5 from the next cluster; the other rows at these distances or more.
  const widths = [(10.5 - 1) / 10.5, (9.5 - 1) / 9.5, (9.5 - 1) / 9.5, (10.5 - 1) / 10.5, (19.5 - 1) / 19.5, (20.5 - 1) / 20.5];
  const labels = Int32Array.of(0, 0, 1, 1, 2, 2);
  expect(silhouette(line, labels, 3)).toBeCloseTo(widths.reduce((a, b) => a + b) / 6, 12);
  expect(silhouette(line, Int32Array.of(0, 0, 0, 0, 0, 0), 1)).toBeNull();
  expect(silhouette(line, Int32Array.of(0, 0, 1, 1, 2, -1), 3)).toBeCloseTo(
    (widths[0]! + widths[1]! + widths[2]! + widths[3]!) / 5,
    12,
  );
  const found = averageLink(line, undefined, { k: [2, 5] });
  expect(found.chosen).toMatchObject({ k: 3, by: "silhouette" });
  expect(found.chosen!.evidence[1]!.score).toBeCloseTo(widths.reduce((a, b) => a + b) / 6, 12);
  expect(found.labels).toEqual(labels);
  expect(kmeans(line, undefined, { k: [2, 5] }).chosen!.k).toBe(3);
});

test("skips every k that cannot satisfy the constraints; if none can, throws the last error", () => {
  const apart = constraints(line, { cannotLink: tuples("0 2, 2 4, 0 4") });
  expect(copKmeans(line, apart, { k: [2, 4] }).chosen!.evidence.map(({ k }) => k)).toEqual([3, 4]);
  expect(problemOf(() => copKmeans(line, apart, { k: [1, 2] })).code).toBe("infeasible");
});

test("a range of one number is that number; a malformed range is refused", () => {
  expect(ccl(line, undefined, { k: [3, 3] }).labels).toEqual(ccl(line, undefined, { k: 3 }).labels);
  for (const k of [[5, 2], [0, 3], [2.5, 4], [2], [2, 3, 4], [], ["2", "3"], [2, Number.NaN], [2, Infinity]])
    expect(problemOf(() => kmeans(line, undefined, { k: k as unknown as [number, number] }))).toMatchObject({
      code: "bad-option",
      option: "k",
      expected: expect.stringContaining("such as [2, 10]"),
    });
  expect(problemOf(() => kmeans(line, undefined, { k: [2, 7] }))).toEqual({ code: "k-too-large", k: 7, n: 6 });
});
