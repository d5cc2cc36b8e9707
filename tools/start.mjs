/**
 * `npm start`: the main job on a bundled sample: make constraints, cluster with them, show a summary and a page; then the studio on the
 * same project with a finished run, until Ctrl-C, with the projects of `coterie studio`. `npm run demo` (`--demo`) is the first half alone.
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

/** Starts a run of the sample's project if it has none, so that the first thing that the page shows is clusters. */
async function firstRun(address) {
  const { origin, searchParams } = new URL(address);
  const headers = { authorization: `Bearer ${searchParams.get("token")}`, "content-type": "application/json" };
  const projects = await (await fetch(`${origin}/api/projects`, { headers })).json();
  const project = projects.find(({ data, constraints }) => data.file === "iris-fisher.csv" && constraints > 0);
  if (!project || project.runs > 0) return;
  const body = JSON.stringify({ algorithm: "ccl", options: { k: 3 } });
  await fetch(`${origin}/api/projects/${project.id}/runs`, { method: "POST", headers, body });
}

/** Stays until it is interrupted; whoever asks this process to end asks the studio. */
function studio() {
  const args = ["studio", "iris-fisher", "--truth", "class", "--constraints", known];
  console.error("\nThe studio opens now; Ctrl-C ends it.");
  const child = spawn(process.execPath, [join(root, "packages/cli/bin/coterie.js"), ...args], {
    stdio: ["inherit", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (data) => {
    process.stdout.write(data);
    const isFirst = !printed.includes("\n");
    printed += data;
    const address = /http:\/\/\S+/.exec(printed)?.[0];
    if (isFirst && printed.includes("\n") && address) firstRun(address).catch((error) => console.error(error.message));
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return new Promise((done) => {
    child.on("close", (code) => {
      process.exitCode = code ?? 1;
      done();
    });
  });
}
