import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoterieError } from "@coterie/core/internal";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../samples/find.js";
import type { Column } from "../table/table.js";
import { changedFile } from "../testing/damaged.js";
import { readParquet } from "./duckdb.js";

const long = process.env.COTERIE_LONG === "1";
let root: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let files = 0;

beforeAll(async () => {
  // A zone that is never UTC: texts of moments must not depend on it.
  process.env.TZ = "America/New_York";
  root = await mkdtemp(join(tmpdir(), "coterie-parquet-"));
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await rm(root, { recursive: true });
});

/** A Parquet file with the rows of a query. */
async function parquet(query: string, name = `t${files++}.parquet`, more = ""): Promise<string> {
  const path = join(root, name);
  await connection.run(`COPY (${query}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet${more})`);
  return path;
}

const read = (path: string, more: object = {}) => readParquet(path, { file: "t.parquet", ...more });

async function column(expression: string, more: object = {}): Promise<Column> {
  const table = await read(await parquet(`SELECT ${expression} AS v FROM range(4) t(i)`), more);
  return table.columns[0]!;
}

const nominal = (c: Column) => (c.kind === "nominal" ? [...c.codes].map((code) => c.levels[code] ?? null) : c);
const numeric = (c: Column) => (c.kind === "numeric" ? [...c.values] : c);

describe("types", () => {
  test.each([
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "HUGEINT",
    "FLOAT",
    "DOUBLE",
  ])("%s is numeric, NULL is missing", async (type) => {
    const read = await column(`CASE WHEN i = 2 THEN NULL ELSE (i * 3)::${type} END`);
    expect(read).toMatchObject({ kind: "numeric", name: "v", missing: 1 });
    expect(numeric(read)).toEqual([0, 3, Number.NaN, 9]);
  });

  test("decimals are read by their digits", async () => {
    expect(numeric(await column("(i * 0.1)::DECIMAL(18,3)"))).toEqual([0, 0.1, 0.2, 0.3]);
    expect(numeric(await column("'123456789012345678.12345'::DECIMAL(38,5)"))).toEqual(
      Array(4).fill(Number("123456789012345678.12345")),
    );
  });

  test("truth values and ids are names; dates and times too, where they are asked to be", async () => {
    const asNames = { types: { v: "nominal" } };
    expect(nominal(await column("i % 2 = 0"))).toEqual(["true", "false", "true", "false"]);
    expect(nominal(await column("DATE '2020-02-28' + i::INTEGER", asNames))).toEqual([
      "2020-02-28",
      "2020-02-29",
      "2020-03-01",
      "2020-03-02",
    ]);
    expect(nominal(await column("TIME '10:00:00'", asNames))).toEqual(Array(4).fill("10:00:00"));
    expect(nominal(await column("TIMESTAMP '2020-01-01 10:00:00.5'", asNames))).toEqual(Array(4).fill("2020-01-01 10:00:00.5"));
    expect(nominal(await column("TIMESTAMPTZ '2020-01-01 10:00:00+00'", asNames))).toEqual(
      Array(4).fill("2020-01-01 10:00:00+00"),
    );
    expect(nominal(await column("'5b6a0f43-c0fd-44b6-9a11-5c8b2a2d1c11'::UUID"))).toHaveLength(4);
  });

  test("lists of numbers are vectors; others are refused as ever", async () => {
    const parts = async (expression: string, more = {}) =>
      (await read(await parquet(`SELECT ${expression} AS v, i AS w FROM range(4) t(i)`), more)).columns.map(({ name }) => name);
    expect(await parts("[i, 0.5]::FLOAT[]")).toEqual(["v[0]", "v[1]", "w"]);
    expect(await parts("[i, 2, 3]::INTEGER[]")).toEqual(["v[0]", "v[1]", "v[2]", "w"]);
    expect(numeric((await read(await parquet("SELECT [i + 0.25, 1]::DOUBLE[2] AS v FROM range(3) t(i)"))).columns[0]!)).toEqual([
      0.25, 1.25, 2.25,
    ]);
    await expect(parts("['a']")).rejects.toThrow("holds lists");
    await expect(parts("[i]", { types: { v: "nominal" } })).rejects.toThrow("holds lists");
    await expect(parts("range(i)")).rejects.toThrow(/a list of \d+ numbers?, while others have|an empty list/);
  });

  test("dates and times are days", async () => {
    expect(numeric(await column("DATE '2020-02-28' + i::INTEGER"))).toEqual([18320, 18321, 18322, 18323]);
    expect(numeric(await column("TIME '06:00:00'"))).toEqual(Array(4).fill(0.25));
    expect(numeric(await column("TIMESTAMPTZ '2020-02-28 12:00:00+00'"))).toEqual(Array(4).fill(18320.5));
  });

  test("text goes by its cells", async () => {
    expect(numeric(await column("(i + 0.5)::VARCHAR"))).toEqual([0.5, 1.5, 2.5, 3.5]);
    expect(nominal(await column("'x' || i"))).toEqual(["x0", "x1", "x2", "x3"]);
    expect(nominal(await column("['', 'NA', '?', ' b '][i + 1]"))).toEqual([null, null, null, " b "]);
    expect(numeric(await column("['1e3', 'NA', NULL, ' 7 '][i + 1]"))).toEqual([1000, Number.NaN, Number.NaN, 7]);
    expect(nominal(await column("['a', 'b', 'a', 'b'][i + 1]::ENUM('b', 'a')"))).toEqual(["a", "b", "a", "b"]);
  });

  test("a column without values is nominal, with a notice", async () => {
    const table = await read(await parquet("SELECT NULL::DOUBLE AS a, NULL::VARCHAR AS b, i FROM range(2) t(i)"));
    expect(table.columns.map(({ kind, missing }) => [kind, missing])).toEqual([
      ["nominal", 2],
      ["nominal", 2],
      ["numeric", 0],
    ]);
    expect(table.notices).toEqual([expect.stringContaining('Column "a"'), expect.stringContaining('Column "b"')]);
  });

  test("columns asked for as text keep their digits", async () => {
    const text = { text: ["v"] };
    expect(nominal(await column("9007199254740993 + i", text))[0 as never]).toBe("9007199254740993");
    expect(nominal(await column("i / 2", text))).toEqual(["0", "0.5", "1", "1.5"]);
    expect(nominal(await column("i::VARCHAR", text))).toEqual(["0", "1", "2", "3"]);
    expect(nominal(await column("i::DECIMAL(5,2)", text))[1 as never]).toBe("1.00");
  });
});

describe("sentences", () => {
  test.each([
    ["'nan'::DOUBLE", 'Column "v" holds "NaN" in row 0 (from 0), which is not a finite number. Make the cell null'],
    ["CASE WHEN i = 3 THEN '-inf'::FLOAT ELSE 1 END", 'Column "v" holds "-Infinity" in row 3'],
    ["['1', '2', 'inf', '3'][i + 1]", 'Column "v" holds "inf" in row 2'],
    ["['1', '2', '1e999', '3'][i + 1]", 'Column "v" holds "1e999" in row 2'],
    [
      "['1', '2', 'x', '3'][i + 1]",
      'Column "v" mixes numbers and text: 1 of its 4 cells is text (row 2 "x"); the others are numbers (row 0 "1", …); rows count from 0. Correct them, read the column as text (--nominal v), or leave it out (--ignore v).',
    ],
    ["['a', '2', 'b', 'c'][i + 1]", '1 of its 4 cells is a number (row 1 "2"); the others are text (row 0 "a", …); rows'],
    ["9007199254740992 + i", 'Column "v" holds whole numbers of 2^53 or more, about 9007199254740992 in row 0'],
    ["['a']", 'Column "v" holds lists, which are neither numbers nor text. Leave it out (--ignore v)'],
    ["{'a': i}", "holds records, which are neither"],
    ["MAP {'a': i}", "holds maps, which"],
    ["'a'::BLOB", "holds raw bytes, which"],
    ["[DATE '2020-01-01']", "holds lists, which"],
  ])("%s", async (expression, sentence) => {
    const error = await column(expression).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CoterieError);
    expect((error as Error).message).toContain(`t.parquet: `);
    expect((error as Error).message).toContain(sentence);
  });

  test("skipped columns are not looked at; text goes before skip", async () => {
    const path = await parquet("SELECT [i] AS l, i AS x, 'nan'::DOUBLE AS bad FROM range(3) t(i)");
    const table = await read(path, { skip: (name: string) => name !== "x" });
    expect(table.columns.map(({ name }) => name)).toEqual(["x"]);
    expect(table.n).toBe(3);
    const all = await read(path, { skip: () => true });
    expect([all.n, all.columns.length]).toEqual([3, 0]);
    const forced = await read(path, { skip: () => true, text: ["bad"] });
    expect(nominal(forced.columns[0]!)).toEqual(["NaN", "NaN", "NaN"]);
  });

  test("no file, a directory, another format, a file cut short", async () => {
    await expect(read(join(root, "none.parquet"))).rejects.toThrow("t.parquet: There is no such file.");
    await expect(read(root)).rejects.toThrow("This is not a file.");
    const path = join(root, "text.parquet");
    await writeFile(path, "a,b\n1,2\n");
    await expect(read(path)).rejects.toThrow("t.parquet: This is not a whole Parquet file: it must begin and end with PAR1.");
    await writeFile(path, "");
    await expect(read(path)).rejects.toThrow("not a whole Parquet file");
    await writeFile(path, "PAR1");
    await expect(read(path)).rejects.toThrow("not a whole Parquet file");
    await writeFile(path, "PAR1zzzzzzzzzzzzPAR1");
    await expect(read(path)).rejects.toThrow("t.parquet: The Parquet file is damaged: its footer cannot have");
    const whole = await parquet("SELECT * FROM range(1000)");
    await truncate(whole, 500);
    await expect(read(whole)).rejects.toThrow("not a whole Parquet file");
  });
});

describe("files", () => {
  test("the hash is the file's, progress ends at its length", async () => {
    const path = await parquet("SELECT i FROM range(10) t(i)");
    const seen: (number | null)[][] = [];
    const table = await read(path, { onProgress: (...progress: (number | null)[]) => seen.push(progress) });
    const bytes = await readFile(path);
    expect(await table.contentHash()).toBe(sha256(bytes));
    expect(seen.at(-1)).toEqual([bytes.length, bytes.length]);
  });

  test.each(["it's.parquet", "a*b?[c].parquet", '"q".parquet', "'; DROP TABLE x; --.parquet", "späße.parquet"])(
    "named %s",
    async (name) => {
      const other = await parquet("SELECT 99 AS other", "a_b_c.parquet");
      const path = await parquet("SELECT 7 AS x", name);
      const table = await read(path);
      expect(table.columns[0]).toMatchObject({ name: "x", values: Float64Array.of(7) });
      await rm(path);
      await rm(other);
    },
  );

  test("a folder that looks like a partition adds no column", async () => {
    await mkdir(join(root, "year=2020"));
    const table = await read(await parquet("SELECT 7 AS x", "year=2020/a.parquet"));
    expect(table.columns.map(({ name }) => name)).toEqual(["x"]);
  });

  test("column names with quotes, spaces and other scripts", async () => {
    const table = await read(await parquet(`SELECT 1 AS "a ""b"" ;--", 2 AS "größe 数"`));
    expect(table.columns.map(({ name }) => name)).toEqual(['a "b" ;--', "größe 数"]);
  });

  test("names that differ in case only are the file's", async () => {
    // DuckDB does not write such a file, so the names are changed afterwards, to others of the same length.
    const path = await parquet('SELECT 1 AS "abc", [7] AS l, 2 AS "xbc", {\'p\': 1} AS s, 3 AS z');
    const bytes = Buffer.from((await readFile(path)).toString("latin1").replaceAll("xbc", "ABC"), "latin1");
    await writeFile(path, bytes);
    const table = await read(path, { skip: (name: string) => name === "l" || name === "s" });
    expect(table.columns.map(({ name }) => name)).toEqual(["abc", "ABC", "z"]);
    expect(table.columns.map(numeric)).toEqual([[1], [2], [3]]);
  });

  test("many chunks and row groups keep their order; codecs", async () => {
    for (const codec of ["zstd", "gzip", "lz4", "brotli", "uncompressed"]) {
      const path = await parquet(
        "SELECT i AS x, 'g' || (i % 5) AS g FROM range(30000) t(i)",
        undefined,
        `, ROW_GROUP_SIZE 4096, CODEC '${codec}'`,
      );
      const table = await read(path);
      expect(table.n).toBe(30000);
      const [x, g] = table.columns;
      expect(x?.kind === "numeric" && x.values.every((value, i) => value === i)).toBe(true);
      expect(g?.kind === "nominal" && g.codes.every((code, i) => code === i % 5)).toBe(true);
    }
  });

  test("an empty table", async () => {
    const table = await read(await parquet("SELECT 1 AS x WHERE false"));
    expect(table).toMatchObject({ n: 0, columns: [{ kind: "numeric", name: "x" }] });
  });

  test("an abort ends with the signal's reason, before and during", async () => {
    const path = await parquet("SELECT i AS x, i::VARCHAR || 'a' AS y FROM range(400000) t(i)");
    await expect(read(path, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    const controller = new AbortController();
    const { signal } = controller;
    let looks = 0;
    signal.throwIfAborted = () => {
      if (++looks === 20) controller.abort(new Error("later"));
      AbortSignal.prototype.throwIfAborted.call(signal);
    };
    await expect(read(path, { signal })).rejects.toThrow("later");
    expect(looks).toBeLessThan(30);
  });
});

describe("damaged files give sentences, never a crash", () => {
  async function survives(bytes: Uint8Array): Promise<void> {
    const path = join(root, "fuzz.parquet");
    await writeFile(path, bytes);
    try {
      const table = await read(path);
      for (const c of table.columns) expect(c.kind === "numeric" ? c.values.length : c.codes.length).toBe(table.n);
    } catch (error) {
      expect(error).toBeInstanceOf(CoterieError);
    }
  }

  test("random bytes between the marks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(220), async (body, footer) => {
        const length = new Uint8Array(Uint32Array.of(footer).buffer);
        await survives(Buffer.concat([Buffer.from("PAR1"), body, length, Buffer.from("PAR1")]));
      }),
      { numRuns: long ? 300 : 30 },
    );
  });

  test("valid files with bytes changed, removed and repeated", async () => {
    const path = await parquet(
      "SELECT i AS a, i / 3 AS b, 't' || (i % 7) AS c, i % 2 = 0 AS d, DATE '2020-01-01' + i::INTEGER AS e FROM range(300) t(i)",
    );
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(changedFile(whole, 4, whole.length - 9, 8, 64), async (broken) => void (await survives(broken))),
      { numRuns: long ? 1000 : 100 },
    );
  });
});
