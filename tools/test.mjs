/**
 * `npm test`: lint, build, types of the tests, then every test in Node and in Chromium, then the Python package if Python is there.
 * `--long` runs the suites with large counts in full and keeps the output under docs/measurements.
 */
import { execFileSync, spawn } from "node:child_process";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureChromium } from "./chromium.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const long = process.argv.includes("--long");
process.chdir(root);

function step(title, ...args) {
  console.log(`\n== ${title}`);
  execFileSync(process.execPath, args, { stdio: "inherit" });
}

/** Runs vitest, shows its output, and keeps a copy of it where one is wanted. */
function vitest(args, copy) {
  const env = { ...process.env, ...(long ? { COTERIE_LONG: "1" } : {}), ...(copy ? { NO_COLOR: "1" } : {}) };
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      process.stdout.write(data);
      copy?.write(String(data).replaceAll(root.replace(/\/$/, ""), "."));
    });
  }
  return new Promise((resolve) => child.on("close", resolve));
}

const scratch = mkdtempSync(join(tmpdir(), "coterie-test-"));
try {
  step("lint", "node_modules/@biomejs/biome/bin/biome", "check");
  step("build", "tools/build.mjs");
  step("types of the tests", "node_modules/typescript/bin/tsc", "-p", "tsconfig.tests.json");
  console.log(`\n== tests, with Chromium at ${ensureChromium()}, Node ${process.version}`);
  const results = join(scratch, "results.json");
  const date = new Date().toISOString().slice(0, 10);
  mkdirSync("docs/measurements", { recursive: true });
  const copy = long ? createWriteStream(`docs/measurements/test-long-${date}.txt`) : undefined;
  copy?.write(`npm run test:long, ${date}, Node ${process.version}\n`);
  const status = await vitest(["--reporter=default", "--reporter=json", `--outputFile.json=${results}`], copy);
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(results, "utf8"));
  const closing = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`;
  copy?.end(`\n${closing}\n`);
  console.log(`\n${closing}`);
  step("the Python package", "tools/test-python.mjs");
  if (long) step("Spark, on a cluster on loopback", "tools/test-spark.mjs");
  process.exitCode = status;
} catch (error) {
  if (error.status === undefined) console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
