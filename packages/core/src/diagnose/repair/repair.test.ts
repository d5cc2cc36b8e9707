import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { colour } from "../../colouring/colouring.js";
import { constraintGraph } from "../../colouring/graphs/graph.js";
import { isColourable, type Plain } from "../../colouring/graphs/graphs.reference.js";
import { constraints } from "../../constraints/build.js";
import { closeConstraints } from "../../constraints/closure.js";
import { anySet } from "../../constraints/closure.reference.js";
import { isContradictory } from "../../constraints/contradictions.js";
import { generateConstraints } from "../../constraints/generate.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import { randomFrom } from "../../random/random.js";
import { drain } from "../../steps/steps.js";
import { processorMs } from "../../testing/processor-ms.js";
import { tuples } from "../../testing/tuples.js";
import { type Given, givenItems, itemAt, weightOf, withoutItems } from "./given.js";
import { type DroppedConstraint, hittingSet, repair } from "./repair.js";

function plainGraph(set: ConstraintSet): Plain {
  const closure = closeConstraints(set);
  const pairs: [number, number][] = [];
  for (let a = 0; a < closure.componentCount; a++) for (let b = 0; b < a; b++) if (closure.apart(a, b)) pairs.push([a, b]);
  return { n: closure.componentCount, pairs };
}

function holds(set: ConstraintSet, k: number | null): boolean {
  return !isContradictory(closeConstraints(set)) && (k === null || isColourable(plainGraph(set), k));
}

/** The smallest weight over all subsets by brute force; exclusive groups are dropped only if nothing else works. */
function leastByTrying(given: Given, k: number | null, prices: { readonly hard: number; readonly group: number }): number {
  let least = Infinity;
  for (let bits = 0; bits < 1 << given.count; bits++) {
    const dropped = new Set(Array.from({ length: given.count }, (_, i) => i).filter((i) => (bits >> i) & 1));
    let price = 0;
    for (const item of dropped) {
      const weight = weightOf(given, itemAt(given, item));
      price += item >= given.groups ? prices.group : weight === Infinity ? prices.hard : weight;
    }
    if (price < least && holds(withoutItems(given, dropped), k)) least = price;
  }
  return least;
}

describe("equals trying all subsets", () => {
  const smallSet = anySet.filter((set) => givenItems(set).count <= 9 && givenItems(set).count > 0);
  test("price, bound, and what is left holds", () => {
    fc.assert(
      fc.property(smallSet, fc.constantFrom(null, 1, 2, 3), (set, k) => {
        const given = givenItems(set);
        const answer = repair(set, k);
        expect(answer.price).toBeCloseTo(leastByTrying(given, k, answer.prices), 9);
        expect(answer.optimal).toBe(true);
        expect(answer.lowerBound).toBeCloseTo(answer.price, 9);
        expect(answer.dropped.every(({ because }) => because !== undefined)).toBe(true);
      }),
      { numRuns: 80 },
    );
  });
});

describe("for any effort", () => {
  test("what is left holds, and costs no less than the cheapest repair", () => {
    fc.assert(
      fc.property(anySet, fc.constantFrom(null, 1, 2, 3), fc.constantFrom(0, 1, 30), (set, k, effort) => {
        const given = givenItems(set);
        const answer = repair(set, k, { effort });
        const gone = new Set(answer.dropped.map((dropped) => itemOf(given, dropped)));
        expect(gone.size).toBe(answer.dropped.length);
        expect(holds(withoutItems(given, gone), k)).toBe(true);
        expect(answer.lowerBound).toBeLessThanOrEqual(answer.price + 1e-9);
        expect(repair(set, k).price).toBeLessThanOrEqual(answer.price + 1e-9);
      }),
      { numRuns: 150 },
    );
  });

  test("weights near the largest double: prices stay finite, and the light constraint goes", () => {
    const known = constraints(
      { n: 3 },
      { mustLink: tuples("0 1 1e308, 1 2 1.5e308"), cannotLink: tuples("0 2 1e308, 0 1 9e307") },
    );
    const { dropped, price, optimal } = repair(known, null);
    expect(Number.isFinite(price)).toBe(true);
    expect(optimal).toBe(true);
    expect(dropped.map(({ kind, rows }) => [kind, rows])).toEqual([["must-link", [0, 1]]]);
  });

  test("20,000 noisy constraints: drops about the number of wrong constraints, in bounded work", { timeout: 120_000 }, () => {
    const codes = Int32Array.from({ length: 2_000 }, (_, i) => i % 7);
    const truth = { codes, names: [..."abcdefg"] };
    const known = generateConstraints(truth, { count: 20_000, noise: 0.05, random: randomFrom(3) });
    const before = processorMs();
    const { dropped } = repair(known, 7, { effort: 40_000 });
    expect(dropped.length).toBeLessThan(2_500);
    expect(processorMs() - before).toBeLessThan(40_000);
    const rest = closeConstraints(withoutItems(givenItems(known), new Set(dropped.map((d) => itemOf(givenItems(known), d)))));
    expect(isContradictory(rest)).toBe(false);
  });
});

/** The item number of a dropped constraint. */
function itemOf(given: Given, { kind, index, names }: DroppedConstraint): number {
  if (kind === "must-link") return index;
  if (kind === "cannot-link") return given.cannotLinks + index;
  if (kind === "label") return given.labels + index;
  const { names: values } = given.set.exclusive[index]!;
  return given.groupItem[index]![values.indexOf(names![1]!)]!;
}

test("one cannot-link of a chain", () => {
  const known = constraints({ n: 5 }, { mustLink: tuples("0 1 5, 1 2 5, 2 3 5"), cannotLink: tuples("0 3, 0 2") });
  const { dropped, price, optimal } = repair(known, 2);
  expect([price, optimal]).toEqual([2, true]);
  expect(dropped.map(({ kind, rows }) => [kind, rows])).toEqual([
    ["cannot-link", [0, 3]],
    ["cannot-link", [0, 2]],
  ]);
  expect(dropped[0]!.because).toMatchObject({ kind: "contradiction", contradiction: { path: [0, 1, 2, 3] } });
  expect(
    repair(constraints({ n: 5 }, { mustLink: tuples("0 1, 1 2 5, 2 3 5"), cannotLink: tuples("0 3, 0 2") }), 2),
  ).toMatchObject({
    price: 1,
    dropped: [{ kind: "must-link", rows: [0, 1] }],
  });
});

test("a clique of four with three clusters loses its lightest edge", () => {
  const pairs = tuples("0 1 2, 0 2 2, 0 3 2, 1 2 0.5, 1 3 2, 2 3 2");
  const { dropped, lowerBound, optimal } = repair(constraints({ n: 6 }, { cannotLink: pairs }), 3);
  expect(dropped).toMatchObject([
    { kind: "cannot-link", index: 3, weight: 0.5, because: { kind: "core", components: [[0], [1], [2], [3]] } },
  ]);
  expect([lowerBound, optimal]).toEqual([0.5, true]);
});

test("four classes with three clusters: the smallest class goes", () => {
  const labels = Array.from({ length: 60 }, (_, i) => [i, i < 20 ? "a" : i < 35 ? "b" : i < 50 ? "c" : "d"] as const);
  const { dropped, optimal } = repair(constraints({ n: 60 }, { labels }), 3);
  expect(optimal).toBe(true);
  expect(dropped.map(({ names }) => names![0])).toEqual(new Array(10).fill("d"));
});

test("an exclusive group is dropped only if nothing else will do", () => {
  const exclusive = [{ column: "frame", codes: Int32Array.of(0, 0, 0, 1, 1), names: ["f0", "f1"] }];
  const group = repair(constraints({ n: 5, exclusive }), 2);
  expect(group.dropped).toMatchObject([{ kind: "exclusive", rows: [0, 1, 2], names: ["frame", "f0"] }]);
  const link = repair(constraints({ n: 5, exclusive }, { mustLink: [[3, 4, 100]] }), 3);
  expect(link.dropped).toMatchObject([{ kind: "must-link", rows: [3, 4], because: { kind: "contradiction" } }]);
});

test("a consistent set loses nothing", () => {
  const answer = repair(constraints({ n: 4 }, { mustLink: [[0, 1]], cannotLink: [[1, 2]] }), 2);
  expect(answer).toMatchObject({ dropped: [], price: 0, lowerBound: 0, optimal: true });
});

test("noise in 200 constraints is found, and what is left holds", () => {
  // Rows of three classes; six of the cannot-links are wrong.
  const mustLink: [number, number][] = [];
  const cannotLink: [number, number][] = [];
  for (let i = 0; i < 100; i++) mustLink.push([i, (i + 3 * (1 + (i % 5))) % 150]);
  for (let i = 0; i < 94; i++) cannotLink.push([i, (i + 1 + (i % 2)) % 150]);
  for (let i = 0; i < 6; i++) cannotLink.push([7 * i, 7 * i + 9]);
  const known = constraints({ n: 150 }, { mustLink, cannotLink });
  const { dropped, lowerBound, price } = repair(known, 3);
  expect(price).toBeLessThanOrEqual(6);
  expect(lowerBound).toBeLessThanOrEqual(price);
  const given = givenItems(known);
  const items = dropped.map(({ kind, index }) => (kind === "must-link" ? index : given.cannotLinks + index));
  const rest = closeConstraints(withoutItems(given, new Set(items)));
  expect(isContradictory(rest)).toBe(false);
  expect(colour(constraintGraph(rest), 3).status).toBe("feasible");
});

test("hitting sets equal brute force", () => {
  const sets = fc.array(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(sets, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 8, maxLength: 8 }), (all, prices) => {
      const found = drain(hittingSet(all, { price: (item) => prices[item]!, rank: () => 0 }, { left: 1e5 }));
      let least = Infinity;
      for (let bits = 0; bits < 256; bits++) {
        if (!all.every((set) => set.some((item) => (bits >> item) & 1))) continue;
        least = Math.min(
          least,
          prices.reduce((sum, price, item) => sum + ((bits >> item) & 1 ? price : 0), 0),
        );
      }
      expect(found.price).toBe(least);
      expect(found.lowerBound).toBe(least);
      expect(all.every((set) => set.some((item) => found.items.includes(item)))).toBe(true);
    }),
    { numRuns: 200 },
  );
});
