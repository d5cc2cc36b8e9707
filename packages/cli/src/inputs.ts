/** What a command is given: the table and the constraints, read with the options that every command shares. */
import { readFile } from "node:fs/promises";
import { badInput, type ConstraintSet, emptyConstraints } from "@coterie/core/internal";
import { nearestName } from "@coterie/core/names";
import {
  COLUMN_TYPES,
  type ColumnType,
  CYCLES,
  type Cycle,
  mergeConstraintSets,
  openBytes,
  type ReadTableOptions,
  readConstraints,
  readTable,
  type TableInstances,
} from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { DATA_FLAGS, type Io } from "./command.js";
import { listOf, numberOf, type Parsed, seedOf, textOf, UsageError, type Values } from "./flags.js";
import { readGivenDistances, rowsOfMatrix, withDistances } from "./given-distances.js";
import type { Progress } from "./progress.js";

/** Where the rows of an output file come from; its side file keeps this. */
export interface Provenance {
  readonly data: string;
  readonly sha256: string;
  readonly version: string;
  /** The flags with which the data were read, by name: `explain` reads them in the same way. */
  readonly reading?: Values;
}

export interface Inputs {
  readonly instances: TableInstances;
  readonly constraints: ConstraintSet;
  /** What was noticed while reading, in sentences. */
  readonly notices: readonly string[];
}

/** Without a name of a table the rows are those of `--distances`. */
export async function loadInputs(
  data: string | undefined,
  values: Values,
  io: Io,
  progress: Progress,
  what: What = "points",
): Promise<Inputs> {
  const files = listOf(values, "constraints") ?? [];
  if ([data, textOf(values, "distances"), textOf(values, "columns-from"), ...files].filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input can be read only once.");
  const instances = await loadTable(data, values, io, progress, what);
  const notices = [...instances.notices];
  const sets: ConstraintSet[] = [];
  for (const file of files) {
    const read = await readConstraints((await openBytes(file)).chunks, { file, rows: instances, signal: io.signal });
    sets.push(read.set);
    notices.push(...read.notices, ...(await mismatch(file, instances)));
  }
  progress.clear();
  const exclusive = instances.exclusive ?? [];
  if (sets.length === 0) return { instances, constraints: { ...emptyConstraints(instances.n), exclusive }, notices };
  if (sets.length === 1) return { instances, constraints: { ...sets[0]!, exclusive }, notices };
  const merged = mergeConstraintSets(sets, instances);
  return { instances, constraints: { ...merged.set, exclusive }, notices: [...notices, ...merged.notices] };
}

/** The file of labels and the table that it is about, of the commands that take both. */
export function labelsAndTable(
  command: string,
  { values, positionals }: Parsed,
): { readonly file: string; readonly data: string } {
  const [file, ...rest] = positionals;
  const data = textOf(values, "data");
  if (file === undefined || rest.length > 0)
    throw new UsageError(`Name one file of labels: coterie ${command} LABELS --data DATA.`);
  if (data === undefined) throw new UsageError("Say which table was clustered: --data DATA.");
  if (file === "-" && data === "-") throw new UsageError("Standard input can be read only once.");
  return { file, data };
}

/** Points to cluster, values to look at, or only who the rows are: their ids, classes and groups, whatever the other columns hold. */
export type What = "points" | "values" | "rows";

/** Who the rows are, if a set is to be made about them: all of them, or with `--missing drop` those that would be clustered. */
export function rowsToSpeakOf(values: Values): What {
  return values.missing === "drop" ? "values" : "rows";
}

export async function loadTable(
  data: string | undefined,
  values: Values,
  io: Io,
  progress: Progress,
  what: What = "points",
  coarserTruth: readonly string[] = [],
): Promise<TableInstances> {
  const distances = textOf(values, "distances");
  const matrix = distances === undefined ? undefined : await readGivenDistances(distances, values, io, progress);
  if (data === undefined) return rowsOfMatrix(matrix!);
  const table = await readTable(data, {
    ...tableOptions(values),
    ...(coarserTruth.length > 0 ? { coarserTruth } : {}),
    ...(values.reduce === undefined ? {} : { kernels: createSimdKernels() }),
    ...(matrix ? { featureless: true } : {}),
    ...(what === "rows" ? { features: [], cyclic: {}, weights: {} } : {}),
    ...(what === "values" ? { forDistances: false } : {}),
    signal: io.signal,
    onProgress: (done, total) => progress.show({ phase: "reading (bytes)", done, total }),
  });
  progress.clear();
  if (!values.quiet) for (const notice of table.early) io.say(`Note: ${notice}`);
  return matrix ? withDistances(table, matrix) : table;
}

/** The notices that were not said when the table was read. */
export function notYetSaid(notices: readonly string[], { early }: TableInstances): readonly string[] {
  return notices.filter((notice) => !early.includes(notice));
}

/** The flags of CONTRACT that say how a table is read. */
export function tableOptions(values: Values): ReadTableOptions {
  const texts = Object.fromEntries(
    ["truth", "delimiter", "decimal", "scale", "missing"].map((name) => [name, textOf(values, name)]),
  );
  const id = textOf(values, "id");
  const { "row-weight": rowWeight, "columns-from": columnsFrom } = values;
  const reduce = numberOf(values, "reduce", { integer: true, least: 1 });
  const textDimensions = numberOf(values, "text-dimensions", { integer: true, least: 1 });
  const sample = numberOf(values, "sample", { integer: true, least: 1 });
  const lists = Object.fromEntries(["exclusive", "features", "ignore", "nominal"].map((name) => [name, listOf(values, name)]));
  if (lists.features?.length === 0) throw new UsageError("--features names no column.");
  if (texts.delimiter === "\\t" || texts.delimiter === "tab") texts.delimiter = "\t";
  return Object.fromEntries(
    Object.entries({
      ...texts,
      id: id === "none" ? null : id,
      ...lists,
      ...columnOptions(values),
      rowWeight,
      columnsFrom,
      reduce,
      textDimensions,
      ...(sample === undefined ? {} : { sample, seed: seedOf(values) }),
    }).filter(([, value]) => value !== undefined),
  ) as ReadTableOptions;
}

/** A file that was made from other data is still read, with a warning. */
export async function mismatch(file: string, instances: TableInstances): Promise<string[]> {
  if (file === "-") return [];
  const source = await sourceOf(file);
  if (source.sha256 === undefined || source.sha256 === (await instances.contentHash())) return [];
  return [`${file} was made from ${source.data ?? "other data"} with other content than ${instances.file} has now.`];
}

/** The flags of a line that say how its data are read. */
export function readingOf(values: Values): Values {
  return Object.fromEntries(READING_FLAGS.flatMap((name) => (isValue(values[name]) ? [[name, values[name]]] : [])));
}

/** How the run that made these labels read its data, where the side file of the labels says it. */
export async function readingOfRun(file: string): Promise<Values> {
  const { reading } = file === "-" ? {} : await sourceOf(file);
  return readingOf(reading ?? {});
}

/** A sample is no part of it: rows that were not drawn have no label. */
const READING_FLAGS = DATA_FLAGS.map(({ name }) => name).filter((name) => name !== "sample");

function isValue(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"));
}

/** What the side file of a file says; nothing if there is none. */
async function sourceOf(file: string): Promise<Partial<Provenance>> {
  try {
    return JSON.parse(await readFile(`${file}.source.json`, "utf8")) ?? {};
  } catch {
    return {};
  }
}

/** First centres from a table with the same columns, in the units of the input. */
export async function readCentres(file: string, { instances }: Inputs, values: Values, io: Io): Promise<number[][]> {
  if (instances.nominal?.includes(1)) {
    throw badInput("First centres cannot be given for nominal columns.", {
      file,
      remedy: "Leave --init out, or use number columns only.",
    });
  }
  const { delimiter, decimal } = tableOptions(values);
  const features = [...instances.names!];
  const reading = { features, ...(delimiter ? { delimiter } : {}), ...(decimal ? { decimal } : {}), signal: io.signal };
  const centres = await readTable(file, reading);
  const { offset, factor } = instances.scaling ?? { offset: [], factor: [] };
  return Array.from({ length: centres.n }, (_, c) =>
    features.map((_, j) => (centres.x[c * centres.d + j]! - (offset[j] ?? 0)) / (factor[j] ?? 1)),
  );
}

/* Flags that say something about one column each: COL=WORD, repeated or with commas. */

function columnOptions(values: Values): Pick<ReadTableOptions, "types" | "cyclic" | "weights"> {
  const types = pairsOf(values, "type", "COL=TYPE");
  const cyclic = pairsOf(values, "cyclic", "COL=TURN");
  const weights = pairsOf(values, "weight", "COL=W");
  return {
    ...(types ? { types: onceEach("type", types, typeOf) } : {}),
    ...(cyclic ? { cyclic: gathered(cyclic) } : {}),
    ...(weights ? { weights: onceEach("weight", weights, weightOf) } : {}),
  };
}

type Pair = readonly [column: string, word: string];

/** The last "=" parts a pair: a name may have one in it. */
function pairsOf(values: Values, flag: string, shape: string): Pair[] | undefined {
  return listOf(values, flag)?.map((text): Pair => {
    const at = text.lastIndexOf("=");
    if (at <= 0 || at === text.length - 1) throw new UsageError(`--${flag} is "${text}"; it must be ${shape}.`);
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
}

function onceEach<V>(flag: string, pairs: readonly Pair[], read: (word: string, pair: string) => V): Record<string, V> {
  const found = new Map<string, V>();
  for (const [column, word] of pairs) {
    const value = read(word, `${column}=${word}`);
    if (found.has(column) && found.get(column) !== value)
      throw new UsageError(`--${flag} says two different things about the column "${column}".`);
    found.set(column, value);
  }
  return Object.fromEntries(found);
}

function typeOf(word: string, pair: string): ColumnType {
  const type = COLUMN_TYPES.find((each) => each === word);
  if (type) return type;
  const near = nearestName(word, COLUMN_TYPES);
  throw new UsageError(
    `--type is "${pair}"; the type must be one of ${COLUMN_TYPES.join(", ")}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
  );
}

function weightOf(word: string, pair: string): number {
  const weight = Number(word);
  if (weight > 0 && weight < Infinity) return weight;
  throw new UsageError(`--weight is "${pair}"; the weight must be a number above 0.`);
}

/** A column may go round several circles. */
function gathered(pairs: readonly Pair[]): Record<string, (Cycle | number)[]> {
  const found = new Map<string, (Cycle | number)[]>();
  for (const [column, word] of pairs) {
    const length = Number(word);
    const cycle = CYCLES.find((each) => each === word) ?? (length > 0 && length < Infinity ? length : undefined);
    if (cycle === undefined) {
      throw new UsageError(
        `--cyclic is "${column}=${word}"; a turn is ${CYCLES.join(", ")}, or a number above 0 for a column of numbers.`,
      );
    }
    const cycles = found.get(column) ?? [];
    if (!cycles.includes(cycle)) found.set(column, [...cycles, cycle]);
  }
  return Object.fromEntries(found);
}
