import { expect, test } from "vitest";
import {
  cutMiddle,
  decimalsFor,
  escapeText,
  fitText,
  formatCount,
  formatFixed,
  formatNumber,
  textWidth,
  wrapText,
} from "./text.js";

test("escapes what HTML and SVG read as markup, and replaces what XML forbids", () => {
  expect(escapeText(`<a href="x">'&`)).toBe("&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  expect(escapeText("a\u0000b\u001fc\ud800d\ttab\n😀")).toBe("a\ufffdb\ufffdc\ufffdd\ttab\n😀");
});

test("numbers for reading", () => {
  expect([0, 1.23456, -0.5, 1234.5, 12345.6, 1e-7, -2.5e9].map((value) => formatNumber(value))).toEqual([
    "0",
    "1.235",
    "−0.5",
    "1235",
    "12,346",
    "1 × 10⁻⁷",
    "−2.5 × 10⁹",
  ]);
  expect([null, undefined, Number.NaN, Number.POSITIVE_INFINITY].map((value) => formatNumber(value))).toEqual([
    "–",
    "–",
    "–",
    "–",
  ]);
  expect([999, 2357, 10_269, 1_234_567, -3].map(formatCount)).toEqual(["999", "2,357", "10,269", "1,234,567", "−3"]);
});

test("columns line up with decimals that fit their spread", () => {
  expect([800, 1.9, 0.76, 0.004, 0].map(decimalsFor)).toEqual([0, 1, 2, 4, 2]);
  expect([formatFixed(15, 1), formatFixed(-0.04, 1), formatFixed(-2.25, 1), formatFixed(4775.2, 0)]).toEqual([
    "15.0",
    "0.0",
    "−2.3",
    "4775",
  ]);
});

test("words that would turn the text around them, and very long ones, are tamed", () => {
  expect(escapeText("a\u202eb\u2067c")).toBe("a\ufffdb\ufffdc");
  const long = "😀".repeat(1_000_000);
  expect([...cutMiddle(long, 9)]).toHaveLength(9);
  expect(fitText(long, 12, 60)).toMatch(/^(😀)+…(😀)*$/u);
});

test("sentences are broken between words, and no line is wider than it may be", () => {
  const lines = wrapText(["One sentence of a few words.", "x".repeat(200)], 11, 90);
  expect(lines.length).toBeGreaterThanOrEqual(3);
  for (const line of lines) expect(textWidth(line, 11)).toBeLessThanOrEqual(90);
  expect(lines.slice(0, -1).join(" ")).toBe("One sentence of a few words.");
});

test("long names keep both ends and fit", () => {
  expect(cutMiddle("od280_od315_of_diluted_wines", 15)).toBe("od280_od3…wines");
  expect(cutMiddle("short", 15)).toBe("short");
  expect(cutMiddle("😀".repeat(20), 5)).toBe(`${"😀".repeat(3)}…😀`);
  const name = "a_column_name_that_goes_on_and_on_and_on";
  expect(textWidth(fitText(name, 12, 100), 12)).toBeLessThanOrEqual(100);
});
