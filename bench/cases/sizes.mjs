/** k-means with size bounds. The starts of both sides differ, so only the bounds are checked; sums of squares are shown. */
import { copKmeans, emptyConstraints } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import { benchCase } from "../context.mjs";
import { mixtureRows } from "../data.mjs";
import { side } from "../measure.mjs";

const SPREAD = 0.6;
const STARTS = 10;

export default benchCase("k-means with size bounds", async function* (bench) {
  const sizes = /** @type {const} */ ([
    ["equal", 1000, 8, 10, 1],
    ["within-20-percent", 2000, 16, 10, 1.2],
    ["many-clusters", 1000, 8, 40, 1.2],
  ]);
  for (const [name, n, d, k, slack] of sizes) yield rowOf(bench, name, bench.quick ? n / 5 : n, d, k, slack);
});

/**
 * @param {import("../context.mjs").Bench} bench @param {string} name @param {number} n @param {number} d @param {number} k
 * @param {number} slack how many times the mean size a cluster may have, and the mean how many times its size
 * @returns {import("../measure.mjs").Row}
 */
function rowOf(bench, name, n, d, k, slack) {
  const x = mixtureRows(bench.random(`sizes ${name}`), n, d, k, SPREAD);
  const [smallest, largest] = [Math.floor(n / k / slack), Math.ceil((n / k) * slack)];
  const points = { n, d, x };
  const known = emptyConstraints(n);
  const kernels = createSimdKernels();
  const args = { file: bench.write(`sizes-${name}.f8`, x), d, k, smallest, largest, starts: STARTS, seed: 0 };
  const fits = (/** @type {ArrayLike<number>} */ sizes) => Array.from(sizes).every((size) => size >= smallest && size <= largest);
  return {
    name,
    title: `${smallest} to ${largest} rows in each of ${k} clusters, ${STARTS} starts, n=${n} d=${d}`,
    rounds: 2,
    ours: side("coterie cop-kmeans", function* () {
      yield;
      const result = copKmeans(points, known, { k, minSize: smallest, maxSize: largest, restarts: STARTS, kernels });
      yield;
      return { inertia: result.objective, sizes: result.sizes };
    }),
    peer: bench.peer("k-means-constrained", "bounded_kmeans", args),
    check: (own, other) => (fits(own.sizes) && fits(other.sizes) ? undefined : "some cluster is outside the bounds"),
    note: (own, other) =>
      other
        ? `sum of squares ${own.inertia.toFixed(1)}, the peer's ${other.inertia.toFixed(1)}: ${(100 * (own.inertia / other.inertia - 1)).toFixed(2)}%`
        : `sum of squares ${own.inertia.toFixed(1)}`,
  };
}
