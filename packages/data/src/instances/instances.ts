/** Turns a table into points: picks ids, classes and features, fills missing cells, scales. docs/recipes/tables.md has the rules. */
import type { Grouping, InstanceId, Instances, Kernels, Points, Scaling } from "@coterie/core/internal";
import {
  badInput,
  badOption,
  commonRange,
  cos,
  drain,
  nearestName,
  oneUnitNotice,
  pointsOfSingles,
  type Range,
  sin,
  withMore,
} from "@coterie/core/internal";
import { shellFlag } from "@coterie/core/shell";
import {
  type ColumnTransform,
  type ColumnTypes,
  checkTypes,
  columnsAsked,
  SCALES,
  type Scale,
  TRANSFORMS,
} from "../table/column-types.js";
import { CYCLES, type Cycle, type DateOrder, turnOf } from "../table/dates.js";
import { areBooleans } from "../table/recognise.js";
import { counted, listed, quoted } from "../table/sentences.js";
import type { Column, NumericColumn, ReadOptions, Table } from "../table/table.js";

import type { Reduction } from "./features.js";
import { areDirectionRows, areDirections, featureOf, nearlyUnique, pointsOf, reduced, refuseNames } from "./features.js";

import { STRETCH } from "./points.js";

import { asNominal, droppedIds, idsOf, keptRows, labellingOf, rowWeightsOf, sampled } from "./rows.js";
import { dominanceAmong, dominanceOf, type Feature, scalingOf, weighted } from "./scaling.js";

/** Number of rows that are copied in one block, so that their cells fit into the processor cache. */
const ROWS_AT_ONCE = 128;

export type MissingRule = "auto" | "error" | "drop" | "impute" | "skip";

export interface InstanceOptions {
  /** The name of the column with the ids; null: rows are numbered. Default: a detected id column, otherwise row numbers. */
  readonly id?: string | null;
  /** The column with the known classes. */
  readonly truth?: string;
  /** Columns with coarser classes, coarsest first. Together with `truth` they make a hierarchy. */
  readonly coarserTruth?: readonly string[];
  /** Columns for exclusive groups: rows with equal values must be in different clusters. */
  readonly exclusive?: readonly string[];
  /** The columns to use as features. An empty list reads only ids, classes and groups. */
  readonly features?: readonly string[];
  readonly ignore?: readonly string[];
  /** The class column of a sample set. It becomes a feature only if `features` names it. */
  readonly knownClass?: string;
  /** Columns to read as categories, even if they hold numbers. */
  readonly nominal?: readonly string[];
  /** The order of day and month in date columns, by column name. Default: detected from the cells. */
  readonly types?: ColumnTypes;
  /** For each date column by name: whether the day or the month comes first in its dates, if the caller knows it. */
  readonly dateOrders?: Readonly<Record<string, DateOrder>>;
  /** Cyclic columns with their periods. For a date column: day, week, month or year. For a numeric column: a number. */
  readonly cyclic?: Readonly<Record<string, readonly (Cycle | number)[]>>;
  /** Weights of columns in distances, above 0, default 1. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Number of principal components that replace vector columns, or all numeric columns if there are no vectors. */
  readonly reduce?: number;
  /** Kernels that speed up principal components. Every set of kernels gives the same result. */
  readonly kernels?: Kernels;
  /** Number of numeric features that are made from each text column, for methods that compute means. Default 64. */
  readonly textDimensions?: number;
  /** The column with row weights, for methods that support them. */
  readonly rowWeight?: string;
  /** Number of rows to draw at random, default all. */
  readonly sample?: number;
  /** Seed of the random numbers that draw the sample, default 0. */
  readonly seed?: number;
  /** How numeric columns are scaled, default auto. */
  readonly scale?: Scale;
  /** Transforms of single columns before scaling. */
  readonly transforms?: Readonly<Record<string, ColumnTransform>>;
  readonly missing?: MissingRule;
  /** Whether distances between rows will be computed. If so, a notice names a column that dominates the distances. Default true. */
  readonly forDistances?: boolean;
  /** For new rows of an existing model: the model's fill value for each column, and its principal components, if it has them. */
  readonly model?: { readonly fills: ReadonlyMap<string, number | string>; readonly reduction?: Reduction };
  /**
   * Whether the method compares cells of two rows, as `duplicates` does. If so, there are other defaults:
   * - Numbers are not scaled.
   * - A column with numbers and texts is read as text.
   * - All texts of a column can differ.
   */
  readonly forCells?: true;
  /** Whether a table without features is allowed, because the distances come from a distance matrix. */
  readonly featureless?: boolean;
}

/** How a column was read. A model stores it, to read new tables in the same way. */
export interface SourceColumn {
  readonly name: string;
  readonly type: "number" | "nominal" | "text" | "date" | "vector";
  readonly order?: DateOrder;
  readonly cycles?: readonly (Cycle | number)[];
  /** The value that replaces missing cells of the column. */
  readonly fill?: number | string;
  /** Number of features that were made from this column. */
  readonly features: number;
}

export interface LoadedInstances {
  readonly instances: Instances;
  /** For each kept row, its row number in the file. */
  readonly rows: Int32Array;
  /** The name of the id column, given or detected. */
  readonly idColumn?: string;
  /** Number of data rows in the file. */
  readonly total: number;
  /** Ids of the rows that were dropped because of missing cells. */
  readonly dropped: readonly InstanceId[];
  /** Number of missing cells that were filled. */
  readonly imputed: number;
  /** With `impute`: for each feature, the value that replaced missing cells. */
  readonly fills?: readonly (number | string)[];
  /** With `impute`: for each feature, the rows with filled cells, as indices into the kept rows. */
  readonly filledRows?: readonly Int32Array[];
  /** The columns that the features were made from, in order. */
  readonly sources: readonly SourceColumn[];
  /** The transformation to principal components, if columns were reduced. */
  readonly reduction?: Reduction;
  readonly notices: readonly string[];
  /** Notices that are shown before a run starts, not after it, because a run can take long. */
  readonly early: readonly string[];
  /** A notice that one column has most of the variance. It is shown only if distances are computed in the units of the columns. */
  readonly dominance?: string;
}

/** The part of the options that a file reader needs: which columns are text, and which columns it can skip. */
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

export function* instanceSteps(table: Table, given: InstanceOptions): Generator<void, LoadedInstances> {
  if (table.singles) return yield* instancesOfSingles(table, given);
  const options = withParts(table, given);
  const { missing = "auto" } = options;
  const scale = scaleRule(options);
  checkOptions(options);
  const notices: string[] = [];
  checkColumns(table, options);
  if (table.n === 0) throw badInput("The file has no data rows.", { file: table.file, remedy: "Add at least one row." });
  const columns = withValues(featureColumns(table, options, notices), table, missing, notices);
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
  const isMeasured =
    scale === "none" && options.forDistances !== false && !options.featureless && !options.forCells && !options.weights;
  const dominance = isMeasured ? dominanceOf(all) : undefined;
  if (dominance !== undefined) notices.push(dominance);
  const early = options.model || options.forCells ? [] : nearlyUnique(all, rows.length, askedNominal(options));
  if (!options.model && !options.featureless && !options.forCells) refuseNames(all, rows.length, table.file);
  notices.push(...early);
  const scaled = scalingOf(all, { scale, transforms: options.transforms }, table.file);
  const plain = weighted(scaled.scaling, all);
  notices.push(...scaled.notices);
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
    missing === "impute" || missing === "auto"
      ? { fills: features.map((feature) => feature.fill ?? 0), filledRows: features.map((feature) => feature.filledRows) }
      : {};
  const imputed = made.reduce((sum, feature) => sum + feature.filledRows.length, 0);
  const said = { notices, early, ...(dominance === undefined ? {} : { dominance }) };
  const dropped = droppedIds(table.n, rows, allIds);
  const reduction = less ? { reduction: less.reduction } : {};
  const idColumn = options.id ? { idColumn: options.id } : {};
  return { instances, rows, ...idColumn, total: table.n, dropped, imputed, sources, ...reduction, ...said, ...fills };
}

/** Makes points of a block of single-precision rows. If an option changes the numbers, the block becomes ordinary columns first. */
function* instancesOfSingles(table: Table, options: InstanceOptions): Generator<void, LoadedInstances> {
  checkOptions(options);
  const { missing, sample, reduce, weights, cyclic, model, transforms } = options;
  const scale = scaleRule(options);
  const unit = scale === "auto" ? commonRange(rangesOfSingles(table.singles!)) : null;
  const asTheyAre =
    (scale === "none" || unit !== null) &&
    !transforms &&
    missing !== "impute" &&
    !(sample || reduce || weights || cyclic || model);
  const notices: string[] = [];
  const { stubs, named } = stubsOf(table);
  checkColumns(named, options);
  const columns = featureColumns(named, options, notices);
  const isWhole = columns.length === stubs.length && columns.every((column, j) => column === stubs[j]);
  if (!asTheyAre || !isWhole) return yield* instanceSteps(spreadSingles(table), options);
  const rows = keptRows(table, [], "error", notices);
  const allIds = options.id ? yield* idsOf(table, options.id) : null;
  const { points, dominance } = fromSingles(table, scale === "none" && options.forDistances !== false && !options.featureless);
  if (dominance !== undefined) notices.push(dominance);
  if (unit !== null) notices.push(oneUnitNotice(points.d, unit));
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
    ...((options.scale ?? "auto") === "auto" ? {} : { scaleGiven: true as const }),
    ...(options.textDimensions === undefined ? {} : { textDimensions: options.textDimensions }),
    ...(options.rowWeight === undefined ? {} : { rowWeights: rowWeightsOf(table, options.rowWeight, rows) }),
  };
}

/** Largest weight of a column. Up to this weight, sums of weighted squares stay finite, unless the values themselves are huge. */
const LARGEST_WEIGHT = 1e100;

/** Maximum number of features per text column. More features would not separate texts better. */
const MOST_DIMENSIONS = 4096;

/**
 * The rule for scaling, if no option gives it. It is `none` in three cases, otherwise `auto`:
 * - new rows of a model, because the model scales them
 * - methods that compare cells
 * - tables without features
 */
function scaleRule({ scale, model, features, forCells }: InstanceOptions): Scale {
  return scale ?? (model || forCells || features?.length === 0 ? "none" : "auto");
}

function checkOptions(options: InstanceOptions): void {
  const { scale = "auto", missing = "auto", types, cyclic, weights, sample, reduce = 1, textDimensions = 1 } = options;
  if (!(Number.isSafeInteger(reduce) && reduce >= 1)) throw badOption("--reduce", reduce, "a whole number of at least 1");
  if (!SCALES.includes(scale)) throw badOption("--scale", scale, `one of ${SCALES.join(", ")}`);
  for (const [name, how] of Object.entries(options.transforms ?? {}))
    if (!TRANSFORMS.includes(how)) throw badOption("--transform", `${name}=${how}`, `COL=${TRANSFORMS.join("|")}`);
  if (!["auto", "error", "drop", "impute", "skip"].includes(missing))
    throw badOption("--missing", missing, "auto, error, drop, impute or skip");
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

/** With `--missing auto`, leaves out columns in which every cell is missing, with a notice. */
function withValues(columns: readonly Column[], table: Table, missing: MissingRule, notices: string[]): readonly Column[] {
  const empty = columns.filter((column) => column.missing === table.n);
  if (missing !== "auto" || empty.length === 0 || empty.length === columns.length) return columns;
  const one = empty.length === 1;
  notices.push(
    `${one ? "Column" : "Columns"} ${listed(empty.map(({ name }) => quoted(name)))} ${one ? "has" : "have"} no values and ${one ? "is" : "are"} left out.`,
  );
  return columns.filter((column) => column.missing < table.n);
}

/**
 * Notices about filled cells, skipped cells and booleans. With `--missing auto`, the method decides later how to treat missing cells, and
 * reports it then.
 */
function saidOfColumns(columns: readonly Column[], made: readonly Feature[], n: number, options: InstanceOptions): string[] {
  const notices: string[] = [];
  const holed = made.filter(({ filledRows, holes }) => filledRows.length > 0 || holes > 0);
  const cells = holed.reduce((sum, { filledRows, holes }) => sum + filledRows.length + holes, 0);
  const where = `${counted(cells, "missing cell")} in ${counted(holed.length, "column")} ${cells === 1 ? "was" : "were"}`;
  const byMethod = (options.missing ?? "auto") === "auto" && !options.model;
  if (cells > 0 && options.missing === "skip") {
    notices.push(`${where} skipped: two rows are compared by the columns in which both have values.`);
  } else if (cells > 0 && !byMethod) {
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
  return `${which} booleans, which are read as two categories; ${shellFlag("--type", `${first}=number`)} reads them as 1 and 0.`;
}

function askedNominal({ nominal = [], types }: InstanceOptions): ReadonlySet<string> {
  return new Set([...nominal, ...columnsAsked(types, "nominal")]);
}

function rolesOf({ id, truth, coarserTruth = [], exclusive = [] }: InstanceOptions): string[] {
  return [id ?? undefined, ...coarserTruth, truth, ...exclusive].filter((name) => name !== undefined);
}

function checkColumns(table: Table, options: InstanceOptions): void {
  const present = table.columns.map((column) => column.name);
  const all = [...present, ...(table.skipped ?? [])];
  const known = new Set(all);
  const named: [string, readonly string[]][] = [
    ["--id", options.id ? [options.id] : []],
    ["--truth", [...(options.coarserTruth ?? []), ...(options.truth === undefined ? [] : [options.truth])]],
    ["--exclusive", options.exclusive ?? []],
    [options.model ? "the model needs it" : "--features", options.features ?? []],
    // Names in `--ignore` can only be checked if the reader lists the columns that it skipped.
    ["--ignore", table.skipped === undefined ? [] : (options.ignore ?? [])],
    ["--nominal", options.nominal ?? []],
    ["--row-weight", options.rowWeight === undefined ? [] : [options.rowWeight]],
    [
      "--type",
      table.skipped === undefined && options.types ? columnsNotIgnored(options.types) : Object.keys(options.types ?? {}),
    ],
    ["--cyclic", Object.keys(options.cyclic ?? {})],
    ["--transform", Object.keys(options.transforms ?? {})],
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
      notices.push(`Column ${quoted(name)} is not a feature, because --id, --truth, --exclusive or --row-weight names it.`);
    }
  }
  const { knownClass } = options;
  if (options.features === undefined && knownClass !== undefined && !roles.has(knownClass) && !ignored.has(knownClass)) {
    ignored.add(knownClass);
    if (byName.has(knownClass) || table.skipped?.includes(knownClass)) notices.push(knownClassNotice(knownClass));
  }
  const chosen = names.filter((name) => !roles.has(name) && !ignored.has(name));
  if (chosen.length === 0 && options.features?.length !== 0 && !options.featureless) {
    throw badInput("No column is left as a feature.", {
      file: table.file,
      remedy: `The columns are ${listed([...byName.keys(), ...(table.skipped ?? [])], 30)}; name some with --features.`,
    });
  }
  return chosen.map((name) => (asText.has(name) ? asNominal(byName.get(name)!) : byName.get(name)!));
}

function knownClassNotice(name: string): string {
  return `Column ${quoted(name)} holds the known classes of this sample set, so it is not a feature; ${shellFlag("--truth", name)} scores the clusters with it.`;
}

function columnsNotIgnored(types: ColumnTypes): string[] {
  return Object.keys(types).filter((name) => types[name] !== "ignore");
}

/*
 * Cyclic columns: hours of a day, days of a week, months of a year. Each column becomes two features: the coordinates on a circle of
 * diameter 1. So 23:00 is near 1:00, and opposite times are at distance 1.
 */

function checkCycles(cyclic: Readonly<Record<string, readonly (Cycle | number)[]>>): void {
  for (const [name, cycles] of Object.entries(cyclic)) {
    for (const cycle of cycles) {
      const isFine = typeof cycle === "number" ? cycle > 0 && cycle < Infinity : CYCLES.includes(cycle);
      if (!isFine) throw badOption("--cyclic", `${name}=${cycle}`, `COL=${CYCLES.join("|")}, or the period for a numeric column`);
    }
  }
}

function onCircles(feature: Feature, column: Column, cycles: readonly (Cycle | number)[], file: string): Feature[] {
  const { name, values, fill, notation: _, ...rest } = feature;
  return cycles.flatMap((cycle) => {
    const turn = turnBy(column, cycle, file);
    const around = (of: (angle: number) => number, which: string): Feature => {
      const place = (value: number) => (Number.isNaN(value) ? Number.NaN : of(2 * Math.PI * turn(value)) / 2);
      return {
        ...rest,
        isCyclic: true,
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
    throw badInput(`Column ${quoted(column.name)} holds text, which has no period (${option}).`, {
      file,
      remedy: "Name a column of dates, times or numbers.",
    });
  if (typeof cycle === "number") return (value) => value / cycle - Math.floor(value / cycle);
  if (column.date === undefined)
    throw badInput(`Column ${quoted(column.name)} holds numbers, not dates (${option}).`, {
      file,
      remedy: `Give the period as a number, such as ${shellFlag("--cyclic", `${column.name}=24`)} for hours.`,
    });
  return (days) => turnOf(days, cycle);
}

/**
 * A reader can return single-precision columns as one block of numbers, row by row. The functions below turn this block into points or into
 * ordinary columns.
 */

/** stubs: the columns of the block, with names but without values. named: the table with the stubs before its other columns. */
function stubsOf({ singles, ...table }: Table): { readonly stubs: readonly Column[]; readonly named: Table } {
  const none = new Float32Array(0);
  const stubs = singles!.names.map((name): NumericColumn => ({ kind: "numeric", name, values: none, missing: 0 }));
  return { stubs, named: { ...table, columns: [...stubs, ...table.columns] } };
}

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

function rangesOfSingles({ names, rows }: NonNullable<Table["singles"]>): Range[] {
  const d = names.length;
  const low = new Float32Array(d).fill(Infinity);
  const high = new Float32Array(d).fill(-Infinity);
  for (let p = 0; p < rows.length; p += d)
    for (let j = 0; j < d; j++) {
      const value = rows[p + j]!;
      if (value < low[j]!) low[j] = value;
      if (value > high[j]!) high[j] = value;
    }
  return Array.from(low, (least, j) => ({ low: least, high: high[j]! }));
}

/**
 * The variance of each column, computed in one pass. The first row is subtracted from all rows. This is accurate enough to compare columns.
 */
function variancesOf(rows: Float32Array, n: number, d: number): number[] {
  const sums = new Float64Array(d);
  const squares = new Float64Array(d);
  const whole = n - (n % 4);
  // Process four rows at a time, so that the sums are read and written a quarter as often.
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
