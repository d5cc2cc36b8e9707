/** A project's table in memory: every column of the file, and the rows that are clustered. */
import { badInput, type Grouping, type Instances, idOf, writtenValue } from "@coterie/core/internal";
import {
  type Column,
  classNotice,
  type InstanceOptions,
  idGuess,
  idNotice,
  instancesOf,
  isIdName,
  type LoadedInstances,
  type NominalColumn,
  type NumericColumn,
  type ReadOptions,
  readingOf,
  settledRoles,
  type Table,
} from "@coterie/data/browser";
import type { Constraint } from "../protocol/knowledge.js";
import type { ColumnReply, Reading, RowReply } from "../protocol/projects.js";

const BINS = 20;

const LEVELS = 12;

/** Turns the bytes of a file into typed columns. The host provides this function, so it decides which formats can be read. */
export type ReadColumns = (bytes: Uint8Array, options: ReadOptions) => Promise<Table>;

export interface LoadedTable extends LoadedInstances {
  readonly table: Table;
  readonly reading: Reading;
  readonly rowOf: ReadonlyMap<string, number>;
  /** Constraints that come with the table. They do not contradict each other, and they come before the constraints of the project. */
  readonly given?: readonly Constraint[];
}

export function rowsById(instances: Instances): ReadonlyMap<string, number> {
  return new Map(Array.from({ length: instances.n }, (_, row) => [String(idOf(instances, row)), row]));
}

interface TableBytes {
  readonly file: string;
  readonly reading: Reading;
  load(): Promise<Uint8Array>;
}

export function loadsWith(read: ReadColumns): (source: TableBytes) => Promise<LoadedTable> {
  return async ({ file, reading, load }) => await loadTable(await load(), file, reading, read);
}

async function loadTable(bytes: Uint8Array, file: string, reading: Reading, read: ReadColumns): Promise<LoadedTable> {
  const options = instanceOptions(reading);
  const { text = [] } = readingOf(options);
  const roles = reading.recognise ?? [];
  const guess = roles.includes("id") ? idGuess(options, undefined) : undefined;
  // Columns that are not features are read too, because the studio shows them.
  const raw = await read(bytes, { ...reading, file, text, guess } as ReadOptions);
  const settled = settledRoles(raw, options, guess, roles.includes("truth") ? "truth" : "feature");
  const { table } = settled;
  const loaded = instancesOf(table, settled.options);
  const { instances } = loaded;
  // If the list of features is empty, there is nothing to cluster.
  if (instances.d === 0) throw badInput("No column is left to be a feature.", { file, remedy: "Use at least one column." });
  const notices = [...table.notices, ...knownRoles(reading), ...settled.notices, ...loaded.notices];
  return { ...loaded, notices, table, reading: { ...reading, ...rolesIn(settled.options) }, rowOf: rowsById(instances) };
}

function rolesIn({ id, truth, ignore }: InstanceOptions): Pick<Reading, "id" | "truth" | "ignore"> {
  return { ...(id ? { id } : {}), ...(truth === undefined ? {} : { truth }), ...(ignore ? { ignore: [...ignore] } : {}) };
}

/** Notices about id and class columns that were recognised from the data. If a user has changed a role, there is no notice about it. */
function knownRoles({ recognise = [], id, truth, ignore = [] }: Reading): string[] {
  return [
    ...(id !== undefined && recognise.includes("id") ? [idNotice(id, ignore.filter(isIdName))] : []),
    ...(truth !== undefined && recognise.includes("truth") ? [classNotice(truth, "truth")] : []),
  ];
}

function instanceOptions({ delimiter, decimal, recognise: _, ...options }: Reading): InstanceOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as InstanceOptions;
}

export function columnsOf({ table, reading, instances, sources }: LoadedTable): ColumnReply[] {
  const features = new Set(instances.names ?? []);
  const texts = new Set(sources.filter(({ type }) => type === "text").map(({ name }) => name));
  const weightOf = (name: string) => {
    const weight = reading.weights && Object.hasOwn(reading.weights, name) ? reading.weights[name] : undefined;
    return weight === undefined || weight === 1 ? {} : { weight };
  };
  return fileColumns(table).map(({ name, parts }) => {
    const [first] = parts;
    const role = roleOf(name, reading, features.has(first!.name) ? new Set([name]) : features);
    const summary = isVector(first!) ? vectorSummary(name, parts) : summaryOf(first!);
    return { ...summary, ...(texts.has(name) ? { kind: "text" as const } : {}), ...weightOf(name), role };
  });
}

interface FileColumn {
  readonly name: string;
  /** For a vector column, its numeric columns, one for each component. For any other column, the column itself. */
  readonly parts: readonly Column[];
}

function fileColumns({ columns }: Table): FileColumn[] {
  const found: { name: string; parts: Column[] }[] = [];
  for (const column of columns) {
    const name = isVector(column) ? column.vector : column.name;
    const last = found.at(-1);
    if (isVector(column) && last?.name === name) last.parts.push(column);
    else found.push({ name, parts: [column] });
  }
  return found;
}

function isVector(column: Column): column is NumericColumn & { readonly vector: string } {
  return column.kind === "numeric" && column.vector !== undefined;
}

function roleOf(name: string, { id, truth }: Reading, features: ReadonlySet<string>): ColumnReply["role"] {
  if (name === id) return "id";
  if (name === truth) return "truth";
  return features.has(name) ? "feature" : "ignored";
}

/** The cells of a clustered row as they are in the file. Cells that were filled for the clustering are shown as missing. */
export function rowReply({ table, instances, rows }: LoadedTable, row: number): RowReply {
  const inFile = rows[row];
  if (inFile === undefined) throw badInput(`There is no row ${row}.`);
  return { row, id: idOf(instances, row), cells: fileColumns(table).map(({ parts }) => cellsOf(parts, inFile)) };
}

const SHOWN = 4;

function cellsOf(parts: readonly Column[], row: number): string | number | null {
  if (!isVector(parts[0]!)) return cellOf(parts[0]!, row);
  const numbers = parts.slice(0, SHOWN).map((part) => cellOf(part, row));
  if (numbers.every((number) => number === null)) return null;
  const words = numbers.map((number) => (number === null ? "–" : String(Number(Number(number).toPrecision(4)))));
  return `[${words.join(", ")}${parts.length > SHOWN ? `, … ${parts.length} numbers` : ""}]`;
}

function cellOf(column: Column, row: number): string | number | null {
  if (column.kind === "numeric") {
    const value = column.values[row]!;
    if (Number.isNaN(value)) return null;
    return column.notation ? writtenValue(value, column.notation) : value;
  }
  const code = column.codes[row]!;
  return code < 0 ? null : column.levels[code]!;
}

/**
 * Searches for a text, without regard to case. Returns at most `most` rows: first the row whose id equals the text, then rows whose id or
 * cells contain it.
 */
export function findRows(loaded: LoadedTable, text: string, most: number): number[] {
  const { table, instances, rows, rowOf } = loaded;
  const exact = rowOf.get(text.trim());
  const found: number[] = exact === undefined ? [] : [exact];
  const wanted = text.trim().toLowerCase();
  const matching = table.columns.map((column) => matcherOf(column, wanted));
  for (let row = 0; row < instances.n && found.length < most; row++) {
    if (row === exact) continue;
    const holds = String(idOf(instances, row)).toLowerCase().includes(wanted) || matching.some((matches) => matches(rows[row]!));
    if (holds) found.push(row);
  }
  return found;
}

/** Returns a function that says whether a row's cell matches. In a text column, each different text is compared only once. */
function matcherOf(column: Column, wanted: string): (row: number) => boolean {
  if (column.kind === "numeric") {
    const { values, notation } = column;
    if (!notation) return (row) => String(values[row]) === wanted;
    return (row) => !Number.isNaN(values[row]!) && writtenValue(values[row]!, notation).toLowerCase().includes(wanted);
  }
  const matches = column.levels.map((level) => level.toLowerCase().includes(wanted));
  return (row) => matches[column.codes[row]!] === true;
}

/**
 * The values of a column in the clustered rows. Numeric column: the numbers; NaN is a missing value. Nominal column: the codes of the
 * levels; -1 is a missing value.
 */
export function valuesOf(
  { table, rows }: LoadedTable,
  name: string,
): { readonly values: Float32Array; readonly levels: readonly string[] | null } {
  const column = namedColumn(table, name);
  const source = column.kind === "numeric" ? column.values : column.codes;
  return { values: Float32Array.from(rows, (row) => source[row]!), levels: column.kind === "numeric" ? null : column.levels };
}

export function groupingOf({ table, instances, rows }: LoadedTable, name: string): Grouping {
  const known = instances.exclusive?.find(({ column }) => column === name);
  if (known) return known;
  const column = namedColumn(table, name);
  if (column.kind === "nominal")
    return { column: name, names: column.levels, codes: Int32Array.from(rows, (row) => column.codes[row]!) };
  const codes = new Map<number, number>();
  const ofRow = Int32Array.from(rows, (row) => {
    const value = column.values[row]!;
    if (Number.isNaN(value)) return -1;
    if (!codes.has(value)) codes.set(value, codes.size);
    return codes.get(value)!;
  });
  return { column: name, names: [...codes.keys()].map(String), codes: ofRow };
}

function namedColumn(table: Table, name: string): Column {
  const column = table.columns.find((each) => each.name === name);
  if (!column) throw badInput(`There is no column "${name}".`);
  return column;
}

function summaryOf(column: Column): Omit<ColumnReply, "role"> {
  return column.kind === "numeric" ? numericSummary(column) : nominalSummary(column);
}

/** Describes a vector as one column, because its single components are hard to interpret. */
function vectorSummary(name: string, parts: readonly Column[]): Omit<ColumnReply, "role"> {
  return { name, kind: "vector", missing: parts[0]!.missing, parts: parts.length, counts: [] };
}

function numericSummary(column: NumericColumn): Omit<ColumnReply, "role"> {
  const { name, values, missing, date, notation } = column;
  const written = notation && "before" in notation ? { notation } : {};
  const kind = date === undefined ? ("number" as const) : ("date" as const);
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    count++;
  }
  if (count === 0) return { name, kind, missing, counts: [] };
  const mean = sum / count;
  const counts = new Array<number>(BINS).fill(0);
  let squares = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    squares += (value - mean) ** 2;
    counts[binOf(value, min, max)]!++;
  }
  return { name, kind, missing, ...written, min, max, mean, deviation: Math.sqrt(squares / count), counts };
}

function binOf(value: number, min: number, max: number): number {
  return max === min ? 0 : Math.min(BINS - 1, Math.floor(((value - min) / (max - min)) * BINS));
}

function nominalSummary({ name, codes, levels, missing }: NominalColumn): Omit<ColumnReply, "role"> {
  const frequency = new Int32Array(levels.length);
  for (const code of codes) if (code >= 0) frequency[code]!++;
  const frequent = [...levels.keys()].sort((a, b) => frequency[b]! - frequency[a]! || a - b).slice(0, LEVELS);
  return {
    name,
    kind: "nominal",
    missing,
    distinct: levels.length,
    counts: frequent.map((level) => frequency[level]!),
    levels: frequent.map((level) => levels[level]!.slice(0, 200)),
  };
}
