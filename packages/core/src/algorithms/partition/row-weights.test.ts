/** A row of weight w equals w rows: every method with row weights is compared with itself on the table with repeated rows. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../catalogue.js";
import { constraints } from "../../constraints/index.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { problemOf } from "../../testing/problem-of.js";
import { type Method, takesK } from "../method.js";

const K = 3;
/** The starts of a mixture, and so of auto, are drawn from the rows: copies of rows draw others. The mixture has a test of its own. */
const able = catalogue.filter(({ name, weighsRows }) => weighsRows && !["auto", "mixture"].includes(name));

interface Drawn {
  readonly rows: readonly number[][];
  readonly weights: readonly number[];
  readonly known: {
    readonly mustLink: readonly [number, number][];
    readonly cannotLink: readonly [number, number][];
    readonly relative: readonly [number, number, number][];
  };
}

/** Three clouds of rows; `all`: whether rows with constraints can have a weight above 1. */
function draw(seed: number, all: boolean): Drawn {
  const random = randomFrom(seed);
  const n = 9 + random.int(8);
  const rows = Array.from({ length: n }, (_, i) => [4 * (i % 3) + random.normal(), random.normal()]);
  const others = (row: number, step: number) =>
    Array.from({ length: n }, (_, i) => i).filter((i) => i !== row && i % 3 === (row + step) % 3);
  const pick = (from: readonly number[]) => from[random.int(from.length)]!;
  const known = {
    mustLink: Array.from({ length: 2 }, (_, row) => [row, pick(others(row, 0))] as [number, number]),
    cannotLink: Array.from({ length: 2 }, (_, row) => [row, pick(others(row, 1))] as [number, number]),
    relative: [[0, pick(others(0, 0)), pick(others(0, 1))] as [number, number, number]],
  };
  const bound = new Set(Object.values(known).flat(2));
  const weights = rows.map((_, i) => (all || !bound.has(i) ? 1 + random.int(4) : 1));
  return { rows, weights, known };
}

/** The table with repeated rows, copies adjacent. Copies of a must-linked row are linked to it; `kept`: copies of a cannot-linked row too. */
function repeated({ rows, weights, known }: Drawn, kept: boolean) {
  const first: number[] = [];
  let n = 0;
  for (const weight of weights) {
    first.push(n);
    n += weight;
  }
  const bound = new Set([...known.mustLink, ...(kept ? known.cannotLink : [])].flat());
  const copies = rows.flatMap((_, i) =>
    bound.has(i) ? Array.from({ length: weights[i]! - 1 }, (_, c) => [first[i]!, first[i]! + c + 1] as [number, number]) : [],
  );
  const points = pointsFromRows(rows.flatMap((row, i) => Array.from({ length: weights[i]! }, () => row)));
  const at = <Rows extends readonly number[]>(given: readonly Rows[]) =>
    given.map((each) => each.map((i) => first[i]!) as unknown as Rows);
  return {
    first,
    points,
    known: constraints(points, {
      mustLink: [...at(known.mustLink), ...copies],
      cannotLink: at(known.cannotLink),
      relative: at(known.relative),
    }),
  };
}

function expectAlike(method: Method, drawn: Drawn, options: object): void {
  const { rows, weights, known } = drawn;
  const many = repeated(drawn, method.treats.cannotLink === "hard");
  const points = { ...pointsFromRows(rows), rowWeights: Float64Array.from(weights) };
  const weighted = method(points, constraints(points, known), options);
  const plain = method(many.points, many.known, options);
  expect([...weighted.labels]).toEqual(many.first.map((row) => plain.labels[row]));
  expect(Math.abs(weighted.objective! - plain.objective!)).toBeLessThan(1e-6 * Math.max(1, Math.abs(plain.objective!)));
  weighted.centres?.forEach((centre, c) => {
    for (const [j, value] of centre.entries()) expect(value).toBeCloseTo(plain.centres![c]![j]!, 6);
  });
}

/** Hard methods keep the copies of a row together. Soft methods pay for each link, so linked rows have weight 1 there. */
const HARD = ["cop-kmeans", "rca-kmeans", "supervised-means"];
/** Options that replace given first centres in some methods. */
const OPTIONS: Readonly<Record<string, object>> = { "supervised-means": {}, clusilc: { minLeaf: 1 } };

describe.each(able.map((method) => [method.name, method] as const))("%s", (name, method) => {
  test("a row of weight w equals w rows", () => {
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const drawn = draw(seed, HARD.includes(name));
        expectAlike(method, drawn, { k: K, ...(OPTIONS[name] ?? { init: drawn.rows.slice(0, K) }) });
      }),
      { numRuns: 30 },
    );
  });

  test("equal weights change nothing but the objective; the first centres are drawn by weight too", () => {
    const { rows, known } = draw(5, true);
    const even = { ...pointsFromRows(rows), rowWeights: new Float64Array(rows.length).fill(1) };
    const set = constraints(even, known);
    const seed = name === "clusilc" ? {} : { seed: 3 };
    const [weighted, plain] = [even, pointsFromRows(rows)].map((points) => method(points, set, { k: K, ...seed }));
    expect(weighted!.labels).toEqual(plain!.labels);
    expect(weighted!.objective! - plain!.objective!).toBeCloseTo(0, 8);
  });
});

test.each([
  { metrics: "multiple", matrix: "diagonal" },
  { metrics: "single", matrix: "full" },
  { metrics: "multiple", matrix: "full" },
])("mpck-means with metrics $metrics and a $matrix matrix: a row of weight w equals w rows", (learning) => {
  const mpck = catalogue.find(({ name }) => name === "mpck-means")!;
  fc.assert(
    fc.property(fc.nat(1e6), (seed) => {
      const drawn = draw(seed, false);
      expectAlike(mpck, drawn, { k: K, init: drawn.rows.slice(0, K), ...learning });
    }),
    { numRuns: 20 },
  );
});

test("a tree weighs the levels of nominal columns too", () => {
  const clusilc = catalogue.find(({ name }) => name === "clusilc")!;
  const of = (rows: readonly number[][]) => ({ ...pointsFromRows(rows), nominal: Uint8Array.of(0, 1) });
  fc.assert(
    fc.property(fc.nat(1e6), fc.constantFrom(4, 7), (seed, levels) => {
      const random = randomFrom(seed);
      const rows = Array.from({ length: 14 }, (_, i) => [4 * (i % 3) + random.normal(), random.int(levels)]);
      const weights = rows.map(() => 1 + random.int(3));
      const options = { k: K, minLeaf: 1, maxLeaves: 5 };
      const weighted = clusilc({ ...of(rows), rowWeights: Float64Array.from(weights) }, undefined, options);
      const many = clusilc(of(rows.flatMap((row, i) => Array.from({ length: weights[i]! }, () => row))), undefined, options);
      expect(weighted.rules).toEqual(many.rules);
      expect(weighted.objective).toBeCloseTo(many.objective!, 9);
    }),
    { numRuns: 40 },
  );
});

test("the methods that weigh rows; the others refuse", () => {
  expect(catalogue.filter(({ weighsRows }) => weighsRows).map(({ name }) => name)).toEqual([
    "auto",
    "kmeans",
    "cop-kmeans",
    "pck-means",
    "mk-means",
    "mpck-means",
    "supervised-means",
    "rca-kmeans",
    "svm-kmeans",
    "mixture",
    "clusilc",
  ]);
  const points = { ...pointsFromRows([[0], [1], [5], [6]]), rowWeights: Float64Array.of(1, 2, 1, 1) };
  for (const method of catalogue) {
    if (method.weighsRows) continue;
    expect(problemOf(() => method(points, undefined, takesK(method) ? { k: 2 } : {}))).toMatchObject({
      code: "bad-input",
      message: expect.stringContaining("cannot weigh rows"),
    });
  }
  const bounded = problemOf(() => catalogue.find(({ name }) => name === "cop-kmeans")!(points, undefined, { k: 2, minSize: 1 }));
  expect(bounded).toMatchObject({ code: "bad-input", message: expect.stringContaining("Bounds on the sizes") });
});

test.each(able.map((method) => [method.name, method] as const))(
  "%s refuses weights that are too large to add up, and names the row",
  (_, method) => {
    const table = pointsFromRows([[1, 5], [2, 6], [9, 1], [8, 2]]); // biome-ignore format: a table
    const run = (...weights: number[]) => method({ ...table, rowWeights: Float64Array.from(weights) }, undefined, { k: 2 });
    expect(() => run(1, 1e308, 1, 1)).toThrow(/^Row 1 has the weight 1e\+308: weights times squared distances are too large/);
    expect(() => run(1, 1, 0, 1)).toThrow("Row 2 has the weight 0. Give every row a finite number above 0.");
    expect(() => run(1e-308, 1e-308, 1e-308, 1e-308)).not.toThrow();
  },
);
