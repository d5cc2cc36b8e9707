/** HDBSCAN* from points to labels, compared with the package hdbscan and its exact spanning tree: one thread each, processor time. */
import { density } from "@coterie/core/internal";
import { numbersDiffer } from "../compare.mjs";
import { benchCase } from "../context.mjs";
import { cloudRows } from "../data.mjs";
import { processorSide } from "../measure.mjs";

const D = 16;
const SIZE = 5;

export default benchCase("density (HDBSCAN*) from points to labels", async function* (bench) {
  const n = bench.quick ? 3000 : 100_000;
  const { x } = cloudRows(bench.random("density"), n, D, 40, 6);
  const file = bench.write(`density-${n}.f8`, x);
  yield {
    name: "hdbscan",
    title: `n=${n}, d=${D}`,
    rounds: 1,
    warmUps: 0,
    bar: 1,
    ours: processorSide("coterie", function* () {
      yield;
      const { merges } = density({ n, d: D, x }, undefined, { minClusterSize: SIZE });
      yield;
      return { heights: Float64Array.from(merges, (merge) => merge[2]) };
    }),
    peer: bench.processorPeer("hdbscan", "density", { file, d: D, size: SIZE }),
    check: (own, other) => numbersDiffer("heights", own.heights, other.heights, 1e-9),
  };
});
