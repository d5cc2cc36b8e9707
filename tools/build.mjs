/** Builds everything that the command line and the tests need: the WebAssembly kernels, then the TypeScript packages. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const quiet = process.argv.includes("--quiet");

function run(...args) {
  execFileSync(process.execPath, args, { cwd: root, stdio: quiet ? ["ignore", "ignore", "inherit"] : "inherit" });
}

try {
  run("tools/build-kernels.mjs");
  run("node_modules/typescript/bin/tsc", "--build");
} catch (error) {
  process.exit(error.status ?? 1);
}
