import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Links } from "../model/constraint-set.js";
import type { Points } from "../model/points.js";
import { randomFrom } from "../random/random.js";
import { pointsFromRows } from "../rows.js";
import { tuples } from "../testing/tuples.js";
import { constraints } from "./build.js";
import { closeConstraints } from "./closure.js";
import { contradictions } from "./contradictions.js";
import { constraintsFromGeometry, type GeometryOptions } from "./from-geometry.js";
import { pairsByLooking } from "./from-geometry.reference.js";

const pairsOf = ({ a, b }: Links): [number, number][] => Array.from(a, (row, s) => [row, b[s]!]);
const keys = (pairs: Iterable<readonly [number, number]>): string[] => Array.from(pairs, (pair) => pair.join()).sort();

function cloud(n: number, d: number, seed: number, spread = 1): Points {
  const random = randomFrom(seed);
  return { n, d, x: Float64Array.from({ length: n * d }, () => spread * random.unit()) };
}

/** Groups of must-linked rows, and the pairs of groups with rows too far apart (a group can be paired with itself). */
function meaning(n: number, near: readonly (readonly [number, number])[], far: readonly (readonly [number, number])[]) {
  const { component } = closeConstraints(constraints({ n }, { mustLink: near }));
  const apart = far.map(([a, b]) => [component[a]!, component[b]!].sort((p, q) => p - q).join());
  return { component: [...component], apart: [...new Set(apart)].sort() };
}

function check(points: Points, separation: number, diameter: number): void {
  const made = constraintsFromGeometry(points, { separation, diameter });
  const naive = pairsByLooking(points, separation, diameter);
  const [must, cannot] = [pairsOf(made.mustLinks), pairsOf(made.cannotLinks)];
  expect(meaning(points.n, must, cannot)).toEqual(meaning(points.n, naive.near, naive.far));
  const near = new Set(keys(naive.near));
  const far = new Set(keys(naive.far));
  expect(keys(must).every((key) => near.has(key))).toBe(true);
  expect(keys(cannot).every((key) => far.has(key))).toBe(true);
  // A forest, and one cannot-link per pair of groups: nothing is redundant.
  const { componentCount } = closeConstraints(constraints({ n: points.n }, { mustLink: must }));
  expect(must).toHaveLength(points.n - componentCount);
  expect(cannot).toHaveLength(meaning(points.n, must, cannot).apart.length);
}

describe("is equivalent to all pairs", () => {
  test("clouds in one to five dimensions, thresholds from hardly any pair to nearly all", () => {
    for (const d of [1, 2, 3, 5]) {
      for (const [separation, diameter] of tuples("0.01 1.4, 0.05 0.9, 0.1 0.5, 0.3 0.3")) {
        check(cloud(150, d, d), separation, diameter);
      }
    }
  });

  test("grids and repeated rows, where distances are equal to the thresholds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 60 }),
        fc.constantFrom(0.5, 1, Math.SQRT2, 2),
        fc.constantFrom(2, 3, 5),
        (rows, separation, diameter) => check(pointsFromRows(rows), separation, diameter),
      ),
    );
  });

  test("only one threshold", () => {
    const points = cloud(80, 2, 4);
    const naive = pairsByLooking(points, 0.1, 0.6);
    expect(keys(pairsOf(constraintsFromGeometry(points, { diameter: 0.6 }).cannotLinks))).toEqual(keys(naive.far));
    const near = constraintsFromGeometry(points, { separation: 0.1 });
    expect(near.cannotLinks.a).toHaveLength(0);
    expect(meaning(80, pairsOf(near.mustLinks), [])).toEqual(meaning(80, naive.near, []));
  });

  test("rows at exactly the threshold are neither near nor far", () => {
    const line = pointsFromRows([[0], [3], [6]]);
    const made = constraintsFromGeometry(line, { separation: 3, diameter: 6 });
    expect(made.mustLinks.a).toHaveLength(0);
    expect(made.cannotLinks.a).toHaveLength(0);
  });
});

test("a chain of near rows wider than the diameter is a contradiction, and a notice reports it", () => {
  const chain = pointsFromRows(Array.from({ length: 10 }, (_, i) => [i]));
  const made = constraintsFromGeometry(chain, { separation: 1.5, diameter: 5 });
  expect(made.notices).toEqual([
    expect.stringContaining("1 group of rows, joined in steps shorter than the separation, is wider"),
  ]);
  expect(contradictions(closeConstraints(made))).toHaveLength(1);
  expect(constraintsFromGeometry(chain, { separation: 1.5 }).notices).toEqual([]);
});

describe("drawing", () => {
  const points = cloud(60, 2, 7);
  const naive = pairsByLooking(points, 0.2, 0.5);
  const total = naive.near.length + naive.far.length;
  const draw = (count: number, seed: number, options: GeometryOptions = { separation: 0.2, diameter: 0.5 }) =>
    constraintsFromGeometry(points, { ...options, draw: { count, random: randomFrom(seed) } });

  test("all of them are all of them", () => {
    const made = draw(total + 5, 1);
    expect(keys(pairsOf(made.mustLinks))).toEqual(keys(naive.near));
    expect(keys(pairsOf(made.cannotLinks))).toEqual(keys(naive.far));
    expect(made.notices[0]).toContain(`only ${total.toLocaleString("en")} are near or far enough`);
  });

  test("drawn pairs are true and distinct and have the requested number; the same seed gives the same pairs", () => {
    const made = draw(100, 2);
    const drawn = keys([...pairsOf(made.mustLinks), ...pairsOf(made.cannotLinks)]);
    expect(new Set(drawn).size).toBe(100);
    const near = new Set(keys(naive.near));
    expect(keys(pairsOf(made.mustLinks)).every((key) => near.has(key))).toBe(true);
    expect(draw(100, 2)).toEqual(made);
    expect(draw(100, 3)).not.toEqual(made);
  });

  test("each pair is as likely as any other", () => {
    const hits = new Map<string, number>();
    const rounds = 400;
    const each = Math.round(total / 10);
    for (let seed = 0; seed < rounds; seed++) {
      const made = draw(each, seed);
      for (const key of keys([...pairsOf(made.mustLinks), ...pairsOf(made.cannotLinks)])) hits.set(key, (hits.get(key) ?? 0) + 1);
    }
    const expected = (rounds * each) / total;
    const chi = [...naive.near, ...naive.far].reduce(
      (sum, pair) => sum + ((hits.get(pair.join()) ?? 0) - expected) ** 2 / expected,
      0,
    );
    // Drawing without replacement reduces the statistic by the share of pairs drawn.
    expect(chi / (total * (1 - each / total))).toBeGreaterThan(0.85);
    expect(chi / (total * (1 - each / total))).toBeLessThan(1.15);
  });
});

describe("refuses", () => {
  const points = cloud(100, 2, 1);
  test.each<[GeometryOptions, string]>([
    [{}, "separation is undefined"],
    [{ separation: 0 }, "a distance above 0"],
    [{ diameter: Number.NaN }, "a distance above 0"],
    [{ separation: 2, diameter: 1 }, "at least the separation"],
  ])("%o", (options, sentence) => {
    expect(() => constraintsFromGeometry(points, options)).toThrow(sentence);
  });

  test("a set that would be enormous", () => {
    expect(() => constraintsFromGeometry(points, { diameter: 0.1, limit: 1000 })).toThrow("More than 1,000 pairs");
  });
});

test("no rows, one row, no columns", () => {
  for (const points of [
    { n: 0, d: 2, x: new Float64Array(0) },
    pointsFromRows([[1, 2]]),
    { n: 5, d: 0, x: new Float64Array(0) },
  ]) {
    expect(constraintsFromGeometry(points, { diameter: 1 }).cannotLinks.a).toHaveLength(0);
  }
});

test("a hundred thousand rows in three blobs come out as what they are", () => {
  const random = randomFrom(11);
  const n = 100_000;
  const x = Float64Array.from({ length: 3 * n }, (_, i) => (Math.floor(i / 3) % 3) * 10 + random.unit());
  const made = constraintsFromGeometry({ n, d: 3, x }, { separation: 0.2, diameter: 5 });
  expect(made.mustLinks.a).toHaveLength(n - 3);
  expect(made.cannotLinks.a).toHaveLength(3);
});
