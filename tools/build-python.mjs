/**
 * `npm run build:python`: the wheel of the Python package, dist/coterie-VERSION-py3-none-any.whl. It has the bundled command, the kernels,
 * the page of the studio and the packaged sample sets inside, and no binaries, so one wheel serves all platforms.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCommand } from "./bundle.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "python/coterie/_program");
const dist = join(root, "dist");

/** Most bytes of the wheel. A larger wheel is a decision, not an accident. */
const CEILING = 12_000_000;

const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));

/** Modules that stand in for packages with binaries. */
const IN_PLACE = [
  [/^@duckdb\/node-api$/, "absent.mjs"],
  [/^@grpc\/grpc-js$/, "absent.mjs"],
  [/^@libsql\/client$/, "sqlite.mjs"],
  [/\/engines\/duckdb\.js$/, "parquet.mjs", /packages\/data\/dist/],
];

const withoutBinaries = {
  name: "without-binaries",
  resolveId(id, importer = "") {
    const found = IN_PLACE.find(([name, , from]) => name.test(id) && (!from || from.test(importer)));
    return found && !importer.includes("/tools/wheel/") ? join(root, "tools/wheel", found[1]) : null;
  },
};

function copy(from, to) {
  cpSync(join(root, from), join(program, to), { recursive: true });
}

/** The licences of the packages that are in the bundle, as their licences ask. */
function licencesOf(modules) {
  const folders = new Set(modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/@]+)\//.exec(id)?.[1] ?? []));
  const parts = [...folders].sort().map((folder) => {
    const { name, version: of, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e(\.|$)/i.test(each));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${license}`;
    return `## ${name} ${of} (${license})\n\n${text}\n`;
  });
  return `# Software of others in this program\n\n${parts.join("\n")}`;
}

async function buildProgram() {
  rmSync(program, { recursive: true, force: true });
  mkdirSync(join(program, "bin"), { recursive: true });
  const external = [/^highs/, /^@coterie\/(experiments|studio)/];
  const modules = await bundleCommand(join(program, "dist/bundle"), { external, plugins: [withoutBinaries], minify: true });
  writeFileSync(join(program, "third-party.md"), licencesOf(modules));
  copy("packages/cli/bin/coterie.js", "bin/coterie.js");
  copy("LICENSE", "LICENSE");
  copy("node_modules/highs/build/highs.mjs", "node_modules/highs/build/highs.mjs");
  copy("node_modules/highs/build/highs.wasm", "node_modules/highs/build/highs.wasm");
  for (const file of ["package.json", "LICENSE"])
    if (existsSync(join(root, "node_modules/highs", file))) copy(`node_modules/highs/${file}`, `node_modules/highs/${file}`);
  copy("packages/studio/dist", "node_modules/@coterie/studio/dist");
  copy("packages/studio/package.json", "node_modules/@coterie/studio/package.json");
  copy("packages/data/samples", "node_modules/@coterie/data/samples");
  copy("packages/data/package.json", "node_modules/@coterie/data/package.json");
  copy("packages/engines/package.json", "node_modules/@coterie/engines/package.json");
  writeFileSync(
    join(program, "package.json"),
    `${JSON.stringify({ name: "coterie", version, type: "module", private: true })}\n`,
  );
  writeFileSync(
    join(root, "python/coterie/_version.py"),
    `"""The version, as in package.json."""\n\n__version__ = "${version}"\n`,
  );
  cpSync(join(root, "LICENSE"), join(root, "python/LICENSE"));
}

export function findPython() {
  for (const python of [process.env.COTERIE_PYTHON, "python3", "python"].filter(Boolean)) {
    try {
      const script = "import sys; assert sys.version_info >= (3, 10); import pip, venv; print(sys.executable)";
      return execFileSync(python, ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** Builds the wheel and returns its path. `python`: an interpreter with pip. */
export async function buildWheel(python) {
  await buildProgram();
  mkdirSync(dist, { recursive: true });
  for (const file of readdirSync(dist)) if (/^coterie-.*\.whl$/.test(file)) rmSync(join(dist, file));
  // Without isolation if the build backend is there: that needs no network.
  const alone = spawnSync(python, ["-c", "import hatchling"], { stdio: "ignore" }).status === 0 ? ["--no-build-isolation"] : [];
  const line = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", ...alone, "--wheel-dir", dist];
  execFileSync(python, [...line, join(root, "python")], { stdio: "inherit" });
  const wheel = join(dist, `coterie-${version}-py3-none-any.whl`);
  const bytes = statSync(wheel).size;
  if (bytes > CEILING) throw new Error(`${wheel} has ${bytes} bytes; the ceiling is ${CEILING}.`);
  return wheel;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const python = findPython();
  if (python === undefined) {
    console.error("The wheel needs Python 3.10 or later with pip and venv: install it, or name it with COTERIE_PYTHON.");
    process.exit(1);
  }
  execFileSync(process.execPath, [join(dirname(fileURLToPath(import.meta.url)), "build.mjs")], { stdio: "inherit" });
  const wheel = await buildWheel(python);
  console.log(`${wheel}: ${(statSync(wheel).size / 1e6).toFixed(1)} MB`);
}
