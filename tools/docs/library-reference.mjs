/** The public names of an entry point, from the built declarations: what each is for, its types, and its examples. */
import ts from "typescript";
import { declared, entries } from "../public-types.mjs";

const text = (parts) => ts.displayPartsToString(parts).trim();

export function libraryReference(entry) {
  const found = entries.find(({ room }) => room === entry);
  if (!found) throw new Error(`There is no entry point "${entry}".`);
  const { checker, symbols } = declared(found.file);
  const described = symbols
    .map((symbol) => ({ symbol, target: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol }))
    .sort((a, b) => (a.symbol.name < b.symbol.name ? -1 : 1));
  const isMethod = ({ target }) => /NamedMethod</.test(typeOf(checker, target));
  const methods = described.filter(isMethod);
  const isType = ({ target }) =>
    !(target.flags & (ts.SymbolFlags.Value & ~ts.SymbolFlags.Class)) || target.flags & ts.SymbolFlags.Class;
  const others = described.filter((each) => !isMethod(each));
  return [
    methods.length > 0
      ? `## Methods\n\nEach is called as \`name(points, known, { k, … })\`. ${methods.map(({ symbol }) => `[${symbol.name}](/methods/${kebab(symbol.name)})`).join(" · ")}\n`
      : "",
    part(
      "Functions and values",
      others.filter((each) => !isType(each)),
      checker,
    ),
    part("Types", others.filter(isType), checker),
  ].join("\n");
}

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function typeOf(checker, symbol) {
  const at = symbol.valueDeclaration;
  return at ? checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, at)) : "";
}

function part(title, names, checker) {
  if (names.length === 0) return "";
  return `## ${title}\n\n${names.map(({ symbol, target }) => `### ${symbol.name}\n\n${escaped(text(target.getDocumentationComment(checker)))}\n\n\`\`\`ts\n${declarationOf(target)}\n\`\`\`\n`).join("\n")}`;
}

/** Angle brackets and braces of a comment are text; code in it stays. */
function escaped(comment) {
  return comment
    .split(/(```[\s\S]*?```|`[^`]*`)/)
    .map((piece) => (piece.startsWith("`") ? piece : piece.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("");
}

const MOST_LINES = 60;

/** The declaration as the package has it; a long one is cut. */
function declarationOf(symbol) {
  const lines = symbol.declarations
    .map((declaration) =>
      ts.isVariableDeclaration(declaration) ? `declare const ${declaration.getText()};` : declaration.getText(),
    )
    .join("\n")
    .replace(/^export (declare )?/gm, "")
    .split("\n");
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "  // …"].join("\n") : lines.join("\n");
}
