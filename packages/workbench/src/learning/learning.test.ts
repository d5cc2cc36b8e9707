import {
  constraints as constraintsOf,
  copKmeans,
  emptyConstraints,
  type Input,
  type Labelling,
  pointsFromRows,
  randomFrom,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { describe, expect, test } from "vitest";
import { headerOf, parseTrials } from "../trials/lines.js";
import { holm, pairedTest } from "../trials/statistics.js";
import type { Line } from "../trials/trial.js";
import { drawOf, mostGiven } from "./draws.js";
import { defaultMethods, measureRun, RUNS, trialsOf } from "./measure.js";
import { compareMethods } from "./verdicts.js";

const N = 40;
const truth: Labelling = { codes: Int32Array.from({ length: N }, (_, i) => i % 2), names: ["a", "b"] };
const random = randomFrom(1);
const rows = Array.from({ length: N }, (_, i) => [(i % 2) * 6 + random.normal(), random.normal()]);
const points = { ...pointsFromRows(rows), truth };
const byClasses: Input = { points, constraints: emptyConstraints(N) };

/** Every pair of the first 12 rows. */
const pairs = Array.from({ length: 12 }, (_, a) => Array.from({ length: a }, (_, b) => [b, a] as const)).flat();
const given = constraintsOf(points, {
  mustLink: pairs.filter(([a, b]) => a % 2 === b % 2 && b - a < 4),
  cannotLink: pairs.filter(([a, b]) => a % 2 !== b % 2 && b - a === 1),
});
const byConstraints: Input = { points, constraints: given };

const linkedRows = ({ known }: ReturnType<typeof drawOf>): Set<number> =>
  new Set([known.mustLinks.a, known.mustLinks.b, known.cannotLinks.a, known.cannotLinks.b].flatMap((list) => [...list]));

describe("draws", () => {
  test("by classes: as many pairs as the count says, all true, and their rows are not scored", () => {
    const draw = drawOf(byClasses, "classes", 8, 5);
    const { mustLinks, cannotLinks } = draw.known;
    expect(mustLinks.a.length + cannotLinks.a.length).toBe(8);
    expect(Array.from(mustLinks.a, (a, s) => truth.codes[a] === truth.codes[mustLinks.b[s]!])).not.toContain(false);
    const linked = linkedRows(draw);
    expect(draw.scoring).toBe(N - linked.size);
    // Wrong only where nothing is scored.
    const wrongInPairs = truth.codes.map((code, row) => (linked.has(row) ? 1 - code : code));
    expect(draw.score(wrongInPairs)).toBe(1);
    const wrongElsewhere = truth.codes.map((code, row) => (linked.has(row) ? code : 0));
    expect(draw.score(wrongElsewhere)).toBe(0);
  });

  test("the same seed and count give the same draw; another seed or count gives another draw", () => {
    const linked = (count: number, seed: number): string => [...linkedRows(drawOf(byClasses, "classes", count, seed))].join();
    expect(linked(8, 5)).toBe(linked(8, 5));
    expect(linked(8, 6)).not.toBe(linked(8, 5));
    expect(linked(9, 5).startsWith(linked(8, 5))).toBe(false);
  });

  test("by constraints: nothing that is scored is given or follows; a larger count contains a smaller one", () => {
    const most = mostGiven(given);
    const keys = (count: number): string[] => {
      const { mustLinks, cannotLinks } = drawOf(byConstraints, "constraints", count, 3).known;
      return [mustLinks, cannotLinks].flatMap(({ a, b }, kind) => Array.from(a, (row, s) => `${kind}:${row}-${b[s]}`));
    };
    expect(keys(most)).toHaveLength(most);
    expect(keys(most).length).toBeLessThan(given.mustLinks.a.length + given.cannotLinks.a.length);
    for (const key of keys(4)) expect(keys(9)).toContain(key);
    expect(keys(0)).toEqual([]);
    const scoring = [0, 4, most].map((count) => drawOf(byConstraints, "constraints", count, 3).scoring);
    expect(new Set(scoring).size).toBe(1);
    expect(scoring[0]).toBeGreaterThan(0);
  });

  test("by constraints: must-links and cannot-links have equal weight, whatever their numbers", () => {
    const many = constraintsOf(points, {
      mustLink: Array.from({ length: 6 }, (_, i) => [i, i + 20] as const),
      cannotLink: Array.from({ length: 12 }, (_, i) => [i + 6, i + 27] as const),
    });
    const { score } = drawOf({ points, constraints: many }, "constraints", 0, 1);
    expect(score(new Int32Array(N))).toBe(0.5);
    expect(score(Int32Array.from({ length: N }, (_, i) => i))).toBe(0.5);
  });
});

describe("runs", () => {
  const plan = { methods: ["kmeans", "cop-kmeans"], counts: [0, 8], runs: 2, seed: 0, k: 2, by: "classes" } as const;
  const host = { kernels: createSimdKernels(), pause: async () => {} };

  test("all methods of a run share its seed, and a trial gives the same line again", async () => {
    const trials = trialsOf(byClasses, plan);
    expect(trials).toHaveLength(8);
    for (const run of [0, 1]) expect(new Set(trials.filter(({ key }) => key.run === run).map(({ seed }) => seed)).size).toBe(1);
    const lines = await Promise.all(trials.map((trial) => measureRun(byClasses, plan, trial, host)));
    expect(await measureRun(byClasses, plan, trials[3]!, host)).toBe(lines[3]);
    const kept = parseTrials(RUNS, headerOf(RUNS) + lines.join(""), "runs.csv");
    expect([...kept.values()].every(({ values }) => values.score === 1)).toBe(true);
  });

  test("a method that gives no clusters has a line with its reason; a bug is thrown", async () => {
    const trial = trialsOf(byClasses, plan).find(({ key }) => key.method === "cop-kmeans" && key.count === 8)!;
    const line = await measureRun(byClasses, { ...plan, k: 1 }, trial, host);
    const [kept] = parseTrials(RUNS, headerOf(RUNS) + line, "runs.csv").values();
    expect(kept!.values.score).toBeNull();
    expect(kept!.remark).toMatch(/\w+ .*\.$/);
    const kernels = {} as typeof host.kernels;
    await expect(measureRun(byClasses, plan, trialsOf(byClasses, plan)[0]!, { ...host, kernels })).rejects.toThrow(TypeError);
  });

  test("by default: k-means, and what uses the kinds of constraints that are there", () => {
    const names = (input: Input, by: "classes" | "constraints") => defaultMethods(input, { k: 2, by }).methods;
    expect(names(byClasses, "classes")).toEqual(expect.arrayContaining(["auto", "kmeans", "mixture", copKmeans.name, "ccl"]));
    expect(names(byClasses, "classes")).not.toContain("svm-kmeans");
    expect(names(byClasses, "classes")).not.toContain("ward");
    const triples = constraintsOf(points, { relative: [[0, 2, 1]] });
    expect(names({ points, constraints: triples }, "constraints")).toContain("svm-kmeans");
    const weighted = { ...points, rowWeights: new Float64Array(N).fill(2) };
    expect(names({ points: weighted, constraints: given }, "constraints")).not.toContain("ccl");
  });
});

/** Student's density, integrated in small steps. */
function slowP(t: number, freedom: number): number {
  const density = (x: number): number => (1 + (x * x) / freedom) ** (-(freedom + 1) / 2);
  const area = (from: number, to: number, steps = 200_000): number => {
    const width = (to - from) / steps;
    let sum = 0;
    for (let i = 0; i < steps; i++) sum += density(from + (i + 0.5) * width) * width;
    return sum;
  };
  // Beyond 1 the variable is replaced by its reciprocal, so that the tail is finite.
  const tail = (from: number): number => {
    const steps = 200_000;
    const width = 1 / from / steps;
    let sum = 0;
    for (let i = 0; i < steps; i++) {
      const u = (i + 0.5) * width;
      sum += (density(1 / u) / (u * u)) * width;
    }
    return sum;
  };
  const from = Math.abs(t);
  const upper = from >= 1 ? tail(from) : area(from, 1) + tail(1);
  return upper / (area(0, 1) + tail(1));
}

/** Holm's procedure, step by step: whether each hypothesis is rejected at a level. */
function rejected(values: readonly number[], level: number): boolean[] {
  const open = values.map((_, at) => at);
  const out = values.map(() => false);
  while (open.length > 0) {
    const least = open.reduce((low, at) => (values[at]! < values[low]! ? at : low), open[0]!);
    if (values[least]! * open.length > level) break;
    out[least] = true;
    open.splice(open.indexOf(least), 1);
  }
  return out;
}

describe("statistics against slow references", () => {
  test("p-values of paired tests are areas under Student's density", () => {
    const numbers = randomFrom(2);
    for (const count of [2, 3, 5, 10, 25]) {
      const first = Array.from({ length: count }, () => numbers.normal());
      const second = first.map((value) => value + 0.4 + numbers.normal());
      const { t, freedom, p } = pairedTest(first, second);
      expect(freedom).toBe(count - 1);
      expect(p).toBeCloseTo(slowP(t, freedom), 7);
    }
  });

  test("a hypothesis is rejected at a level exactly if its corrected p-value is no larger", () => {
    const numbers = randomFrom(3);
    for (let round = 0; round < 50; round++) {
      const values = Array.from({ length: 1 + numbers.int(8) }, () => numbers.unit() ** 3);
      const corrected = holm(values);
      for (const level of [0.01, 0.05, 0.2, 0.7]) {
        expect(corrected.map((p) => p <= level)).toEqual(rejected(values, level));
      }
    }
  });
});

/** Lines of runs: scores by method, one list for each count. */
function linesOf(scores: Readonly<Record<string, readonly (readonly (number | null)[])[]>>): Line[] {
  return Object.entries(scores).flatMap(([method, byCount]) =>
    byCount.flatMap((values, at) =>
      values.map((score, run) => ({ method, count: 10 * at, run, score, failure: score === null ? "No room." : "" })),
    ),
  );
}

describe("verdicts", () => {
  const near = (mean: number): number[] => [0, 1, -1, 2, -2, 1, -1, 0].map((step) => mean + step / 1000);

  test("ordered by the mean above count 0, with what is certain and what is not", () => {
    const same = near(0.7);
    const lines = linesOf({ low: [near(0.9), near(0.5)], one: [near(0.1), same], two: [near(0.1), [...same].reverse()] });
    const { curves, comparisons, headline, sentences } = compareMethods(lines, {
      methods: ["low", "one", "two"],
      runs: 8,
      by: "classes",
    });
    expect(curves.map(({ method }) => method).at(-1)).toBe("low");
    expect(curves.at(-1)!.mean).toBeCloseTo(0.5, 12);
    expect(comparisons.map(({ isCertain }) => isCertain)).toEqual([false, true, true]);
    expect(comparisons[1]).toMatchObject({ other: "low", difference: expect.closeTo(0.2, 9) });
    expect(headline).toContain("the highest mean score, 0.700");
    expect(sentences).toContain("one is better than low (by 0.200 ± 0.000).");
    expect(sentences.join(" ")).toContain("The other 1 difference is not certain");
    expect(sentences.join(" ")).toContain("Holm's correction for 3 comparisons");
  });

  test("runs that share held-out constraints have larger errors: (1/8 + 1/2) instead of 1/8 of the variance", () => {
    const wide = near(0.52).map((score, run) => score + (run % 3) / 25);
    const lines = linesOf({ a: [near(0.5), wide], b: [near(0.5), near(0.5)] });
    const [classes, constraints] = (["classes", "constraints"] as const).map(
      (by) => compareMethods(lines, { methods: ["a", "b"], runs: 8, by }).comparisons[0]!,
    );
    expect(constraints!.error ** 2 / classes!.error ** 2).toBeCloseTo((1 / 8 + 1 / 2) / (1 / 8), 9);
    expect(constraints!.p).toBeCloseTo(slowP(constraints!.difference / constraints!.error, 7), 6);
    expect([classes!.isCertain, constraints!.isCertain]).toEqual([true, false]);
  });

  test("failed runs are counted with their reason and are in no mean; mostly failed, there is no mean", () => {
    const half = near(0.6).map((score, run) => (run < 3 ? null : score));
    const most = near(0.9).map((score, run) => (run < 5 ? null : score));
    const lines = linesOf({ whole: [near(0.5), near(0.5)], half: [near(0.5), half], most: [near(0.5), most] });
    const { curves, sentences } = compareMethods(lines, { methods: ["whole", "half", "most"], runs: 8, by: "classes" });
    expect(curves.map(({ method, failed }) => [method, failed])).toEqual([
      ["half", 3],
      ["whole", 0],
      ["most", 5],
    ]);
    expect(curves[0]!.mean).toBeCloseTo(half.reduce<number>((sum, score) => sum + (score ?? 0), 0) / 5, 12);
    expect(curves[2]!.mean).toBeNull();
    expect(sentences).toContain("half gave no clusters in 3 runs. The first reason: No room.");
  });

  test("several methods at the end of the ranking are one group, with their least difference", () => {
    const levels = { best: 0.9, a: 0.5, b: 0.4, c: 0.3 };
    const lines = linesOf(Object.fromEntries(Object.entries(levels).map(([name, level]) => [name, [near(level), near(level)]])));
    const { sentences, headline } = compareMethods(lines, { methods: Object.keys(levels), runs: 8, by: "classes" });
    expect(sentences[0]).toBe("best is better than a and the 2 methods below it (by 0.400 ± 0.000 or more).");
    expect(headline).toBe("best has the highest mean score, 0.900.");
  });

  test("one run, one method, or equal methods claim nothing", () => {
    const single = compareMethods(linesOf({ a: [[0.1], [0.9]], b: [[0.1], [0.5]] }), {
      methods: ["a", "b"],
      runs: 1,
      by: "classes",
    });
    expect(single.comparisons[0]!.isCertain).toBe(false);
    expect(single.sentences).toEqual(["Chance cannot be judged from one run: --runs 10 makes ten."]);
    expect(compareMethods(linesOf({ a: [near(0.5)] }), { methods: ["a"], runs: 8, by: "classes" }).sentences).toEqual([]);
    const equal = compareMethods(linesOf({ a: [near(0.5)], b: [near(0.5)] }), { methods: ["a", "b"], runs: 8, by: "classes" });
    expect(equal.headline).toBe("a and b have the highest mean score, 0.500.");
    expect(equal.comparisons[0]).toMatchObject({ p: 1, isCertain: false });
  });
});
