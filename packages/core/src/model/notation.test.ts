import fc from "fast-check";
import { expect, test } from "vitest";
import { type AmountNotation, type Notation, readValue, roundedValue, writtenValue } from "./notation.js";

const dollars: AmountNotation = { kind: "money", before: "$", after: "", decimal: ".", group: "," };
const euros: AmountNotation = { kind: "money", before: "", after: " €", decimal: ",", group: "." };
const percent: AmountNotation = { kind: "percent", before: "", after: "%", decimal: ".", group: "" };

test.each<[number, Notation | null, string]>([
  [10098, { kind: "date" }, "1997-08-25"],
  [10098.5, { kind: "date" }, "1997-08-25 12:00:00"],
  [0.25, { kind: "date" }, "1970-01-01 06:00:00"],
  [0.25, { kind: "time" }, "06:00:00"],
  [-1, { kind: "date" }, "1969-12-31"],
  [1234567.5, dollars, "$1,234,567.50"],
  [-1250, dollars, "-$1,250"],
  [1234.56, euros, "1.234,56 €"],
  [12.5, percent, "12.5%"],
  [1e300, dollars, "$1e+300"],
  [10098.5, null, "10098.5"],
])("%d is written %j as %s", (value, notation, text) => {
  expect(writtenValue(value, notation)).toBe(text);
});

test("a computed number is rounded as people round: money to the cent, percent to some digits, dates not at all", () => {
  expect([roundedValue(1234.5678, dollars), roundedValue(0.012345678, dollars)]).toEqual(["$1,234.57", "$0.0123457"]);
  expect(roundedValue(100 / 3, percent, 4)).toBe("33.33%");
  expect(roundedValue(10098.5, { kind: "date" })).toBe("1997-08-25 12:00:00");
});

test("what was written is read as the same number", () => {
  const amounts = fc.constantFrom(dollars, euros, percent, { ...euros, before: "EUR ", after: "", group: "" });
  const value = fc.oneof(
    fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  fc.assert(
    fc.property(value, amounts, (number, notation) => {
      // A column with a decimal comma never shows an exponent with a decimal point.
      fc.pre(/^[-\d.]+$/.test(String(number)) || notation.decimal === ".");
      expect(readValue(writtenValue(number + 0, notation), notation)).toBe(number + 0);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: -200_000, max: 200_000 }), fc.integer({ min: 0, max: 86_399_999 }), (day, moment) => {
      const days = day + moment / 86_400_000;
      expect(readValue(writtenValue(days, { kind: "date" }), { kind: "date" })).toBeCloseTo(days, 8);
    }),
  );
});
