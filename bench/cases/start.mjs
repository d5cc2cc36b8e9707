/** The time until the command line prints something, minus Node's own start. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { benchCase } from "../context.mjs";
import { side } from "../measure.mjs";

const bin = fileURLToPath(new URL("../../packages/cli/bin/coterie.js", import.meta.url));

export default benchCase("start of the command line", async function* ({ quick }) {
  yield {
    name: "help",
    title: "coterie --help minus node -e 0",
    rounds: quick ? 3 : 15,
    held: "difference",
    bar: 150,
    ours: program("coterie --help", [bin, "--help"]),
    peer: program("node -e 0", ["-e", "0"]),
    check: (own) =>
      own.status === 0 && /coterie/i.test(own.output) ? undefined : `exit ${own.status}: ${own.output.slice(0, 200)}`,
  };
});

/** @param {string} name @param {string[]} args */
function program(name, args) {
  return side(name, function* () {
    yield;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    yield;
    return { status, output: stdout + stderr };
  });
}
