/**
 * `node tools/api-report.mjs`: every public name of `coterie`, by room, with its declaration and whether it is documented, and the
 * options of every method, as docs/api.md; and the types of the options (packages/core/src/algorithms/method-options.ts). `--check`
 * compares instead of writing. It reads the built declarations, as people's compilers do.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { optionTables, optionTypes } from "./method-options.mjs";
import { declared, entries } from "./public-types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = `${root}docs/api.md`;
const types = `${root}packages/core/src/algorithms/method-options.ts`;

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

/** The page, as text. */
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of [
    [types, optionTypes()],
    [page, report()],
  ]) {
    if (!process.argv.includes("--check")) {
      writeFileSync(file, text);
      console.log(file);
    } else if (readFileSync(file, "utf8") !== text) {
      console.error(`${file} is not what the build exports: run \`node tools/api-report.mjs\` and look at the difference.`);
      process.exitCode = 1;
    }
  }
}
