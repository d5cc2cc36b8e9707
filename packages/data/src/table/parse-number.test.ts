import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNonFiniteText, numberAt, numberOf } from "./parse-number.js";

const runs = process.env.COTERIE_LONG === "1" ? 10 : 1;
const out = new Float64Array(1);

/** What `numberAt` makes of a text, and how much of it it read. */
function parsed(text: string, decimal = "."): { readonly value: number; readonly read: number } {
  const bytes = new TextEncoder().encode(`${text}\n`);
  out[0] = Number.NaN;
  const read = numberAt(bytes, 0, decimal.charCodeAt(0), out, 0);
  return { value: out[0]!, read };
}

function expectExact(text: string): void {
  const { value, read } = parsed(text);
  expect({ text, value, read }).toEqual({ text, value: Number(text), read: text.length });
}

/** Any finite double, by its bits: subnormal numbers and the largest ones are as likely as others. */
const anyDouble = fc
  .bigInt({ min: 0n, max: 2n ** 64n - 1n })
  .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!)
  .filter(Number.isFinite);

describe("numbers are read exactly as the engine reads them", () => {
  test.each([
    "0",
    "-0",
    "+0",
    "1",
    "-1",
    "+7",
    "5.",
    ".5",
    "-.5",
    "007",
    "0.1",
    "1e5",
    "1E+5",
    "1e-5",
    "123456789",
    "1234567890",
    "999999999999999999",
    "9007199254740993",
    "9007199254740992.5",
    "9007199254740993.0000000000000000000000000001",
    "1e22",
    "1e23",
    "8.5e22",
    "2.2250738585072011e-308",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1.7976931348623157e308",
    "1e-400",
    "0e999999999999",
    "0.000000000000000000000000000001",
    "0.000000000000000000000000000000000000000000012345678901234567",
    "100000000000000000000000000000000000000000",
    "3.14159265358979323846264338327950288",
    "6.0221409e+23",
    "123456789012345678901234567890",
    "1.0000000000000002220446049250313",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203126",
  ])("%s", expectExact);

  test("shortest, fixed and exponential notations of random doubles", () => {
    fc.assert(
      fc.property(anyDouble, fc.integer({ min: 0, max: 25 }), (value, places) => {
        // Few digits may round the largest doubles up to infinity, which is no number to read.
        const texts = [String(value), value.toExponential(places), value.toPrecision(places + 1)];
        for (const text of texts.filter((each) => Number.isFinite(Number(each)))) expectExact(text);
        if (Math.abs(value) < 1e21) expectExact(value.toFixed(places));
      }),
      { numRuns: 5_000 * runs },
    );
  });

  test("ordinary measurements", () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 1, max: 22 }), (value, digits) => {
        expectExact(String(value));
        expectExact(value.toPrecision(digits));
        expectExact(value.toExponential(18));
      }),
      { numRuns: 5_000 * runs },
    );
  });

  test("halfway between two doubles, and a hair beside", () => {
    fc.assert(
      fc.property(anyDouble, fc.constantFrom("", "0", "1", "00000000000000000001"), (value, hair) => {
        const magnitude = Math.abs(value);
        fc.pre(magnitude > 1e-290 && magnitude < 1e290);
        expectExact(halfwayAbove(magnitude) + hair);
      }),
      { numRuns: 2_000 * runs },
    );
  });

  test("any digits with any exponent", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(digits, digits, fc.integer({ min: -340, max: 300 }), (whole, fraction, exponent) => {
        const text = `${whole}.${fraction}e${exponent}`;
        if (Number.isFinite(Number(text))) expectExact(text);
        else expect(parsed(text).read).toBe(-1);
      }),
      { numRuns: 5_000 * runs },
    );
  });

  test("decimal commas", () => {
    expect(parsed("1,5", ",")).toEqual({ value: 1.5, read: 3 });
    expect(parsed("-12345678901234567890,5e-3", ",")).toEqual({ value: Number("-12345678901234567890.5e-3"), read: 26 });
  });
});

/** The exact decimal text of the middle between a double and the next one, in integers. */
function halfwayAbove(value: number): string {
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0]!;
  const mantissa = ((bits & 0xfffffffffffffn) | 0x10000000000000n) * 2n + 1n;
  const shift = Number(bits >> 52n) - 1076;
  if (shift >= 0) return `${mantissa << BigInt(shift)}.`;
  const digits = (mantissa * 5n ** BigInt(-shift)).toString().padStart(-shift + 1, "0");
  return `${digits.slice(0, shift)}.${digits.slice(shift)}`;
}

test.each(["", "abc", "-", "+", ".", "e5", "1e", "1e+", "--1", "0x10x", "1e999", "-1e400", "NaN", "Infinity"])(
  "%j is no number",
  (text) => {
    const { read } = parsed(text);
    expect(read === -1 || read < text.length).toBe(true);
  },
);

test("a number ends where its text does", () => {
  expect(parsed("1.5.2").read).toBe(3);
  expect(parsed("12 ").read).toBe(2);
  expect(parsed("0x10")).toEqual({ value: 0, read: 1 });
});

test("texts: what has the shape of a number, and what names no finite one", () => {
  expect(numberOf("+1.50")).toBe(1.5);
  expect(numberOf("1e999")).toBe(Infinity);
  for (const text of ["", "1_000", "0x10", "1d5", "1e", "٣", "Infinity", "1,5"]) expect(numberOf(text)).toBeUndefined();
  for (const text of ["nan", "NaN", "-inf", "+Infinity", "INF"]) expect(isNonFiniteText(text)).toBe(true);
  for (const text of ["nano", "info", "", "1"]) expect(isNonFiniteText(text)).toBe(false);
});

test("the shape of a number is what the grammar says, digit by digit or all at once", () => {
  const grammar = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
  const text = fc.string({ unit: fc.constantFrom(..."0179+-.eEx, "), maxLength: 8 });
  fc.assert(
    fc.property(text, (each) => {
      expect(numberOf(each)).toEqual(grammar.test(each) ? Number(each) : undefined);
    }),
    { numRuns: 5_000 * runs },
  );
});

test("more digits than a double has still decide how it is rounded", () => {
  const tie = "9007199254740993";
  for (const text of [`${tie}.${"0".repeat(5000)}`, `${tie}.${"0".repeat(5000)}1`, `${tie}${"0".repeat(5000)}1e-5001`])
    expectExact(text);
  expect(parsed(`${tie},${"0".repeat(5000)}1`, ",").value).toBe(9007199254740994);
});
