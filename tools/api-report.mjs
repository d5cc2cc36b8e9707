/**
 * `node tools/api-report.mjs` builds the packages and writes the files that follow from the catalogue (method-options.mjs lists them), then
 * docs/api.md: every public name of `coterie` by entry point, and the options of every method. It reads the built declarations, as
 * people's compilers do. `--check` compares the files with the present build instead of writing them.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { declared, entries } from "./public-types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const isProgram = process.argv[1] === fileURLToPath(import.meta.url);
const writes = isProgram && !process.argv.includes("--check");

function build(name) {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "--build", `packages/${name}`], {
    cwd: root,
    stdio: "inherit",
  });
}

if (writes) build("core");
// The catalogue of core is part of this module, so the build comes first.
const { coreExports, libraryMethods, optionTables, optionTypes } = await import("./method-options.mjs");
const { pythonMethods } = await import("./python-methods.mjs");

/**
 * The sources that follow from the catalogue, each with its text.
 *
 * @type {[file: string, textOf: () => string][]}
 */
export const derivedSources = [
  ["packages/core/src/algorithms/method-options.ts", optionTypes],
  ["packages/core/src/methods.ts", coreExports],
  ["packages/cli/src/library/methods.ts", libraryMethods],
  ["python/coterie/_methods.py", pythonMethods],
];

/** Names in each room: `{ room, names: [{ name, kind, summary, example }] }`. */
export function publicNames() {
  return entries.map(({ room, file }) => {
    const { checker, symbols } = declared(file);
    const names = symbols.map((symbol) => describe(symbol, checker)).sort((a, b) => (a.name < b.name ? -1 : 1));
    return { room, names };
  });
}

function describe(symbol, checker) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const text = ts.displayPartsToString(target.getDocumentationComment(checker)).trim();
  return {
    name: symbol.name,
    kind: kindOf(target, checker),
    summary: text
      .split(/\n\s*\n|```/)[0]
      .replace(/\s+/g, " ")
      .trim(),
    example: text.includes("```"),
    parameters: parametersOf(target, checker),
  };
}

function kindOf({ flags }) {
  if (flags & ts.SymbolFlags.Class) return "class";
  if (flags & ts.SymbolFlags.Interface) return "interface";
  if (flags & ts.SymbolFlags.TypeAlias) return "type";
  return flags & ts.SymbolFlags.Function ? "function" : "const";
}

/** What a function is called with; methods are functions with facts. */
function parametersOf(symbol, checker) {
  const declaration = symbol.valueDeclaration;
  if (!declaration || symbol.flags & ts.SymbolFlags.Class) return "";
  const [signature] = checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures();
  if (!signature) return "";
  const names = signature.parameters.map((parameter) => {
    const given = parameter.valueDeclaration;
    const name = given && ts.isParameter(given) && ts.isIdentifier(given.name) ? given.name.text : "options";
    return given && ts.isParameter(given) && (given.questionToken || given.initializer) ? `${name}?` : name;
  });
  return `(${names.join(", ")})`;
}

export function report() {
  const listed = publicNames();
  const count = listed.reduce((sum, { names }) => sum + names.length, 0);
  const parts = listed.map(
    ({ room, names }) =>
      `## ${room}\n\n| name | is | what for |\n|---|---|---|\n${names
        .map(
          ({ name, kind, parameters, summary }) => `| \`${name}${parameters}\` | ${kind} | ${summary.replaceAll("|", "\\|")} |`,
        )
        .join("\n")}\n`,
  );
  return `# The public names\n\n${count} names in ${listed.length} modules, as the compiler sees them. Made by \`node tools/api-report.mjs\`; a test compares it with the build.\n\n${parts.join("\n")}\n## Options of the methods\n\nFrom the schemas that check them. Every call takes \`seed\` and \`kernels\` too, and \`k\` may be a range of which one number is chosen: \`[2, 10]\`.\n\n${optionTables()}`;
}

if (isProgram) {
  for (const [file, textOf] of [...derivedSources, ["docs/api.md", report]]) {
    if (writes && textOf === report) build("cli");
    const text = textOf();
    if (readFileSync(root + file, "utf8") === text) continue;
    if (writes) writeFileSync(root + file, text);
    else {
      console.error(`${file} does not follow from the catalogue: run \`node tools/api-report.mjs\` and look at the difference.`);
      process.exitCode = 1;
    }
    console.log(file);
  }
}
