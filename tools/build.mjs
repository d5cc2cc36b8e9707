/**
 * Builds everything that the command line and the tests need: the WebAssembly kernels, the TypeScript packages, the bundle
 * of the command, and the page of the studio if its sources are newer than the last one. `--steps` says what is done and how long it took,
 * `--quiet` nothing.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const steps = process.argv.includes("--steps");
const quiet = steps || process.argv.includes("--quiet");

function run(title, ...args) {
  const start = performance.now();
  if (steps) process.stderr.write(`${title} …\n`);
  execFileSync(process.execPath, args, { cwd: root, stdio: quiet ? ["ignore", "ignore", "inherit"] : "inherit" });
  if (steps) process.stderr.write(`  ${((performance.now() - start) / 1_000).toFixed(1)} s\n`);
}

/** What the page of the studio is made of. */
const PAGE = ["packages/studio", "packages/workbench/src/protocol", "package-lock.json"];

function newestOf(place) {
  const stat = statSync(join(root, place), { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(join(root, place)).filter((name) => name !== "dist" && name !== "node_modules");
  return Math.max(0, ...inside.map((name) => newestOf(join(place, name))));
}

try {
  run("Compiling the kernels", "tools/build-kernels.mjs");
  run("Compiling the packages (half a minute at first)", "node_modules/typescript/bin/tsc", "--build");
  run("Bundling the command", "tools/bundle.mjs");
  if (Math.max(...PAGE.map(newestOf)) > newestOf("packages/studio/dist/index.html"))
    run("Building the studio's page", "node_modules/vite/bin/vite.js", "build", "packages/studio", "--logLevel", "warn");
} catch (error) {
  process.exit(error.status ?? 1);
}
