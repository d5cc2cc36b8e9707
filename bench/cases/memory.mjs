/** The most memory that a complete linkage of many rows takes, in a process of its own. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const child = fileURLToPath(new URL("../children/linkage.mjs", import.meta.url));

/** @type {import("../context.mjs").Case} */
export default {
  title: "memory of complete linkage with f32 distances",
  async *rows({ quick }) {
    const n = quick ? 3000 : 20_000;
    yield {
      name: "peak",
      title: `peak of the whole process, n=${n} d=16`,
      unit: "bytes",
      rounds: 1,
      warmUps: 0,
      bar: 2.2e9,
      ours: {
        name: "coterie linkage",
        async once() {
          const { stdout } = await promisify(execFile)(process.execPath, [child, String(n)]);
          const answer = JSON.parse(stdout);
          return { value: answer.peakBytes, answer };
        },
      },
      check: ({ merges, rising }) =>
        merges === n - 1 && rising ? undefined : "the merges are not a hierarchy with rising heights",
      note: ({ milliseconds }) => `in ${(milliseconds / 1000).toFixed(1)} s, distances included`,
    };
  },
};
