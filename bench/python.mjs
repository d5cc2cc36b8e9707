/** The Python environment of the peers: a virtual environment with pinned packages, or an interpreter that the user names. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const requirements = join(here, "requirements.txt");
const environment = join(here, ".venv");
const interpreter = join(environment, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
const stampFile = join(environment, "requirements.sha256");

const INSTALL_MINUTES = 15;

/** @typedef {{ readonly python: string, readonly versions: Readonly<Record<string, string>>, readonly notice?: string }} Environment */

/**
 * The interpreter with the peers, or a sentence with the reason why there is none.
 * @param {(line: string) => void} say
 * @returns {Promise<Environment | { readonly missing: string }>}
 */
export async function preparePython(say) {
  const named = process.env.COTERIE_BENCH_PYTHON;
  try {
    const python = named ?? (await ownEnvironment(say));
    const versions = await versionsIn(python);
    const other = pins().filter(([name, version]) => versions[name] !== version);
    if (other.length === 0) return { python, versions };
    const facts = other.map(([name, version]) => `${name} ${versions[name]} instead of ${version}`).join(", ");
    return { python, versions, notice: `The interpreter named by COTERIE_BENCH_PYTHON has ${facts}.` };
  } catch (error) {
    return { missing: `The peers are skipped, ours is measured alone: ${reason(error)}` };
  }
}

/** @param {(line: string) => void} say */
async function ownEnvironment(say) {
  const stamp = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return interpreter;
  say("Making bench/.venv with the peers' packages (once) …");
  rmSync(environment, { recursive: true, force: true });
  try {
    await run(process.platform === "win32" ? "python" : "python3", ["-m", "venv", environment]);
    const install = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--retries=1",
      "--only-binary",
      ":all:",
      "-r",
      requirements,
    ];
    await run(interpreter, install, { timeout: INSTALL_MINUTES * 60_000 });
  } catch (error) {
    rmSync(environment, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(stampFile, stamp);
  return interpreter;
}

/** @returns {[name: string, version: string][]} */
function pins() {
  const lines = readFileSync(requirements, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => /** @type {[string, string]} */ (line.trim().split("==")));
}

/** @param {string} python @returns {Promise<Record<string, string>>} */
async function versionsIn(python) {
  const program =
    "import json, platform, sys\nfrom importlib.metadata import PackageNotFoundError, version\n" +
    "def known(name):\n    try:\n        return version(name)\n    except PackageNotFoundError:\n        return 'none'\n" +
    "print(json.dumps({'python': platform.python_version(), **{name: known(name) for name in sys.argv[1:]}}))";
  const { stdout } = await run(python, ["-c", program, ...pins().map(([name]) => name)]);
  return JSON.parse(stdout);
}

/** The last line of a program's output, which is most informative. @param {any} error */
function reason(error) {
  const named = process.env.COTERIE_BENCH_PYTHON;
  if (error.code === "ENOENT" && named) return `COTERIE_BENCH_PYTHON names ${named}, which does not exist.`;
  if (error.code === "ENOENT") return "there is no Python 3 on the path; set COTERIE_BENCH_PYTHON to one.";
  const lines = String(error.stderr || error.message)
    .trim()
    .split("\n");
  return lines.at(-1) ?? "Python failed without a message.";
}
