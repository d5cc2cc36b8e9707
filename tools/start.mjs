/**
 * `npm start`: the main job on a bundled sample: make constraints, cluster with them, show a summary and a page; then the studio on the
 * same project, until Ctrl-C, with the projects of `coterie studio`. `npm run demo` (`--demo`) is the first half alone.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = join(root, "coterie-output");
mkdirSync(output, { recursive: true });

const known = join(output, "known.csv");
const labels = join(output, "labels.csv");
const page = join(output, "iris.html");

function coterie(...args) {
  console.error(`\n$ coterie ${args.map((arg) => (arg.startsWith(root) ? relative(process.cwd(), arg) || "." : arg)).join(" ")}`);
  execFileSync(process.execPath, [join(root, "packages/cli/bin/coterie.js"), ...args], { stdio: "inherit" });
}

try {
  coterie("constraints", "generate", "iris-fisher", "--truth", "class", "--count", "40", "--seed", "7", "--out", known);
  coterie(
    "cluster",
    "iris-fisher",
    "-k",
    "3",
    "--algorithm",
    "ccl",
    "--truth",
    "class",
    "--constraints",
    known,
    "--out",
    labels,
    "--html",
    page,
  );
  console.error(
    `\nOpen the page in a browser: ${pathToFileURL(page).href}\nNext: coterie cluster --help (in a checkout: npx coterie cluster --help)`,
  );
  if (!process.argv.includes("--demo")) await studio();
} catch (error) {
  process.exitCode = error.status ?? 1;
}

/** Stays until it is interrupted; whoever asks this process to end asks the studio. */
function studio() {
  const args = ["studio", "iris-fisher", "--truth", "class", "--constraints", known];
  console.error("\nThe studio opens now; Ctrl-C ends it.");
  const child = spawn(process.execPath, [join(root, "packages/cli/bin/coterie.js"), ...args], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return new Promise((done) => {
    child.on("close", (code) => {
      process.exitCode = code ?? 1;
      done();
    });
  });
}
