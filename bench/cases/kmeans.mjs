/** k-means from the same first centres, until no row moves or until the centres move little, with the same number of threads. */
import { kmeans } from "@coterie/core/internal";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { shareOfEqualLabels } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { mixtureRows, normalRows } from "../data.mjs";
import { side } from "../measure.mjs";

const D = 16;
const K = 32;
const THREADS = 2;
const SPREAD = 0.6;
/** Tolerance for the sums of squares, relative. The two sides can end in different minima, which are close to each other. */
const INERTIA_WITHIN = 1e-6;

export default benchCase("k-means from the same centres", async function* (bench) {
  const n = bench.quick ? 20_000 : 1_000_000;
  const kernels = await createKernels({ threads: THREADS });
  try {
    const clouds = inputOf(bench, "clouds", mixtureRows(bench.random("clouds"), n, D, K, SPREAD));
    yield* rowsOf(bench, kernels, clouds);
    const normal = inputOf(bench, "normal", normalRows(bench.random("normal"), n, D));
    yield* rowsOf(bench, kernels, normal);
  } finally {
    kernels.dispose();
  }
});

/** @typedef {{ readonly name: string, readonly x: Float64Array, readonly file: string, readonly init: number[][], readonly centres: string }} Input */

/** @param {import("../context.mjs").Bench} bench @param {string} name @param {Float64Array} x @returns {Input} */
function inputOf(bench, name, x) {
  const rows = bench.random(`first centres of ${name}`).sample(x.length / D, K);
  const init = Array.from(rows, (row) => [...x.subarray(row * D, (row + 1) * D)]);
  const centres = bench.write(`kmeans-${name}-centres.f8`, Float64Array.from(init.flat()));
  return { name, x, file: bench.write(`kmeans-${name}.f8`, x), init, centres };
}

/** @param {import("../context.mjs").Bench} bench @param {import("@coterie/core/internal").Kernels} kernels @param {Input} input */
function* rowsOf(bench, kernels, input) {
  const { name } = input;
  yield { ...rowOf(bench, kernels, input, 0, "lloyd"), name, bar: 1 };
  yield { ...rowOf(bench, kernels, input, 1e-4, "lloyd"), name: `${name}-tolerance`, bar: 1 };
  yield { ...rowOf(bench, createSimdKernels(), input, 1e-4, "lloyd"), name: `${name}-one-thread` };
  yield { ...rowOf(bench, kernels, input, 0, "elkan"), name: `${name}-elkan`, rounds: 2 };
}

/**
 * @param {import("../context.mjs").Bench} bench @param {import("@coterie/core/internal").Kernels} kernels @param {Input} input
 * @param {number} tolerance @param {"lloyd" | "elkan"} algorithm
 * @returns {import("../measure.mjs").Row}
 */
function rowOf(bench, kernels, { name, x, file, init, centres }, tolerance, algorithm) {
  const n = x.length / D;
  const { threads } = kernels;
  return {
    name,
    title: `${name}, tolerance ${tolerance}, threads ${threads}, n=${n} d=${D} k=${K}`,
    rounds: 3,
    needsQuiet: threads > 1,
    ours: side("coterie simd", function* () {
      yield;
      const result = kmeans({ n, d: D, x }, undefined, { k: K, init, maxIterations: 300, tolerance, kernels });
      yield;
      return { iterations: result.iterations, inertia: result.objective, labels: result.labels };
    }),
    peer: bench.peer(`scikit-learn ${algorithm}`, "kmeans", { file, d: D, centres, tol: tolerance, algorithm }, threads),
    check: (own, other) => {
      const difference = Math.abs(own.inertia - other.inertia) / other.inertia;
      return difference <= INERTIA_WITHIN ? undefined : `inertia ${own.inertia}, the peer's ${other.inertia}`;
    },
    note: (own, other) => {
      if (!other) return `${own.iterations} iterations`;
      const difference = (own.inertia - other.inertia) / other.inertia;
      const equal = shareOfEqualLabels(own.labels, other.labels, K);
      return (
        `${own.iterations} iterations, the peer ${other.iterations}; inertia ${difference.toExponential(1)} apart; ` +
        `${(100 * equal).toFixed(4)}% of labels equal`
      );
    },
  };
}
