import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kmeans, mpckMeans, pckMeans } from "@coterie/core/internal";
import type { PlanOptions } from "@coterie/core/scale";
import { createPassKernel } from "@coterie/kernels";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, expect, test } from "vitest";
import { createDuckdbEngine } from "./duckdb/duckdb-engine.js";
import { createMemoryEngine } from "./memory/memory-engine.js";
import { measures } from "./testing/measures.js";
import { answerOf, blobs, known, writeFiles } from "./testing/problems.js";

const table = blobs(2_500, 4, 4, 3);
const constraints = known(table, 60, 5);
const folder = mkdtempSync(join(tmpdir(), "coterie-engines-"));

const runs: [string, PlanOptions, "none" | "zscore" | "minmax"][] = [
  ["kmeans", { k: 4 }, "none"],
  ["kmeans", { k: 9, init: "random", restarts: 2, maxIterations: 6 }, "zscore"],
  ["cop-kmeans", { k: 5, maxIterations: 8 }, "minmax"],
  ["pck-means", { k: 4 }, "none"],
  ["pck-means", { k: 4, costs: "unit" }, "zscore"],
  ["mpck-means", { k: 4 }, "none"],
  ["mpck-means", { k: 4, metrics: "multiple" }, "zscore"],
  ["mpck-means", { k: 3, matrix: "full", metrics: "multiple", maxIterations: 8 }, "none"],
  ["supervised-means", { k: 4 }, "none"],
];

beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await writeFiles(connection, table, [join(folder, "t.parquet")]);
  await writeFiles(
    connection,
    table,
    [1, 2, 3].map((part) => join(folder, `part-${part}.parquet`)),
  );
  await writeFiles(connection, table, [join(folder, "t.csv")]);
  connection.closeSync();
});

test.each(runs)(
  "%s %j, scaled by %s: memory in other blocks and DuckDB over three files give the same bits",
  async (method, options, scale) => {
    const whole = await answerOf(createMemoryEngine(table), method, options, constraints, { scale });
    expect(whole.labels.length).toBe(table.n);
    expect([...whole.sizes].reduce((sum, size) => sum + size, 0)).toBe(table.n);
    const kernel = createPassKernel();
    expect(await answerOf(createMemoryEngine(table, { block: 777, kernel }), method, options, constraints, { scale })).toEqual(
      whole,
    );
    const engine = await createDuckdbEngine(join(folder, "part-*.parquet"), { threads: 2, kernel });
    expect(await answerOf(engine, method, options, constraints, { scale })).toEqual(whole);
    await engine.close();
  },
);

test("one file, CSV and blocks of one row give the same bits too", async () => {
  const options = { k: 4, maxIterations: 3 };
  const whole = await answerOf(createMemoryEngine(table), "pck-means", options, constraints);
  expect(await answerOf(createMemoryEngine(table, { block: 1 }), "pck-means", options, constraints)).toEqual(whole);
  for (const name of ["t.parquet", "t.csv"]) {
    const engine = await createDuckdbEngine(join(folder, name), { threads: 1 });
    expect(await answerOf(engine, "pck-means", options, constraints)).toEqual(whole);
    await engine.close();
  }
});

test("plans find what the methods in memory find", async () => {
  const full = { ...constraints, set: constraints.set };
  const engine = createMemoryEngine(table);
  for (const [method, peer] of [
    ["kmeans", kmeans],
    ["pck-means", pckMeans],
    ["mpck-means", mpckMeans],
  ] as const) {
    const { labels } = await answerOf(engine, method, { k: 4, restarts: 4 }, full);
    const other = peer(table, undefined, { k: 4, restarts: 4 });
    expect(measures(labels, other.labels)).toBeGreaterThan(0.9);
    expect(measures(labels, table.classes)).toBeGreaterThan(0.9);
  }
});
