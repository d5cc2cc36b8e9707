/** The peak memory of linkages of many rows, each in a separate process. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { benchCase } from "../context.mjs";

export default benchCase("memory of complete linkage with f32 distances", async function* ({ quick }) {
  const n = quick ? 3000 : 20_000;
  yield {
    ...rowOf("linkage", n),
    name: "peak",
    title: `peak of the whole process, n=${n} d=16`,
    bar: 2.2e9,
    check: ({ merges, rising }) =>
      merges === n - 1 && rising ? undefined : "the merges are not a hierarchy with rising heights",
  };
  yield {
    ...rowOf("ccl", n),
    name: "ccl",
    title: `constrained, 100 must-links, 500 cannot-links, set completed, peak of the whole process, n=${n} d=16`,
    bar: 4e9,
    check: ({ merges, broken, k }) =>
      merges === n - 1 && broken === 0 && k === 10 ? undefined : `${broken} constraints are broken, ${k} clusters`,
  };
});

/** @param {"linkage" | "ccl"} program @param {number} n */
function rowOf(program, n) {
  const child = fileURLToPath(new URL(`../children/${program}.mjs`, import.meta.url));
  return {
    unit: /** @type {const} */ ("bytes"),
    rounds: 1,
    warmUps: 0,
    ours: {
      name: `coterie ${program}`,
      async once() {
        const { stdout } = await promisify(execFile)(process.execPath, [child, String(n)]);
        const answer = JSON.parse(stdout);
        return { value: answer.peakBytes, answer };
      },
    },
    /** @param {{ readonly milliseconds: number }} own */
    note: ({ milliseconds }) => `in ${(milliseconds / 1000).toFixed(1)} s, distances included`,
  };
}
