/** Against a real cluster on loopback: `npm run test:spark` starts one. Without one only what needs none is tested. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PlanOptions, passModelOf } from "@coterie/core/scale";

import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { createMemoryEngine } from "../memory/memory-engine.js";
import { answerOf, blobs, known, writeFiles } from "../testing/problems.js";
import { addressOf, SparkConnect } from "./connect.js";
import { createSparkEngine, literal, passQuery, type SparkOptions } from "./spark-engine.js";

const CONNECT = process.env.COTERIE_SPARK_CONNECT;
const FOLDER = process.env.COTERIE_SPARK ?? "";

test("the jar is the one that was built from the sources beside it", () => {
  const place = (name: string): string => fileURLToPath(new URL(`../../spark/${name}`, import.meta.url));
  const sha256 = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(place(name)))
      .digest("hex");
  const facts = JSON.parse(readFileSync(place("coterie.jar.json"), "utf8"));
  const names = readdirSync(place("java/coterie")).map((name) => `java/coterie/${name}`);
  expect(Object.fromEntries(names.map((name) => [name, sha256(name)]))).toEqual(facts.sources);
  expect(sha256("coterie.jar")).toBe(facts.jarSha256);
});

test("addresses are read as Spark's own clients write them", () => {
  expect(addressOf("sc://10.0.0.1")).toEqual({ host: "10.0.0.1", port: 15002, token: undefined, tls: false, headers: {} });
  expect(addressOf("sc://lake:443/;use_ssl=true")).toMatchObject({ port: 443, tls: true });
  expect(addressOf("sc://lake:443;token=abc")).toMatchObject({ token: "abc", tls: true });
  expect(addressOf("sc://lake:443/;token=YWI=;use_ssl=True")).toMatchObject({ token: "YWI=", tls: true });
  expect(addressOf("sc://lake/;token=a%3Bb;x-cluster-id=17;user_id=me;grpc_keepalive_time_ms=9")).toMatchObject({
    token: "a;b",
    headers: { "x-cluster-id": "17" },
  });
  for (const none of ["http://lake", "sc://", "sc://lake/;token", "sc://lake/;token=%zz", "sc://lake/more"])
    expect(addressOf(none)).toBeNull();
});

test("a token stays on this machine or goes over TLS, and may be a variable", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.0.3", "[::1]"]) {
    expect(addressOf(`sc://${host}/;token=abc`)).toMatchObject({ host, token: "abc", tls: false });
    expect(addressOf(`sc://${host}/;token=abc;use_ssl=true`)).toMatchObject({ tls: true });
  }
  for (const host of ["localhost.example.org", "127.0.0.1.example.org", "10.0.0.1"])
    expect(addressOf(`sc://${host}/;token=abc`)).toMatchObject({ host, tls: true });
  const variables = { SPARK_CONNECT_AUTHENTICATE_TOKEN: "abc" };
  expect(addressOf("sc://lake", variables)).toMatchObject({ token: "abc", tls: true });
  expect(addressOf("sc://lake/;token=own", variables)).toMatchObject({ token: "own" });
  expect(addressOf("sc://lake", { SPARK_CONNECT_AUTHENTICATE_TOKEN: "" })).toMatchObject({ token: undefined, tls: false });
});

test("numbers in SQL are doubles to the last bit", () => {
  for (const value of [0.1, -1 / 3, 5e-324, 1.7976931348623157e308, 2 ** 60, -0, 123456789]) {
    const text = literal(value);
    expect(text).toMatch(/D\)?$/);
    expect(Object.is(Number(text.replaceAll(/[()D]/g, "")), value)).toBe(true);
  }
});

test("a port that nobody listens on, and an address that is none, get a sentence", async () => {
  const server = createServer();
  const port = await new Promise<number>((done) =>
    server.listen(0, "127.0.0.1", () => done((server.address() as { port: number }).port)),
  );
  await new Promise((done) => server.close(done));
  const options = { table: "t", id: "id" };
  await expect(createSparkEngine({ ...options, connect: `sc://127.0.0.1:${port}` })).rejects.toThrow(
    `No Spark Connect server answers at 127.0.0.1:${port}. Check --connect`,
  );
  await expect(createSparkEngine({ ...options, connect: "spark://x" })).rejects.toThrow(
    '"spark://x" is not an address of Spark Connect. Write it as sc://HOST:PORT.',
  );
});

test("the query of a pass has one sum for each half of each total", () => {
  const parts = {
    d: 2,
    k: 3,
    metric: "plain",
    centres: new Float64Array(6),
    maps: new Float64Array(0),
    several: false,
    bias: new Float64Array(3),
    moments: "full",
    scaling: null,
  } as const;
  const query = passQuery(
    passModelOf(
      parts,
      [
        { least: 0, most: 1 },
        { least: 0, most: 1 },
      ],
      100,
    ),
    "t",
  );
  expect(query.match(/sum\(/g)).toHaveLength(2 * (2 + 3 + 1));
});

const runs: [string, PlanOptions, "none" | "zscore"][] = [
  ["kmeans", { k: 4 }, "none"],
  ["pck-means", { k: 4 }, "zscore"],
  ["mpck-means", { k: 4, metrics: "multiple" }, "none"],
  ["mpck-means", { k: 3, matrix: "full", maxIterations: 4 }, "none"],
  ["cop-kmeans", { k: 5, maxIterations: 5 }, "none"],
  ["supervised-means", { k: 4 }, "none"],
];

describe.skipIf(CONNECT === undefined)("on a cluster", { timeout: 600_000 }, () => {
  const table = blobs(3_000, 4, 4, 3);
  const constraints = known(table, 60, 5);
  const place = join(FOLDER, "test-tables");
  const engineAt = (path: string, more: Partial<SparkOptions> = {}) =>
    createSparkEngine({ connect: CONNECT!, path: join(place, path), id: "row", ...more });

  beforeAll(async () => {
    rmSync(place, { recursive: true, force: true });
    for (const folder of ["one", "many"]) mkdirSync(join(place, folder), { recursive: true });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await writeFiles(connection, table, [join(place, "one/t.parquet")], ", row");
    await writeFiles(
      connection,
      table,
      [5, 3, 1, 4, 2].map((part) => join(place, `many/part-${part}.parquet`)),
      ", row",
    );
    connection.closeSync();
  }, 60_000);

  test.each(runs)(
    "%s %j, scaled by %s: the bits of memory on two partitionings, by aggregate and by SQL",
    async (method, options, scale) => {
      const whole = await answerOf(createMemoryEngine(table), method, options, constraints, { scale });
      for (const [path, jar] of [
        ["one", true],
        ["many", true],
        ["many", false],
      ] as const) {
        const engine = await engineAt(path, { jar });
        try {
          expect([engine.path, engine.notices]).toEqual([jar ? "aggregate" : "sql", []]);
          expect(await answerOf(engine, method, options, constraints, { scale })).toEqual(whole);
        } finally {
          await engine.close();
        }
      }
    },
  );

  test("wrong tables, columns and types get sentences; no cache is left", async () => {
    await expect(engineAt("nowhere")).rejects.toThrow("Spark does not know this table or path.");
    await expect(createSparkEngine({ connect: CONNECT!, table: "no_such_table", id: "row" })).rejects.toThrow(
      "no_such_table: Spark does not know this table or path.",
    );
    await expect(engineAt("one", { id: "rwo" })).rejects.toThrow('There is no column "rwo" (--id). Did you mean "row"?');
    const client = await SparkConnect.open(addressOf(CONNECT!)!);
    const make = async (query: string): Promise<void> => {
      await client.command("DROP TABLE IF EXISTS coterie_texts");
      await client.command(`CREATE TABLE coterie_texts USING parquet AS ${query}`);
    };
    await make("SELECT 1 AS row, 'a' AS x");
    await expect(createSparkEngine({ connect: CONNECT!, table: "coterie_texts", id: "row" })).rejects.toThrow(
      'Column "x" holds string values; an engine clusters numeric columns. Leave it out (--ignore x).',
    );
    await make("SELECT id AS row, IF(id = 99, double('nan'), 1.0D) AS x FROM range(100)");
    const engine = await createSparkEngine({ connect: CONNECT!, table: "coterie_texts", id: "row" });
    await expect(engine.statistics()).rejects.toThrow(
      'Row 99, column "x": the cell is not a finite number, as one of 1 in this column.',
    );
    await engine.close();
    await make("SELECT IF(id = 99, 7, id) AS row, double(id) AS x FROM range(100)");
    const doubled = await createSparkEngine({ connect: CONNECT!, table: "coterie_texts", id: "row" });
    await expect(doubled.statistics()).rejects.toThrow('coterie_texts: The id "7" is used twice. Give every row a unique id.');
    await doubled.close();
    await client.command("DROP TABLE coterie_texts");
    await client.close();
  });

  test("an interrupted run leaves at once, and drops its cache", async () => {
    const controller = new AbortController();
    const engine = await engineAt("many", { signal: controller.signal });
    const running = answerOf(engine, "kmeans", { k: 40, restarts: 1000 }, constraints);
    setTimeout(() => controller.abort(), 3_000);
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    await engine.close();
  });
});
