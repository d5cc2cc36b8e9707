import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { writeNpy } from "../formats/npy.js";
import { readDistances } from "../read-table.js";
import { distancesFor } from "./distances.js";

const folder = mkdtempSync(join(tmpdir(), "coterie-distances-"));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const SQUARE = "a,b,c\n0,1,2\n1,0,3.5\n2,3.5,0\n";

test.each([
  ["a header", "plain.csv", SQUARE],
  ["row names under an empty cell, as pandas and R write", "named.csv", ",a,b,c\na,0,1,2\nb,1,0,3.5\nc,2,3.5,0\n"],
  ["row names in quotes", "quoted.csv", '"","a","b","c"\n"a",0,1,2\n"b",1,0,3.5\n"c",2,3.5,0\n'],
  ["row names under a name", "id.csv", "id,a,b,c\na,0,1,2\nb,1,0,3.5\nc,2,3.5,0\n"],
  ["tabs", "tabs.tsv", SQUARE.replaceAll(",", "\t")],
  ["decimal commas", "comma.csv", SQUARE.replaceAll(",", ";").replaceAll(".", ",")],
])("a square matrix with %s", async (_, name, content) => {
  const { n, condensed, names } = await readDistances(file(name, content));
  expect([n, [...condensed], names]).toEqual([3, [1, 2, 3.5], ["a", "b", "c"]]);
});

test("names may be numbers, without a warning about the header", async () => {
  const read = await readDistances(file("numbers.csv", ",10,11\n10,0,1\n11,1,0\n"));
  expect([read.names, read.notices]).toEqual([["10", "11"], []]);
});

test("condensed, in CSV and .npy; square in .npy", async () => {
  const half = await readDistances(file("half.csv", "distance\n1\n2\n3.5\n"));
  expect([half.n, [...half.condensed], half.names]).toEqual([3, [1, 2, 3.5], undefined]);
  const npy = await readDistances(file("half.npy", writeNpy(Float64Array.of(1, 2, 3.5), 3, 1)));
  expect([npy.n, [...npy.condensed], npy.names]).toEqual([3, [1, 2, 3.5], undefined]);
  const square = await readDistances(file("square.npy", writeNpy(Float64Array.of(0, 1, 2, 1, 0, 3.5, 2, 3.5, 0), 3, 3)));
  expect([square.n, [...square.condensed], square.names]).toEqual([3, [1, 2, 3.5], undefined]);
});

test("Parquet, square and condensed", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const square = join(folder, "square.parquet");
  const half = join(folder, "half.parquet");
  await connection.run(`COPY (SELECT * FROM (VALUES (0.0, 1.0), (1.0, 0.0)) AS t(a, b)) TO '${square}' (FORMAT PARQUET)`);
  await connection.run(`COPY (SELECT * FROM (VALUES (1.0), (2.0), (3.0)) AS t(distance)) TO '${half}' (FORMAT PARQUET)`);
  connection.closeSync();
  expect(await readDistances(square)).toMatchObject({ n: 2, names: ["a", "b"], condensed: Float64Array.of(1) });
  expect(await readDistances(half)).toMatchObject({ n: 3, condensed: Float64Array.of(1, 2, 3) });
});

test.each([
  [
    "asymmetric",
    "a,b,c\n0,1,2\n1,0,3\n2,4,0\n",
    ', line 3: Rows 1 and 2 (column "c"): the distance is 3 one way and 4 the other.',
  ],
  [
    "negative",
    "a,b\n0,-1\n-1,0\n",
    ', line 2: Rows 0 and 1 (column "b"): the distance is -1, which is negative. Distances are 0 or more.',
  ],
  [
    "similarities",
    "a,b\n1,0.2\n0.2,1\n",
    ', line 2: Rows 0 and 0 (column "a"): the distance of a row from itself is 1, not 0. Are these similarities?',
  ],
  ["text", "a,b\nx,y\nz,w\n", ', line 2: Column "a" holds text ("x"), not distances.'],
  ["missing", "a,b\n0,\n1,0\n", ', line 2: A distance is missing in column "b". Every pair of rows needs a distance.'],
  ["shuffled rows", ",a,b\nb,0,1\na,1,0\n", ', line 2: The row is named "b", but column 1 of the matrix is named "a".'],
  ["oblong", "a,b,c,d\n0,1,2,3\n1,0,2,3\n", ": The table has 2 rows and 4 columns, which is not a distance matrix."],
  ["headless", "0,1.5,2\n1.5,0,3\n2,3,0\n", "which is not a distance matrix. The first row looks like data: add a header row"],
  [
    "no half",
    "distance\n1\n2\n3\n4\n",
    ": 4 distances in one column, which is not n(n-1)/2 for any n. Give one distance for each pair of rows (3 for 3 rows, 6 for 4)",
  ],
  ["headless half", "1\n2\n", "The first row looks like data: add a header row."],
  ["negative half", "distance\n1\n2\n-3\n", ', line 4: Rows 1 and 2 (column "distance"): the distance is -3'],
])("%s is refused with its place", async (name, content, sentence) => {
  const path = file(`${name.replaceAll(" ", "-")}.csv`, content);
  await expect(readDistances(path)).rejects.toThrow(sentence);
});

test("a matrix is matched by name where it names the ids, and row by row where it does not", async () => {
  const matrix = await readDistances(file("match.csv", "c,a,b\n0,2,3.5\n2,0,1\n3.5,1,0\n"));
  const table = { n: 3, rows: Int32Array.of(0, 1, 2), total: 3, dropped: [], file: "t.csv" };
  const byName = distancesFor(matrix, { ...table, ids: ["a", "b", "c"] });
  expect([[...byName.distances], byName.notices]).toEqual([[1, 2, 3.5], []]);
  const byRow = distancesFor(matrix, table);
  expect([...byRow.distances]).toEqual([2, 3.5, 1]);
  expect(byRow.notices[0]).toContain("are not the ids of t.csv");
  const kept = distancesFor(matrix, { ...table, n: 2, ids: ["b", "c"], rows: Int32Array.of(1, 2), dropped: ["a"] });
  expect([...kept.distances]).toEqual([3.5]);
  expect(() => distancesFor(matrix, { ...table, ids: ["a", "b", "d"] })).toThrow('but not "d"');
  expect(() => distancesFor(matrix, { ...table, total: 4 })).toThrow("The matrix is about 3 rows, but t.csv has 4.");
});
