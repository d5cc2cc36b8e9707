/**
 * The time from an answer to the next question, in a project whose log has many entries, and from an undo to the
 * question that it brings back: medians by the clock.
 *
 *     node bench/studio-answers.mjs [entries] [rows]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startStudio } from "../packages/server/dist/index.js";

const ENTRIES = Number(process.argv[2] ?? 10_000);
const ROWS = Number(process.argv[3] ?? 20_000);
const CLASSES = 8;
const ANSWERS = 30;
const UNDONE = 10;

let state = 1;
/** A linear congruential generator: the same table and links in every run. */
function below(most) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
}

const noise = () => (below(1_000) + below(1_000) + below(1_000)) / 500;
const classes = Array.from({ length: ROWS }, () => below(CLASSES));
const lines = classes.map((c) => `${5 * (c % 3) + noise()},${5 * Math.floor(c / 3) + noise()}`);
const truth = ([a, b]) => (classes[a] === classes[b] ? "same" : "different");

function words(times) {
  const ordered = times.toSorted((a, b) => a - b);
  const at = (share) => ordered[Math.floor(share * ordered.length)].toFixed(1);
  return `median ${at(0.5)} ms, 90% within ${at(0.9)} ms, of ${times.length}`;
}

const folder = mkdtempSync(join(tmpdir(), "coterie-answers-"));
const table = join(folder, "table.csv");
writeFileSync(table, `x,y\n${lines.join("\n")}\n`);
const studio = await startStudio({ folder: join(folder, "projects"), version: "bench" });
try {
  const { call } = studio.workbench;
  const { id: project } = await studio.open(table, {});
  await call("changeProject", { project, k: CLASSES });
  const id = (word, i) => `${word}-${String(i).padStart(8, "0")}`;
  const links = Array.from({ length: ENTRIES }, (_, i) => {
    const a = below(ROWS);
    const b = (a + 1 + below(ROWS - 1)) % ROWS;
    const constraint = { type: truth([a, b]) === "same" ? "must-link" : "cannot-link", a, b };
    return { id: id("link", i), by: "ann", from: { kind: "drawn" }, change: { type: "add", constraint } };
  });
  for (let at = 0; at < ENTRIES; at += 5_000) await call("append", { project, entries: links.slice(at, at + 5_000) });
  let { question } = await call("ask", { project, by: "ann", budget: ENTRIES + ANSWERS });
  const answers = [];
  for (let i = 0; question && i < ANSWERS; i++) {
    const answer = truth(question.rows);
    const began = performance.now();
    const reply = await call("answer", { project, question: question.question, answer, by: "ann", id: id("answer", i) });
    answers.push(performance.now() - began);
    question = reply.next.question;
  }
  const undone = [];
  for (let i = 0; i < UNDONE; i++) {
    const began = performance.now();
    const { undo } = await call("knowledge", { project, by: "ann" });
    const entry = { id: id("undo", i), by: "ann", from: { kind: "drawn" }, change: { type: "undo", entry: undo } };
    await call("append", { project, entries: [entry] });
    await call("ask", { project, by: "ann", budget: ENTRIES + ANSWERS });
    undone.push(performance.now() - began);
  }
  console.log(
    `${ENTRIES} entries, ${ROWS} rows: from answer to question ${words(answers)}; from undo to question ${words(undone)}`,
  );
} finally {
  await studio.close();
  rmSync(folder, { recursive: true, force: true });
}
