import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTable } from "@coterie/data";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { coterie, coterieWith, folderWith } from "../testing/console.js";
import { memoryOfRun } from "./engine-flags.js";

const N = 400;
const rows = Array.from({ length: N }, (_, i) => {
  const c = i % 4;
  return [
    `row ${i}`,
    "abcd"[c],
    (c % 2) * 9 + ((i * 7919) % 101) / 20,
    c * 100 + ((i * 104_729) % 89),
    i === 77 ? "" : (i * 31) % 17,
  ];
});
const text = `name,class,x,y,z\n${rows.map((row) => row.join(",")).join("\n")}\n`;
const known = Array.from({ length: 30 }, (_, i) => {
  const [a, b] = [(i * 13) % N, (i * 29 + 1) % N];
  return `${a % 4 === b % 4 ? "must-link" : "cannot-link"},row ${a},row ${b}`;
});
const folder = folderWith({
  "t.csv": text,
  "known.csv": `type,a,b\n${known.join("\n")}\nlabel,row 5,left\nlabel,row 6,right\n`,
  "far.csv": `x,y\n${Array.from({ length: 5000 }, (_, i) => `${i},${i === 4321 ? "nan" : i % 7}`).join("\n")}\n`,
  "smooth.csv": `x,y\n${Array.from({ length: 150 }, (_, i) => `${Math.sin(i * i) + (i % 3)},${Math.cos(i * 1.7) * (1 + (i % 2))}`).join("\n")}\n`,
  "inf.csv": "type,a,b,weight\nmust-link,1,2,inf\n",
  "mixed.csv": "x,y\n1,2\n2,three\n3,4\n",
  "twice.csv": "id,x\na,1\nb,2\na,3\n",
});
const at = (name: string): string => join(folder, name);
const common = ["--id", "name", "--ignore", "class", "--missing", "drop", "--constraints", at("known.csv"), "-k", "4", "--json"];

async function reportOf(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await coterie("cluster", at("t.csv"), ...common, ...args);
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  const { timings: _, ...report } = JSON.parse(out);
  return report;
}

test.each([
  ["kmeans", "none"],
  ["cop-kmeans", "minmax"],
  ["pck-means", "zscore"],
  ["mpck-means", "zscore"],
])("%s, scaled by %s: the reports of memory and duckdb differ in the engine alone", async (algorithm, scale) => {
  const line = ["--algorithm", algorithm, "--scale", scale];
  const { engine, ...memory } = await reportOf(...line, "--engine", "memory");
  const { engine: other, ...duckdb } = await reportOf(...line, "--engine", "duckdb");
  // Reading has words of its own about dropped rows.
  expect({ ...duckdb, notices: [] }).toEqual({ ...memory, notices: [] });
  expect(engine).toMatchObject({ name: "memory", path: "arrays", rowsRead: (engine as { passes: number }).passes * (N - 1) });
  expect(other).toEqual({ ...(engine as object), name: "duckdb", path: "stream" });
  expect((memory.labels as (number | null)[])[77]).toBeNull();
  expect((memory.labels as number[])[0]).toBe(0);
});

test.each(["ccl", "recon", "clusilc", "density"])(
  "%s on a core set: memory and duckdb differ in the engine alone, and both say that it is an approximation",
  async (algorithm) => {
    const line = ["--algorithm", algorithm, "--scale", "zscore"];
    const { engine, ...memory } = await reportOf(...line, "--engine", "memory");
    const { engine: other, ...duckdb } = await reportOf(...line, "--engine", "duckdb");
    expect({ ...duckdb, notices: [] }).toEqual({ ...memory, notices: [] });
    expect(other).toEqual({ ...(engine as object), name: "duckdb", path: "stream" });
    expect((engine as { coreSet: unknown }).coreSet).toMatchObject({ constrained: expect.any(Number) });
    for (const { notices } of [memory, duckdb] as { notices: string[] }[])
      expect(notices).toContainEqual(expect.stringMatching(/^An approximation: the method clustered /));
    const labels = memory.labels as (number | null)[];
    expect([labels[77], labels[0]]).toEqual([null, expect.any(Number)]);
    const sizes = memory.sizes as number[];
    expect(sizes.map((_, c) => labels.filter((label) => label === c).length)).toEqual(sizes);
    expect(labels.filter((label) => label === -1).length).toBe(memory.noise);
  },
);

test("a table of fewer rows than there are micro-clusters: the core set is the table", async () => {
  const line = ["cluster", at("smooth.csv"), "-k", "4", "--json"];
  for (const algorithm of ["ccl", "recon", "clusilc"]) {
    const own = [...line, "--algorithm", algorithm];
    const [near, exact] = [await coterie(...own, "--engine", "duckdb"), await coterie(...own)];
    expect(JSON.parse(near.out).labels).toEqual(JSON.parse(exact.out).labels);
  }
});

test("labels go to CSV or Parquet, ids beside them; scores come with classes", async () => {
  const line = ["cluster", at("t.csv"), "--id", "name", "--truth", "class", "--missing", "drop", "-k", "4", "--engine", "duckdb"];
  const { code, out } = await coterie(...line, "--out", at("l.csv"), "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out).scores.adjustedRand).toBeGreaterThan(0.5);
  expect((await coterie(...line, "--out", at("l.parquet"), "-q")).code).toBe(0);
  const lines = readFileSync(at("l.csv"), "utf8").trim().split("\n");
  const table = await readTable(at("l.parquet"), { id: "id", nominal: ["cluster"] });
  expect(lines.length).toBe(N);
  expect(table.ids!.map((id, i) => `${id},${table.levels![0]![table.x[i]!]}`)).toEqual(lines.slice(1));
  expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
});

test.each([
  [["far.csv"], 3, 'Row 4,321, column "y": nan is not a finite number, as the only one in this column.'],
  [
    ["mixed.csv"],
    3,
    'Row 1, column "y": "three" is not a number, as the only one in this column. An engine reads plain numbers only',
  ],
  [
    ["t.csv", "--id", "name"],
    3,
    'Column "class" holds text, such as "a"; an engine clusters numeric columns. Leave it out (--ignore class).',
  ],
  [
    ["t.csv", "--ignore", "class,name"],
    3,
    'Row 77, column "z": the cell is missing, as the only one in this column. Drop such rows (--missing drop)',
  ],
  [["nowhere.csv"], 3, "There is no such file."],
  [["no-*.parquet"], 3, "No file matches this name."],
  [["twice.csv", "--id", "id"], 3, 'The id "a" is used twice.'],
  [["t.csv", "--id", "nam"], 3, 'There is no column "nam" (--id). Did you mean "name"?'],
  [["mixed.csv", "--ignore", "y", "--constraints", "known.csv"], 3, 'No row has the id "row 0", which a constraint names.'],
  [
    ["t.csv", "--algorithm", "ward"],
    2,
    "Engines do not support ward; they support kmeans, cop-kmeans, pck-means, mpck-means, supervised-means, and auto, mixture, recon, ccl, density and clusilc as an approximation.",
  ],
  [["t.csv", "--html", "p.html"], 2, "Engines do not support --html: a page shows all rows. Cluster a sample in memory"],
  [["t.csv", "--model", "m.json"], 2, "The report (--report r.json) has the centres for comparing new rows."],
  [["t.csv", "--exclusive", "class"], 2, "Write the important pairs as cannot-links."],
  [["t.csv", "--nominal", "class"], 2, "Turn categories into columns of 0 and 1, or leave the columns out (--ignore)."],
  [["t.csv", "--algorithm", "recon", "--outliers", "5"], 2, "On an engine --outliers is a share of the rows, such as 1%, not 5"],
  [["t.csv", "--algorithm", "ccl", "--distance", "cosine"], 2, "by Euclidean distance: leave --distance"],
  [["t.csv", "--algorithm", "ccl", "--checkpoint", "s"], 2, "--checkpoint saves the state of methods that iterate"],
  [["t.csv", "--connect", "sc://a:1"], 2, "--connect goes with --engine spark."],
  [["t.csv", "--resume"], 2, "Say where the state is: --resume --checkpoint DIR."],
])("%j ends with %i: %s", async (args, expected, sentence) => {
  const named = args.map((arg) => (/\.(csv|parquet)$/.test(arg) ? at(arg) : arg));
  const { code, err } = await coterie("cluster", ...named, "-k", "2", "--engine", "duckdb", "--out", at("none.csv"));
  expect(err).toContain(sentence);
  expect([code, existsSync(at("none.csv"))]).toEqual([expected, false]);
});

test.each([
  [["t.parquet", "--engine", "spark"], 2, "Say where Spark is: --connect sc://HOST:PORT."],
  [
    ["t.parquet", "--table", "t", "--engine", "spark", "--connect", "sc://127.0.0.1:1"],
    2,
    "Name one table: --table NAME, or DATA, a path that Spark can read.",
  ],
  [
    ["--engine", "spark", "--connect", "sc://127.0.0.1:1", "--table", "t"],
    2,
    "Rows on Spark have no order: name the column with their ids (--id COL).",
  ],
  [
    ["--engine", "spark", "--connect", "sc://127.0.0.1:1", "--table", "t", "--id", "a"],
    3,
    "No Spark Connect server answers at 127.0.0.1:1.",
  ],
  [
    ["--engine", "spark", "--connect", "lake:1", "--table", "t", "--id", "a"],
    3,
    '"lake:1" is not an address of Spark Connect. Write it as sc://HOST:PORT.',
  ],
])("spark %j ends with %i: %s", async (args, expected, sentence) => {
  const { code, err } = await coterie("cluster", ...args, "-k", "2");
  expect([code, err]).toEqual([expected, expect.stringContaining(sentence)]);
});

test("a file that needs more memory than the limit goes through DuckDB, and so do several files", async () => {
  const { code, out, err } = await coterie("cluster", at("t.csv"), ...common, "--memory", "1KB");
  expect([code, JSON.parse(out).engine.name]).toEqual([0, "duckdb"]);
  expect(err).toMatch(/needs up to \d+ MB of memory, and the limit is 1 KB \(--memory\): clustering it through DuckDB/);
  writeFileSync(at("part-1.csv"), "x,y\n1,2\n2,3\n");
  writeFileSync(at("part-2.csv"), "x,y\n101,2\n102,3\n");
  const several = await coterie("cluster", at("part-*.csv"), "-k", "2", "--scale", "none", "--json");
  expect(several.err).toContain("matches several files");
  expect(JSON.parse(several.out).labels).toEqual([0, 0, 1, 1]);
});

test("the memory bound is above what runs took when they were measured", async () => {
  const table = (rows: number, line: (i: number) => string, header: string): string => {
    const lines = Array.from({ length: rows }, (_, i) => line(i));
    writeFileSync(at("shape.csv"), `${header}\n${lines.join("\n")}\n`);
    return at("shape.csv");
  };
  const numbers = (d: number) => Array.from({ length: d }, () => "1.234").join();
  // Measured peaks scaled to a hundredth of the rows, the program of 100 MB aside: many rows, wide, names of rows.
  const peaks: [number, number, string, number][] = [
    [40_000, 4, "", 6.96e6],
    [200, 1000, "", 5.39e6],
    [30_000, 4, "customer-1234567,", 12.36e6],
  ];
  for (const [rows, d, name, peak] of peaks) {
    const header = [...(name ? ["id"] : []), ...Array.from({ length: d }, (_, j) => `x${j}`)].join();
    const file = table(rows, () => name + numbers(d), header);
    expect((await memoryOfRun(file, {}, 1))! - 160e6).toBeGreaterThan(peak);
  }
});

describe("the memory bound of files that say little by their size", () => {
  // Measured peaks of one and two workers, less the program, scaled to a tenth of the rows.
  test.each([
    [
      "few values, packed",
      "(i // 1000) % 7 AS a, (i // 1000) % 7 AS b, 1 AS c, 2 AS d, i % 2 AS e, 3 AS f",
      400_000,
      68e6,
      162e6,
    ],
    ["numbers", "random() AS a, random() AS b, random() AS c, random() AS d", 300_000, 43e6, 101e6],
    ["wide vectors", `[${"random()::FLOAT,".repeat(95)}0.5] AS v`, 10_000, 32e6, 49e6],
    ["texts that become columns", "'colour-' || i % 5 AS a, 'shop-' || i % 40 AS b, random() AS c", 100_000, 103e6, 212e6],
    ["names of rows", "'customer-' || i AS id, random() AS a, random() AS b, random() AS c, random() AS d", 200_000, 45e6, 110e6],
  ])("%s, in Parquet", async (_, columns, rows, alone, shared) => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`COPY (SELECT ${columns} FROM range(${rows}) t(i)) TO '${at("shape.parquet")}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    expect((await memoryOfRun(at("shape.parquet"), {}, 1))! - 220e6).toBeGreaterThan(alone);
    expect((await memoryOfRun(at("shape.parquet"), {}, 2))! - 220e6 - 140e6).toBeGreaterThan(shared);
  });

  test("standard input has no bound, so a limit is refused", async () => {
    const { code, err } = await coterie("cluster", "-", "-k", "2", "--memory", "100MB");
    expect([code, err]).toEqual([2, expect.stringContaining("--memory needs a file")]);
  });

  test("JSON lines, Arrow, ARFF and npy are refused beyond the memory that the line allows, because DuckDB reads none of them", async () => {
    const record = (i: number) => JSON.stringify({ name: `n-${i}`, a: i, b: [i, i], c: ["red", "green"][i % 2] });
    writeFileSync(at("t.jsonl"), `${Array.from({ length: 50_000 }, (_, i) => record(i)).join("\n")}\n`);
    // A tenth of the measured peak of 500,000 such records.
    expect((await memoryOfRun(at("t.jsonl"), {}, 1))! - 160e6).toBeGreaterThan(22e6);
    const columns = Array.from({ length: 10 }, (_, j) => [`x${j}`, Int8Array.from({ length: 100_000 }, (_, i) => i % (j + 2))]);
    writeFileSync(at("t.arrow"), tableToIPC(tableFromArrays(Object.fromEntries(columns)), "file"));
    expect((await memoryOfRun(at("t.arrow"), {}, 1))! - 220e6).toBeGreaterThan(30e6);
    copyFileSync(at("t.jsonl"), at("lines.json"));
    const numbers = Array.from({ length: 50_000 }, (_, i) => `${i},2,3`).join("\n");
    writeFileSync(
      at("t.arff"),
      `@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c numeric\n@data\n${numbers}\n`,
    );
    const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (40000, 8), }".padEnd(117);
    const start = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, 118, 0, ...Buffer.from(`${header}\n`)]);
    writeFileSync(at("t.npy"), Buffer.concat([start, Buffer.alloc(40_000 * 8 * 4)]));
    expect((await memoryOfRun(at("t.npy"), {}, 1))! - 160e6).toBeGreaterThan(40_000 * 8 * 16);
    for (const name of ["t.jsonl", "t.arrow", "lines.json", "t.arff", "t.npy"]) {
      const { code, err } = await coterie("cluster", at(name), "-k", "2", "--memory", "100MB");
      expect([code, err]).toEqual([
        3,
        expect.stringMatching(/needs up to \d+ MB of memory, and the limit is 100 MB \(--memory\)/),
      ]);
    }
  });
});

test("a constraint of weight inf in a soft method: exit 3, and what keeps it", async () => {
  const more = ["--algorithm", "pck-means", "--ignore", "name,class", "--missing", "drop", "--constraints", at("inf.csv")];
  const { code, err } = await coterie("cluster", at("t.csv"), "-k", "2", "--engine", "duckdb", ...more);
  expect([code, err]).toEqual([3, expect.stringContaining("Give it a finite weight, or use cop-kmeans, which keeps them all.")]);
});

test("a state on disk: the run goes on and ends with the same report; other runs refuse it", async () => {
  const line = ["--algorithm", "pck-means", "--engine", "duckdb"];
  const { engine: _, notices: __, ...whole } = await reportOf(...line, "--checkpoint", at("state"));
  const { engine, notices, ...again } = await reportOf(...line, "--checkpoint", at("state"), "--resume");
  expect(again).toEqual(whole);
  expect(notices).toContain(`The run continued after iteration ${whole.iterations}.`);
  expect((engine as { passes: number }).passes).toBeLessThan(whole.iterations as number);
  const other = await coterie("cluster", at("t.csv"), ...common, ...line, "--seed", "5", "--checkpoint", at("state"), "--resume");
  expect([other.code, other.err]).toEqual([3, expect.stringContaining("This state belongs to another run.")]);
  const none = await coterie("cluster", at("t.csv"), ...common, ...line, "--checkpoint", at("fresh"), "--resume");
  expect([none.code, none.err]).toEqual([3, expect.stringContaining("There is no state to continue from.")]);
  writeFileSync(at("state/state.json"), "{}");
  const broken = await coterie("cluster", at("t.csv"), ...common, ...line, "--checkpoint", at("state"), "--resume");
  expect([broken.code, broken.err]).toEqual([3, expect.stringContaining("This is not a state of a run.")]);
});

test("Ctrl-C ends a run with 130 and leaves no file", async () => {
  const controller = new AbortController();
  const line = ["cluster", at("t.csv"), "--ignore", "name,class", "--missing", "drop", "-k", "9", "--restarts", "5000"];
  const timer = setTimeout(() => controller.abort(), 400);
  const { code } = await coterieWith({ signal: controller.signal }, ...line, "--engine", "duckdb", "--out", at("never.csv"));
  clearTimeout(timer);
  expect([code, existsSync(at("never.csv"))]).toEqual([130, false]);
});

test("an error behind a checkpoint says that the state was written, and not that nothing was", async () => {
  const line = ["cluster", at("t.csv"), "--ignore", "name,class", "--missing", "drop", "-k", "3", "--engine", "memory"];
  const controller = new AbortController();
  const state = at("kept/state.json");
  const watch = setInterval(() => existsSync(state) && controller.abort(), 1);
  const { code, err } = await coterieWith(
    { signal: controller.signal },
    ...line,
    ...["--restarts", "5000", "--checkpoint", at("kept")],
  );
  clearInterval(watch);
  expect(code).toBe(130);
  expect(err).toContain(`Interrupted: ${state} was written before and is complete.`);
});

test.each([
  ["--algorithm", "mk-means"],
  ["--nominal", "class"],
  ["--missing", "impute"],
])("--engine memory refuses %s %s, and says that a run without an engine supports it", async (flag, value) => {
  const line = ["cluster", at("t.csv"), "--id", "name", "-k", "2", flag, value];
  const { code, err } = await coterie(...line, "--engine", "memory");
  expect([code, err]).toEqual([2, expect.stringContaining("Leave --engine out: a run without an engine is also in memory")]);
  expect((await coterie(...line, "--engine", "duckdb")).err).not.toContain("Leave --engine out");
});

test("a report of an engine says that there was one start; with --restarts it does not", async () => {
  const said = expect.stringMatching(/^The engine made one start; a run without --engine makes 10 /);
  expect((await reportOf("--engine", "memory", "-a", "kmeans")).notices).toContainEqual(said);
  expect((await reportOf("--engine", "memory", "-a", "kmeans", "--restarts", "2")).notices).not.toContainEqual(said);
});

test.skipIf(!existsSync("/dev/full"))("a full disk: exit 3, and a sentence", async () => {
  const line = ["cluster", at("t.csv"), "--ignore", "name,class", "--missing", "drop", "-k", "3", "--engine", "duckdb"];
  const { code, err } = await coterie(...line, "--out", "/dev/full");
  expect([code, err]).toEqual([
    3,
    expect.stringContaining("The disk is full: free some space, or write to another disk. Nothing was written."),
  ]);
});
