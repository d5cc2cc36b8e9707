/**
 * `npm run pack:local` packs every public package into coterie-output/packages, so that the command works outside of the checkout before
 * Coterie is on npm: the last lines say how to install it.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "coterie-output/packages");
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

function step(title, program, ...args) {
  const start = performance.now();
  process.stderr.write(`${title} … `);
  execFileSync(program, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  console.error(`${((performance.now() - start) / 1_000).toFixed(1)} s`);
}

try {
  step("Building the packages", process.execPath, "tools/build.mjs", "--quiet");
  step("Building the file for browsers", npm, "run", "build:browser");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(join(root, "packages"))) {
    const { name: full, private: hidden } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
    if (!hidden) step(`Packing ${full}`, npm, "pack", "--silent", `./packages/${name}`, "--pack-destination", folder);
  }
  const files = join(relative(process.cwd(), folder) || ".", "*.tgz");
  console.error(`\nThe packages are in ${folder}. Install the command for your account, or into a project of yours:`);
  console.error(`  npm install --global ./${files}\n  npm install ${join(folder, "*.tgz")}`);
} catch (error) {
  if (error.status === undefined) console.error(error.message);
  process.exit(error.status ?? 1);
}
