/** A column that names the rows, and `--id` forgotten: announced before the run, and no command makes a column per name. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { coterie, coterieWith, folderWith } from "./testing/console.js";

const ROWS = process.env.COTERIE_LONG === "1" ? 200_000 : 20_000;
/** Of the processor: 200,000 rows take about 4 s, and without the limits some of these never ended. */
const MOST_SECONDS = 60;

let folder: string;
const file = (name: string) => join(folder, name);

/** Rows with a number and a text each; `copies` of the first name come again. */
function table(rows: number, copies: number): string {
  const lines = Array.from(
    { length: rows },
    (_, i) => `${i < copies ? "p0" : `p${i}`},${(i % 3) * 5 + ((i * 37) % 11) / 10},${"abc"[i % 3]}`,
  );
  return `name,x,class\n${lines.join("\n")}\n`;
}

beforeAll(() => {
  const labels = Array.from({ length: ROWS }, (_, i) => `${i},${i % 3}`);
  folder = folderWith({
    "all.csv": table(ROWS, 1),
    "nearly.csv": table(ROWS, 5),
    "small.csv": table(60, 3),
    "texts.csv": table(ROWS, 5).replaceAll(/,[\d.]+,/g, ",city,"),
    "labels.csv": `id,cluster\n${labels.join("\n")}\n`,
    "known.csv": "type,a,b\nmust-link,0,3\nmust-link,1,4\ncannot-link,0,1\ncannot-link,2,4\n",
  });
});

/** Runs a command on a table and returns it with the seconds that it took of the processor. */
async function timed(...args: string[]) {
  const before = process.cpuUsage();
  const printed = await coterie(...args);
  const { user, system } = process.cpuUsage(before);
  return { ...printed, seconds: (user + system) / 1e6 };
}

const cluster = (name: string, method: string) => [
  "cluster",
  file(name),
  "-k",
  "3",
  "--ignore",
  "class",
  "-a",
  method,
  "--constraints",
  file("known.csv"),
];
const METHODS = [
  "kmeans",
  "cop-kmeans",
  "pck-means",
  "mk-means",
  "mpck-means",
  "rca-kmeans",
  "svm-kmeans",
  "supervised-means",
  "ward",
  "centroid-link",
  "recon",
];

const others: readonly (readonly [string, (name: string) => string[]])[] = [
  ["diagnose", (name) => ["diagnose", file(name), "--ignore", "class", "-k", "3", "--constraints", file("known.csv")]],
  ["diagnose --truth", (name) => ["diagnose", file(name), "--truth", "class", "-k", "3", "--constraints", file("known.csv")]],
  [
    "ask",
    (name) => [
      "ask",
      file(name),
      "-k",
      "3",
      "--truth",
      "class",
      "--simulate",
      "--budget",
      "2",
      "--strategy",
      "explore-consolidate",
    ],
  ],
  ["ask --relative", (name) => ["ask", file(name), "-k", "3", "--truth", "class", "--simulate", "--budget", "2", "--relative"]],
  [
    "constraints prune",
    (name) => ["constraints", "prune", file(name), "--ignore", "class", "--constraints", file("known.csv"), "--count", "2"],
  ],
  [
    "constraints from-geometry",
    (name) => ["constraints", "from-geometry", file(name), "--ignore", "class", "--separation", "0.1"],
  ],
  ["--learned-metric", (name) => [...cluster(name, "complete-link"), "--learned-metric", "rca"]],
];

describe("a text of its own in every row is refused at once, by each command", () => {
  test.each([
    ...METHODS.map((method) => [method, (name: string) => cluster(name, method)] as const),
    ["ccl", (name: string) => cluster(name, "ccl")] as const,
    ["clusilc", (name: string) => cluster(name, "clusilc")] as const,
    ["explain", (name: string) => ["explain", file("labels.csv"), "--data", file(name), "--ignore", "class"]] as const,
    [
      "ask, spreading",
      (name: string) => ["ask", file(name), "-k", "3", "--truth", "class", "--simulate", "--budget", "2"],
    ] as const,
    ...others,
  ])("%s", async (_, args) => {
    const { code, err, seconds } = await timed(...args("all.csv"));
    expect(err).toMatch(/all\.csv: Every row has its own "name": [\d,]+ different texts, .*say --id name; .*--ignore name/s);
    expect(code).toBe(3);
    expect(seconds).toBeLessThan(MOST_SECONDS);
  });
});

describe("where nearly every row has its own, the column is announced, and no method makes a column of numbers per text", () => {
  test.each([...METHODS.map((method) => [method, (name: string) => cluster(name, method)] as const), ...others])(
    "%s",
    async (_, args) => {
      const { code, err, seconds } = await timed(...args("nearly.csv"));
      expect(err).toMatch(
        /^Note: Column "name" has [\d,]+ different texts in [\d,]+ rows; unless equal ones mean something, compare it as text \(--type name=text\), or leave it out/,
      );
      expect(err).toMatch(
        /nearly\.csv: Column "name" has .* a column of numbers for each of them, and there may be at most .*--id name/s,
      );
      expect(code).toBe(3);
      expect(seconds).toBeLessThan(MOST_SECONDS);
    },
  );

  test.each(["nearly.csv", "texts.csv"])(
    "trees and their pages, explanations and models do without the column: %s",
    async (name) => {
      const made = await timed(...cluster(name, "clusilc"), "--html", file("page.html"), "--model", file("m.json"), "--json");
      if (name === "texts.csv") expect(made.err).toContain("No rule uses");
      expect(made.code).toBe(0);
      expect(made.seconds).toBeLessThan(MOST_SECONDS);
      expect(JSON.parse(made.out).notices.join()).toContain('No rule uses the column "name"');
      expect(existsSync(file("page.html"))).toBe(true);
      const placed = await timed("predict", file("m.json"), file(name), "--out", file("out.csv"));
      expect([placed.code, placed.seconds < MOST_SECONDS]).toEqual([0, true]);
      const messages = await timed(
        "explain",
        file("labels.csv"),
        "--data",
        file(name),
        "--ignore",
        "class",
        "--html",
        file("why.html"),
      );
      expect([messages.code, messages.seconds < MOST_SECONDS]).toEqual([0, true]);
      expect(messages.err).toContain('No rule uses the column "name"');
    },
  );

  test("a tree that may test nothing else is refused", async () => {
    const { code, err } = await coterie("explain", file("labels.csv"), "--data", file("nearly.csv"), "--features", "name");
    expect(err).toMatch(
      /nearly\.csv: Column "name" has [\d,]+ different texts; a tree tests columns of at most 1,000\. .*--id name/,
    );
    expect(code).toBe(3);
    const asked = await coterie("explain", file("labels.csv"), "--data", file("nearly.csv"), "--describe", "name");
    expect([asked.code, asked.err.includes("(--describe)")]).toEqual([3, true]);
  });
});

test("the notice comes before the run and once; it is in the report, and --quiet keeps it from the terminal", async () => {
  const said: string[] = [];
  const steps: string[] = [];
  const args = ["cluster", file("small.csv"), "-k", "3", "--ignore", "class", "--json"];
  const { code, out, err } = await coterieWith(
    { say: (...lines) => void said.push(...lines.map(String)), sketch: (line) => void steps.push(line) },
    ...args,
  );
  expect([code, err, steps]).toEqual([0, "", []]);
  const about = said.filter((line) => line.includes('"name"'));
  expect(about).toHaveLength(1);
  expect(said[0]).toBe(about[0]);
  expect(said.findIndex((line) => line.includes("put 60 rows"))).toBeGreaterThan(0);
  expect(JSON.parse(out).notices[0]).toBe(about[0]!.replace("Note: ", ""));
  expect((await coterie(...args, "--quiet")).err).toBe("");
});
