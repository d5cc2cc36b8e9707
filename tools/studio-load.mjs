/**
 * Many people who answer at once: `node tools/studio-load.mjs [--people 50] [--seconds 60]` starts the studio on loopback and lets one
 * person, then many, answer once a second each about the 150 rows of iris-fisher. It prints how long the durable acknowledgement took.
 *
 * Everybody answers questions as long as there are any, then says what is true of pairs of rows.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { httpCall } = await import("@coterie/workbench/protocol").catch(
  () => import("../packages/workbench/dist/protocol/index.js"),
);
const { values } = parseArgs({
  options: { people: { type: "string", default: "50" }, seconds: { type: "string", default: "60" } },
});
const [people, seconds] = [Number(values.people), Number(values.seconds)];
const truth = readFileSync(join(root, "packages/data/samples/iris-fisher.csv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split(",").at(-1));

const folder = mkdtempSync(join(tmpdir(), "coterie-load-"));
const args = ["studio", "--no-open", "--port", "0", "--token", "load", "--folder", folder];
const child = spawn(process.execPath, [join(root, "packages/cli/bin/coterie.js"), ...args], {
  stdio: ["ignore", "pipe", "inherit"],
});
const address = await new Promise((resolve) =>
  child.stdout.once("data", (line) => resolve(String(line).replace("Coterie studio: ", "").trim())),
);
const call = httpCall({ base: new URL(address).origin, token: "load" });

const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));
let made = 0;
const entryId = () => `load-${String(made++).padStart(8, "0")}`;
const same = ([a, b]) => truth[a] === truth[b];

/** One person: a request a second, whether the last one was quick or not. */
async function person(project, by, until, times, errors) {
  let { question } = await call("ask", { project, by, budget: 1_000_000 }).catch(() => ({ question: null }));
  await pause(1000 * ((made++ * 0.618034) % 1));
  while (performance.now() < until) {
    const began = performance.now();
    try {
      if (question) {
        const answer = same(question.rows) ? "same" : "different";
        ({
          next: { question },
        } = await call("answer", { project, question: question.question, answer, by, id: entryId() }));
      } else {
        const [a, b] = [made % 150, (made * 7 + 3) % 150];
        const constraint = { type: same([a, b]) ? "must-link" : "cannot-link", a, b: a === b ? (b + 1) % 150 : b };
        if (a === b) constraint.type = same([a, constraint.b]) ? "must-link" : "cannot-link";
        await call("append", {
          project,
          entries: [{ id: entryId(), by, from: { kind: "drawn" }, change: { type: "add", constraint } }],
        });
      }
      times.push(performance.now() - began);
    } catch (error) {
      errors.push(String(error));
      question = null;
    }
    await pause(Math.max(0, 1000 - (performance.now() - began)));
  }
}

async function phase(count, duration) {
  const { id } = await call("createProject", { sample: "iris-fisher", name: `load of ${count}` });
  const [times, errors] = [[], []];
  const until = performance.now() + 1000 * duration;
  await Promise.all(Array.from({ length: count }, (_, i) => person(id, `person ${i}`, until, times, errors)));
  const kept = await call("entries", { project: id });
  const sorted = times.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { count, answers: times.length, kept: kept.length, errors, median: at(0.5), p95: at(0.95), most: at(1) };
}

try {
  await phase(1, 3);
  const alone = await phase(1, seconds);
  const many = await phase(people, seconds);
  for (const { count, answers, kept, errors, median, p95, most } of [alone, many])
    console.log(
      `${count} ${count === 1 ? "person" : "people"}: ${answers} acknowledged, ${kept} on disk, ${errors.length} errors; median ${median.toFixed(1)} ms, 95% within ${p95.toFixed(1)} ms, at most ${most.toFixed(1)} ms`,
    );
  console.log(`ratio of medians ${(many.median / alone.median).toFixed(2)}, of 95% ${(many.p95 / alone.p95).toFixed(2)}`);
  for (const error of new Set(many.errors)) console.log(error);
  process.exitCode = many.errors.length + alone.errors.length > 0 || many.median > 3 * alone.median ? 1 : 0;
} finally {
  child.kill("SIGINT");
  await new Promise((done) => child.once("close", done));
  rmSync(folder, { recursive: true, force: true });
}
