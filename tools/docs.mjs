/**
 * `npm run docs` builds the documentation site into docs/.vitepress/dist, with the studio under try/: installs VitePress once (docs/package.json),
 * builds the packages, writes what the pages link to (schemas, OpenAPI, llms.txt), and builds. `--dev` serves the pages while they are
 * written. COTERIE_DOCS_BASE is the path under which the site is published, such as /coterie/.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const docs = join(root, "docs");
const dist = join(docs, ".vitepress/dist");
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const isDev = process.argv.includes("--dev");

function step(title, program, args, cwd = root) {
  const start = performance.now();
  console.log(`${title} …`);
  execFileSync(program, args, { cwd, stdio: ["ignore", isDev ? "inherit" : "ignore", "inherit"] });
  console.log(`${title}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
}

/** Whether the installed VitePress is the one of the lock file. */
function isInstalled() {
  const [lock, done] = ["package-lock.json", "node_modules/.package-lock.json"].map((name) => join(docs, name));
  return existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs;
}

async function writeReferences() {
  const { docs: folder, expandPage } = await import("./docs/expand.mjs");
  const { httpDescription, schemaOf } = await import("./docs/schemas.mjs");
  const { pages } = await import("./docs/examples.mjs");
  const at = (name) => join(folder, "public", name);
  mkdirSync(at("schemas"), { recursive: true });
  for (const name of ["constraint", "report", "model"])
    writeFileSync(at(`schemas/${name}.json`), `${JSON.stringify(schemaOf(name), null, 1)}\n`);
  writeFileSync(at("openapi.json"), `${JSON.stringify(httpDescription(), null, 1)}\n`);
  const listed = pages()
    .filter((page) => page !== "api.md" && page !== "README.md")
    .map((page) => {
      const text = readFileSync(join(folder, page), "utf8");
      const [, title = page] = /^# (.*)$/m.exec(text) ?? [];
      const about = /^description: (".*")$/m.exec(text)?.[1];
      return { page, title, about: about ? JSON.parse(about) : "", text };
    });
  const lines = listed.map(
    ({ page, title, about }) => `- [${title}](${page.replace(/\.md$/, ".html")})${about ? `: ${about}` : ""}`,
  );
  const head =
    "# Coterie\n\n> Cluster a table with what you know about its rows: command line, web studio, TypeScript library.\n";
  writeFileSync(at("llms.txt"), `${head}\n## Pages\n\n${lines.join("\n")}\n\nThe text of all pages: llms-full.txt\n`);
  const full = listed.map(({ page, text }) => `<!-- ${page} -->\n${expandPage(text.replace(/^---\n[\s\S]*?\n---\n/, ""), page)}`);
  writeFileSync(at("llms-full.txt"), `${head}\n${full.join("\n\n")}`);
}

try {
  if (!isInstalled()) step("Installing VitePress (once)", npm, ["ci", "--no-audit", "--no-fund"], docs);
  step("Building the packages", process.execPath, ["tools/build.mjs", "--quiet"]);
  await writeReferences();
  const vitepress = join(docs, "node_modules/vitepress/bin/vitepress.js");
  if (isDev) step("Serving the pages", process.execPath, [vitepress, "dev", "."], docs);
  else {
    rmSync(dist, { recursive: true, force: true });
    step("Building the studio", process.execPath, [
      "node_modules/vite/bin/vite.js",
      "build",
      "packages/studio",
      "--mode",
      "site",
      "--logLevel",
      "warn",
    ]);
    step("Building the pages", process.execPath, [vitepress, "build", "."], docs);
    cpSync(join(root, "packages/studio/dist-site"), join(dist, "try"), { recursive: true });
    console.log(`The site is in ${dist}: npx vite preview --outDir docs/.vitepress/dist shows it.`);
  }
} catch (error) {
  if (error.status === undefined) console.error(error.message);
  process.exit(error.status ?? 1);
}
