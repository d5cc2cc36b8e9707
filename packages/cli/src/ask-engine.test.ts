import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coterie, coterieWith, folderWith, typed } from "./testing/console.js";

const N = 1_100;
const rows = Array.from({ length: N }, (_, i) => {
  const c = i % 4;
  return [`r${i}`, c * 3 + Math.sin(i * i), (c % 2) * 5 + Math.cos(i * 1.7) * 2, `k${c}`].join(",");
});
const folder = folderWith({
  "t.csv": `name,a,b,class\n${rows.join("\n")}\n`,
  "known.csv": "type,a,b\nmust-link,r1099,r1095\ncannot-link,r1098,r1097\n",
});
const at = (name: string): string => join(folder, name);
const LINE = ["ask", at("t.csv"), "-k", "4", "--id", "name", "--engine", "duckdb", "--budget", "12"];
const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("coterie-candidates-"));

test("questions are about some rows, answers count for all; the rows that constraints name are among the candidates", async () => {
  const before = left();
  const { code, out, err } = await coterie(
    ...[...LINE, "--truth", "class", "--simulate", "--constraints", at("known.csv"), "--json", "--seed", "3"],
    ...["--constraints-out", at("said.csv")],
  );
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  const report = JSON.parse(out);
  expect(report).toMatchObject({
    algorithm: "pck-means",
    instances: N,
    k: 4,
    questions: { budget: 12, asked: 12 },
    engine: { name: "duckdb" },
  });
  expect(report.labels.length).toBe(N);
  expect(report.scores.adjustedRand).toBeGreaterThan(0.95);
  const [about] = /questions were about ([\d,]+) of the rows/.exec(report.notices.join(" "))!.slice(1);
  const candidates = Number(about!.replace(",", ""));
  expect([candidates > 600, candidates < N]).toEqual([true, true]);
  expect(readFileSync(at("said.csv"), "utf8").split("\n").length).toBe(12 + 2);
  expect(left()).toEqual(before);
}, 240_000);

test("a dialogue that is stopped goes on with its log, on the engine again", async () => {
  const talk = (...more: string[]) =>
    coterieWith({ input: typed("same\ndifferent\nstop\n") }, ...LINE, "--ignore", "class", ...more);
  const first = await talk("--out", at("l.csv"));
  expect([first.code, first.code === 0 ? "" : first.err]).toEqual([0, ""]);
  expect(first.err).toContain(`--resume --engine duckdb --out ${at("l.csv")}`);
  expect(readFileSync(at("l.csv"), "utf8").trim().split("\n").length).toBe(N + 1);
  const again = await talk("--resume", "--json");
  expect(again.err).toContain("Going on after 2 answers");
  expect(JSON.parse(again.out).questions.asked).toBe(4);
}, 240_000);

test.each([
  [["--relative"], "On an engine, questions are about pairs of rows"],
  [["--show", "class"], "--show does not work on an engine"],
  [["--html", "p.html"], "Engines do not support --html"],
])("%j is refused: exit 2, no file", async (more, sentence) => {
  const { code, err } = await coterie(...LINE, "--answers", at("none.jsonl"), "--out", at("none.csv"), ...more);
  expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  expect(existsSync(at("none.csv"))).toBe(false);
});
