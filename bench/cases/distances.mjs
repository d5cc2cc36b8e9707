/** Distances between all pairs of points in memory, compared with SciPy, which uses one thread. */
import { pairKernelsOf } from "@coterie/core/internal";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { numbersDiffer } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { nominalRows, normalRows } from "../data.mjs";
import { side } from "../measure.mjs";

const D = 16;
const LEVELS = 4;
const SAMPLE = 1000;

export default benchCase("distance matrix of ready points", async function* (bench) {
  const n = bench.quick ? 1000 : 5000;
  const x = normalRows(bench.random("distances"), n, D);
  const codes = nominalRows(bench.random("distances of codes"), n, D, LEVELS);
  const file = bench.write("distances.f8", x);
  const codesFile = bench.write("distances-codes.f8", codes);
  const random = bench.random("sampled distances");
  const sample = Array.from({ length: SAMPLE }, () => random.int(n * n));
  const simd = createSimdKernels();
  const threaded = await createKernels({ threads: 2 });

  /** @param {string} metric @param {string} [command] */
  const peer = (metric, command = "cdist") =>
    bench.peer(`scipy ${command}`, command, { file: metric === "hamming" ? codesFile : file, d: D, metric, sample });
  const title = (/** @type {string} */ words) => `${words}, n=${n} d=${D}`;
  try {
    const doubles = { ours: ours(simd, "euclidean", x, n, "f64", sample), peer: peer("euclidean"), check: within(1e-12) };
    yield { ...doubles, name: "euclidean", title: title("euclidean, f64, 1 thread"), bar: 0.8 };
    yield {
      name: "f32",
      title: title("euclidean, f32 storage (the peer has f64)"),
      ours: ours(simd, "euclidean", x, n, "f32", sample),
      peer: peer("euclidean"),
      check: within(1e-6),
    };
    yield {
      ...doubles,
      name: "threads",
      title: title("euclidean, f64, 2 threads (the peer has 1)"),
      ours: ours(threaded, "euclidean", x, n, "f64", sample),
    };
    yield {
      ...doubles,
      name: "half",
      title: title("euclidean, full matrix (the peer fills half of one)"),
      peer: peer("euclidean", "pdist"),
    };
    yield {
      name: "expanded",
      title: title("euclidean (the peer's |a|²+|b|²-2ab loses digits)"),
      ours: ours(simd, "euclidean", x, n, "f64", sample),
      peer: bench.peer("scikit-learn euclidean_distances", "euclidean_distances", { file, d: D, sample }),
      check: within(1e-9),
    };
    for (const metric of /** @type {const} */ (["sqeuclidean", "cosine", "hamming"])) {
      yield {
        name: metric,
        title: title(`${metric}, f64, 1 thread`),
        ours: ours(simd, metric, metric === "hamming" ? codes : x, n, "f64", sample),
        peer: peer(metric),
        check: within(1e-12),
      };
    }
  } finally {
    threaded.dispose();
  }
});

/**
 * @param {import("@coterie/core/internal").Kernels} kernels @param {import("@coterie/core/internal").Metric} metric
 * @param {Float64Array} data @param {number} n @param {"f64" | "f32"} storage @param {number[]} sample
 */
function ours(kernels, metric, data, n, storage, sample) {
  /** @type {{ x: import("@coterie/core/internal").F64, out: import("@coterie/core/internal").F64 | import("@coterie/core/internal").F32 } | undefined} */
  let ready;
  return side(`coterie ${kernels.name}`, function* () {
    if (!ready) {
      const arena = kernels.arena();
      ready = { x: arena.f64(data.length), out: arena[storage](n * n) };
      ready.x.view().set(data);
    }
    yield;
    pairKernelsOf(kernels).distances(metric, ready.x, n, D, null, 0, n, ready.out);
    yield;
    // SciPy's Hamming distance is a share of the columns; ours is a count.
    return answer(ready.out.view(), n, sample, metric === "hamming" ? 1 / D : 1);
  });
}

/** @param {Float64Array | Float32Array} matrix @param {number} n @param {number[]} sample @param {number} factor */
function answer(matrix, n, sample, factor) {
  const sums = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let p = i * n; p < (i + 1) * n; p++) sum += /** @type {number} */ (matrix[p]);
    sums[i] = sum * factor;
  }
  return { sums, sample: sample.map((p) => /** @type {number} */ (matrix[p]) * factor) };
}

/** @param {number} relative */
function within(relative) {
  return (/** @type {any} */ own, /** @type {any} */ other) =>
    numbersDiffer("sums of rows", own.sums, other.sums, relative) ??
    numbersDiffer("sampled distances", own.sample, other.sample, relative);
}
