import { plainKernels, pointsFromRows, randomFrom } from "@coterie/core";
import { expect, test } from "vitest";
import type { Cell, Ran } from "./cells.js";
import { findingsOf, standing } from "./claims.js";
import { picturesOf, tablesOf } from "./pictures.js";
import { foldsOf, METHODS, type Method, type Trial, trial } from "./protocol.js";

const random = randomFrom(3);
const rows = Array.from({ length: 60 }, (_, i) => [10 * (i % 2) + random.unit(), random.unit()]);
const truth = { codes: Int32Array.from(rows, (_, i) => i % 2), names: ["a", "b"] };
const points = { ...pointsFromRows(rows), truth };

test("folds part the rows into ten", () => {
  const folds = foldsOf(57, randomFrom(1));
  expect(folds.map(({ length }) => length)).toEqual([6, 6, 6, 6, 6, 6, 6, 5, 5, 5]);
  expect(folds.flatMap((fold) => [...fold]).sort((a, b) => a - b)).toEqual(Array.from({ length: 57 }, (_, i) => i));
});

test("a trial clusters two clear groups rightly, on all rows and on a fold", () => {
  for (const held of [new Int32Array(0), foldsOf(60, randomFrom(2))[0]!]) {
    const results = trial({ points, raw: points, count: 30, held, random: randomFrom(5), kernels: plainKernels });
    for (const method of METHODS) expect(results[method].rand).toBe(1);
    expect(results.ClusILC.leaves).toBe(2);
    expect(results["COP faithful"].draws).toBeGreaterThanOrEqual(1);
  }
});

test("a trial judges on the rows it is told", () => {
  // Rows 0 to 9 have classes that the columns do not tell; only they are held out.
  const codes = truth.codes.map((code, i) => (i < 10 ? 1 - code : code));
  const turned = { ...points, truth: { ...truth, codes: codes.map((code, i) => (i === 0 ? 1 - code : code)) } };
  const held = Int32Array.from({ length: 10 }, (_, i) => i);
  const results = trial({ points: turned, raw: turned, count: 40, held, random: randomFrom(6), kernels: plainKernels });
  // One row of ten is on the wrong side: 9 of 45 pairs are wrong.
  expect(results.ClusILC.rand).toBeCloseTo(36 / 45, 12);
});

/** A run whose methods have the given Rand indices and leaves at each number of constraints. */
function ran(name: string, rand: (method: Method, count: number) => number, leaves: (count: number) => number): Ran {
  const cell = (count: number): Cell => {
    const trials = Object.fromEntries(
      METHODS.map((method) => [
        method,
        Array.from({ length: 6 }, (_, s): Trial => ({ rand: rand(method, count) + s / 1e4, leaves: leaves(count), draws: 1 })),
      ]),
    ) as Record<Method, Trial[]>;
    return { count, trials: { all: trials, cv: trials } };
  };
  return { set: { name, counts: [50, 100], sets: 6, partitions: 1, published: "better" }, cells: [50, 100].map(cell) };
}

test("standings need a difference that is both clear and beyond chance", () => {
  const of = (difference: number): Ran =>
    ran(
      "iris",
      (method) => (method === "ClusILC" ? 0.8 + difference : 0.8),
      () => 3,
    );
  expect(standing(of(0.05), "cv", "ClusILC", "COP faithful")).toBe("better");
  expect(standing(of(-0.05), "cv", "ClusILC", "COP faithful")).toBe("worse");
  expect(standing(of(0.005), "cv", "ClusILC", "COP faithful")).toBe("comparable");
  const without = ran(
    "iris",
    (method) => (method === "COP faithful" ? Number.NaN : 0.8),
    () => 3,
  );
  expect(standing(without, "cv", "ClusILC", "COP faithful")).toBeNull();
});

test("claims, pictures and tables come from the trials", () => {
  const rans = [
    ran(
      "iris",
      (method, count) => (method === "ClusILC" ? 1 - count / 500 : 0.7),
      (count) => count / 10,
    ),
    ran(
      "ecoli",
      (method) => (method === "ClusILC" ? 0.9 : method === "COP faithful" ? Number.NaN : 0.8),
      () => 20,
    ),
  ];
  const findings = findingsOf(rans);
  const verdictOf = (start: string): string => findings.find(({ claim }) => claim.startsWith(start))!.verdict;
  expect(verdictOf("Cross-validated: ClusILC is better")).toBe("holds");
  expect(verdictOf("Larger trees overfit on iris")).toBe("holds");
  expect(verdictOf("Larger trees overfit on ecoli")).toBe("does not hold");
  expect(verdictOf("All data")).toBe("does not hold");
  expect(findings.find(({ claim }) => claim.startsWith("COP-k-means finds no"))!.ours).toContain("ecoli 100%");
  expect(picturesOf(rans).map(({ name }) => name)).toEqual(["all", "cv", "pruning", "sizes"]);
  expect(picturesOf(rans)[0]!.svg).toContain("COP repairing scaled");
  expect(tablesOf(rans)[1]!.rows[3]).toEqual([
    "ecoli",
    "100",
    "6",
    "0.900 ± 0.000",
    "0.800 ± 0.000",
    "0.800 ± 0.000",
    "–",
    "0.800 ± 0.000",
    "0.800 ± 0.000",
  ]);
});
