/** A log of answers goes from the terminal to the studio and back: the same answers, questions and budgets on both sides. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseLog } from "@coterie/data";
import { startStudio } from "@coterie/server";
import { expect, onTestFinished, test } from "vitest";
import { coterieWith, folderWith, typed } from "./testing/console.js";

const TABLE = `id,x,y\n${Array.from({ length: 24 }, (_, i) => `r${i},${10 * (i % 3) + (i * 7) / 24},${i % 5}`).join("\n")}\n`;
const truth = (ids: readonly unknown[]) => {
  const [a, b] = ids.map((id) => Number(String(id).slice(1)) % 3);
  return a === b ? "same" : "different";
};

/** A table with a log of the terminal, and a studio over the table. */
async function setting() {
  const folder = folderWith({ "t.csv": TABLE });
  const data = join(folder, "t.csv");
  const path = `${data}.answers.jsonl`;
  const studio = await startStudio({ folder: join(folder, "studio"), version: "0.0.0-test" });
  onTestFinished(() => studio.close());
  const { call } = studio.workbench;
  const answersIn = () => parseLog(readFileSync(path), path).stretches.flatMap(({ answers }) => answers);
  const ask = async (words: readonly string[], ...line: string[]) =>
    await coterieWith({ input: typed(words.join("\n")), columns: 400 }, "ask", data, ...line);
  return { data, path, studio, call, answersIn, ask };
}

test("answers of the terminal count in the studio, and the terminal goes on with those of the studio", async () => {
  const { data, path, studio, call, answersIn, ask } = await setting();
  const begun = await ask(["d", "s", "undo", "d", "k", "d", "stop"], "-k", "3", "--id", "id", "--budget", "8");
  expect(begun.code, begun.err).toBe(0);
  const first = answersIn();
  expect(first.map(({ answer }) => answer)).toEqual(["different", "different", "unsure", "different"]);

  const { id: project } = await studio.open(data, { id: "id" });
  await call("changeProject", { project, k: 3 });
  const file = { project, name: "t.csv.answers.jsonl", by: "ann", kind: "answers" as const };
  expect(await call("importConstraints", { ...file, bytes: readFileSync(path) })).toEqual({ added: 4, notices: [] });
  expect(await call("importConstraints", { ...file, bytes: readFileSync(path) })).toEqual({ added: 0, notices: [] });
  let state = await call("ask", { project, by: "ann", budget: 7 });
  expect(state.history).toEqual(["different", "different", "unsure", "different"]);
  const asked: string[] = [];
  while (state.question) {
    const { question, ids, number } = state.question;
    expect(number).toBe(5 + asked.length);
    asked.push(String([...ids].sort()));
    const id = `answer-${String(number).padStart(6, "0")}`;
    state = (await call("answer", { project, question, answer: truth(ids), by: "ann", id })).next;
  }
  expect(state.why).toBe("All 7 questions are answered.");
  const seen = new Set([...first.map(({ ask: ids }) => String([...ids].sort())), ...asked]);
  expect(seen.size).toBe(7);

  writeFileSync(path, (await call("export", { project, kind: "answers" })).text);
  expect(answersIn().map(({ ask: ids, answer }) => [ids, answer])).toEqual([
    ...first.map(({ ask: ids, answer }) => [ids, answer]),
    ...answersIn()
      .slice(4)
      .map(({ ask: ids }) => [ids, truth(ids)]),
  ]);
  const spent = await ask([], "--resume");
  expect(spent.err).toContain("Going on after 7 answers");
  expect(spent.err).not.toContain("kept as knowledge");
  expect(spent.err).toContain("All 7 questions (1 left open) answered.");
  const more = await ask(["stop"], "--resume", "--budget", "9");
  expect([more.code, more.err]).toEqual([0, expect.stringContaining("Question 8 of 9")]);
});

test("answers that others overrule are left out of the studio, as they are when the terminal goes on", async () => {
  const { data, path, studio, call } = await setting();
  const links = [
    ["r0", "r3", "same"],
    ["r3", "r6", "same"],
    ["r0", "r6", "different"],
    ["r0", "r9", "same"],
    ["r9", "r6", "same"],
  ];
  const start = { record: "start", format: 1, version: "0.1.0", data: "t.csv", sha256: "ab", rows: 24, features: ["x", "y"] };
  const rest = { strategy: "spreading", options: {}, k: 3, budget: 9, seed: 0, reading: {}, constraints: [], known: "" };
  const lines = links.map(([a, b, answer], i) => {
    // The longest names of the log are shorter.
    const evidence = { evidence: true, by: `command: ./model${" --fast".repeat(200)}` };
    return { record: "answer", number: i + 1, kind: "pair", ask: [a, b], answer, ...evidence };
  });
  writeFileSync(path, [{ ...start, ...rest, errorRate: 0.1 }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { id: project } = await studio.open(data, { id: "id" });
  const file = { project, name: "a.jsonl", by: "ann", kind: "answers" as const, bytes: readFileSync(path) };
  const overruled = "a.jsonl: 1 answer is overruled by others and left out.";
  expect(await call("importConstraints", file)).toEqual({ added: 4, notices: [overruled] });
  const { constraints } = await call("knowledge", { project });
  expect(new Set(constraints.map(({ by, constraint }) => `${by.slice(0, 16)} ${by.length} ${constraint.type}`))).toEqual(
    new Set(["command: ./model 1000 must-link"]),
  );
  await studio.close();
  const again = await startStudio({ folder: join(dirname(data), "studio"), version: "0.0.0-test" });
  onTestFinished(() => again.close());
  expect(await again.workbench.call("entries", { project })).toHaveLength(4);
});
