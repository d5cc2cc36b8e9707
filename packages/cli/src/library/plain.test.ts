/** The library from plain JavaScript: rows as arrays, and slips that a compiler would catch, each refused with a sentence. */
import { join } from "node:path";
import { expect, test } from "vitest";
import * as coterie from "../index.js";
import { folderWith } from "../testing/console.js";
import { readTable } from "./data.js";

const rows = [
  [1, 2],
  [1.5, 2],
  [9, 9],
  [9, 8.5],
];
const loose = coterie as unknown as Record<string, (...given: unknown[]) => { readonly labels: Int32Array }>;

test("arrays of rows are points for every function that takes rows", async () => {
  const points = coterie.pointsFromRows(rows);
  const options = { algorithm: "kmeans", k: 2 } as const;
  const known = coterie.constraints(rows, { mustLink: [[0, 1]] });
  expect(known.mustLinks.a).toEqual(Int32Array.of(0));
  const made = coterie.cluster(points, known, options);
  expect(coterie.cluster(rows, known, options)).toEqual(made);
  expect(await coterie.clusterAsync(rows, known, options)).toEqual(made);
  expect(coterie.kmeans(rows, known, { k: 2 })).toEqual(made);
  expect(coterie.explainLabels(rows, made.labels).fidelity).toBe(1);
});

test.each<[string, unknown[], RegExp]>([
  ["cluster", [[[1, 2], [3]], undefined, { algorithm: "kmeans", k: 1 }], /^Row 1 has 1 values, and row 0 has 2\. Give every row/],
  ["cluster", [[], undefined, { algorithm: "kmeans", k: 1 }], /^There are no rows\./],
  ["cluster", [[[]], undefined, { algorithm: "kmeans", k: 1 }], /^Row 0 holds no numbers\./],
  [
    "cluster",
    [[[1], [Number.NaN]], undefined, { algorithm: "kmeans", k: 1 }],
    /^Column 0 holds NaN in row 1\. Every value must be/,
  ],
  ["cluster", [[[1], ["2"]], undefined, { algorithm: "kmeans", k: 1 }], /^Row 1 has "2" in column 0\./],
  ["cluster", [[[1], 2], undefined, { algorithm: "kmeans", k: 1 }], /^Row 1 is no array of numbers\./],
  ["cluster", [undefined, undefined, { algorithm: "kmeans", k: 1 }], /^These are no rows\./],
  ["pointsFromRows", [[[1, 2]], ["x"]], /^There are 1 names for 2 columns\./],
  ["constraints", [rows, { mustLinks: [[0, 1]] }], /^constraints knows no "mustLinks"\. Did you mean mustLink\?/],
  ["constraints", [rows, { mustLink: [0, 1] }], /^mustLink\[0\] is no list\./],
  ["constraints", [rows, { cannotLink: "0,1" }], /^cannotLink is no list\./],
  ["cluster", [rows, undefined, { algorithm: "k-means", k: 2 }], /did you mean kmeans\?$/],
])("%s refuses %j", (name, given, sentence) => {
  let thrown: unknown;
  try {
    loose[name]!(...given);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(coterie.CoterieError);
  expect((thrown as Error).message).toMatch(sentence);
});

test("what was recognised when the table was read is in the notices of the result", async () => {
  const folder = folderWith({ "t.csv": `ID,price\n1,$5\n2,$6\n3,"$1,000"\n` });
  const table = await readTable(join(folder, "t.csv"));
  const said = [expect.stringContaining('"price" is read as numbers'), expect.stringContaining('"ID" names the rows')];
  const options = { algorithm: "kmeans", k: 2 } as const;
  expect(coterie.cluster(table, undefined, options).notices).toEqual(expect.arrayContaining(said));
  expect((await coterie.clusterAsync(table, undefined, options)).notices).toEqual(expect.arrayContaining(said));
  expect(coterie.ward(table, undefined, { k: 2 }).notices).toEqual(expect.arrayContaining(said));
});
