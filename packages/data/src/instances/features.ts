/** Columns as features of points: values on the kept rows, holes filled or left, dates on circles. */
import { badInput, type Instances, pointsOfSingles, type Scaling } from "@coterie/core/internal";
import { shellListFlag } from "@coterie/core/shell";
import { quoted } from "../table/sentences.js";
import type { Column, NominalColumn, Numbers, NumericColumn, Table } from "../table/table.js";
import type { MissingRule } from "./instances.js";
import { rowMajor, singleRows } from "./points.js";
import { isMissing, recoded } from "./rows.js";
import type { Feature } from "./scaling.js";

/** One column of points: its values on the kept rows, holes filled or, where they are skipped, left as NaN. */
export function featureOf(
  column: Column,
  rows: Int32Array,
  rule: MissingRule,
  table: Table,
  given: number | string | undefined,
): Feature {
  const impute = rule === "impute";
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
    ? numberFeature(column, rows, table, { impute, missing, holes, given })
    : levelFeature(column, rows, { impute, missing, holes, given });
}

interface Holes {
  readonly impute: boolean;
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
  const { impute, missing, holes, given } = about;
  const fills = impute && missing > 0;
  const values = fills ? gathered(all, rows, new Float64Array(rows.length)) : rows.length === table.n ? all : keptOf(all, rows);
  const part = { ...(vector === undefined ? {} : { vector }), ...(notation ? { notation } : {}) };
  if (!impute) return { name, values, levels: null, filledRows: NONE, holes, ...part };
  const fill = typeof given === "number" ? given : meanOf(values, missing);
  return { name, values, levels: null, filledRows: fills ? replace(values, missing, fill) : NONE, fill, holes, ...part };
}

function levelFeature(column: NominalColumn, rows: Int32Array, { impute, missing, holes, given }: Holes): Feature {
  const { name } = column;
  const { codes, names } = recoded(column, rows);
  const values = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : code));
  if (!impute) return { name, values, levels: names, filledRows: NONE, holes };
  const fill = typeof given === "string" ? given : names[modeOf(values, names.length)]!;
  const levels = names.includes(fill) || missing === 0 ? names : [...names, fill];
  return { name, values, levels, filledRows: replace(values, missing, levels.indexOf(fill)), fill, holes };
}

const NONE = new Int32Array(0);

function missingAmong(column: Column, rows: Int32Array): number {
  let count = 0;
  for (const row of rows) if (isMissing(column, row)) count++;
  return count;
}

/** A column without a value, filled with what was given. */
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

/** Ties go to the level that appears first: the lower code. */
function modeOf(values: Float64Array, levels: number): number {
  const counts = new Int32Array(levels);
  for (const code of values) if (code >= 0) counts[code]!++;
  return counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0));
}

/** Fills the holes; returns where they were. */
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
  const about = {
    ...(features.some(({ notation }) => notation) ? { notations: features.map(({ notation }) => notation ?? null) } : {}),
    ...(isWeighted ? { weights: Float64Array.from(features, ({ weight = 1 }) => weight) } : {}),
    ...(features.some(({ holes }) => holes > 0) ? { holes: true as const } : {}),
    ...(features.some(({ isText }) => isText) ? { texts: Uint8Array.from(features, ({ isText }) => (isText ? 1 : 0)) } : {}),
  };
  if (singles) return pointsOfSingles({ n, d, names, ...about }, singles);
  const x = yield* rowMajor(columns, n, scaling);
  if (features.every((feature) => feature.levels === null)) return { n, d, x, names, ...about };
  const nominal = Uint8Array.from(features, (feature) => (feature.levels === null ? 0 : 1));
  return { n, d, x, names, nominal, levels: features.map((feature) => feature.levels), ...about };
}
