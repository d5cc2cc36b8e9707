import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance } from "../../model/names.js";
import type { Instances } from "../../model/points.js";
import { oneHot } from "../encode.js";
import { averageLink } from "../hierarchical/linkage.js";
import { kmeans } from "../partition/kmeans.js";
import { textDistance } from "../row-distances.js";
import { gramsOf, wordsOf } from "./grams.js";
import { raritiesOf, textVectors } from "./text-vectors.js";

const people = [
  "Anna Meyer",
  "Meyer, Anna",
  "Anna Meier",
  "Anne Meyer",
  "Bernd Schulz",
  "Anna Schulz",
  "A. Meyer",
  "Bernhard Schultz",
  "José Müller",
  "jose muller",
];

describe("worked examples", () => {
  test("words and n-grams", () => {
    expect(wordsOf("Meyer, Anna-Lena (Straße 5)")).toEqual(["meyer", "anna", "lena", "strasse", "5"]);
    expect(gramsOf(["ab"])).toEqual(["=ab", "^a", "ab", "b$", "^ab", "ab$"]);
    expect(wordsOf("– ; !")).toEqual([]);
  });

  test('"Meyer, Anna" equals "Anna Meyer"; a typing error is near; another person is far', () => {
    const between = textDistance(people);
    expect(between(0, 1)).toBe(0);
    expect(between(8, 9)).toBe(0);
    expect(between(0, 2)).toBeCloseTo(0.2, 12);
    expect(between(0, 2)).toBeLessThan(between(0, 6));
    expect(between(0, 6)).toBeLessThan(between(0, 5));
    expect(between(4, 7)).toBeLessThan(0.65);
    expect(between(0, 4)).toBeGreaterThan(0.9);
  });

  test("rare words count more: two names that share a rare word are nearer than two that share a common word", () => {
    const firms = ["Zyx GmbH", "Zyx AG", "Abel GmbH", ...Array.from({ length: 30 }, (_, i) => `Firma${i} GmbH`)];
    const between = textDistance(firms);
    expect(between(0, 1)).toBeLessThan(between(0, 2));
  });

  test("texts without letters are equal or different", () => {
    const between = textDistance(["?!", "…", "a"]);
    expect(between(0, 1)).toBe(1);
    expect(between(0, 2)).toBe(1);
    expect(between(0, 0)).toBe(0);
  });
});

test("a distance: symmetric, 0 to itself, never beyond 1; the order of words never matters", () => {
  const word = fc.string({ unit: "grapheme", maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.array(word, { maxLength: 4 }), { minLength: 2, maxLength: 8 }), (lists) => {
      const texts = lists.map((words) => words.join(" "));
      const between = textDistance([...texts, ...lists.map((words) => words.toReversed().join(" "))]);
      for (let i = 0; i < texts.length; i++) {
        if (wordsOf(texts[i]!).length > 0) expect(between(i, texts.length + i)).toBeCloseTo(0, 12);
        for (let j = 0; j < texts.length; j++) {
          const distance = between(i, j);
          expect(distance).toBe(between(j, i));
          expect(distance >= 0 && distance <= 1).toBe(true);
        }
      }
    }),
    { numRuns: 100 },
  );
});

describe("vectors for means", () => {
  const dimensions = 64;
  const vectors = textVectors(people, raritiesOf(people), dimensions);
  const squared = (i: number, j: number) => {
    let sum = 0;
    for (let t = 0; t < dimensions; t++) sum += (vectors[i * dimensions + t]! - vectors[j * dimensions + t]!) ** 2;
    return sum;
  };

  test("vectors have length 1; equal words give equal vectors; similar texts are near", () => {
    people.forEach((_, i) => {
      expect(vectors.subarray(i * dimensions, (i + 1) * dimensions).reduce((sum, v) => sum + v * v, 0)).toBeCloseTo(1, 12);
    });
    expect(squared(0, 1)).toBeCloseTo(0, 20);
    expect(squared(0, 2)).toBeLessThan(squared(0, 4));
    expect(squared(0, 4)).toBeGreaterThan(1);
  });

  test("the same numbers in every engine", () => {
    expect(Array.from(vectors.subarray(0, 4), (value) => Number(value.toFixed(6)))).toEqual([
      -0.148174, 0.076681, -0.060894, 0.031064,
    ]);
  });
});

describe("methods", () => {
  const levels = ["Anna Meyer", "Meyer, Anna", "Anna Meier", "Bernd Schulz", "Schulz, Bernd", "Bernd Schultz"];
  const points: Instances = {
    n: 6,
    d: 1,
    x: Float64Array.from([0, 1, 2, 3, 4, 5]),
    names: ["name"],
    nominal: Uint8Array.of(1),
    texts: Uint8Array.of(1),
    levels: [levels],
  };

  test("by distances and by means", () => {
    const linked = averageLink(points, undefined, { k: 2 });
    expect([...linked.labels]).toEqual([0, 0, 0, 1, 1, 1]);
    expect(linked.notices.join()).toContain("1 column is compared as text");
    const means = kmeans(points, undefined, { k: 2 });
    expect([...means.labels]).toEqual([0, 0, 0, 1, 1, 1]);
    expect(means.notices.join()).toContain("1 column of text is encoded as 64 numbers");
    expect(oneHot({ ...points, textDimensions: 8 }).points.d).toBe(8);
  });
});

test("whatever was compared before, a distance is the same; edits count where they say more than n-grams", () => {
  const texts = [
    "anna lee",
    "ana lee",
    "lee anna",
    "bob stone",
    "bob stnoe",
    "rob stone",
    "zoe",
    "zoë",
    "anna-lee 7",
    "stone, anna",
  ];
  const shared = textDistance(texts);
  const pairs = texts.flatMap((_, a) => texts.map((_, b) => [(a * 7 + b * 3) % texts.length, b] as const));
  for (const [a, b] of pairs) expect(shared(a, b)).toBe(textDistance(texts)(a, b));
  const [anna, ana] = ["anna lee", "ana lee"].map((text) => text.split(" ").sort().join(" ")) as [string, string];
  expect(shared(0, 1)).toBe(1 - (1 - (2 * editDistance(anna, ana, 4)) / anna.length));
  expect(shared(3, 4)).toBeCloseTo((2 * 1) / 9, 12);
});
