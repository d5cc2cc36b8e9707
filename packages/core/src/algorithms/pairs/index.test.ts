import { describe, expect, test } from "vitest";
import { constraints, violationCount } from "../../constraints/index.js";
import { plainKernels } from "../../kernels/index.js";
import type { Instances } from "../../model/points.js";
import { makePeople, randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { problemOf } from "../../testing/problem-of.js";
import { candidatePairs } from "./blocking.js";
import { compareSteps, LEVELS } from "./comparison.js";
import { comparedRowsSteps, duplicates, duplicatesOptions } from "./index.js";
import { matchFitSteps, withConstraintsSteps } from "./match-model.js";
import { type RecordColumn, recordColumnsSteps } from "./records.js";

/** A table of texts and numbers as a reader makes it: texts become codes of levels, "" is a missing cell. */
function tableOf(columns: Readonly<Record<string, readonly (string | number)[]>>): Instances {
  const names = Object.keys(columns);
  const [n, d] = [columns[names[0]!]!.length, names.length];
  const x = new Float64Array(n * d);
  const levels = names.map((name, f) => {
    const cells = columns[name]!;
    const isText = cells.some((cell) => typeof cell === "string");
    const known = isText ? [...new Set(cells.filter((cell) => cell !== ""))].map(String) : null;
    cells.forEach((cell, i) => {
      x[i * d + f] = known ? (cell === "" ? Number.NaN : known.indexOf(String(cell))) : Number(cell);
    });
    return known;
  });
  return { n, d, x, names, levels, nominal: Uint8Array.from(levels, (own) => (own ? 1 : 0)), holes: true };
}

function people(rows: number, seed: number): Instances {
  const records = makePeople(rows, 4, randomFrom(seed));
  const codes = (of: (record: (typeof records)[number]) => string) => {
    const names = [...new Set(records.map(of))];
    return { codes: Int32Array.from(records, (record) => names.indexOf(of(record))), names };
  };
  return {
    ...tableOf({
      name: records.map(({ name }) => name),
      email: records.map(({ email }) => email),
      city: records.map(({ city }) => city),
      born: records.map(({ born }) => born),
    }),
    truth: codes(({ person }) => person),
    exclusive: [{ ...codes(({ source }) => source), column: "source" }],
  };
}

describe("records of people from four sources", () => {
  test("their persons are found without any answer", () => {
    const scores = [1, 2, 3].map((seed) => {
      const points = people(600, seed);
      const result = duplicates(points, constraints(points, {}), {});
      expect(violationCount(result.violations)).toBe(0);
      return result.scores!.adjustedRand;
    });
    expect(Math.min(...scores)).toBeGreaterThan(0.97);
    expect(scores.reduce((sum, each) => sum + each, 0) / 3).toBeGreaterThan(0.985);
  });

  test("constraints are kept, the same seed gives the same result, and the table stays as it was", () => {
    const points = people(200, 4);
    const before = points.x.slice();
    const { codes } = points.truth!;
    const other = (row: number) => codes.findIndex((code, i) => i > row && code !== codes[row]);
    const known = constraints(points, {
      mustLink: [[0, other(0)]],
      cannotLink: [1, 2, 3].map((row): [number, number] => [row, codes.indexOf(codes[row]!, row + 1)]).filter(([, b]) => b > 0),
      labels: [
        [10, "x"],
        [11, "y"],
      ],
    });
    const free = { ...known, exclusive: [] };
    const results = [duplicates(points, free, { seed: 3 }), duplicates(points, free, { seed: 3 })];
    expect(violationCount(results[0]!.violations)).toBe(0);
    expect(results[0]!.labels).toEqual(results[1]!.labels);
    expect(results[0]!.matches.probability).toEqual(results[1]!.matches.probability);
    expect(points.x).toEqual(before);
  });

  test("nearly every pair of one person is a candidate, and candidates are few", () => {
    const points = people(1000, 6);
    const columns = drain(recordColumnsSteps(points));
    const { a, b } = drain(candidatePairs(columns, points.n, 20, () => true));
    const { codes } = points.truth!;
    const found = a.reduce((count, row, p) => count + (codes[row] === codes[b[p]!] ? 1 : 0), 0);
    const sizes = new Int32Array(Math.max(...codes) + 1);
    for (const code of codes) sizes[code]!++;
    expect(found / sizes.reduce((sum, size) => sum + (size * (size - 1)) / 2, 0)).toBeGreaterThan(0.99);
    expect(a.length).toBeLessThanOrEqual(20 * points.n);
    expect(a.every((row, p) => row < b[p]! && (p === 0 || a[p - 1]! < row || (a[p - 1] === row && b[p - 1]! < b[p]!)))).toBe(
      true,
    );
  });

  test("scaled numbers and filled cells are read as the table had them", () => {
    const points = people(120, 9);
    const plain = drain(recordColumnsSteps(points));
    const [offset, factor] = [
      [0, 0, 0, 1970.25],
      [1, 1, 1, 17.3],
    ];
    const x = points.x.map((value, p) => (value - offset[p % 4]!) / factor[p % 4]!);
    expect(drain(recordColumnsSteps({ ...points, x, scaling: { offset, factor } }))).toEqual(plain);
    const filled = drain(recordColumnsSteps({ ...points, filledRows: [[], [], [], [5]].map((rows) => Int32Array.from(rows)) }));
    expect(filled[3]!.value[5]).toBe(-1);
  });
});

test("levels, by hand", () => {
  const points = tableOf({
    name: ["Anna Meyer", "Meyer, Anna", "A. Meyer", "Anna Meier", "Bert Koch", "", "Ángela Núñez"],
    code: [48213, 48213, 48231, 48113, 99999, 48213, 12],
    price: [10, 10.1, 10.5, 20, 10.05, -3, 0.5],
  });
  const columns = drain(recordColumnsSteps(points));
  expect(columns.map(({ kind }) => kind)).toEqual(["text", "code", "number"]);
  const others = [1, 2, 3, 4, 5];
  const levels = drain(compareSteps(columns, { a: new Int32Array(5), b: Int32Array.from(others) }));
  const named = (c: number) => others.map((_, p) => ["missing", ...LEVELS][levels[p * 3 + c]!]);
  expect(named(0)).toEqual(["equal", "part", "near", "different", "missing"]);
  expect(named(1)).toEqual(["equal", "near", "near", "different", "equal"]);
  expect(named(2)).toEqual(["near", "alike", "different", "near", "different"]);
});

test("dates: one digit, swapped day and month, two equal parts", () => {
  const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 86_400_000;
  const dates = ["1980-03-04", "1980-03-14", "1980-04-03", "1980-03-29", "1991-12-30"];
  const points = { ...tableOf({ born: dates.map(day) }), notations: [{ kind: "date" as const }] };
  const columns = drain(recordColumnsSteps(points));
  expect(columns[0]!.texts[0]).toBe("19800304");
  const levels = drain(compareSteps(columns, { a: new Int32Array(4), b: Int32Array.of(1, 2, 3, 4) }));
  expect(Array.from(levels, (level) => LEVELS[level - 1])).toEqual(["near", "alike", "alike", "different"]);
});

test("texts in each other's columns count as near in both", () => {
  const points = tableOf({ given: ["Anna", "Meyer", "Anna"], family: ["Meyer", "Anna", "Koch"] });
  const columns = drain(recordColumnsSteps(points));
  const levels = drain(compareSteps(columns, { a: Int32Array.of(0, 0), b: Int32Array.of(1, 2) }));
  expect(Array.from(levels, (level) => LEVELS[level - 1])).toEqual(["near", "near", "equal", "different"]);
});

/** Compared pairs whose levels are drawn from known probabilities. */
function drawnPairs(count: number, matches: number, seed: number) {
  const random = randomFrom(seed);
  const m = [0.9, 0.05, 0, 0, 0.05];
  const u = [0.02, 0.03, 0, 0.05, 0.9];
  const draw = (shares: readonly number[]): number => {
    const at = random.unit();
    const level = shares.findIndex((_, l) => at < shares.slice(0, l + 1).reduce((sum, share) => sum + share, 0));
    return 1 + (level < 0 ? LEVELS.length - 1 : level);
  };
  const levels = Uint8Array.from({ length: count * 4 }, (_, q) => draw(q < matches * 4 ? m : u));
  const value = new Int32Array(count + 1);
  const column: RecordColumn = {
    name: "c",
    kind: "text",
    value,
    texts: ["x"],
    words: [["x"]],
    numbers: new Float64Array(0),
    // As many rows as random pairs would have: rarity changes nothing.
    frequency: Int32Array.of(Math.round(0.02 * 1000) + 4),
    present: 1000,
  };
  const pairs = {
    a: Int32Array.from({ length: count }, (_, p) => p),
    b: Int32Array.from({ length: count }, (_, p) => p + 1),
    columns: [column, column, column, column],
    levels,
  };
  return { pairs, m, randomLevels: Float64Array.from({ length: 4 * LEVELS.length }, (_, q) => Math.max(1e-3, u[q % 5]!)) };
}

test("EM finds the probabilities that pairs were drawn from", () => {
  const { pairs, m, randomLevels } = drawnPairs(20_000, 2000, 3);
  const fit = drain(matchFitSteps(pairs, new Int8Array(20_000), randomLevels, 20_000));
  expect(fit.matches).toBeGreaterThan(1900);
  expect(fit.matches).toBeLessThan(2100);
  const equal = Math.exp(fit.weights[0]!) * randomLevels[0]!;
  expect(equal).toBeCloseTo(m[0]!, 1);
  const wrong = fit.odds.filter((odds, p) => odds > 0 !== p < 2000).length;
  expect(wrong).toBeLessThan(60);
});

test("known pairs move the probability of pairs like them, and no others", () => {
  const { pairs, randomLevels } = drawnPairs(2000, 200, 4);
  const known = new Int8Array(2000);
  const fit = drain(matchFitSteps(pairs, known, randomLevels, 2000));
  expect(drain(withConstraintsSteps(pairs, fit, known))).toEqual({ weights: fit.weights, odds: fit.odds });
  for (let p = 0; p < 2000; p++) if (pairs.levels[p * 4] === 5 && p % 3 === 0) known[p] = -1;
  const { weights } = drain(withConstraintsSteps(pairs, fit, known));
  expect(weights[4]).toBeLessThan(fit.weights[4]!);
});

describe("given pairs", () => {
  const points = {
    ...pointsFromRows(Array.from({ length: 5 }, (_, i) => [i])),
    pairs: { a: Int32Array.of(0, 1, 2, 3), b: Int32Array.of(1, 2, 3, 4), probability: Float64Array.of(0.99, 0.6, 1, 0.4) },
  };

  test("cluster without a look at the columns; the threshold decides", () => {
    expect([...duplicates(points, undefined, {}).labels]).toEqual([0, 0, 1, 1, 2]);
    expect([...duplicates(points, undefined, { unscored: 0.45, threshold: 0.45 }).labels]).toEqual([0, 0, 0, 0, 1]);
    expect([...duplicates(points, constraints(points, { cannotLink: [[2, 3]] }), {}).labels]).toEqual([0, 0, 1, 2, 3]);
  });

  test("bad options and contradictions are refused", () => {
    expect(problemOf(() => duplicates(points, undefined, { threshold: 0.2 }))).toMatchObject({ option: "unscored" });
    expect(problemOf(() => duplicates(points, undefined, { threshold: 1 }))).toMatchObject({ option: "threshold" });
    const contradiction = constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 1]] });
    expect(problemOf(() => duplicates(points, contradiction, {}))).toMatchObject({ code: "contradiction" });
  });
});

test("tables of one row, of equal rows, and without anything to compare", () => {
  const equal = tableOf({ name: ["x y", "x y", "z"], code: [1, 1, 2] });
  expect([...duplicates(equal, undefined, {}).labels]).toHaveLength(3);
  expect(problemOf(() => duplicates(tableOf({ name: ["x", "x"] }), undefined, {}))).toMatchObject({ code: "bad-input" });
  expect(problemOf(() => duplicates(tableOf({ name: ["x"] }), undefined, {}))).toMatchObject({ code: "bad-input" });
  const apart = tableOf({ name: ["alpha", "beta"] });
  const options = duplicatesOptions.parse({});
  const context = { random: randomFrom(1), kernels: plainKernels };
  expect(drain(comparedRowsSteps({ points: apart, constraints: constraints(apart, {}) }, options, context)).pairs.a).toHaveLength(
    0,
  );
  const none = duplicates(apart, undefined, {});
  expect([...none.labels]).toEqual([0, 1]);
  expect(none.notices).toEqual([expect.stringContaining("no pair was compared")]);
});
