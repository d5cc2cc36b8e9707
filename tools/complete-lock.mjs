/**
 * Completes package-lock.json after `npm install`. A partial registry leaves out the optional packages of other platforms: `npm ci`
 * needs them on every platform, and compares what it downloads with their `integrity`. This adds the missing packages, asks the
 * registry for each missing integrity, and ends with 1 if the registry does not know one of them.
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
/** Number of requests to the registry at one time. */
const AT_ONCE = 8;

function platformOf(name) {
  if (name === "fsevents") return { os: ["darwin"] };
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  return { ...(cpu.length > 0 ? { cpu } : {}), ...(os.length > 0 ? { os } : {}) };
}

/** Adds the packages of other platforms that optional dependencies name. Returns how many it added. */
function addPlatforms(lock) {
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
  return added;
}

/** The packages of a lock file that npm downloads and that have no integrity, as [`name@version`, entry]. */
export function unverified(lock) {
  return Object.entries(lock.packages)
    .filter(([place, { link, integrity }]) => place.includes("node_modules/") && !link && !integrity)
    .map(([place, entry]) => [`${entry.name ?? place.split("node_modules/").at(-1)}@${entry.version}`, entry]);
}

/**
 * Completes a lock file in place.
 * @param integrityOf `name@version` → its integrity in the registry, or null if the registry does not have the package
 */
export async function complete(lock, integrityOf) {
  const added = addPlatforms(lock);
  const wanted = unverified(lock);
  const open = [...wanted];
  const worker = async () => {
    for (let next = open.pop(); next; next = open.pop()) {
      const [name, entry] = next;
      const integrity = await integrityOf(name);
      if (!integrity) continue;
      const { version, ...others } = entry;
      for (const key of Object.keys(entry)) delete entry[key];
      Object.assign(entry, { version, integrity, ...others });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const unknown = unverified(lock).map(([name]) => name);
  return { added, filled: wanted.length - unknown.length, unknown };
}

async function integrityInRegistry(name) {
  try {
    const { stdout } = await promisify(execFile)("npm", ["view", name, "dist.integrity"], {
      shell: process.platform === "win32",
    });
    return stdout.trim() || null;
  } catch (error) {
    if (String(error.stderr).includes("E404")) return null;
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const { added, filled, unknown } = await complete(lock, integrityInRegistry);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${added} packages of other platforms added, ${filled} missing integrities filled in`);
  if (unknown.length > 0) {
    console.error(`The registry does not have these packages, so they have no integrity:\n${unknown.join("\n")}`);
    process.exitCode = 1;
  }
}
