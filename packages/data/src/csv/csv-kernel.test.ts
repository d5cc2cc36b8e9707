/** The fast ways against the careful one: equal columns, equal sentences, whatever the file holds. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvRowsModules } from "../../assembly/build.mjs";
import { readLargeCsv } from "../read-table.js";
import type { Column, Table } from "../table/table.js";
import { bytesOf, utf16 } from "../testing/bytes.js";
import { readCsv } from "./csv.js";
import { createRowReader, type RowReader } from "./csv-kernel.js";

/** Long columns are compared by their digests. */
const FEW = 1000;

function digestOf(column: Column) {
  const { values, codes, ...rest } = { values: null, codes: null, ...column };
  const { buffer, byteOffset, byteLength } = (values ?? codes)!;
  return {
    ...rest,
    digest: createHash("sha256")
      .update(new Uint8Array(buffer, byteOffset, byteLength))
      .digest("hex"),
  };
}

async function outcomeOf(reading: Promise<Table>) {
  try {
    const { n, columns, notices, lineOf } = await reading;
    return {
      n,
      columns: n > FEW ? columns.map(digestOf) : columns,
      notices,
      lines: [0, 1, n >> 1, n - 1].map((row) => lineOf?.(row)),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function outcome(text: string | Uint8Array, reader: RowReader | null, size?: number) {
  return outcomeOf(readCsv(bytesOf(text, size), { file: "t.csv" }, { reader }));
}

/** As a large file is read: straight into the memory of the threads, `slot` bytes at a time. */
function fromFile(content: string | Uint8Array, slot: number): Promise<Table> | null {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const readAt = (target: Uint8Array, position: number): number => {
    // A file may give less than is asked for.
    const part = bytes.subarray(position, position + Math.min(target.length, 700_000));
    target.set(part);
    return part.length;
  };
  return readLargeCsv({ head: bytes.subarray(0, 512), readAt, contentHash: async () => "" }, { file: "t.csv" }, ",", slot);
}

const runs = process.env.COTERIE_LONG === "1" ? 10 : 1;

const anyDouble = fc
  .bigInt({ min: 0n, max: 2n ** 64n - 1n })
  .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!)
  .filter(Number.isFinite);

/** Numbers in many notations, some halfway between doubles. */
const number = fc.oneof(
  fc
    .tuple(anyDouble, fc.integer({ min: 0, max: 22 }))
    .map(([value, places]) => value.toExponential(places))
    .filter((text) => Number.isFinite(Number(text))),
  fc
    .tuple(fc.double({ min: -1e4, max: 1e4, noNaN: true }), fc.integer({ min: 0, max: 22 }))
    .map(([value, places]) => value.toFixed(places)),
  fc.double({ min: -1e4, max: 1e4, noNaN: true }).map(String),
  fc
    .tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 0, max: 22 }))
    .map(([x, e]) => (x / 10 ** e).toFixed(e)),
  fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 10n }), fc.bigInt({ min: 0n, max: 10n ** 24n })).map(([w, f]) => `-${w}.${f}`),
  fc.integer().map(String),
  fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: -40, max: 40 })).map(([w, e]) => `${w}e${e}`),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 54n }).map((odd) => String(odd | 1n)),
  fc.constantFrom(
    "0",
    "-0",
    "+1",
    ".5",
    "5.",
    "007",
    "0.000000000000000000000000012345678901234567",
    "1e22",
    "1e-400",
    "1E5",
    " 7 ",
  ),
);
const cell = fc.oneof(
  { weight: 30, arbitrary: number },
  fc.constantFrom("", "NA", "?", " ", "N", "NAN0", "1 2", "1e", "-", "1..2", "--1", "0x1", "1e999", '"3"', "abc"),
);

test("the committed module is what its source compiles to", async () => {
  const { csvRowsWasm, csvRowsSharedWasm } = await import("./csv-rows.wasm.js");
  const made = await csvRowsModules();
  expect([csvRowsWasm, csvRowsSharedWasm].every((text) => made.includes(`"${text}"`))).toBe(true);
}, 60_000);

test("WebAssembly reads every number with the same bits", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(number, { minLength: 200, maxLength: 400 }),
      fc.constantFrom("\n", "\r\n"),
      async (numbers, end) => {
        const text = `x,y${end}${numbers.map((each) => `${each},${each}`).join(end)}${end}`;
        const table = await readCsv(bytesOf(text), { file: "t.csv" }, { reader: createRowReader() });
        const [x, y] = table.columns;
        if (x?.kind !== "numeric" || y?.kind !== "numeric") throw new Error("not numeric");
        numbers.forEach(
          (each, i) => void expect({ each, x: x.values[i], y: y.values[i] }).toEqual({ each, x: Number(each), y: Number(each) }),
        );
      },
    ),
    { numRuns: 30 * runs },
  );
});

describe("fast and careful agree on any table", () => {
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.tuple(
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 60 }),
        fc.constantFrom("\n", "\r\n", "\r"),
      ),
    );
  const textOf = (rows: string[][], end: string) =>
    [rows[0]!.map((_, j) => `c${j}`), ...rows].map((row) => row.join(",")).join(end);

  test("alone, in any pieces", async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 3, max: 400 }), async ([rows, end], size) => {
        const text = textOf(rows, end);
        expect(await outcome(text, createRowReader(), size)).toEqual(await outcome(text, null));
      }),
      { numRuns: 400 * runs },
    );
  });

  test("with separators that the fast way does not know", async () => {
    for (const delimiter of [" ", "?", "*"]) {
      const text = `a${delimiter}b\n${Array.from({ length: 50 }, (_, i) => `${i}${delimiter}${i % 3 === 0 ? "" : i}`).join("\n")}\n`;
      const reading = { file: "t.csv", delimiter };
      const fast = await readCsv(bytesOf(text), reading, { reader: createRowReader() });
      expect(fast.columns).toEqual((await readCsv(bytesOf(text), reading, { reader: null })).columns);
      expect(fast.columns[1]).toMatchObject({ kind: "numeric", missing: 17 });
    }
  });

  /** Some megabytes: plain rows, and now and then another one. */
  function longText(odd: (row: number) => string | null, rows: number): string {
    const lines = ["x,y,c,z"];
    for (let i = 0; i < rows; i++) lines.push(odd(i) ?? `${Math.sqrt(i)},${-i / 3},level ${i % 7},${i % 11 === 0 ? "" : i}`);
    return `${lines.join("\n")}\n`;
  }

  const oddRows: [string, (row: number) => string | null][] = [
    ["plain rows only", () => null],
    ["a quoted cell now and then", (row) => (row % 9973 === 5 ? `${row},"1","a, ""b""",2` : null)],
    ["a quoted line end now and then", (row) => (row % 10007 === 7 ? `${row},1,"two\nlines",2` : null)],
    ["a long quoted cell over several blocks", (row) => (row === 40_000 ? `1,2,"${"line\n".repeat(200_000)}",3` : null)],
    ["numbers that the fast way doubts", (row) => (row % 501 === 0 ? "9007199254740993,123456789012345678901,q,1e-300" : null)],
    ["a ragged row", (row) => (row === 65_000 ? "1,2,3" : null)],
    ["a mixed column", (row) => (row === 50_000 || row === 65_000 ? "1,oops,c,2" : null)],
    ["a column that turns out empty so far", (row) => (row < 50_000 ? `,${row},c,NA` : null)],
    ["a blank line", (row) => (row === 60_000 ? "" : null)],
    ["a cell that is not a finite number", (row) => (row === 61_234 ? "1,inf,c,2" : null)],
    ["a number too large", (row) => (row === 33_333 ? "1,2,c,1e999" : null)],
    ["a quote that is never closed", (row) => (row === 50_000 ? '1,2,"c,3' : null)],
    ["text in other alphabets", (row) => (row % 3 === 0 ? `1,2,żółw ${row % 5},3` : null)],
    ["exponents", (row) => (row % 2 === 0 ? `${row}e-3,1.5E+10,c,-2e${row % 300}` : null)],
  ];

  test.each(oddRows)("as a large file: %s", async (_, odd) => {
    const text = longText(odd, 70_000);
    const careful = await outcome(text, null);
    for (const slot of [1_600_001, 1_100_000]) {
      const large = fromFile(text, slot);
      if (large) expect(await outcomeOf(large)).toEqual(careful);
    }
  });

  test("as a large file: other line ends, no last line end, a mark, a broken character, one line longer than a slot", async () => {
    const text = longText((row) => (row === 30_000 ? `1,2,"${"x".repeat(5_000_000)}",3` : null), 60_000);
    const broken = new TextEncoder().encode(text);
    broken[broken.lastIndexOf("v".charCodeAt(0))] = 0xff;
    const endings = [text.replaceAll("\n", "\r\n"), text.replaceAll("\n", "\r"), text.slice(0, -1)];
    for (const variant of [...endings, `\ufeff${text}`, broken]) {
      const large = fromFile(variant, 1_200_000);
      if (large) expect(await outcomeOf(large)).toEqual(await outcome(variant, null));
    }
  });

  test("as a large file: empty, without rows, and not in UTF-8", async () => {
    for (const text of ["", "a,b\n", "a,b", "\n\n\na,b\n1,2\n"]) {
      const large = fromFile(text, 1_200_000);
      if (large) expect(await outcomeOf(large)).toEqual(await outcome(text, null));
    }
    expect(fromFile(utf16("x\n1\n", true, true), 1_200_000)).toBeNull();
  });

  test("as a large file: any table, in slots of any length", async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 40, max: 400 }), async ([rows, end], slot) => {
        const text = textOf(rows, end);
        const large = fromFile(text, slot);
        if (large) expect(await outcomeOf(large)).toEqual(await outcome(text, null));
      }),
      { numRuns: 20 * runs },
    );
  });
});
