import {
  constrainProximities,
  constraints,
  contingency,
  generateConstraints,
  pairCounts,
  randIndex,
  randomFrom,
} from "@coterie/core/internal";
import type { Line } from "@coterie/workbench/trials";
import { expect, test } from "vitest";
import { load } from "../frame/data.js";
import { findingOf } from "../frame/judge.js";
import type { PageData } from "../frame/paper.js";
import { crossed } from "../grid.js";
import { rowsOf, setNamed, TABLES } from "./data-sets.js";
import { around } from "./figure-12.js";
import { halfTheConstraints } from "./figures.js";
import { keeps } from "./kept.js";
import { ACTIVE, accuracyOf, activeClustering, CCL, CCL_OURS, CCL_PRINTED, CKM, CKM_OURS, METHODS } from "./methods.js";
import { realActive, realCurves, syntheticCurves } from "./tables.js";

test("a trial on circles: every method has an accuracy, the same again, and constraints help", async () => {
  const trial = syntheticCurves.trials("quick", 1).find(({ key }) => key.set === "circles" && key.count === 50)!;
  const values = await syntheticCurves.measure(trial);
  expect(Object.keys(values)).toEqual([...syntheticCurves.values]);
  expect(values[CCL]).toBeGreaterThan(0.9);
  expect(await syntheticCurves.measure(trial)).toEqual(values);
  const circles = await rowsOf(setNamed("circles"), randomFrom(trial.seed));
  const { labels, known } = activeClustering(circles, 2, 50);
  expect(accuracyOf(labels, circles, known)).toBeGreaterThan(0.9);
});

/** Section 4.2 to the letter: barred entries at one value above all others, complete linkage with ties by index. */
function printedByDefinition(
  rows: Awaited<ReturnType<typeof load>>,
  known: ReturnType<typeof generateConstraints>,
  k: number,
): number[] {
  const { n, d, x } = rows;
  const square = Float64Array.from({ length: n * n }, (_, p) => {
    const [i, j] = [Math.floor(p / n), p % n];
    return Math.hypot(...Array.from({ length: d }, (_, c) => x[i * d + c]! - x[j * d + c]!));
  });
  const { matrix, barred } = constrainProximities(square, known);
  const clusters = Array.from({ length: n }, (_, row) => [row]);
  const at = (i: number, j: number): number => Math.min(matrix[i * n + j]!, barred);
  const far = clusters.map((_, i) => clusters.map((_, j) => at(i, j)));
  const alive = clusters.map((_, i) => i);
  while (alive.length > k) {
    let best: [number, number, number] = [Infinity, -1, -1];
    for (const [p, i] of alive.entries())
      for (const j of alive.slice(p + 1)) if (far[i]![j]! < best[0]) best = [far[i]![j]!, i, j];
    const [, i, j] = best;
    clusters[i]!.push(...clusters[j]!);
    alive.splice(alive.indexOf(j), 1);
    for (const other of alive) far[i]![other] = far[other]![i] = Math.max(far[i]![other]!, far[j]![other]!);
  }
  const labels = new Array<number>(n);
  alive.forEach((i, label) => {
    for (const row of clusters[i]!) labels[row] = label;
  });
  return labels;
}

test("CCL as printed is what section 4.2 says, by definition; corrected it is another clustering", async () => {
  const iris = await load("iris-fisher");
  let others = 0;
  for (const seed of [1, 2, 3, 4]) {
    const known = generateConstraints(iris.truth, { count: 60, random: randomFrom(seed) });
    const printed = METHODS[CCL_PRINTED](iris, known, 3, 0)!;
    const definition = Int32Array.from(printedByDefinition(iris, known, 3));
    expect(randIndex(pairCounts(contingency(printed, definition)))).toBe(1);
    if (randIndex(pairCounts(contingency(printed, METHODS[CCL](iris, known, 3, 0)!))) < 1) others++;
  }
  expect(others).toBeGreaterThan(0);
  expect(METHODS[CCL_PRINTED](iris, constraints(iris, {}), 3, 0)).toEqual(METHODS[CCL](iris, constraints(iris, {}), 3, 0));
});

/** Lines whose CRI a function of method and count gives, with a little noise by run. */
function seenWith(cri: (method: string, count: number) => number | null): PageData {
  const lines = crossed(TABLES, [0, 10, 20, 40], ({ name }, count) =>
    Array.from({ length: 5 }, (_, run): Line => {
      const value = (method: string) => (cri(method, count) === null ? null : cri(method, count)! + run / 1e4);
      return {
        set: name,
        count,
        run,
        ...Object.fromEntries([CCL, CKM, CCL_PRINTED, CCL_OURS, CKM_OURS, ACTIVE].map((m) => [m, value(m)])),
      };
    }),
  ).flat();
  return { size: "full", seed: 0, missing: [], lines: () => lines };
}

test("half the constraints: twice as fast holds, as fast does not; where neither rises nothing is divided by nothing", () => {
  const claim = halfTheConstraints({ name: "figure-9", sets: TABLES, passive: realCurves, active: realActive });
  const rising = (pace: number) => (method: string, count: number) =>
    0.5 + Math.min(0.4, (method === CCL ? pace : 1) * (count / 100));
  expect(findingOf(claim, seenWith(rising(3))).verdict).toBe("holds");
  expect(findingOf(claim, seenWith(rising(1))).verdict).toBe("does not hold");
  const flat = findingOf(
    claim,
    seenWith((method, count) => (method === CKM && count > 10 ? null : 0.5)),
  );
  expect(flat.verdict).toBe("does not hold");
  expect(flat.cells[0]!.said).toContain("no accuracy above 0.500 is reached by both");
});

test("correct constraints are kept by ours; the papers' versions fail on some", async () => {
  const iris = await load("iris-fisher");
  const kept = { [CCL]: 0, [CCL_OURS]: 0, [CKM]: 0, [CKM_OURS]: 0 };
  for (let seed = 0; seed < 6; seed++) {
    const known = generateConstraints(iris.truth, { count: 150, random: randomFrom(seed) });
    for (const method of [CCL, CCL_OURS, CKM, CKM_OURS] as const) if (keeps(method, iris, known, seed)) kept[method]++;
  }
  expect([kept[CCL_OURS], kept[CKM_OURS]]).toEqual([6, 6]);
  expect(kept[CCL]).toBeLessThan(6);
  expect(kept[CKM]).toBeLessThan(6);
});

test("figure 12: on xor CCL carries constraints to the neighbours, so that few constrained rows are outliers", async () => {
  const trial = around.trials("quick", 0).find(({ key }) => key.set === "xor" && key.count === 20)!;
  const values = await around.measure(trial);
  expect(Object.keys(values)).toEqual([...around.values]);
  expect(values[`${CCL} outliers`]).toBeLessThan(0.1);
  expect(values[`${CCL} unchanged`]).toBeLessThan(0.5);
  const { [`${CKM} outliers`]: outliers, [`${CKM} unchanged`]: unchanged } = values;
  expect(outliers === null).toBe(unchanged === null);
  expect(await around.measure(trial)).toEqual(values);
});
