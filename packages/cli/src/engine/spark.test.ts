/** The command line on a real cluster on loopback: `npm run test:spark` starts one. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { coterie, coterieWith, folderWith } from "../testing/console.js";

const CONNECT = process.env.COTERIE_SPARK_CONNECT;
const FOLDER = process.env.COTERIE_SPARK ?? "";
const TOOL = fileURLToPath(new URL("../../../../tools/spark.mjs", import.meta.url));
const spark = (...args: string[]) => promisify(execFile)(process.execPath, [TOOL, ...args]);
const UI = "http://127.0.0.1:4040/api/v1/applications";

/** What the server keeps in memory, by Spark's own account. */
async function cachedNow(): Promise<unknown[]> {
  const [application] = (await (await fetch(UI)).json()) as { readonly id: string }[];
  return (await (await fetch(`${UI}/${application!.id}/storage/rdd`)).json()) as unknown[];
}

describe.skipIf(CONNECT === undefined)("coterie on a cluster", { timeout: 1_800_000 }, () => {
  const place = join(FOLDER, "cli-tables");
  const folder = folderWith({ "known.csv": "type,a,b\nmust-link,1,5\ncannot-link,1,2\nmust-link,3,7\n" });
  const at = (name: string): string => join(folder, name);
  const line = (table: string, ...more: string[]): string[] => [
    ...["cluster", join(place, table), "--id", "row", "-k", "4", "--engine", "spark", "--connect", CONNECT!],
    ...more,
  ];

  beforeAll(async () => {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const x = (j: number): string => `(row % 4) * ${j + 1} + sin(row * ${j + 1}.7) AS x${j}`;
    const rows = `SELECT row, ${[0, 1, 2].map(x).join(", ")} FROM range(40000) t(row)`;
    const write = (query: string, name: string) => connection.run(`COPY (${query}) TO '${join(place, name)}' (FORMAT parquet)`);
    await write(rows, "whole.parquet");
    await write(`SELECT * REPLACE (CASE WHEN row = 39999 THEN 'nan'::DOUBLE ELSE x2 END AS x2) FROM (${rows})`, "nan.parquet");
    await write(`SELECT *, 'a' AS colour FROM (${rows})`, "text.parquet");
    connection.closeSync();
  }, 60_000);

  test.each([
    ["nan.parquet", 'Row 39999, column "x2": the cell is not a finite number, as one of 1 in this column.'],
    ["text.parquet", 'Column "colour" holds string values; an engine clusters numeric columns. Leave it out (--ignore colour).'],
    ["nowhere.parquet", "Spark does not know this table or path."],
  ])("%s: exit 3, %s", async (table, sentence) => {
    const { code, err } = await coterie(...line(table, "--out", at("none.csv")));
    expect([code, err]).toEqual([3, expect.stringContaining(sentence)]);
    expect([readdirSync(folder), await cachedNow()]).toEqual([["known.csv"], []]);
  });

  test.each(["pck-means", "ccl", "clusilc", "density"])("%s: labels and report are those of DuckDB", async (algorithm) => {
    const more = ["--algorithm", algorithm, "--constraints", at("known.csv"), "--max-iterations", "5"];
    const own = algorithm === "pck-means" ? more : more.slice(0, -2);
    const there = await coterie(...line("whole.parquet", ...own, "--out", at("there.csv"), "--json"));
    expect([there.code, there.code === 0 ? "" : there.err]).toEqual([0, ""]);
    const here = await coterie(
      ...["cluster", join(place, "whole.parquet"), "--id", "row", "-k", "4", "--engine", "duckdb", ...own],
      ...["--out", at("here.csv"), "--json"],
    );
    const [a, b] = [there, here].map(({ out }) => JSON.parse(out));
    for (const key of ["k", "sizes", "centres", "violations", "objective", "history", "rules"]) expect(a[key]).toEqual(b[key]);
    expect(readFileSync(at("there.csv"), "utf8")).toBe(readFileSync(at("here.csv"), "utf8"));
    expect(a.notices.join(" ")).toContain(`they are in ${at("there.csv")}`);
    expect(await cachedNow()).toEqual([]);
    for (const name of ["there.csv", "here.csv"]) rmSync(at(name));
  });

  test("Ctrl-C: 130, no file, no cache", async () => {
    const controller = new AbortController();
    const running = coterieWith(
      { signal: controller.signal },
      ...line("whole.parquet", "--restarts", "2000", "--out", at("never.csv")),
    );
    for (let turn = 0; (await cachedNow()).length === 0 && turn < 600; turn++) await wait(100);
    await wait(2_000);
    controller.abort();
    expect((await running).code).toBe(130);
    expect([existsSync(at("never.csv")), await cachedNow()]).toEqual([false, []]);
  });

  test("the Connect server is killed: exit 3 with the remedy; --resume ends with the same labels", async () => {
    const more = ["--algorithm", "mpck-means", "--constraints", at("known.csv"), "--max-iterations", "5"];
    expect((await coterie(...line("whole.parquet", ...more, "--out", at("whole.csv"), "-q"))).code).toBe(0);
    const kept = [...more, "--checkpoint", at("state"), "--out", at("again.csv")];
    const running = coterie(...line("whole.parquet", ...kept));
    const state = at("state/state.json");
    const iteration = (): number => (existsSync(state) ? JSON.parse(readFileSync(state, "utf8")).state.iteration : 0);
    for (let turn = 0; iteration() < 2 && turn < 3000; turn++) await wait(50);
    await spark("kill", "connect");
    const { code, err } = await running;
    try {
      expect([code, err]).toEqual([3, expect.stringContaining("--resume")]);
      expect(existsSync(at("again.csv"))).toBe(false);
    } finally {
      await spark("revive", "connect");
    }
    const resumed = await coterie(...line("whole.parquet", ...kept, "--resume", "--json"));
    expect(JSON.parse(resumed.out).notices).toContainEqual(expect.stringMatching(/^The run continued after iteration \d+\.$/));
    expect(readFileSync(at("again.csv"), "utf8")).toBe(readFileSync(at("whole.csv"), "utf8"));
  });
});
