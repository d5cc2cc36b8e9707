import { expect, test } from "vitest";
import type { ReadOptions } from "../table/table.js";
import { bytesOf, sentenceOf } from "../testing/bytes.js";
import { contentsOf } from "../testing/tables.js";
import { readJsonLines } from "./jsonl.js";

const read = (text: string, options: Partial<ReadOptions> = {}, size?: number) =>
  readJsonLines(bytesOf(text, size), { file: "t.jsonl", ...options });

test("numbers, texts, booleans, missing keys and null; later keys make later columns", async () => {
  const text = '{"x": 1, "c": "a"}\n\n{"x": null, "c": "NA", "late": true}\r\n{"c": "b", "x": -2.5e1, "late": false}';
  for (const size of [1, 7, 1000]) {
    const table = await read(text, {}, size);
    expect(contentsOf(table)).toEqual({ x: [1, null, -25], c: ["a", null, "b"], late: [null, "true", "false"] });
    expect([0, 1, 2].map((row) => table.lineOf?.(row))).toEqual([1, 3, 4]);
  }
});

test("ids keep their spelling, skipped columns may hold anything, names of objects are names", async () => {
  const table = await read(
    '{"id": 12345678901234567890, "constructor": 1, "deep": {"a": []}}\n{"id": 1.0}\n{"id": "x", "__proto__": 3}\n',
    {
      text: ["id"],
      skip: (name) => name === "deep",
    },
  );
  expect(contentsOf(table)).toMatchObject({ id: ["12345678901234567890", "1.0", "x"], constructor: [1, null, null] });
  expect(table.columns.map((column) => column.name)).toEqual(["id", "constructor", "__proto__"]);
  expect(table.skipped).toEqual(["deep"]);
});

test("many rows, with a text column that begins late", async () => {
  const lines = Array.from({ length: 1000 }, (_, i) => JSON.stringify(i < 700 ? { x: i } : { x: i, t: `v${i % 3}` }));
  const table = await read(lines.join("\n"), { text: ["t"] });
  expect(table.columns[1]).toMatchObject({ kind: "nominal", missing: 700, levels: ["v1", "v2", "v0"] });
});

test.each([
  ["", "t.jsonl: The file is empty. JSON lines hold one object a line."],
  [
    "{\n",
    't.jsonl, line 1: The line is not valid JSON: "{". JSON lines hold one whole object a line; missing values are null, not NaN.',
  ],
  [
    '{"x":1}\n[1]\n',
    't.jsonl, line 2: The line holds "[1]", not an object. JSON lines hold one object a line, such as {"x": 1.5, "class": "a"}.',
  ],
  [
    '{"x":NaN}\n',
    't.jsonl, line 1: The line is not valid JSON: "{\\"x\\":NaN}". JSON lines hold one whole object a line; missing values are null, not NaN.',
  ],
  [
    '{"x":1}\n{"x":["a"]}\n',
    't.jsonl, line 2: Column "x" holds an array that is not a list of numbers. Cells are numbers, texts, booleans, lists of numbers or null: flatten the value, or leave the column out (--ignore x).',
  ],
  [
    '{"x":1e999}\n',
    't.jsonl, line 1: Column "x" holds a number too large for a double. Correct it, or leave the column out (--ignore x).',
  ],
  ['{"":1}\n', "t.jsonl, line 1: A column has no name. Name every column in the header row."],
  [
    '{"x":1}\n{"x":2}\n{"x":"2"}\n',
    't.jsonl, line 3: Column "x" mixes numbers and text: 1 of its 3 cells is text (line 3 "2"); the others are numbers (line 1 "1", …). Correct them, read the column as text (--nominal x), or leave it out (--ignore x).',
  ],
])("%j", async (text, sentence) => {
  expect(await sentenceOf(read(text))).toBe(sentence);
});

test("invalid UTF-8 is named with its line", async () => {
  const bytes = Uint8Array.from('{"x":"a"}\n{"x":"\xe9"}\n', (c) => c.charCodeAt(0));
  expect(await sentenceOf(readJsonLines(bytesOf(bytes), { file: "t.jsonl" }))).toBe(
    "t.jsonl, line 2: The text is not valid UTF-8. Save the file as UTF-8.",
  );
});
