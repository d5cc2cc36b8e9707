/**
 * Adds to package-lock.json the optional packages of other platforms that a partial registry left out, so that `npm ci` accepts
 * the lock file on every platform. Run it after `npm install` when `npm ci` complains about missing packages.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(file, "utf8"));
const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** What a package's name says about where it runs. */
function platformOf(name) {
  if (name === "fsevents") return { os: ["darwin"] };
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  return { ...(cpu.length > 0 ? { cpu } : {}), ...(os.length > 0 ? { os } : {}) };
}

let added = 0;
for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`;
    const platform = platformOf(name);
    if (lock.packages[place] || Object.keys(platform).length === 0) continue;
    lock.packages[place] = { version: range.replace(/^[~^]/, ""), ...platform, ...(dev ? { dev } : {}), optional: true };
    added++;
  }
}
const [root, ...places] = Object.keys(lock.packages);
lock.packages = Object.fromEntries(
  [root, ...places.sort((a, b) => (a < b ? -1 : 1))].map((place) => [place, lock.packages[place]]),
);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added`);
