/** Columns whose role nobody named: ids are recognised and announced, known classes are announced; in memory, on DuckDB and in the library alike. */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readTable } from "./library/data.js";
import { coterie, folderWith } from "./testing/console.js";

/** Two groups in x; the number of the row would hide them. */
const rows = Array.from({ length: 40 }, (_, i) => ({ x: (i % 2) * 5 + ((i * 37) % 11) / 10, y: ((i * 53) % 7) / 10 }));
const table = (head: string, line: (row: { x: number; y: number }, i: number) => string): string =>
  `${head}\n${rows.map(line).join("\n")}\n`;
let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = folderWith({
    "ID.csv": table("ID,x,y", ({ x, y }, i) => `${i + 1},${x},${y}`),
    "zeros.csv": table("x,customer_id,y", ({ x, y }, i) => `${x},${String(i).padStart(4, "0")},${y}`),
    "counting.csv": table("beat,x,y", ({ x, y }, i) => `${i},${x},${y}`),
    "twice.csv": table("customer_id,x,y", ({ x, y }, i) => `${i >> 1},${x},${y}`),
    "two.csv": table("nr,x,y,order_id", ({ x, y }, i) => `${i + 1},${x},${y},A-${i}`),
    "class.csv": table("x,y,Class", ({ x, y }, i) => `${x},${y},${(i % 2) + 1}`),
    "target.csv": table("x,y,target", ({ x, y }, i) => `${x},${y},${i / 7}`),
    "plain.csv": table("x,y", ({ x, y }) => `${x},${y}`),
    "known.csv": "type,a,b\nmust-link,1,2\ncannot-link,1,40\n",
    "whole.csv": "id,x,y\n1,0,0\n2,5,0\n3,0,1\nx4,5,1\n",
    "first.csv": "type,a,b\nmust-link,1,2\n",
  });
});

const run = async (name: string, ...args: string[]) => {
  const { code, out, err } = await coterie("cluster", file(name), "-k", "2", "--scale", "none", "--json", ...args);
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  return { report: JSON.parse(out), err };
};
const ENGINES: readonly (readonly [string, readonly string[]])[] = [
  ["without an engine", []],
  ["on DuckDB", ["--engine", "duckdb"]],
  ["on the engine in memory", ["--engine", "memory"]],
];
const NAMES = (name: string) =>
  `Column "${name}" has the ids of the rows, because every row has a different value in it, and is not a feature; --id none makes it a feature.`;

describe.each(ENGINES)("%s", (_, engine) => {
  test.each([
    ["ID.csv", "ID"],
    ["zeros.csv", "customer_id"],
    ["counting.csv", "beat"],
  ])("%s: %s has the ids, is announced, and is not a feature", async (name, id) => {
    const plain = await run("plain.csv", ...engine);
    const { report, err } = await run(name, ...engine);
    expect(report.features).toEqual(["x", "y"]);
    expect(report.labels).toEqual(plain.report.labels);
    expect(report.notices).toContain(NAMES(id));
    expect(err.replaceAll("\n", " ")).toContain(NAMES(id));
    const none = await run(name, "--id", "none", ...engine);
    expect(none.report.features).toContain(id);
    expect(none.report.notices.join()).not.toContain("has the ids of the rows");
    const named = await run(name, "--id", id, ...engine);
    expect(named.report.notices.join()).not.toContain("has the ids of the rows");
    expect(named.report.labels).toEqual(report.labels);
  });

  test("ids keep their zeros; a column in which two rows are equal is a feature; of two ids one is left out, and a notice names both", async () => {
    const out = async (name: string) =>
      (await coterie("cluster", file(name), "-k", "2", "--out", "-", "--quiet", ...engine)).out.split("\n", 3).slice(1);
    expect((await out("zeros.csv")).map((line) => line.split(",")[0])).toEqual(["0000", "0001"]);
    expect((await run("twice.csv", ...engine)).report.features).toEqual(["customer_id", "x", "y"]);
    const two = (await run("two.csv", ...engine)).report;
    expect(two.features).toEqual(["x", "y"]);
    expect(two.notices).toContain(`${NAMES("order_id")} So has "nr", and is left out.`);
  });

  test("known classes stay a feature unless --truth names them, and the notice gives the flag", async () => {
    const said = 'Column "Class" looks like known classes, and is a feature; --truth Class scores the clusters with it instead.';
    const { report } = await run("class.csv", ...engine);
    expect(report.features).toEqual(["x", "y", "Class"]);
    expect(report.notices).toContain(said);
    for (const args of [
      ["--truth", "Class"],
      ["--ignore", "Class"],
      ["--features", "x,y,Class"],
    ]) {
      expect((await run("class.csv", ...args, ...engine)).report.notices).not.toContain(said);
    }
    expect((await run("target.csv", ...engine)).report.notices.join()).not.toContain("looks like known classes");
  });

  test("ids are texts in the report where a column names the rows, also if all that constraints name are whole", async () => {
    const args = ["-a", "pck-means", "--constraints", file("first.csv"), "--id", "id", ...engine];
    const { report } = await run("whole.csv", ...args);
    expect(report.violations.mustLink).toEqual([["1", "2"]]);
  });
});

test("every command sees the same ids, so that their files fit together", async () => {
  const made = await coterie(
    "constraints",
    "generate",
    file("class.csv"),
    "--truth",
    "Class",
    "--count",
    "4",
    "--out",
    file("made.csv"),
  );
  expect(made.code).toBe(0);
  for (const args of [[], ["--features", "x"], ["--nominal", "y"]]) {
    const { report } = await run("ID.csv", "-a", "ccl", "--constraints", file("known.csv"), ...args);
    expect(
      report.violations.mustLink
        .concat(report.violations.cannotLink)
        .flat()
        .every((id: unknown) => typeof id === "string"),
    ).toBe(true);
  }
  await coterie("cluster", file("zeros.csv"), "-k", "2", "--out", file("labels.csv"), "--features", "x", "--quiet");
  const printed = await coterie("explain", file("labels.csv"), "--data", file("zeros.csv"));
  expect([printed.code, printed.out.includes("40 of 40 rows")]).toEqual([0, true]);
  expect((await coterie("evaluate", file("labels.csv"), "--data", file("zeros.csv"), "--constraints", file("z.csv"))).code).toBe(
    3,
  );
});

test("the library recognises the same, and says it in the notices of the table; null prevents it", async () => {
  const read = await readTable(file("zeros.csv"));
  expect([read.names, read.ids?.[7], read.idColumn]).toEqual([["x", "y"], "0007", "customer_id"]);
  expect(read.notices).toContain(NAMES("customer_id"));
  const none = await readTable(file("zeros.csv"), { id: null });
  expect([none.names, none.ids]).toEqual([["x", "customer_id", "y"], undefined]);
});
