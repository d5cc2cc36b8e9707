/**
 * The map of neighbourhoods beside Python's umap-learn: trustworthiness and continuity (scikit-learn's measure, 15 neighbours), processor
 * time, the share of true neighbours that approximate lists hold, and how far rows move in a second map.
 *
 *     node bench/map.mjs [--only digits,letters,sentences,clouds,large]
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { drain, nearestRowSteps, randomFrom } from "@coterie/core/internal";
import { neighbourhoodsSteps, PLAIN_COLUMNS } from "@coterie/core/layout";
import { createSimdKernels } from "@coterie/kernels";
import { preparePython } from "./python.mjs";
import { CLEAR, drawSentences } from "./sentence-rows.mjs";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const { values } = parseArgs({ options: { only: { type: "string" } } });
const wanted = values.only?.split(",");

/** @typedef {{ readonly n: number, readonly d: number, readonly x: Float64Array }} Rows */

/** The numeric columns of a sample set. @param {string} name @returns {Rows} */
function sample(name) {
  const text = readFileSync(join(here, `../packages/data/samples/${name}.csv`), "utf8").trim();
  const lines = text.split("\n").slice(1);
  const rows = lines.map((line) => line.split(",").map(Number).filter(Number.isFinite));
  // The last column of digits is the class; the class of letters is a text.
  const d = Math.min(...rows.map((row) => row.length)) - (name === "digits" ? 1 : 0);
  return flat(rows.map((row) => row.slice(0, d)));
}

/** @param {readonly (readonly number[])[]} rows @returns {Rows} */
function flat(rows) {
  const [n, d] = [rows.length, rows[0]?.length ?? 0];
  const x = new Float64Array(n * d);
  rows.forEach((row, i) => {
    x.set(row, i * d);
  });
  return { n, d, x };
}

/** Twenty clouds near a space of ten dimensions. @param {number} n @param {number} d @returns {Rows} */
function clouds(n, d) {
  const random = randomFrom(5);
  const draw = (/** @type {number} */ count) =>
    Array.from({ length: count }, () => Array.from({ length: d }, () => random.normal()));
  const [centres, axes] = [draw(20), draw(10)];
  return flat(
    Array.from({ length: n }, () => {
      const centre = centres[random.int(20)] ?? [];
      const along = axes.map(() => random.normal());
      return centre.map(
        (value, j) =>
          3 * value + axes.reduce((sum, axis, a) => sum + (along[a] ?? 0) * (axis[j] ?? 0), 0) + 0.3 * random.normal(),
      );
    }),
  );
}

/** @type {Record<string, () => Rows>} */
const tables = {
  digits: () => sample("digits"),
  letters: () => sample("letter"),
  sentences: () => flat(drawSentences(1, { n: 5_000, topics: 40, ...CLEAR }).rows),
  clouds: () => clouds(10_000, 64),
  large: () => flat(drawSentences(2, { n: 100_000, topics: 100, ...CLEAR }).rows),
};

const kernels = createSimdKernels();

/** @template T @param {() => T} work @returns {[T, number]} */
function timed(work) {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1e6];
}

/** The share of the 15 true neighbours in approximate lists, for 500 rows. @param {Rows} rows */
function recall({ n, d, x }) {
  const k = 15;
  const found = drain(nearestRowSteps({ n, d, x }, k, { kernels, exactRows: 0 })).rows;
  let hits = 0;
  for (let s = 0; s < 500; s++) {
    const i = Math.floor((s * n) / 500);
    const squares = Float64Array.from({ length: n }, (_, j) => {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += (x[i * d + f] - x[j * d + f]) ** 2;
      return j === i ? Infinity : sum;
    });
    const last = squares.slice().sort()[k - 1] ?? 0;
    for (let p = i * k; p < (i + 1) * k; p++) hits += (squares[found[p] ?? 0] ?? Infinity) <= last ? 1 : 0;
  }
  return hits / (500 * k);
}

/** Mean move of a row in a second map that starts from the first, as a share of the width. @param {Rows} rows @param {Float64Array} at */
function movement(rows, at) {
  const again = drain(neighbourhoodsSteps(rows, PLAIN_COLUMNS, { kernels, before: Float32Array.from(at) }));
  let [sum, low, high] = [0, Infinity, -Infinity];
  for (let p = 0; p < at.length; p += 2) {
    sum += Math.hypot((at[p] ?? 0) - (again[p] ?? 0), (at[p + 1] ?? 0) - (again[p + 1] ?? 0));
    low = Math.min(low, at[p] ?? 0);
    high = Math.max(high, at[p] ?? 0);
  }
  return sum / rows.n / (high - low);
}

const python = await preparePython((line) => console.error(line));
if ("missing" in python) console.error(python.missing);
const folder = mkdtempSync(join(tmpdir(), "coterie-map-"));
console.log(
  "| table | rows x columns | ours: trustworthiness, continuity | umap-learn | ours, processor s | umap-learn | recall | move |",
);
console.log("|---|---|---|---|---|---|---|---|");
try {
  for (const [name, make] of Object.entries(tables)) {
    if (wanted && !wanted.includes(name)) continue;
    const rows = make();
    const [at, seconds] = timed(() => drain(neighbourhoodsSteps(rows, PLAIN_COLUMNS, { kernels })));
    writeFileSync(join(folder, "rows.bin"), rows.x);
    writeFileSync(join(folder, "map.bin"), at);
    let peer = { ours: ["-", "-"], theirs: ["-", "-"], seconds: "-" };
    if ("python" in python) {
      const { stdout } = await run(python.python, [join(here, "map_peer.py"), folder, String(rows.n)]);
      peer = JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}");
    }
    const cells = [peer.ours.join(", "), peer.theirs.join(", "), seconds.toFixed(1), peer.seconds];
    const facts = [recall(rows).toFixed(3), `${(100 * movement(rows, at)).toFixed(1)}%`];
    console.log(`| ${[name, `${rows.n} x ${rows.d}`, ...cells, ...facts].join(" | ")} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
