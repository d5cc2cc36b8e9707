/**
 * The bench over releases: one line of JSON for each recorded run, and a page that plots the ratios. Absolute times of different
 * machines cannot be compared, so only ratios to a peer in the same run are recorded.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { curvesFigure } from "@coterie/figures";
import { isFailure } from "./report.mjs";

const folder = fileURLToPath(new URL("../docs/measurements/", import.meta.url));
const log = `${folder}history.jsonl`;

/**
 * @typedef {object} Kept
 * @property {string} release
 * @property {string} commit
 * @property {string} date
 * @property {string} command
 * @property {string} machine
 * @property {string} node
 * @property {Readonly<Record<string, { readonly ratio: number, readonly bar: number | null, readonly busy: number }>>} rows
 */

/** The kept part of a report. @param {import("./report.mjs").Report} report @param {string} commit @param {string} release @returns {Kept} */
export function keptOf({ cases, command, date, machine, versions }, commit, release) {
  const rows = cases.flatMap((entry) => {
    if (isFailure(entry) || entry.held !== "ratio" || entry.figure === null || !Number.isFinite(entry.figure)) return [];
    const { figure, bar, busy } = entry;
    return [[`${entry.case}/${entry.row}`, { ratio: rounded(figure), bar, busy: rounded(busy) }]];
  });
  return {
    release,
    commit,
    date,
    command,
    machine: `${machine.cores} cores, ${machine.cpu}`,
    node: versions.node ?? "",
    rows: Object.fromEntries(rows),
  };
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toPrecision(3));
}

/** Adds a run to the log and draws the page again. Needs a clean checkout, because a line names the measured commit. */
export function record(/** @type {import("./report.mjs").Report} */ report) {
  const git = (/** @type {string[]} */ ...args) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  const dirty = git("status", "--porcelain", "--untracked-files=no", "--", "../../packages", "../../bench");
  const commit = `${git("rev-parse", "--short=10", "HEAD")}${dirty ? " and changes" : ""}`;
  const release = JSON.parse(readFileSync(`${folder}../../packages/cli/package.json`, "utf8")).version;
  mkdirSync(dirname(log), { recursive: true });
  appendFileSync(log, `${JSON.stringify(keptOf(report, commit, release))}\n`);
  draw();
}

/** @returns {Kept[]} */
function readLog() {
  if (!existsSync(log)) return [];
  return readFileSync(log, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export function draw() {
  const runs = readLog();
  const names = [...new Set(runs.flatMap(({ rows }) => Object.keys(rows)))].sort();
  const cases = [...new Set(names.map((name) => name.split("/")[0] ?? ""))];
  const panels = cases.map((title) => ({
    title,
    series: names
      .filter((name) => name.startsWith(`${title}/`))
      .map((name) => ({
        name: name.slice(title.length + 1),
        points: runs.flatMap(({ rows }, i) => (rows[name] ? [{ x: i + 1, y: rows[name].ratio }] : [])),
      })),
  }));
  const title = "Ratio of our time to the peer's, over the recorded runs";
  const xDomain = /** @type {const} */ ([1, Math.max(2, runs.length)]);
  writeFileSync(`${folder}history.svg`, curvesFigure({ title, panels, xLabel: "run", yLabel: "ours / peer", xDomain }));
  writeFileSync(`${folder}history.md`, pageOf(runs, names));
}

/** @param {readonly Kept[]} runs @param {readonly string[]} names */
function pageOf(runs, names) {
  const cell = (/** @type {Kept} */ { rows }, /** @type {string} */ name) => {
    const row = rows[name];
    return row ? `${row.ratio}${row.busy > 0.25 ? " (busy)" : ""}` : "";
  };
  return `${[
    "# The bench over releases",
    "",
    "Each run is a line of [history.jsonl](history.jsonl), added by `npm run bench -- … --record`. A point below 1 is faster than the peer. “busy” marks",
    "a machine that had other work.",
    "",
    "![Ratios over the runs](history.svg)",
    "",
    `| row | ${runs.map((_, i) => i + 1).join(" | ")} |`,
    `| --- | ${runs.map(() => "---").join(" | ")} |`,
    ...names.map((name) => `| ${name} | ${runs.map((run) => cell(run, name)).join(" | ")} |`),
    "",
    ...runs.map(
      ({ release, commit, date, machine, node, command }, i) =>
        `${i + 1}. Version ${release}, ${commit}, ${date.slice(0, 10)}, ${machine}, Node ${node}: \`${command}\``,
    ),
  ].join("\n")}\n`;
}
