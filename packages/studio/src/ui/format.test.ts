import { expect, test } from "vitest";
import {
  ago,
  aligned,
  alignedCells,
  cell,
  change,
  compact,
  dateRange,
  dateWords,
  daysOf,
  inWords,
  listed,
  power,
  range,
  shortNames,
  tickWords,
} from "./format.js";

test("minus signs are minus signs", () => {
  expect(change(-0.0004, 3)).toBe("0.000");
  expect(change(0.16, 3)).toBe("+0.160");
  expect(change(-6, 0)).toBe("−6");
});

test("cells: what is missing is a dash, numbers keep six digits, texts stay", () => {
  expect([0, -0.5, 2500, 20_000, -3e6, 12_500, 10.002].map(tickWords).join(" ")).toBe("0 −0.5 2500 20k −3M 12500 10.002");
  expect([cell(null), cell(""), cell(0), cell(-2.5), cell(1 / 3), cell("<b>")]).toEqual([
    "–",
    "–",
    "0",
    "−2.5",
    "0.333333",
    "<b>",
  ]);
});

test("ranges are as short as they can be read", () => {
  expect(range(32.1, 59.6)).toBe("32–60");
  expect(range(2700, 6300)).toBe("2.7–6.3k");
  expect(range(0.13, 0.66)).toBe("0.13–0.66");
  expect(compact(1_400_000)).toBe("1.4M");
});

test("powers of ten: small numbers are written out, 9.96e17 is 1.0e18", () => {
  expect(power(2)).toEqual({ digits: "100", exponent: null });
  expect(power(17.36)).toEqual({ digits: "2.3", exponent: 17 });
  expect(power(Math.log10(9.96) + 17)).toEqual({ digits: "1.0", exponent: 18 });
});

test("heads of tables are the shortest words that stay apart", () => {
  expect(shortNames(["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"])).toEqual([
    "bill l.",
    "bill d.",
    "flipper",
    "body",
  ]);
});

test("times: minutes, hours, yesterday, a day", () => {
  const now = new Date(2026, 10, 16, 12, 0).getTime();
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();
  expect(ago(at(2026, 10, 16, 11, 48), now)).toBe("12 minutes ago");
  expect(ago(at(2026, 10, 16, 9, 0), now)).toBe("3 hours ago");
  expect(ago(at(2026, 10, 15, 23, 0), now)).toBe("yesterday");
  expect(ago(at(2026, 10, 9, 9, 0), now)).toBe("9 November");
  expect(ago(at(2025, 10, 9, 9, 0), now)).toBe("9 November 2025");
});

test("lists and numbers in words", () => {
  expect(listed(["a"])).toBe("a");
  expect(listed(["a", "b", "c"])).toBe("a, b and c");
  expect([inWords(4), inWords(13)]).toEqual(["four", "13"]);
});

test("dates are days: ranges as narrow as they can be said, and back from cells", () => {
  expect(daysOf("1970-01-02")).toBe(1);
  expect(daysOf("1970-01-02 12:00:00")).toBe(1.5);
  expect(daysOf("06:00:00")).toBe(0.25);
  expect([daysOf(""), daysOf("red"), daysOf("1970")]).toEqual([null, null, null]);
  expect(dateRange(daysOf("2019-03-01")!, daysOf("2024-01-01")!)).toBe("2019–2024");
  expect(dateRange(daysOf("2024-03-01")!, daysOf("2024-05-30")!)).toBe("Mar–May");
  expect(dateRange(daysOf("2024-03-01")!, daysOf("2024-03-30")!)).toBe("1–30 Mar");
  expect(dateRange(0.25, 0.5)).toBe("06:00–12:00");
});

test("numbers under each other have equal decimals; dates are dates", () => {
  expect([18.4, 18.6, 15].map(aligned([18.4, 18.6, 15]))).toEqual(["18.4", "18.6", "15.0"]);
  expect([2.88, -0.161].map(aligned([2.88, -0.161]))).toEqual(["2.88", "−0.16"]);
  expect([3700, 5000].map(aligned([3700, 5000]))).toEqual(["3700", "5000"]);
  expect([12_000, 3].map(aligned([12_000, 3]))).toEqual(["12k", "3"]);
  expect([0, 0].map(aligned([0, 0]))).toEqual(["0", "0"]);
  expect([46, 45.8, null, "x"].map(alignedCells([46, 45.8, null, "x"]))).toEqual(["46.0", "45.8", "–", "x"]);
  expect([19_755, 0.25, 1e12].map(dateWords)).toEqual(["2024-02-02", "06:00", "1000000000000"]);
});
