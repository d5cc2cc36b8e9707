/** Runs that oscillate or reach the iteration limit: which state is reported, and with which notice. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, generateConstraints } from "../../constraints/index.js";
import { CoterieError } from "../../errors.js";
import type { Instances } from "../../model/points.js";
import type { Result } from "../../model/result.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { tuples } from "../../testing/tuples.js";
import { copKmeans } from "./cop/index.js";
import { kmeans } from "./kmeans.js";
import { mkMeans, mpckMeans, pckMeans, rcaKmeans } from "./mpck/methods.js";
import { farthestByDefinition, metricObjectiveByDefinition, rowsOf } from "./mpck/mpck.reference.js";
import { lowestOf, oscillationNotices } from "./outcome.js";
import { svmKmeans } from "./svm-kmeans.js";

const BACK_AND_FORTH = /^Rows moved back and forth: the run keeps iteration (\d+) of (\d+), which has the lowest objective\.$/;

/** Two classes in three columns, and pairs of which many contradict the columns. */
function tangled(seed: number) {
  const random = randomFrom(seed);
  const codes = Int32Array.from({ length: 40 }, (_, i) => i % 2);
  const points = pointsFromRows([...codes].map((code) => [random.normal() + 2 * code, random.normal(), random.normal()]));
  return { points, known: generateConstraints({ codes, names: ["a", "b"] }, { count: 25, random }) };
}

/** Properties of every report, however the run ends. */
function expectPromise({ history, objective, iterations, stopped, notices }: Result): void {
  expect(history!.at(-1)).toBe(objective);
  expect(iterations).toBe(history!.length);
  if (stopped !== "converged") {
    expect(objective).toBeLessThanOrEqual(Math.min(...history!) + 1e-9 * Math.abs(objective!));
  }
  expect(notices.some((notice) => BACK_AND_FORTH.test(notice))).toBe(stopped === "cycling");
}

describe("mk-means", () => {
  test("oscillation: reports the best state of the run with its objective, and not as converged", () => {
    let cycling = 0;
    for (let seed = 0; seed < 40; seed++) {
      const { points, known } = tangled(seed);
      const result = mkMeans(points, known, { k: 3, restarts: 1, seed });
      expectPromise(result);
      if (result.stopped !== "cycling") continue;
      cycling++;
      const [, kept, made] = result.notices.join("\n").match(new RegExp(BACK_AND_FORTH.source, "m"))!.map(Number);
      expect(kept).toBe(result.iterations);
      expect(made! - kept!).toBeGreaterThanOrEqual(10);
      const rows = rowsOf(points);
      const [weights] = result.metric!.matrices;
      const a = [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? weights![i]! : 0)));
      const scaled = rows.map((row) => row.map((value, j) => Math.sqrt(weights![j]!) * value));
      const metric = { a, logDet: result.metric!.logDets[0]!, farthest: farthestByDefinition(scaled) };
      const metrics = result.centres!.map(() => metric);
      const state = { rows, labels: result.labels, centres: result.centres!.map((centre) => [...centre]), metrics };
      expect(result.objective).toBeCloseTo(metricObjectiveByDefinition(known, state), 6);
    }
    expect(cycling).toBeGreaterThan(0);
  });

  test("regression seeds stop at the lowest objective of the run, not above it", () => {
    for (let seed = 0; seed < 40; seed++) {
      const { points, known } = tangled(seed);
      const whole = mkMeans(points, known, { k: 3, restarts: 1, seed });
      if (whole.stopped !== "cycling") continue;
      // A run that stops right after the kept state gives the same result.
      const short = mkMeans(points, known, { k: 3, restarts: 1, seed, maxIterations: whole.iterations! });
      expect(short.labels).toEqual(whole.labels);
      expect(short.objective).toBe(whole.objective);
      expect(short.stopped).toBe("max-iterations");
    }
  });

  test("at the iteration limit, it returns to an earlier state of lower objective, with a notice", () => {
    let announced = 0;
    for (let seed = 0; seed < 40; seed++) {
      const { points, known } = tangled(seed);
      const result = mkMeans(points, known, { k: 3, restarts: 1, seed, maxIterations: 4 });
      expectPromise(result);
      if (result.notices.some((notice) => /^The run keeps iteration [123] of 4, which has the lowest objective\.$/.test(notice)))
        announced++;
    }
    expect(announced).toBeGreaterThan(0);
  });
});

test("all methods of the family have these properties, with and without an iteration limit", () => {
  for (let seed = 0; seed < 8; seed++) {
    const { points, known } = tangled(seed);
    for (const maxIterations of [1, 3, 100]) {
      const options = { k: 3, restarts: 1, seed, maxIterations };
      for (const metrics of ["single", "multiple"] as const) {
        expectPromise(mkMeans(points, known, { ...options, metrics }));
        for (const faithful of [false, true]) expectPromise(mpckMeans(points, known, { ...options, metrics, faithful }));
      }
      for (const costs of ["relative", "unit"] as const) expectPromise(pckMeans(points, known, { ...options, costs }));
      for (const prior of [0, 3]) expectPromise(rcaKmeans(points, known, { ...options, prior }));
      expectPromise(kmeans(points, undefined, options));
    }
  }
});

describe("cop-kmeans as published", () => {
  const drawn = fc.record({ seed: fc.nat(), n: fc.integer({ min: 8, max: 45 }), d: fc.integer({ min: 1, max: 3 }), k: fc.integer({ min: 2, max: 5 }) }); // biome-ignore format: one line

  function problem({ seed, n, d, k }: { seed: number; n: number; d: number; k: number }) {
    const random = randomFrom(seed);
    const codes = Int32Array.from({ length: n }, () => random.int(k));
    const rows = Array.from(codes, (code) => Array.from({ length: d }, () => 3 * code * random.normal() + random.normal()));
    const names = Array.from({ length: k }, (_, c) => `c${c}`);
    return { points: pointsFromRows(rows), known: generateConstraints({ codes, names }, { count: random.int(n), random }) };
  }

  function attempt(points: Instances, known: ReturnType<typeof problem>["known"], options: Parameters<typeof copKmeans>[2]) {
    try {
      return copKmeans(points, known, options);
    } catch (error) {
      expect(error).toBeInstanceOf(CoterieError);
      return null;
    }
  }

  test("objective and centres fit the labels, however the run ends; the reason for an empty cluster is correct", () => {
    const seen = { converged: 0, cycling: 0, "max-iterations": 0 };
    const check = (draw: Parameters<typeof problem>[0], faithful: boolean, maxIterations: number): void => {
      const { points, known } = problem(draw);
      const result = attempt(points, known, { k: draw.k, faithful, maxIterations, restarts: 1, init: "random", seed: draw.seed });
      if (!result) return;
      expectPromise(result);
      seen[result.stopped!]++;
      const rows = rowsOf(points);
      let sum = 0;
      result.centres!.forEach((centre, c) => {
        const members = rows.filter((_, i) => result.labels[i] === c);
        centre.forEach((value, j) => {
          expect(value).toBeCloseTo(members.reduce((total, row) => total + row[j]!, 0) / members.length, 8);
        });
        for (const row of members) sum += row.reduce((total, value, j) => total + (value - centre[j]!) ** 2, 0);
      });
      expect(result.objective! / sum).toBeCloseTo(1, 9);
      if (result.k < draw.k)
        expect(result.notices.join()).toMatch(/by the paper's rule no row moved to the empty clusters|must-links leave fewer/);
    };
    fc.assert(
      fc.property(drawn, fc.boolean(), fc.constantFrom(1, 2, 5, 300), (draw, faithful, most) => check(draw, faithful, most)),
      { numRuns: 300 },
    );
    for (let seed = 0; seed < 80; seed++) check({ seed, n: 30, d: 2, k: 4 }, true, 300);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });
});

describe("clusters without rows", () => {
  test("equal rows are the reason only if fewer rows are different than there are clusters", () => {
    const few = pointsFromRows([[0], [0], [1], [1]]);
    expect(kmeans(few, undefined, { k: 3 }).notices).toEqual([
      "Only 2 of the 3 clusters have rows: there are not enough different rows.",
    ]);
    const apart = pointsFromRows([[0], [1], [2], [3]]);
    const far = kmeans(apart, undefined, { k: 2, init: [[0], [1e6]], maxIterations: 1 });
    expect(far.notices.join()).not.toContain("not enough different rows");
  });

  test("the notice names the learned metric, because the rows of the table differ", () => {
    // Only the first column separates a and b from c, and it has two values; the other columns have weight 0.
    const points = pointsFromRows(tuples("0 1, 0 9, 5 1, 5 9"));
    const known = constraints(points, { relative: [[0, 1, 2], [2, 3, 0], [0, 1, 3], [2, 3, 1]] }); // biome-ignore format: one line
    const result = svmKmeans(points, known, { k: 3 });
    expect(result.metric!.matrices[0]![1]).toBe(0);
    expect(result.notices).toEqual([
      "Only 2 of the 3 clusters have rows: under the learned metric there are not enough different rows.",
    ]);
  });
});

test("of equal objectives the first iteration counts as lowest", () => {
  expect(lowestOf([5, 3, 3, 4])).toBe(2);
  expect(lowestOf([5, 3, 3 - 1e-13])).toBe(2);
  expect(lowestOf([-1, -4, -2])).toBe(2);
  expect(lowestOf([7])).toBe(1);
  expect(oscillationNotices("converged", [5, 3, 3])).toEqual([]);
  expect(oscillationNotices("converged", [5, 3, 4])).toEqual([
    "The run converged after 3 iterations; its objective was lower after iteration 2.",
  ]);
});
