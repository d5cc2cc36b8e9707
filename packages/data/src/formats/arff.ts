/**
 * Reads ARFF, the format of Weka: declared attributes, then comma-separated rows, dense or sparse. The declarations decide the types:
 * `numeric`, `real` and `integer` are numbers, all other types are text.
 */
import { badInput } from "@coterie/core/internal";
import { LineIndex } from "../lines/line-index.js";
import { textLines } from "../lines/lines.js";
import { builderFor, type ColumnBuilder, SKIPPED, TEXT, UNDECIDED } from "../table/columns.js";
import { checkNames } from "../table/names.js";
import { isNonFiniteText, numberOf } from "../table/parse-number.js";
import { counted, listed, quoted } from "../table/sentences.js";
import { type Chunks, isMissingText, type ReadOptions, type Table } from "../table/table.js";
import { textBytes } from "../table/utf8.js";

interface Attribute {
  readonly name: string;
  readonly type: "number" | "text" | "nominal";
  readonly levels: ReadonlySet<string>;
  /** The first level in the declaration of the attribute. Sparse rows leave out cells with this level. */
  readonly first: string;
}

interface Token {
  readonly text: string;
  readonly inQuotes: boolean;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

export async function readArff(chunks: Chunks, options: ReadOptions): Promise<Table> {
  const { file } = options;
  const source = textBytes(chunks, options);
  const attributes: Attribute[] = [];
  let data: ArffRows | null = null;
  let anything = false;
  for await (const { first, lines } of textLines(source.chunks, file)) {
    for (let i = 0; i < lines.length; i++) {
      const text = lines[i]!.trim();
      const place = { file, line: first + i };
      if (text === "" || text.startsWith("%")) {
        data?.skipLine();
        continue;
      }
      anything = true;
      if (data) data.add(text, place);
      else if (/^@data\b/i.test(text)) data = new ArffRows(attributes, options, place);
      else declare(text, attributes, place);
    }
  }
  if (!anything) throw badInput("The file is empty.", { file, remedy: "An ARFF file declares attributes and holds data rows." });
  if (!data) throw badInput("The file has no @data section.", { file, remedy: "Put a line @data before the rows." });
  const table = data.finish();
  return { ...table, notices: [...source.notices, ...table.notices], contentHash: source.contentHash };
}

function declare(text: string, attributes: Attribute[], place: Place): void {
  if (/^@relation\b/i.test(text)) return;
  const match = /^@attribute\s+/i.exec(text);
  if (!match) {
    throw badInput(`The line is not a declaration: ${quoted(text)}.`, {
      ...place,
      remedy: "Before @data only @relation and @attribute lines and % comments are allowed.",
    });
  }
  const name = tokenAt(text, match[0].length, " \t{", place);
  const type = text.slice(name.next).trim();
  if (name.token.text === "" || type === "") {
    throw badInput(`The attribute has no ${type === "" ? "type" : "name"}.`, { ...place, remedy: "Write @attribute NAME TYPE." });
  }
  attributes.push({ name: name.token.text, ...typeOf(type, name.token.text, place) });
}

function typeOf(type: string, name: string, place: Place): Omit<Attribute, "name"> {
  const none = { levels: new Set<string>(), first: "" };
  if (/^(?:numeric|real|integer)\b/i.test(type)) return { type: "number", ...none };
  if (/^(?:string|date)\b/i.test(type)) return { type: "text", ...none };
  if (type.startsWith("{")) {
    if (!type.endsWith("}")) {
      throw badInput(`The levels of attribute ${quoted(name)} do not end.`, { ...place, remedy: "Close them with }." });
    }
    const levels = cellsOf(type.slice(1, -1), place).map((token) => token.text);
    return { type: "nominal", levels: new Set(levels), first: levels[0] ?? "" };
  }
  throw badInput(`Attribute ${quoted(name)} has the type ${quoted(type)}, which is not supported.`, {
    ...place,
    remedy: "Types are numeric, real, integer, string, date and {level, level, …}.",
  });
}

class ArffRows {
  readonly #attributes: readonly Attribute[];
  readonly #columns: readonly ColumnBuilder[];
  readonly #index: LineIndex;
  readonly #file: string;
  readonly #line: number;
  #row = 0;
  #capacity = 0;

  constructor(attributes: readonly Attribute[], options: ReadOptions, place: Place) {
    if (attributes.length === 0) {
      throw badInput("No attribute is declared before @data.", {
        ...place,
        remedy: "Write @attribute NAME TYPE for every column.",
      });
    }
    const names = attributes.map((attribute) => attribute.name);
    checkNames(names, place);
    this.#attributes = attributes;
    this.#columns = attributes.map(({ name, type }) => builderFor(name, options, type === "number" ? UNDECIDED : TEXT));
    this.#index = new LineIndex(place.line + 1);
    this.#file = place.file;
    this.#line = place.line;
  }

  skipLine(): void {
    this.#index.skip(this.#row - 1, 1);
  }

  add(text: string, place: Place): void {
    if (this.#row === this.#capacity) {
      this.#capacity = Math.max(256, Math.floor(1.6 * this.#capacity));
      for (const column of this.#columns) column.grow(this.#capacity);
    }
    if (text.startsWith("{")) this.#addSparse(text, place);
    else {
      const cells = cellsOf(text, place);
      const width = this.#columns.length;
      if (cells.length !== width) {
        throw badInput(
          `The row has ${counted(cells.length, "cell")}, but ${counted(width, "attribute is", "attributes are")} declared.`,
          {
            ...place,
            remedy: "Correct the row; a cell that contains a comma must be in quotes.",
          },
        );
      }
      for (const [j, cell] of cells.entries()) this.#addCell(j, cell, place);
    }
    this.#row++;
  }

  #addSparse(text: string, place: Place): void {
    if (!text.endsWith("}")) throw badInput("The sparse row does not end.", { ...place, remedy: "Close it with }." });
    const given = new Map<number, Token>();
    const inside = text.slice(1, -1).trim();
    for (let p = 0; p < inside.length; ) {
      const index = /^\s*(\d+)\s+/.exec(inside.slice(p, p + 64));
      const j = index ? Number(index[1]) : -1;
      if (!index || j >= this.#columns.length || given.has(j)) {
        const shown = inside.slice(p, p + 40).trim();
        throw badInput(`The sparse row has no attribute of its own number at ${quoted(shown)}.`, {
          ...place,
          remedy: `Write {NUMBER VALUE, …} with each number from 0 to ${this.#columns.length - 1} at most once.`,
        });
      }
      const { token, next } = tokenAt(inside, p + index[0].length, ",", place);
      given.set(j, token);
      p = next + 1;
    }
    this.#attributes.forEach((attribute, j) => {
      const token = given.get(j) ?? {
        text: attribute.type === "number" ? "0" : attribute.first,
        inQuotes: attribute.type !== "number",
      };
      if (attribute.type === "text" && !given.has(j) && this.#columns[j]!.mode !== SKIPPED) {
        throw badInput(`The sparse row leaves out attribute ${quoted(attribute.name)}, which is text.`, {
          ...place,
          remedy: "Give the text, or ? if it is missing.",
        });
      }
      this.#addCell(j, token, place);
    });
  }

  #addCell(j: number, { text, inQuotes }: Token, place: Place): void {
    const column = this.#columns[j]!;
    const { name, type, levels } = this.#attributes[j]!;
    if (column.mode === SKIPPED) return;
    if (!inQuotes && isMissingText(text) && !levels.has(text)) column.nothing(this.#row);
    else if (type === "number" && column.mode !== TEXT) column.number(this.#row, finite(text, name, place), this.#index.lineOf);
    else {
      if (type === "nominal" && !levels.has(text)) {
        throw badInput(`Attribute ${quoted(name)} has no level ${quoted(text)}.`, {
          ...place,
          remedy: `It declares ${levels.size === 0 ? "none" : listed([...levels])}.`,
        });
      }
      column.text(this.#row, text, this.#index.lineOf);
    }
  }

  finish(): Omit<Table, "contentHash"> {
    const n = this.#row;
    const file = this.#file;
    if (n === 0)
      throw badInput("The file has no data rows.", { file, line: this.#line, remedy: "Add at least one row after @data." });
    const notices: string[] = [];
    const kept = this.#columns.filter((column) => column.mode !== SKIPPED);
    const skipped = this.#columns.filter((column) => column.mode === SKIPPED).map((column) => column.name);
    const columns = kept.flatMap((column) => column.finish(n, { file, notices }));
    return { n, columns, skipped, lineOf: this.#index.lineOf, file, notices };
  }
}

function finite(text: string, name: string, place: Place): number {
  const value = numberOf(text);
  if (value !== undefined && Number.isFinite(value)) return value;
  const why =
    value !== undefined
      ? "a number too large for a double"
      : isNonFiniteText(text)
        ? "which is not a finite number"
        : "which is not a number";
  throw badInput(`Attribute ${quoted(name)} is numeric but holds ${quoted(text)}, ${why}.`, {
    ...place,
    remedy: "Write ? if the value is missing, or declare the attribute as text.",
  });
}

function cellsOf(text: string, place: Place): Token[] {
  const cells: Token[] = [];
  for (let p = 0; ; ) {
    const { token, next } = tokenAt(text, p, ",", place);
    cells.push(token);
    if (next >= text.length) return cells;
    p = next + 1;
  }
}

/** The token at `start`, plain or quoted, and the position of the character that ends it (one of `stops`). */
function tokenAt(text: string, start: number, stops: string, place: Place): { readonly token: Token; readonly next: number } {
  let p = start;
  while (p < text.length && (text[p] === " " || text[p] === "\t")) p++;
  const quote = text[p];
  if (quote !== "'" && quote !== '"') {
    const from = p;
    while (p < text.length && !stops.includes(text[p]!)) p++;
    return { token: { text: text.slice(from, p).trim(), inQuotes: false }, next: p };
  }
  const from = p + 1;
  for (p = from; p < text.length && text[p] !== quote; p++) if (text[p] === "\\" && p + 1 < text.length) p++;
  const content = text.slice(from, p).replace(/\\(.)/gs, "$1");
  if (p >= text.length) throw badInput("A quote opens and is never closed.", { ...place, remedy: "Close it on the same line." });
  p++;
  while (p < text.length && (text[p] === " " || text[p] === "\t") && !stops.includes(text[p]!)) p++;
  if (p < text.length && !stops.includes(text[p]!)) {
    throw badInput("Text follows a closing quote.", { ...place, remedy: "Write \\ before each quote inside a quoted text." });
  }
  return { token: { text: content, inQuotes: true }, next: p };
}
