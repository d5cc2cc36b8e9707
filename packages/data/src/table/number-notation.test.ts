import { expect, test } from "vitest";
import { notationOf, saysMissing } from "./number-notation.js";

test.each([
  ["2,339.48", "thousands separators"],
  ["1.234.567,89", "thousands separators"],
  ["-12 000", "thousands separators"],
  ["1'000'000", "thousands separators"],
  ["$1,000", "thousands separators"],
  ["(1,200.50)", "thousands separators"],
  ["$5", "currency signs"],
  ["-$5.50", "currency signs"],
  ["12.5 €", "currency signs"],
  ["USD 7", "currency signs"],
  ["7 EUR", "currency signs"],
  ["5%", "percent signs"],
  ["3.25 %", "percent signs"],
  ["3,5", "decimal commas"],
  ["5", undefined],
  ["-1.5", undefined],
  ["", undefined],
  ["abc", undefined],
  ["SKU 123", undefined],
  ["2024-01-05", undefined],
  ["12 apples", undefined],
  ["1,23,456.7.8", undefined],
  ["9".repeat(100), undefined],
])("%j is written with %s", (text, notation) => {
  expect(notationOf(text)).toBe(notation);
});

test("words for no value", () => {
  for (const text of ["N/A", "n.a.", "null", "None", "-", "--", "unknown", "#N/A", "#DIV/0!", " missing "])
    expect(saysMissing(text)).toBe(true);
  for (const text of ["", "nullable", "a", "0", "x".repeat(100)]) expect(saysMissing(text)).toBe(false);
});
