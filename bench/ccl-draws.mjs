/** `node bench/ccl-draws.mjs`: the time of `ccl` compared with the paper's method, over many sets of pairs. See USAGE below. */
import { parseArgs } from "node:util";
import { findMethod, generateConstraints, pointsFromRows, randomFrom } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";

const USAGE = `Usage: node bench/ccl-draws.mjs [options]

Draws correct pairs from the classes of synthetic rows, and runs ccl and ccl --no-lookahead (the paper's method) in turns.
Prints the ratio of their processor times, and the longest time between two steps, at which a run can be stopped.

  --rows N      rows of each draw (1000)
  --pairs LIST  numbers of pairs (a tenth of the rows, a third of the rows, the number of rows)
  --draws N     draws for each number of pairs (200)
  --tries N     runs of each method, of which the shortest counts (3)
  --seed N      seed of the first draw (0)
  --bar X       exit with 1 if a ratio is above X
  --help        this page`;

const CLASSES = 5;
const D = 8;
const kernels = createSimdKernels();

/**
 * Even draws: classes side by side along a line, each overlapping its neighbours. Odd draws: clouds with random centres.
 * @param {number} n @param {number} seed
 */
function rowsOf(n, seed) {
  const random = randomFrom(seed).split("clouds");
  const codes = Int32Array.from({ length: n }, () => random.int(CLASSES));
  const centres = Array.from({ length: CLASSES }, (_, c) =>
    Array.from({ length: D }, (_, j) => (seed % 2 === 0 ? (c * (1 + (j % 3))) / 1.5 : 2 * random.normal())),
  );
  const rows = Array.from(codes, (code) => /** @type {number[]} */ (centres[code]).map((centre) => centre + random.normal()));
  return { points: pointsFromRows(rows), truth: { codes, names: Array.from({ length: CLASSES }, (_, c) => String(c)) } };
}

/** Milliseconds of processor time of this process. */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/**
 * @param {import("@coterie/core/internal").Instances} points @param {import("@coterie/core/internal").ConstraintSet} known @param {boolean} lookahead
 */
function run(points, known, lookahead) {
  const method = /** @type {NonNullable<ReturnType<typeof findMethod>>} */ (findMethod("ccl"));
  const context = { kernels, random: randomFrom(0) };
  const steps = method.steps({ points, constraints: known }, method.options.parse({ k: CLASSES, lookahead }), context);
  const start = now();
  let last = start;
  let between = 0;
  for (;;) {
    const turn = steps.next();
    const time = now();
    between = Math.max(between, time - last);
    last = time;
    if (turn.done) return { labels: turn.value.labels, time: last - start, between };
  }
}

/** @param {readonly number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {number} */ (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
}

/** @param {number} rows @param {number} pairs @param {number} seed @param {number} tries */
function draw(rows, pairs, seed, tries) {
  const { points, truth } = rowsOf(rows, seed);
  const known = generateConstraints(truth, { count: pairs, random: randomFrom(seed).split("pairs", pairs) });
  let [paper, ours, between] = [Infinity, Infinity, Infinity];
  let broken = 0;
  for (let t = 0; t < tries; t++) {
    paper = Math.min(paper, run(points, known, false).time);
    const own = run(points, known, true);
    ours = Math.min(ours, own.time);
    between = Math.min(between, own.between);
    const { a, b } = known.cannotLinks;
    broken = a.reduce((sum, row, s) => sum + (own.labels[row] === own.labels[/** @type {number} */ (b[s])] ? 1 : 0), 0);
  }
  return { paper, ours, between, broken };
}

function main() {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "1000" },
      pairs: { type: "string" },
      draws: { type: "string", default: "200" },
      tries: { type: "string", default: "3" },
      seed: { type: "string", default: "0" },
      bar: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const [rows, draws, tries, seed] = [values.rows, values.draws, values.tries, values.seed].map(Number);
  const all = values.pairs ? values.pairs.split(",").map(Number) : [rows / 10, rows / 3, rows].map(Math.round);
  run(rowsOf(500, 0).points, generateConstraints(rowsOf(500, 0).truth, { count: 100, random: randomFrom(0) }), true);
  console.log("| rows | pairs | draws | median ratio | worst ratio | the paper's, median ms | most ms between steps | broken |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const pairs of all) {
    const found = Array.from({ length: draws }, (_, i) => draw(rows, pairs, seed + i, tries));
    const ratios = found.map(({ ours, paper }) => ours / paper);
    const worst = Math.max(...ratios);
    const cells = [
      rows,
      pairs,
      draws,
      quantile(ratios, 0.5).toFixed(2),
      worst.toFixed(2),
      Math.round(
        quantile(
          found.map(({ paper }) => paper),
          0.5,
        ),
      ),
      Math.round(Math.max(...found.map(({ between }) => between))),
      found.reduce((sum, { broken }) => sum + broken, 0),
    ];
    console.log(`| ${cells.join(" | ")} |`);
    if (values.bar !== undefined && worst > Number(values.bar)) process.exitCode = 1;
  }
}

main();
