/**
 * Many people who answer at once: `node tools/studio-load.mjs [--people 50] [--seconds 60]` starts the studio on loopback and lets one
 * person, then many, answer once a second each about the 150 rows of iris-fisher. It prints how long the durable acknowledgement took.
 *
 * Everybody in turn answers a question, as long as there are any, and says what is true of a pair of rows. The two are counted apart: the
 * reply to an answer comes with what it changed and the next question, that to a pair with nothing but the acknowledgement.
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
const args = ["studio", "--no-open", "--port", "0", "--token", "a load test", "--folder", folder];
const child = spawn(process.execPath, [join(root, "packages/cli/bin/coterie.js"), ...args], {
  stdio: ["ignore", "pipe", "inherit"],
});
const address = await new Promise((resolve) =>
  child.stdout.once("data", (line) => resolve(String(line).replace("Coterie studio: ", "").trim())),
);
const call = httpCall({ base: new URL(address).origin, token: "a load test" });

const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));
let made = 0;
const entryId = () => `load-${String(made++).padStart(8, "0")}`;
const same = ([a, b]) => truth[a] === truth[b];

/** One person: a request a second, whether the last one was quick or not. */
async function person(project, by, until, times, errors) {
  let { question } = await call("ask", { project, by, budget: 1_000_000 }).catch(() => ({ question: null }));
  await pause(1000 * ((made++ * 0.618034) % 1));
  for (let turn = 0; performance.now() < until; turn++) {
    const began = performance.now();
    const kind = question && turn % 2 === 0 ? "answers" : "pairs";
    try {
      if (kind === "answers") {
        const answer = same(question.rows) ? "same" : "different";
        ({
          next: { question },
        } = await call("answer", { project, question: question.question, answer, by, id: entryId() }));
      } else await call("append", { project, entries: [entry(by, pairOf(made))] });
      times[kind].push(performance.now() - began);
    } catch (error) {
      errors.push(String(error));
      question = null;
    }
    await pause(Math.max(0, 1000 - (performance.now() - began)));
  }
}

const pairOf = (turn) => [turn % 150, (turn + 1 + ((turn * 7) % 149)) % 150];

function entry(by, [a, b]) {
  const constraint = { type: same([a, b]) ? "must-link" : "cannot-link", a, b };
  return { id: entryId(), by, from: { kind: "drawn" }, change: { type: "add", constraint } };
}

async function phase(count, duration) {
  const { id } = await call("createProject", { sample: "iris-fisher", name: `load of ${count}` });
  const [times, errors] = [{ answers: [], pairs: [] }, []];
  const until = performance.now() + 1000 * duration;
  await Promise.all(Array.from({ length: count }, (_, i) => person(id, `person ${i}`, until, times, errors)));
  const kept = await call("entries", { project: id });
  return { count, kept: kept.length, errors, answers: spread(times.answers), pairs: spread(times.pairs) };
}

function spread(times) {
  const sorted = times.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { count: sorted.length, median: at(0.5), p95: at(0.95), most: at(1) };
}

const words = ({ count, median, p95, most }) =>
  `${count}, median ${median.toFixed(1)} ms, 95% within ${p95.toFixed(1)} ms, at most ${most.toFixed(1)} ms`;

try {
  await phase(1, 3);
  const alone = await phase(1, seconds);
  const many = await phase(people, seconds);
  for (const { count, kept, errors, answers, pairs } of [alone, many]) {
    console.log(
      `${count} ${count === 1 ? "person" : "people"}: ${answers.count + pairs.count} acknowledged, ${kept} on disk, ${errors.length} errors`,
    );
    console.log(`  answers: ${words(answers)}\n  pairs: ${words(pairs)}`);
  }
  const ratios = ["answers", "pairs"].map((kind) => many[kind].median / alone[kind].median);
  console.log(`ratio of medians: answers ${ratios[0].toFixed(2)}, pairs ${ratios[1].toFixed(2)}`);
  for (const error of new Set(many.errors)) console.log(error);
  process.exitCode = many.errors.length + alone.errors.length > 0 || ratios.some((ratio) => ratio > 3) ? 1 : 0;
} finally {
  child.kill("SIGINT");
  await new Promise((done) => child.once("close", done));
  rmSync(folder, { recursive: true, force: true });
}
