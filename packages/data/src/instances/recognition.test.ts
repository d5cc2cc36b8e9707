/** Cells as people write them, what was recognised, and what was announced: one table. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCsv } from "../csv/csv.js";
import { bytesOf } from "../testing/bytes.js";
import { type InstanceOptions, instancesOf, readingOf } from "./instances.js";

/** Reads a table, by default as its numbers are: a scale and a rule for missing cells are named where a test is about them. */
async function load(text: string, given: InstanceOptions = {}) {
  const options = { scale: "none", missing: "error", ...given } as const;
  const table = await readCsv(bytesOf(new TextEncoder().encode(text)), { file: "t.csv", ...readingOf(options) });
  const loaded = instancesOf(table, options);
  return { table, ...loaded, notices: [...table.notices, ...loaded.notices] };
}

/** A column of these cells beside one of numbers. */
function tableOf(cells: readonly string[]): string {
  return `c,x\n${cells.map((cell, i) => `"${cell.replaceAll('"', '""')}",${i}`).join("\n")}\n`;
}

const BACK = "--type c=nominal reads it as text.";

describe("cells, what they are read as, and what is announced", () => {
  test.each<[cells: string[], values: (number | null)[], notice: string]>([
    [
      ["1,234", "5,678.5", "12"],
      [1234, 5678.5, 12],
      `Column "c" is read as numbers with thousands separators ("1,234" is 1234). ${BACK}`,
    ],
    [
      ["1.234,5", "2.000,25", "7"],
      [1234.5, 2000.25, 7],
      `Column "c" is read as numbers with decimal commas and thousands separators ("1.234,5" is 1234.5). ${BACK}`,
    ],
    [
      ["1 234", "5 678", "9"],
      [1234, 5678, 9],
      `Column "c" is read as numbers with thousands separators ("1 234" is 1234). ${BACK}`,
    ],
    [["1'000'000", "2"], [1e6, 2], `Column "c" is read as numbers with thousands separators ("1'000'000" is 1000000). ${BACK}`],
    [
      ["$1,234.50", "-$7", "$0"],
      [1234.5, -7, 0],
      `Column "c" is read as numbers with currency signs and thousands separators ("$1,234.50" is 1234.5). ${BACK}`,
    ],
    [["12.5 €", "(3 €)"], [12.5, -3], `Column "c" is read as numbers with currency signs ("12.5 €" is 12.5). ${BACK}`],
    [["USD 7", "USD 8", "9"], [7, 8, 9], `Column "c" is read as numbers with currency signs ("USD 7" is 7). ${BACK}`],
    [["12%", "3.5 %", "0"], [12, 3.5, 0], `Column "c" is read as numbers with percent signs ("12%" is 12). ${BACK}`],
    [
      ["1", "N/A", "2", "-", "n/a"],
      [1, null, 2, null, null],
      `Column "c" is read as numbers; 3 cells that say "N/A" or "-" or "n/a" are missing. ${BACK}`,
    ],
    [["1.5", "null"], [1.5, null], `Column "c" is read as numbers; 1 cell that says "null" is missing. ${BACK}`],
    [
      ["$5", "–"],
      [5, null],
      `Column "c" is read as numbers with currency signs ("$5" is 5); 1 cell that says "–" is missing. ${BACK}`,
    ],
    [
      ["1970-01-02", "2024-02-29"],
      [1, 19782],
      `Column "c" is read as dates, in days since 1970-01-01 ("1970-01-02" is 1). ${BACK}`,
    ],
    [
      ["1970-01-02T12:00:00Z", "1970-01-01 18:00", "1970-01-02T00:00:00+06:00", "-"],
      [1.5, 0.75, 0.75, null],
      `Column "c" is read as dates, in days since 1970-01-01 ("1970-01-02T12:00:00Z" is 1.5); 1 cell that says "-" is missing. ${BACK}`,
    ],
    [
      ["31.01.1970", "1.2.1970"],
      [30, 31],
      `Column "c" is read as dates, in days since 1970-01-01, the day first ("31.01.1970" is 30). ${BACK}`,
    ],
    [
      ["01/31/1970", "02/01/1970"],
      [30, 31],
      `Column "c" is read as dates, in days since 1970-01-01, the month first ("01/31/1970" is 30). ${BACK}`,
    ],
    [
      ["01/02/1970", "02/01/1970"],
      [1, 31],
      `Column "c" is read as dates, in days since 1970-01-01, the month first, which is a guess ("01/02/1970" is 1). ${BACK}`,
    ],
    [
      ["2 Jan 1970", "January 3, 1970", "4-Feb-1970"],
      [1, 2, 34],
      `Column "c" is read as dates, in days since 1970-01-01 ("2 Jan 1970" is 1). ${BACK}`,
    ],
    [
      ["06:00", "6:00 pm", "12:00:00"],
      [0.25, 0.75, 0.5],
      `Column "c" is read as times of day, in parts of a day ("06:00" is 0.25). ${BACK}`,
    ],
  ])("%j", async (cells, values, notice) => {
    const { table, instances, notices } = await load(tableOf(cells), { missing: "skip" });
    expect(table.columns[0]!.kind).toBe("numeric");
    const found = values.map((_, i) => instances.x[2 * i]!);
    expect(found).toEqual(values.map((value) => value ?? Number.NaN));
    expect(notices).toContain(notice);
    const asText = await load(tableOf(cells), { types: { c: "nominal" } });
    expect(asText.instances.nominal).toEqual(Uint8Array.of(1, 0));
    expect(asText.notices.filter((said) => said.includes("is read as"))).toEqual([]);
  });

  test.each<[cells: string[]]>([
    [["$5", "€7"]],
    [["1,5", "2,5"]],
    [["030 123 456", "030 999 111"]],
    [["2024-02-30", "2024-01-01"]],
    [["31/12/2020", "12/31/2020"]],
    [["12:00", "2024-01-01"]],
    [["25:00", "12:61"]],
    [["1.2.3", "1.2.4"]],
    [["-", "-"]],
    [["10.0.0.1", "10.0.0.2"]],
    [["1,2,3", "4,5"]],
  ])("%j is text, without a notice about numbers", async (cells) => {
    const { table, notices } = await load(tableOf(cells));
    expect(table.columns[0]!.kind).toBe("nominal");
    expect(table.notices).toEqual([]);
    expect(notices.filter((said) => said.includes("is read as numbers") || said.includes("is read as dates"))).toEqual([]);
  });

  test("booleans stay two levels, are announced once, and become 1 and 0 where that is asked for", async () => {
    const text = tableOf(["true", "FALSE", "true"]);
    const { instances, notices } = await load(text);
    expect(instances.nominal).toEqual(Uint8Array.of(1, 0));
    expect(notices).toEqual([
      'Column "c" holds booleans, which are read as two categories; --type c=number reads them as 1 and 0.',
    ]);
    const numbers = await load(text, { types: { c: "number" } });
    expect([...numbers.instances.x]).toEqual([1, 0, 0, 1, 1, 2]);
    expect((await load(tableOf(["yes", "No"]))).notices[0]).toContain("holds booleans");
    expect((await load(tableOf(["true", "no"]))).notices).toEqual([]);
  });

  test("a mixture that is none is refused as ever, and so is a cell that is not of the type asked for", async () => {
    const said = (text: string, options?: InstanceOptions) =>
      load(text, options).then(JSON.stringify, (error: Error) => error.message);
    expect(await said(tableOf(["1", "x"]))).toMatch(/^t\.csv, line 3: Column "c" mixes numbers and text/);
    expect(await said(tableOf(["5%", "7"]))).toMatch(/^t\.csv, line 2: Column "c" mixes numbers and text/);
    expect(await said(tableOf(["€ 10", "€ 9", "$ 12"]), { types: { c: "number" } })).toContain(
      't.csv, line 4: Column "c" holds "$ 12", which is in "$", while others are in "€" (--type c=number).',
    );
    expect(await said(tableOf(["a", "b"]), { types: { c: "number" } })).toBe(
      't.csv, line 2: Column "c" holds "a", which is no number (--type c=number). Correct the cell, read the column as text (--type c=nominal), or leave it out (--ignore c).',
    );
    expect(await said(tableOf(["2024-01-01", "x"]), { types: { c: "date" } })).toMatch(
      /^t\.csv, line 3: Column "c" holds "x", which is no date or time/,
    );
    expect(await said(tableOf(["a"]), { types: { z: "number" } })).toContain('There is no column "z" (--type).');
    expect(await said(tableOf(["a"]), { weights: { z: 2 } })).toContain('There is no column "z" (--weight).');
    expect(await said(tableOf(["a"]), { rowWeight: "c" })).toContain('Line 2 has a text in column "c" (--row-weight)');
  });

  test("asked for, digits and decimal commas are dates and numbers, and columns are left out", async () => {
    expect([...(await load(tableOf(["19700102", "1971"]), { types: { c: "date" } })).instances.x]).toEqual([1, 0, 365, 1]);
    expect([...(await load(tableOf(["1,5", "2"]), { types: { c: "number" } })).instances.x]).toEqual([1.5, 0, 2, 1]);
    expect((await load(tableOf(["a", "b"]), { types: { c: "ignore" } })).instances.names).toEqual(["x"]);
    const known = { types: { c: "date" }, dateOrders: { c: "day" } } as const;
    expect((await load(tableOf(["01/02/1970"]), known)).instances.x[0]).toBe(31);
  });
});

/** Vectors, texts and missing cells: what the features are, and all that is announced. */
interface Read {
  readonly names: string[];
  readonly x?: number[];
  readonly nominal?: number[];
  readonly texts?: number[];
  readonly holes?: true;
  readonly directions?: true;
  readonly rows?: number[];
  readonly notices: string[];
}

const NAMES = ["Meyer, Anna", "Anna Meyer", "Ben Okafor", "B. Okafor"];

const vectorsOf = (count: string): string =>
  `Column "c" holds vectors of ${count}, each number a feature. --type c=ignore leaves it out.`;
const DOMINATES =
  'Feature "c[1]" holds 99.7% of the total variance, so it almost alone determines the distances; consider --scale zscore.';
const leftOut = (cells: string): string => `${cells} skipped: two rows are compared by the columns in which both have values.`;
const FILLED = "1 missing cell in 1 column was filled: numbers by the mean, texts by the most frequent level.";
const NO = Number.NaN;

test.each<[what: string, cells: string[], options: InstanceOptions, read: Read]>([
  [
    "lists in brackets",
    ["[1, 2]", "[3, 4e1]"],
    {},
    { names: ["c[0]", "c[1]", "x"], x: [1, 2, 0, 3, 40, 1], notices: [vectorsOf("2 numbers"), DOMINATES] },
  ],
  [
    "lists in parentheses, of length 1",
    ["(0.6 0.8)", "(1 0)"],
    { ignore: ["x"] },
    { names: ["c[0]", "c[1]"], x: [0.6, 0.8, 1, 0], directions: true, notices: [vectorsOf("2 numbers")] },
  ],
  [
    "a list that is missing, skipped",
    ["[1, 2]", "", "[3, 4]"],
    { missing: "skip" },
    {
      names: ["c[0]", "c[1]", "x"],
      x: [1, 2, 0, NO, NO, 1, 3, 4, 2],
      holes: true,
      notices: [vectorsOf("2 numbers"), leftOut("2 missing cells in 2 columns were")],
    },
  ],
  ["lists left out", ["[1, 2]", "[3, 4]"], { types: { c: "ignore" } }, { names: ["x"], x: [0, 1], notices: [] }],
  [
    "lists as levels",
    ["[1, 2]", "[3, 4]"],
    { types: { c: "nominal" } },
    { names: ["c", "x"], x: [0, 0, 1, 1], nominal: [1, 0], notices: [] },
  ],
  [
    "lists asked for",
    ["[1]", "[3]"],
    { types: { c: "vector" } },
    { names: ["c[0]", "x"], x: [1, 0, 3, 1], notices: [vectorsOf("1 number")] },
  ],
  [
    "lists made shorter",
    ["[1, 2, 3]", "[2, 4, 6]", "[3, 6, 9]"],
    { reduce: 1, ignore: ["x"] },
    {
      names: ["pc1"],
      notices: [
        vectorsOf("3 numbers"),
        "3 columns of numbers became 1 principal component, which keeps 100.0% of the variance (--reduce).",
      ],
    },
  ],
  ["names as they are: levels", NAMES, {}, { names: ["c", "x"], nominal: [1, 0], notices: [] }],
  [
    "names as texts",
    NAMES,
    { types: { c: "text" } },
    { names: ["c", "x"], x: [0, 0, 1, 1, 2, 2, 3, 3], nominal: [1, 0], texts: [1, 0], notices: [] },
  ],
  [
    "texts of which one is missing",
    [...NAMES, ""],
    { types: { c: "text" }, missing: "skip" },
    { names: ["c", "x"], nominal: [1, 0], texts: [1, 0], holes: true, notices: [leftOut("1 missing cell in 1 column was")] },
  ],
  [
    "numbers as texts",
    ["12", "13"],
    { types: { c: "text" } },
    { names: ["c", "x"], x: [0, 0, 1, 1], nominal: [1, 0], texts: [1, 0], notices: [] },
  ],
  [
    "missing cells, skipped",
    ["1", "", "NA", "4"],
    { missing: "skip" },
    { names: ["c", "x"], x: [1, 0, NO, 1, NO, 2, 4, 3], holes: true, notices: [leftOut("2 missing cells in 1 column were")] },
  ],
  [
    "missing cells, filled",
    ["1", "?", "3"],
    { missing: "impute" },
    { names: ["c", "x"], x: [1, 0, 2, 1, 3, 2], notices: [FILLED] },
  ],
  [
    "missing cells, their rows left out",
    ["1", "NA", "3"],
    { missing: "drop" },
    { names: ["c", "x"], x: [1, 0, 3, 2], rows: [0, 2], notices: ["1 row of 3 with missing cells was dropped."] },
  ],
  [
    "missing levels, skipped",
    ["a", "", "b"],
    { missing: "skip" },
    {
      names: ["c", "x"],
      x: [0, 0, NO, 1, 1, 2],
      nominal: [1, 0],
      holes: true,
      notices: [leftOut("1 missing cell in 1 column was")],
    },
  ],
  [
    "missing levels, filled",
    ["a", "", "b", "a"],
    { missing: "impute" },
    { names: ["c", "x"], x: [0, 0, 0, 1, 1, 2, 0, 3], nominal: [1, 0], notices: [FILLED] },
  ],
])("%s: %j %j", async (_, cells, options, read) => {
  const { instances, notices, rows } = await load(tableOf(cells), options);
  const { names, x, nominal, texts, holes, directions } = instances;
  const found = {
    names,
    ...(read.x === undefined ? {} : { x: [...x] }),
    ...(nominal?.includes(1) ? { nominal: [...nominal] } : {}),
    ...(texts?.includes(1) ? { texts: [...texts] } : {}),
    ...(holes ? { holes } : {}),
    ...(directions ? { directions } : {}),
    ...(rows.length < cells.length ? { rows: [...rows] } : {}),
    notices,
  };
  expect(found).toEqual(read);
});

test("on a circle 23:00 is near 1:00, and opposite moments are at distance 1", async () => {
  const { instances, sources } = await load(tableOf(["00:00", "12:00", "23:00", "01:00"]), {
    cyclic: { c: ["day"] },
    ignore: ["x"],
  });
  expect(instances.names).toEqual(["c (day, cosine)", "c (day, sine)"]);
  expect(sources).toEqual([{ name: "c", type: "date", cycles: ["day"], features: 2 }]);
  const { x } = instances;
  const apart = (i: number, j: number) => Math.hypot(x[2 * i]! - x[2 * j]!, x[2 * i + 1]! - x[2 * j + 1]!);
  expect(apart(0, 1)).toBeCloseTo(1, 12);
  expect(apart(2, 3)).toBeCloseTo(Math.sin(Math.PI / 12), 12);
  const week = await load(tableOf(["2024-01-01", "2024-01-08", "2024-01-04"]), { cyclic: { c: ["week"] }, ignore: ["x"] });
  expect(week.instances.x[0]).toBeCloseTo(week.instances.x[2]!, 12);
  expect(week.instances.x[0]).toBeCloseTo(0.5, 12);
  const year = await load(tableOf(["2023-01-01", "2024-01-01"]), { cyclic: { c: ["year"] }, ignore: ["x"] });
  expect([...year.instances.x]).toEqual([0.5, 0, 0.5, 0]);
  const hours = await load("h\n0\n6\n24\n", { cyclic: { h: [24] } });
  expect(hours.instances.x[0]).toBe(hours.instances.x[4]);
  await expect(load("h\n0\n6\n", { cyclic: { h: ["day"] } })).rejects.toThrow("holds numbers, not dates (--cyclic h=day)");
});

test("weights stretch numbers by their roots and stay with levels; row weights are no feature", async () => {
  const { instances } = await load("x,c,w\n1,a,2\n3,b,0.5\n", { weights: { x: 4, c: 2 }, rowWeight: "w" });
  expect([...instances.x]).toEqual([2, 0, 6, 1]);
  expect(instances.scaling).toEqual({ offset: [0, 0], factor: [0.5, 1] });
  expect([...instances.weights!]).toEqual([4, 2]);
  expect([...instances.rowWeights!]).toEqual([2, 0.5]);
  await expect(load("x,w\n1,0\n", { rowWeight: "w" })).rejects.toThrow('Line 2 has the weight 0 in column "w"');
});

test("a sample is drawn by the seed, keeps the order of the file, and leaves the other rows without a place", async () => {
  const text = `x\n${Array.from({ length: 50 }, (_, i) => i).join("\n")}\n`;
  const first = await load(text, { sample: 10 });
  expect(first.instances.n).toBe(10);
  expect([...first.rows]).toEqual([...first.rows].sort((a, b) => a - b));
  expect([...first.instances.x]).toEqual([...first.rows]);
  expect(first.dropped).toHaveLength(40);
  expect((await load(text, { sample: 10 })).rows).toEqual(first.rows);
  expect((await load(text, { sample: 10, seed: 1 })).rows).not.toEqual(first.rows);
  expect((await load(text, { sample: 500 })).instances.n).toBe(50);
  const holed = await load("x,y\n1,\n2,5\n,6\n4,7\n5,8\n", { sample: 4, missing: "impute" });
  const filled = holed.filledRows!.map((rows) => [...rows]);
  filled.forEach((rows, j) => {
    for (const row of rows) expect(holed.instances.x[2 * row + j]).toBe(holed.fills![j]);
  });
  expect(holed.imputed).toBe(filled.flat().length);
});

test("whatever stands in cells, reading gives numbers, levels or a sentence", async () => {
  const cell = fc.oneof(
    fc.constantFrom(
      "1,234",
      "$5",
      "7%",
      "-",
      "N/A",
      "2024-01-31",
      "31/12/2020",
      "12:30",
      "1.5",
      "3",
      "true",
      "",
      "(1)",
      "1.234,5",
      "€",
      "[1, 2]",
      "[3, -4e1]",
      "[5]",
      "(1 2)",
      "[1, x]",
      "Meyer, Anna",
      "Anna Meier",
    ),
    fc.string({ maxLength: 8 }).map((text) => text.replace(/["\r\n]/g, "")),
  );
  const type = fc.constantFrom(undefined, "number", "nominal", "date", "ignore", "text", "vector" as const);
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 6 }), type, async (cells, asked) => {
      const options: InstanceOptions = { missing: "skip", ...(asked ? { types: { c: asked as "number" } } : {}) };
      try {
        const { instances } = await load(tableOf(cells), options);
        for (const value of instances.x) expect(Math.abs(value) === Infinity).toBe(false);
      } catch (error) {
        expect((error as { problem?: { code: string } }).problem?.code).toBe("bad-input");
      }
    }),
    { numRuns: process.env.COTERIE_LONG === "1" ? 3_000 : 300 },
  );
});
