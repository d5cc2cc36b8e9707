/**
 * Which package and module may import which: the two tables, and the check of the sources against them. `node tools/layers.mjs` prints what is wrong.
 *
 * A module is a folder of a package's `src`, or a file that lies directly in it. A line of a table may import the lines above it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Packages, with the ones that each may import; a star marks those that run in browsers too, without a module of Node's. */
const PACKAGES = {
  "core *": "",
  kernels: "core",
  data: "core",
  figures: "core",
  engines: "core data kernels",
  "workbench *": "core data kernels",
  studio: "core data figures kernels workbench",
  server: "core data kernels figures workbench",
  experiments: "core data kernels figures workbench",
  cli: "core data kernels figures engines workbench server experiments",
};

/** The modules of each package, in their order. Rooms of one line do not know each other. */
const MODULES = {
  core: [
    "model",
    "errors linalg",
    "options random kernels steps structures rows",
    "constraints",
    "measures colouring triplets",
    "algorithms",
    "catalogue models diagnose",
    "measured-by methods scale",
    "layout",
    "internal",
  ],
  data: [
    "table lines writing",
    "csv",
    "formats instances engines samples",
    "constraints answers",
    "read-bytes",
    "read-table browser",
    "given-table",
    "index",
  ],
  figures: ["layout", "theme", "marks", "pages", "index"],
  kernels: [
    "assembly generated host inflate lp memory threads",
    "create-host screen sums",
    "farthest kmeans neighbours pairs pass",
    "linkage",
    "index",
  ],
  engines: ["engine labels pauses", "checkpoint", "memory", "duckdb spark", "index"],
  workbench: [
    "protocol run-spec starts calls",
    "log pool tables trials",
    "store run exports",
    "learning",
    "report worker",
    "compute",
    "projects",
    "index",
  ],
  studio: ["ui", "state", "page", "map panels", "start ask compare understand", "app", "site main"],
  server: ["compute store-error", "sqlite", "app", "start-studio", "index"],
  experiments: [
    "frame",
    "grid",
    "baselines bilenko2004 davidson2012 klein2002 liu2011 pccc2024 struyf2006",
    "papers",
    "index worker",
  ],
  cli: [
    "estimate flags host host.browser library model-rows text version",
    "command index method-flags pool-worker pool-worker.browser",
    "help progress terminal",
    "given-distances scored-pairs trial-progress",
    "inputs",
    "outputs summary",
    "engine",
    "ask",
    "stdio",
    "mcp",
    "commands",
    "main",
  ],
};

/** Most source files side by side in one folder. */
const MOST_FILES = 25;

const packages = new Map(
  Object.entries(PACKAGES).map(([name, imports]) => {
    const [folder, star] = name.split(" ");
    return [folder, { imports: imports.split(" ").filter(Boolean), everywhere: star === "*" }];
  }),
);

/** Whether people run this file: not a test, a reference or a helper of tests. */
function isSource(path) {
  const helps = [`${sep}testing${sep}`, `${sep}e2e${sep}`].some((folder) => path.includes(folder));
  return /\.tsx?$/.test(path) && !/\.(test|reference)\.tsx?$/.test(path) && !helps;
}

function sourcesOf(folder) {
  const src = join(root, "packages", folder, "src");
  return readdirSync(src, { recursive: true })
    .map((path) => join(src, path))
    .filter((path) => isSource(path));
}

/** Everything that a file imports or exports from: types, and what is loaded when it is needed, included. */
export function importsIn(text) {
  const found = [/^(?:import|export)\b[^"';]*?(?:from\s*)?"([^"]+)";/gm, /\bimport\(\s*"([^"]+)"/g];
  return found.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]));
}

/** The folder of a file, or the file itself where it lies directly in `src`. */
function moduleOf(folder, path) {
  const inside = relative(join(root, "packages", folder, "src"), path).replace(/\.(js|tsx?)$/, "");
  const module = dirname(inside);
  return module === "." ? inside : module;
}

const topOf = (module) => module.split(sep)[0];

/** What is wrong, in sentences. */
export function faults() {
  return readdirSync(join(root, "packages")).flatMap((folder) =>
    packages.has(folder) && MODULES[folder] ? faultsOf(folder) : [`packages/${folder} is not in the tables of tools/layers.mjs.`],
  );
}

function faultsOf(folder) {
  const found = [];
  const edges = new Map();
  const files = new Map();
  const layers = new Map(MODULES[folder].flatMap((line, layer) => line.split(" ").map((module) => [module, layer])));
  for (const path of sourcesOf(folder)) {
    const module = moduleOf(folder, path);
    const name = relative(root, path);
    files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
    if (!layers.has(topOf(module))) found.push(`${name}: the module ${topOf(module)} is not in the table of tools/layers.mjs.`);
    for (const target of importsIn(readFileSync(path, "utf8"))) {
      if (!target.startsWith(".")) {
        found.push(...foreign(folder, name, target));
        continue;
      }
      const other = moduleOf(folder, normalize(join(dirname(path), target)));
      if (other === module) continue;
      edges.set(module, (edges.get(module) ?? new Map()).set(other, name));
      if (topOf(other) !== topOf(module) && !(layers.get(topOf(other)) < layers.get(topOf(module))))
        found.push(`${name}: ${topOf(module)} may not import ${topOf(other)}.`);
    }
  }
  for (const [place, count] of files)
    if (count > MOST_FILES)
      found.push(`${relative(root, place)} holds ${count} source files side by side, more than ${MOST_FILES}.`);
  return [...found, ...cycles(edges).map((cycle) => `packages/${folder}: a cycle of modules, ${cycle.join(" -> ")}.`)];
}

function foreign(folder, name, target) {
  const { imports, everywhere } = packages.get(folder);
  if (target.startsWith("node:")) return everywhere ? [`${name}: runs in browsers too, where there is no ${target}.`] : [];
  const other = /^@coterie\/([^/]+)/.exec(target)?.[1] ?? (/^coterie(\/|$)/.test(target) ? "cli" : undefined);
  return other === undefined || imports.includes(other) ? [] : [`${name}: ${folder} may not import ${other}.`];
}

export function cycles(edges) {
  const found = [];
  const done = new Set();
  for (const start of edges.keys()) {
    const path = pathBack(edges, start);
    if (!path || path.some((module) => done.has(module))) continue;
    for (const module of path) done.add(module);
    found.push(path);
  }
  return found;
}

/** The shortest way from a module back to itself. */
function pathBack(edges, start) {
  const before = new Map();
  const queue = [start];
  for (const module of queue) {
    for (const next of edges.get(module)?.keys() ?? []) {
      if (next === start) {
        const path = [start];
        for (let at = module; at !== start; at = before.get(at)) path.unshift(at);
        return [start, ...path];
      }
      if (before.has(next)) continue;
      before.set(next, module);
      queue.push(next);
    }
  }
  return null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = faults();
  for (const fault of found) console.error(fault);
  process.exitCode = found.length > 0 ? 1 : 0;
}
