/** The fast ways against the careful one: equal columns, equal sentences, whatever the file holds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvRowsModules } from "../assembly/build.mjs";
import { readCsv } from "./csv.js";
import type { RowReader } from "./csv-kernel.js";
import { createRowReader } from "./csv-kernel.js";
import { createThreadedReader } from "./row-threads.js";
import { bytesOf } from "./testing/bytes.js";

async function outcome(text: string | Uint8Array, reader: RowReader | null, size?: number) {
  try {
    const table = await readCsv(bytesOf(text, size), { file: "t.csv" }, { reader });
    const lines = [0, 1, table.n >> 1, table.n - 1].map((row) => table.lineOf?.(row));
    return { n: table.n, columns: table.columns, lines, hash: table.hash };
  } catch (error) {
    return (error as Error).message;
  }
}

const runs = process.env.COTERIE_LONG === "1" ? 10 : 1;

const anyDouble = fc
  .bigInt({ min: 0n, max: 2n ** 64n - 1n })
  .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!)
  .filter(Number.isFinite);

/** Numbers in many notations, some halfway between doubles. */
const number = fc.oneof(
  fc.tuple(anyDouble, fc.integer({ min: 0, max: 22 })).map(([value, places]) => value.toExponential(places)),
  fc
    .tuple(fc.double({ min: -1e4, max: 1e4, noNaN: true }), fc.integer({ min: 0, max: 22 }))
    .map(([value, places]) => value.toFixed(places)),
  fc.double({ min: -1e4, max: 1e4, noNaN: true }).map(String),
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

  test.each<[string, (row: number) => string | null]>([
    ["plain rows only", () => null],
    ["a quoted cell now and then", (row) => (row % 9973 === 5 ? `${row},"1","a, ""b""",2` : null)],
    ["a quoted line end now and then", (row) => (row % 10007 === 7 ? `${row},1,"two\nlines",2` : null)],
    ["a long quoted cell over several blocks", (row) => (row === 40_000 ? `1,2,"${"line\n".repeat(200_000)}",3` : null)],
    ["numbers that the fast way doubts", (row) => (row % 501 === 0 ? "9007199254740993,123456789012345678901,q,1e-300" : null)],
    ["a ragged row", (row) => (row === 65_000 ? "1,2,3" : null)],
    ["a mixed column", (row) => (row === 50_000 || row === 65_000 ? "1,oops,c,2" : null)],
    ["a column that turns out empty so far", (row) => (row < 50_000 ? `,${row},c,NA` : null)],
    ["a blank line", (row) => (row === 60_000 ? "" : null)],
  ])("on threads: %s", async (_, odd) => {
    const reader = createThreadedReader();
    if (!reader) return;
    try {
      const text = longText(odd, 70_000);
      expect(await outcome(text, reader, 1_600_001)).toEqual(await outcome(text, null));
    } finally {
      reader.close();
    }
  });
});
