import { expect, test } from "vitest";
import type { ReadOptions } from "../table/table.js";
import { bytesOf, sentenceOf } from "../testing/bytes.js";
import { contentsOf } from "../testing/tables.js";
import { readArff } from "./arff.js";

const read = (text: string, options: Partial<ReadOptions> = {}, size?: number) =>
  readArff(bytesOf(text, size), { file: "t.arff", ...options });

const head = "@relation t\n@attribute x numeric\n@attribute c {a, 'b c'}\n@data\n";

test("types are declared, cases do not matter, quotes and comments are understood", async () => {
  const text = `% a comment
@RELATION 'my data'
@attribute 'petal length' REAL
@Attribute n integer
@attribute class {0, 1, "it's", 'b \\'q\\''}
@attribute note string
@attribute day date "yyyy-MM-dd"

@DATA
1.5, 2, 0, 'a, b', 2020-01-02
% another
?, -3e2, 'b \\'q\\'', ?, '2021-01-02'
`;
  for (const size of [3, 1000]) {
    const table = await read(text, {}, size);
    expect(contentsOf(table)).toEqual({
      "petal length": [1.5, null],
      n: [2, -300],
      class: ["0", "b 'q'"],
      note: ["a, b", null],
      day: ["2020-01-02", "2021-01-02"],
    });
    expect([0, 1].map((row) => table.lineOf?.(row))).toEqual([10, 12]);
  }
});

test("sparse rows: what is left out is 0 or the first level", async () => {
  const table = await read(`${head}{0 5, 1 'b c'}\n{}\n{1 ?}\n7,a\n`);
  expect(contentsOf(table)).toEqual({ x: [5, 0, 0, 7], c: ["b c", "a", null, "a"] });
});

test("a declared NA is a level; numbers can be read as text; columns can be skipped", async () => {
  const table = await read("@attribute x numeric\n@attribute c {NA,b}\n@attribute j numeric\n@data\n1.0,NA,oops\n", {
    text: ["x"],
    skip: (name) => name === "j",
  });
  expect(contentsOf(table)).toEqual({ x: ["1.0"], c: ["NA"] });
});

test.each([
  ["", "t.arff: The file is empty. An ARFF file declares attributes and holds data rows."],
  ["@relation t\n", "t.arff: The file has no @data section. Put a line @data before the rows."],
  ["@data\n1\n", "t.arff, line 1: No attribute is declared before @data. Write @attribute NAME TYPE for every column."],
  [head, "t.arff, line 4: The file has no data rows. Add at least one row after @data."],
  [
    "x,y\n1,2\n",
    't.arff, line 1: The line is not a declaration: "x,y". Before @data only @relation and @attribute lines and % comments are allowed.',
  ],
  ["@attribute x\n", "t.arff, line 1: The attribute has no type. Write @attribute NAME TYPE."],
  [
    "@attribute x relational\n",
    't.arff, line 1: Attribute "x" has the type "relational", which is not supported. Types are numeric, real, integer, string, date and {level, level, …}.',
  ],
  ["@attribute x {a,b\n", 't.arff, line 1: The levels of attribute "x" do not end. Close them with }.'],
  [
    "@attribute x real\n@attribute x real\n@data\n1,2\n",
    't.arff, line 3: Columns 1 and 2 are both named "x". Give every column a different name.',
  ],
  [`${head}1,a\n2,d\n`, 't.arff, line 6: Attribute "c" has no level "d". It declares a, b c.'],
  [
    `${head}one,a\n`,
    't.arff, line 5: Attribute "x" is numeric but holds "one", which is not a number. Write ? if the value is missing, or declare the attribute as text.',
  ],
  [
    `${head}nan,a\n`,
    't.arff, line 5: Attribute "x" is numeric but holds "nan", which is not a finite number. Write ? if the value is missing, or declare the attribute as text.',
  ],
  [
    `${head}1e999,a\n`,
    't.arff, line 5: Attribute "x" is numeric but holds "1e999", a number too large for a double. Write ? if the value is missing, or declare the attribute as text.',
  ],
  [
    `${head}1\n`,
    "t.arff, line 5: The row has 1 cell, but 2 attributes are declared. Correct the row; a cell that contains a comma must be in quotes.",
  ],
  [`${head}1,'a\n`, "t.arff, line 5: A quote opens and is never closed. Close it on the same line."],
  [`${head}1,'a'b\n`, "t.arff, line 5: Text follows a closing quote. Write \\ before each quote inside a quoted text."],
  [
    `${head}{0 1, 0 2}\n`,
    't.arff, line 5: The sparse row has no attribute of its own number at "0 2". Write {NUMBER VALUE, …} with each number from 0 to 1 at most once.',
  ],
  [
    `${head}{2 1}\n`,
    't.arff, line 5: The sparse row has no attribute of its own number at "2 1". Write {NUMBER VALUE, …} with each number from 0 to 1 at most once.',
  ],
  [`${head}{0 1\n`, "t.arff, line 5: The sparse row does not end. Close it with }."],
  [
    "@attribute s string\n@data\n{}\n",
    't.arff, line 3: The sparse row leaves out attribute "s", which is text. Give the text, or ? if it is missing.',
  ],
])("%j", async (text, sentence) => {
  expect(await sentenceOf(read(text))).toBe(sentence);
});
