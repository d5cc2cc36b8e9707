#!/usr/bin/env node
import { existsSync } from "node:fs";

// Loading the program takes longer than Node's own start. A signal that arrives meanwhile gives the exit code of any interruption.
const SIGNALS = ["SIGINT", "SIGTERM"];
const interrupted = () => {
  process.stderr.write("Interrupted: nothing was written.\n");
  process.exit(130);
};
for (const signal of SIGNALS) process.on(signal, interrupted);

const build = new URL("../dist/bundle/main.js", import.meta.url);
if (existsSync(build)) {
  const { main } = await import(build.href);
  const running = main(process.argv.slice(2));
  // The program has its own listeners now. Removing these earlier would lose a signal that arrives between the two.
  for (const signal of SIGNALS) process.off(signal, interrupted);
  await running;
} else {
  process.stderr.write("Coterie is not built yet: run `npm run build` at the root of the checkout.\n");
  process.exitCode = 1;
}
