/**
 * The effort limits the whole diagnosis for every constraint set: each question is answered in short steps, or reported as not
 * decided.
 */
import { createLpSolver } from "@coterie/kernels";
import { describe, expect, test } from "vitest";
import { constraints } from "../constraints/build.js";
import { generateConstraints } from "../constraints/generate.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { randomFrom } from "../random/random.js";
import { pointsFromRows } from "../rows.js";
import type { Diagnosis } from "./diagnosis.js";
import { diagnoseSteps } from "./with-data.js";

const LONG = process.env.COTERIE_LONG === "1";

function drawn(n: number, classes: number, count: number, noise: number): ConstraintSet {
  const names = Array.from({ length: classes }, (_, c) => `c${c}`);
  const codes = Int32Array.from({ length: n }, (_, i) => i % classes);
  return generateConstraints({ codes, names }, { count, noise, random: randomFrom(5) });
}

function triples(n: number, count: number): ConstraintSet {
  const random = randomFrom(7);
  const relative = Array.from({ length: count }, () => {
    const a = random.int(n);
    return [a, (a + 1 + random.int(n - 2)) % n, (a + n - 1) % n] as const;
  });
  return constraints({ n }, { relative: relative.filter(([a, b, c]) => a !== b && b !== c && a !== c) });
}

interface Run {
  readonly diagnosis: Diagnosis;
  /** Processor time in seconds: total, and of the longest step. */
  readonly total: number;
  readonly longest: number;
}

async function run(set: ConstraintSet, options: { readonly k?: number; readonly effort: number }): Promise<Run> {
  const steps = diagnoseSteps(set, { ...options, solver: await createLpSolver() });
  let [total, longest] = [0, 0];
  for (;;) {
    const before = process.cpuUsage();
    const next = steps.next();
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    total += seconds;
    longest = Math.max(longest, seconds);
    if (next.done) return { diagnosis: next.value, total, longest };
    expect(next.value.done).toBeLessThanOrEqual(next.value.total!);
  }
}

describe("ends, with partial answers", { timeout: 300_000 }, () => {
  const EFFORT = 20_000;

  test("6,000 pairs of 7 classes, free of noise", async () => {
    const { diagnosis, total, longest } = await run(drawn(2_310, 7, 6_000, 0), { k: 7, effort: EFFORT });
    expect(diagnosis.feasible).toBe(true);
    const { lower, upper } = diagnosis.chromaticNumber!;
    expect(lower).toBeLessThanOrEqual(upper);
    const number = diagnosis.fractionalChromaticNumber!;
    expect(number.value ?? number.lower!).toBeLessThanOrEqual(upper);
    if (number.value === null)
      expect(diagnosis.notices.join()).toContain("fractional chromatic number was not found within the effort");
    expect(total).toBeLessThan(40);
    expect(longest).toBeLessThan(3);
  });

  test("the same with 3 clusters: too few, and something to drop", async () => {
    const { diagnosis, total } = await run(drawn(2_310, 7, 6_000, 0), { k: 3, effort: EFFORT });
    expect(diagnosis.feasible).toBe(false);
    expect(diagnosis.repair!.dropped.length).toBeGreaterThan(0);
    expect(total).toBeLessThan(40);
  });

  test("20,000 pairs of 10 classes among 7,500 rows", async () => {
    const { diagnosis, total } = await run(drawn(7_500, 10, 20_000, 0), { k: 10, effort: EFFORT });
    expect(diagnosis.feasible).not.toBe(false);
    expect(total).toBeLessThan(60);
  });

  test("20,000 noisy pairs: thousands of contradictions, and what to drop", async () => {
    const { diagnosis, total, longest } = await run(drawn(2_310, 7, 20_000, 0.05), { k: 7, effort: EFFORT });
    expect(diagnosis.contradictions.length).toBeGreaterThan(1_000);
    expect(diagnosis.repair!.dropped.length).toBeGreaterThan(0);
    expect(total).toBeLessThan(60);
    expect(longest).toBeLessThan(5);
  });

  test("6,000 clashing relative constraints", async () => {
    const { diagnosis, total } = await run(triples(2_300, 6_000), { effort: EFFORT });
    expect(diagnosis.relative!.consistent).toBe(false);
    expect(diagnosis.relative!.dropped.length).toBeGreaterThan(0);
    expect(total).toBeLessThan(60);
  });

  test("exclusive columns that cross", async () => {
    const n = 6_000;
    const column = (name: string, size: number) => ({
      column: name,
      codes: Int32Array.from({ length: n }, (_, i) => (i * 7919) % Math.floor(n / size)),
      names: Array.from({ length: Math.floor(n / size) }, (_, c) => `v${c}`),
    });
    const set = constraints({ n }, { exclusive: [column("a", 12), column("b", 11)] });
    const { diagnosis, total } = await run(set, { k: 20, effort: EFFORT });
    expect(diagnosis.feasible).not.toBe(false);
    expect(total).toBeLessThan(60);
  });

  test.runIf(LONG)("100,000 pairs, with and without noise", { timeout: 900_000 }, async () => {
    for (const noise of [0, 0.05]) {
      const { total } = await run(drawn(7_500, 10, 100_000, noise), { k: 10, effort: 100_000 });
      expect(total).toBeLessThan(120);
    }
  });
});

test("a small effort ends soon, and undecided questions are reported", async () => {
  const { diagnosis, total } = await run(drawn(2_310, 7, 6_000, 0), { k: 4, effort: 50 });
  expect(diagnosis.notices.join()).toContain("within the effort");
  expect(total).toBeLessThan(30);
});

test("wide data: coherence is measured as far as the effort allows, or reported as not measured", () => {
  const random = randomFrom(1);
  const points = pointsFromRows(Array.from({ length: 60 }, () => Array.from({ length: 400 }, () => random.normal())));
  const set = drawn(60, 3, 600, 0);
  const finish = (effort: number): Diagnosis => {
    const steps = diagnoseSteps(set, { points, effort });
    for (;;) {
      const next = steps.next();
      if (next.done) return next.value;
    }
  };
  expect(finish(1)).toMatchObject({ coherence: null });
  expect(finish(1).notices.join()).toContain("Coherence was not measured within the effort");
  expect(finish(400_000).coherence).not.toBe(null);
});
