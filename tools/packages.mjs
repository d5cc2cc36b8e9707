/**
 * `npm run test:packages`: what people would install. Packs every public package, looks at what is inside and how large it is, installs
 * all of them into an empty folder, and uses them there as strangers do: Node, strict TypeScript, Vite.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Most bytes of a packed package. A larger one is a decision, not an accident. */
const CEILINGS = {
  coterie: 200_000,
  "@coterie/core": 700_000,
  "@coterie/data": 1_800_000,
  "@coterie/experiments": 300_000,
  "@coterie/figures": 200_000,
  "@coterie/kernels": 150_000,
  "@coterie/workbench": 100_000,
};

const NEEDED = [/^LICENSE$/, /^README\.md$/, /^package\.json$/, /^dist\/index\.js$/, /^dist\/index\.d\.ts$/];
const BARRED = [/\.test\./, /\.reference\./, /(^|\/)testing\//, /\.tsbuildinfo$/, /(^|\/)src\/.*\.ts$/];

let checks = 0;
function check(holds, sentence) {
  checks++;
  if (!holds) throw new Error(sentence);
}

function packages() {
  return readdirSync(join(root, "packages"))
    .map((folder) => ({
      folder: join(root, "packages", folder),
      ...JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")),
    }))
    .filter(({ private: hidden }) => !hidden);
}

/** Packs a package, checks its contents, and returns the tarball's path. */
function pack({ folder, name }, into) {
  const [packed] = JSON.parse(
    execFileSync(npm, ["pack", "--json", "--pack-destination", into], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const paths = packed.files.map(({ path }) => path);
  for (const pattern of NEEDED)
    check(
      paths.some((path) => pattern.test(path)),
      `${name} lacks ${pattern}.`,
    );
  for (const pattern of BARRED)
    check(!paths.some((path) => pattern.test(path)), `${name} carries ${paths.find((path) => pattern.test(path))}.`);
  check(CEILINGS[name] !== undefined, `${name} has no ceiling in tools/packages.mjs.`);
  check(packed.size <= CEILINGS[name], `${name} is ${packed.size} bytes packed, more than ${CEILINGS[name]}.`);
  console.log(`${name.padEnd(22)} ${String(packed.size).padStart(8)} bytes packed, ${paths.length} files`);
  return join(into, packed.filename);
}

const USE = `
import { cluster, constraints } from "coterie";
import { readTable } from "coterie/data";

const wine = await readTable("wine", { truth: "class", scale: "zscore" });
const known = constraints(wine, { mustLink: [[0, 1]], cannotLink: [[0, 100]] });
const result = cluster(wine, known, { algorithm: "ccl", k: 3 });
if (result.labels.length !== 178 || result.violations.cannotLink.length !== 0) throw new Error("wrong result");
console.log("sizes", result.sizes.join(" "));
`;

const PAGE = `
import { catalogue } from "@coterie/core";
document.body.textContent = String(catalogue.length);
`;

function useIn(folder, tarballs) {
  const run = (...args) => execFileSync(process.execPath, args, { cwd: folder, stdio: "inherit" });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  execFileSync(npm, ["install", "--no-audit", "--no-fund", ...tarballs], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(join(folder, "use.mjs"), USE);
  run("use.mjs");
  writeFileSync(join(folder, "use.mts"), USE);
  const strict = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const compiler = { ...strict, module: "nodenext", target: "es2023", lib: ["ES2023", "DOM"], types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: compiler, files: ["use.mts"] }));
  run(join(root, "node_modules/typescript/bin/tsc"), "-p", ".");
  check(true, "");
  mkdirSync(join(folder, "page"));
  writeFileSync(join(folder, "page/index.html"), `<!doctype html><script type="module" src="./main.js"></script>`);
  writeFileSync(join(folder, "page/main.js"), PAGE);
  run(join(root, "node_modules/vite/bin/vite.js"), "build", "page", "--outDir", join(folder, "built"), "--logLevel", "warn");
  const built = readdirSync(join(folder, "built/assets")).map((file) => statSync(join(folder, "built/assets", file)).size);
  console.log(`core in a page: ${built.reduce((sum, size) => sum + size, 0)} bytes before compression`);
}

const scratch = mkdtempSync(join(tmpdir(), "coterie-packages-"));
try {
  const tarballs = packages().map((each) => pack(each, scratch));
  const folder = join(scratch, "stranger");
  mkdirSync(folder);
  useIn(folder, tarballs);
  console.log(`\n${checks} passed, 0 failed`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
