/**
 * From a table to points: who the rows are, which columns are features, what becomes of missing cells, and scaling. The rules
 * are CONTRACT's ("Instances and files").
 */
import {
  badInput,
  badOption,
  type Grouping,
  type InstanceId,
  type Instances,
  type Labelling,
  nearestName,
  type Scaling,
} from "@coterie/core/internal";
import { shellFlag, shellListFlag } from "@coterie/core/shell";
import { counted, listed, quoted } from "../table/sentences.js";
import type { Column, NominalColumn, ReadOptions, Table } from "../table/table.js";
import { nearlyUnique, refuseNames } from "./near-unique.js";
import { rowMajor } from "./points.js";
import { dominanceOf, type Feature, scalingOf } from "./scaling.js";

export interface InstanceOptions {
  /** The column that names the instances; by default the row number does. */
  readonly id?: string;
  /** The column of known classes. */
  readonly truth?: string;
  /** Columns whose equal values may not share a cluster. */
  readonly exclusive?: readonly string[];
  /** The columns to use; an empty list reads who the rows are and nothing else. */
  readonly features?: readonly string[];
  readonly ignore?: readonly string[];
  /** The column that holds the known classes of a sample set: a feature only where `features` names it. */
  readonly knownClass?: string;
  /** Columns to read as text whatever they hold. */
  readonly nominal?: readonly string[];
  readonly scale?: "none" | "zscore" | "minmax";
  readonly missing?: "error" | "drop" | "impute";
  /** Whether rows will be compared by distances, so that a column that would dominate them is worth a word; default true. */
  readonly forDistances?: boolean;
  /** The rows are for a model, which names the features and knows by column what a missing cell is filled with. */
  readonly model?: { readonly fills: ReadonlyMap<string, number | string> };
  /** Whether a table may have no feature at all, since the distances of its rows come from elsewhere. */
  readonly featureless?: boolean;
}

export interface LoadedInstances {
  readonly instances: Instances;
  /** The row number in the file of each row kept. */
  readonly rows: Int32Array;
  /** Data rows in the file. */
  readonly total: number;
  /** Ids of the rows that were dropped. */
  readonly dropped: readonly InstanceId[];
  /** How many cells were filled. */
  readonly imputed: number;
  /** With `impute`: what a missing cell of each feature is filled with. */
  readonly fills?: readonly (number | string)[];
  /** With `impute`: for each feature, the rows whose cell was filled. */
  readonly filledRows?: readonly Int32Array[];
  readonly notices: readonly string[];
  /** Those of the notices that a person should hear before a run, which may be long. */
  readonly early: readonly string[];
  /** The one of the notices that is about a column of far the largest variance: true where distances go by the columns' units. */
  readonly dominance?: string;
}

/** What a reader must know of these options: which columns are text, and which it may skip. */
export function readingOf(options: InstanceOptions): Pick<ReadOptions, "text" | "skip"> {
  const roles = new Set(rolesOf(options));
  const text = [...roles, ...(options.nominal ?? [])];
  const { features } = options;
  const ignored = new Set(options.ignore ?? []);
  const { knownClass } = options;
  if (features === undefined && knownClass !== undefined) ignored.add(knownClass);
  const wanted = features === undefined ? null : new Set(features);
  return { text, skip: (name) => !roles.has(name) && (ignored.has(name) || (wanted !== null && !wanted.has(name))) };
}

export function instancesOf(table: Table, options: InstanceOptions = {}): LoadedInstances {
  const { scale = "none", missing = "error" } = options;
  if (!["none", "zscore", "minmax"].includes(scale)) throw badOption("--scale", scale, "none, zscore or minmax");
  if (!["error", "drop", "impute"].includes(missing)) throw badOption("--missing", missing, "error, drop or impute");
  const notices: string[] = [];
  checkColumns(table, options);
  if (table.n === 0) throw badInput("The file has no data rows.", { file: table.file, remedy: "Add at least one row." });
  const columns = featureColumns(table, options, notices);
  const allIds = options.id === undefined ? null : idsOf(table, options.id);

  const rows = keptRows(table, columns, missing, notices);
  const features = columns.map((column) =>
    featureOf(column, rows, missing === "impute", table, options.model?.fills.get(column.name)),
  );
  const imputed = features.reduce((sum, feature) => sum + feature.filled, 0);
  if (imputed > 0) {
    const filled = features.filter((feature) => feature.filled > 0).length;
    const cells = counted(imputed, "missing cell");
    notices.push(
      `${cells} in ${counted(filled, "column")} ${imputed === 1 ? "was" : "were"} filled: numbers by the mean, texts by the most frequent level${options.model ? " of the rows that the model was made from" : ""}.`,
    );
  }
  const isMeasured = scale === "none" && options.forDistances !== false && !options.featureless;
  const dominance = isMeasured ? dominanceOf(features) : undefined;
  if (dominance !== undefined) notices.push(dominance);
  const early = options.model ? [] : nearlyUnique(features, rows.length, new Set(options.nominal ?? []));
  if (!options.model && !options.featureless) refuseNames(features, rows.length, table.file);
  notices.push(...early);
  const scaling = scalingOf(features, scale, table.file);
  const ids = allIds || rows.length < table.n ? Array.from(rows, (row): InstanceId => allIds?.[row] ?? row) : null;
  const truth = options.truth === undefined ? null : labellingOf(table, options.truth, rows);
  const exclusive = [...new Set(options.exclusive ?? [])].map(
    (column): Grouping => ({ ...labellingOf(table, column, rows), column }),
  );
  const instances: Instances = {
    ...pointsOf(features, rows.length, scaling),
    ...(ids ? { ids } : {}),
    ...(truth ? { truth } : {}),
    ...(exclusive.length > 0 ? { exclusive } : {}),
    ...(scaling ? { scaling } : {}),
  };
  const fills =
    missing === "impute" ? { fills: features.map((feature) => feature.fill!), filledRows: columns.map(missingRows) } : {};
  const said = { notices, early, ...(dominance === undefined ? {} : { dominance }) };
  return { instances, rows, total: table.n, dropped: droppedIds(table.n, rows, allIds), imputed, ...said, ...fills };
}

function rolesOf({ id, truth, exclusive = [] }: InstanceOptions): string[] {
  return [id, truth, ...exclusive].filter((name) => name !== undefined);
}

/** Every column that an option names must be in the file. */
function checkColumns(table: Table, options: InstanceOptions): void {
  const present = table.columns.map((column) => column.name);
  const all = [...present, ...(table.skipped ?? [])];
  const known = new Set(all);
  const named: [string, readonly string[]][] = [
    ["--id", options.id === undefined ? [] : [options.id]],
    ["--truth", options.truth === undefined ? [] : [options.truth]],
    ["--exclusive", options.exclusive ?? []],
    [options.model ? "the model needs it" : "--features", options.features ?? []],
    // A reader that does not say what it skipped cannot vouch for the ignored names.
    ["--ignore", table.skipped === undefined ? [] : (options.ignore ?? [])],
    ["--nominal", options.nominal ?? []],
  ];
  for (const [option, names] of named) {
    const unknown = names.find((name) => !known.has(name));
    if (unknown === undefined) continue;
    const guess = nearestName(unknown, all);
    throw badInput(`There is no column ${quoted(unknown)} (${option}).`, {
      file: table.file,
      remedy: `${guess === undefined ? "" : `Did you mean ${quoted(guess)}? `}The columns are ${listed(all, 30)}.`,
    });
  }
}

function featureColumns(table: Table, options: InstanceOptions, notices: string[]): Column[] {
  const roles = new Set(rolesOf(options));
  const ignored = new Set(options.ignore ?? []);
  const asText = new Set(options.nominal ?? []);
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const names = options.features === undefined ? [...byName.keys()] : [...new Set(options.features)];
  if (options.features !== undefined) {
    for (const name of names.filter((each) => roles.has(each))) {
      notices.push(`Column ${quoted(name)} is no feature: it is named by --id, --truth or --exclusive.`);
    }
  }
  const { knownClass } = options;
  if (options.features === undefined && knownClass !== undefined && !roles.has(knownClass) && !ignored.has(knownClass)) {
    ignored.add(knownClass);
    if (byName.has(knownClass) || table.skipped?.includes(knownClass)) notices.push(knownClassNotice(knownClass));
  }
  const chosen = names.filter((name) => !roles.has(name) && !ignored.has(name));
  if (chosen.length === 0 && options.features?.length !== 0 && !options.featureless) {
    throw badInput("No column is left to be a feature.", {
      file: table.file,
      remedy: `The columns are ${listed([...byName.keys(), ...(table.skipped ?? [])], 30)}; name some with --features.`,
    });
  }
  return chosen.map((name) => (asText.has(name) ? asNominal(byName.get(name)!) : byName.get(name)!));
}

function knownClassNotice(name: string): string {
  return `Column ${quoted(name)} holds the known classes of this sample set, so it is no feature; ${shellFlag("--truth", name)} compares with them.`;
}

function asNominal(column: Column): NominalColumn {
  if (column.kind === "nominal") return column;
  const codeOf = new Map<string, number>();
  const codes = Int32Array.from(column.values, (value) => {
    if (Number.isNaN(value)) return -1;
    const text = String(value);
    const code = codeOf.get(text) ?? codeOf.size;
    codeOf.set(text, code);
    return code;
  });
  return { kind: "nominal", name: column.name, codes, levels: [...codeOf.keys()], missing: column.missing };
}

function nominalNamed(table: Table, name: string): NominalColumn {
  return asNominal(table.columns.find((column) => column.name === name)!);
}

function idsOf(table: Table, name: string): string[] {
  const { codes, levels } = nominalNamed(table, name);
  const firstRow = new Int32Array(levels.length).fill(-1);
  return Array.from(codes, (code, row) => {
    if (code < 0) {
      const place = placeOf(table, row);
      throw badInput(`${place.words} has no id in column ${quoted(name)}.`, {
        ...place.facts,
        remedy: "Give every row its own id.",
      });
    }
    const earlier = firstRow[code]!;
    if (earlier >= 0) {
      const place = placeOf(table, row);
      const where = placeOf(table, earlier).words;
      throw badInput(`The id ${quoted(levels[code]!)} is used twice; ${where.toLowerCase()} has it too.`, {
        ...place.facts,
        remedy: "Give every row its own id.",
      });
    }
    firstRow[code] = row;
    return levels[code]!;
  });
}

/** A row as a sentence names it: by its line if the file has lines. */
function placeOf(table: Table, row: number) {
  const line = table.lineOf?.(row);
  return line === undefined
    ? { words: `Row ${row}`, facts: { file: table.file } }
    : { words: `Line ${line}`, facts: { file: table.file, line } };
}

function isMissing(column: Column, row: number): boolean {
  return column.kind === "numeric" ? Number.isNaN(column.values[row]!) : column.codes[row]! < 0;
}

function missingRows(column: Column): Int32Array {
  const rows = new Int32Array(column.missing);
  const length = column.kind === "numeric" ? column.values.length : column.codes.length;
  for (let row = 0, found = 0; found < rows.length && row < length; row++) if (isMissing(column, row)) rows[found++] = row;
  return rows;
}

/** The rows that become points. */
function keptRows(table: Table, columns: readonly Column[], missing: "error" | "drop" | "impute", notices: string[]): Int32Array {
  const all = new Int32Array(table.n);
  for (let row = 0; row < table.n; row++) all[row] = row;
  const holed = columns.filter((column) => column.missing > 0);
  if (holed.length === 0 || missing === "impute") return all;
  if (missing === "error") throw missingError(table, holed);
  const rows = all.filter((row) => !holed.some((column) => isMissing(column, row)));
  if (rows.length === 0) {
    throw badInput("Every row has a missing cell, so none is left.", {
      file: table.file,
      remedy: "Leave out the emptiest columns (--ignore), or fill the cells (--missing impute).",
    });
  }
  notices.push(
    `${counted(table.n - rows.length, "row")} of ${table.n} with missing cells ${table.n - rows.length === 1 ? "was" : "were"} dropped.`,
  );
  return rows;
}

function missingError(table: Table, holed: readonly Column[]): Error {
  const cells: string[] = [];
  let first: number | undefined;
  const count = holed.reduce((sum, column) => sum + column.missing, 0);
  for (let row = 0; row < table.n && cells.length < 3; row++) {
    for (const column of holed) {
      if (!isMissing(column, row) || cells.length === 3) continue;
      first ??= row;
      cells.push(`${placeOf(table, row).words.toLowerCase()} column ${quoted(column.name)}`);
    }
  }
  return badInput(
    `${counted(count, "cell")} ${count === 1 ? "is" : "are"} missing (${cells.join(", ")}${count > cells.length ? ", …" : ""}).`,
    {
      ...placeOf(table, first ?? 0).facts,
      remedy: "Drop those rows (--missing drop), fill the cells (--missing impute), or leave out the columns (--ignore).",
    },
  );
}

/** One column of points: its values on the kept rows, holes filled. */
function featureOf(column: Column, rows: Int32Array, impute: boolean, table: Table, given: number | string | undefined): Feature {
  if (impute && column.missing === rows.length && rows.length > 0) {
    if (given !== undefined) return constantFeature(column.name, rows.length, given);
    throw badInput(`Column ${quoted(column.name)} has no values, so its cells cannot be filled.`, {
      file: table.file,
      remedy: `Leave it out (${shellListFlag("--ignore", column.name)}).`,
    });
  }
  if (column.kind === "numeric") {
    const fills = impute && column.missing > 0;
    const values = rows.length === table.n && !fills ? column.values : gathered(column.values, rows);
    const fill = impute ? (typeof given === "number" ? given : meanOf(values, column.missing)) : undefined;
    if (fills) replace(values, Number.isNaN, fill!);
    return { name: column.name, values, levels: null, filled: fills ? column.missing : 0, ...(impute ? { fill: fill! } : {}) };
  }
  const { codes, names } = recoded(column, rows);
  const values = Float64Array.from(codes);
  if (!impute) return { name: column.name, values, levels: names, filled: 0 };
  const fill = typeof given === "string" ? given : names[modeOf(values, names.length)]!;
  const levels = names.includes(fill) || column.missing === 0 ? names : [...names, fill];
  replace(values, (code) => code < 0, levels.indexOf(fill));
  return { name: column.name, values, levels, filled: column.missing, fill };
}

/** A column without a value, filled with what was given. */
function constantFeature(name: string, n: number, fill: number | string): Feature {
  const levels = typeof fill === "string" ? [fill] : null;
  return { name, values: new Float64Array(n).fill(typeof fill === "string" ? 0 : fill), levels, filled: n, fill };
}

function gathered(values: Float64Array, rows: Int32Array): Float64Array {
  const kept = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) kept[i] = values[rows[i]!]!;
  return kept;
}

function meanOf(values: Float64Array, missing: number): number {
  let sum = 0;
  for (const value of values) if (!Number.isNaN(value)) sum += value;
  return sum / (values.length - missing);
}

/** Ties go to the level that appears first: the lower code. */
function modeOf(values: Float64Array, levels: number): number {
  const counts = new Int32Array(levels);
  for (const code of values) if (code >= 0) counts[code]!++;
  return counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0));
}

function replace(values: Float64Array, isHole: (value: number) => boolean, fill: number): void {
  for (let i = 0; i < values.length; i++) if (isHole(values[i]!)) values[i] = fill;
}

/** Codes on the kept rows, numbered anew by first appearance, so that no level is left without a row. */
function recoded({ codes, levels }: NominalColumn, rows: Int32Array): Labelling {
  const fresh = new Int32Array(levels.length).fill(-1);
  const names: string[] = [];
  const out = new Int32Array(rows.length).fill(-1);
  for (let i = 0; i < rows.length; i++) {
    const code = codes[rows[i]!]!;
    if (code < 0) continue;
    if (fresh[code]! < 0) fresh[code] = names.push(levels[code]!) - 1;
    out[i] = fresh[code]!;
  }
  return { codes: out, names };
}

function labellingOf(table: Table, name: string, rows: Int32Array): Labelling {
  return recoded(nominalNamed(table, name), rows);
}

function pointsOf(features: readonly Feature[], n: number, scaling: Scaling | null): Instances {
  const d = features.length;
  const x = rowMajor(
    features.map((feature) => feature.values),
    n,
    scaling,
  );
  const names = features.map((feature) => feature.name);
  if (features.every((feature) => feature.levels === null)) return { n, d, x, names };
  const nominal = Uint8Array.from(features, (feature) => (feature.levels === null ? 0 : 1));
  return { n, d, x, names, nominal, levels: features.map((feature) => feature.levels) };
}

function droppedIds(total: number, rows: Int32Array, ids: readonly string[] | null): InstanceId[] {
  if (rows.length === total) return [];
  const kept = new Uint8Array(total);
  for (const row of rows) kept[row] = 1;
  const dropped: InstanceId[] = [];
  for (let row = 0; row < total; row++) if (kept[row] === 0) dropped.push(ids?.[row] ?? row);
  return dropped;
}
