/**
 * `node tools/api-report.mjs`: every public name of `coterie`, by room, with its declaration and whether it is documented, as
 * docs/api.md. `--check` compares instead of writing. It reads the built declarations, as people's compilers do.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = `${root}docs/api.md`;

/** The rooms, from the package's own list. */
const { exports: rooms } = JSON.parse(readFileSync(`${root}packages/cli/package.json`, "utf8"));
// `coterie/browser` has the names of `coterie`, as one file for pages without a bundler.
const entries = Object.entries(rooms)
  .filter(([room]) => room !== "./browser")
  .map(([room, { types }]) => ({
    room: room.replace(/^\./, "coterie"),
    file: `${root}packages/cli/${types.replace(/^\.\//, "")}`,
  }));

/** Names in each room: `{ room, names: [{ name, kind, summary, example }] }`. */
export function publicNames() {
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: true },
  );
  const checker = program.getTypeChecker();
  return entries.map(({ room, file }) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} is not there: run \`npm run build\` first.`);
    const names = checker
      .getExportsOfModule(checker.getSymbolAtLocation(source))
      .map((symbol) => describe(symbol, checker))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
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
  return `# The public names\n\n${count} names in ${listed.length} rooms, as the compiler sees them. Made by \`node tools/api-report.mjs\`; a test compares it with the build.\n\n${parts.join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--check")) {
    if (readFileSync(page, "utf8") !== report()) {
      console.error("docs/api.md is not what the build exports: run `node tools/api-report.mjs` and look at the difference.");
      process.exitCode = 1;
    }
  } else {
    writeFileSync(page, report());
    console.log(page);
  }
}
