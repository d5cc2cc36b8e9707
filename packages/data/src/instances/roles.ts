/**
 * Detects id columns and class columns by their names and values, for the command line, the library and the studio.
 *
 * A column that can be an id column is read as text, so that ids keep leading zeros. If the values are not ids after all, the column gets
 * the type that its cells suggest.
 */
import { shellFlag } from "@coterie/core/shell";
import { builderFor } from "../table/columns.js";
import { numberOf } from "../table/parse-number.js";
import { listed, quoted } from "../table/sentences.js";
import type { Column, NominalColumn, ReadOptions, Table } from "../table/table.js";
import type { InstanceOptions } from "./instances.js";

const ID_NAME =
  /^(?:id|ids|uuid|guid|index|identifier|row ?names?|unnamed: ?0)$|[_\s.-](?:id|uuid|guid)$|^(?:row|record|case|sample|customer|client|user|patient|person|employee|member|student|item|product|order|account|transaction)[_\s.-]?(?:id|no|nr|num|number|index)$/i;
const CAMEL_ID = /[a-z]I[dD]$/;

export function isIdName(name: string): boolean {
  return (ID_NAME.test(name) || CAMEL_ID.test(name)) && !isClassName(name);
}

const CLASS_NAME =
  /^(?:(?:true|known|ground)[_\s.-]?)?(?:class|classes|label|labels|target|species|cluster|clusters|truth)(?:[_\s.-]?(?:id|name|label))?$/i;

export function isClassName(name: string): boolean {
  return CLASS_NAME.test(name);
}

/** Returns a function that says whether to read a column as text because it can hold ids. Undefined if an option names the id column. */
export function idGuess(options: InstanceOptions, skip: ReadOptions["skip"]): ReadOptions["guess"] {
  if (options.id !== undefined) return undefined;
  const spoken = spokenFor(options);
  let first: string | undefined;
  // The function is called in file order. The first column is read even if it is not a feature, because it can hold row numbers.
  return (name) => {
    first ??= name;
    return !spoken.has(name) && (isIdName(name) || (name === first && skip?.(name) === true));
  };
}

/** Columns whose role or type an option sets. Nothing is guessed about them. */
function spokenFor(options: InstanceOptions): ReadonlySet<string> {
  const { truth, exclusive = [], features = [], ignore = [], nominal = [], types = {}, weights = {}, cyclic = {} } = options;
  const named = [truth, ...(options.coarserTruth ?? []), options.rowWeight].filter((name) => name !== undefined);
  return new Set([
    ...named,
    ...[exclusive, features, ignore, nominal].flat(),
    ...[types, weights, cyclic].flatMap((record) => Object.keys(record)),
  ]);
}

/** The role of a column that looks like known classes, if no option names this column: the true classes, or a feature. */
export type ClassRule = "truth" | "feature";

export function settledRoles(
  read: Table,
  given: InstanceOptions,
  guess: ReadOptions["guess"],
  classes: ClassRule = "feature",
): { readonly table: Table; readonly options: InstanceOptions; readonly notices: readonly string[] } {
  const { id: asked, ...options } = given;
  const notices: string[] = [];
  const found = guess ? foundIds(read, options) : [];
  const table = guess ? withoutGuesses(read, new Set(found), options, notices) : read;
  const [id, ...copies] = found;
  if (id !== undefined) notices.push(idNotice(id, copies));
  const named = { ...options, ...(id === undefined ? (asked ? { id: asked } : {}) : { id }) };
  const settled = copies.length === 0 ? named : { ...named, ignore: [...(options.ignore ?? []), ...copies] };
  const alike = classColumns(table, settled);
  const truth = classes === "truth" && settled.truth === undefined ? alike[0] : undefined;
  notices.push(...alike.map((name) => classNotice(name, name === truth ? "truth" : "feature")));
  return { table, options: { ...settled, ...(truth === undefined ? {} : { truth }) }, notices };
}

export function idNotice(id: string, copies: readonly string[] = []): string {
  const more =
    copies.length === 0
      ? ""
      : ` So ${copies.length === 1 ? "has" : "have"} ${listed(copies.map(quoted))}, and ${copies.length === 1 ? "is" : "are"} left out.`;
  return `Column ${quoted(id)} has the ids of the rows, because every row has a different value in it, and is not a feature; ${shellFlag("--id", "none")} makes it a feature.${more}`;
}

export function classNotice(name: string, role: ClassRule): string {
  const looks = `Column ${quoted(name)} looks like known classes`;
  return role === "truth"
    ? `${looks}: clusterings are scored with it, and it is not a feature.`
    : `${looks}, and is a feature; ${shellFlag("--truth", name)} scores the clusters with it instead.`;
}

/** The columns that look like ids: columns with an id-like name, then the first column if it numbers the rows. */
function foundIds({ columns, n, singles }: Table, options: Omit<InstanceOptions, "id">): string[] {
  const spoken = spokenFor(options);
  const free = columns.filter(({ name }) => !spoken.has(name));
  const called = free.filter((column) => isIdName(column.name) && namesRows(column, n)).map(({ name }) => name);
  const [first] = singles ? [] : columns;
  const counting = first && !spoken.has(first.name) && !called.includes(first.name) && countsRows(first, n) ? [first.name] : [];
  const found = [...called, ...counting];
  if (options.features !== undefined || options.featureless) return found;
  const left = free.length - found.length + (singles?.names.length ?? 0);
  return left > 0 ? found : [];
}

function namesRows(column: Column, n: number): boolean {
  if (column.kind !== "nominal" || column.missing > 0 || column.levels.length < n || n < 2) return false;
  return column.levels.every((level) => {
    const number = numberOf(level.trim());
    return number === undefined || Number.isInteger(number);
  });
}

/** In a table with fewer rows, a column can hold 0, 1, 2, … by chance, so it is not taken for a column of row numbers. */
export const FEWEST_COUNTED = 8;

function countsRows(column: Column, n: number): boolean {
  if (n < FEWEST_COUNTED || column.missing > 0 || (column.kind === "numeric" && column.notation)) return false;
  const at = (row: number): number =>
    column.kind === "numeric" ? column.values[row]! : (numberOf(column.levels[column.codes[row]!]!) ?? Number.NaN);
  const from = at(0);
  if (from !== 0 && from !== 1) return false;
  for (let row = 1; row < n; row++) if (at(row) !== from + row) return false;
  return true;
}

/**
 * Corrects columns that were read as text but hold no ids. If `features` is given, they are left out. Otherwise they get the type of their
 * cells.
 */
function withoutGuesses(table: Table, ids: ReadonlySet<string>, options: InstanceOptions, notices: string[]): Table {
  const guessed = (column: Column): column is NominalColumn => column.kind === "nominal" && column.guessed === true;
  if (!table.columns.some((column) => guessed(column))) return table;
  const wanted = options.features === undefined ? null : new Set(options.features);
  const skipped: string[] = [];
  const columns = table.columns.flatMap((column) => {
    if (!guessed(column) || ids.has(column.name)) return [column];
    if (wanted === null) return retyped(column, table, notices);
    skipped.push(column.name);
    return [];
  });
  return { ...table, columns, ...(table.skipped ? { skipped: [...table.skipped, ...skipped] } : {}) };
}

function retyped({ name, codes, levels }: NominalColumn, table: Table, notices: string[]): readonly Column[] {
  const builder = builderFor(name, { file: table.file });
  const lineOf = table.lineOf ?? ((row: number) => row);
  const numbers = levels.map((level) => numberOf(level.trim()));
  builder.grow(table.n);
  for (let row = 0; row < table.n; row++) {
    const code = codes[row]!;
    if (code < 0) builder.nothing(row);
    else if (numbers[code] === undefined) builder.text(row, levels[code]!, lineOf);
    else builder.number(row, numbers[code], lineOf, levels[code]!);
  }
  const finished = builder.finish(table.n, { file: table.file, notices, unit: table.lineOf ? "line" : "row" });
  return [finished].flat();
}

function classColumns({ columns, n }: Table, options: InstanceOptions): string[] {
  const spoken = spokenFor(options);
  const isFree = (name: string) => options.features === undefined && !spoken.has(name) && name !== options.knownClass;
  const found = columns.filter(
    (column) => isFree(column.name) && column.name !== options.id && isClassName(column.name) && hasFewValues(column, n),
  );
  return found.length < columns.length - (options.id === undefined ? 0 : 1) ? found.map(({ name }) => name) : [];
}

/** Maximum number of different values in a class column, as a share of the number of rows. */
const MOST_CLASSES = 0.5;

function hasFewValues(column: Column, n: number): boolean {
  const most = Math.max(2, MOST_CLASSES * n);
  if (column.kind === "nominal") return column.levels.length > 1 && column.levels.length <= most;
  if (column.notation) return false;
  const values = new Set<number>();
  for (const value of column.values) {
    if (Number.isNaN(value)) continue;
    if (!Number.isInteger(value) || values.size > most) return false;
    values.add(value);
  }
  return values.size > 1 && values.size <= most;
}
