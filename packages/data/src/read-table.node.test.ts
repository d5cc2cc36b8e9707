import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConstraints } from "./constraints/constraints-file.js";
import { readCsv } from "./csv/csv.js";
import { formatOf } from "./formats/formats.js";
import { writeNpy } from "./formats/npy.js";
import { openBytes, readColumns, readTable } from "./read-table.js";
import { bytesOf, sentenceOf } from "./testing/bytes.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "coterie-tables-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test("a CSV file becomes instances that know their file", async () => {
  const text = "name,x,class\na,1,P\nb,,Q\nc,3,P\n";
  const path = await file("crabs.csv", text);
  const crabs = await readTable(path, { id: "name", truth: "class", missing: "drop", scale: "none" });
  expect(crabs).toMatchObject({ n: 2, d: 1, x: Float64Array.of(1, 3), names: ["x"], ids: ["a", "c"], total: 3, dropped: ["b"] });
  expect(crabs.file).toBe(path);
  expect(await crabs.contentHash()).toBe(createHash("sha256").update(text).digest("hex"));
  const known = await file("known.csv", "type,a,b\nmust-link,a,c\n");
  const { set } = await readConstraints((await openBytes(known)).chunks, { file: known, rows: crabs });
  expect(set.mustLinks).toEqual({ a: Int32Array.of(0), b: Int32Array.of(1), weight: Float64Array.of(1) });
});

test("the hash is that of the file as it was read, or none", async () => {
  const path = await file("changing.csv", "x\n1\n");
  const hash = createHash("sha256").update("x\n1\n").digest("hex");
  const [early, late] = [await readTable(path), await readTable(path)];
  expect(await early.contentHash()).toBe(hash);
  expect(structuredClone(early)).toMatchObject({ n: 1, file: path });
  await writeFile(path, "x\n1\n2\n");
  expect(await early.contentHash()).toBe(hash);
  expect(await sentenceOf(late.contentHash())).toBe(
    `${path}: The file was changed after it was read, so its hash would not match the data. Run again when no program writes to it.`,
  );
});

test.skipIf(process.platform === "win32")("a pipe is hashed as it passes", async () => {
  const path = join(folder, "pipe.csv");
  execFileSync("mkfifo", [path]);
  const writing = writeFile(path, "x\n1\n3\n");
  const piped = await readTable(path, { scale: "none" });
  await writing;
  expect(piped).toMatchObject({ n: 2, x: Float64Array.of(1, 3) });
  expect(await piped.contentHash()).toBe(createHash("sha256").update("x\n1\n3\n").digest("hex"));
});

test("a large file, on threads: the same columns and the same hash", async () => {
  const lines = Array.from(
    { length: 1000 },
    (_, i) => `${Math.sqrt(i)},${i / 7},${i % 50 === 0 ? '"q, q"' : `c${i % 5}`},${i % 13 === 0 ? "NA" : -i}\n`,
  );
  const text = `a,b,c,d\n${lines.join("").repeat(900)}`;
  const path = await file("large.csv", text);
  expect(text.length).toBeGreaterThan(33 * 2 ** 20);
  const large = await readColumns(path, {});
  const small = await readCsv(bytesOf(text), { file: path }, { reader: null });
  expect(await large.contentHash()).toBe(await small.contentHash());
  expect(large.columns.map(({ kind, missing }) => [kind, missing])).toEqual(
    small.columns.map(({ kind, missing }) => [kind, missing]),
  );
  large.columns.forEach((column, j) => {
    const other = small.columns[j]!;
    const [one, two] = [column, other].map((each) => (each.kind === "numeric" ? each.values : each.codes)) as [
      Float64Array,
      Float64Array,
    ];
    expect(one.length).toBe(two.length);
    expect(one.every((value, i) => Object.is(value, two[i]))).toBe(true);
  });
});

describe("the format", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  test.each([
    ["a.csv", "x,y\n", "csv"],
    ["a.TSV", "x\ty\n", "tsv"],
    ["a.ndjson", "{}", "jsonl"],
    ["a.arff", "", "arff"],
    ["a", '  {"x":1}', "jsonl"],
    ["a", "% note\n\n@RELATION r\n", "arff"],
    ["a", "x,y\n", "csv"],
    ["a.csv", "PAR1....", "parquet"],
    ["a", "ARROW1..", "arrow"],
    ["a.pq", "", "parquet"],
    ["a.feather", "", "arrow"],
  ])("%s with %j is %s", (name, head, format) => {
    expect(formatOf(name, bytes(head))).toBe(format);
  });

  test("every stream format is read from a file", async () => {
    const expected = { n: 2, x: Float64Array.of(1, 3), names: ["x"] };
    expect(await readTable(await file("t.tsv", "x\n1\n3\n"), { scale: "none" })).toMatchObject(expected);
    expect(await readTable(await file("t.jsonl", '{"x":1}\n{"x":3}\n'), { scale: "none" })).toMatchObject(expected);
    expect(await readTable(await file("t.arff", "@attribute x real\n@data\n1\n3\n"), { scale: "none" })).toMatchObject(expected);
    expect(await readTable(await file("t.npy", writeNpy(Float64Array.of(1, 3), 2, 1)), { scale: "none" })).toMatchObject({
      ...expected,
      names: ["x0"],
    });
  });

  test("Parquet and Arrow files go to their engines", async () => {
    const expected = { n: 2, x: Float64Array.of(1, 3), names: ["x"], ids: ["a", "b"] };
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const parquet = join(folder, "t.parquet");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run(
      `COPY (SELECT * FROM (VALUES ('a', 1.0::DOUBLE), ('b', 3.0::DOUBLE)) AS t(name, x)) TO '${parquet}' (FORMAT parquet)`,
    );
    connection.closeSync();
    expect(await readTable(parquet, { id: "name", scale: "none" })).toMatchObject(expected);
    const { tableFromArrays, tableToIPC } = await import("apache-arrow");
    const arrow = await file("t.arrow", tableToIPC(tableFromArrays({ name: ["a", "b"], x: Float64Array.of(1, 3) }), "file"));
    expect(await readTable(arrow, { id: "name", scale: "none" })).toMatchObject(expected);
  });
});

describe("files that cannot be read", () => {
  test("nearly the name of a sample set", async () => {
    expect(await sentenceOf(readTable("iris-fischer"))).toBe(
      'iris-fischer: There is no such file. Did you mean the sample set "iris-fisher"?',
    );
  });

  test("missing, or a folder", async () => {
    const gone = join(folder, "gone.csv");
    expect(await sentenceOf(readTable(gone))).toBe(`${gone}: There is no such file. Check the name and the folder.`);
    expect(await sentenceOf(readTable(folder))).toBe(`${folder}: This is a folder, not a file. Name a file in it.`);
    expect(await sentenceOf(openBytes(gone))).toBe(`${gone}: There is no such file. Check the name and the folder.`);
  });

  test.skipIf(process.getuid?.() === 0)("forbidden", async () => {
    const path = await file("secret.csv", "x\n1\n");
    await chmod(path, 0);
    expect(await sentenceOf(readTable(path))).toBe(`${path}: You have no permission to read the file. Check its permissions.`);
  });

  test("an error leaves no handle open, and neither does a stop", async () => {
    const path = await file("bad.csv", "x,y\n1\n");
    for (let i = 0; i < 50; i++) await sentenceOf(readColumns(path, {}));
    const stop = new AbortController();
    const large = await file("large.csv", `x\n${"1\n".repeat(6e6)}`);
    await expect(readColumns(large, { signal: stop.signal, onProgress: () => stop.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
    const open = (process as unknown as { getActiveResourcesInfo(): string[] }).getActiveResourcesInfo();
    expect(open.filter((kind) => kind.includes("FileHandle") || kind.includes("FSReq"))).toEqual([]);
  });
});
