/**
 * Linkage from a distance matrix to sorted and numbered merges, compared with fastcluster and SciPy. Both sides overwrite their matrix;
 * the time to make it again for each round does not count.
 */
import { orderMerges, pairKernelsOf } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { numbersDiffer } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { normalRows } from "../data.mjs";
import { side } from "../measure.mjs";

const D = 16;

/** @typedef {import("@coterie/core/internal").Linkage} Linkage */

export default benchCase("linkage from a ready distance matrix", async function* (bench) {
  const large = inputOf(bench, bench.quick ? 1000 : 10_000);
  const small = inputOf(bench, bench.quick ? 500 : 5000);
  yield { ...rowOf(bench, large, "complete", "f64", "fastcluster"), name: "complete", bar: 0.5 };
  yield { ...rowOf(bench, large, "complete", "f32", "fastcluster"), name: "complete-f32" };
  for (const linkage of /** @type {const} */ (["average", "ward", "single", "centroid"])) {
    for (const library of /** @type {const} */ (["fastcluster", "scipy"])) yield rowOf(bench, small, linkage, "f64", library);
  }
});

/** @typedef {{ readonly n: number, readonly x: Float64Array, readonly file: string }} Input */

/** @param {import("../context.mjs").Bench} bench @param {number} n @returns {Input} */
function inputOf(bench, n) {
  const x = normalRows(bench.random("linkage"), n, D);
  return { n, x, file: bench.write(`linkage-${n}.f8`, x) };
}

/**
 * @param {import("../context.mjs").Bench} bench @param {Input} input @param {Linkage} linkage
 * @param {"f64" | "f32"} storage @param {"fastcluster" | "scipy"} library
 * @returns {import("../measure.mjs").Row}
 */
function rowOf(bench, input, linkage, storage, library) {
  return {
    name: `${linkage}-${library}`,
    title: `${linkage}, ${storage}, n=${input.n}`,
    rounds: input.n >= 10_000 ? 3 : 5,
    ours: ours(input, linkage, storage),
    peer: bench.peer(library, "linkage", { file: input.file, d: D, method: linkage, library }),
    check: (own, other) => {
      const relative = storage === "f64" ? 1e-10 : 1e-5;
      return (
        numbersDiffer("sorted heights", own.heights.toSorted(), other.heights.toSorted(), relative) ??
        // Distances rounded to f32 can be equal, and equal distances can merge in another order.
        (storage === "f64" ? numbersDiffer("sizes of the merged clusters", own.sizes, other.sizes, 0) : undefined)
      );
    },
  };
}

/** @param {Input} input @param {Linkage} linkage @param {"f64" | "f32"} storage */
function ours({ n, x }, linkage, storage) {
  /** @type {import("@coterie/core/internal").Kernels | undefined} */
  let kernels;
  return side("coterie simd", function* () {
    kernels ??= createSimdKernels();
    const arena = kernels.arena();
    const points = arena.f64(x.length);
    points.view().set(x);
    const matrix = arena[storage](n * n);
    pairKernelsOf(kernels).distances("euclidean", points, n, D, null, 0, n, matrix);
    yield;
    const state = openLinkage(kernels, linkage, matrix, n, arena);
    state.advance(n - 1);
    const merges = orderMerges(state.merges(), n, linkage);
    yield;
    arena.release();
    return { heights: Float64Array.from(merges, (merge) => merge[2]), sizes: Float64Array.from(merges, (merge) => merge[3]) };
  });
}

/**
 * @param {import("@coterie/core/internal").Kernels} kernels @param {Linkage} linkage
 * @param {import("@coterie/core/internal").F64 | import("@coterie/core/internal").F32} matrix @param {number} n @param {import("@coterie/core/internal").Arena} arena
 */
function openLinkage(kernels, linkage, matrix, n, arena) {
  if (linkage === "single") return pairKernelsOf(kernels).treeLinkage(matrix, n, arena);
  if (linkage === "centroid" || linkage === "median") return pairKernelsOf(kernels).heapLinkage(linkage, matrix, n, arena);
  return pairKernelsOf(kernels).chainLinkage(linkage, matrix, n, arena);
}
