import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints } from "../../constraints/build.js";
import { closeConstraints } from "../../constraints/closure.js";
import { randomFrom } from "../../random/random.js";
import { constraintGraph, graphOf } from "../graphs/graph.js";
import {
  complete,
  countColourings,
  cycle,
  fromPartitions,
  graphFrom,
  graphOfBits,
  independentPartitions,
  multipartite,
  type Plain,
  petersen,
  queens,
  randomGraph,
  randomTree,
} from "../graphs/graphs.reference.js";
import { countClusterings, log10OfBig } from "./counting.js";

const atMost = (plain: Plain, k: number): string | null => countClusterings(graphFrom(plain), k).atMostK.exact;

/** Number of colourings that use all k colours, by listing. */
function usingAll(plain: Plain, k: number): number {
  let total = 0;
  let binomial = 1;
  for (let j = k; j >= 0; j--) {
    total += ((k - j) % 2 === 0 ? 1 : -1) * binomial * countColourings(plain, j);
    binomial = (binomial * j) / (k - j + 1);
  }
  return total;
}

describe("closed forms", () => {
  test.each([2, 3, 4, 7])("k = %i", (k) => {
    const q = BigInt(k);
    expect(atMost(randomTree(40, 2), k)).toBe((q * (q - 1n) ** 39n).toString());
    expect(atMost(cycle(31), k)).toBe(((q - 1n) ** 31n - (q - 1n)).toString());
    expect(atMost(cycle(30), k)).toBe(((q - 1n) ** 30n + (q - 1n)).toString());
    expect(atMost(complete(4), k)).toBe((q * (q - 1n) * (k > 2 ? q - 2n : 0n) * (k > 3 ? q - 3n : 0n)).toString());
  });
  test("Petersen's graph has 120 colourings with 3 colours, 12,960 with 4", () => {
    expect([3, 4].map((k) => atMost(petersen(), k))).toEqual(["120", "12960"]);
  });
  test("queens on 5 x 5 have 240 colourings with 5 colours", () => {
    expect(atMost(queens(5), 5)).toBe("240");
    expect(countClusterings(graphFrom(queens(5)), 4)).toMatchObject({
      atMostK: { exact: "0", log10: null },
      exactlyK: { exact: "0" },
    });
  });
  test("no vertices: one clustering", () => {
    expect(countClusterings(graphOf(0, []), 3).atMostK).toEqual({ log10: 0, exact: "1", interval: null });
    expect(countClusterings(graphOf(0, []), 3).exactlyK.exact).toBe("0");
  });
  test("a ladder of 2,000 vertices is counted exactly", () => {
    const pairs: [number, number][] = [];
    for (let i = 0; i < 1000; i++) {
      pairs.push([i, 1000 + i]);
      if (i < 999) pairs.push([i, i + 1], [1000 + i, 1001 + i]);
    }
    // P = k(k-1)(k²-3k+3)^999.
    expect(atMost({ n: 2000, pairs }, 4)).toBe((12n * 7n ** 999n).toString());
  });
});

describe("equals brute force", () => {
  const compare = (plain: Plain, ks: readonly number[]): void => {
    for (const k of ks) expect(atMost(plain, k)).toBe(String(countColourings(plain, k)));
  };
  test("all labelled graphs of up to 5 vertices, k = 2 … 8", () => {
    for (let n = 1; n <= 5; n++) {
      for (let bits = 0; bits < 1 << ((n * (n - 1)) / 2); bits++) compare(graphOfBits(n, bits), [2, 3, 4, 5, 6, 7, 8]);
    }
  });
  test("random graphs of 6 vertices, k = 2 … 8", () => {
    for (let seed = 0; seed < 40; seed++) compare(randomGraph(6, 3 + (seed % 12), seed), [2, 3, 4, 5, 6, 7, 8]);
  });
  test("random graphs of up to 12 vertices", () => {
    for (let seed = 0; seed < 60; seed++) {
      const plain = randomGraph(7 + (seed % 6), 12 + (seed % 19), seed);
      compare(plain, [2, 3, 4]);
      const partitions = independentPartitions(plain);
      for (const k of [5, 6, 7, 8]) expect(atMost(plain, k)).toBe(String(fromPartitions(partitions, k)));
    }
  });
  test("exactly k", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 5 }), fc.nat(), (n, k, seed) => {
        const plain = randomGraph(n, seed % (n * 2), seed);
        expect(countClusterings(graphFrom(plain), k).exactlyK.exact).toBe(String(usingAll(plain, k)));
      }),
      { numRuns: 100 },
    );
  });
});

test("an exclusive group of 100,000 rows is a product", () => {
  const known = constraints({
    n: 100_000,
    exclusive: [{ column: "s", codes: Int32Array.from({ length: 100_000 }, (_, i) => i >> 2), names: [] }],
  });
  const { atMostK } = countClusterings(constraintGraph(closeConstraints(known)), 4);
  expect(atMostK.log10).toBeCloseTo(25_000 * Math.log10(24), 6);
  expect(atMostK.exact).toHaveLength(Math.floor(25_000 * Math.log10(24)) + 1);
});

test("logarithms of large numbers", () => {
  expect(log10OfBig(10n ** 400n)).toBeCloseTo(400, 10);
  expect(log10OfBig(12345n)).toBeCloseTo(4.091491094267951, 12);
  expect(log10OfBig(7n ** 5000n)).toBeCloseTo(5000 * Math.log10(7), 8);
});

describe("sampling", () => {
  test("a wide part is sampled, within an interval, for both counts", () => {
    const plain = randomGraph(60, 110, 6);
    const graph = graphFrom(plain);
    const k = 12;
    const sampled = countClusterings(graph, k, { effort: 10_000, random: randomFrom(4) });
    expect(sampled.atMostK.exact).toBeNull();
    const [low, high] = sampled.atMostK.interval!;
    expect(high - low).toBeLessThan(0.2);
    expect(high - low).toBeGreaterThan(0);
    expect(sampled.exactlyK.log10!).toBeLessThan(sampled.atMostK.log10!);
    expect(sampled.notices.join(" ")).toContain("sampling");
    expect(countClusterings(graph, k, { effort: 10_000, random: randomFrom(4) })).toEqual(sampled);
    expect(countClusterings(graph, k, { effort: 10_000, random: randomFrom(5) })).not.toEqual(sampled);
  });
  test("with fewer than Δ + 2 colours there is an estimate but no interval", () => {
    const { atMostK, notices } = countClusterings(graphFrom(multipartite(9, 9, 9)), 5, { effort: 500 });
    expect(atMostK.log10).not.toBeNull();
    expect([atMostK.exact, atMostK.interval]).toEqual([null, null]);
    expect(notices.join(" ")).toContain("no interval");
  });
  test("from Δ + 2 colours on the estimate has an interval, and no notice denies it", () => {
    const plain = randomGraph(60, 110, 6);
    const most = Math.max(...Array.from({ length: 60 }, (_, v) => plain.pairs.filter((pair) => pair.includes(v)).length));
    const { atMostK, notices } = countClusterings(graphFrom(plain), most + 2, { effort: 2_000 });
    expect(atMostK.interval).not.toBeNull();
    expect(notices.join(" ")).not.toContain("no interval");
    expect(notices.join(" ")).toContain(`proven from ${2 * most + 1} on`);
  });
});

describe("more colours than vertices", () => {
  test.each([1e3, 1e9, 1e12, Number.MAX_SAFE_INTEGER])("k = %i: counts are exact where a part can be counted", (k) => {
    const q = BigInt(k);
    expect(atMost(cycle(31), k)).toBe(((q - 1n) ** 31n - (q - 1n)).toString());
    const { exactlyK, notices } = countClusterings(graphFrom(cycle(31)), k);
    expect(exactlyK.exact).toBe("0");
    expect(notices.join()).toContain("Only 31 groups of rows have to be apart");
  });

  test.each([1e3, 1e7, 1e9, Number.MAX_SAFE_INTEGER])("k = %i: a wide part is sampled without a table of colours", (k) => {
    const plain = randomGraph(60, 0.3, 5);
    const { atMostK, exactlyK } = countClusterings(graphFrom(plain), k);
    // Each vertex has k colours minus the colours of its earlier neighbours, so the count lies between these two products.
    const most = 60 * Math.log10(k);
    const least = plain.pairs.length * Math.log10(1 - 1 / k) * 1.2 + most;
    expect(atMostK.log10!).toBeLessThan(most + 0.02);
    expect(atMostK.log10!).toBeGreaterThan(least - 0.02);
    expect(exactlyK.exact).toBe("0");
  });
});

test("a part too large to sample is reported at once", () => {
  const { atMostK, exactlyK, notices } = countClusterings(graphFrom(randomGraph(4000, 20_000, 1)), 26);
  expect([atMostK, exactlyK]).toEqual(Array(2).fill({ log10: null, exact: null, interval: null }));
  expect(notices.join()).toMatch(/was not estimated: \d+ groups/);
});
