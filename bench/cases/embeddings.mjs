/**
 * Rows like text embeddings: clouds on the unit sphere, in single precision, 384 columns. One thread, processor time, alternating with
 * the peers. Methods of the k-means family are compared with our own k-means.
 */
import { ccl, constraints, kmeans, linkages, mpckMeans, pairKernelsOf, pckMeans } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { numbersDiffer } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { cloudRows } from "../data.mjs";
import { processorSide } from "../measure.mjs";

const D = 384;
const CLOUDS = 50;
const SPREAD = 0.6;
const CONSTRAINTS = 1000;

/** @typedef {{ readonly n: number, readonly x: Float64Array, readonly cloud: Int32Array, readonly file: string }} Input */

export default benchCase("embeddings: 384 columns, one thread, processor time", async function* (bench) {
  const small = inputOf(bench, "small", bench.quick ? 500 : 5000, SPREAD);
  yield* distanceRows(bench, small);
  yield* linkageRows(bench, small);
  const large = inputOf(bench, "large", bench.quick ? 2000 : 50_000, SPREAD);
  yield seeded(bench, large, "kmeans-50", 50, 0.8);
  yield fromCentres(bench, large, "iterations-50", 50, 0.65);
  yield { ...seeded(bench, large, "kmeans-500", bench.quick ? 100 : 500, 1), rounds: 1 };
  yield faiss(bench, large);
  const noise = inputOf(bench, "noise", bench.quick ? 2000 : 50_000, 0);
  yield { ...fromCentres(bench, noise, "noise-50", 50, 1.2), rounds: 1 };
  yield* constrainedRows(bench, small);
});

/** @param {import("../context.mjs").Bench} bench @param {string} name @param {number} n @param {number} spread @returns {Input} */
function inputOf(bench, name, n, spread) {
  const { x, cloud } = cloudRows(bench.random(`embeddings ${name}`), n, D, CLOUDS, spread);
  for (let i = 0; i < n; i++) {
    const row = x.subarray(i * D, (i + 1) * D);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    row.forEach((value, j) => {
      row[j] = Math.fround(value / length);
    });
  }
  return { n, x, cloud, file: bench.write(`embeddings-${name}.f8`, x) };
}

/** @param {import("../context.mjs").Bench} bench @param {Input} input @returns {Generator<import("../measure.mjs").Row>} */
function* distanceRows(bench, { n, x, file }) {
  const random = bench.random("sampled distances of embeddings");
  const sample = Array.from({ length: 1000 }, () => random.int(n * n));
  const kernels = createSimdKernels();
  /** @param {"f64" | "f32"} type */
  const ours = (type) =>
    processorSide("coterie simd", function* () {
      const arena = kernels.arena();
      const rows = arena[type](n * D);
      rows.view().set(x);
      const out = arena[type](n * n);
      out.view().fill(1);
      yield;
      pairKernelsOf(kernels).distanceMatrix("euclidean", rows, n, D, null, out, arena).fill(0, n);
      yield;
      const matrix = out.view();
      const found = sample.map((p) => /** @type {number} */ (matrix[p]));
      arena.release();
      return { sample: found };
    });
  const rows = [
    { name: "pdist", type: "f64", peer: "SciPy pdist", command: "pdist", bar: 0.5 },
    { name: "pairwise", type: "f64", peer: "scikit-learn pairwise_distances", command: "pairwise", bar: 1.7 },
    { name: "pairwise-f32", type: "f32", peer: "scikit-learn pairwise_distances, f32", command: "pairwise", bar: 1 },
  ];
  for (const { name, type, peer, command, bar } of rows) {
    const args = command === "pdist" ? { metric: "euclidean" } : { single: type === "f32" };
    yield {
      name,
      title: `distances, ${type}, n=${n} d=${D}`,
      rounds: 3,
      ours: ours(/** @type {"f64" | "f32"} */ (type)),
      peer: bench.processorPeer(peer, command, { file, d: D, sample, ...args }),
      bar,
      // The peer's expansion loses half of its digits where rows are near.
      check: (own, other) => numbersDiffer("sampled distances", own.sample, other.sample, type === "f64" ? 1e-7 : 1e-3),
    };
  }
}

/** Constraints drawn from the clouds. @param {import("../context.mjs").Bench} bench @param {Input} input */
function constraintsOf(bench, { n, cloud }) {
  const random = bench.random("constraints of embeddings");
  const mustLink = /** @type {[number, number][]} */ ([]);
  const cannotLink = /** @type {[number, number][]} */ ([]);
  while (mustLink.length + cannotLink.length < CONSTRAINTS) {
    const [a, b] = [random.int(n), random.int(n)];
    if (a === b) continue;
    if (cloud[a] === cloud[b]) mustLink.push([a, b]);
    else if (cannotLink.length < CONSTRAINTS / 2) cannotLink.push([a, b]);
  }
  return constraints({ n }, { mustLink, cannotLink });
}

/** @param {import("../context.mjs").Bench} bench @param {Input} input @returns {Generator<import("../measure.mjs").Row>} */
function* linkageRows(bench, input) {
  const { n, x, file } = input;
  const kernels = createSimdKernels();
  const peer = bench.processorPeer("pairwise_distances + fastcluster", "linkage_of_points", { file, d: D });
  yield {
    name: "complete",
    title: `complete linkage from points, n=${n} d=${D}`,
    rounds: 3,
    ours: processorSide("coterie simd", function* () {
      yield;
      const result = linkages.complete({ n, d: D, x }, undefined, { k: CLOUDS, kernels });
      yield;
      return { labels: result.labels };
    }),
    peer,
    bar: 1,
  };
  const known = constraintsOf(bench, input);
  yield {
    name: "ccl",
    title: `ccl with ${CONSTRAINTS} constraints (the peer has none), n=${n} d=${D}`,
    rounds: 3,
    ours: processorSide("coterie simd", function* () {
      yield;
      const result = ccl({ n, d: D, x }, known, { k: CLOUDS, kernels });
      yield;
      return { labels: result.labels };
    }),
    peer,
    bar: 1.5,
  };
}

/**
 * One start by k-means++ to convergence. The starts differ, so the note shows iterations and sum of squares of both sides.
 * @param {import("../context.mjs").Bench} bench @param {Input} input @param {string} name @param {number} k @param {number} bar
 * @returns {import("../measure.mjs").Row}
 */
function seeded(bench, { n, x, file }, name, k, bar) {
  const kernels = createSimdKernels();
  return {
    name,
    title: `k-means with k-means++, 1 start, n=${n} d=${D} k=${k}`,
    rounds: 3,
    warmUps: 0,
    ours: kmeansSide(kernels, n, x, { k, restarts: 1 }),
    peer: bench.processorPeer("scikit-learn, f64", "seeded_kmeans", { file, d: D, k }),
    bar,
    note,
  };
}

/** @param {import("../context.mjs").Bench} bench @param {Input} input @param {string} name @param {number} k @param {number} bar @returns {import("../measure.mjs").Row} */
function fromCentres(bench, { n, x, file }, name, k, bar) {
  const kernels = createSimdKernels();
  const rows = bench.random(`first centres of ${name}`).sample(n, k);
  const init = Array.from(rows, (row) => [...x.subarray(row * D, (row + 1) * D)]);
  const centres = bench.write(`embeddings-${name}.f8`, Float64Array.from(init.flat()));
  return {
    name,
    title: `k-means from the same centres, n=${n} d=${D} k=${k} (the peer in f32)`,
    rounds: 2,
    warmUps: 0,
    ours: kmeansSide(kernels, n, x, { k, init, maxIterations: 100 }),
    peer: bench.processorPeer("scikit-learn, f32", "single_kmeans", { file, d: D, centres }),
    bar,
    note,
  };
}

/** faiss on all rows, for information. @param {import("../context.mjs").Bench} bench @param {Input} input @returns {import("../measure.mjs").Row} */
function faiss(bench, { n, x, file }) {
  const kernels = createSimdKernels();
  return {
    name: "faiss",
    title: `k-means, 20 iterations at most, n=${n} d=${D} k=50 (faiss draws random rows)`,
    rounds: 1,
    warmUps: 0,
    ours: kmeansSide(kernels, n, x, { k: 50, restarts: 1, init: "random", maxIterations: 20 }),
    peer: bench.processorPeer("faiss, f32", "faiss_kmeans", { file, d: D, k: 50, iterations: 20 }),
    note,
  };
}

/** @param {import("@coterie/core/internal").Kernels} kernels @param {number} n @param {Float64Array} x @param {Omit<import("@coterie/core/internal").KMeansOptions, "kernels">} options */
function kmeansSide(kernels, n, x, options) {
  return processorSide("coterie simd", function* () {
    yield;
    const { iterations, objective } = kmeans({ n, d: D, x }, undefined, { ...options, kernels });
    yield;
    return { iterations, inertia: objective };
  });
}

/** @param {any} own @param {any} other */
function note(own, other) {
  const ours = `${own.iterations} iterations, sum of squares ${own.inertia.toPrecision(6)}`;
  return other ? `${ours}; the peer ${other.iterations}, ${other.inertia.toPrecision(6)}` : ours;
}

/** Compares with our own k-means with the same number of starts. @param {import("../context.mjs").Bench} bench @param {Input} input @returns {Generator<import("../measure.mjs").Row>} */
function* constrainedRows(bench, input) {
  const { n, x } = input;
  const kernels = createSimdKernels();
  const known = constraintsOf(bench, input);
  const methods = [
    { name: "pck", method: pckMeans, bar: 3 },
    { name: "mpck", method: mpckMeans, bar: 10 },
  ];
  for (const { name, method, bar } of methods) {
    yield {
      name,
      title: `${name}-means with ${CONSTRAINTS} constraints (against our k-means, all defaults), n=${n} d=${D} k=${CLOUDS}`,
      rounds: 1,
      warmUps: 0,
      ours: processorSide(`coterie ${name}-means`, function* () {
        yield;
        const { iterations, objective } = method({ n, d: D, x }, known, { k: CLOUDS, kernels });
        yield;
        return { iterations, inertia: objective };
      }),
      peer: kmeansSide(kernels, n, x, { k: CLOUDS }),
      bar,
      note: (own) => `${own.iterations} iterations`,
    };
  }
}
