/**
 * Is the automatic choice a good one? Pairs are drawn from the known classes. Every method runs with its default options on columns that are
 * scaled by default, and is scored by the adjusted Rand index over the rows that no pair names.
 *
 *     node bench/auto.mjs [--counts 15,60] [--seeds 0..2] [--wrong 0.1] [--methods auto,kmeans] FILE…
 *
 * FILE: a table with the classes in its column `class`, or the name of a sample set.
 */
import { parseArgs } from "node:util";
import { cluster, generateConstraints, randomFrom, scoresOf } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    counts: { type: "string", default: "15,60" },
    seeds: { type: "string", default: "0..2" },
    wrong: { type: "string", default: "0" },
    methods: { type: "string", default: "auto,kmeans" },
  },
});
const counts = values.counts.split(",").map(Number);
const [first = 0, last = first] = values.seeds.split("..").map(Number);
const methods = values.methods.split(",");
const kernels = createSimdKernels();
const LEAST_FREE = 10;

/** @param {any} points @param {any} known @param {Int32Array} labels */
function scoreOf(points, known, labels) {
  const named = new Set([...known.mustLinks.a, ...known.mustLinks.b, ...known.cannotLinks.a, ...known.cannotLinks.b]);
  const free = [...labels.keys()].filter((row) => !named.has(row));
  if (free.length < LEAST_FREE) return Number.NaN;
  const part = (/** @type {Int32Array} */ codes) => Int32Array.from(free, (row) => codes[row] ?? 0);
  return scoresOf(part(labels), part(points.truth.codes)).adjustedRand;
}

/** @param {readonly number[]} list */
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;

const noise = Number(values.wrong);
console.log(
  `Adjusted Rand over rows without a pair; seeds ${values.seeds}; share of wrong pairs ${noise}; k as there are classes\n`,
);
console.log(`| set | pairs | ${methods.join(" | ")} | chosen, by seed | processor seconds of auto |`);
console.log(`|---|---|${methods.map(() => "---|").join("")}---|---|`);
/** @type {Map<string, number[]>} */
const all = new Map();
for (const file of positionals) {
  const points = /** @type {any} */ (await readTable(file, { truth: "class" }));
  const k = new Set(points.truth.codes).size;
  for (const count of counts) {
    const scores = methods.map(() => /** @type {number[]} */ ([]));
    const chosen = [];
    let seconds = 0;
    for (let seed = first; seed <= last; seed++) {
      const known = generateConstraints(points.truth, { count, noise, random: randomFrom(seed) });
      for (const [m, algorithm] of methods.entries()) {
        const before = process.cpuUsage();
        const result = cluster(points, known, /** @type {any} */ ({ algorithm, k, seed, kernels }));
        const { user, system } = process.cpuUsage(before);
        const score = scoreOf(points, known, result.labels);
        if (!Number.isNaN(score)) scores[m]?.push(score);
        if (algorithm !== "auto") continue;
        seconds += (user + system) / 1e6 / (last - first + 1);
        chosen.push(`${result.chosen?.algorithm}${result.chosen?.scale === "given" ? "" : ` (${result.chosen?.scale})`}`);
      }
    }
    const cells = scores.map((list) => (list.length > 0 ? mean(list).toFixed(3) : "–"));
    const name = file.replace(/.*\/|\.csv$/g, "");
    console.log(`| ${name} | ${count} | ${cells.join(" | ")} | ${chosen.join(", ")} | ${seconds.toFixed(1)} |`);
    for (const [m, list] of scores.entries()) {
      const key = `${count} ${methods[m]}`;
      if (list.length > 0) all.set(key, [...(all.get(key) ?? []), mean(list)]);
    }
  }
}
for (const count of counts)
  console.log(`| **mean** | ${count} | ${methods.map((m) => mean(all.get(`${count} ${m}`) ?? []).toFixed(3)).join(" | ")} | | |`);
