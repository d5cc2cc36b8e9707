import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cos, exp, log, log10, sin } from "./elementary.js";

const view = new DataView(new ArrayBuffer(8));

/** Doubles as ordered integers, so that their difference is the number of steps between them. */
function rank(x: number): bigint {
  view.setFloat64(0, x);
  const word = view.getBigInt64(0);
  return word < 0n ? -(word & 0x7fffffffffffffffn) : word;
}

function steps(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b) ? 0 : Infinity;
  return Math.abs(Number(rank(a) - rank(b)));
}

const any = fc.double();
const runs = { numRuns: 3000 };

function near(ours: (x: number) => number, theirs: (x: number) => number, input: fc.Arbitrary<number>, most: number): void {
  fc.assert(
    fc.property(input, (x) => steps(ours(x), theirs(x)) <= most),
    runs,
  );
}

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe("within 2 ulp of Math", () => {
  test("exp", () => {
    near(exp, Math.exp, between(-745, 709.7), 2);
    near(exp, Math.exp, between(-1, 1), 2);
    near(exp, Math.exp, any, 2);
  });
  test("log", () => {
    near(log, Math.log, between(0, 1e308), 2);
    near(log, Math.log, between(0.5, 2), 2);
    near(log, Math.log, any, 2);
  });
  test("log10", () => {
    near(log10, Math.log10, between(0, 1e308), 2);
    near(log10, Math.log10, between(0.5, 2), 2);
    near(log10, Math.log10, any, 2);
  });
  test("sin and cos", () => {
    for (const input of [between(-7, 7), between(-1e4, 1e4), between(-1e6, 1e6)]) {
      near(sin, Math.sin, input, 2);
      near(cos, Math.cos, input, 2);
    }
  });
  test("sin and cos beside multiples of π/2", () => {
    for (let q = 1; q < 3000; q += 7) {
      const x = q * (Math.PI / 2);
      expect(steps(sin(x), Math.sin(x))).toBeLessThanOrEqual(2);
      expect(steps(cos(x), Math.cos(x))).toBeLessThanOrEqual(2);
    }
  });
});

test("special values", () => {
  const specials = [0, -0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1e300, -1e300, 5e-324, -5e-324, 2.5e-310, Infinity, -Infinity, NaN];
  for (const x of specials) {
    for (const [ours, theirs] of [
      [exp, Math.exp],
      [log, Math.log],
      [log10, Math.log10],
    ] as const) {
      expect(steps(ours(x), theirs(x)), `${theirs.name}(${x})`).toBeLessThanOrEqual(1);
    }
    if (Math.abs(x) > 1e6) continue;
    for (const [ours, theirs] of [
      [sin, Math.sin],
      [cos, Math.cos],
    ] as const) {
      expect(steps(ours(x), theirs(x)), `${theirs.name}(${x})`).toBeLessThanOrEqual(1);
    }
    expect(Object.is(sin(x), -0)).toBe(Object.is(x, -0));
  }
});

test("exact where the answer is a double", () => {
  for (let k = 0; k <= 22; k++) {
    expect(log10(Number(`1e${k}`))).toBe(k);
  }
  expect([exp(0), log(1), sin(0), cos(0)]).toEqual([1, 0, 0, 1]);
});

test("the same bits in every engine", () => {
  let sum = 0n;
  for (let i = 1; i <= 2000; i++) {
    const x = i * 0.37 - 300;
    for (const value of [exp(x), log(i * 0.37), log10(i * 1.7), sin(x * i), cos(x * 1e3)]) {
      view.setFloat64(0, value);
      sum = (sum * 31n + view.getBigUint64(0)) % 0xffffffffffffffc5n;
    }
  }
  expect(sum.toString(16)).toBe("a247bd37b5802368");
});
