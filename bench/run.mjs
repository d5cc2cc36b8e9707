/** `npm run bench`: compares our kernels and methods with the peers in one run. See USAGE below. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cases } from "./cases/index.mjs";
import { createBench, SEED } from "./context.mjs";
import { record } from "./history.mjs";
import { measure } from "./measure.mjs";
import { Peers } from "./peers.mjs";
import { preparePython } from "./python.mjs";
import { answersDiffer, isFailure, linesOf, markdownOf } from "./report.mjs";

const USAGE = `Usage: npm run bench -- [NAME…] [options]

Measures our kernels and methods and those of the peers (SciPy, scikit-learn, fastcluster, pandas) on the same data, in turns.
The packages must be built (npm run build). The peers are installed once into bench/.venv; COTERIE_BENCH_PYTHON can name an
interpreter that has them.

  NAME…         cases, or single rows of them (linkage/complete); all cases if none is named:
                ${Object.keys(cases).join(", ")}
  --quick       small sizes and no bars, to see that everything runs
  --rounds N    measured rounds, instead of each row's own
  --json FILE   write the report to FILE instead of standard output
  --markdown    also write docs/measurements/bench.md
  --record      add the ratios to docs/measurements/history.jsonl as the point of this release, and draw that page again
  --bar         exit with 1 if a bar is missed or could not be judged
  --help        this page`;

const page = fileURLToPath(new URL("../docs/measurements/bench.md", import.meta.url));

/** @typedef {import("./report.mjs").Entry | import("./report.mjs").Failure} Line */

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      json: { type: "string" },
      markdown: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      bar: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds >= 1))
    throw new Error("--rounds takes a whole number from 1.");
  if (values.quick && values.record) throw new Error("--record needs the full sizes: leave out --quick.");
  if (values.quick && values.bar) throw new Error("--bar needs the full sizes: leave out --quick.");
  for (const name of positionals) {
    const [found] = name.split("/");
    if (!Object.hasOwn(cases, found ?? ""))
      throw new Error(`There is no case ${found}; there are ${Object.keys(cases).join(", ")}.`);
  }
  return { ...values, rounds, names: positionals };
}

/**
 * Measures the requested rows. A row or case that fails is reported, and the other rows continue.
 * @param {import("./context.mjs").Bench} bench
 * @param {Peers | null} peers
 * @param {ReturnType<typeof readArguments>} options
 * @returns {AsyncGenerator<Line, void, void>}
 */
async function* measureAll(bench, peers, { names, quick, rounds = quick ? 2 : undefined }) {
  for (const [name, load] of Object.entries(cases)) {
    const wanted = names.filter((given) => given.split("/")[0] === name);
    if (names.length > 0 && wanted.length === 0) continue;
    try {
      const { default: measured } = await load();
      say(`\n== ${measured.title}`);
      for await (const row of measured.rows(bench)) {
        if (wanted.length > 0 && !wanted.includes(name) && !wanted.includes(`${name}/${row.name}`)) continue;
        try {
          yield { case: name, ...(await measure(row, { rounds, withBar: !quick })) };
        } catch (error) {
          yield { case: name, row: row.name, failure: messageOf(error) };
        }
        await peers?.forget();
      }
    } catch (error) {
      yield { case: name, row: null, failure: messageOf(error) };
    }
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** The command that repeats the measurements, without options for output. @param {ReturnType<typeof readArguments>} options */
function commandOf({ names, quick, rounds }) {
  const args = [...names, ...(quick ? ["--quick"] : []), ...(rounds ? [`--rounds ${rounds}`] : [])];
  return args.length > 0 ? `npm run bench -- ${args.join(" ")}` : "npm run bench";
}

/** @param {ReturnType<typeof readArguments>} options @param {string} folder */
async function bench(options, folder) {
  const python = await preparePython(say);
  const notices = "missing" in python ? [python.missing] : python.notice ? [python.notice] : [];
  for (const notice of notices) say(notice);
  const peers = "missing" in python ? null : new Peers(python.python, folder);
  const entries = /** @type {Line[]} */ ([]);
  try {
    for await (const entry of measureAll(await createBench(folder, options.quick, peers), peers, options)) {
      entries.push(entry);
      say(linesOf(entry));
    }
  } finally {
    peers?.close();
  }
  const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  return {
    command: commandOf(options),
    date: new Date().toISOString(),
    quick: options.quick,
    seed: SEED,
    machine: { cpu: cpus()[0]?.model ?? "an unknown processor", cores: cpus().length },
    versions: { coterie: version, node: process.versions.node, ...("missing" in python ? {} : python.versions) },
    notices,
    cases: entries,
  };
}

/** @param {import("./report.mjs").Report} report @param {ReturnType<typeof readArguments>} options */
function write(report, options) {
  const json = `${JSON.stringify(report, null, 2)}\n`;
  if (options.json === undefined) process.stdout.write(json);
  else writeFileSync(options.json, json);
  if (options.markdown) {
    mkdirSync(dirname(page), { recursive: true });
    writeFileSync(page, markdownOf(report));
  }
  if (options.record) record(report);
}

/** The exit code: 1 after a failure or different answers, or with --bar after a missed bar. @param {readonly Line[]} entries @param {boolean} bar */
function exitCodeOf(entries, bar) {
  const failed = entries.some((entry) => isFailure(entry) || answersDiffer(entry));
  const missed = bar && entries.some((entry) => !isFailure(entry) && entry.bar !== null && entry.met !== true);
  return failed || missed ? 1 : 0;
}

async function main() {
  let options;
  try {
    options = readArguments();
  } catch (error) {
    say(`${messageOf(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "coterie-bench-"));
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const report = await bench(options, folder);
  if (report.cases.length === 0) say(`No row has one of these names: ${options.names.join(", ")}.`);
  write(report, options);
  process.exitCode = report.cases.length === 0 ? 2 : exitCodeOf(report.cases, options.bar);
}

await main();
