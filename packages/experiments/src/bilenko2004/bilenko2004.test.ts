import { randomFrom } from "@coterie/core";
import { createSimdKernels } from "@coterie/kernels";
import { expect, test } from "vitest";
import { ablationClaims, compared, metricClaims, turn } from "./claims.js";
import { type Curves, learningCurves, overCounts } from "./protocol.js";
import { ABLATIONS, METRICS } from "./schemes.js";
import { type Labelled, SETS, sampleOf } from "./sets.js";

/** Two long stripes: without a metric the wide axis decides. */
function stripes(n: number): Labelled {
  const random = randomFrom(3);
  const codes = Int32Array.from({ length: n }, (_, i) => i % 2);
  const x = Float64Array.from({ length: 2 * n }, (_, p) =>
    p % 2 === 0 ? 20 * random.normal() : 6 * codes[p >> 1]! + random.normal(),
  );
  return { n, d: 2, x, truth: { codes, names: ["a", "b"] } };
}

test("every scheme has a curve, the same for the same seed; constraints and the metric help where they should", () => {
  const points = stripes(60);
  const schemes = [...ABLATIONS, ...METRICS.slice(1)];
  const extent = { counts: [0, 60], runs: 3, seed: 1 };
  const curves = learningCurves("stripes", points, schemes, extent, createSimdKernels());
  expect([...curves.scores.keys()]).toHaveLength(9);
  for (const byCount of curves.scores.values()) {
    expect(byCount.map((runs) => runs.length)).toEqual([3, 3]);
    for (const score of byCount.flat()) expect(score >= 0 && score <= 1).toBe(true);
  }
  expect(learningCurves("stripes", points, schemes, extent, createSimdKernels())).toEqual(curves);
  expect(compared(curves, "MPCK-S-D", "k-means", 60)).toMatchObject({ set: "stripes", seen: "above" });
});

test("a sample keeps rows with their classes, and its size is the share", () => {
  const sample = sampleOf(stripes(50), 0.3, randomFrom(1));
  expect(sample.n).toBe(15);
  for (let i = 0; i < sample.n; i++) expect(sample.x[2 * i + 1]! > 3).toBe(sample.truth.codes[i] === 1);
});

/** Curves that are what a function of set, scheme and count says, with a little noise by run. */
function made(score: (set: string, scheme: string, count: number) => number, schemes: readonly string[]): Curves[] {
  const counts = [0, 25, 50, 100];
  return SETS.map(({ title }) => ({
    set: title,
    counts,
    scores: new Map(
      schemes.map((scheme, s) => [
        scheme,
        counts.map((count) => Array.from({ length: 5 }, (_, run) => score(title, scheme, count) + ((run * (s + 2)) % 5) / 1e4)),
      ]),
    ),
  }));
}

test("claims are decided by the curves: all as the paper says, and none", () => {
  const rank = ["k-means", "MK", "PCK", "supervised", "MPCK-S-D"];
  const asPublished = made((_, scheme, count) => {
    if (scheme === "k-means") return 0.4;
    if (scheme === "PCK") return count === 0 ? 0.4 : 0.6 + count / 1e4;
    if (scheme === "MK") return count === 0 ? 0.5 : count === 25 ? 0.45 : 0.55;
    return 0.5 + rank.indexOf(scheme) / 20 + count / 1e4;
  }, rank);
  const verdicts = ablationClaims(asPublished).map(({ verdict }) => verdict);
  expect(verdicts).toEqual(Array.from({ length: 8 }, () => "holds"));
  expect(overCounts(asPublished[0]!, "k-means", 50)[0]).toBeCloseTo(0.4, 3);

  const names = METRICS.map(({ name }) => name);
  const opposite = made(
    (_, scheme, count) => (scheme === "RCA" ? 0.5 + count / 1000 : 0.51 - names.indexOf(scheme) / 100),
    names,
  );
  expect(metricClaims(opposite).map(({ verdict }) => verdict)).toEqual([
    "does not hold",
    "does not hold",
    "does not hold",
    "holds",
    "does not hold",
  ]);
});

test("where one scheme passes another is read off the curves", () => {
  const curves = (...ours: number[]): Curves[] => [
    {
      set: "any",
      counts: [0, 50, 100],
      scores: new Map([
        ["a", ours.map((value) => [value])],
        ["b", [[0.5], [0.5], [0.5]]],
      ]),
    },
  ];
  expect(turn(curves(0.6, 0.7, 0.8), "a", "b")).toBe("ahead throughout");
  expect(turn(curves(0.1, 0.2, 0.5), "a", "b")).toBe("behind throughout");
  expect(turn(curves(0.1, 0.4, 0.8), "a", "b")).toBe("behind up to 50 constraints and ahead from 100 on");
  expect(turn(curves(0.6, 0.4, 0.8), "a", "b")).toBe("not always ahead up to 50 constraints and ahead from 100 on");
  expect(turn(curves(0.6, 0.7, 0.2), "a", "b")).toBe("not ahead in the end");
});
