/** Describes data files for DuckDB: what to select from, and an SQL expression for each feature column. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { badInput, nearestName } from "@coterie/core/internal";
import { classNotice, FEWEST_COUNTED, idNotice, isClassName, isIdName } from "@coterie/data/browser";
import type { DuckDBConnection } from "@duckdb/node-api";

export interface SourceOptions {
  /** The name of the id column; null: rows are numbered. Default: a detected id column. */
  readonly id?: string | null | undefined;
  readonly truth?: string | undefined;
  readonly features?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly missing?: "error" | "drop" | undefined;
  readonly delimiter?: string | undefined;
  readonly decimal?: string | undefined;
}

export interface Source {
  readonly file: string;
  readonly files: readonly string[];
  readonly format: "parquet" | "csv";
  /** What SQL queries select from. File names in it are placeholders, because queries receive them as parameters. */
  readonly relation: string;
  readonly features: readonly SourceColumn[];
  /** The SQL expression for the id of a row; null if rows are numbered. */
  readonly id: string | null;
  readonly idColumn?: string;
  readonly notices: readonly string[];
  readonly truth: string | null;
}

export interface SourceColumn {
  readonly name: string;
  /** The SQL expression that reads a cell as a double: NULL for missing cells and for texts that are not numbers. */
  readonly expression: string;
  /** The SQL condition that is true for cells that are not numbers; null for columns that only have numbers. */
  readonly wrong: string | null;
  readonly text: string;
}

const NUMBERS =
  /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT|FLOAT|DOUBLE|DECIMAL\(.*\))$/;

function isPattern(name: string): boolean {
  return /[*?]/.test(name) && !existsSync(name);
}

export function filesOf(name: string): string[] {
  if (existsSync(name)) return [resolve(name)];
  if (!isPattern(name))
    throw badInput("There is no such file.", { file: name, remedy: "Check the name; quote a pattern such as 'part-*.parquet'." });
  const found = matches(name);
  if (found.length === 0)
    throw badInput("No file matches this name.", { file: name, remedy: "Check the pattern and the folder." });
  return found;
}

/** The files that match a pattern. Only the last part of the path can have wildcards. */
function matches(pattern: string): string[] {
  const folder = dirname(pattern);
  if (/[*?]/.test(folder)) return [];
  const rule = new RegExp(
    `^${basename(pattern)
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => rule.test(name))
    .sort()
    .map((name) => resolve(join(folder, name)));
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function literalPath(path: string): string {
  return quotedText(path.replace(/[[*?]/g, (mark) => `[${mark}]`));
}

export async function openSource(connection: DuckDBConnection, file: string, options: SourceOptions): Promise<Source> {
  const files = filesOf(file);
  const format = formatOf(files[0]!, file);
  const list = `[${files.map(literalPath).join(", ")}]`;
  const separator = options.delimiter ?? (/\.tsv$/i.test(files[0]!) ? "\t" : undefined);
  const csv = `read_csv(${list}, header = true, all_varchar = true, nullstr = ['', 'NA', '?']${separator === undefined ? "" : `, delim = ${quotedText(separator)}`})`;
  const relation = format === "parquet" ? `read_parquet(${list}, hive_partitioning = false)` : csv;
  const described = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${relation}`)).getRowsJS();
  const types = new Map(described.map((row) => [String(row[0]), String(row[1])]));
  checkNames(options, [...types.keys()], file);
  const ask = async (select: string): Promise<number[]> => {
    const found = await connection.runAndReadAll(select.replace("FROM TABLE", () => `FROM ${relation}`));
    return found.getRowsJS()[0]!.map(Number);
  };
  const { ids, notices } = await recognised(ask, types, options);
  const id = options.id ?? ids[0];
  const roles = new Set([...ids, id, options.truth]);
  const ignored = new Set(options.ignore ?? []);
  const names = (options.features ?? [...types.keys()]).filter((name) => !roles.has(name) && !ignored.has(name));
  if (names.length === 0) throw badInput("No column is left as a feature.", { file, remedy: "Name some with --features." });
  const features = names.map((name) => columnOf(name, types.get(name)!, file, options.decimal === ","));
  const text = (name: string): string => `CAST(${quotedName(name)} AS VARCHAR)`;
  if (id !== undefined && /^(FLOAT|DOUBLE|DECIMAL)/.test(types.get(id)!))
    throw badInput(`Column "${id}" holds numbers with fractions, which are not reliable ids.`, {
      file,
      remedy: "Name a column of texts or whole numbers with --id.",
    });
  return {
    file,
    files,
    format,
    relation,
    features,
    id: id === undefined ? null : text(id),
    ...(id === undefined ? {} : { idColumn: id }),
    notices,
    truth: options.truth === undefined ? null : text(options.truth),
  };
}

/** Detects id and class columns in SQL, by the same rules as for tables in memory. */
async function recognised(
  ask: (select: string) => Promise<number[]>,
  types: ReadonlyMap<string, string>,
  { id, truth, features, ignore = [] }: SourceOptions,
): Promise<{ readonly ids: readonly string[]; readonly notices: readonly string[] }> {
  const spoken = new Set([id, truth, ...(features ?? []), ...ignore]);
  const free = [...types.keys()].filter((name) => !spoken.has(name));
  const whole = free.filter((name) => !/^(FLOAT|DOUBLE|DECIMAL)/.test(types.get(name)!));
  const ids: string[] = [];
  if (id === undefined) {
    for (const name of whole.filter(isIdName)) if (await namesRows(ask, name)) ids.push(name);
    const [first] = types.keys();
    if (first !== undefined && whole.includes(first) && !ids.includes(first) && (await countsRows(ask, first))) ids.push(first);
    if (features === undefined && free.length <= ids.length) ids.length = 0;
  }
  const notices = ids.length === 0 ? [] : [idNotice(ids[0]!, ids.slice(1))];
  const alike = features === undefined ? whole.filter((name) => isClassName(name) && !ids.includes(name)) : [];
  for (const name of alike) if (await hasFewValues(ask, name)) notices.push(classNotice(name, "feature"));
  return { ids, notices };
}

type Ask = Parameters<typeof recognised>[0];

async function valuesOf(ask: Ask, name: string) {
  const column = quotedName(name);
  const number = numberIn(column);
  const broken = `count(*) FILTER (${number} <> floor(${number}))`;
  const [rows, present, different, fractions] = await ask(
    `SELECT count(*), count(${column}), count(DISTINCT ${column}), ${broken} FROM TABLE`,
  );
  return { rows: rows!, present: present!, different: different!, isWhole: fractions === 0 };
}

function numberIn(column: string): string {
  return `TRY_CAST(trim(CAST(${column} AS VARCHAR)) AS DOUBLE)`;
}

async function namesRows(ask: Ask, name: string): Promise<boolean> {
  const { rows, present, different, isWhole } = await valuesOf(ask, name);
  return isWhole && rows > 1 && present === rows && different === rows;
}

async function hasFewValues(ask: Ask, name: string): Promise<boolean> {
  const { rows, different, isWhole } = await valuesOf(ask, name);
  return isWhole && different > 1 && different <= Math.max(2, rows / 2);
}

/** Whether a column is 0, 1, 2, … or 1, 2, 3, … in the order of the table. To save time, the first rows are checked first. */
async function countsRows(ask: Ask, name: string): Promise<boolean> {
  const ahead = `${numberIn(quotedName(name))} - (row_number() OVER () - 1)`;
  const counts = async (rest: string): Promise<boolean> => {
    const select = `SELECT count(*), count(ahead), min(ahead), max(ahead) FROM (SELECT ${ahead} AS ahead FROM TABLE${rest})`;
    const [rows, present, least, most] = await ask(select);
    return rows! >= FEWEST_COUNTED && present === rows && least === most && (least === 0 || least === 1);
  };
  return (await counts(` LIMIT ${FEWEST_COUNTED}`)) && (await counts(""));
}

function formatOf(path: string, file: string): Source["format"] {
  if (/\.(parquet|parq|pq)$/i.test(path)) return "parquet";
  if (/\.(csv|tsv|txt)(\.gz)?$/i.test(path)) return "csv";
  throw badInput("The duckdb engine reads Parquet and CSV files.", {
    file,
    remedy: "Name them .parquet, .csv or .tsv; or leave --engine out.",
  });
}

function checkNames({ id, truth, features = [], ignore = [] }: SourceOptions, known: readonly string[], file: string): void {
  const asked = [
    ...(id ? [["--id", id]] : []),
    ...(truth === undefined ? [] : [["--truth", truth]]),
    ...features.map((name) => ["--features", name]),
    ...ignore.map((name) => ["--ignore", name]),
  ];
  const unknown = asked.find(([, name]) => !known.includes(name!));
  if (!unknown) return;
  const near = nearestName(unknown[1]!, known);
  throw badInput(`There is no column "${unknown[1]}" (${unknown[0]}).`, {
    file,
    remedy: `${near === undefined ? "" : `Did you mean "${near}"? `}The columns are ${known.slice(0, 30).join(", ")}${known.length > 30 ? ", …" : ""}.`,
  });
}

function columnOf(name: string, type: string, file: string, comma: boolean): SourceColumn {
  const column = quotedName(name);
  if (NUMBERS.test(type)) {
    // DuckDB's conversion to double rounds long decimals twice, so decimals are read as digits.
    const digits = type.startsWith("DECIMAL") ? `${column}::VARCHAR` : column;
    return { name, expression: `CAST(${digits} AS DOUBLE)`, wrong: null, text: `CAST(${column} AS VARCHAR)` };
  }
  if (type !== "VARCHAR") throw wrongType(name, `holds ${type} values`, file);
  const cell = comma ? `replace(${column}, ',', '.')` : column;
  const expression = `TRY_CAST(trim(${cell}) AS DOUBLE)`;
  return { name, expression, wrong: `(${column} IS NOT NULL AND ${expression} IS NULL)`, text: column };
}

export function wrongType(name: string, what: string, file: string): Error {
  return badInput(`Column "${name}" ${what}; an engine clusters numeric columns.`, {
    file,
    remedy: `Leave it out (--ignore ${name}).`,
  });
}
