import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../random/random.js";
import { generateBalanced, generateConstraints } from "./generate.js";

const truthOf = (codes: readonly number[]) => ({ codes: Int32Array.from(codes), names: ["a", "b", "c", "d"] });

function degrees(n: number, { a, b }: { a: Int32Array; b: Int32Array }): number[] {
  const degree = new Array<number>(n).fill(0);
  for (const row of [...a, ...b]) degree[row]!++;
  return degree;
}

test("three equal classes: no row has two cannot-links more than another, nor one more for no need", () => {
  const codes = Array.from({ length: 60 }, (_, i) => i % 3);
  for (const cannotLink of [10, 30, 45, 60, 90]) {
    const made = generateBalanced(truthOf(codes), { mix: { mustLink: 5, cannotLink }, random: randomFrom(cannotLink) });
    const degree = degrees(60, made.cannotLinks);
    expect(made.cannotLinks.a).toHaveLength(cannotLink);
    expect(new Set(made.cannotLinks.weight)).toEqual(new Set([1]));
    expect(Math.max(...degree)).toBe(Math.ceil((2 * cannotLink) / 60));
    expect(Math.max(...degree) - Math.min(...degree)).toBeLessThanOrEqual(1);
  }
});

test("one large class: its rows get equal degrees, and the remaining links are spread evenly over the other rows", () => {
  const codes = Array.from({ length: 50 }, (_, i) => (i < 40 ? 0 : 1));
  const made = generateBalanced(truthOf(codes), { mix: { mustLink: 0, cannotLink: 40 }, random: randomFrom(2) });
  const degree = degrees(50, made.cannotLinks);
  expect(degree.slice(0, 40)).toEqual(new Array(40).fill(1));
  expect(degree.slice(40)).toEqual(new Array(10).fill(4));
});

test("pairs are true and distinct and have the requested number; must-links are the usual ones", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 2, maxLength: 30 }),
      fc.nat(60),
      fc.nat(),
      (codes, count, seed) => {
        const truth = truthOf(codes);
        const made = generateBalanced(truth, { count, random: randomFrom(seed) });
        const usual = generateConstraints(truth, { count, random: randomFrom(seed) });
        expect(made.mustLinks).toEqual(usual.mustLinks);
        const { a, b } = made.cannotLinks;
        expect(a).toHaveLength(usual.cannotLinks.a.length);
        const keys = new Set(Array.from(a, (row, s) => `${row} ${b[s]}`));
        expect(keys.size).toBe(a.length);
        a.forEach((row, s) => {
          expect(row).toBeLessThan(b[s]!);
          expect(codes[row]! >= 0 && codes[b[s]!]! >= 0 && codes[row] !== codes[b[s]!]).toBe(true);
        });
      },
    ),
  );
});

test("noise inverts links", () => {
  const codes = Array.from({ length: 30 }, (_, i) => i % 2);
  const made = generateBalanced(truthOf(codes), { mix: { mustLink: 10, cannotLink: 10 }, noise: 0.1, random: randomFrom(3) });
  const wrong = [
    ...Array.from(made.mustLinks.a, (row, s) => codes[row] !== codes[made.mustLinks.b[s]!]),
    ...Array.from(made.cannotLinks.a, (row, s) => codes[row] === codes[made.cannotLinks.b[s]!]),
  ].filter(Boolean);
  expect(wrong).toHaveLength(2);
});
