import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, emptyConstraints, generateConstraints } from "../../../constraints/index.js";
import { plainKernels } from "../../../kernels/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Points } from "../../../model/points.js";
import type { Result } from "../../../model/result.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { tuples } from "../../../testing/tuples.js";
import type { Outcome } from "../../method.js";
import { engineSteps } from "./index.js";
import { mkMeans, mpckMeans, pckMeans, rcaKmeans, supervisedMeans } from "./methods.js";
import { costObjectiveByDefinition, metricObjectiveByDefinition, problems, rowsOf, squareUnder } from "./mpck.reference.js";
import type { Ablation } from "./run.js";

describe("worked by hand: 0 2 | 10 14, scatters 2 and 8", () => {
  const points = pointsFromRows([[0], [2], [10], [14]]);
  const init = [[1], [12]];
  const run = (known: Parameters<typeof constraints>[1], metrics: "single" | "multiple") =>
    mpckMeans(points, constraints(points, known), { k: 2, init, metrics });
  const weights = (result: Result) => result.metric!.matrices.map((matrix) => matrix[0]);

  test("without constraints: a = 4/10, or 2/2 and 2/8", () => {
    const single = run({}, "single");
    expect([...single.labels]).toEqual([0, 0, 1, 1]);
    expect(weights(single)).toEqual([expect.closeTo(0.4, 12)]);
    expect(single.objective).toBeCloseTo(4 - 4 * Math.log(0.4), 12);
    const multiple = run({}, "multiple");
    expect(weights(multiple)).toEqual([expect.closeTo(1, 12), expect.closeTo(0.25, 12)]);
    expect(multiple.objective).toBeCloseTo(4 - 2 * Math.log(0.25), 12);
  });

  test("a violated must-link of 2 and 10 with weight 0.1 adds 6.4 to a single metric's sum, and 3.2 to each of two", () => {
    const single = run({ mustLink: [[1, 2, 0.1]] }, "single");
    expect(single.violations.mustLink).toEqual([[1, 2]]);
    expect(weights(single)).toEqual([expect.closeTo(4 / 16.4, 12)]);
    expect(single.objective).toBeCloseTo(4 - 4 * Math.log(4 / 16.4), 12);
    expect(weights(run({ mustLink: [[1, 2, 0.1]] }, "multiple"))).toEqual([
      expect.closeTo(2 / 5.2, 12),
      expect.closeTo(2 / 11.2, 12),
    ]);
  });

  test("a violated cannot-link of 0 and 2 with weight 0.01 adds 0.01·(14² - 2²)", () => {
    const single = run({ cannotLink: [[0, 1, 0.01]] }, "single");
    expect(single.violations.cannotLink).toEqual([[0, 1]]);
    expect(weights(single)).toEqual([expect.closeTo(4 / 11.92, 12)]);
    expect(single.farthestPair).toBe("exact");
  });
});

/** Two long parallel stripes: without a learned metric the wide axis decides. */
function stripes(): { readonly points: Points; readonly truth: Int32Array } {
  const random = randomFrom(5);
  const rows = Array.from({ length: 120 }, (_, i) => [20 * random.normal(), (i % 2) * 6 + random.normal()]);
  return { points: pointsFromRows(rows), truth: Int32Array.from(rows, (_, i) => i % 2) };
}

test("the metric finds the relevant feature, plain costs do not", () => {
  const { points, truth } = stripes();
  const random = randomFrom(8);
  const pairs = Array.from({ length: 40 }, () => [...random.sample(120, 2)] as [number, number]);
  const set = constraints(points, {
    mustLink: pairs.filter(([i, j]) => truth[i] === truth[j]),
    cannotLink: pairs.filter(([i, j]) => truth[i] !== truth[j]),
  });
  const instances = { ...points, truth: { codes: truth, names: ["a", "b"] } };
  const result = mpckMeans(instances, set, { k: 2, seed: 1 });
  expect(result.scores!.adjustedRand).toBeGreaterThan(0.9);
  const [wide, narrow] = result.metric!.matrices[0]!;
  expect(narrow! / wide!).toBeGreaterThan(50);
  expect(pckMeans(instances, set, { k: 2, seed: 1 }).scores!.adjustedRand).toBeLessThan(0.6);
});

test("seeded golden", () => {
  const { points } = stripes();
  const set = constraints(points, { mustLink: tuples("0 2, 1 3, 5 7 2"), cannotLink: tuples("0 1, 4 9") });
  const result = mpckMeans(points, set, { k: 3, seed: 3, restarts: 1, metrics: "multiple", matrix: "full" });
  expect(result.labels.join("")).toBe(
    "010112220221210022100122211121200220112000200102110001001101011101120220120200012101102020200221022021010011010121111211",
  );
  expect(result.iterations).toBe(2);
  expect(result.objective).toBeCloseTo(963.8977524381702, 8);
});

const variants = fc.record({
  metrics: fc.constantFrom("single" as const, "multiple" as const),
  matrix: fc.constantFrom("diagonal" as const, "full" as const),
  faithful: fc.boolean(),
  search: fc.constantFrom(0, 5),
});

test("the objective never rises where the paper says so: no repaired metric, no farthest pair that can change", () => {
  let checked = 0;
  fc.assert(
    fc.property(problems, variants, ({ points, set, k, seed }, variant) => {
      const mustOnly = { ...emptyConstraints(points.n), mustLinks: set.mustLinks };
      const { history, notices } = mpckMeans(points, mustOnly, { k, seed, restarts: 1, ...variant });
      if (notices.length > 0) return;
      for (let t = 1; t < history!.length; t++)
        expect(history![t]! - history![t - 1]!).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(history![t]!)));
      checked++;
    }),
    { numRuns: 150 },
  );
  expect(checked).toBeGreaterThan(20);
});

test("search rounds reach lower objectives than the descent alone, and the descent lower ones than moves of single rows", () => {
  const ends = { search: 0, descent: 0, faithful: 0 };
  for (let seed = 0; seed < 8; seed++) {
    const random = randomFrom(seed);
    const codes = Int32Array.from({ length: 80 }, () => random.int(4));
    const rows = Array.from(codes, (code) => Array.from({ length: 6 }, (_, j) => random.normal() + (j === code ? 2 : 0)));
    const points = pointsFromRows(rows);
    const known = generateConstraints({ codes, names: ["a", "b", "c", "d"] }, { count: 60, random });
    const objective = (options: object) => mpckMeans(points, known, { k: 4, seed, restarts: 1, ...options }).objective!;
    ends.search += objective({});
    ends.descent += objective({ search: 0 });
    ends.faithful += objective({ faithful: true });
  }
  expect(ends.search).toBeLessThan(ends.descent);
  expect(ends.descent).toBeLessThan(ends.faithful);
});

const near = (value: number, expected: number) =>
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected));
const neverRises = (history: readonly number[]) => {
  for (let t = 1; t < history.length; t++) expect(history[t]! - history[t - 1]!).toBeLessThanOrEqual(1e-9);
};
const stateOf = (points: Points, k: number, { labels, centres, metric }: Pick<Outcome, "labels" | "centres" | "metric">) => ({
  rows: rowsOf(points),
  labels,
  centres: centres!.map((centre) => [...centre]),
  metrics: Array.from({ length: k }, (_, h) => {
    const g = metric && metric.matrices.length > 1 ? h : 0;
    const at = (i: number, j: number): number =>
      metric?.kind === "full" ? metric.matrices[g]![i * points.d + j]! : i === j ? (metric?.matrices[g]?.[i] ?? 1) : 0;
    const a = Array.from({ length: points.d }, (_, i) => Array.from({ length: points.d }, (_, j) => at(i, j)));
    return { a, logDet: metric?.logDets[g] ?? 0, farthest: 0 };
  }),
});

describe("large components with must-links only", () => {
  const random = randomFrom(5);
  const [n, d, k] = [240, 3, 4];
  const x = Float64Array.from({ length: n * d }, (_, p) => 3 * (Math.floor(p / d) % k) * ((p % d) + 1) + 4 * random.normal());
  const points: Points = { n, d, x };
  const linked = (weight: number) =>
    constraints(points, { mustLink: Array.from({ length: 160 }, (_, i): [number, number, number] => [i, i + k, weight]) });
  test.each(
    [1, 1e-5].flatMap((weight) =>
      (["single", "multiple"] as const).flatMap((metrics) =>
        (["diagonal", "full"] as const).map((matrix) => [metrics, matrix, weight] as const),
      ),
    ),
  )(
    "%s %s metrics, must-links of weight %d alone: the objective equals the sum over all pairs and never rises",
    (metrics, matrix, weight) => {
      const set = linked(weight);
      for (const faithful of [false, true]) {
        const result = mpckMeans(points, set, { k, metrics, matrix, search: 3, restarts: 2, faithful });
        near(result.objective!, metricObjectiveByDefinition(set, stateOf(points, k, result)));
        neverRises(result.history!);
        if (!faithful) expect(result.violations.mustLink.length > 0).toBe(weight < 1);
      }
    },
  );

  test.each([20, 1e-3])("plain costs of %d: the objective equals the sum over all pairs and never rises", (weight) => {
    const set = linked(weight);
    const result = pckMeans(points, set, { k, costs: "unit", restarts: 2 });
    near(result.objective!, costObjectiveByDefinition(set, stateOf(points, k, result)));
    neverRises(result.history!);
    expect(result.violations.mustLink.length > 0).toBe(weight < 1);
  });
});

describe("nearest clusters by kernels, and other costs on demand", () => {
  const random = randomFrom(8);
  const [n, d, k] = [90, 3, 4];
  const x = Float64Array.from({ length: n * d }, (_, p) => 2 * (Math.floor(p / d) % k) * ((p % d) + 1) + 2 * random.normal());
  const pairs = Array.from({ length: 60 }, (): [number, number] => [random.int(n), random.int(n)]).filter(([a, b]) => a !== b);
  const set = (hard: number): ConstraintSet =>
    constraints(
      { n },
      {
        mustLink: pairs
          .filter(([a, b]) => a % k === b % k || (a + b) % 7 === 0)
          .map(([a, b], s) => [a, b, s < hard ? Infinity : 1]),
        cannotLink: pairs.filter(([a, b]) => a % k !== b % k && (a + b) % 7 !== 0),
      },
    );

  test.each([
    ["one diagonal metric", "metric", { metrics: "single", matrix: "diagonal" }, 0],
    ["one diagonal metric and hard must-links", "metric", { metrics: "single", matrix: "diagonal" }, 6],
    ["plain costs", "cost", null, 0],
    ["no costs", "none", { metrics: "single", matrix: "diagonal" }, 6],
  ] as const)("the same outcome as from whole tables: %s", (_, penalty, learning, hard) => {
    const outcome = (onDemandFrom: number, faithful: boolean): Outcome => {
      const common = { k, init: "neighbourhoods", relativeCosts: false, spherical: false, tolerance: 0, iterate: true } as const;
      const ablation: Ablation = { ...common, penalty, learning, search: 4, maxIterations: 9, faithful, onDemandFrom };
      return drain(
        engineSteps({ points: { n, d, x }, constraints: set(hard), notices: [] }, ablation, plainKernels, randomFrom(3)),
      );
    };
    for (const faithful of [false, true]) expect(outcome(0, faithful)).toEqual(outcome(Infinity, faithful));
  });
});

describe("large components, whose rows move as one while no row would leave", () => {
  const random = randomFrom(6);
  const [n, d, k] = [130, 2, 3];
  const x = Float64Array.from({ length: n * d }, (_, p) => 3 * (Math.floor(p / d) % k) * ((p % d) + 1) + 3 * random.normal());
  const points: Points = { n, d, x };
  const run = (set: ConstraintSet, part: Pick<Ablation, "penalty" | "learning" | "search" | "maxIterations">) => {
    const common = { k, init: "neighbourhoods", relativeCosts: false, spherical: false, tolerance: 0, iterate: true } as const;
    const ablation: Ablation = { ...common, ...part, faithful: false, largeFrom: 1 };
    return drain(engineSteps({ points, constraints: set, notices: [] }, ablation, plainKernels, randomFrom(3)));
  };
  const apart: Record<string, (weight: number) => Parameters<typeof constraints>[1]> = {
    "must-links alone": (weight) => ({
      mustLink: Array.from({ length: 120 }, (_, i): [number, number, number] => [i, i + k, weight]),
    }),
    "cannot-links": (weight) => ({
      mustLink: Array.from({ length: 105 }, (_, i): [number, number, number] => [i, i + k, weight * (1 + (i % 2))]),
      cannotLink: tuples("0 1, 1 125, 5 1 3"),
    }),
    "more classes than clusters": (weight) => ({
      labels: Array.from({ length: 128 }, (_, i) => [i, `c${i % (k + 1)}`, weight] as const),
    }),
  };

  test.each(
    Object.keys(apart).flatMap((kind) =>
      [1, 1e-5].flatMap((weight) =>
        [
          ["single", "diagonal"],
          ["multiple", "full"],
        ].map((metric) => [kind, weight, ...metric] as [string, number, "single" | "multiple", "diagonal" | "full"]),
      ),
    ),
  )("%s, of weight %d, %s %s metrics and plain costs: the objective is that of all pairs", (kind, weight, metrics, matrix) => {
    const set = constraints(points, apart[kind]!(weight));
    const result = run(set, { penalty: "metric", learning: { metrics, matrix }, search: 2, maxIterations: 8 });
    const state = stateOf(points, k, result);
    const far = state.metrics.map(({ a, ...rest }) => {
      let farthest = 0;
      for (const p of state.rows) for (const q of state.rows) farthest = Math.max(farthest, squareUnder(a, p, q));
      return { a, ...rest, farthest };
    });
    near(result.objective!, metricObjectiveByDefinition(set, { ...state, metrics: far }));
    const plain = run(set, { penalty: "cost", learning: null, search: 2, maxIterations: 50 });
    near(plain.objective!, costObjectiveByDefinition(set, stateOf(points, k, plain)));
    neverRises(plain.history!);
  });
});

test("the same seed gives the same result; the objective ends the history; inputs stay untouched", () => {
  fc.assert(
    fc.property(problems, variants, ({ points, set, k, seed }, variant) => {
      const before = points.x.slice();
      const result = mpckMeans(points, set, { k, seed, restarts: 2, maxIterations: 20, ...variant });
      expect(mpckMeans(points, set, { k, seed, restarts: 2, maxIterations: 20, ...variant })).toEqual(result);
      expect(result.history!.at(-1)).toBe(result.objective);
      expect(points.x).toEqual(before);
    }),
    { numRuns: 40 },
  );
});

test("with the cosine the lengths of rows do not matter, for single and multiple metrics", () => {
  fc.assert(
    fc.property(problems, variants, ({ points, set, k, seed }, { metrics, matrix }) => {
      const random = randomFrom(seed);
      const lengths = Array.from({ length: points.n }, () => 2 ** (random.int(20) - 10));
      const longer = { ...points, x: points.x.map((value, p) => value * lengths[Math.floor(p / points.d)]!) };
      const run = (rows: Points) =>
        mpckMeans(rows, set, { k, seed, metrics, matrix, restarts: 1, maxIterations: 5, distance: "cosine" });
      const result = run(points);
      expect(run(longer).labels).toEqual(result.labels);
      expect(Number.isFinite(result.objective)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("several metrics are renumbered with their clusters", () => {
  const rows = [
    ...Array.from({ length: 6 }, (_, i) => [100 + i, i % 2]),
    ...Array.from({ length: 6 }, (_, i) => [i / 100, 50 * (i % 3)]),
  ];
  const points = pointsFromRows(rows);
  const result = mpckMeans(points, emptyConstraints(12), {
    k: 2,
    metrics: "multiple",
    init: tuples("0 50, 102 0"),
  });
  expect([...result.labels]).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
  result.metric!.matrices.forEach((weights, c) => {
    for (let j = 0; j < 2; j++) {
      const values = rows.filter((_, i) => result.labels[i] === c).map((row) => row[j]!);
      const mean = values.reduce((sum, value) => sum + value, 0) / 6;
      expect(weights[j]).toBeCloseTo(6 / values.reduce((sum, value) => sum + (value - mean) ** 2, 0), 6);
    }
  });
});

describe("inputs at the edge give an answer and a notice, never NaN", () => {
  const random = randomFrom(1);
  const table = (n: number, d: number, value: (i: number, j: number) => number): Points =>
    pointsFromRows(Array.from({ length: n }, (_, i) => Array.from({ length: d }, (_, j) => value(i, j))));
  const noise = Array.from({ length: 4000 }, () => random.normal());
  const blobs = (n: number, d: number) => table(n, d, (i, j) => noise[(i * d + j) % 4000]! + 8 * (i % 3));
  const everyPair = (n: number) => Array.from({ length: n - 1 }, (_, i) => [i, i + 1] as const);
  const same = (i: number, j: number): boolean => i % 3 === j % 3;
  const some = (n: number) => {
    const pairs = Array.from({ length: n }, (_, i) => [i, (i * 7 + 3) % n] as [number, number]).filter(([i, j]) => i !== j);
    return { mustLink: pairs.filter(([i, j]) => same(i, j)), cannotLink: pairs.filter(([i, j]) => !same(i, j)) };
  };
  const cases: Record<string, readonly [Points, Parameters<typeof constraints>[1]]> = {
    "constant columns": [table(30, 4, (i, j) => (j % 2 === 0 ? 3.7 : noise[i * 4 + j]! + 5 * (i % 3))), some(30)],
    "all rows equal": [table(12, 3, () => 0.1), some(12)],
    "duplicate rows": [table(24, 2, (i) => i % 4), some(24)],
    "more features than rows": [blobs(8, 30), some(8)],
    "fewer different rows than k": [table(10, 2, (i) => i % 2), some(10)],
    "no constraints": [blobs(30, 3), {}],
    "only must-links": [blobs(30, 3), { mustLink: some(30).mustLink }],
    "only cannot-links": [blobs(30, 3), { cannotLink: some(30).cannotLink }],
    "all rows bound, all together": [blobs(15, 3), { mustLink: everyPair(15) }],
    "all rows bound, neighbours apart": [blobs(15, 3), { cannotLink: everyPair(15) }],
    "must-links and cannot-links that deny each other": [blobs(15, 3), { mustLink: everyPair(15), cannotLink: everyPair(15) }],
    "tiny numbers": [{ ...blobs(30, 3), x: blobs(30, 3).x.map((value) => value * 1e-12) }, some(30)],
    "huge numbers": [{ ...blobs(30, 3), x: blobs(30, 3).x.map((value) => value * 1e12) }, some(30)],
    "far from zero": [{ ...blobs(30, 3), x: blobs(30, 3).x.map((value) => value + 1e6) }, some(30)],
    "k rows": [blobs(3, 2), { cannotLink: [[0, 1]] }],
  };
  const methods = {
    pck: (p: Points, c: Parameters<typeof pckMeans>[1]) => pckMeans(p, c, { k: 3, restarts: 1 }),
    mk: (p: Points, c: Parameters<typeof pckMeans>[1]) => mkMeans(p, c, { k: 3, restarts: 1, maxIterations: 30 }),
    "single diagonal": (p: Points, c: Parameters<typeof pckMeans>[1]) => mpckMeans(p, c, { k: 3, restarts: 1 }),
    "multiple diagonal": (p: Points, c: Parameters<typeof pckMeans>[1]) =>
      mpckMeans(p, c, { k: 3, restarts: 1, metrics: "multiple" }),
    "single full": (p: Points, c: Parameters<typeof pckMeans>[1]) => mpckMeans(p, c, { k: 3, restarts: 1, matrix: "full" }),
    "multiple full": (p: Points, c: Parameters<typeof pckMeans>[1]) =>
      mpckMeans(p, c, { k: 3, restarts: 1, metrics: "multiple", matrix: "full", maxIterations: 30 }),
    supervised: (p: Points, c: Parameters<typeof pckMeans>[1]) => supervisedMeans(p, c, { k: 3 }),
    rca: (p: Points, c: Parameters<typeof pckMeans>[1]) => rcaKmeans(p, c, { k: 3, restarts: 1 }),
    "rca without prior": (p: Points, c: Parameters<typeof pckMeans>[1]) => rcaKmeans(p, c, { k: 3, restarts: 1, prior: 0 }),
  };

  test.each(Object.entries(cases))("%s", (_, [points, known]) => {
    const set = constraints(points, known);
    const different = new Set(rowsOf(points).map((row) => row.join())).size;
    for (const [name, method] of Object.entries(methods)) {
      const result = method(points, set);
      const numbers = [
        result.objective!,
        ...result.history!,
        ...result.centres!.flatMap((c) => [...c]),
        ...(result.metric?.matrices ?? []).flatMap((m) => [...m]),
      ];
      expect(numbers.every(Number.isFinite), name).toBe(true);
      expect(Math.min(...result.labels), name).toBe(0);
      if (result.k < 3) expect(result.notices.join(" "), name).toMatch(/Only \d of the 3 clusters have rows/);
      else if (different < 3)
        expect(result.notices.join(" "), name).toMatch(/only 2 different rows: equal rows are in different/);
    }
  });

  test("a constant column gives a notice, and scaling the data changes neither clusters nor objective", () => {
    const [points, known] = cases["constant columns"]!;
    const set = constraints(points, known);
    const result = mpckMeans(points, set, { k: 3, restarts: 1 });
    expect(result.notices.join(" ")).toMatch(/2 columns are constant \("x0", "x2"\)/);
    expect(mpckMeans(points, set, { k: 3, restarts: 1, matrix: "full" }).notices.join(" ")).toMatch(
      /without spread in some direction/,
    );
    // The notice about the column is not repeated for the metric.
    const one = table(30, 4, (i, j) => (j === 1 ? 3.7 : noise[i * 4 + j]! + 5 * (i % 3)));
    expect(mpckMeans(one, constraints(one, some(30)), { k: 3, restarts: 1 }).notices).toEqual([
      'Column "x1" is constant: it does not distinguish rows, and its weight means nothing.',
    ]);
    const plain = mpckMeans(blobs(30, 3), constraints(blobs(30, 3), some(30)), { k: 3 });
    for (const name of ["tiny numbers", "huge numbers"]) {
      expect(mpckMeans(cases[name]![0], constraints(blobs(30, 3), some(30)), { k: 3 }).labels).toEqual(plain.labels);
    }
  });
});
