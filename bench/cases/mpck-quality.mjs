/**
 * Scores MPCK-means with one diagonal metric on rows without constraints, compared with the Python package, by the protocol of
 * bilenko2004: five folds, random pairs from four of them, all rows clustered, pairwise F on the fifth. Every round draws new folds and
 * pairs, the same for both sides; its score is the mean over the five folds. The bar is the package with its default of 10 iterations;
 * the rows that end in "-longer" give it 100 iterations on the same folds and pairs, for information.
 */
import { drawFolds, generateConstraints, heldOutF, mpckMeans, trainingPart } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { benchCase } from "../context.mjs";

const FOLDS = 5;
const COUNTS = [100, 200];
const RUNS = 30;
/** Iteration limits: the package's default, and enough for convergence. */
const LIMITS = [
  { maxIterations: 10, ending: "", bar: 0 },
  { maxIterations: 100, ending: "-longer" },
];
/** The sets; of some the paper uses a tenth of the rows. */
const SETS = [
  { name: "iris" },
  { name: "wine" },
  { name: "ionosphere" },
  { name: "protein" },
  { name: "digits-389", share: 0.1 },
  { name: "letters-IJL", share: 0.1 },
];

export default benchCase("held-out pairwise F of MPCK-means, single diagonal metric", async function* (bench) {
  const kernels = createSimdKernels();
  for (const { name, share } of SETS) {
    const points = tenth(await readTable(name, { truth: "class" }), share ?? 1, bench.random(`rows of ${name}`));
    const file = bench.write(`mpck-${name}.f8`, points.x);
    for (const count of COUNTS) yield* rowsOf(bench, kernels, name, points, file, count);
  }
});

/** @typedef {import("@coterie/core/internal").Instances & { readonly truth: import("@coterie/core/internal").Labelling }} Labelled */

/** @param {import("@coterie/core/internal").Instances} table @param {number} share @param {import("@coterie/core/internal").Random} random @returns {Labelled} */
function tenth({ n, d, x, truth }, share, random) {
  if (!truth) throw new Error("A set without classes.");
  const rows = share === 1 ? Int32Array.from({ length: n }, (_, i) => i) : random.sample(n, Math.round(share * n)).sort();
  const kept = new Float64Array(rows.length * d);
  rows.forEach((row, i) => {
    kept.set(x.subarray(row * d, (row + 1) * d), i * d);
  });
  return { n: rows.length, d, x: kept, truth: { ...truth, codes: rows.map((row) => /** @type {number} */ (truth.codes[row])) } };
}

/**
 * @param {import("../context.mjs").Bench} bench @param {import("@coterie/core/internal").Kernels} kernels @param {string} name
 * @param {Labelled} points @param {string} file @param {number} count
 * @returns {Generator<import("../measure.mjs").Row, void, void>}
 */
function* rowsOf(bench, kernels, name, points, file, count) {
  const { n, d, truth } = points;
  const k = truth.names.length;
  const { ours, theirs } = sidesOf(bench, kernels, name, points, file, count);
  for (const { maxIterations, ending, bar } of LIMITS) {
    let failures = 0;
    yield {
      name: `${name}-${count}${ending}`,
      title: `${name}, n=${n} d=${d} k=${k}, ${count} constraints, mean of ${FOLDS} folds a round`,
      unit: "score",
      held: "shortfall",
      ...(bar === undefined ? {} : { bar }),
      rounds: RUNS,
      warmUps: 0,
      ours: counted("coterie mpck-means", async (run) => ({ value: ours(run), answer: null })),
      peer: bench.hasPeers
        ? counted(`active-semi-supervised-clustering, ${maxIterations} iterations`, async (run) => {
            const found = await theirs(run, maxIterations);
            failures += found.failures;
            return { value: found.value, answer: null };
          })
        : null,
      note: () => (failures > 0 ? `the peer ended in an exception ${failures} times and was started again` : ""),
    };
  }
}

/**
 * The scores of both sides in a run. Our scores do not depend on the peer's iterations, so they are computed once.
 * @param {import("../context.mjs").Bench} bench @param {import("@coterie/core/internal").Kernels} kernels @param {string} name
 * @param {Labelled} points @param {string} file @param {number} count
 */
function sidesOf(bench, kernels, name, points, file, count) {
  const { n, d, truth } = points;
  const k = truth.names.length;
  const drawn = (/** @type {number} */ run) => {
    const random = bench.random(`folds of ${name} with ${count}`).split("run", run);
    const folds = drawFolds(n, FOLDS, random.split("folds"));
    const sets = Array.from({ length: FOLDS }, (_, fold) =>
      generateConstraints(trainingPart(truth, folds, fold), { count, random: random.split("pairs", fold) }),
    );
    return { folds, sets };
  };
  const score = (/** @type {Int32Array[]} */ labels, /** @type {Int32Array} */ folds) =>
    labels.reduce((sum, found, fold) => sum + heldOutF(found, truth, folds, fold), 0) / FOLDS;
  const known = /** @type {number[]} */ ([]);

  return {
    ours: (/** @type {number} */ run) => {
      const { folds, sets } = drawn(run);
      const labels = () => sets.map((set, fold) => mpckMeans(points, set, { k, seed: FOLDS * run + fold, kernels }).labels);
      known[run] ??= score(labels(), folds);
      return known[run];
    },
    theirs: async (/** @type {number} */ run, /** @type {number} */ maxIterations) => {
      const { folds, sets } = drawn(run);
      const pairs = (/** @type {"mustLinks" | "cannotLinks"} */ kind) => {
        const stem = `mpck-${name}-${count}-${run}-${kind}`;
        const paths = sets.map((set, fold) => bench.write(`${stem}-${fold}.i4`, interleaved(set[kind])));
        return paths[0]?.slice(0, -"-0.i4".length);
      };
      const args = { file, d, k, together: pairs("mustLinks"), apart: pairs("cannotLinks"), folds: FOLDS, seed: run };
      const side = bench.peer("", "mpck", { ...args, max_iter: maxIterations, quick: true });
      if (!side) throw new Error("The process of the peers has ended.");
      const { answer } = await side.once();
      const labels = sets.map((_, fold) => answer.labels.subarray(fold * n, (fold + 1) * n));
      return { value: score(labels, folds), failures: answer.failures };
    },
  };
}

/** A side that counts its calls: each call is another run. @param {string} name @param {(run: number) => Promise<import("../measure.mjs").Outcome>} once */
function counted(name, once) {
  let run = 0;
  return { name, once: () => once(run++) };
}

/** @param {{ readonly a: Int32Array, readonly b: Int32Array }} links */
function interleaved({ a, b }) {
  return Int32Array.from({ length: 2 * a.length }, (_, p) => /** @type {number} */ ((p % 2 === 0 ? a : b)[p >> 1]));
}
