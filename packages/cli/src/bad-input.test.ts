/** Bad input: for each kind, the sentence, the exit code, and that nothing is left behind. */
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { coterie, coterieWith, folderWith } from "./testing/console.js";

const GOOD = "name,length,width\nann,1,2\nbob,1.5,2\ncay,9,8\ndan,9.5,8\n";
let folder: string;

beforeAll(() => {
  folder = folderWith({
    "good.csv": GOOD,
    "empty.csv": "",
    "header.csv": "a,b\n",
    "ragged.csv": "a,b\n1,2\n3\n",
    "mixed.csv": "a,b\n1,2\n3,four\n5,6\n",
    "nan.csv": "a,b\n1,2\nnan,3\n",
    "inf.csv": "a,b\n1,2\n3,-inf\n",
    "missing.csv": "a,b\n1,2\n,3\n4,NA\n",
    "twice.csv": "a,a\n1,2\n",
    "ids.csv": "id,a\nx,1\nx,2\n",
    "unknown.csv": "type,a,b\nmust-link,ann,bob\nmust-link,ann,zoe\n",
    "self.csv": "type,a,b\ncannot-link,ann,ann\n",
    "selfmust.csv": "type,a,b\nmust-link,ann,ann\n",
    "clash.csv": "type,a,b\nmust-link,ann,bob\nmust-link,bob,cay\ncannot-link,ann,cay\n",
    "type.csv": "type,a,b\nmust-lnk,ann,bob\n",
    "weight.csv": "type,a,b,weight\nmust-link,ann,bob,-1\n",
    "old.tsv": "0\t1\t1\n0\t9\t-1\n",
  });
});

const file = (name: string) => join(folder, name);
const cluster = (...args: string[]) => coterie("cluster", file("good.csv"), "--id", "name", "-k", "2", ...args);

describe("the table", () => {
  test.each([
    ["missing file", "nothere.csv", /nothere\.csv: There is no such file\./],
    ["empty file", "empty.csv", /empty\.csv: .*empty/],
    ["header only", "header.csv", /header\.csv.*no data rows|header\.csv.*no rows/i],
    ["ragged row", "ragged.csv", /ragged\.csv, line 3: .*1 .*2/],
    ["text in a numeric column", "mixed.csv", /mixed\.csv, line 3: .*"b".*"four".*--nominal b.*--ignore b/s],
    ["nan", "nan.csv", /nan\.csv, line 3: .*nan/],
    ["infinity", "inf.csv", /inf\.csv, line 3: .*-inf/],
    ["missing cells", "missing.csv", /missing\.csv, line 3: 2 cells are missing .*--missing drop.*--missing impute/s],
    ["a column name twice", "twice.csv", /twice\.csv, line 1: .*"a"/],
  ])("%s: exit 3 and a sentence", async (_, name, sentence) => {
    const { code, out, err } = await coterie("cluster", file(name), "-k", "1", "--missing", "error");
    expect(err).toMatch(sentence);
    expect(err).toMatch(/^coterie: /);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(out).toBe("");
    expect(code).toBe(3);
  });

  test("an unknown column names the nearest one and all there are", async () => {
    const { code, err } = await coterie("cluster", file("good.csv"), "-k", "2", "--id", "nmae");
    expect(err).toContain('There is no column "nmae" (--id). Did you mean "name"?');
    expect(code).toBe(3);
  });

  test("duplicate ids name both lines", async () => {
    const { code, err } = await coterie("cluster", file("ids.csv"), "-k", "1", "--id", "id");
    expect(err).toContain('ids.csv, line 3: The id "x" is used twice; line 2 has it too.');
    expect(code).toBe(3);
  });

  test("a mixed column is fine when it is nominal or ignored", async () => {
    expect((await coterie("cluster", file("mixed.csv"), "-k", "1", "--nominal", "b")).code).toBe(0);
    expect((await coterie("cluster", file("mixed.csv"), "-k", "1", "--ignore", "b")).code).toBe(0);
  });
});

describe("the number of clusters", () => {
  test.each([
    [["-k", "0"], 2, "-k is 0; it must be at least 1."],
    [["-k", "-3"], 2, "-k is -3; it must be at least 1."],
    [["-k", "two"], 2, '-k is "two"; it must be a whole number.'],
    [["-k", "2.5"], 2, "-k is 2.5; it must be a whole number."],
    [
      ["-k", "2", "-a", "cop-kmeans", "--min-size", "3", "--max-size", "2"],
      2,
      "--min-size is 3; it must be at most --max-size, 2.",
    ],
    [[], 2, "Say how many clusters: -k K."],
    [["-k", "5"], 3, "k is 5, but there are only 4 rows; ask for at most 4 clusters."],
  ])("%j: exit %i", async (args, exit, sentence) => {
    const { code, err } = await coterie("cluster", file("good.csv"), "--id", "name", ...args);
    expect(err).toContain(sentence);
    expect(code).toBe(exit);
  });
});

describe("constraints", () => {
  test.each([
    ["unknown.csv", /unknown\.csv, line 3: .*"zoe"/],
    ["self.csv", /self\.csv, line 2: .*itself|self\.csv, line 2: .*ann/],
    ["type.csv", /type\.csv, line 2: .*"must-lnk".*must-link/],
    ["weight.csv", /weight\.csv, line 2: .*-1/],
    ["old.tsv", /old\.tsv, line 2: .*9/],
    ["gone.csv", /gone\.csv: There is no such file\./],
  ])("%s: exit 3, with file and line", async (name, sentence) => {
    const { code, err } = await cluster("--constraints", file(name));
    expect(err).toMatch(sentence);
    expect(code).toBe(3);
  });

  test.each([
    ['{"type":"must-link","a":"ann"}', "The must-link has no b."],
    ['{"type":"relative","a":"ann","b":"bob"}', "The relative has no c."],
    ['{"type":"label","a":"ann"}', "The label has no class (in b)."],
    ['{"a":"ann","b":"bob"}', "The constraint has no type."],
    ['{"type":5,"a":"ann","b":"bob"}', '"5" is not a type of constraint.'],
    ['{"type":["must-link"],"a":"ann","b":"bob"}', 'The key "type" holds neither a text nor a number.'],
    ['{"type":"must-link","a":{"id":"ann"},"b":"bob"}', 'The key "a" holds neither a text nor a number.'],
    ['{"type":"must-link","a":"ann","b":"zoe"}', '"zoe"'],
    ['{"type":"must-link","a":"ann","b":"bob","c":"cay"}', 'The must-link has a third value, "cay", in c.'],
    ['{"type":"must-link","a":"ann","b":"bob","weight":0}', 'The weight is "0".'],
    ['{"type":"must-link","a":"ann","b":"bob","weight":1e999}', 'The weight is "1e999".'],
    ['{"type":"must-link","a":"ann","b":"bob","weight":"NaN"}', 'The weight is "NaN".'],
    ['{"type":"must-link","a":"ann","b":"bob","because":"so"}', 'Constraints have no key "because".'],
    ['{"type":"cannot-link","a":"ann","b":"ann"}', "ann"],
    ['["must-link","ann","bob"]', "not an object."],
    ['{"type":"must-link","a":"ann","b":', "The line is not valid JSON"],
    ["must-link,ann,bob", "The line is not valid JSON"],
  ])("%s in JSON lines: exit 3 with file and line, for every command that reads constraints", async (line, sentence) => {
    const known = join(folderWith({ "known.jsonl": `{"type":"must-link","a":"ann","b":"bob"}\n\n${line}\n` }), "known.jsonl");
    const data = [file("good.csv"), "--id", "name", "--constraints", known];
    for (const command of [
      ["cluster", ...data, "-k", "2"],
      ["diagnose", ...data],
      ["constraints", "close", ...data],
      ["ask", ...data, "-k", "2", "--answers", join(folder, "never.jsonl")],
    ]) {
      const { code, err } = await coterie(...command);
      expect([command[0], code]).toEqual([command[0], 3]);
      expect(err.replaceAll(/\s+/g, " ")).toContain(`${known}, line 3: `);
      expect(err.replaceAll(/\s+/g, " ")).toContain(sentence);
    }
  });

  test("a must-link of a row with itself is ignored with a warning", async () => {
    const { code, err } = await cluster("--constraints", file("selfmust.csv"));
    expect(err).toMatch(/itself|same row|ignored/);
    expect(code).toBe(0);
  });

  test("a contradiction is closed with exit 4 and its chain", async () => {
    const { code, out, err } = await coterie(
      "constraints",
      "close",
      file("good.csv"),
      "--id",
      "name",
      "--constraints",
      file("clash.csv"),
    );
    expect(err).toContain(
      "One cannot-link contradicts the must-links: ann and cay cannot link, yet must-links join them: ann – bob – cay.",
    );
    expect(out).toBe("");
    expect(code).toBe(4);
  });

  test("a method that looks at no constraints takes a contradictory set, and lists what it breaks", async () => {
    const { code, out } = await cluster("--algorithm", "kmeans", "--constraints", file("clash.csv"), "--json");
    expect(JSON.parse(out).violations.mustLink).toEqual([["bob", "cay"]]);
    expect(code).toBe(0);
  });

  test("--strict turns a violation into exit 4, and names what to do, in cluster and evaluate", async () => {
    const printed = await cluster("--constraints", file("clash.csv"), "--strict", "--out", file("labels-of-clash.csv"));
    const line = ["evaluate", file("labels-of-clash.csv"), "--data", file("good.csv"), "--id", "name"];
    const judged = await coterie(...line, "--constraints", file("clash.csv"), "--strict");
    for (const { code, err } of [printed, judged]) {
      expect(code).toBe(4);
      expect(err).toContain("`coterie diagnose`");
    }
    expect((await coterie(...line, "--constraints", file("clash.csv"))).code).toBe(0);
  });
});

describe("usage", () => {
  test.each([
    [["clutser", "x.csv"], 'There is no command "clutser". Did you mean "cluster"?'],
    [["cluster", "x.csv", "-k", "2", "--algoritm", "ward"], "There is no option --algoritm. Did you mean --algorithm?"],
    [["cluster", "x.csv", "-k", "2", "--algorithm", "wrad"], "wrad"],
    [
      ["cluster", "x.csv", "-k", "2", "--scale", "z"],
      '--scale is "z"; it must be one of auto, none, zscore, minmax, robust, log, rank.',
    ],
    [["cluster", "x.csv", "-k"], "-k needs a value"],
    [["cluster"], "Name the table to cluster"],
    [["cluster", "a.csv", "b.csv", "-k", "2"], 'One table at a time: what is "b.csv"?'],
    [["cluster", "a.csv", "-k", "2", "--restarts", "0"], "restarts is 0; it must be at least 1."],
    [["cluster", "a.csv", "-k", "2", "--seed", "x"], '--seed is "x"; it must be a whole number.'],
    [["cluster", "a.csv", "--algorithm", "ward", "-k", "2", "--restarts", "3"], "ward has no option --restarts; kmeans, "],
    [["cluster", "a.csv", "-a", "mpck-means", "-k", "2", "--gamma", "3"], "mpck-means has no option --gamma; clusilc has it."],
    [["evaluate", "labels.csv"], "Say which table was clustered"],
    [["constraints", "make", "a.csv"], 'constraints cannot "make"'],
    [["data", "fetch"], 'data cannot "fetch"'],
    [["completion", "cmd"], "Name one shell"],
  ])("%j: exit 2 and the way to the help", async (args, sentence) => {
    const { code, out, err } = await coterie(...args);
    expect(err).toContain(sentence);
    expect(err).toContain("--help`");
    expect(out).toBe("");
    expect(code).toBe(2);
  });
});

describe("output", () => {
  test("a folder that does not exist: exit 3 before any work, nothing written", async () => {
    const { code, err } = await cluster("--out", join(folder, "nowhere", "labels.csv"));
    expect(err).toContain("does not exist");
    expect(code).toBe(3);
  });

  test("a folder as the target: exit 3", async () => {
    const { code, err } = await cluster("--out", folder);
    expect(err).toContain("This is a folder.");
    expect(code).toBe(3);
  });

  test("a folder that cannot be written: exit 3 and nothing in it", async () => {
    // Root may write anywhere, so the folder is one that no process can write to.
    const isRoot = process.getuid?.() === 0;
    const locked = isRoot ? "/proc" : folderWith();
    if (!isRoot) chmodSync(locked, 0o500);
    const before = readdirSync(locked).filter((name) => name.includes("labels"));
    const { code, err } = await cluster("--out", join(locked, "labels.csv"));
    expect(err).toContain("This file cannot be written here.");
    expect(code).toBe(3);
    expect(readdirSync(locked).filter((name) => name.includes("labels"))).toEqual(before);
  });

  test("an interrupted run: exit 130 and nothing half-written", async () => {
    const target = folderWith();
    const controller = new AbortController();
    controller.abort();
    const { code, err } = await coterieWith(
      { signal: controller.signal },
      "cluster",
      file("good.csv"),
      "--id",
      "name",
      "-k",
      "2",
      "--out",
      join(target, "labels.csv"),
    );
    expect(err).toContain("Interrupted: nothing was written.");
    expect(code).toBe(130);
    expect(readdirSync(target)).toEqual([]);
  });

  test("with --json, what went wrong is on standard output too", async () => {
    const { code, out } = await coterie("cluster", file("empty.csv"), "-k", "2", "--json");
    expect(JSON.parse(out).error.code).toBe("bad-input");
    expect(code).toBe(3);
  });
});

describe("files that would be lost", () => {
  test.each([
    [["--out", "DATA"], "is an input and would be overwritten"],
    [["--html", "DATA"], "is an input and would be overwritten"],
    [["--out", "both.x", "--report", "both.x"], "is the name of two output files"],
  ])("%j: exit 2, and nothing is touched", async (args, sentence) => {
    const paths = args.map((arg) => (arg === "DATA" ? file("good.csv") : arg.startsWith("--") ? arg : file(arg)));
    const { code, err } = await coterie("cluster", file("good.csv"), "-k", "2", "--id", "name", ...paths);
    expect(err).toContain(sentence);
    expect(code).toBe(2);
    expect(readFileSync(file("good.csv"), "utf8")).toBe(GOOD);
  });
});

test("a command that is misspelt leads to the help of all commands", async () => {
  const { err } = await coterie("clutser");
  expect(err).toContain('Did you mean "cluster"? See `coterie --help`.');
});

test("two ways to cut: the sentence names one that was given", async () => {
  const { code, err } = await cluster("-a", "ccl", "--stop-before-violation");
  expect(err).toContain("--stop-before-violation is true; it must be the only way to cut");
  expect(code).toBe(2);
});
