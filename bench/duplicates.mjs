/**
 * Finding duplicates among generated records of people from four sources, at the command line: `ccl` without k, and `ask --strategy closest` with 50
 * answers, beside the package splink with the same answers as labels. Adjusted Rand of the clusters, and processor time.
 *
 *     node bench/duplicates.mjs [rows] [seeds, as 0..2] [python with splink]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [rows = "2000", seeds = "0..2", python] = process.argv.slice(2);
const [first, last = first] = seeds.split("..").map(Number);
const ANSWERS = 50;
const BIN = fileURLToPath(new URL("../packages/cli/bin/coterie.js", import.meta.url));
const PEER = fileURLToPath(new URL("splink_peer.py", import.meta.url));

/** Code that writes the processor time to a separate pipe when the command ends. */
const CLOCK =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>{const{user,system}=process.cpuUsage();writeSync(3,String((user+system)/1e6))})';

/** Runs a program; returns its output, and the text from the separate pipe. */
function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit", "pipe"] });
    const texts = ["", ""];
    for (const [at, stream] of [child.stdout, child.stdio[3]].entries()) stream.on("data", (piece) => (texts[at] += piece));
    child.on("close", (code) => (code === 0 ? resolve(texts) : reject(new Error(`${program} ${args.join(" ")}: exit ${code}`))));
  });
}

async function coterie(...args) {
  const [out, seconds] = await run(process.execPath, ["--import", CLOCK, BIN, ...args, "--quiet"]);
  return { out, seconds: Number(seconds) };
}

async function measured(seed) {
  const folder = mkdtempSync(join(tmpdir(), "coterie-duplicates-"));
  try {
    const [table, log, report] = ["people.csv", "answers.jsonl", "report.json"].map((name) => join(folder, name));
    await coterie("data", "make", "people", "--rows", rows, "--sources", "4", "--seed", String(seed), "--out", table);
    const reading = ["--id", "id", "--truth", "person", "--exclusive", "source", "--features", "name,email,city,born"];
    reading.push("--type", "name=text", "--type", "email=text", "--missing", "skip");
    const linked = await coterie("cluster", table, "--algorithm", "ccl", ...reading, "--report", report);
    const unasked = JSON.parse(readFileSync(report, "utf8"));
    const asking = ["--strategy", "closest", "--budget", String(ANSWERS), "--simulate", "--answers", log, "--report", report];
    const asked = await coterie("ask", table, ...reading, ...asking);
    const answered = JSON.parse(readFileSync(report, "utf8"));
    const peer = python ? JSON.parse((await run(python, [PEER, table, log]))[0]) : null;
    return { linked, unasked, asked, answered, peer };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const shown = (value) => (value === undefined ? "" : value.toFixed(3));
const cell = (run) => (run ? `${shown(run.adjustedRand)} (${run.seconds.toFixed(1)} s)` : "");
console.log(`| seed | \`ccl\`, no answers | \`closest\`, ${ANSWERS} answers | splink, no labels | splink, ${ANSWERS} labels |`);
console.log("|---|---|---|---|---|");
for (let seed = first; seed <= last; seed++) {
  const { linked, unasked, asked, answered, peer } = await measured(seed);
  const ours = [
    { adjustedRand: unasked.scores.adjustedRand, seconds: linked.seconds },
    { adjustedRand: answered.scores.adjustedRand, seconds: asked.seconds },
  ];
  console.log(`| ${seed} | ${[...ours, peer?.unlabelled, peer?.labelled].map(cell).join(" | ")} |`);
}
