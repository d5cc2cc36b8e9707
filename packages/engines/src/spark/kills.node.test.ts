/** Workers that die in the middle of a run, on a real cluster on loopback: `npm run test:spark`. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../engine.js";
import { createMemoryEngine } from "../memory/memory-engine.js";
import { answerOf, blobs, known, writeFiles } from "../testing/problems.js";
import { createSparkEngine } from "./spark-engine.js";

const CONNECT = process.env.COTERIE_SPARK_CONNECT;
const FOLDER = process.env.COTERIE_SPARK ?? "";
const TOOL = fileURLToPath(new URL("../../../../tools/spark.mjs", import.meta.url));
const spark = (...args: string[]) => promisify(execFile)(process.execPath, [TOOL, ...args]);

/** The same engine; `during` is called some time after its `at`-th pass has begun. */
function disturbed(engine: Engine, at: number, during: () => Promise<unknown>): { engine: Engine; done: () => Promise<unknown> } {
  let passes = 0;
  let blow: Promise<unknown> = Promise.resolve("never");
  const pass: Engine["pass"] = (model) => {
    passes++;
    if (passes === at) blow = wait(300).then(during);
    return engine.pass(model);
  };
  const { name, path } = engine;
  const of = {
    name,
    path,
    pass,
    statistics: () => engine.statistics(),
    rows: (ids: Parameters<Engine["rows"]>[0]) => engine.rows(ids),
    sample: (size: number, seed: number) => engine.sample(size, seed),
    label: (...args: Parameters<Engine["label"]>) => engine.label(...args),
    labelled: () => engine.labelled(),
    close: () => engine.close(),
  };
  return { engine: of, done: () => blow };
}

describe.skipIf(CONNECT === undefined)("on a cluster whose workers die", { timeout: 900_000 }, () => {
  const table = blobs(120_000, 6, 5, 11);
  const constraints = known(table, 100, 3);
  const place = join(FOLDER, "kill-tables");

  beforeAll(async () => {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const files = [1, 2, 3, 4].map((part) => join(place, `part-${part}.parquet`));
    await writeFiles(connection, table, files, ", row");
    connection.closeSync();
  }, 120_000);

  test.each([
    ["with", true],
    ["without", false],
  ] as const)("a worker and its executor are killed during a pass, %s a cache: the same bits", async (_, cache) => {
    const options = { k: 5, maxIterations: 6 };
    const whole = await answerOf(createMemoryEngine(table), "pck-means", options, constraints);
    const own = await createSparkEngine({ connect: CONNECT!, path: place, id: "row", cache });
    const { engine, done } = disturbed(own, 3, () => spark("kill", "worker-1"));
    try {
      expect(await answerOf(engine, "pck-means", options, constraints)).toEqual(whole);
      expect(await done()).not.toBe("never");
    } finally {
      await own.close();
      await spark("revive", "worker-1");
    }
  });
});
