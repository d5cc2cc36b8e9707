import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../catalogue.js";
import { colour } from "../../colouring/colouring.js";
import { constraintGraph } from "../../colouring/graphs/graph.js";
import { contradictions } from "../../constraints/contradictions.js";
import { closeConstraints, constraints, violationCount } from "../../constraints/index.js";
import { plainKernels } from "../../kernels/index.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { problemOf } from "../../testing/problem-of.js";
import { candidatesFor } from "./candidates.js";
import { chooseMethodSteps } from "./choose.js";
import { auto } from "./index.js";

/** Three groups along x; y is noise a hundred times as wide, as a column of another unit. */
const random = randomFrom(4);
const side = Array.from({ length: 90 }, (_, i) => i % 3);
const rows = side.map((group) => [6 * group + random.normal(), 100 * random.normal()]);
const points = pointsFromRows(rows);

function pairsOf(count: number, seed: number, wrong = 0) {
  const draw = randomFrom(seed);
  const mustLink: [number, number][] = [];
  const cannotLink: [number, number][] = [];
  while (mustLink.length + cannotLink.length < count) {
    const [a, b] = [draw.int(90), draw.int(90)];
    if (a === b) continue;
    const same = (side[a] === side[b]) !== draw.unit() < wrong;
    (same ? mustLink : cannotLink).push([a, b]);
  }
  return constraints(points, { mustLink, cannotLink });
}

describe("the choice", () => {
  test("constraints choose a method that sees the column that matters; the evidence has every candidate", () => {
    const { chosen, labels } = auto(points, pairsOf(40, 1), { k: 3 });
    expect(chosen).toMatchObject({ by: "held-out constraints" });
    const evidence = chosen!.evidence;
    expect(evidence.map(({ algorithm }) => algorithm)).toEqual(
      candidatesFor(points, pairsOf(40, 1), 3).map(({ method }) => method.name),
    );
    const scoreOf = (name: string) => evidence.find(({ algorithm }) => algorithm === name)!.score!;
    expect(scoreOf(chosen!.algorithm!)).toBeGreaterThan(scoreOf("kmeans") + 0.3);
    for (const group of [0, 1, 2]) {
      const found = [...labels].filter((_, i) => side[i] === group);
      const largest = Math.max(...[0, 1, 2].map((label) => found.filter((each) => each === label).length));
      expect(largest / found.length).toBeGreaterThan(0.9);
    }
  });

  test("with few constraints, and with none, experience decides", () => {
    for (const known of [pairsOf(4, 2), undefined])
      expect(auto(points, known, { k: 3 }).chosen).toMatchObject({ algorithm: "mixture", evidence: [] });
  });

  test("a wide table with many clusters of few rows has no mixture among its candidates", () => {
    const draw = randomFrom(9);
    const wide = pointsFromRows(Array.from({ length: 300 }, () => Array.from({ length: 120 }, () => draw.normal())));
    const none = constraints(wide, {});
    const named = (k: number) => candidatesFor(wide, none, k).map(({ method }) => method.name);
    expect(named(20)).toContain("mixture");
    expect(named(21)).not.toContain("mixture");
    expect(named(21)).toEqual(expect.arrayContaining(["kmeans", "pck-means", "ward", "ccl"]));
  });

  test("named candidates alone are tried, and a name that is none is refused", () => {
    const { chosen } = auto(points, pairsOf(40, 1), { k: 3, candidates: ["kmeans", "ward"] });
    expect(chosen!.evidence.map(({ algorithm, scale }) => `${algorithm} ${scale}`)).toEqual([
      "kmeans given",
      "kmeans zscore",
      "ward given",
    ]);
    expect(auto(points, undefined, { k: 3, candidates: ["ward"] }).chosen).toMatchObject({
      algorithm: "ward",
      by: "the only candidate",
    });
    expect(problemOf(() => auto(points, undefined, { k: 3, candidates: ["means"] }))).toMatchObject({ code: "bad-option" });
  });

  test("a scale that somebody named is the only one", () => {
    const scales = candidatesFor({ ...points, scaleGiven: true }, pairsOf(5, 1), 3).map(({ scale }) => scale);
    expect(new Set(scales)).toEqual(new Set(["given"]));
  });

  test("the same seed gives the same bytes", () => {
    const run = () => JSON.stringify(auto(points, pairsOf(30, 3), { k: 3, seed: 5 }));
    expect(run()).toBe(run());
  });

  test("given distances and rows with missing cells are clustered by methods that need no means", () => {
    const x = points.x.map((value, p) => (p % 7 === 0 ? Number.NaN : value));
    for (const given of [{ ...points, x, holes: true as const }]) {
      const { chosen, labels } = auto(given, pairsOf(20, 1), { k: 3 });
      expect(["ccl", "complete-link"]).toContain(chosen!.algorithm);
      expect(labels).toHaveLength(90);
    }
  });

  test("a candidate that would take out of proportion is left out and named, unless its prior is among the two highest", () => {
    const known = pairsOf(20, 1);
    const [mixture, kmeans, pck] = ["mixture", "kmeans", "pck-means"].map(
      (name) => candidatesFor(points, known, 3).find(({ method, scale }) => method.name === name && scale === "given")!,
    );
    const slow = { ...pck!, method: { ...pck!.method, seconds: () => 1e6, name: "pck-means" } as never };
    const context = { kernels: plainKernels, random: randomFrom(1) };
    const choice = drain(chooseMethodSteps(points, known, [mixture!, kmeans!, slow], 3, context));
    expect(choice.leftOut.map(({ candidate }) => candidate.method.name)).toEqual(["pck-means"]);
    expect(choice.judged.map(({ candidate }) => candidate.method.name)).toEqual(["mixture", "kmeans"]);
  });

  test("a method that fails is judged so, and another one is chosen", () => {
    const known = pairsOf(20, 1);
    const [first, second] = candidatesFor(points, known, 3).filter(({ scale }) => scale === "given");
    const failing = {
      ...first!,
      method: {
        ...first!.method,
        // biome-ignore lint/correctness/useYield: it fails at once.
        *steps() {
          return problemThrown();
        },
      } as never,
    };
    const context = { kernels: plainKernels, random: randomFrom(1) };
    const { best, judged } = drain(chooseMethodSteps(points, known, [failing, second!], 3, context));
    expect(judged[0]).toMatchObject({ score: null, failure: expect.stringContaining("k") });
    expect(best.candidate).toBe(second);
    expect(problemOf(() => drain(chooseMethodSteps(points, known, [failing], 3, context)))).toMatchObject({
      message: "No method gave an answer.",
    });
  });
});

describe("wide tables", () => {
  const draw = randomFrom(8);
  const wide = pointsFromRows(Array.from({ length: 40 }, () => Array.from({ length: 120 }, () => draw.normal())));
  const groups = (count: number) =>
    constraints(wide, { mustLink: Array.from({ length: count }, (_, g): [number, number] => [2 * g, 2 * g + 1]) });

  test("no candidate learns a metric of all columns", () => {
    const names = candidatesFor(wide, groups(3), 3).map(({ method }) => method.name);
    expect(names).toContain("pck-means");
    expect(names).not.toContain("rca-kmeans");
  });

  test("PCK-means takes few steps from answered groups if there is a group for every cluster", () => {
    const optionsWith = (count: number) =>
      candidatesFor(wide, groups(count), 3).find(({ method }) => method.name === "pck-means")!.options;
    expect([optionsWith(2), optionsWith(3)]).toEqual([undefined, { restarts: 1, maxIterations: 3, search: 0 }]);
  });
});

test("clusters that agree with nothing raise no suspicion", () => {
  const draw = randomFrom(6);
  const noise = pointsFromRows(Array.from({ length: 60 }, () => [draw.normal(), draw.normal()]));
  const pairs = Array.from({ length: 40 }, (_, i): [number, number] => [i, i + 1 + draw.int(15)]);
  const set = constraints(noise, {
    mustLink: pairs.filter((_, i) => i % 2 === 0),
    cannotLink: pairs.filter((_, i) => i % 2 === 1),
  });
  const context = { kernels: plainKernels, random: randomFrom(1) };
  const { held, suspects } = drain(chooseMethodSteps(noise, set, candidatesFor(noise, set, 3), 3, context));
  expect(held).toBeGreaterThan(20);
  expect(suspects).toEqual([]);
});

test("weighted rows are clustered by methods that weigh them", () => {
  const weighted = { ...points, rowWeights: Float64Array.from(side, (group) => 1 + group) };
  const known = pairsOf(30, 3);
  expect(candidatesFor(weighted, known, 3).every(({ method }) => method.weighsRows)).toBe(true);
  expect(auto(weighted, known, { k: 3 }).labels).toHaveLength(90);
});

function problemThrown(): never {
  return auto(points, undefined, { k: 1000 }) as never;
}

test("every set that k clusters can keep is kept, and what they cannot keep is broken and counted", () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.integer({ min: 2, max: 4 }), (seed, k) => {
      const draw = randomFrom(seed);
      const small = pointsFromRows(Array.from({ length: 18 }, () => [draw.normal(), draw.normal()]));
      const pair = (): [number, number] => {
        const a = draw.int(18);
        return [a, (a + 1 + draw.int(17)) % 18];
      };
      const set = constraints(small, {
        mustLink: Array.from({ length: 3 }, pair),
        cannotLink: Array.from({ length: 14 }, pair),
      });
      const closure = closeConstraints(set);
      const isPossible = contradictions(closure).length === 0 && colour(constraintGraph(closure), k).status === "feasible";
      const { violations } = auto(small, set, { k, seed });
      if (isPossible) expect(violationCount(violations)).toBe(0);
    }),
    { numRuns: 30 },
  );
});

test("a table of more rows than the choice looks at: all rows have a cluster", () => {
  const draw = randomFrom(2);
  const many = pointsFromRows(Array.from({ length: 2_600 }, (_, i) => [8 * (i % 2) + draw.normal()]));
  const pairs = Array.from({ length: 20 }, (_, i): [number, number] => [100 * i, 100 * i + 1 + (i % 2)]);
  const set = constraints(many, {
    cannotLink: pairs.filter((_, i) => i % 2 === 0),
    mustLink: pairs.filter((_, i) => i % 2 === 1),
  });
  const { labels, chosen, violations } = auto(many, set, { k: 2 });
  expect([labels.length, chosen!.by, violationCount(violations)]).toEqual([2_600, "held-out constraints", 0]);
});

test("wrong constraints are not kept at any price where an error rate says that they may be wrong", () => {
  const wrong = pairsOf(60, 9, 0.15);
  const kept = auto(points, wrong, { k: 3 });
  const soft = auto(points, wrong, { k: 3, errorRate: 0.15 });
  expect(violationCount(soft.violations)).toBeGreaterThan(violationCount(kept.violations));
});

test("every candidate is a method of the catalogue, so that its command can be repeated", () => {
  const names = new Set(catalogue.map(({ name }) => name));
  for (const { method } of candidatesFor(points, pairsOf(5, 1), 3)) expect(names).toContain(method.name);
});
