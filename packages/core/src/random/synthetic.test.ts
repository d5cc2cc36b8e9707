import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "./random.js";
import { makeSynthetic, SYNTHETIC_SETS, type SyntheticSet } from "./synthetic.js";

const N = 600;

function rowsOf(name: SyntheticSet, n = N, seed = 1) {
  const { points, truth } = makeSynthetic(name, n, randomFrom(seed));
  return Array.from(truth.codes, (code, i) => ({ code, x: points.x[2 * i]!, y: points.x[2 * i + 1]! }));
}
const radius = (x: number, y: number): number => Math.sqrt(x * x + y * y);
const gap = (rows: ReturnType<typeof rowsOf>): number => {
  let least = Infinity;
  for (const a of rows) for (const b of rows) if (a.code < b.code) least = Math.min(least, radius(a.x - b.x, a.y - b.y));
  return least;
};

test.each(SYNTHETIC_SETS)("%s: halves, in random order, and the same for the same seed", (name) => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), fc.integer(), (n, seed) => {
      const { points, truth } = makeSynthetic(name, n, randomFrom(seed));
      expect([points.n, points.d, points.x.length]).toEqual([n, 2, 2 * n]);
      expect(truth.codes.filter((code) => code === 0).length).toBe(Math.ceil(n / 2));
      expect(makeSynthetic(name, n, randomFrom(seed))).toEqual({ points, truth });
      if (n > 2) expect(makeSynthetic(name, n, randomFrom(seed + 1)).points.x).not.toEqual(points.x);
    }),
    { numRuns: 20 },
  );
  const codes = makeSynthetic(name, N, randomFrom(0)).truth.codes;
  expect(codes.slice(0, N / 2).filter((code) => code === 0).length).toBeLessThan(0.7 * (N / 2));
});

test.each(SYNTHETIC_SETS)("%s: the classes do not touch", (name) => {
  expect(gap(rowsOf(name))).toBeGreaterThan(0.25);
});

describe("shapes", () => {
  test("circles: a disc around the origin and a ring around the disc, each full", () => {
    const rows = rowsOf("circles");
    for (const { code, x, y } of rows) {
      const r = radius(x, y);
      expect(code === 0 ? r <= 1 : r >= 2.1 && r <= 2.7).toBe(true);
    }
    // Half of the disc's area is within radius √½; each quarter of the ring has its share.
    const disc = rows.filter(({ code }) => code === 0);
    expect(disc.filter(({ x, y }) => radius(x, y) < Math.SQRT1_2).length / disc.length).toBeCloseTo(0.5, 1);
    const ring = rows.filter(({ code }) => code === 1);
    expect(ring.filter(({ x, y }) => x > 0 && y > 0).length / ring.length).toBeCloseTo(0.25, 1);
  });

  test("cellwalls: each cell has a wall around a nucleus, and both are in both cells", () => {
    const seen = new Set<string>();
    for (const { code, x, y } of rowsOf("cellwalls")) {
      const r = radius(Math.abs(x) - 2.1, y);
      expect(code === 0 ? r <= 0.6 : r >= 1.6 && r <= 2).toBe(true);
      seen.add(`${code} ${x > 0}`);
    }
    expect(seen.size).toBe(4);
  });

  test("xor: the signs of x and y together determine the class, neither sign on its own does", () => {
    const rows = rowsOf("xor");
    for (const { code, x, y } of rows) expect(code).toBe(x * y > 0 ? 0 : 1);
    for (const code of [0, 1]) {
      const own = rows.filter((row) => row.code === code);
      expect(own.filter(({ x }) => x > 0).length / own.length).toBeCloseTo(0.5, 1);
    }
  });

  test("stormclouds: one above the other, each far longer than high", () => {
    const rows = rowsOf("stormclouds");
    for (const code of [0, 1]) {
      const own = rows.filter((row) => row.code === code);
      for (const { y } of own) expect(y > 0).toBe(code === 1);
      const width = Math.max(...own.map(({ x }) => x)) - Math.min(...own.map(({ x }) => x));
      const height = Math.max(...own.map(({ y }) => y)) - Math.min(...own.map(({ y }) => y));
      expect(width / height).toBeGreaterThan(4);
      // Without gaps: a row in every tenth of its length.
      const left = Math.min(...own.map(({ x }) => x));
      expect(new Set(own.map(({ x }) => Math.min(9, Math.floor((10 * (x - left)) / width)))).size).toBe(10);
    }
  });
});

test("golden values, the same in every engine", () => {
  const { points, truth } = makeSynthetic("stormclouds", 4, randomFrom(7));
  expect([...truth.codes]).toEqual([0, 1, 0, 1]);
  expect([...points.x]).toEqual([
    1.2343648359805486, -2.074285831181198, 0.34715113838427986, 1.0360529044886204, 0.5987483639868382, -1.5256012178296292,
    3.4533135430992377, 1.0312730650525932,
  ]);
});

test("unknown names and too few rows are refused in a sentence", () => {
  expect(() => makeSynthetic("squares" as never, 10, randomFrom(0))).toThrow(
    'name is "squares"; it must be circles, cellwalls, xor, stormclouds.',
  );
  expect(() => makeSynthetic("xor", 1, randomFrom(0))).toThrow("n is 1; it must be a whole number, 2 or more.");
});
