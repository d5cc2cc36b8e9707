/** The program as a process that says when it listens for Ctrl-C. */
import { fileURLToPath } from "node:url";

export const BIN = fileURLToPath(new URL("../../bin/coterie.js", import.meta.url));

/**
 * A module to run before anything else in the process. It says so when the first listener for Ctrl-C is there: before that Node itself
 * ends the process.
 */
export const PRELOADED = `import { writeSync } from "node:fs";
const say = (event) => {
  if (event !== "SIGINT") return;
  process.off("newListener", say);
  queueMicrotask(() => writeSync(2, "listening\\n"));
};
process.on("newListener", say);`;
