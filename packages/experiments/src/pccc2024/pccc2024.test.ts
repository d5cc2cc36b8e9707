import type { Line } from "@coterie/workbench/trials";
import { expect, test } from "vitest";
import { findingOf } from "../frame/judge.js";
import type { PageData } from "../frame/paper.js";
import { PUBLISHED, pccc2024, runs, setsOf } from "./index.js";
import { constraintsOf, LegacyRandom, makeBlobs, pairCount, rowsOf, SETS, setNamed } from "./instances.js";

test("the legacy generator gives the numbers of numpy.random.seed(24)", () => {
  const random = new LegacyRandom(24);
  expect(Array.from({ length: 8 }, () => random.upTo(99))).toEqual([34, 3, 64, 87, 17, 17, 1, 79]);
  expect(new LegacyRandom(24).unit()).toBe(0.9600173033359185);
});

test("blobs are those of scikit-learn 1.9.1", () => {
  const small = makeBlobs({ n: 300, k: 10, deviation: 1, box: 20 }, 24);
  [6.59616956, 2.64267794, 6.74581998, 2.98998136].forEach((value, p) => {
    expect(small.points.x[p]).toBeCloseTo(value, 8);
  });
  expect([...small.codes.subarray(0, 10)]).toEqual([8, 8, 7, 2, 3, 6, 7, 1, 2, 2]);
  const large = makeBlobs({ n: 2000, k: 50, deviation: 1, box: 10 }, 24);
  expect(large.points.x[3998]).toBeCloseTo(-8.69028975, 8);
  expect([...large.codes.subarray(0, 5)]).toEqual([20, 15, 4, 7, 35]);
});

test.each([
  ["col2-k10-s1", 0.25, 287, 2488],
  ["col3-n2000-k50", 0.2, 1594, 78206],
  // Of KEEL's files, the numbers of pairs that were published.
  ["iris", 0.05, 6, 22],
  ["iris", 0.2, 94, 341],
  ["wine", 0.1, 31, 122],
  ["wine", 0.2, 143, 487],
] as const)("%s with %d has as many must-links and cannot-links as in Python", async (name, share, must, cannot) => {
  const rows = await rowsOf(setNamed(name));
  const known = constraintsOf(rows, share);
  expect([known.mustLinks.a.length, known.cannotLinks.a.length]).toEqual([must, cannot]);
  expect(must + cannot).toBe(pairCount(rows.n, share));
});

test("the last pairs are not of the last rows: the first ones in sorted order are taken", async () => {
  const rows = await rowsOf(setNamed("col2-k10-s1"));
  const { mustLinks, cannotLinks } = constraintsOf(rows, 0.25);
  expect(Math.max(...mustLinks.a, ...cannotLinks.a)).toBe(97);
});

test("columns are standardised with the population's deviation", async () => {
  const { n, d, x } = await rowsOf(setNamed("iris"));
  for (let j = 0; j < d; j++) {
    const values = Array.from({ length: n }, (_, row) => x[row * d + j]!);
    expect(values.reduce((sum, value) => sum + value, 0) / n).toBeCloseTo(0, 12);
    expect(values.reduce((sum, value) => sum + value * value, 0) / n).toBeCloseTo(1, 12);
  }
});

test("a trial of each method that takes little time has an answer, the same again", async () => {
  for (const trial of runs
    .trials("full", 0)
    .filter(({ key }) => key.set === "wine" && key.share === 0.2 && key.method !== "auto")) {
    const { ms: _, "k-means ms": __, ...values } = await runs.measure(trial);
    expect(values["adjusted Rand"]).toBeGreaterThan(0.9);
    expect(values.broken).toBe(0);
    expect(values["k-means"]).toBeCloseTo(0.897, 3);
    const { ms: ___, "k-means ms": ____, ...again } = await runs.measure(trial);
    expect(again).toEqual(values);
  }
});

/** Every run is better than the best published figure by this much. */
function seenWith(better: number, without: (set: string) => boolean = () => false): PageData {
  const lines = runs.trials("full", 0).map(({ key }): Line => {
    const { best, plain } = PUBLISHED.find(({ group }) => setsOf(group).includes(key.set as string))!;
    const { rand, least } = best.find(({ share }) => share === key.share)!;
    return {
      ...(key as { set: string; share: number; method: string }),
      "adjusted Rand": without(key.set as string) ? null : rand + better,
      broken: without(key.set as string) ? null : 0,
      objective: Number(least ?? 1) - better,
      ms: 2,
      "k-means": (plain ?? 0.5) - better,
      "k-means ms": 1,
    };
  });
  return { size: "full", seed: 0, missing: [], lines: () => lines };
}

const verdicts = (seen: PageData): string[] => pccc2024.pages[0]!.claims.map((claim) => findingOf(claim, seen).verdict);

test("runs as good as published hold every claim, worse ones none but that constraints are kept", () => {
  expect(new Set(verdicts(seenWith(0)))).toEqual(new Set(["holds"]));
  expect(verdicts(seenWith(-0.1)).filter((verdict) => verdict !== "does not hold")).toEqual(["holds"]);
});

test("a run without an answer counts as 0, and is named", () => {
  const seen = seenWith(0, (set) => set === "col2-k10-s1");
  const { cells } = findingOf(pccc2024.pages[0]!.claims.find(({ id }) => id === "benchmark.cop-col2")!, seen);
  expect(cells.map(({ said }) => said)).toEqual([
    "0.507, 1 without an answer (0.543)",
    "0.559, 1 without an answer (0.599)",
    "0.554, 1 without an answer (0.594)",
  ]);
});

test("there are 15 sets of COL2 and 24 of COL3", () => {
  expect([setsOf("COL2").length, setsOf("COL3").length, SETS.length]).toEqual([15, 24, 42]);
});
