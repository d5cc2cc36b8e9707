import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryOf, rowValues } from "@coterie/core/internal";
import { DuckDBInstance } from "@duckdb/node-api";
import { Field, FixedSizeList, Float32, makeData, RecordBatch, Schema, Struct, Table, tableToIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTable } from "./read-table.js";
import { sentenceOf } from "./testing/bytes.js";

const N = 4_000;
const D = 270;

let folder = "";
let path = "";
let doubles = "";
const values = Float32Array.from({ length: N * D }, (_, p) => ((p * 7919) % 1009) / 1009 - 0.3 + (p % D) / 1000);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coterie-singles-"));
  path = await npy("embeddings.npy", values);
  doubles = await npy("doubles.npy", Float64Array.from(values));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Whether two arrays are of one type and have the same bits; a matcher would look at each number. */
function areSame(a: Float32Array | Float64Array, b: Float32Array | Float64Array): boolean {
  const bytes = (array: Float32Array | Float64Array) =>
    Buffer.from(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
  return a.constructor === b.constructor && bytes(a).equals(bytes(b));
}

async function npy(name: string, numbers: Float32Array | Float64Array, n = N): Promise<string> {
  const type = numbers instanceof Float32Array ? "<f4" : "<f8";
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${n}, ${D}), }`.padEnd(117);
  const head = Uint8Array.from([
    0x93,
    ...new TextEncoder().encode("NUMPY"),
    1,
    0,
    118,
    0,
    ...new TextEncoder().encode(`${header}\n`),
  ]);
  const file = join(folder, name);
  await writeFile(file, Buffer.concat([head, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)]));
  return file;
}

test("a large array of singles is kept as it is in the file, where kernels can work on it", async () => {
  const table = await readTable(path, { scale: "none" });
  const rows = rowValues(table);
  expect(areSame(rows, values)).toBe(true);
  expect(memoryOf(rows)).toBeDefined();
  expect([table.n, table.d, table.names!.slice(0, 2), table.total, table.notices]).toEqual([N, D, ["x0", "x1"], N, []]);
  const byDefault = await readTable(path);
  expect(areSame(rowValues(byDefault), values)).toBe(true);
  expect(byDefault.notices.join()).toMatch(/^No column is scaled, because all 270 columns have values within /);
});

test("all that is known of the rows is as in a table of doubles", async () => {
  const wide = values.map((value, p) => (p % D === 5 ? 300 * value : value));
  const lengths = Array.from({ length: N }, (_, i) => Math.hypot(...values.subarray(i * D, (i + 1) * D)));
  const unit = values.map((value, p) => value / lengths[Math.floor(p / D)]!);
  const side = join(folder, "side.csv");
  await writeFile(side, `name,kind\n${Array.from({ length: N }, (_, i) => `r${i},${i % 3}`).join("\n")}\n`);
  const options = { columnsFrom: side, id: "name", truth: "kind", scale: "none", missing: "error" } as const;
  for (const [name, numbers] of [
    ["wide", wide],
    ["unit", unit],
  ] as const) {
    const single = await readTable(await npy(`${name}-f4.npy`, numbers), options);
    const double = await readTable(await npy(`${name}-f8.npy`, Float64Array.from(numbers)), options);
    expect(rowValues(single)).toBeInstanceOf(Float32Array);
    expect(rowValues(double)).toBeInstanceOf(Float64Array);
    expect(areSame(single.x, double.x)).toBe(true);
    const { x: _, file: __, ...facts } = single;
    const { x: ___, file: ____, ...expected } = double;
    expect(facts).toEqual(expected);
    expect(single.directions).toBe(name === "unit" ? true : undefined);
    expect(single.notices.length).toBe(name === "wide" ? 1 : 0);
  }
});

test.each([
  ["columns left out", { ignore: ["x3"] }],
  ["a column as text", { nominal: ["x0"], sample: 40 }],
  ["scaled", { scale: "zscore" }],
  ["a sample", { sample: 100 }],
  ["reduced", { reduce: 2, sample: 50 }],
  ["weighted", { weights: { x1: 4 } }],
  ["missing cells filled", { missing: "impute" }],
  ["some features", { features: ["x7", "x2"] }],
] as const)("%s: the same points as from doubles", async (_, options) => {
  const [single, double] = [await readTable(path, options), await readTable(doubles, options)];
  expect(areSame(single.x, double.x)).toBe(true);
  expect([single.names, single.notices, single.sources, single.scaling]).toEqual([
    double.names,
    double.notices,
    double.sources,
    double.scaling,
  ]);
});

test("errors in an array of singles read like errors in other arrays", async () => {
  const odd = values.slice();
  odd[(N - 1) * D + 3] = Number.NaN;
  const file = await npy("odd.npy", odd);
  expect(await sentenceOf(readTable(file))).toBe(
    `${file}: Row ${N - 1} of column "x3" is NaN, which is not a finite number. Replace it, or leave the column out (--ignore x3).`,
  );
  const short = await npy("short.npy", values, N + 1);
  expect(await sentenceOf(readTable(short))).toContain(
    `The file ends early: ${N + 1} × ${D} numbers take ${128 + 4 * (N + 1) * D} bytes, it has ${128 + 4 * N * D}.`,
  );
  expect(await sentenceOf(readTable(path, { ignore: ["y"] }))).toContain('There is no column "y" (--ignore)');
});

test("lists and columns of singles in Arrow and Parquet stay singles", async () => {
  const child = new Field("item", new Float32(), false);
  const list = new FixedSizeList(D, child);
  const numbers = makeData({ type: new Float32(), data: values });
  const data = makeData({ type: list, length: N, nullCount: 0, child: numbers });
  const field = new Field("e", list, false);
  const batch = new RecordBatch(
    new Schema([field]),
    makeData({ type: new Struct([field]), length: N, nullCount: 0, children: [data] }),
  );
  const arrow = join(folder, "e.arrow");
  await writeFile(arrow, tableToIPC(new Table([batch]), "file"));
  const ofArrow = await readTable(arrow);
  expect(areSame(rowValues(ofArrow), values)).toBe(true);
  expect(ofArrow.names!.slice(0, 2)).toEqual(["e[0]", "e[1]"]);

  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const [lists, columns] = [join(folder, "lists.parquet"), join(folder, "columns.parquet")];
  await connection.run(
    `COPY (SELECT list_transform(range(${D}), j -> ((i * 31 + j * 17) % 101)::FLOAT / 7) AS e FROM range(${N}) t(i)) TO '${lists}' (FORMAT parquet)`,
  );
  const parts = Array.from({ length: D }, (_, j) => `(((i * 31 + ${j} * 17) % 101)::FLOAT / 7)::FLOAT AS c${j}`).join(", ");
  await connection.run(`COPY (SELECT ${parts} FROM range(${N}) t(i)) TO '${columns}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  const expected = Float32Array.from({ length: N * D }, (_, p) => ((Math.floor(p / D) * 31 + (p % D) * 17) % 101) / 7);
  for (const file of [lists, columns]) expect(areSame(rowValues(await readTable(file)), expected)).toBe(true);
});
