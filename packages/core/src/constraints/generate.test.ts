import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Labelling } from "../model/points.js";
import { randomFrom } from "../random/random.js";
import { processorMs } from "../testing/processor-ms.js";
import { type GenerateOptions, generateConstraints, labelConstraints } from "./generate.js";
import { allPairs, pairsBetweenClasses, pairsWithinClasses, rowsByClass } from "./pair-ranks.js";

const anyTruth: fc.Arbitrary<Labelling> = fc
  .array(fc.integer({ min: -1, max: 3 }), { minLength: 0, maxLength: 12 })
  .map((codes) => ({ codes: Int32Array.from(codes), names: ["p", "q", "r", "s"] }));

function pairsOf({ codes }: Labelling): { must: string[]; cannot: string[] } {
  const [must, cannot]: [string[], string[]] = [[], []];
  for (let i = 0; i < codes.length; i++) {
    for (let j = i + 1; j < codes.length; j++)
      if (codes[i]! >= 0 && codes[j]! >= 0) (codes[i] === codes[j] ? must : cannot).push(`${i},${j}`);
  }
  return { must, cannot };
}

const generate = (truth: Labelling, options: Omit<GenerateOptions, "random">, seed = 1) => {
  const { mustLinks, cannotLinks, notices } = generateConstraints(truth, { ...options, random: randomFrom(seed) });
  const list = ({ a, b }: typeof mustLinks) => Array.from(a, (row, s) => `${row},${b[s]}`);
  return { must: list(mustLinks), cannot: list(cannotLinks), notices };
};

test("numbered pairs are all the pairs, each once", () => {
  fc.assert(
    fc.property(anyTruth, (truth) => {
      const listed = (ranked: ReturnType<typeof allPairs>) =>
        Array.from({ length: ranked.count }, (_, rank) => ranked.at(rank).join()).sort();
      const classes = rowsByClass(truth.codes, 4);
      const { must, cannot } = pairsOf(truth);
      expect(listed(pairsWithinClasses(classes))).toEqual(must.sort());
      expect(listed(pairsBetweenClasses(classes))).toEqual(cannot.sort());
      expect(listed(allPairs(classes.rows))).toEqual([...must, ...cannot].sort());
    }),
  );
});

describe("drawn pairs are true and distinct and have the requested number", () => {
  const check = (truth: Labelling, drawn: ReturnType<typeof generate>) => {
    const { must, cannot } = pairsOf(truth);
    expect(new Set(drawn.must).size).toBe(drawn.must.length);
    expect(new Set(drawn.cannot).size).toBe(drawn.cannot.length);
    for (const pair of drawn.must) expect(must).toContain(pair);
    for (const pair of drawn.cannot) expect(cannot).toContain(pair);
  };
  test("at random", () => {
    fc.assert(
      fc.property(anyTruth, fc.nat(80), fc.nat(), (truth, count, seed) => {
        const drawn = generate(truth, { count }, seed);
        const { must, cannot } = pairsOf(truth);
        const possible = must.length + cannot.length;
        check(truth, drawn);
        expect(drawn.must.length + drawn.cannot.length).toBe(Math.min(count, possible));
        expect(drawn.notices.length).toBe(count > possible ? 1 : 0);
      }),
    );
  });
  test("in proportion, exactly", () => {
    fc.assert(
      fc.property(anyTruth, fc.nat(80), fc.nat(), (truth, count, seed) => {
        const drawn = generate(truth, { count, mix: "proportional" }, seed);
        const { must, cannot } = pairsOf(truth);
        const possible = must.length + cannot.length;
        check(truth, drawn);
        const total = Math.min(count, possible);
        expect(drawn.must.length + drawn.cannot.length).toBe(total);
        if (possible > 0) expect(Math.abs(drawn.must.length - (total * must.length) / possible)).toBeLessThanOrEqual(0.5);
      }),
    );
  });
  test("by share, and by numbers", () => {
    fc.assert(
      fc.property(anyTruth, fc.nat(30), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (truth, count, share, seed) => {
        const { must, cannot } = pairsOf(truth);
        const wanted = Math.round(count * share);
        const drawn = generate(truth, { count, mix: share }, seed);
        check(truth, drawn);
        expect(drawn.must.length).toBe(Math.min(wanted, must.length));
        expect(drawn.cannot.length).toBe(Math.min(count - wanted, cannot.length));
        expect(generate(truth, { mix: { mustLink: wanted, cannotLink: count - wanted } }, seed)).toEqual(drawn);
      }),
    );
  });
});

const halves: Labelling = { codes: Int32Array.from({ length: 40 }, (_, i) => i % 2), names: ["even", "odd"] };

test("every pair is as likely as any other", () => {
  const counts = new Map<string, number>();
  const truth: Labelling = { codes: Int32Array.of(0, 1, 0, -1, 1), names: ["x", "y"] };
  for (let seed = 0; seed < 3000; seed++) {
    const drawn = generate(truth, { count: 2 }, seed);
    for (const pair of [...drawn.must, ...drawn.cannot]) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120);
});

test("noise inverts the requested share of pairs", () => {
  const honest = generate(halves, { count: 50 });
  const noisy = generate(halves, { count: 50, noise: 0.2 });
  const { must, cannot } = pairsOf(halves);
  const wrong =
    noisy.must.filter((pair) => cannot.includes(pair)).length + noisy.cannot.filter((pair) => must.includes(pair)).length;
  expect(wrong).toBe(10);
  expect([...noisy.must, ...noisy.cannot].sort()).toEqual([...honest.must, ...honest.cannot].sort());
});

test("too few pairs are announced", () => {
  const truth: Labelling = { codes: Int32Array.of(0, 0, 1), names: ["x", "y"] };
  expect(generate(truth, { count: 4 }).notices).toEqual(["4 constraints were asked for, but there are only 3 pairs."]);
  expect(generate(truth, { count: 4, mix: 0.5 }).notices).toEqual([
    "2 constraints were asked for, but there is only 1 pair within a class.",
  ]);
});

test("senseless options are refused in a sentence", () => {
  expect(() => generate(halves, { count: -1 })).toThrow("count is -1; it must be a whole number from 0.");
  expect(() => generate(halves, { count: 1, mix: 2 })).toThrow("mix is 2");
  expect(() => generate(halves, { count: 1, noise: -1 })).toThrow("noise is -1");
  expect(() => generate(halves, {})).toThrow("count is undefined");
});

test("a seed fixes the set: golden", () => {
  expect(generate(halves, { count: 4 }, 7)).toEqual({ must: ["3,21"], cannot: ["10,27", "3,10", "18,33"], notices: [] });
  const { labels } = labelConstraints(halves, 4, randomFrom(7));
  expect([...labels.row]).toEqual([12, 19, 21, 3]);
});

test("label constraints: distinct rows with their own class; a notice when there are too few", () => {
  const truth: Labelling = { codes: Int32Array.of(0, -1, 1, 0), names: ["x", "y"] };
  const { labels, notices } = labelConstraints(truth, 5, randomFrom(1));
  expect([...labels.row].sort()).toEqual([0, 2, 3]);
  expect(Array.from(labels.row, (row) => truth.codes[row])).toEqual([...labels.code]);
  expect(notices).toEqual(["5 constraints were asked for, but there are only 3 rows with a class."]);
});

test("a million rows, without a million squared of anything", () => {
  const truth: Labelling = { codes: Int32Array.from({ length: 1_000_000 }, (_, i) => (i * 31) % 1000), names: [] };
  const begin = processorMs();
  for (const mix of ["random", "proportional", 0.5] as const) {
    const { mustLinks, cannotLinks } = generateConstraints(truth, { count: 10_000, mix, random: randomFrom(3) });
    expect(mustLinks.a.length + cannotLinks.a.length).toBe(10_000);
    expect(mustLinks.a.every((a, s) => truth.codes[a] === truth.codes[mustLinks.b[s]!])).toBe(true);
    expect(cannotLinks.a.every((a, s) => truth.codes[a] !== truth.codes[cannotLinks.b[s]!])).toBe(true);
  }
  expect(processorMs() - begin).toBeLessThan(10_000);
});
