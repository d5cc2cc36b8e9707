import { constraints, generateConstraints, pruneConstraints, randomFrom } from "@coterie/core/internal";
import type { Line } from "@coterie/workbench/trials";
import { expect, test } from "vitest";
import { load } from "../frame/data.js";
import type { PageData, TrialTable } from "../frame/paper.js";
import { lpSolver } from "./figure-4.js";
import { balanced } from "./figure-5.js";
import { prunedFrom, pruning } from "./figure-6.js";
import { brainSlice, pixelPicture } from "./figure-7.js";
import { DATA, METHODS, OURS, plainRand, randOf, randomCentres } from "./methods.js";

import { chainsOf, drawsOf, graphOf, logRatios, logSurjections } from "./sampler.js";

import { effectOf, feasibleShare, setsOf25 } from "./sets-of-25.js";
import { hurtShare, table1 } from "./table-1.js";

test("a forest of m cannot-links leaves ((k-1)/k)^m of the clusterings, a triangle (k-1)(k-2)/k²", () => {
  const cannotLink = (...pairs: [number, number][]) => ({ cannotLink: pairs });
  const forest = constraints({ n: 9 }, { mustLink: [[0, 8]], ...cannotLink([0, 1], [1, 2], [3, 4]) });
  expect(feasibleShare(forest, 3)).toBeCloseTo((2 / 3) ** 3, 12);
  const triangle = constraints({ n: 3 }, cannotLink([0, 1], [1, 2], [0, 2]));
  expect(feasibleShare(triangle, 4)).toBeCloseTo((3 * 2) / 16, 12);
});

test("without constraints COP-k-means is plain k-means from the same centres; a set that it cannot keep gives none", async () => {
  const iris = await load("iris-fisher");
  const start = { k: 3, init: randomCentres(iris, 3, randomFrom(1)), seed: 0 };
  expect(randOf("CKM", iris, constraints(iris, {}), start)).toBe(plainRand(iris, start));
  const four = [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3].filter((j) => j > i).map((j) => [i, j] as [number, number]));
  expect(randOf("CKM", iris, constraints(iris, { cannotLink: four }), start)).toBeNull();
});

test("the paper's algorithms are not ours: on wine a unit cost changes nothing, a relative one does", async () => {
  const wine = await load("wine");
  const random = randomFrom(3);
  const known = generateConstraints(wine.truth, { count: 25, random: random.split("constraints") });
  const start = { k: 3, init: randomCentres(wine, 3, random), seed: 0 };
  expect(randOf("PKM", wine, known, start)).toBe(plainRand(wine, start));
  expect(randOf("PCK (ours)", wine, known, start)).not.toBe(plainRand(wine, start));
});

const line = (rand: number | null, plain: number, alone: number): Line => ({
  MPKM: rand,
  "k-means": plain,
  "MPKM alone": alone,
  CKM: rand,
});

test("what a set does depends on what it is compared with", () => {
  expect(effectOf(line(0.8, 0.7, 0.9), "MPKM", "k-means")).toBe("help");
  expect(effectOf(line(0.8, 0.7, 0.9), "MPKM", "itself")).toBe("hurt");
  expect(effectOf(line(0.8, 0.8, 0.9), "CKM", "itself")).toBe("same");
  expect(effectOf(line(null, 0.7, 0.9), "MPKM", "itself")).toBe("none");
  expect(hurtShare([line(0.8, 0.7, 0.9), line(0.9, 0.7, 0.8), line(null, 0, 0)], "MPKM", "itself")).toMatchObject({
    mean: 0.5,
    count: 2,
  });
});

test("table 1: as published it holds, with all sets hurting it does not", () => {
  const published = { glass: 3, ionosphere: 80, "iris-fisher": 41, wine: 69 };
  const seenWith = (hurting: (set: (typeof DATA)[number]) => number): PageData => {
    const lines = DATA.flatMap((set) =>
      Array.from({ length: 100 }, (_, run): Line => {
        const rand = run < hurting(set) ? 0.4 : 0.6;
        return {
          set,
          run,
          "k-means": 0.5,
          ...Object.fromEntries(
            [...METHODS, ...OURS].flatMap((m) => [
              [m, rand],
              [`${m} alone`, 0.5],
            ]),
          ),
        };
      }),
    );
    return { size: "full", seed: 0, missing: [], lines: (table: TrialTable) => (table === setsOf25 ? lines : []) };
  };
  const cells = (seen: PageData) => table1.claims[0]!.judge(seen).cells.filter(({ column }) => column === "MPKM");
  const off = (seen: PageData) =>
    cells(seen).map((cell) => (cell.kind === "number" ? Math.abs(cell.ours - cell.published) : Number.NaN));
  for (const gap of off(seenWith((set) => published[set]))) expect(gap).toBeCloseTo(0, 12);
  for (const gap of off(seenWith(() => 100))) expect(gap).toBeGreaterThan(0.15);
});

test("the printed sampler: on a triangle and on a path its product comes near the count, and k ≤ Δ is refused", () => {
  const path = [
    [0, 1],
    [1, 2],
  ] as const;
  const options = { chains: 4000, draws: 60, random: randomFrom(1) };
  // 3 · 2 · 2 of 27 clusterings of a path, 3 · 2 · 1 of a triangle with three clusters.
  expect(Math.exp(logRatios(3, path, 3, options)!) * 27).toBeCloseTo(12, 0);
  const triangle = [...path, [0, 2] as const];
  expect(Math.exp(logRatios(3, triangle, 4, options)!) * 64).toBeCloseTo(24, 0);
  expect(logRatios(3, triangle, 2, options)).toBeNull();
  expect(Math.exp(logSurjections(4, 2))).toBeCloseTo(14, 9);
  expect(drawsOf(30, 0.1)).toBe(Math.ceil(30 * Math.log(300)));
  expect(chainsOf(16, 0.1, 0.1)).toBe(Math.ceil(1000 ** Math.log(Math.log(16))));
});

test("the constraint graph: components with a cannot-link, each pair of them once", () => {
  const known = constraints(
    { n: 8 },
    {
      mustLink: [
        [0, 1],
        [6, 7],
      ],
      cannotLink: [
        [0, 2],
        [1, 2],
        [2, 3],
      ],
    },
  );
  expect(graphOf(known)).toEqual({
    n: 3,
    edges: [
      [0, 1],
      [1, 2],
    ],
  });
});

test("the slice: four regions, the same for the same seed", () => {
  const slice = brainSlice(3);
  expect(new Set(slice.region)).toEqual(new Set([-1, 0, 1, 2, 3]));
  expect(slice.pixels.truth!.codes.every((code, row) => (code === 1) === slice.region[row]! >= 0)).toBe(true);
  expect(brainSlice(3).pixels.x).toEqual(slice.pixels.x);
  expect(brainSlice(4).pixels.x).not.toEqual(slice.pixels.x);
});

test("a picture has a square for each pixel of each panel", () => {
  const grid = { width: 2, height: 1, x: Int32Array.of(0, 1), y: Int32Array.of(0, 0) };
  const panels = [
    { title: "one", fill: () => "#123456" },
    { title: "two", fill: () => "#654321" },
  ];
  const drawn = pixelPicture(grid, "Two", panels, []);
  expect(drawn.match(/fill="#123456"/g)).toHaveLength(2);
  expect(drawn.match(/fill="#654321"/g)).toHaveLength(2);
});

test("pruning: with nothing dropped both ways are the whole set; what is left does not depend on what was asked before", async () => {
  const trial = pruning.trials("quick", 0).find(({ key }) => key.set === "iris-fisher" && key.dropped === 0)!;
  const all = await pruning.measure(trial);
  for (const method of METHODS) expect(all[`${method} pruned`]).toBe(all[`${method} at random`]);
  const iris = await load("iris-fisher");
  const known = generateConstraints(iris.truth, { count: 100, mix: "random", random: randomFrom(3) });
  const solver = await lpSolver();
  const inTurn = prunedFrom(known, iris, solver);
  for (const count of [0, 1, 2, 3, 9, 20]) {
    expect(inTurn(count)).toEqual(pruneConstraints(known, iris, { count, solver }).set);
    if (count % 9 === 0) expect(prunedFrom(known, iris, solver)(count)).toEqual(inTurn(count));
  }
  expect(inTurn(2)).toEqual(pruneConstraints(known, iris, { count: 2, solver }).set);
});

test("balanced and random sets of one trial: a Rand index each, the same again", async () => {
  const trial = balanced.trials("quick", 0).find(({ key }) => key.set === "iris-fisher" && key.count === 20)!;
  const values = await balanced.measure(trial);
  expect(Object.keys(values)).toEqual([...balanced.values]);
  for (const value of Object.values(values)) expect(value === null || (value > 0.5 && value <= 1)).toBe(true);
  expect(await balanced.measure(trial)).toEqual(values);
});
