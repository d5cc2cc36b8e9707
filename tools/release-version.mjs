/**
 * After `changeset version`: writes the version wherever it stands, and moves its notes into CHANGELOG.md: all packages share one version and one changelog. `changeset version` writes the notes
 * of each package beside it; those of `coterie` are the notes for users, the others repeat the version.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { version } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"));
for (const file of [
  "packages/cli/src/version.ts",
  "packages/studio/src/site/worker.ts",
  "CITATION.cff",
  "examples/vite-worker/package.json",
]) {
  const text = readFileSync(file, "utf8");
  const form = /(VERSION = "|^version: |"coterie": ")\d+\.\d+\.\d+/m;
  if (!form.test(text)) throw new Error(`${file} names no version.`);
  writeFileSync(file, text.replace(form, `$1${version}`));
}
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
for (const [place, entry] of Object.entries(lock.packages)) {
  if (!/^((packages|examples)\/[^/]+|bench)$/.test(place)) continue;
  if (entry.version) entry.version = version;
  for (const name of Object.keys(entry.dependencies ?? {}))
    if (/^(@coterie\/|coterie$)/.test(name)) entry.dependencies[name] = version;
  const { peerDependencies } = JSON.parse(readFileSync(`${place}/package.json`, "utf8"));
  if (peerDependencies) entry.peerDependencies = peerDependencies;
}
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
const written = "packages/cli/CHANGELOG.md";
if (existsSync(written)) {
  const [, section = ""] = readFileSync(written, "utf8").split(`## ${version}\n`);
  const [notes = ""] = section.split(/^## /m);
  const bare = notes.replaceAll(/^- [0-9a-f]{7,}: /gm, "- ").replace(/^- Updated dependencies[\s\S]*$/m, "");
  const log = readFileSync("CHANGELOG.md", "utf8");
  const at = log.indexOf("## ");
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync("CHANGELOG.md", `${log.slice(0, at)}## ${version} (${date})\n${bare.trimEnd()}\n\n${log.slice(at)}`);
}
for (const folder of ["bench", ...readdirSync("packages").map((name) => `packages/${name}`)])
  rmSync(`${folder}/CHANGELOG.md`, { force: true });
