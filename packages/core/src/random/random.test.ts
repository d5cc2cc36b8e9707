import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Random, randomFrom } from "./random.js";

const draws = (random: Random, count: number, below = 1000) => Array.from({ length: count }, () => random.int(below));

describe("golden values, the same in every engine", () => {
  test("whole numbers", () => {
    expect(draws(randomFrom(0), 8)).toEqual([85, 677, 915, 96, 185, 825, 881, 928]);
    expect(draws(randomFrom(7), 4, 6)).toEqual([2, 0, 5, 1]);
    expect(draws(randomFrom(-7), 4, 6)).toEqual([2, 2, 4, 5]);
    expect(draws(randomFrom(2 ** 40 + 1), 3, 2 ** 53)).toEqual([2091435230365954, 865953505617764, 4087849806659986]);
  });
  test("reals", () => {
    const random = randomFrom(1);
    expect([random.unit(), random.unit()]).toEqual([0.7082025663622109, 0.6808867947768219]);
    expect([random.normal(), random.normal(), random.normal()]).toEqual([
      -0.8705413054633666, 0.3173459018414963, -0.5270286813852169,
    ]);
  });
  test("orders and samples", () => {
    const items = Int32Array.of(0, 1, 2, 3, 4, 5, 6, 7);
    randomFrom(3).shuffle(items);
    expect([...items]).toEqual([6, 4, 0, 1, 7, 2, 5, 3]);
    expect([...randomFrom(3).sample(1000, 5)]).toEqual([819, 700, 348, 192, 481]);
    expect(draws(randomFrom(3).split("seeding", 2), 4)).toEqual([575, 63, 388, 363]);
  });
});

describe("streams", () => {
  test("the same seed gives the same stream, another seed another", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        const first = draws(randomFrom(a), 8);
        expect(draws(randomFrom(a), 8)).toEqual(first);
        if (a !== b) expect(draws(randomFrom(b), 8)).not.toEqual(first);
      }),
    );
  });
  test("a split does not depend on what was drawn, nor change what is drawn", () => {
    const plain = randomFrom(5);
    const busy = randomFrom(5);
    draws(busy, 17);
    busy.normal();
    expect(draws(busy.split("order"), 8)).toEqual(draws(plain.split("order"), 8));
    const fresh = randomFrom(5);
    fresh.split("order").int(10);
    expect(draws(fresh, 8)).toEqual(draws(randomFrom(5), 8));
  });
  test("purposes and indices all differ, also when nested", () => {
    const root = randomFrom(0);
    const streams = [
      root,
      root.split(""),
      root.split("a"),
      root.split("ab"),
      root.split("b"),
      root.split("a", 1),
      root.split("a", 2 ** 32 + 1),
    ];
    streams.push(root.split("a").split("b"), root.split("b").split("a"), root.split("a", -1), randomFrom(1));
    for (let i = 0; i < 200; i++) streams.push(root.split("restart", i));
    expect(new Set(streams.map((stream) => draws(stream, 4, 2 ** 32).join())).size).toBe(streams.length);
  });
  test("seeds that are no safe integers are refused in a sentence", () => {
    expect(() => randomFrom(0.5)).toThrow("seed is 0.5; it must be a whole number");
    expect(() => randomFrom(2 ** 53)).toThrow("whole number");
    expect(() => randomFrom(Number.NaN)).toThrow("whole number");
  });
});

describe("distributions", () => {
  test("int stays in range and is even, also where the range does not divide 2^32", () => {
    const random = randomFrom(11);
    for (const below of [1, 2, 3, 7, 3 * 2 ** 30, 2 ** 32, 2 ** 33 + 1, 2 ** 53]) {
      let low = 0;
      for (let i = 0; i < 4000; i++) {
        const value = random.int(below);
        expect(Number.isInteger(value) && value >= 0 && value < below).toBe(true);
        if (value < below / 3) low++;
      }
      const expected = Math.ceil(below / 3) / below;
      expect(Math.abs(low / 4000 - expected)).toBeLessThan(0.04);
    }
    for (const below of [0, -1, 1.5, Number.NaN, 2 ** 54]) expect(() => random.int(below)).toThrow(RangeError);
  });
  test("neighbouring seeds are unrelated: their first coins fall evenly", () => {
    let heads = 0;
    for (let seed = 0; seed < 4000; seed++) heads += randomFrom(seed).int(2);
    expect(Math.abs(heads - 2000)).toBeLessThan(150);
  });
  test("unit and normal have the moments they should", () => {
    const random = randomFrom(2);
    const moments = (draw: () => number) => {
      const sums = [0, 0, 0, 0];
      for (let i = 0; i < 20000; i++) {
        const x = draw();
        for (let p = 0; p < 4; p++) sums[p] = sums[p]! + x ** (p + 1) / 20000;
      }
      return sums;
    };
    [1 / 2, 1 / 3, 1 / 4, 1 / 5].forEach((want, p) => {
      expect(moments(random.unit)[p]).toBeCloseTo(want, 1);
    });
    const [mean, variance, skew, kurtosis] = moments(random.normal);
    expect(Math.abs(mean!)).toBeLessThan(0.03);
    expect(Math.abs(variance! - 1)).toBeLessThan(0.05);
    expect(Math.abs(skew!)).toBeLessThan(0.1);
    expect(Math.abs(kurtosis! - 3)).toBeLessThan(0.2);
  });
  test("a shuffle is a permutation, and every order comes up about equally often", () => {
    const counts = new Map<string, number>();
    const random = randomFrom(9);
    for (let i = 0; i < 6000; i++) {
      const items = Int32Array.of(0, 1, 2);
      random.shuffle(items);
      counts.set(items.join(), (counts.get(items.join()) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(130);
  });
  test("a sample has distinct numbers in range; sparse and dense ways agree", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 70 }), (seed, n, count) => {
        const sample = randomFrom(seed).sample(n, count);
        expect(sample.length).toBe(Math.min(n, count));
        expect(new Set(sample).size).toBe(sample.length);
        expect(sample.every((row) => row >= 0 && row < n)).toBe(true);
        // The first numbers of a large sample (dense) equal a small sample (sparse).
        const all = randomFrom(seed).sample(n, n);
        expect([...sample]).toEqual([...all.slice(0, count)]);
      }),
    );
    expect(randomFrom(0).sample(2 ** 31 - 1, 3).length).toBe(3);
  });
});
