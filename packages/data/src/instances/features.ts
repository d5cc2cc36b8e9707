/**
 * Turns columns into features of points: takes the values of the kept rows, fills or skips missing cells, computes principal components.
 */
import type { Instances, Kernels, Scaling } from "@coterie/core/internal";
import { alongAxes, badInput, badOption, drain, pointsOfSingles, principalAxes, scale } from "@coterie/core/internal";
import { shellFlag, shellListFlag } from "@coterie/core/shell";
import { type Notation, notationOf } from "../table/number-notation.js";
import { counted, quoted } from "../table/sentences.js";
import type { Column, NominalColumn, Numbers, NumericColumn, Table } from "../table/table.js";
import type { MissingRule } from "./instances.js";
import { rowMajor, singleRows } from "./points.js";
import { isMissing, recoded } from "./rows.js";
import type { Feature } from "./scaling.js";

const LONGEST_DATE = 40;

const LONGEST_NAME = 32;

const LOOKED_AT = 200;

const date = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\d.*)?$/;

const isDate = (text: string): boolean => text.length <= LONGEST_DATE && date.test(text.trim());

/** Whether a text is prose: longer than a name and with several words. */
const isProse = (text: string): boolean => text.length > LONGEST_NAME && /\S\s+\S+\s+\S+\s+\S/.test(text.slice(0, LOOKED_AT));

export function featureOf(
  column: Column,
  rows: Int32Array,
  rule: MissingRule,
  table: Table,
  given: number | string | undefined,
): Feature {
  const impute = rule === "impute";
  const auto = rule === "auto";
  const missing = rows.length === table.n || column.missing === 0 ? column.missing : missingAmong(column, rows);
  if (impute && missing === rows.length && rows.length > 0) {
    if (given !== undefined) return constantFeature(column.name, rows.length, given);
    throw badInput(`Column ${quoted(column.name)} has no values, so its cells cannot be filled.`, {
      file: table.file,
      remedy: `Leave it out (${shellListFlag("--ignore", column.name)}).`,
    });
  }
  const holes = impute ? 0 : missing;
  return column.kind === "numeric"
    ? numberFeature(column, rows, table, { impute, auto, missing, holes, given })
    : levelFeature(column, rows, { impute, auto, missing, holes, given });
}

interface Holes {
  readonly impute: boolean;
  /** Under the rule `auto`, missing cells stay missing, but the feature also gets a fill value for methods that need every cell. */
  readonly auto: boolean;
  readonly missing: number;
  readonly holes: number;
  readonly given: number | string | undefined;
}

function numberFeature(
  { name, values: all, vector, notation }: NumericColumn,
  rows: Int32Array,
  table: Table,
  about: Holes,
): Feature {
  const { impute, auto, missing, holes, given } = about;
  const fills = impute && missing > 0;
  const values = fills ? gathered(all, rows, new Float64Array(rows.length)) : rows.length === table.n ? all : keptOf(all, rows);
  const part = { ...(vector === undefined ? {} : { vector }), ...(notation ? { notation } : {}) };
  const fill = typeof given === "number" ? given : impute || auto ? meanOf(values, missing) : Number.NaN;
  if (!impute) return { name, values, levels: null, filledRows: NONE, holes, ...(auto ? { fill } : {}), ...part };
  return { name, values, levels: null, filledRows: fills ? replace(values, missing, fill) : NONE, fill, holes, ...part };
}

function levelFeature(column: NominalColumn, rows: Int32Array, { impute, auto, missing, holes, given }: Holes): Feature {
  const { name } = column;
  const { codes, names } = recoded(column, rows);
  const values = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : code));
  const fill = typeof given === "string" ? given : impute || auto ? names[modeOf(values, names.length)] : undefined;
  if (!impute || fill === undefined)
    return { name, values, levels: names, filledRows: NONE, holes, ...(auto ? { fill: fill ?? "" } : {}) };
  const levels = names.includes(fill) || missing === 0 ? names : [...names, fill];
  return { name, values, levels, filledRows: replace(values, missing, levels.indexOf(fill)), fill, holes };
}

const NONE = new Int32Array(0);

function missingAmong(column: Column, rows: Int32Array): number {
  let count = 0;
  for (const row of rows) if (isMissing(column, row)) count++;
  return count;
}

/** A feature whose cells are all missing and get the value `fill`. */
function constantFeature(name: string, n: number, fill: number | string): Feature {
  const levels = typeof fill === "string" ? [fill] : null;
  const values = new Float64Array(n).fill(typeof fill === "string" ? 0 : fill);
  return { name, values, levels, filledRows: Int32Array.from({ length: n }, (_, i) => i), fill, holes: 0 };
}

function keptOf(values: Numbers, rows: Int32Array): Numbers {
  return gathered(values, rows, values instanceof Float32Array ? new Float32Array(rows.length) : new Float64Array(rows.length));
}

function gathered<Kept extends Numbers>(values: Numbers, rows: Int32Array, kept: Kept): Kept {
  for (let i = 0; i < rows.length; i++) kept[i] = values[rows[i]!]!;
  return kept;
}

function meanOf(values: Numbers, missing: number): number {
  let sum = 0;
  for (const value of values) if (!Number.isNaN(value)) sum += value;
  return sum / (values.length - missing);
}

function modeOf(values: Float64Array, levels: number): number {
  const counts = new Int32Array(levels);
  for (const code of values) if (code >= 0) counts[code]!++;
  return counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0));
}

function replace(values: Numbers, missing: number, fill: number): Int32Array {
  const filled = new Int32Array(missing);
  for (let i = 0, found = 0; i < values.length && found < missing; i++) {
    if (!Number.isNaN(values[i]!)) continue;
    values[i] = fill;
    filled[found++] = i;
  }
  return filled;
}

export function* pointsOf(features: readonly Feature[], n: number, scaling: Scaling | null): Generator<void, Instances> {
  const d = features.length;
  const columns = features.map((feature) => feature.values);
  const singles = scaling ? undefined : yield* singleRows(columns, n);
  const names = features.map((feature) => feature.name);
  const isWeighted = features.some(({ weight = 1 }) => weight !== 1);
  const holed = features.some(({ holes }) => holes > 0);
  const about = {
    ...(features.some(({ notation }) => notation) ? { notations: features.map(({ notation }) => notation ?? null) } : {}),
    ...(isWeighted ? { weights: Float64Array.from(features, ({ weight = 1 }) => weight) } : {}),
    ...(holed ? { holes: true as const } : {}),
    ...(holed && features.every(({ fill }) => fill !== undefined) ? { holeFills: holeFillsOf(features, scaling) } : {}),
    ...(features.some(({ isText }) => isText) ? { texts: Uint8Array.from(features, ({ isText }) => (isText ? 1 : 0)) } : {}),
  };
  if (singles) return pointsOfSingles({ n, d, names, ...about }, singles);
  const x = yield* rowMajor(columns, n, scaling);
  if (features.every((feature) => feature.levels === null)) return { n, d, x, names, ...about };
  const nominal = Uint8Array.from(features, (feature) => (feature.levels === null ? 0 : 1));
  return { n, d, x, names, nominal, levels: features.map((feature) => feature.levels), ...about };
}

/** The fill value of each feature, as the points store it. For numbers: the scaled value. For texts: the code of the level. */
function holeFillsOf(features: readonly Feature[], scaling: Scaling | null): Float64Array {
  return Float64Array.from(features, ({ levels, fill }, j) => {
    if (levels !== null) return Math.max(0, levels.indexOf(String(fill)));
    return scaling ? scale(scaling, j, Number(fill)) : Number(fill);
  });
}

/*
 * Text columns in which nearly every value is unique. As a feature, such a column only says that all rows differ. Usually it has ids and
 * the user forgot `--id`. Or its texts are numbers in an unknown notation.
 */

/** In a table with fewer rows than this, unique texts do not suggest an id column. */
const FEWEST_ROWS = 8;
const NEARLY_ALL = 0.9;

/** Notices about text columns with nearly unique values. `asked`: columns that an option declares as text. */
export function nearlyUnique(features: readonly Feature[], n: number, asked: ReadonlySet<string>): string[] {
  const records = recordsNotice(features, n);
  const ofColumns = features.flatMap(({ name, levels, filledRows, holes, isText }) => {
    if (levels === null || levels.length === 0 || isText) return [];
    const notation = asked.has(name) ? undefined : commonNotation(levels);
    if (notation !== undefined) return [unreadNumbers(name, levels, notation)];
    const present = n - filledRows.length - holes;
    const differs = present >= FEWEST_ROWS && levels.length >= NEARLY_ALL * present;
    return differs ? [`${howUnique(name, levels.length, present)}; ${whatToDo(name, levels, levels.length >= n)}.`] : [];
  });
  return [...ofColumns, ...records];
}

/**
 * Minimum size of a table with records of people or things. FEWEST_RECORDS: number of rows. FEWEST_TEXTS: number of columns with texts that
 * hardly repeat.
 */
const FEWEST_RECORDS = 50;
const FEWEST_TEXTS = 2;
/** The texts of a column hardly repeat if (number of different texts) / (number of cells with a text) is at least this value. */
const HARDLY = 0.2;

/**
 * Returns a notice if the table looks like records of people or things, otherwise an empty list. The table looks like this if texts hardly
 * repeat in at least a third of its columns.
 */
function recordsNotice(features: readonly Feature[], n: number): string[] {
  const texts = features.filter(
    ({ levels, filledRows, holes }) => levels !== null && levels.length >= HARDLY * (n - filledRows.length - holes),
  );
  if (n < FEWEST_RECORDS || texts.length < FEWEST_TEXTS || 3 * texts.length < features.length) return [];
  return [
    `The table looks like records: ${texts.length} of ${counted(features.length, "column")} hold texts that hardly repeat. To find rows that describe the same thing, take ${shellFlag("--algorithm", "duplicates")}; hierarchies and k-means look for a few large groups.`,
  ];
}

function howUnique(name: string, texts: number, present: number): string {
  if (texts >= present) return `Every row has its own ${quoted(name)}`;
  return `Column ${quoted(name)} has ${texts.toLocaleString("en")} different texts in ${present.toLocaleString("en")} rows`;
}

function whatToDo(name: string, levels: readonly string[], allDiffer: boolean): string {
  const [first = ""] = levels;
  const leave = `leave it out (${shellListFlag("--ignore", name)})`;
  if (mostly(levels, isDate)) {
    return `they look like dates (${quoted(first)}), of which only equal or different is seen: write them as numbers, or ${leave}`;
  }
  const alike = `compare it as text (${shellFlag("--type", `${name}=text`)})`;
  if (mostly(levels, isProse)) return `of free text only equal or different is seen: ${alike}, or ${leave}`;
  if (allDiffer) return `if it names the rows, say ${shellFlag("--id", name)}; else ${alike}, or ${leave}`;
  return `unless equal ones mean something, ${alike}, or ${leave}`;
}

/** If at least this share of the texts in a column are numbers, dates or prose, the notice about the column says so. */
const MOSTLY = 0.8;

function mostly(texts: readonly string[], is: (text: string) => boolean): boolean {
  let count = 0;
  for (const text of texts) if (is(text)) count++;
  return count >= MOSTLY * texts.length;
}

/** Maximum number of rows for a text column in which all values differ. In larger tables it is an error: it says nothing and costs time. */
const MOST_NAMES = 10_000;

export function refuseNames(features: readonly Feature[], n: number, file: string): void {
  const column =
    n > MOST_NAMES ? features.find(({ levels, isText }) => levels !== null && !isText && levels.length >= n) : undefined;
  if (!column) return;
  const { name } = column;
  throw badInput(
    `Every row has its own ${quoted(name)}: ${n.toLocaleString("en")} different texts, so all rows are equally different in it.`,
    {
      file,
      remedy: `If it names the rows, say ${shellFlag("--id", name)}; else leave it out (${shellListFlag("--ignore", name)}).`,
    },
  );
}

function commonNotation(levels: readonly string[]): Notation | undefined {
  if (!mostly(levels, (level) => notationOf(level) !== undefined)) return undefined;
  return notationOf(levels.find((level) => notationOf(level) !== undefined)!);
}

function unreadNumbers(name: string, levels: readonly string[], notation: Notation): string {
  const example = levels.find((level) => notationOf(level) === notation)!;
  return `Column ${quoted(name)} is read as text, though its texts look like numbers with ${notation} (${quoted(example)}): write them without, or declare the column as categories (${shellListFlag("--nominal", name)}).`;
}

/* Replaces numeric columns by principal components, and reports the share of variance kept. Also checks whether all rows have length 1. */

/** How to turn a row into principal components: scale the columns, subtract the mean, and multiply by each axis. */
export interface Reduction {
  /** The names of the columns that the components replace, in order. */
  readonly columns: readonly string[];
  readonly scaling: { readonly offset: readonly number[]; readonly factor: readonly number[] } | null;
  readonly mean: readonly number[];
  readonly axes: readonly (readonly number[])[];
}

interface Reduced {
  readonly features: readonly Feature[];
  readonly scaling: Scaling | null;
  readonly reduction: Reduction;
  readonly notice?: string;
}

/**
 * Selects the features that principal components replace: the numbers of vector columns if there are any, otherwise all numeric features.
 */
function isReduced(features: readonly Feature[]): (feature: Feature) => boolean {
  const hasVectors = features.some(({ vector }) => vector !== undefined);
  return ({ vector, levels }) => (hasVectors ? vector !== undefined : levels === null);
}

export function reduced(
  features: readonly Feature[],
  scaling: Scaling | null,
  wanted: number | Reduction,
  { n, file, kernels }: { n: number; file: string; kernels: Kernels | undefined },
): Reduced {
  const places = [...features.keys()].filter((j) => isReduced(features)(features[j]!));
  const chosen = places.map((j) => features[j]!);
  if (chosen.some(({ holes }) => holes > 0))
    throw badInput("Principal components need every cell, but some are missing.", {
      file,
      remedy: "Drop those rows (--missing drop) or fill the cells (--missing impute).",
    });
  const d = chosen.length;
  const own = scaling && { offset: places.map((j) => scaling.offset[j]!), factor: places.map((j) => scaling.factor[j]!) };
  const given = typeof wanted === "number" ? null : wanted;
  const usedScaling = given ? given.scaling : own;
  const columns = chosen.map(({ values }) => values);
  const x = drain(rowMajor(columns, n, usedScaling));
  const { reduction, share } = given ? { reduction: given, share: 1 } : learned(x, n, chosen, own, wanted as number, kernels);
  const rest = [...features.keys()].filter((j) => !places.includes(j));
  const components = componentsOf(x, n, reduction, kernels);
  return {
    features: [...components, ...rest.map((j) => features[j]!)],
    scaling: scaling && {
      offset: [...components.map(() => 0), ...rest.map((j) => scaling.offset[j]!)],
      factor: [...components.map(() => 1), ...rest.map((j) => scaling.factor[j]!)],
    },
    reduction,
    ...(given
      ? {}
      : {
          notice: `${counted(d, "column")} of numbers became ${counted(components.length, "principal component")}, which ${components.length === 1 ? "keeps" : "keep"} ${(100 * share).toFixed(1)}% of the variance (--reduce).`,
        }),
  };
}

function learned(
  x: Float64Array,
  n: number,
  chosen: readonly Feature[],
  scaling: Reduction["scaling"],
  count: number,
  kernels: Kernels | undefined,
) {
  const d = chosen.length;
  if (count > Math.min(d, n))
    throw badOption(
      "--reduce",
      count,
      `at most ${Math.min(d, n)}: there are ${counted(d, "column")} of numbers and ${counted(n, "row")}`,
    );
  const { mean, axes, share } = principalAxes(x, n, d, count, kernels);
  const columns = chosen.map(({ name }) => name);
  const reduction: Reduction = { columns, scaling, mean: [...mean], axes: axes.map((axis) => [...axis]) };
  return { reduction, share };
}

function componentsOf(x: Float64Array, n: number, { mean, axes }: Reduction, kernels: Kernels | undefined): Feature[] {
  const lines = { mean: Float64Array.from(mean), axes: axes.map((axis) => Float64Array.from(axis)) };
  const found = alongAxes(x, n, lines, kernels);
  return axes.map((_, c) => {
    const values = new Float64Array(n);
    for (let i = 0, p = c; i < n; i++, p += axes.length) values[i] = found[p]!;
    return { name: `pc${c + 1}`, values, levels: null, filledRows: new Int32Array(0), holes: 0, fill: 0 };
  });
}

/** In tables with fewer columns, all rows can have Euclidean length 1 by chance. So only wider tables and vectors are checked for this. */
const FEWEST_COLUMNS = 16;

export function areDirections(features: readonly Feature[], n: number): boolean {
  const first = features[0]?.vector;
  const isVector = first !== undefined && features.every(({ vector }) => vector === first);
  if (!isVector && features.length < FEWEST_COLUMNS) return false;
  if (n === 0 || features.some(({ levels, holes, weight = 1 }) => levels !== null || holes > 0 || weight !== 1)) return false;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (const { values } of features) sum += values[i]! * values[i]!;
    if (!isUnit(sum)) return false;
  }
  return true;
}

export function areDirectionRows(rows: Float32Array, n: number, d: number): boolean {
  if (d < FEWEST_COLUMNS) return false;
  for (let p = 0; p < n * d; p += d) {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += rows[p + j]! * rows[p + j]!;
    if (!isUnit(sum)) return false;
  }
  return true;
}

const ROUNDING = 1e-3;

function isUnit(square: number): boolean {
  return Math.abs(square - 1) <= 2 * ROUNDING;
}
