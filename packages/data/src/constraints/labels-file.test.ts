import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, sentenceOf } from "../testing/bytes.js";
import { readLabels, writeLabels } from "./labels-file.js";

const read = (text: string, rows: Parameters<typeof readLabels>[1]["rows"] = { n: 3 }) =>
  readLabels(bytesOf(text), { file: "l.csv", rows });

test("any order of rows and columns, any names; rows without a line have no label", async () => {
  const { labels, notices } = await read("cluster,note,id\nNA,x,2\n?,y,0\n");
  expect(labels).toEqual({ codes: Int32Array.of(1, -1, 0), names: ["NA", "?"] });
  expect(notices).toEqual(["l.csv has no label for 1 row of 3."]);
});

test("what is written is read back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 1, maxLength: 30 }), async (labels) => {
      const ids = labels.map((_, row) => `row "${row}", here`);
      const names = ["zero", "1,5", "two\nlines", " "].slice(0, 3).concat("three");
      const text = [...writeLabels(labels, ids, names)].join("");
      const back = (await read(text, { n: labels.length, ids })).labels;
      expect(Array.from(back.codes, (code) => back.names[code])).toEqual(labels.map((label) => names[label]));
    }),
    { numRuns: 100 },
  );
  expect([...writeLabels([0, -1, 1])]).toEqual(["id,cluster\n0,0\n1,-1\n2,1\n"]);
});

test("rows of cluster -1 are noise, which is a label too", async () => {
  const { labels, noise, notices } = await read("id,cluster\n0,a\n1,-1\n2,-1\n");
  expect([...labels.codes].map((code) => labels.names[code])).toEqual(["a", undefined, undefined]);
  expect([noise, notices]).toEqual([2, []]);
  await expect(read("id,cluster\n0,-1\n0,a\n")).rejects.toThrow("labelled twice");
});

test.each([
  [
    "id,label\n0,1\n",
    'l.csv, line 1: The file has no column "cluster". A labels file has the header id,cluster; this one has id, label.',
  ],
  ["id,cluster\n0,1\n0,2\n", 'l.csv, line 3: The id "0" is labelled twice. Keep one of the lines.'],
  ["id,cluster\n0,\n", "l.csv, line 2: The line has no cluster. Write id,cluster on every line."],
  ["id,cluster\n,1\n", "l.csv, line 2: The line has no id. Write id,cluster on every line."],
  ["id,cluster\n7,1\n", "l.csv, line 2: There is no row 7. Rows are numbered from 0 to 2."],
])("%j", async (text, sentence) => {
  expect(await sentenceOf(read(text))).toBe(sentence);
});
