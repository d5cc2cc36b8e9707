/** Revising an answer without undoing those after it, the clusters so far, and questions about duplicates. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { helpLines, revisionOf } from "./ask/keys.js";
import { coterie, coterieWith, folderWith, typed } from "./testing/console.js";

const TABLE = `id,x,class\n${Array.from({ length: 12 }, (_, i) => `r${i},${10 * (i % 3) + (i * 7) / 12},${"abc"[i % 3]}`).join("\n")}\n`;
const LINE = ["-k", "3", "--id", "id", "--features", "x", "--budget", "8"];

function setting() {
  const data = join(folderWith({ "t.csv": TABLE }), "t.csv");
  const say = async (text: string, ...more: string[]) =>
    await coterieWith({ input: typed(text), columns: 400 }, "ask", data, ...more);
  const records = () =>
    readFileSync(`${data}.answers.jsonl`, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { data, say, records };
}

test("an answer is revised, those after it stay, and the dialogue goes on", async () => {
  const { say, records } = setting();
  const { code, err } = await say("different\nunsure\nunsure\nrevise 1 unsure\nunsure\nstop\n", ...LINE);
  expect([code, err]).toEqual([0, expect.stringMatching(/ {2}1 {2}revised: r\d+ ≠ r\d+ is now r\d+ \? r\d+: left open/)]);
  expect(records().filter(({ record }) => record === "revise")).toEqual([{ record: "revise", number: 1, answer: "unsure" }]);
  expect(err).toContain("Stopped after 4 questions");
  const again = await say("stop\n", "--resume", "--json");
  expect([again.code, JSON.parse(again.out).questions]).toEqual([0, expect.objectContaining({ asked: 4, unsure: 4 })]);
});

test("a revision that others contradict, or of an answer that is not there, is refused and nothing is lost", async () => {
  const { say, records } = setting();
  const { code, err } = await say("same\nrevise 9 same\nrevise 1 a\nrevise 1 different\nstop\n", ...LINE);
  expect(code).toBe(0);
  expect(err).toContain("Answer 9 stays as it is");
  expect(err).toContain("Answer 1 stays as it is");
  expect(records().filter(({ record }) => record === "revise")).toHaveLength(1);
  const bad = await say("revise x\n", "--resume");
  expect([bad.code, bad.err]).toEqual([3, expect.stringContaining("revise N ANSWER")]);
});

test("? shows all keys and answers nothing, u takes back, l shows the clusters so far and how many more questions are worth asking; keys revise too", async () => {
  const { say, data, records } = setting();
  const { code, err } = await say("?\nk\nk\nu\nl\nstop\n", ...LINE);
  expect(code).toBe(0);
  for (const line of helpLines()) expect(err).toContain(line);
  expect(records().map(({ record, answer }) => answer ?? record)).toEqual(["start", "unsure", "unsure", "undo"]);
  expect(err).toMatch(/3 clusters so far\ncluster \d: \d+ rows? \(r/);
  expect(err).toMatch(/worth asking|change little/);
  const keys = await coterieWith({ input: typed("r1 d\rq", true), columns: 200 }, "ask", data, "--resume");
  expect([keys.code, keys.err]).toEqual([0, expect.stringContaining("revised: ")]);
});

test("words of a revision", () => {
  expect(revisionOf("revise 12 Different")).toEqual({ number: 12, answer: "different" });
  expect(revisionOf("3 d")).toEqual({ number: 3, answer: "different" });
  expect(["3", "d 3", "3 constructor", "revise 3 x"].map(revisionOf)).toEqual([undefined, undefined, undefined, undefined]);
});

test("people with duplicates: made, asked about closest first, and no source twice in a cluster", async () => {
  const file = join(folderWith(), "people.csv");
  const made = await coterie("data", "make", "people", "-n", "60", "--sources", "3", "--seed", "2", "--out", file);
  expect([made.code, made.err]).toEqual([0, expect.stringContaining('the classes are in the column "person"')]);
  expect(readFileSync(file, "utf8").split("\n")[0]).toBe("id,source,name,email,city,born,person");
  const line = [
    "ask",
    file,
    "--id",
    "id",
    "--exclusive",
    "source",
    "--truth",
    "person",
    "--features",
    "name,born",
    "--type",
    "name=text",
  ];
  const { code, out, err } = await coterie(...line, "--strategy", "closest", "--simulate", "--budget", "20", "--json");
  expect([code, err]).toEqual([0, expect.any(String)]);
  const { scores, violations } = JSON.parse(out);
  expect(scores.adjustedRand).toBeGreaterThan(0.7);
  expect(violations.exclusive).toEqual([]);
  expect((await coterie("data", "make", "xor", "--sources", "3")).code).toBe(2);
});
