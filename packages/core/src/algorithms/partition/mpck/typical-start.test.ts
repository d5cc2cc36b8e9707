import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateConstraints } from "../../../constraints/index.js";
import { plainKernels } from "../../../kernels/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import type { Outcome } from "../../method.js";
import { INDISTINCT, mpckMeans, mpckMeansOptions, typicalStart } from "./methods.js";

const outcome = (objective: number, ...labels: number[]): Outcome => ({
  labels: Int32Array.from(labels),
  objective,
  notices: [],
});

describe("by hand", () => {
  const halves = [0, 0, 1, 1];

  test("keeps the result of two of three starts although the third is lower, with a notice", () => {
    const kept = typicalStart([outcome(1, 0, 1, 1, 1), outcome(4, ...halves), outcome(3, 1, 1, 0, 0)]);
    expect(kept.objective).toBe(3);
    expect(kept.notices).toEqual([
      "3 of 3 starts came within 10 of the lowest objective, 1.000; the one that agrees most with the others is kept.",
    ]);
  });

  test("starts more than 10 above the lowest do not count", () => {
    const kept = typicalStart([outcome(1, 0, 1, 1, 1), outcome(11.5, ...halves), outcome(11.5, ...halves)]);
    expect(kept.objective).toBe(1);
    expect(kept.notices).toEqual([]);
  });

  test("of two starts keeps the lower, of equal ones the first, and a single start", () => {
    const first = outcome(2, ...halves);
    expect(typicalStart([outcome(3, 0, 1, 1, 1), first])).toBe(first);
    expect(typicalStart([first, outcome(2, 0, 1, 1, 1)])).toBe(first);
    expect(typicalStart([first])).toBe(first);
  });
});

/** Pairs of rows on which two clusterings differ, one by one. */
function plainDifferences(a: Int32Array, b: Int32Array): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) for (let j = 0; j < i; j++) if ((a[i] === a[j]) !== (b[i] === b[j])) count++;
  return count;
}

test("the kept start differs least from all close starts, by the definition; no start of equal agreement is lower", () => {
  const start = fc.record({
    objective: fc.double({ min: -20, max: 0, noNaN: true }),
    labels: fc.array(fc.nat(2), { minLength: 7, maxLength: 7 }),
  });
  fc.assert(
    fc.property(fc.array(start, { minLength: 1, maxLength: 8 }), (starts) => {
      const outcomes = starts.map(({ objective, labels }) => outcome(objective, ...labels));
      const lowest = Math.min(...starts.map(({ objective }) => objective));
      const close = outcomes.filter(({ objective }) => objective! <= lowest + INDISTINCT);
      const sum = ({ labels }: Outcome) => close.reduce((total, other) => total + plainDifferences(labels, other.labels), 0);
      const kept = typicalStart(outcomes);
      expect(kept.objective).toBeLessThanOrEqual(lowest + INDISTINCT);
      for (const other of close) {
        expect(sum(kept)).toBeLessThanOrEqual(sum(other));
        if (sum(other) === sum(kept)) expect(kept.objective).toBeLessThanOrEqual(other.objective!);
      }
    }),
  );
});

test("mpck-means keeps the typical start, or the lowest if requested", () => {
  let lower = 0;
  for (let seed = 0; seed < 6; seed++) {
    const random = randomFrom(seed);
    const rows = Array.from({ length: 60 }, (_, i) => [random.normal() + (i % 3), random.normal() + 1.5 * (i % 2)]);
    const truth = { codes: Int32Array.from(rows, (_, i) => i % 3), names: ["a", "b", "c"] };
    const input = { points: pointsFromRows(rows), constraints: generateConstraints(truth, { count: 12, random }) };
    const context = { kernels: plainKernels, random };
    const asked = { k: 3, restarts: 6 };
    const options = mpckMeansOptions.parse(asked);
    const starts = Array.from({ length: 6 }, (_, index) => drain(mpckMeans.starts!.steps(input, options, index, context)));
    const lowest = Math.min(...starts.map(({ objective }) => objective!));
    const kept = drain(mpckMeans.steps(input, options, context));
    expect(kept).toEqual(typicalStart(starts));
    if (kept.objective! > lowest) lower++;
    const other = drain(mpckMeans.steps(input, mpckMeansOptions.parse({ ...asked, keep: "lowest" }), context));
    expect(other.objective).toBe(lowest);
  }
  expect(lower).toBeGreaterThan(0);
});
