import { randomFrom } from "@coterie/core/internal";
import type { Line } from "@coterie/workbench/trials";
import { expect, test } from "vitest";
import { findingOf } from "../frame/judge.js";
import type { PageData } from "../frame/paper.js";
import { CLAIMS } from "./index.js";
import { allData, CKM, crossValidated, draws, FOLDS, foldsOf, PRINTED, SHOWN, TREE } from "./protocol.js";
import { SETS } from "./sets.js";

test("folds part the rows into ten", () => {
  const folds = foldsOf(57, randomFrom(1));
  expect(folds.map(({ length }) => length)).toEqual([6, 6, 6, 6, 6, 6, 6, 5, 5, 5]);
  expect(folds.flatMap((fold) => [...fold]).sort((a, b) => a - b)).toEqual(Array.from({ length: 57 }, (_, i) => i));
});

test("a trial on all data and one on a fold: every method has a Rand index, the same again", async () => {
  for (const table of [allData, crossValidated]) {
    const trial = table.trials("quick", 0).find(({ key }) => key.set === "iris-fisher" && key.count === 50)!;
    const { seconds: _, ...values } = await table.measure(trial);
    for (const method of SHOWN) expect(values[method]! > 0.5 && values[method]! <= 1).toBe(true);
    expect(values["leaves as printed"]).toBeGreaterThanOrEqual(values.leaves!);
    expect(values["sets drawn"]).toBeGreaterThanOrEqual(1);
    const { seconds: __, ...again } = await table.measure(trial);
    expect(again).toEqual(values);
  }
});

test("ten runs of the cross-validation share a partition and no constraint set", () => {
  const trials = crossValidated.trials("full", 0).filter(({ key }) => key.set === "wine" && key.count === 50);
  expect(new Set(trials.slice(0, FOLDS).map(({ seed }) => seed)).size).toBe(1);
  expect(new Set(trials.map(({ seed }) => seed)).size).toBe(trials.length / FOLDS);
});

test("sets are drawn until COP-k-means has a clustering", async () => {
  const trial = draws.trials("quick", 0).find(({ key }) => key.set === "wine" && key.count === 100)!;
  expect((await draws.measure(trial)).sets).toBeGreaterThanOrEqual(1);
});

interface Values {
  readonly rand: (set: (typeof SETS)[number], method: string, count: number) => number | null;
  readonly leaves: (set: string, count: number) => number;
}

function seenWith({ rand, leaves }: Values): PageData {
  const lines = SETS.flatMap((set) =>
    set.counts.quick.flatMap((count) =>
      Array.from({ length: 20 }, (_, run): Line => {
        const noisy = (value: number | null): number | null => (value === null ? null : value + run / 1e4);
        return {
          set: set.name,
          count,
          run,
          ...Object.fromEntries(SHOWN.map((method) => [method, noisy(rand(set, method, count))])),
          leaves: leaves(set.name, count),
          "leaves as printed": 2 * leaves(set.name, count),
          seconds: set.name === "balance" ? 0.1 : set.name === "heart-statlog" ? 9 : 1,
          sets: set.name === "wine" && count === 300 ? 1087 : 20,
        };
      }),
    ),
  );
  const tables = new Map([allData, crossValidated, draws].map((table) => [table.name, lines]));
  return { size: "quick", seed: 0, missing: [], lines: (table) => tables.get(table.name) ?? [] };
}

const verdictOf = (id: string, seen: PageData): string =>
  findingOf(CLAIMS.find((claim) => claim.id === `figure-5.${id}`)!, seen).verdict;

test("cross-validated standings: as published all cells agree, turned round none does", () => {
  const gap = { better: 0.1, comparable: 0, worse: -0.1 };
  const published = seenWith({ rand: (set, method) => (method === TREE ? 0.7 + gap[set.published] : 0.7), leaves: () => 5 });
  expect(verdictOf("cross-validated", published)).toBe("holds");
  expect(verdictOf("generalises", published)).toBe("holds");
  const turned = seenWith({ rand: (set, method) => (method === TREE ? 0.7 - gap[set.published] : 0.7), leaves: () => 5 });
  expect(verdictOf("cross-validated", turned)).toBe("does not hold");
});

test("sizes, growth, times and overfitting come from the trials", () => {
  const seen = seenWith({
    rand: (_, method, count) =>
      method === CKM ? 0.7 + count / 1e4 : method === TREE || method === PRINTED ? 0.8 - count / 1e4 : 0.7,
    leaves: (set, count) =>
      set === "iris-fisher" ? (count === 500 ? 12 : 3) : set === "yeast" ? (count === 800 ? 387 : 40) : 20 + count / 100,
  });
  expect(verdictOf("sizes", seen)).toBe("holds");
  expect(verdictOf("grows", seen)).toBe("holds");
  expect(verdictOf("times", seen)).toBe("holds");
  expect(verdictOf("overfits", seen)).toBe("holds");
  expect(verdictOf("cop-rises", seen)).toBe("holds");
  expect(verdictOf("printed-rule", seen)).toBe("holds");
  const flat = seenWith({ rand: () => 0.8, leaves: () => 20 });
  for (const id of ["sizes", "grows", "overfits", "cop-rises"]) expect(verdictOf(id, flat), id).toBe("does not hold");
});
