/**
 * The code blocks of the site, run. A block says what happens to it behind its language:
 *
 * - `sh run`, `ts run`: run in a folder of the page, in order; the block `text output` behind it is what was printed.
 * - `sh long`, `ts long`: the same, in the long tests.
 * - `sh shown`: not run (it would install, serve or wait). `ts compiled`: compiled only. Every `coterie` line must have a known command.
 * - `csv file=known.csv`: written into the page's folder first.
 *
 * `show=1-6,12` prints those lines of the output alone, `find=adjusted,broken` those with one of these texts (`_` is a space), with `…` for the others.
 * `exit=4` is the expected exit code. `picture=map.svg` keeps that file as
 * docs/public/pictures/map.svg. The tables of docs/public/data are in the folder.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const docs = join(root, "docs");
const pictures = join(docs, "public/pictures");
const LEFT_OUT = /^(\.vitepress|node_modules|public|images|measurements|decisions|experiments)\//;

/**
 * Every page of the site that may hold examples, by its path in docs.
 *
 * @returns {string[]}
 */
export function pages(folder = docs, prefix = "") {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.test(`${path}/`) ? [] : pages(join(folder, entry.name), `${path}/`);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** @returns {{ language: string, words: string[], settings: Record<string, string>, code: string, line: number, start: number, end: number }[]} */
export function blocksOf(text) {
  return [...text.matchAll(/^( *)```(\w+)([^\n]*)\n([\s\S]*?)^\1```$/gm)].map((match) => {
    const parts = match[3].trim().split(/\s+/).filter(Boolean);
    return {
      language: match[2],
      words: parts.filter((part) => !part.includes("=")),
      settings: Object.fromEntries(parts.filter((part) => part.includes("=")).map((part) => part.split(/=(.*)/s))),
      code: match[4].replaceAll(new RegExp(`^${match[1]}`, "gm"), ""),
      line: text.slice(0, match.index).split("\n").length,
      start: match.index,
      end: match.index + match[0].length,
    };
  });
}

const MARKS = { sh: ["run", "long", "shown"], ts: ["run", "long", "compiled"] };

/** What is wrong with the marks of a page's blocks, as sentences. */
export function unmarked(page, text) {
  return blocksOf(text).flatMap(({ language, words, line }) => {
    const marks = MARKS[language];
    if (!marks || marks.some((mark) => words.includes(mark))) return [];
    return [`docs/${page}:${line}: a block of ${language} needs one of ${marks.join(", ")}.`];
  });
}

/**
 * The lines of an output that a page shows.
 *
 * @param {string} output
 * @param {{ show?: string, find?: string }} settings
 */
export function shownLines(output, { show, find } = {}) {
  const lines = output
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
  if (find) return foundLines(lines, find.replaceAll("_", " ").split(","));
  if (!show) return lines.join("\n");
  let last = 0;
  const parts = [];
  for (const range of show.split(",")) {
    const [from, to = from] = range.split("-").map((word) => (word === "" ? lines.length : Number(word)));
    if (from > last + 1) parts.push("…");
    parts.push(...lines.slice(from - 1, to));
    last = to;
  }
  if (last < lines.length) parts.push("…");
  return parts.join("\n");
}

function foundLines(lines, words) {
  const parts = [];
  let last = -1;
  for (const [i, line] of lines.entries()) {
    if (!words.some((word) => line.includes(word))) continue;
    if (i > last + 1) parts.push("…");
    parts.push(line);
    last = i;
  }
  if (last < lines.length - 1) parts.push("…");
  return parts.join("\n");
}

/** Runs the blocks of a page in order. Returns the page with the output that they gave, and what failed. */
export async function runPage(page, { long = false, pictureFolder = pictures } = {}) {
  const text = readFileSync(join(docs, page), "utf8");
  const blocks = blocksOf(text);
  const folder = join(root, ".cache/site-examples", page.replace(/\.md$/, ""));
  const problems = [];
  const times = [];
  let written = "";
  let at = 0;
  let last = null;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(docs, "public/data"))) cpSync(join(docs, "public/data"), folder, { recursive: true });
  const wanted = (words) => words.includes("run") || (long && words.includes("long"));
  for (const [index, block] of blocks.entries()) {
    const { language, words, settings, code } = block;
    if (settings.file) writeFileSync(join(folder, settings.file), code);
    if (language === "text" && words.includes("output")) {
      if (last) {
        written += `${text.slice(at, block.start)}\`\`\`text output\n${shownLines(last.output, last.settings)}\n\`\`\``;
        at = block.end;
      }
      last = null;
    } else if (MARKS[language] && wanted(words)) {
      const start = performance.now();
      const { output, status } = await runBlock(block, index, folder);
      times.push([block.line, Math.round(performance.now() - start)]);
      last = { output, settings };
      if (status !== Number(settings.exit ?? 0)) problems.push(`docs/${page}:${block.line}: ended with ${status}:\n${output}`);
      for (const name of settings.picture?.split(",") ?? []) keepPicture(join(folder, name), join(pictureFolder, name));
    } else if (language !== "csv") last = null;
  }
  written += text.slice(at);
  return { text, written, problems, times };
}

function keepPicture(from, to) {
  if (!existsSync(from)) throw new Error(`${from} was not made.`);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function runBlock({ language, code }, index, folder) {
  if (language === "sh") return output("bash", ["-e", "-c", `exec 2>&1\n${code}`], folder);
  const file = join(folder, `block-${index}.mjs`);
  writeFileSync(
    file,
    ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } }).outputText,
  );
  return output(process.execPath, [file], folder);
}

/** Lines of progress, which come after a second of work: "trying mixture: 2 of 11". */
const PROGRESS = /^[\w (),-]+: [\d,]+ of [\d,]+.*\n/gm;

/** What a program prints, both streams in order. The command is the one of this checkout; no sample set is taken from elsewhere. */
function output(program, args, cwd) {
  const shim = join(root, ".cache/site-examples/.bin");
  mkdirSync(shim, { recursive: true });
  if (!existsSync(join(shim, "coterie")))
    writeFileSync(
      join(shim, "coterie"),
      `#!/bin/sh\nexec "${process.execPath}" "${join(root, "packages/cli/bin/coterie.js")}" "$@"\n`,
      { mode: 0o755 },
    );
  const { COTERIE_DATA: _, ...env } = process.env;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, PATH: `${shim}:${env.PATH}`, COLUMNS: "96", NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
    const tidy = () => text.replaceAll(`${cwd}/`, "").replace(PROGRESS, "");
    child.on("close", (status) => resolve({ output: tidy(), status }));
  });
}

/** All TypeScript of the pages, compiled together: what the compiler says, by page and line. */
export function compileProblems(list = pages()) {
  const sources = new Map();
  for (const page of list)
    for (const [index, { language, code, line, words }] of blocksOf(readFileSync(join(docs, page), "utf8")).entries())
      if (language === "ts" && words.length > 0)
        sources.set(join(root, `packages/cli/site-example-${page.replaceAll(/\W/g, "-")}-${index}.mts`), {
          page,
          line,
          code: `${code}\nexport {};\n`,
        });
  const options = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.readFile = (file) => sources.get(file)?.code ?? readFile(file);
  host.getSourceFile = (file, ...rest) =>
    sources.has(file) ? ts.createSourceFile(file, sources.get(file).code, ...rest) : getSourceFile(file, ...rest);
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const { page = "?", line = 0 } = sources.get(file?.fileName) ?? {};
    const offset = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `docs/${page}:${line + offset}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
