/**
 * `npm run test:packages`: what people would install. Packs every public package, looks at what is inside and how large it is, installs
 * all of them into an empty folder, and uses them there as strangers do: the folders of `examples/`, strict TypeScript, the studio.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { ensureChromium } from "./chromium.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Most bytes of a packed package. A larger one is a decision, not an accident. */
const CEILINGS = {
  // The library file by file, and the bundled command with all that it needs, the server for language models included.
  coterie: 1_450_000,
  "@coterie/core": 700_000,
  "@coterie/data": 1_800_000,
  "@coterie/engines": 100_000,
  "@coterie/experiments": 300_000,
  "@coterie/figures": 200_000,
  "@coterie/kernels": 180_000,
  "@coterie/server": 50_000,
  "@coterie/studio": 400_000,
  "@coterie/workbench": 120_000,
};

const NEEDED = [/^LICENSE$/, /^README\.md$/, /^package\.json$/];
const NEEDED_OF_A_LIBRARY = [...NEEDED, /^dist\/(index|internal)\.js$/, /^dist\/(index|internal)\.d\.ts$/];
const NEEDED_OF_THE_PAGE = [...NEEDED, /^dist\/index\.html$/, /^dist\/third-party\.md$/];
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

function pack({ folder, name }, into) {
  const [packed] = JSON.parse(
    execFileSync(npm, ["pack", "--json", "--pack-destination", into], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const paths = packed.files.map(({ path }) => path);
  for (const pattern of name === "@coterie/studio" ? NEEDED_OF_THE_PAGE : NEEDED_OF_A_LIBRARY)
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

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".md": "text/plain" };

/** A folder over HTTP on loopback, for a page that is to be looked at. */
async function serve(folder) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Opens a page and waits until an element says what it should. */
async function seen(browser, address, selector, words) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(address);
  await page
    .waitForFunction(([where, what]) => document.querySelector(where)?.textContent.includes(what), [selector, words], {
      timeout: 20_000,
    })
    .catch(() => {});
  const text = await page.textContent(selector).catch(() => null);
  check(text?.includes(words) && errors.length === 0, `${address} says "${text}", not "${words}". ${errors.join(" ")}`);
  console.log(`page: ${text.trim().slice(0, 80)}`);
  await page.close();
}

/** `coterie studio` of the installed packages: the address that it prints shows the page. */
async function studio(browser, folder) {
  const bin = join(folder, "node_modules/coterie/bin/coterie.js");
  const child = spawn(process.execPath, [bin, "studio", "--no-open", "--port", "0", "--folder", join(folder, "projects")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const line = await new Promise((found, failed) => {
      let text = "";
      child.stdout.on("data", (data) => {
        text += data;
        if (text.includes("\n")) found(text);
      });
      child.on("exit", () => failed(new Error("The studio ended before it said where it is.")));
    });
    await seen(browser, line.trim().replace("Coterie studio: ", ""), "#root, main, body", "Coterie");
  } finally {
    child.kill("SIGINT");
    await new Promise((ended) => child.on("exit", ended));
  }
}

async function useIn(folder, tarballs) {
  const run = (where, ...args) => execFileSync(process.execPath, args, { cwd: where, stdio: "inherit" });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
  execFileSync(npm, ["install", "--no-audit", "--no-fund", ...tarballs], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true });
  run(folder, "examples/node/penguins.mjs");
  writeFileSync(join(folder, "use.mts"), USE);
  const strict = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const compiler = { ...strict, module: "nodenext", target: "es2023", lib: ["ES2023", "DOM", "DOM.Iterable"], types: [] };
  const files = ["use.mts", "examples/vite-worker/main.ts", "examples/vite-worker/worker.ts"];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: compiler, files }));
  run(folder, join(root, "node_modules/typescript/bin/tsc"), "-p", ".");
  check(true, "");
  const built = join(folder, "examples/vite-built");
  run(
    folder,
    join(root, "node_modules/vite/bin/vite.js"),
    "build",
    "examples/vite-worker",
    "--base",
    "./",
    "--outDir",
    built,
    "--logLevel",
    "error",
  );
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  const server = await serve(folder);
  try {
    await seen(browser, `${server.address}/examples/vite-built/`, "#progress", "done: 3 clusters");
    await seen(browser, `${server.address}/examples/plain-page/`, "#result", "constraints broken: 0");
    await studio(browser, folder);
  } finally {
    server.close();
    await browser.close();
  }
}

const scratch = mkdtempSync(join(tmpdir(), "coterie-packages-"));
try {
  execFileSync(npm, ["run", "build:browser"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const tarballs = packages().map((each) => pack(each, scratch));
  const folder = join(scratch, "stranger");
  mkdirSync(folder);
  await useIn(folder, tarballs);
  console.log(`\n${checks} passed, 0 failed`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
