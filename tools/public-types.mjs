/** The built declarations of `coterie` as compilers and editors see them: one language service for the API report and tests. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));

const { exports: entryPoints } = JSON.parse(readFileSync(`${root}packages/cli/package.json`, "utf8"));
// `coterie/browser` has the names of `coterie`, as one file for pages without a bundler.
export const entries = Object.entries(entryPoints)
  .filter(([room]) => room !== "./browser")
  .map(([room, { types }]) => ({
    room: room.replace(/^\./, "coterie"),
    file: `${root}packages/cli/${types.replace(/^\.\//, "")}`,
  }));

/** A file that somebody is writing, beside the package. */
const page = `${root}packages/cli/somebody.ts`;
let written = { text: "export {};", version: 0 };

const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: true, types: [] };
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [...entries.map(({ file }) => file), page],
  getScriptVersion: (file) => (file === page ? String(written.version) : "0"),
  getScriptSnapshot(file) {
    const text = file === page ? written.text : ts.sys.readFile(file);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (file) => file === page || ts.sys.fileExists(file),
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  realpath: ts.sys.realpath,
});

export function declared(file) {
  const program = service.getProgram();
  const source = program.getSourceFile(file);
  if (!source) throw new Error(`${file} is not there: run \`npm run build\` first.`);
  const checker = program.getTypeChecker();
  return { checker, symbols: checker.getExportsOfModule(checker.getSymbolAtLocation(source)) };
}

/** Takes the code in, and returns the place of the mark `¦` in it. */
function write(code) {
  written = { text: code.replace("¦", ""), version: written.version + 1 };
  return code.indexOf("¦");
}

/** What an editor shows at the mark: the type, and the description below it. */
export function hoverAt(code) {
  const info = service.getQuickInfoAtPosition(page, write(code));
  return { type: ts.displayPartsToString(info?.displayParts), text: ts.displayPartsToString(info?.documentation) };
}

export function offeredAt(code) {
  return service.getCompletionsAtPosition(page, write(code), {})?.entries.map(({ name }) => name) ?? [];
}

/** What the compiler says against the code. */
export function errorsIn(code) {
  write(code);
  return service.getSemanticDiagnostics(page).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
