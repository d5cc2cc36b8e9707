import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadOptions, Table } from "../table/table.js";
import { bytesOf, sentenceOf, utf16 } from "../testing/bytes.js";
import { cellsOf, contentsOf } from "../testing/tables.js";
import { type CsvRules, readCsv } from "./csv.js";

type Options = Partial<ReadOptions>;

const read = (content: string | Uint8Array, options: Options = {}, rules?: CsvRules, size?: number): Promise<Table> =>
  readCsv(bytesOf(content, size), { file: "t.csv", ...options }, rules);

const failure = (content: string | Uint8Array, options: Options = {}): Promise<string> => sentenceOf(read(content, options));

describe("worked examples", () => {
  test("numbers, texts and missing cells", async () => {
    const table = await read("x,name,y\n1,a,\n2.5,b,NA\n-3e2,a,7\n,?,8\n");
    expect(table.n).toBe(4);
    expect(contentsOf(table)).toEqual({ x: [1, 2.5, -300, null], name: ["a", "b", "a", null], y: [null, null, 7, 8] });
    expect(table.columns.map(({ kind, missing }) => [kind, missing])).toEqual([
      ["numeric", 1],
      ["nominal", 1],
      ["numeric", 2],
    ]);
    expect(table.notices).toEqual([]);
    expect([0, 1, 2, 3].map((row) => table.lineOf?.(row))).toEqual([2, 3, 4, 5]);
  });

  test("quotes: separators, doubled quotes and line ends inside; lines are still counted", async () => {
    const table = await read('a,"b ""x"""\n"1","p, q"\n"2","two\nlines"\n3,"say ""hi"""\n"",x\n');
    expect(contentsOf(table)).toEqual({ a: [1, 2, 3, null], 'b "x"': ["p, q", "two\nlines", 'say "hi"', "x"] });
    expect([0, 1, 2, 3].map((row) => table.lineOf?.(row))).toEqual([2, 3, 5, 6]);
  });

  test.each(["\n", "\r\n", "\r"])("line ends %j, blank lines at both ends, no last line end", async (end) => {
    const text = ["", "", "x,y", "1,2", "3,4", "", "  ", ""].join(end);
    const table = await read(text);
    expect(contentsOf(table)).toEqual({ x: [1, 3], y: [2, 4] });
    expect(table.lineOf?.(1)).toBe(5);
    expect(contentsOf(await read(`x,y${end}1,2${end}3,4`))).toEqual({ x: [1, 3], y: [2, 4] });
  });

  test("booleans, hexadecimal and underscored numbers are text; dates and blanks around numbers are not", async () => {
    const table = await read("d,b,h,g,n\n2020-01-02,true,0x1F,1_000, 5 \n2021-01-02,false,0x20,2_000,\t6\n");
    expect(table.columns.map((column) => column.kind)).toEqual(["numeric", "nominal", "nominal", "nominal", "numeric"]);
    expect(cellsOf(table.columns[4]!)).toEqual([5, 6]);
  });

  test("a file in one column: blank lines between are missing cells", async () => {
    const table = await read("x\n1\n\n3\n\n\n");
    expect(contentsOf(table)).toEqual({ x: [1, null, 3] });
  });

  test("columns read as text keep the text as it stands; skipped columns are not even checked", async () => {
    const table = await read("id,x,junk\n007,1,1\n 1e5,2,abc\nnan,3,\xff\n", { text: ["id"], skip: (name) => name === "junk" });
    expect(contentsOf(table)).toEqual({ id: ["007", " 1e5", "nan"], x: [1, 2, 3] });
    expect(table.skipped).toEqual(["junk"]);
  });

  test("levels are coded by first appearance", async () => {
    const table = await read("c\nz\na\nz\nm\n");
    expect(table.columns[0]).toMatchObject({ levels: ["z", "a", "m"], codes: Int32Array.of(0, 1, 0, 2) });
  });

  test("a column without any value is nominal, with a notice", async () => {
    const table = await read("x,e\n1,\n2,NA\n");
    expect(table.columns[1]).toMatchObject({ kind: "nominal", levels: [], missing: 2 });
    expect(table.notices).toEqual(['Column "e" of t.csv has no values: every cell is missing.']);
  });

  test("a first row of numbers is announced", async () => {
    expect((await read("5.1,3.5\n4.9,3.0\n")).notices).toEqual([
      "The first row of t.csv looks like data: every column name is a number. A header row is required.",
    ]);
  });

  test("the hash is that of the bytes as they stand", async () => {
    const { createHash } = await import("node:crypto");
    const bytes = utf16("x\n1\n", true, true);
    expect(await (await read(bytes)).contentHash()).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});

describe("recognised and announced", () => {
  test("semicolons and decimal commas", async () => {
    const table = await read("x;y;t\n1,5;2;a,b\n-0,25;3e1;c\n");
    expect(contentsOf(table)).toEqual({ x: [1.5, -0.25], y: [2, 30], t: ["a,b", "c"] });
    expect(table.notices).toEqual([
      "t.csv separates its cells by semicolons (recognised; --delimiter overrides).",
      "t.csv writes its numbers with decimal commas (recognised; --decimal overrides).",
    ]);
  });

  test("tabs are announced in a .csv and expected in a .tsv", async () => {
    expect((await read("x\ty\n1\t2\n")).notices).toEqual([
      "t.csv separates its cells by tabs (recognised; --delimiter overrides).",
    ]);
    expect((await read("x\ty\n1\t2\n", {}, { expectedDelimiter: "\t" })).notices).toEqual([]);
  });

  test("a decimal point anywhere means that commas are no decimal marks", async () => {
    expect(contentsOf(await read("x;y\n1,5;1.5\n2,5;2.5\n"))).toEqual({ x: ["1,5", "2,5"], y: [1.5, 2.5] });
  });

  test("commas inside quotes do not make a comma the separator", async () => {
    expect(contentsOf(await read('"a,b";c\n"1,2";3\n'))).toEqual({ "a,b": [1.2], c: [3] });
  });

  test("the options override", async () => {
    expect(contentsOf(await read("a;b,c\n1;2,3\n", { delimiter: "," }))).toEqual({ "a;b": ["1;2"], c: [3] });
    expect(contentsOf(await read("a|b\n1,5|2\n", { delimiter: "|", decimal: "," }))).toEqual({ a: [1.5], b: [2] });
    expect(contentsOf(await read('a,b\n"1,5",2\n', { decimal: "," }))).toEqual({ a: [1.5], b: [2] });
    expect(contentsOf(await read("a\tb\n1\t2\n", { delimiter: "tab" }))).toEqual({ a: [1], b: [2] });
    expect(await failure("a\n1\n", { delimiter: "ab" })).toBe(
      '--delimiter is "ab"; it must be "tab", or one character other than a letter, digit, quote, sign or point.',
    );
  });

  test("byte-order marks and UTF-16", async () => {
    const text = "näme,x\n𝒜,1\nß,2\n";
    const expected = { näme: ["𝒜", "ß"], x: [1, 2] };
    const marked = await read(`\ufeff${text}`);
    expect(contentsOf(marked)).toEqual(expected);
    expect(marked.notices).toEqual(["t.csv begins with a byte-order mark (UTF-8), which is skipped."]);
    for (const size of [1, 3, 1000]) {
      const little = await read(utf16(text, true, true), {}, {}, size);
      expect(contentsOf(little)).toEqual(expected);
      expect(little.notices).toEqual(["t.csv is read as UTF-16 (little-endian), because of its byte-order mark."]);
      const big = await read(utf16("x,y\n1,2\n", false, false), {}, {}, size);
      expect(contentsOf(big)).toEqual({ x: [1], y: [2] });
      expect(big.notices).toEqual(["t.csv is read as UTF-16 (big-endian)."]);
    }
  });
});

describe("bad input, in sentences", () => {
  test.each([
    ["", "t.csv: The file is empty. A table needs a header row and data rows."],
    ["\n \n", "t.csv: The file is empty. A table needs a header row and data rows."],
    ["\nx,y\n\n", "t.csv, line 2: The file has a header but no data rows. Add at least one row."],
    ["x,\n1,2\n", "t.csv, line 1: Column 2 of 2 has no name. Name every column in the header row."],
    ["x,y,x\n1,2,3\n", 't.csv, line 1: Columns 1 and 3 are both named "x". Give every column a different name.'],
    ["1,2,1\n1,2,3\n", 't.csv, line 1: Columns 1 and 3 are both named "1". The first row looks like data: add a header row.'],
    [
      "x,y\n1,2\n3\n",
      't.csv, line 3: The row has 1 cell, but the header has 2. Correct the row; a cell that contains the separator (",") must be in quotes.',
    ],
    [
      "x,y\n1,2\n3,4,5,6\n7,8\n",
      't.csv, line 3: The row has 4 cells, but the header has 2. Correct the row; a cell that contains the separator (",") must be in quotes.',
    ],
    ["x,y\n1,2\n\n3,4\n", "t.csv, line 3: The line is blank, but data follow. Delete the line."],
    [
      "x,y\n1,a\n2,b\nabc,c\n3,d\n-,e\n4,f\n",
      't.csv, line 4: Column "x" mixes numbers and text: 2 of its 6 cells are text (line 4 "abc", line 6 "-"); the others are numbers (line 2 "1", …). Leave cells empty where there is no value, read the column as text (--nominal x), or leave it out (--ignore x).',
    ],
    [
      "x\na\nb\nc\n1.50\n",
      't.csv, line 5: Column "x" mixes numbers and text: 1 of its 4 cells is a number (line 5 "1.50"); the others are text (line 2 "a", …). Correct them, read the column as text (--nominal x), or leave it out (--ignore x).',
    ],
    [
      "x\n1\n2\n3\n4\na\nb\nc\nd\n",
      't.csv, line 6: Column "x" mixes numbers and text: 4 of its 8 cells are text (line 6 "a", line 7 "b", line 8 "c", …); the others are numbers (line 2 "1", …). Correct them, read the column as text (--nominal x), or leave it out (--ignore x).',
    ],
    [
      'x\n"$2,339.48"\n"€1,200.00"\n"$7,001.10"\n"€4,800.00"\n339.48\n',
      't.csv, line 2: Column "x" mixes numbers and text: 4 of its 5 cells are text (line 2 "$2,339.48", line 3 "€1,200.00", line 4 "$7,001.10", …); the other is a number (line 6 "339.48"). Write the numbers without thousands separators, read the column as text (--nominal x), or leave it out (--ignore x).',
    ],
    [
      "x\nn/a\n$5\nunknown\n7\n",
      't.csv, line 2: Column "x" mixes numbers and text: 3 of its 4 cells are text (line 2 "n/a", line 3 "$5", line 4 "unknown"); the other is a number (line 5 "7"). Write the numbers without currency signs and leave cells empty where there is no value, read the column as text (--nominal x), or leave it out (--ignore x).',
    ],
    [
      "x\n1\n NaN\n",
      't.csv, line 3: Column "x" holds "NaN", which is not a finite number. Leave the cell empty if the value is missing, read the column as text (--nominal x), or leave it out (--ignore x).',
    ],
    [
      "x\na\n-inf\n",
      't.csv, line 3: Column "x" holds "-inf", which is not a finite number. Leave the cell empty if the value is missing, read the column as text (--nominal x), or leave it out (--ignore x).',
    ],
    [
      'x,y\n"1\n",2\n1,1e999\n',
      't.csv, line 4: Column "y" holds "1e999", a number too large for a double. Leave the cell empty if the value is missing, read the column as text (--nominal y), or leave it out (--ignore y).',
    ],
    ['x,y\n1,"2\n3,4\n', "t.csv, line 2: A quote opens here and is never closed. Close it, or double it inside a quoted cell."],
    ['x,y\n1,"2"3\n', "t.csv, line 2: Text follows a closing quote. Double each quote inside a quoted cell."],
    ['x,"y\n1,2\n', "t.csv, line 1: A quote opens here and is never closed. Close it, or double it inside a quoted cell."],
    [
      "x\0y\n1\n",
      "t.csv: The file is not text: byte 1 is zero. Tables are read from CSV, TSV, JSON lines, ARFF, Parquet, Arrow IPC and .npy files.",
    ],
  ])("%j", async (content, sentence) => {
    expect(await failure(content)).toBe(sentence);
  });

  test("text that is not UTF-8 or UTF-16, with its line", async () => {
    const latin1 = Uint8Array.from("x,y\n1,a\n2,\xe9\n", (c) => c.charCodeAt(0));
    expect(await failure(latin1)).toBe("t.csv, line 3: The text is not valid UTF-8. Save the file as UTF-8.");
    expect(await failure(utf16("x\n\ud800a\n", true, true))).toBe(
      "t.csv, line 2: The character at this place is not valid UTF-16. Save the file as UTF-8.",
    );
    expect(await failure(utf16("xx\n1\n", true, true).slice(0, -1))).toBe(
      "t.csv, line 2: The end at this place is not valid UTF-16. Save the file as UTF-8.",
    );
  });

  test("too many columns", async () => {
    const header = Array.from({ length: 100_001 }, (_, j) => `c${j}`).join(",");
    expect(await failure(`${header}\n`)).toBe(
      "t.csv, line 1: The table has 100001 columns; at most 100000 can be read. If rows and columns are exchanged, transpose the table.",
    );
  });

  test("a line without end, in small pieces", async () => {
    async function* endless() {
      yield new TextEncoder().encode('x,y\n1,"');
      const piece = new Uint8Array(1 << 16).fill(97);
      for (let i = 0; i < 2000; i++) yield piece;
    }
    const hasher = { update: () => undefined, digest: () => "" };
    expect(await sentenceOf(readCsv(endless(), { file: "t.csv", hasher }))).toBe(
      "t.csv, line 2: The line that begins here is longer than 64 MB. Check for a quote that is never closed, and check that the file is a text table.",
    );
  });
});

describe("properties", () => {
  const cell = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom("", "NA", "?", "a", 'q"', "x,y", "two\nlines", "ü", " b ", "007", "-", "1e5"),
  );
  const rowsOf = (width: number) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 });
  const write = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  test("the pieces that a file comes in do not matter, not even to the error", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }).chain(rowsOf),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.integer({ min: 1, max: 9 }),
        async (rows, end, size) => {
          const header = rows[0]!.map((_, j) => `c${j}`).join(",");
          const text = [header, ...rows.map((row) => row.map(write).join(","))].join(end);
          const outcome = (pieces?: number) =>
            read(text, {}, {}, pieces).then(
              async (table) => ({
                columns: contentsOf(table),
                lines: Array.from({ length: table.n }, (_, row) => table.lineOf?.(row)),
                hash: await table.contentHash(),
              }),
              (error: Error) => error.message,
            );
          expect(await outcome(size)).toEqual(await outcome());
        },
      ),
      { numRuns: 300 },
    );
  });

  test("texts come back as they were written", async () => {
    const text = fc
      .string({ unit: "binary", minLength: 1, maxLength: 12 })
      .filter((each) => !/^[ \t]*$/.test(each) && !each.includes("\0"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        async (rows, size) => {
          const csv = `a,b\n${rows.map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(",")).join("\n")}\n`;
          const table = await read(csv, {}, { allText: true }, size);
          expect(contentsOf(table)).toEqual({ a: rows.map((row) => row[0]), b: rows.map((row) => row[1]) });
        },
      ),
      { numRuns: 200 },
    );
  });

  test("numbers come back as they were written, many rows", async () => {
    const values = Array.from({ length: 5000 }, (_, i) => Math.sin(i + 1) * 10 ** (i % 40) - i);
    const table = await read(`x,y\n${values.map((value) => `${value},${-value}`).join("\n")}`, { bytesTotal: 5 }, {}, 777);
    expect(contentsOf(table)).toEqual({ x: values, y: values.map((value) => -value) });
  });
});

test("progress and cancellation", async () => {
  const seen: (number | null)[][] = [];
  const stop = new AbortController();
  const text = `x\n${"1\n".repeat(1000)}`;
  await read(text, { bytesTotal: text.length, onProgress: (...step) => seen.push(step) }, {}, 1000);
  expect(seen).toEqual([
    [1000, 2002],
    [2000, 2002],
    [2002, 2002],
  ]);
  const reading = read(text, { signal: stop.signal, onProgress: () => stop.abort() }, {}, 1000);
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
});

/** A long table with one bad cell on its last line, made on the fly. */
async function* longTable(bytes: number): AsyncGenerator<Uint8Array, void, void> {
  const row = `${Array.from({ length: 16 }, (_, j) => `0.1234567890123${j + 10}`).join(",")}\n`;
  const piece = new TextEncoder().encode(row.repeat(Math.floor((8 * 2 ** 20) / row.length)));
  yield new TextEncoder().encode(`${Array.from({ length: 16 }, (_, j) => `x${j}`).join(",")}\n`);
  for (let done = 0; done < bytes; done += piece.length) yield piece;
  yield new TextEncoder().encode(row.replace("0.123456789012325", "0.12x"));
}

test.each(process.env.COTERIE_LONG === "1" ? [200e6, 2e9] : [200e6])(
  "a bad cell at the end of %d bytes",
  { timeout: 300_000 },
  async (bytes) => {
    const row = Array.from({ length: 16 }, (_, j) => `0.1234567890123${j + 10}`).join(",").length + 1;
    const perPiece = Math.floor((8 * 2 ** 20) / row);
    const line = 2 + perPiece * Math.ceil(bytes / (perPiece * row));
    const hasher = { update: () => undefined, digest: () => "" };
    const before = process.memoryUsage().rss;
    let most = 0;
    const onProgress = () => {
      most = Math.max(most, process.memoryUsage().rss);
    };
    const sentence = await sentenceOf(readCsv(longTable(bytes), { file: "long.csv", hasher, onProgress, bytesTotal: bytes }));
    expect(sentence).toContain(
      `long.csv, line ${line}: Column "x15" mixes numbers and text: 1 of its ${line - 1} cells is text (line ${line} "0.12x"); the others are numbers (line 2 `,
    );
    // The columns, with room to grow, and little else.
    expect(most - before).toBeLessThan(1.3 * 8 * 16 * line + 150e6);
  },
);
