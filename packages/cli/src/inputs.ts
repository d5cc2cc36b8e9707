/** Reads the table and the constraints of a command, with the options that all commands share. */

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { badInput, type ConstraintSet, emptyConstraints, scale } from "@coterie/core/internal";
import { nearestName } from "@coterie/core/names";
import type { ColumnType, Cycle, ReadTableOptions, TableInstances } from "@coterie/data";
import { COLUMN_TYPES, CYCLES, mergeConstraintSets, openBytes, readConstraints, readTable } from "@coterie/data";
import { type ColumnTransform, TRANSFORMS } from "@coterie/data/column-types";
import { createSimdKernels } from "@coterie/kernels";
import { DATA_FLAGS, type Io } from "./command.js";
import { listOf, numberOf, type Parsed, seedOf, textOf, UsageError, type Values } from "./flags.js";
import { readGivenDistances, rowsOfMatrix, withDistances } from "./given-distances.js";
import type { Progress } from "./progress.js";
import { readGivenPairs, rowsOfPairs, withPairs } from "./scored-pairs.js";

export interface Provenance {
  readonly data: string;
  readonly sha256: string;
  readonly version: string;
  readonly reading?: Values;
}

export interface Inputs {
  readonly instances: TableInstances;
  readonly constraints: ConstraintSet;
  readonly notices: readonly string[];
}

/** Reads table and constraints. Without a table, the rows are the rows of the `--distances` matrix or the ids in the `--pairs` file. */
export async function loadInputs(
  data: string | undefined,
  values: Values,
  io: Io,
  progress: Progress,
  what: What = "points",
): Promise<Inputs> {
  const files = listOf(values, "constraints") ?? [];
  if (
    [data, textOf(values, "distances"), textOf(values, "pairs"), textOf(values, "columns-from"), ...files].filter(
      (file) => file === "-",
    ).length > 1
  )
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

/**
 * How much of a table to read. "points": features to cluster. "cells": the same columns without scaling, for methods that compare cells; a
 * column with both numbers and texts is read as text. "values": all columns, to describe clusters. "rows": only ids, classes and groups.
 */
export type What = "points" | "cells" | "values" | "rows";

/**
 * Returns how much of a table to read for making constraints. Ids and classes are enough, but with `--missing drop` the cells decide which
 * rows remain.
 */
export function whatToRead(values: Values): What {
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
  const scores = textOf(values, "pairs");
  const pairs = scores === undefined ? undefined : await readGivenPairs(scores, values, io, progress);
  if (data === undefined) return matrix ? rowsOfMatrix(matrix) : rowsOfPairs(pairs!);
  const table = await readTable(data, {
    ...tableOptions(what === "values" && values.scale === undefined ? { ...values, scale: "none" } : values),
    ...(coarserTruth.length > 0 ? { coarserTruth } : {}),
    ...(values.reduce === undefined ? {} : { kernels: createSimdKernels() }),
    ...(matrix ? { featureless: true } : {}),
    ...(what === "rows" ? { features: [], cyclic: {}, weights: {} } : {}),
    ...(pairs ? { featureless: true } : {}),
    ...(what === "values" ? { forDistances: false } : {}),
    ...(what === "cells" ? { forCells: true as const } : {}),
    signal: io.signal,
    onProgress: (done, total) => progress.show({ phase: "reading (bytes)", done, total }),
  });
  progress.clear();
  if (!values.quiet) for (const notice of table.early) io.say(`Note: ${notice}`);
  if (pairs) return withPairs(table, pairs);
  return matrix ? withDistances(table, matrix) : table;
}

export function unprinted(notices: readonly string[], { early }: TableInstances): readonly string[] {
  return notices.filter((notice) => !early.includes(notice));
}

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
  if (lists.features?.length === 0) throw new UsageError("--features is empty. Name a column: --features COLUMN.");
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

export async function mismatch(file: string, instances: TableInstances): Promise<string[]> {
  if (file === "-") return [];
  const source = await sourceOf(file);
  if (source.sha256 === undefined || source.sha256 === (await instances.contentHash())) return [];
  return [`${file} was made from ${source.data ?? "other data"}, whose content differs from ${instances.file} now.`];
}

export function readingOf(values: Values): Values {
  return Object.fromEntries(READING_FLAGS.flatMap((name) => (isValue(values[name]) ? [[name, values[name]]] : [])));
}

/**
 * The flags that were used to read the table in an earlier run. They come from the side file of the labels in `file`. Flags that this
 * command line sets are left out.
 */
export async function takenOver(file: string, values: Values, own: readonly string[] = []): Promise<Values> {
  const { reading } = file === "-" ? {} : await sourceOf(file);
  const entries = Object.entries(readingOf(reading ?? {}));
  return Object.fromEntries(entries.filter(([name]) => values[name] === undefined && !own.includes(name)));
}

export function takenOverNotice(data: string, taken: Values): string[] {
  const flags = Object.entries(taken).map(([name, value]) => `--${name} ${[value].flat().join(",")}`);
  return flags.length === 0 ? [] : [`${basename(data)} is read as the run that made these labels read it: ${flags.join(" ")}.`];
}

/** The data flags that are taken over from an earlier run. `--sample` is not among them: rows outside the sample have no label. */
const READING_FLAGS = DATA_FLAGS.map(({ name }) => name).filter((name) => name !== "sample");

function isValue(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"));
}

async function sourceOf(file: string): Promise<Partial<Provenance>> {
  try {
    return JSON.parse(await readFile(`${file}.source.json`, "utf8")) ?? {};
  } catch {
    return {};
  }
}

export async function readCentres(file: string, { instances }: Inputs, values: Values, io: Io): Promise<number[][]> {
  if (instances.nominal?.includes(1)) {
    throw badInput("First centres cannot be given for nominal columns.", {
      file,
      remedy: "Leave --init out, or use number columns only.",
    });
  }
  const { delimiter, decimal } = tableOptions(values);
  const features = [...instances.names!];
  const reading = {
    features,
    scale: "none" as const,
    ...(delimiter ? { delimiter } : {}),
    ...(decimal ? { decimal } : {}),
    signal: io.signal,
  };
  const centres = await readTable(file, reading);
  const { scaling } = instances;
  return Array.from({ length: centres.n }, (_, c) =>
    features.map((_, j) => {
      const value = centres.x[c * centres.d + j]!;
      return scaling ? scale(scaling, j, value) : value;
    }),
  );
}

/* Flags that give one value for each column: COL=VALUE, repeated or separated by commas. */

function columnOptions(values: Values): Pick<ReadTableOptions, "types" | "cyclic" | "weights" | "transforms"> {
  const types = pairsOf(values, "type", "COL=TYPE");
  const cyclic = pairsOf(values, "cyclic", "COL=TURN");
  const weights = pairsOf(values, "weight", "COL=W");
  const transforms = pairsOf(values, "transform", "COL=HOW");
  return {
    ...(types ? { types: onceEach("type", types, typeOf) } : {}),
    ...(cyclic ? { cyclic: gathered(cyclic) } : {}),
    ...(weights ? { weights: onceEach("weight", weights, weightOf) } : {}),
    ...(transforms ? { transforms: onceEach("transform", transforms, transformOf) } : {}),
  };
}

type Pair = readonly [column: string, word: string];

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
      throw new UsageError(`--${flag} gives the column "${column}" two different values.`);
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

function transformOf(word: string, pair: string): ColumnTransform {
  const how = TRANSFORMS.find((each) => each === word);
  if (how) return how;
  throw new UsageError(`--transform is "${pair}"; the transform must be one of ${TRANSFORMS.join(", ")}.`);
}

function weightOf(word: string, pair: string): number {
  const weight = Number(word);
  if (weight > 0 && weight < Infinity) return weight;
  throw new UsageError(`--weight is "${pair}"; the weight must be a number above 0.`);
}

function gathered(pairs: readonly Pair[]): Record<string, (Cycle | number)[]> {
  const found = new Map<string, (Cycle | number)[]>();
  for (const [column, word] of pairs) {
    const length = Number(word);
    const cycle = CYCLES.find((each) => each === word) ?? (length > 0 && length < Infinity ? length : undefined);
    if (cycle === undefined) {
      throw new UsageError(
        `--cyclic is "${column}=${word}"; the period must be ${CYCLES.join(", ")}, or a number above 0 for a numeric column.`,
      );
    }
    const cycles = found.get(column) ?? [];
    if (!cycles.includes(cycle)) found.set(column, [...cycles, cycle]);
  }
  return Object.fromEntries(found);
}
