/**
 * Reads constraint files: CSV with the header `type,a,b,c,weight`, JSON lines with the same keys, and the format of older tools,
 * lines `i j 1|-1` with row numbers from 0.
 */
import type { ConstraintSet, Grouping, InstanceId } from "@coterie/core/internal";
import { badInput, ConstraintBuilder, nearestName } from "@coterie/core/internal";
import { readCsv } from "../csv/csv.js";
import { csvCell } from "../csv/csv-write.js";
import { nextTurn } from "../engines/turns.js";
import { peek } from "../formats/formats.js";
import { numberAsWritten, parseObject } from "../formats/jsonl.js";
import { textLines } from "../lines/lines.js";
import { numberOf } from "../table/parse-number.js";
import { listed, quoted } from "../table/sentences.js";
import type { Chunks, NominalColumn, ReadOptions } from "../table/table.js";
import { textBytes, unhashed } from "../table/utf8.js";
import { MOST_LONE_ROWS, type NamedRows, namingFinder, type Place, type RowFinder, rowFinder } from "./row-names.js";

export interface ConstraintReadOptions extends Pick<ReadOptions, "file" | "signal" | "onProgress" | "bytesTotal"> {
  /** The rows that constraints can name: the result of `readTable`, or any instances. */
  readonly rows: NamedRows & { readonly exclusive?: readonly Grouping[] };
}

export interface ReadConstraints {
  readonly set: ConstraintSet;
  readonly notices: readonly string[];
}

const keys = ["type", "a", "b", "c", "weight"] as const;
type Key = (typeof keys)[number];
type Fields = Readonly<Partial<Record<Key, string>>>;

const types = ["must-link", "cannot-link", "relative", "label"];

const oldLine = /^\s*(\d+)\s+(\d+)\s+([+-]?1)\s*$/;

export async function readConstraints(chunks: Chunks, options: ConstraintReadOptions): Promise<ReadConstraints> {
  const { rows } = options;
  const builder = new ConstraintBuilder(rows.n, (row) => String(rows.ids?.[row] ?? row));
  const { rows: _, ...reading } = options;
  const source = await readInto(chunks, reading, builder, rowFinder(rows));
  const { set, notices } = builder.finish(rows.exclusive ?? []);
  return { set, notices: [...source.notices, ...notices] };
}

/** The result of reading constraint files without the table that they belong to. */
export interface LoneConstraints {
  /** The constraints. A row gets its number when the files first name it: the first row named is row 0. */
  readonly set: ConstraintSet;
  /** The names of the rows: numbers if every name in the files is a row number, otherwise texts. */
  readonly ids: readonly InstanceId[];
  readonly notices: readonly string[];
}

/** Reads several files into one constraint set, without a table. The only rows are the rows that the files name. */
export async function readConstraintsAlone(
  sources: readonly { readonly chunks: Chunks; readonly file: string }[],
  { named = false, ...options }: Pick<ReadOptions, "signal"> & { readonly named?: boolean } = {},
): Promise<LoneConstraints> {
  const names: string[] = [];
  const builder = new ConstraintBuilder(MOST_LONE_ROWS, (row) => names[row]!);
  const finder = namingFinder(names);
  const notices: string[] = [];
  for (const { chunks, file } of sources) {
    notices.push(...(await readInto(chunks, { ...options, file }, builder, finder)).notices);
  }
  const { set, notices: more } = builder.finish([]);
  const numbers = !named && names.every((name) => /^(0|[1-9]\d{0,14})$/.test(name));
  return { set: { ...set, n: names.length }, ids: numbers ? names.map(Number) : names, notices: [...notices, ...more] };
}

type ReadingOptions = Omit<ConstraintReadOptions, "rows">;

async function readInto(chunks: Chunks, options: ReadingOptions, builder: ConstraintBuilder, finder: RowFinder): Promise<Source> {
  const peeked = await peek(chunks, 4096);
  const kind = kindOf(peeked.head);
  const read = kind === "json" ? readJson : kind === "old" ? readOld : readTable;
  return await read(peeked.chunks, options, builder, finder);
}

/** Merges several sets about the same rows; a constraint that occurs in several sets is kept once. */
export function mergeConstraintSets(sets: readonly ConstraintSet[], names: NamedRows): Pick<ReadConstraints, "set" | "notices"> {
  const n = names.n;
  const builder = new ConstraintBuilder(n, (row) => String(names.ids?.[row] ?? row));
  const exclusive = new Map<string, Grouping>();
  const place = { file: "The constraint files together" };
  for (const { mustLinks, cannotLinks, relative, labels, exclusive: groupings } of sets) {
    mustLinks.a.forEach((a, s) => void builder.mustLink(a, mustLinks.b[s]!, mustLinks.weight[s]!, place));
    cannotLinks.a.forEach((a, s) => void builder.cannotLink(a, cannotLinks.b[s]!, cannotLinks.weight[s]!, place));
    relative.a.forEach((a, s) => void builder.relative(a, relative.b[s]!, relative.c[s]!, relative.weight[s]!, place));
    labels.row.forEach((row, s) => void builder.label(row, labels.names[labels.code[s]!]!, labels.weight[s]!, place));
    for (const grouping of groupings) if (!exclusive.has(grouping.column)) exclusive.set(grouping.column, grouping);
  }
  return builder.finish([...exclusive.values()]);
}

export function* writeConstraints(set: ConstraintSet, ids?: readonly InstanceId[]): Generator<string, void, void> {
  const name = (row: number) => csvCell(String(ids?.[row] ?? row));
  const { mustLinks, cannotLinks, relative, labels } = set;
  let piece = "type,a,b,c,weight\n";
  const lines = function* (): Generator<string, void, void> {
    for (let s = 0; s < mustLinks.a.length; s++) {
      yield `must-link,${name(mustLinks.a[s]!)},${name(mustLinks.b[s]!)},,${weightText(mustLinks.weight[s]!)}\n`;
    }
    for (let s = 0; s < cannotLinks.a.length; s++) {
      yield `cannot-link,${name(cannotLinks.a[s]!)},${name(cannotLinks.b[s]!)},,${weightText(cannotLinks.weight[s]!)}\n`;
    }
    for (let s = 0; s < relative.a.length; s++) {
      const { a, b, c, weight } = relative;
      yield `relative,${name(a[s]!)},${name(b[s]!)},${name(c[s]!)},${weightText(weight[s]!)}\n`;
    }
    for (let s = 0; s < labels.row.length; s++) {
      const text = csvCell(labels.names[labels.code[s]!]!);
      yield `label,${name(labels.row[s]!)},${text},,${weightText(labels.weight[s]!)}\n`;
    }
  };
  for (const line of lines()) {
    piece += line;
    if (piece.length < 1 << 16) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

function weightText(weight: number): string {
  return weight === Infinity ? "inf" : String(weight);
}

function kindOf(head: Uint8Array): "csv" | "json" | "old" {
  // Dropping the zero bytes makes the first line of a UTF-16 file readable as UTF-8.
  const text = new TextDecoder().decode(head.filter((byte) => byte !== 0 && byte < 0x80)).trimStart();
  if (text.startsWith("{")) return "json";
  return oldLine.test(text.split(/\r\n|\n|\r/, 1)[0]!) ? "old" : "csv";
}

interface Source {
  readonly notices: readonly string[];
}

/** Number of lines that are read before the event loop gets a pause. Reading them takes about 30 ms. */
const ROWS_A_TURN = 16_384;

async function readTable(chunks: Chunks, options: ReadingOptions, builder: ConstraintBuilder, rows: RowFinder): Promise<Source> {
  const { file } = options;
  const table = await readCsv(chunks, { ...options, ...unhashed }, { allText: true, allowEmpty: true, shortRecords: true });
  const byKey = new Map<string, NominalColumn>();
  for (const column of table.columns) {
    const key = column.name.trim().toLowerCase();
    if (!keys.some((each) => each === key) || byKey.has(key)) throw unknownColumn(column.name, file);
    if (column.kind === "nominal") byKey.set(key, column);
  }
  for (const key of ["type", "a", "b"]) {
    if (byKey.has(key)) continue;
    throw badInput(`The file has no column ${quoted(key)}.`, {
      file,
      line: 1,
      remedy: "A constraint file begins with the header type,a,b,c,weight (c and weight are optional).",
    });
  }
  for (let row = 0; row < table.n; row++) {
    if (row % ROWS_A_TURN === ROWS_A_TURN - 1) {
      await nextTurn();
      options.signal?.throwIfAborted();
    }
    const fields: Partial<Record<Key, string>> = {};
    for (const key of keys) {
      const column = byKey.get(key);
      const code = column?.codes[row] ?? -1;
      if (column && code >= 0) fields[key] = column.levels[code]!;
    }
    addConstraint(fields, builder, rows, { file, line: table.lineOf?.(row) ?? row + 2 });
  }
  return table;
}

function unknownColumn(name: string, file: string): Error {
  const guess = nearestName(name, keys);
  return badInput(`The file has a column ${quoted(name)}, which constraints do not have.`, {
    file,
    line: 1,
    remedy: `${guess === undefined ? "" : `Did you mean ${quoted(guess)}? `}The columns are type, a, b, c and weight.`,
  });
}

async function readJson(chunks: Chunks, options: ReadingOptions, builder: ConstraintBuilder, rows: RowFinder): Promise<Source> {
  return await readLines(chunks, options, (text, place) => {
    addConstraint(fieldsOf(text, place), builder, rows, place);
  });
}

async function readLines(
  chunks: Chunks,
  options: ReadingOptions,
  take: (text: string, place: Required<Place>) => void,
): Promise<Source> {
  const { file } = options;
  const source = textBytes(chunks, { ...options, ...unhashed });
  for await (const { first, lines } of textLines(source.chunks, file)) {
    lines.forEach((text, i) => {
      if (text.trim() !== "") take(text, { file, line: first + i });
    });
  }
  return source;
}

function fieldsOf(text: string, place: Required<Place>): Fields {
  const fields: Partial<Record<Key, string>> = {};
  for (const [name, value] of Object.entries(parseObject(text, place.file, place.line))) {
    const key = keys.find((each) => each === name);
    if (key === undefined) {
      throw badInput(`Constraints have no key ${quoted(name)}.`, {
        ...place,
        remedy: "The keys are type, a, b, c and weight.",
      });
    }
    if (value === null || value === "") continue;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
      throw badInput(`The key ${quoted(name)} holds neither a text nor a number.`, {
        ...place,
        remedy: "Give an id, a class or a weight.",
      });
    }
    fields[key] = typeof value === "number" ? numberAsWritten(text, name, value) : String(value);
  }
  return fields;
}

async function readOld(chunks: Chunks, options: ReadingOptions, builder: ConstraintBuilder, rows: RowFinder): Promise<Source> {
  return await readLines(chunks, options, (text, place) => {
    const match = oldLine.exec(text);
    if (!match) {
      throw badInput(`The line is not "row row 1" or "row row -1": ${quoted(text)}.`, {
        ...place,
        remedy: "Correct it, or write the file with the header type,a,b,c,weight.",
      });
    }
    const a = rows.byNumber(withoutLeadingZeros(match[1]!), place);
    const b = rows.byNumber(withoutLeadingZeros(match[2]!), place);
    if (match[3] === "-1") builder.cannotLink(a, b, 1, place);
    else builder.mustLink(a, b, 1, place);
  });
}

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, "");
}

function addConstraint(fields: Fields, builder: ConstraintBuilder, rows: RowFinder, place: Place): void {
  const type = fields.type?.trim();
  if (type === undefined || !types.includes(type)) {
    const guess = type === undefined ? undefined : nearestName(type, types);
    throw badInput(type === undefined ? "The constraint has no type." : `${quoted(type)} is not a type of constraint.`, {
      ...place,
      remedy: `${guess === undefined ? "" : `Did you mean ${quoted(guess)}? `}The types are ${listed(types)}.`,
    });
  }
  const weight = weightOf(fields.weight, place);
  const a = rows.byId(needed(fields, "a", type, place), place);
  const second = needed(fields, "b", type, place);
  if (type === "relative") {
    const third = needed(fields, "c", type, place);
    builder.relative(a, rows.byId(second, place), rows.byId(third, place), weight, place);
    return;
  }
  if (fields.c !== undefined) {
    throw badInput(`The ${type} has a third value, ${quoted(fields.c)}, in c.`, {
      ...place,
      remedy: "Only relative constraints have c; the weight is the column behind it.",
    });
  }
  if (type === "must-link") builder.mustLink(a, rows.byId(second, place), weight, place);
  else if (type === "cannot-link") builder.cannotLink(a, rows.byId(second, place), weight, place);
  else builder.label(a, second, weight, place);
}

function needed(fields: Fields, key: Key, type: string, place: Place): string {
  const value = fields[key];
  if (value !== undefined) return value;
  const what = type === "label" && key === "b" ? "class (in b)" : key;
  throw badInput(`The ${type} has no ${what}.`, { ...place, remedy: shapes[type]! });
}

const shapes: Readonly<Record<string, string>> = {
  "must-link": "Write must-link,a,b.",
  "cannot-link": "Write cannot-link,a,b.",
  relative: "Write relative,a,b,c: a and b are closer to each other than either is to c.",
  label: "Write label,a,CLASS.",
};

function weightOf(text: string | undefined, place: Place): number {
  if (text === undefined) return 1;
  const trimmed = text.trim();
  if (/^\+?(?:inf|infinity)$/i.test(trimmed)) return Infinity;
  const weight = numberOf(trimmed);
  if (weight !== undefined && weight > 0 && weight < Infinity) return weight;
  throw badInput(`The weight is ${quoted(text)}.`, { ...place, remedy: "Weights are numbers above 0, or inf." });
}
