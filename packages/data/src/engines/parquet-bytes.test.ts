import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoterieError } from "@coterie/core/internal";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBytes } from "../read-bytes.js";
import type { ReadOptions, Table } from "../table/table.js";
import { readParquet } from "./duckdb.js";

let root: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let files = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "coterie-parquet-bytes-"));
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await rm(root, { recursive: true });
});

async function parquet(query: string, more = ""): Promise<string> {
  const path = join(root, `t${files++}.parquet`);
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet${more})`);
  return path;
}

const OPTIONS: ReadOptions = { file: "t.parquet" };
const fromBytes = async (path: string, more: Partial<ReadOptions> = {}) =>
  readBytes(await readFile(path), { ...OPTIONS, ...more });

/** All that a table says, as plain values. */
async function plain(table: Table) {
  const columns = table.columns.map((column) =>
    column.kind === "numeric"
      ? { ...column, values: [...column.values] }
      : {
          ...column,
          codes: undefined,
          levels: undefined,
          cells: Array.from(column.codes, (code) => column.levels[code] ?? null),
        },
  );
  return { n: table.n, columns, notices: table.notices, hash: await table.contentHash() };
}

describe("the same table as through DuckDB", () => {
  const rows = "FROM range(3000) t(i)";
  const queries = {
    numbers: `SELECT i::TINYINT % 100 AS a, i AS b, i / 7 AS c, (i / 3)::FLOAT AS d, (i::UINTEGER + 4000000000)::UINTEGER AS e, NULLIF(i % 5, 0) AS f ${rows.replace("3000", "100")}`,
    decimals: `SELECT (i / 100)::DECIMAL(9, 2) AS a, (i / 1000)::DECIMAL(18, 3) AS b, (i * 1.1)::DECIMAL(38, 4) AS c ${rows}`,
    texts: `SELECT 'k' || (i % 7) AS a, CASE WHEN i % 3 = 0 THEN NULL ELSE 'ü' || i END AS b, (i % 9)::VARCHAR AS c, (['x', 'y'])[1 + i % 2]::ENUM('x', 'y') AS d ${rows}`,
    vectors: `SELECT 'n' || i AS id, [i, i / 2, 3.5]::DOUBLE[] AS a, CASE WHEN i % 4 = 1 THEN NULL ELSE [i, 1]::FLOAT[] END AS b, [i, 7]::INTEGER[2] AS c, [i / 100, 1]::DECIMAL(9, 2)[] AS d, [i]::BIGINT[] AS e ${rows}`,
    truths: `SELECT i % 2 = 0 AS a, gen_random_uuid() AS b ${rows}`,
    moments: `SELECT DATE '2020-02-28' + i::INTEGER AS a, TIMESTAMP '1969-12-31 23:59:58.25' + to_seconds(i) AS b, TIME '01:02:03.5' AS c, TIMESTAMP_MS '2001-01-01 00:00:00.5' AS d, TIMESTAMP_NS '2001-01-01 00:00:00.123456789' AS e ${rows}`,
  };
  test.each(Object.entries(queries))("%s", async (_, query) => {
    const path = await parquet(query, ", ROW_GROUP_SIZE 2048");
    expect(await plain(await fromBytes(path))).toEqual(await plain(await readParquet(path, OPTIONS)));
  });

  test.each(["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"])("packed with %s", async (compression) => {
    const path = await parquet(`SELECT i AS a, 'name ' || i % 50 AS b ${rows}`, `, COMPRESSION ${compression}`);
    expect(await plain(await fromBytes(path))).toEqual(await plain(await readParquet(path, OPTIONS)));
  });

  test("columns that are left out, and columns that are to be text", async () => {
    const path = await parquet(`SELECT i AS a, [1, 2] AS b, (i / 4)::DECIMAL(9, 2) AS c ${rows}`);
    const more = { skip: (name: string) => name === "b", text: ["a", "c"] };
    expect(await plain(await fromBytes(path, more))).toEqual(await plain(await readParquet(path, { ...OPTIONS, ...more })));
  });
});

test("refusals name the file: other types, numbers that are none, half a file", async () => {
  const refused = async (read: Promise<Table>) => {
    const error = await read.catch((e: unknown) => e);
    return error instanceof CoterieError ? error.message : error;
  };
  expect(await refused(fromBytes(await parquet("SELECT {'a': 1} AS v")))).toContain('t.parquet: Column "v" holds records');
  expect(await refused(fromBytes(await parquet("SELECT 'x'::BLOB AS v")))).toContain("raw bytes");
  expect(await refused(fromBytes(await parquet("SELECT ['x'] AS v")))).toContain('Column "v" holds lists');
  expect(await refused(fromBytes(await parquet("SELECT [[1]] AS v")))).toContain('Column "v" holds lists');
  expect(await refused(fromBytes(await parquet("SELECT [1] AS v"), { types: { v: "nominal" } }))).toContain("holds lists");
  expect(await refused(fromBytes(await parquet("SELECT unnest([[1, 2], [3]]) AS v")))).toContain(
    "a list of 1 number, while others have 2",
  );
  expect(await refused(fromBytes(await parquet("SELECT [1, NULL] AS v")))).toContain("missing or not finite");
  expect(await refused(fromBytes(await parquet("SELECT 'nan'::DOUBLE AS v")))).toContain("not a finite number");
  const half = (await readFile(await parquet("SELECT i AS v FROM range(9) t(i)"))).subarray(0, 60);
  expect(await refused(readBytes(half, OPTIONS))).toContain("not a whole Parquet file");
});

test("damaged bytes give a table or a sentence, never another error", async () => {
  const path = await parquet("SELECT i AS a, i / 3 AS b, 'n' || i % 4 AS c FROM range(200) t(i)");
  const whole = await readFile(path);
  const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(damage, async (places) => {
      const bytes = Uint8Array.from(whole);
      for (const [at, value] of places) bytes[at] = value;
      const outcome = await readBytes(bytes, OPTIONS).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(CoterieError);
    }),
    { numRuns: 300 },
  );
});
