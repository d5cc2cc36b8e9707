/**
 * Is the advised method a good one? Constraints are drawn from the classes; every method runs with all of them, and is scored by the adjusted Rand
 * index over the rows that no constraint names. The advice sees no class.
 *
 *     COTERIE_DATA=folder node bench/advise.mjs [constraints] [seeds, as 0..4] [set…]
 */
import { CoterieError, cluster, generateConstraints, randomFrom, scoresOf } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { advise } from "@coterie/workbench";
import { labelledTable } from "./data.mjs";

const [constraints = "60", seeds = "0..4", ...wanted] = process.argv.slice(2);
const SETS = "iris-fisher wine seeds penguins zoo image ecoli glass banknote ionosphere crabs balance".split(" ");
const METHODS = "kmeans cop-kmeans pck-means mpck-means rca-kmeans ccl clusilc".split(" ");
/** The method that the fixed rule recommends for pairs and numeric columns. */
const RULE = "mpck-means";
const [first, last] = seeds.split("..").map(Number);

const kernels = createSimdKernels();
const host = { kernels, pause: () => new Promise((resume) => setImmediate(resume)) };

/** @param {any} points @param {any} known @param {Int32Array} labels */
function scoreOf(points, known, labels) {
  const named = new Set([...known.mustLinks.a, ...known.mustLinks.b, ...known.cannotLinks.a, ...known.cannotLinks.b]);
  const free = [...labels.keys()].filter((row) => !named.has(row));
  const part = (/** @type {Int32Array} */ codes) => Int32Array.from(free, (row) => codes[row] ?? 0);
  return scoresOf(part(labels), part(points.truth.codes)).adjustedRand;
}

/** The score of a method; -1 if it fails. @param {any} points @param {any} known @param {string} algorithm @param {number} k @param {number} seed */
function scoreWith(points, known, algorithm, k, seed) {
  try {
    return scoreOf(points, known, cluster(points, known, /** @type {any} */ ({ algorithm, k, seed, kernels })).labels);
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    return -1;
  }
}

console.log(
  `${constraints} constraints, z-scores, k as there are classes; adjusted Rand over rows without a constraint, means over seeds ${seeds}\n`,
);
console.log(`| set | ${METHODS.join(" | ")} | advised | best of each draw | advised, by seed |`);
console.log(`|---|${METHODS.map(() => "---|").join("")}---|---|---|`);
const total = new Map();
const add = (/** @type {string} */ name, /** @type {number} */ value) => total.set(name, (total.get(name) ?? 0) + value);
let draws = 0;
for (const name of SETS.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  const points = await labelledTable(name);
  const k = new Set(points.truth.codes).size;
  const sums = new Map();
  const put = (/** @type {string} */ of, /** @type {number} */ value) => {
    sums.set(of, (sums.get(of) ?? 0) + value);
    add(of, value);
  };
  const chosen = [];
  for (let seed = first; seed <= last; seed++) {
    const known = generateConstraints(points.truth, { count: Number(constraints), random: randomFrom(seed) });
    const scores = new Map(METHODS.map((method) => [method, scoreWith(points, known, method, k, seed)]));
    const { algorithm } = await advise(points, known, { k, seed, algorithms: METHODS }, host);
    chosen.push(algorithm);
    for (const [method, score] of scores) put(method, score);
    put("advised", scores.get(algorithm) ?? Number.NaN);
    put("best", Math.max(...scores.values()));
    draws++;
  }
  const mean = (/** @type {string} */ of) => (sums.get(of) / chosen.length).toFixed(3);
  console.log(`| ${name} | ${[...METHODS, "advised", "best"].map(mean).join(" | ")} | ${chosen.join(", ")} |`);
}
console.log(`| **mean** | ${[...METHODS, "advised", "best"].map((of) => (total.get(of) / draws).toFixed(3)).join(" | ")} | |`);
console.log(`\nThe fixed rule recommends ${RULE} each time.`);
