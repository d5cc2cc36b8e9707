/**
 * Seconds from an answer to the next question, if an engine holds the rows.
 *
 *     node bench/engines/ask.mjs FILE.parquet [questions]
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const [file, questions = "12"] = process.argv.slice(2);
const coterie = fileURLToPath(new URL("../../packages/cli/bin/coterie.js", import.meta.url));
const log = `${file}.answers.jsonl`;
rmSync(log, { force: true });
const line = ["ask", file, "-k", "16", "--ignore", "id", "--engine", "duckdb", "--budget", questions, "--script", "--quiet"];
const child = spawn(process.execPath, [coterie, ...line, "--answers", log], { stdio: ["pipe", "pipe", "inherit"] });
const waits = [];
let answered = performance.now();
for await (const text of createInterface({ input: child.stdout })) {
  if (JSON.parse(text).record === "answer") continue;
  waits.push((performance.now() - answered) / 1000);
  answered = performance.now();
  child.stdin.write("different\n");
}
const [start, ...next] = waits;
console.log(`first question after ${start.toFixed(1)} s, then ${next.map((wait) => wait.toFixed(2)).join(", ")} s`);
console.log(`clusters of all rows ${((performance.now() - answered) / 1000).toFixed(1)} s after the last answer`);
rmSync(log, { force: true });
