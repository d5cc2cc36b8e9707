/** `coterie compare`: what it writes and refuses, and the built command with workers, killed, interrupted and gone on with. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { coterie, expectRefused, folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));

/** Two groups of 30 rows, far apart in one column and overlapping in the other. */
const TABLE = `x,y,class\n${Array.from({ length: 60 }, (_, i) => {
  const side = i % 2;
  return `${side * 4 + ((i * 7) % 13) / 4},${((i * 5) % 17) / 2},${side ? "<b>one</b>" : "two"}`;
}).join("\n")}\n`;

const KNOWN = `type,a,b\n${Array.from({ length: 24 }, (_, i) => `${i % 2 ? "cannot" : "must"}-link,${i},${i + (i % 2 ? 1 : 2)}`).join("\n")}\n`;

const files = { "a<b>.csv": TABLE, "known.csv": KNOWN };
const FEW = { algorithms: "kmeans,pck-means", counts: "0,6,12", runs: "4", workers: "1" };

/** The arguments of a comparison by classes; `changed` replaces some of the usual flags. */
function comparing(folder: string, changed: Partial<typeof FEW> = {}, ...more: string[]): string[] {
  const flags = Object.entries({ ...FEW, ...changed }).flatMap(([name, value]) => [`--${name}`, value]);
  return ["compare", join(folder, "a<b>.csv"), "--truth", "class", "--out", join(folder, "out"), ...flags, ...more];
}

const read = (...path: string[]): string => readFileSync(join(...path), "utf8");
const runLines = (folder: string): string[] => read(folder, "out", "runs.csv").trimEnd().split("\n").slice(1);

test("by known classes: a table, and a folder with runs, curves, tests, a figure and a page", async () => {
  const folder = folderWith(files);
  const { code, out, err } = await coterie(...comparing(folder));
  expect([code, err]).toEqual([0, expect.stringContaining("compare.html")]);
  expect(out).toContain("Adjusted Rand index by number of constraints: mean ± standard error of 4 runs.");
  expect(out).toMatch(/^method +0 +6 +12 +mean$/m);
  expect(out).toMatch(/^kmeans( +\d\.\d{3} ± \d\.\d{3}){3} +\d\.\d{3}$/m);
  expect(out).toContain("the highest mean score");
  expect(runLines(folder)).toHaveLength(2 * 3 * 4);
  expect(read(folder, "out", "curves.csv")).toMatch(/^method,count,runs,failed,mean,error\n\S+,0,4,0,/);
  expect(read(folder, "out", "tests.csv").split("\n")).toHaveLength(3);
  expect(read(folder, "out", "curves.svg")).toContain("<svg");
  const page = read(folder, "out", "compare.html");
  expect(page).toContain("a&lt;b&gt;.csv");
  expect(page).not.toContain("<b>");
  expect(readdirSync(join(folder, "out")).sort()).toEqual(
    ["compare.html", "curves.csv", "curves.svg", "runs.csv", "runs.csv.json", "tests.csv"].sort(),
  );
});

test("a second command runs nothing again, and more runs, counts and methods join the saved runs", async () => {
  const folder = folderWith(files);
  const first = await coterie(...comparing(folder, {}, "--json"));
  const before = read(folder, "out", "runs.csv");
  const again = await coterie(...comparing(folder, {}, "--json"));
  expect([again.code, again.out]).toEqual([0, first.out]);
  expect(read(folder, "out", "runs.csv")).toBe(before);
  // A line that says otherwise is believed: its run is not repeated.
  const changed = before.replace(/^(kmeans,0,0,\d+,)[^,]*/m, "$10.125");
  writeFileSync(join(folder, "out", "runs.csv"), changed);
  const { out } = await coterie(...comparing(folder, { runs: "5", counts: "0,6", algorithms: "kmeans,ward" }, "--json"));
  const { methods, counts } = JSON.parse(out);
  expect(counts).toEqual([0, 6]);
  expect(methods.map(({ method }: { method: string }) => method).sort()).toEqual(["kmeans", "ward"]);
  expect(methods.find(({ method }: { method: string }) => method === "kmeans").scores[0]).toHaveLength(5);
  expect(methods.find(({ method }: { method: string }) => method === "kmeans").scores[0][0]).toBe(0.125);
  expect(runLines(folder)).toHaveLength(24 + 2 * 5 * 2 - 2 * 4);
});

test("by constraints: held-out ones are scored, and the default counts reach all that are not held out", async () => {
  const folder = folderWith(files);
  const args = ["compare", join(folder, "a<b>.csv"), "-k", "2", "--ignore", "class", "-c", join(folder, "known.csv")];
  const { code, out } = await coterie(
    ...args,
    "--algorithms",
    "kmeans,pck-means",
    "--runs",
    "3",
    "--workers",
    "1",
    "--out",
    join(folder, "out"),
  );
  expect(code).toBe(0);
  expect(out).toContain("Held-out constraints kept by number of constraints");
  expect(out).toMatch(/^method +0 +4 +8 +16 +mean$/m);
});

test("runs without clusters are counted, shown with their reason, and are in no mean", async () => {
  const folder = folderWith(files);
  const { code, out } = await coterie(
    ...comparing(folder, { algorithms: "kmeans,cop-kmeans", counts: "12" }, "-k", "1", "--json"),
  );
  expect(code).toBe(0);
  const { methods, headline, sentences } = JSON.parse(out);
  expect(methods[1]).toMatchObject({ method: "cop-kmeans", mean: null, failed: 4 });
  expect(methods[1].scores).toEqual([[null, null, null, null]]);
  expect(headline).toContain("kmeans has the highest mean score");
  expect(sentences.at(-1)).toMatch(/^cop-kmeans gave no clusters in 4 runs\. The first reason: .+\.$/);
  expect(read(folder, "out", "curves.csv")).toContain("cop-kmeans,12,4,4,,\n");
});

test.each([
  [[], "Say which table"],
  [["a", "b"], 'what is "b"?'],
  [["t"], "Say how to score the clusters: by known classes (--truth COL) or by constraints (--constraints FILE)."],
  [["t", "--truth", "class", "-c", "f"], "Give --truth or --constraints, not both"],
  [["t", "-c", "f"], "Say how many clusters: -k K."],
  [["t", "--truth", "class", "--methods", "kmeans"], "--algorithms A,B names the methods"],
  [["t", "--truth", "class", "--algorithms", "kmean"], "Did you mean kmeans?"],
  [["t", "--truth", "class", "--algorithms", ""], "--algorithms is empty"],
  [["t", "--truth", "class", "--counts", "5,x"], '--counts is "5,x"; it must be whole numbers of at least 0'],
  [["t", "--truth", "class", "--counts", "-5"], '--counts is "-5"'],
  [["t", "--truth", "class", "--counts", ""], "--counts is"],
  [["t", "--truth", "class", "--runs", "0"], '--runs is "0"'],
  [["t", "--truth", "class", "-k", "0"], '-k is "0"'],
  [["t", "--truth", "class", "--out", "-"], "--out names a folder"],
])("a mistake gets a sentence and exit 2: %j", async (words, sentence) => {
  await expectRefused(["compare", ...words], sentence);
});

test("what the table or the constraints do not allow gets a sentence too, and no folder", async () => {
  const folder = folderWith({
    ...files,
    "one.csv": TABLE.replaceAll("<b>one</b>", "two"),
    "few.csv": "type,a,b\nmust-link,0,2\ncannot-link,0,1\n",
  });
  const known = ["-k", "2", "--ignore", "class", "-c"];
  const cases: [string[], number, string][] = [
    [["a<b>.csv", "--truth", "class", "--counts", "0,900"], 2, "With 900 constraints only 0 rows are in no constraint"],
    [["one.csv", "--truth", "class"], 2, "--truth class has one class"],
    [["a<b>.csv", "--truth", "klass"], 3, 'There is no column "klass"'],
    [["a<b>.csv", "--truth", "class", "-k", "61"], 3, "k is 61, but there are only 60 rows"],
    [["a<b>.csv", ...known, join(folder, "few.csv")], 2, "A third of the links and labels is held out"],
    [
      ["a<b>.csv", ...known, join(folder, "known.csv"), "--counts", "17"],
      2,
      "at most 16, the number of constraints that are not held out",
    ],
    [["none.csv", "--truth", "class"], 3, "There is no such file"],
  ];
  for (const [[table, ...rest], expected, sentence] of cases) {
    const { code, err } = await coterie("compare", join(folder, table!), ...rest, "--out", join(folder, "out"), "--workers", "1");
    expect([code, err]).toEqual([expected, expect.stringContaining(sentence)]);
  }
  expect(existsSync(join(folder, "out"))).toBe(false);
});

test("a folder with the runs of something else, or in which nothing can be written, is bad input", async () => {
  const folder = folderWith(files);
  await coterie(...comparing(folder));
  const before = read(folder, "out", "runs.csv");
  for (const [more, named] of [
    [["--seed", "1"], "seed differ"],
    [["-k", "3"], "k differ"],
    [["--scale", "none"], "reading differ"],
  ] as const) {
    const { code, err } = await coterie(...comparing(folder, {}, ...more));
    expect([code, err]).toEqual([3, expect.stringContaining(`were made from something else: ${named}`)]);
    expect(err).toContain("Choose another folder with --out.");
  }
  expect(read(folder, "out", "runs.csv")).toBe(before);
  const { code, err } = await coterie(...comparing(folder, {}, "--out", join(folder, "known.csv")));
  expect([code, err]).toEqual([3, expect.stringContaining("Nothing can be written in this folder")]);
});

/* The built command, with workers. */

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

const MANY = { algorithms: "kmeans,auto,mpck-means", runs: "6", workers: "2" };

/** Runs the built command; once `until` holds it gets the signal. */
async function built(folder: string, signal?: NodeJS.Signals, until: () => boolean = () => false): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, [BIN, ...comparing(folder, MANY)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout!.on("data", (text) => {
    out += text;
  });
  child.stderr!.on("data", (text) => {
    err += text;
  });
  const looking = setInterval(() => {
    if (!until()) return;
    clearInterval(looking);
    child.kill(signal);
  }, 5);
  const ended = await new Promise<Pick<Ended, "code" | "signal">>((resolve) =>
    child.on("close", (code, by) => resolve({ code, signal: by })),
  );
  clearInterval(looking);
  return { ...ended, out, err };
}

const ALL = 3 * 3 * 6;

test("killed in the middle: the same command goes on, and its files are those of a whole run", async () => {
  const [folder, whole] = [folderWith(files), folderWith(files)];
  const isBegun = () => existsSync(join(folder, "out", "runs.csv")) && runLines(folder).length > 2;
  const killed = await built(folder, "SIGKILL", isBegun);
  expect(killed.signal).toBe("SIGKILL");
  const kept = runLines(folder).length;
  expect(kept).toBeLessThan(ALL);
  expect(existsSync(join(folder, "out", "compare.html"))).toBe(false);
  const csv = join(folder, "out", "runs.csv");
  writeFileSync(csv, `${read(csv)}kmeans,12,5,1`);
  expect(await built(folder)).toMatchObject({ code: 0, out: expect.stringContaining("Adjusted Rand index") });
  expect((await built(whole)).code).toBe(0);
  for (const name of ["runs.csv", "curves.csv", "tests.csv", "curves.svg"])
    expect(read(folder, "out", name)).toBe(read(whole, "out", name));
  expect(runLines(folder)).toHaveLength(ALL);
}, 240_000);

test("Ctrl-C in the middle: exit 130, what is done is kept, and the message says how to go on", async () => {
  const folder = folderWith(files);
  const isBegun = () => existsSync(join(folder, "out", "runs.csv")) && runLines(folder).length > 2;
  const stopped = await built(folder, "SIGINT", isBegun);
  expect(stopped.code).toBe(130);
  expect(stopped.err).toMatch(/Interrupted: \d+ of 54 runs are kept in .*; the same command goes on from there\.\n$/);
  expect(readdirSync(join(folder, "out")).sort()).toEqual(["runs.csv", "runs.csv.json"]);
  expect(runLines(folder).length).toBeLessThan(ALL);
  expect((await built(folder)).code).toBe(0);
  expect(runLines(folder)).toHaveLength(ALL);
}, 240_000);
