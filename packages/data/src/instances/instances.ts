/**
 * From a table to points: who the rows are, which columns are features, what becomes of missing cells, and scaling. The rules
 * are CONTRACT's ("Instances and files").
 */
import {
  badInput,
  badOption,
  cos,
  drain,
  type Grouping,
  type InstanceId,
  type Instances,
  type Kernels,
  nearestName,
  type Points,
  pointsOfSingles,
  type Scaling,
  sin,
  withMore,
} from "@coterie/core/internal";
import { shellFlag } from "@coterie/core/shell";
import { type ColumnTypes, checkTypes, columnsAsked } from "../table/column-types.js";
import { CYCLES, type Cycle, type DateOrder, turnOf } from "../table/dates.js";
import { areBooleans } from "../table/recognise.js";
import { counted, listed, quoted } from "../table/sentences.js";
import type { Column, NumericColumn, ReadOptions, Table } from "../table/table.js";

import {
  areDirectionRows,
  areDirections,
  featureOf,
  nearlyUnique,
  pointsOf,
  type Reduction,
  reduced,
  refuseNames,
} from "./features.js";

import { STRETCH } from "./points.js";

import { asNominal, droppedIds, idsOf, keptRows, labellingOf, rowWeightsOf, sampled } from "./rows.js";
import { dominanceAmong, dominanceOf, type Feature, scalingOf, weighted } from "./scaling.js";

/** Few enough rows that they stay next to the processor while they are spread over their columns. */
const ROWS_AT_ONCE = 128;

export type MissingRule = "error" | "drop" | "impute" | "skip";

export interface InstanceOptions {
  /** The column that names the instances. Where it is left out, a column that names the rows is recognised, else the row number does; null: the row number. */
  readonly id?: string | null;
  /** The column of known classes. */
  readonly truth?: string;
  /** Columns of classes that contain the known classes, from the coarsest on: with `truth` they make a hierarchy. */
  readonly coarserTruth?: readonly string[];
  /** Columns whose equal values may not share a cluster. */
  readonly exclusive?: readonly string[];
  /** The columns to use; an empty list reads who the rows are and nothing else. */
  readonly features?: readonly string[];
  readonly ignore?: readonly string[];
  /** The column that holds the known classes of a sample set: a feature only where `features` names it. */
  readonly knownClass?: string;
  /** Columns to read as text whatever they hold. */
  readonly nominal?: readonly string[];
  /** What columns hold, instead of what their cells look like. */
  readonly types?: ColumnTypes;
  /** Whether day or month comes first in columns of dates, where that is known from elsewhere. */
  readonly dateOrders?: Readonly<Record<string, DateOrder>>;
  /** Columns that go round: dates by parts of the calendar, numbers by the length of a turn. */
  readonly cyclic?: Readonly<Record<string, readonly (Cycle | number)[]>>;
  /** How much columns count in distances; 1 where nothing is said. */
  readonly weights?: Readonly<Record<string, number>>;
  /** How many principal components the columns of numbers, or of vectors where there are some, become. */
  readonly reduce?: number;
  /** The arithmetic for principal components; they do not depend on it. */
  readonly kernels?: Kernels;
  /** How many numbers a text becomes for methods that need means; default 64. */
  readonly textDimensions?: number;
  /** The column that says how much each row counts, in methods that can weigh rows. */
  readonly rowWeight?: string;
  /** Rows to draw at random; all of them if left out. */
  readonly sample?: number;
  /** Where random choices start from; default 0. */
  readonly seed?: number;
  readonly scale?: "none" | "zscore" | "minmax";
  readonly missing?: MissingRule;
  /** Whether rows will be compared by distances, so that a column that would dominate them is worth a word; default true. */
  readonly forDistances?: boolean;
  /** The rows are for a model, which names the features and knows by column what a missing cell is filled with. */
  readonly model?: { readonly fills: ReadonlyMap<string, number | string>; readonly reduction?: Reduction };
  /** Whether a table may have no feature at all, since the distances of its rows come from elsewhere. */
  readonly featureless?: boolean;
}

/** A column as it was read for the points: enough to read another table in the same way. */
export interface SourceColumn {
  readonly name: string;
  readonly type: "number" | "nominal" | "text" | "date" | "vector";
  readonly order?: DateOrder;
  readonly cycles?: readonly (Cycle | number)[];
  /** What its missing cells were filled with. */
  readonly fill?: number | string;
  /** How many features it became. */
  readonly features: number;
}

export interface LoadedInstances {
  readonly instances: Instances;
  /** The row number in the file of each row kept. */
  readonly rows: Int32Array;
  /** The column that names the rows, said or recognised. */
  readonly idColumn?: string;
  /** Data rows in the file. */
  readonly total: number;
  /** Ids of the rows that were dropped. */
  readonly dropped: readonly InstanceId[];
  /** How many cells were filled. */
  readonly imputed: number;
  /** With `impute`: what a missing cell of each feature is filled with. */
  readonly fills?: readonly (number | string)[];
  /** With `impute`: for each feature, the rows whose cell was filled, counted among the kept ones. */
  readonly filledRows?: readonly Int32Array[];
  /** The columns behind the features, in order. */
  readonly sources: readonly SourceColumn[];
  /** How columns became principal components, where they did. */
  readonly reduction?: Reduction;
  readonly notices: readonly string[];
  /** Those of the notices that a person should hear before a run, which may be long. */
  readonly early: readonly string[];
  /** The one of the notices that is about a column of far the largest variance: true where distances go by the columns' units. */
  readonly dominance?: string;
}

/** What a reader must know of these options: which columns are text, and which it may skip. */
export function readingOf(options: InstanceOptions): Pick<ReadOptions, "text" | "skip" | "types" | "dateOrders"> {
  const roles = new Set(rolesOf(options));
  const { features, knownClass, rowWeight, types, dateOrders } = options;
  const text = [...roles, ...(options.nominal ?? [])];
  const ignored = new Set([...(options.ignore ?? []), ...columnsAsked(types, "ignore")]);
  if (features === undefined && knownClass !== undefined) ignored.add(knownClass);
  const wanted = features === undefined ? null : new Set(features);
  const skip = (name: string) =>
    !roles.has(name) && name !== rowWeight && (ignored.has(name) || (wanted !== null && !wanted.has(name)));
  return { text, skip, ...(types ? { types } : {}), ...(dateOrders ? { dateOrders } : {}) };
}

export function instancesOf(table: Table, given: InstanceOptions = {}): LoadedInstances {
  return drain(instanceSteps(table, given));
}

/** The same in steps: the caller lets signals in between two of them. */
export function* instanceSteps(table: Table, given: InstanceOptions): Generator<void, LoadedInstances> {
  if (table.singles) return yield* instancesOfSingles(table, given);
  const options = withParts(table, given);
  const { scale = "none", missing = "error" } = options;
  checkOptions(options);
  const notices: string[] = [];
  checkColumns(table, options);
  if (table.n === 0) throw badInput("The file has no data rows.", { file: table.file, remedy: "Add at least one row." });
  const columns = featureColumns(table, options, notices);
  const allIds = options.id ? yield* idsOf(table, options.id) : null;

  const kept = keptRows(table, columns, missing, notices);
  const rows = options.sample === undefined ? kept : sampled(kept, options.sample, options.seed ?? 0, notices);
  const asText = new Set(columnsAsked(options.types, "text"));
  const made: Feature[] = [];
  for (const column of columns) {
    const feature = featureOf(column, rows, missing, table, options.model?.fills.get(column.name));
    made.push(asText.has(column.name) && feature.levels !== null ? { ...feature, isText: true } : feature);
    yield;
  }
  const { features: all, sources } = expanded(columns, made, options, table.file);
  notices.push(...saidOfColumns(columns, made, rows.length, options));
  const isMeasured = scale === "none" && options.forDistances !== false && !options.featureless && !options.weights;
  const dominance = isMeasured ? dominanceOf(all) : undefined;
  if (dominance !== undefined) notices.push(dominance);
  const early = options.model ? [] : nearlyUnique(all, rows.length, askedNominal(options));
  if (!options.model && !options.featureless) refuseNames(all, rows.length, table.file);
  notices.push(...early);
  const plain = weighted(scalingOf(all, scale, table.file), all);
  const wanted = options.model?.reduction ?? options.reduce;
  const less =
    wanted === undefined
      ? undefined
      : reduced(all, plain, wanted, { n: rows.length, file: table.file, kernels: options.kernels });
  const { features, scaling } = less ?? { features: all, scaling: plain };
  if (less?.notice !== undefined) notices.push(less.notice);
  const directions = scaling === null && areDirections(features, rows.length);
  const points = yield* pointsOf(features, rows.length, scaling);
  const about = {
    ...(yield* facts(table, rows, allIds, scaling, options)),
    ...(directions ? { directions: true as const } : {}),
  };
  const instances: Instances = withMore(points, about);
  const fills =
    missing === "impute"
      ? { fills: features.map((feature) => feature.fill!), filledRows: features.map((feature) => feature.filledRows) }
      : {};
  const imputed = made.reduce((sum, feature) => sum + feature.filledRows.length, 0);
  const said = { notices, early, ...(dominance === undefined ? {} : { dominance }) };
  const dropped = droppedIds(table.n, rows, allIds);
  const reduction = less ? { reduction: less.reduction } : {};
  const idColumn = options.id ? { idColumn: options.id } : {};
  return { instances, rows, ...idColumn, total: table.n, dropped, imputed, sources, ...reduction, ...said, ...fills };
}

/** Singles stay as they are where every number is used as it is; else they are columns like others. */
function* instancesOfSingles(table: Table, options: InstanceOptions): Generator<void, LoadedInstances> {
  checkOptions(options);
  const { scale = "none", missing, sample, reduce, weights, cyclic, model } = options;
  const asTheyAre = scale === "none" && missing !== "impute" && !(sample || reduce || weights || cyclic || model);
  const notices: string[] = [];
  const { stubs, named } = stubsOf(table);
  checkColumns(named, options);
  const columns = featureColumns(named, options, notices);
  const isWhole = columns.length === stubs.length && columns.every((column, j) => column === stubs[j]);
  if (!asTheyAre || !isWhole) return yield* instanceSteps(spreadSingles(table), options);
  const rows = keptRows(table, [], "error", notices);
  const allIds = options.id ? yield* idsOf(table, options.id) : null;
  const { points, dominance } = fromSingles(table, options.forDistances !== false && !options.featureless);
  if (dominance !== undefined) notices.push(dominance);
  return {
    instances: withMore(points, yield* facts(table, rows, allIds, null, options)),
    rows,
    ...(options.id ? { idColumn: options.id } : {}),
    total: table.n,
    dropped: [],
    imputed: 0,
    sources: stubs.map(({ name }) => ({ name, type: "number", features: 1 })),
    notices,
    early: [],
    ...(dominance === undefined ? {} : { dominance }),
  };
}

function* idsOfKept(rows: Int32Array, allIds: readonly string[] | null): Generator<void, InstanceId[]> {
  const ids: InstanceId[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (i % STRETCH === 0) yield;
    ids.push(allIds?.[rows[i]!] ?? rows[i]!);
  }
  return ids;
}

/** What is known of rows besides their values. */
function* facts(
  table: Table,
  rows: Int32Array,
  allIds: readonly string[] | null,
  scaling: Scaling | null,
  options: InstanceOptions,
): Generator<void, Omit<Instances, keyof Points> & Pick<Instances, "textDimensions" | "rowWeights">> {
  const ids = rows.length < table.n ? yield* idsOfKept(rows, allIds) : allIds;
  const truth = options.truth === undefined ? null : labellingOf(table, options.truth, rows);
  const coarser = options.coarserTruth?.map((column) => labellingOf(table, column, rows)) ?? [];
  const exclusive = [...new Set(options.exclusive ?? [])].map(
    (column): Grouping => ({ ...labellingOf(table, column, rows), column }),
  );
  return {
    ...(ids ? { ids } : {}),
    ...(truth ? { truth } : {}),
    ...(coarser.length > 0 ? { coarserTruth: coarser } : {}),
    ...(exclusive.length > 0 ? { exclusive } : {}),
    ...(scaling ? { scaling } : {}),
    ...(options.textDimensions === undefined ? {} : { textDimensions: options.textDimensions }),
    ...(options.rowWeight === undefined ? {} : { rowWeights: rowWeightsOf(table, options.rowWeight, rows) }),
  };
}

/** Sums of weighted squares stay finite up to here, unless the values are huge themselves. */
const LARGEST_WEIGHT = 1e100;

/** More numbers than this would tell no texts better apart. */
const MOST_DIMENSIONS = 4096;

function checkOptions(options: InstanceOptions): void {
  const { scale = "none", missing = "error", types, cyclic, weights, sample, reduce = 1, textDimensions = 1 } = options;
  if (!(Number.isSafeInteger(reduce) && reduce >= 1)) throw badOption("--reduce", reduce, "a whole number of at least 1");
  if (!["none", "zscore", "minmax"].includes(scale)) throw badOption("--scale", scale, "none, zscore or minmax");
  if (!["error", "drop", "impute", "skip"].includes(missing))
    throw badOption("--missing", missing, "error, drop, impute or skip");
  if (types) checkTypes(types);
  if (cyclic) checkCycles(cyclic);
  for (const [name, weight] of Object.entries(weights ?? {})) {
    if (!(weight > 0 && weight <= LARGEST_WEIGHT))
      throw badOption("--weight", `${name}=${weight}`, `COL=W with a number above 0, and at most ${LARGEST_WEIGHT}`);
  }
  if (!(Number.isSafeInteger(textDimensions) && textDimensions >= 1 && textDimensions <= MOST_DIMENSIONS))
    throw badOption("--text-dimensions", textDimensions, `a whole number from 1 to ${MOST_DIMENSIONS}`);
  if (sample !== undefined && !(Number.isSafeInteger(sample) && sample >= 1))
    throw badOption("--sample", sample, "a whole number of at least 1");
}

/** Options that name a column of vectors speak of all its parts. */
function withParts(table: Table, options: InstanceOptions): InstanceOptions {
  const parts = new Map<string, string[]>();
  for (const column of table.columns) {
    if (column.kind !== "numeric" || column.vector === undefined) continue;
    parts.set(column.vector, [...(parts.get(column.vector) ?? []), column.name]);
  }
  if (parts.size === 0) return options;
  const spread = (names: readonly string[] | undefined) => names?.flatMap((name) => parts.get(name) ?? [name]);
  const spreadKeys = <V>(record: Readonly<Record<string, V>> | undefined) =>
    record &&
    Object.fromEntries(Object.entries(record).flatMap(([name, value]) => spread([name])!.map((part) => [part, value] as const)));
  const changed = {
    features: spread(options.features),
    ignore: spread(options.ignore),
    types: spreadKeys(options.types),
    weights: spreadKeys(options.weights),
  };
  return {
    ...options,
    ...(Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) as InstanceOptions),
  };
}

/** The features that columns become, with what is known of each. */
function expanded(
  columns: readonly Column[],
  made: readonly Feature[],
  { cyclic = {}, weights = {} }: InstanceOptions,
  file: string,
): { readonly features: readonly Feature[]; readonly sources: readonly SourceColumn[] } {
  const features: Feature[] = [];
  const sources: SourceColumn[] = [];
  columns.forEach((column, j) => {
    const { name } = column;
    const cycles = Object.hasOwn(cyclic, name) ? cyclic[name]! : [];
    const weight = Object.hasOwn(weights, name) ? weights[name]! : 1;
    const became = cycles.length === 0 ? [made[j]!] : onCircles(made[j]!, column, cycles, file);
    features.push(...became.map((feature) => (weight === 1 ? feature : { ...feature, weight })));
    const date = column.kind === "numeric" ? column.date : undefined;
    const { fill, vector } = made[j]!;
    const last = sources.at(-1);
    if (vector !== undefined && last?.type === "vector" && last.name === vector) {
      sources[sources.length - 1] = { ...last, features: last.features + 1 };
      return;
    }
    if (vector !== undefined) {
      sources.push({ name: vector, type: "vector", features: 1 });
      return;
    }
    sources.push({
      name,
      type: made[j]!.isText ? "text" : column.kind === "nominal" ? "nominal" : date === undefined ? "number" : "date",
      ...(date === "day" || date === "month" ? { order: date } : {}),
      ...(cycles.length > 0 ? { cycles } : {}),
      ...(fill === undefined ? {} : { fill }),
      features: became.length,
    });
  });
  return { features, sources };
}

/** Filled cells, cells that are skipped, and booleans. */
function saidOfColumns(columns: readonly Column[], made: readonly Feature[], n: number, options: InstanceOptions): string[] {
  const notices: string[] = [];
  const holed = made.filter(({ filledRows, holes }) => filledRows.length > 0 || holes > 0);
  const cells = holed.reduce((sum, { filledRows, holes }) => sum + filledRows.length + holes, 0);
  const where = `${counted(cells, "missing cell")} in ${counted(holed.length, "column")} ${cells === 1 ? "was" : "were"}`;
  if (cells > 0 && options.missing === "skip") {
    notices.push(`${where} left out: two rows are compared by the columns that both have.`);
  } else if (cells > 0) {
    notices.push(
      `${where} filled: numbers by the mean, texts by the most frequent level${options.model ? " of the rows that the model was made from" : ""}.`,
    );
  }
  const asked = new Set([...askedNominal(options), ...columnsAsked(options.types, "text")]);
  const truths = columns.filter((column) => column.kind === "nominal" && !asked.has(column.name) && areBooleans(column.levels));
  if (truths.length > 0 && n > 0 && !options.model) notices.push(booleanNotice(truths.map(({ name }) => name)));
  return notices;
}

function booleanNotice(names: readonly string[]): string {
  const [first = ""] = names;
  const which = names.length === 1 ? `Column ${quoted(first)} holds` : `Columns ${listed(names.map(quoted), 30)} hold`;
  return `${which} booleans, two levels that are equal or different; ${shellFlag("--type", `${first}=number`)} makes them 1 and 0.`;
}

/** Columns that somebody wants to be levels. */
function askedNominal({ nominal = [], types }: InstanceOptions): ReadonlySet<string> {
  return new Set([...nominal, ...columnsAsked(types, "nominal")]);
}

function rolesOf({ id, truth, coarserTruth = [], exclusive = [] }: InstanceOptions): string[] {
  return [id ?? undefined, ...coarserTruth, truth, ...exclusive].filter((name) => name !== undefined);
}

/** Every column that an option names must be in the file. */
function checkColumns(table: Table, options: InstanceOptions): void {
  const present = table.columns.map((column) => column.name);
  const all = [...present, ...(table.skipped ?? [])];
  const known = new Set(all);
  const named: [string, readonly string[]][] = [
    ["--id", options.id ? [options.id] : []],
    ["--truth", [...(options.coarserTruth ?? []), ...(options.truth === undefined ? [] : [options.truth])]],
    ["--exclusive", options.exclusive ?? []],
    [options.model ? "the model needs it" : "--features", options.features ?? []],
    // A reader that does not say what it skipped cannot vouch for the ignored names.
    ["--ignore", table.skipped === undefined ? [] : (options.ignore ?? [])],
    ["--nominal", options.nominal ?? []],
    ["--row-weight", options.rowWeight === undefined ? [] : [options.rowWeight]],
    [
      "--type",
      table.skipped === undefined && options.types ? columnsNotIgnored(options.types) : Object.keys(options.types ?? {}),
    ],
    ["--cyclic", Object.keys(options.cyclic ?? {})],
    ["--weight", Object.keys(options.weights ?? {})],
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
  const roles = new Set([...rolesOf(options), ...(options.rowWeight === undefined ? [] : [options.rowWeight])]);
  const ignored = new Set([...(options.ignore ?? []), ...columnsAsked(options.types, "ignore")]);
  const asText = askedNominal(options);
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const names = options.features === undefined ? [...byName.keys()] : [...new Set(options.features)];
  if (options.features !== undefined) {
    for (const name of names.filter((each) => roles.has(each))) {
      notices.push(`Column ${quoted(name)} is no feature: it is named by --id, --truth, --exclusive or --row-weight.`);
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

function columnsNotIgnored(types: ColumnTypes): string[] {
  return Object.keys(types).filter((name) => types[name] !== "ignore");
}

/*
 * Columns that go round: hours of a day, days of a week, months of a year. Each becomes two features, its place on a circle of
 * diameter 1, so that 23:00 is near 1:00 and opposite moments are at distance 1.
 */

function checkCycles(cyclic: Readonly<Record<string, readonly (Cycle | number)[]>>): void {
  for (const [name, cycles] of Object.entries(cyclic)) {
    for (const cycle of cycles) {
      const isFine = typeof cycle === "number" ? cycle > 0 && cycle < Infinity : CYCLES.includes(cycle);
      if (!isFine)
        throw badOption(
          "--cyclic",
          `${name}=${cycle}`,
          `COL=${CYCLES.join("|")}, or the length of a turn for a column of numbers`,
        );
    }
  }
}

/** The features of a column on its circles. */
function onCircles(feature: Feature, column: Column, cycles: readonly (Cycle | number)[], file: string): Feature[] {
  const { name, values, fill, notation: _, ...rest } = feature;
  return cycles.flatMap((cycle) => {
    const turn = turnBy(column, cycle, file);
    const around = (of: (angle: number) => number, which: string): Feature => {
      const place = (value: number) => (Number.isNaN(value) ? Number.NaN : of(2 * Math.PI * turn(value)) / 2);
      return {
        ...rest,
        name: `${name} (${cycle}, ${which})`,
        values: values.map(place),
        ...(typeof fill === "number" ? { fill: place(fill) } : {}),
      };
    };
    return [around(cos, "cosine"), around(sin, "sine")];
  });
}

function turnBy(column: Column, cycle: Cycle | number, file: string): (value: number) => number {
  const option = shellFlag("--cyclic", `${column.name}=${cycle}`);
  if (column.kind !== "numeric")
    throw badInput(`Column ${quoted(column.name)} holds text, which goes round nothing (${option}).`, {
      file,
      remedy: "Name a column of dates, times or numbers.",
    });
  if (typeof cycle === "number") return (value) => value / cycle - Math.floor(value / cycle);
  if (column.date === undefined)
    throw badInput(`Column ${quoted(column.name)} holds numbers, not dates (${option}).`, {
      file,
      remedy: `Say after how much they begin anew, such as ${shellFlag("--cyclic", `${column.name}=24`)} for hours.`,
    });
  return (days) => turnOf(days, cycle);
}

/* Columns that came in single precision as one block: as points, or spread over columns where something is to be done to them. */

/** Columns that have names and no values yet, and a table that lists them beside the others. */
function stubsOf({ singles, ...table }: Table): { readonly stubs: readonly Column[]; readonly named: Table } {
  const none = new Float32Array(0);
  const stubs = singles!.names.map((name): NumericColumn => ({ kind: "numeric", name, values: none, missing: 0 }));
  return { stubs, named: { ...table, columns: [...stubs, ...table.columns] } };
}

/** The table with columns in the place of its block. */
function spreadSingles({ singles, ...table }: Table): Table {
  const { names, rows } = singles!;
  const width = names.length;
  const columns = names.map((name) => ({ kind: "numeric" as const, name, values: new Float32Array(table.n), missing: 0 }));
  for (let from = 0; from < table.n; from += ROWS_AT_ONCE) {
    const end = Math.min(table.n, from + ROWS_AT_ONCE);
    columns.forEach(({ values }, j) => {
      for (let i = from, p = from * width + j; i < end; i++, p += width) values[i] = rows[p]!;
    });
  }
  return { ...table, columns: [...columns, ...table.columns] };
}

/** The block as points, and a word if one of its columns would drown the others, where that matters. */
function fromSingles(
  { n, singles }: Table,
  isMeasured: boolean,
): { readonly points: Instances; readonly dominance: string | undefined } {
  const { names, rows } = singles!;
  const d = names.length;
  const directions = areDirectionRows(rows, n, d) ? { directions: true as const } : {};
  const dominance = isMeasured ? dominanceAmong(names, () => variancesOf(rows, n, d)) : undefined;
  return { points: pointsOfSingles({ n, d, names, ...directions }, rows), dominance };
}

/** The variance of each column in one pass, for a comparison: about the first row, as columns are judged one by one. */
function variancesOf(rows: Float32Array, n: number, d: number): number[] {
  const sums = new Float64Array(d);
  const squares = new Float64Array(d);
  const whole = n - (n % 4);
  // Four rows at a time: sums are read and written a fourth as often.
  for (let p = 0; p < whole * d; p += 4 * d) {
    for (let j = 0; j < d; j++) {
      const first = rows[j]!;
      const a = rows[p + j]! - first;
      const b = rows[p + d + j]! - first;
      const c = rows[p + 2 * d + j]! - first;
      const e = rows[p + 3 * d + j]! - first;
      sums[j]! += a + b + c + e;
      squares[j]! += a * a + b * b + c * c + e * e;
    }
  }
  for (let p = whole * d; p < n * d; p++) {
    const away = rows[p]! - rows[p % d]!;
    sums[p % d]! += away;
    squares[p % d]! += away * away;
  }
  return Array.from(sums, (sum, j) => squares[j]! / n - (sum / n) * (sum / n));
}
