/**
 * Encodes nominal columns as numbers for methods that need means. Each level becomes one column. The number of levels is limited, because n
 * different values would become n columns.
 */
import { badInput } from "../errors.js";
import type { Instances, Points } from "../model/points.js";
import { shellFlag, shellListFlag } from "../model/shell.js";
import { type Filled, fillHoles } from "./fill-holes.js";
import { type Rarities, raritiesOf, textVectors } from "./text/text-vectors.js";

/**
 * A column of the encoded table. `column`: index of the original column. `level`: the level that the encoded column marks, or -1 for
 * numbers and for dimensions of text vectors.
 */
export interface EncodedColumn {
  readonly name: string;
  readonly column: number;
  readonly level: number;
  /**
   * If `level` is 0 or more: the value in rows with this level; all other rows have 0. If `level` is -1: always 1, and the encoded column
   * keeps its own numbers.
   */
  readonly held: number;
}

/** The columns that `oneHot` makes, in order. */
export function encodedColumns(points: Instances): readonly EncodedColumn[] {
  return Array.from({ length: points.d }, (_, column) => {
    const name = points.names?.[column] ?? `x${column}`;
    if (points.nominal?.[column] !== 1) return [{ name, column, level: -1, held: 1 }];
    const held = levelHolds(points.weights?.[column]);
    if (points.texts?.[column] === 1) {
      return Array.from({ length: dimensionsOf(points) }, (_, t) => ({ name: `${name} ~${t}`, column, level: -1, held: 1 }));
    }
    return Array.from({ length: levelCount(points, column) }, (_, level) => ({
      name: `${name}=${points.levels?.[column]?.[level] ?? level}`,
      column,
      level,
      held,
    }));
  }).flat();
}

/** Default number of dimensions of an encoded text column. */
export const TEXT_DIMENSIONS = 64;

function dimensionsOf({ textDimensions = TEXT_DIMENSIONS }: Points): number {
  return textDimensions;
}

/**
 * The vectors of the different texts of a text column, row-major. Each vector has length √(weight / 2), so a text column counts as much as
 * a nominal column of the same weight.
 */
function numbersOfTexts(points: Instances, column: number): Float64Array {
  const levels = points.levels?.[column] ?? [];
  return textNumbers(levels, raritiesOf(levels), dimensionsOf(points), points.weights?.[column]);
}

export function textNumbers(texts: readonly string[], rarities: Rarities, dimensions: number, weight?: number): Float64Array {
  const held = levelHolds(weight);
  return textVectors(texts, rarities, dimensions).map((value) => value * held);
}

/** Marks the level of a row in an encoded column. With 1/√2, two rows with different levels have squared distance 1. */
export const ONE_HOT = Math.SQRT1_2;

export function levelHolds(weight = 1): number {
  return weight === 1 ? ONE_HOT : ONE_HOT * Math.sqrt(weight);
}

/**
 * Encodes points for methods that need means. A nominal column becomes one column per level: 1/√2 in the column of the row's level, 0
 * elsewhere. Then squared distances count the nominal columns that differ, as Hamming's distance does. Throws if there are too many levels.
 */
export function oneHot(given: Instances): { readonly points: Points; readonly notices: readonly string[] } {
  const { points, notices } = wholeRows(given);
  const { n, d, nominal } = points;
  if (!nominal?.includes(1)) return { points, notices };
  const { x } = points;
  refuseManyLevels(points);
  const columns = encodedColumns(points);
  const width = columns.length;
  const starts = startsOf(columns, d);
  const encoded = new Float64Array(n * width);
  const ofTexts = Array.from({ length: d }, (_, j) => (points.texts?.[j] === 1 ? numbersOfTexts(points, j) : null));
  const dimensions = dimensionsOf(points);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      const value = x[i * d + j]!;
      const ofText = ofTexts[j];
      if (ofText) encoded.set(ofText.subarray(value * dimensions, (value + 1) * dimensions), i * width + starts[j]!);
      else if (nominal[j] === 1) encoded[i * width + starts[j]! + value] = columns[starts[j]!]!.held;
      else encoded[i * width + starts[j]!] = value;
    }
  }
  const texts = points.texts?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  const count = nominal.reduce((sum, flag) => sum + flag, 0) - texts;
  return {
    points: {
      n,
      d: width,
      x: encoded,
      names: columns.map(({ name }) => name),
      ...(points.rowWeights ? { rowWeights: points.rowWeights } : {}),
    },
    notices: [
      ...notices,
      ...(texts === 0
        ? []
        : [
            `${texts === 1 ? "1 column of text is" : `${texts} columns of text are`} encoded as ${dimensions} numbers per text, from its letters and words.`,
          ]),
      ...(count === 0
        ? []
        : [
            `${count === 1 ? "1 nominal column is" : `${count} nominal columns are`} encoded as 0 or 1/√2 for each level, ${width} columns in all.`,
          ]),
    ],
  };
}

/** Whether means of rows can be computed. Means need columns instead of distances, and a fill value for every missing cell. */
export function hasMeans({ d, distances, holes, holeFills }: Instances): boolean {
  return d > 0 && distances === undefined && (!holes || holeFills !== undefined);
}

/** Replaces missing cells by their fill values. Throws if the points have missing cells and no fill values. */
export function wholeRows(points: Instances): Filled {
  if (!points.holes || points.holeFills) return fillHoles(points);
  const { file } = points;
  throw badInput("Methods that only use distances can skip missing cells; this method needs every cell, for means or tests.", {
    ...(file === undefined ? {} : { file }),
    remedy:
      "Drop those rows (--missing drop), fill the cells (--missing impute), or choose a method that only uses distances (ccl, density, average-link, complete-link, single-link).",
  });
}

function startsOf(columns: readonly EncodedColumn[], d: number): Int32Array {
  const starts = new Int32Array(d);
  for (let c = columns.length - 1; c >= 0; c--) starts[columns[c]!.column] = c;
  return starts;
}

export const MOST_LEVEL_COLUMNS = 1000;
/** Maximum number of values in an encoded table (1 GB). */
const MOST_NUMBERS = 2 ** 27;

/** Throws if encoding would make too many columns. The error names the column with the most levels. */
function refuseManyLevels(points: Instances): void {
  const { n, d, names } = points;
  const counts = Array.from({ length: d }, (_, j) => (isLevels(points, j) ? levelCount(points, j) : 0));
  const levels = counts.reduce((sum, count) => sum + count, 0);
  const numbers = counts.filter((count) => count === 0).length;
  const most = Math.min(MOST_LEVEL_COLUMNS, Math.floor(MOST_NUMBERS / n) - numbers);
  if (levels <= most) return;
  const widest = counts.reduce((best, count, j) => (count > counts[best]! ? j : best), 0);
  const name = names?.[widest] ?? `x${widest}`;
  const whole = counts[widest] === levels ? "" : `, ${levels.toLocaleString("en")} with the other text columns`;
  throw badInput(
    `Column "${name}" has ${counts[widest]!.toLocaleString("en")} different texts in ${n.toLocaleString("en")} rows${whole}. Means need a column of numbers for each of them, and there may be at most ${Math.max(0, most).toLocaleString("en")}${most < MOST_LEVEL_COLUMNS ? " for this many rows" : ""}.`,
    {
      ...(points.file === undefined ? {} : { file: points.file }),
      remedy: `If it names the rows, say so (${shellFlag("--id", name)}); else compare it as text (${shellFlag("--type", `${name}=text`)}), leave it out (${shellListFlag("--ignore", name)}), or choose a method that only uses distances (ccl, average-link) or by rules (clusilc).`,
    },
  );
}

function variancesOf({ n, d, x }: Points): Float64Array {
  return Float64Array.from({ length: d }, (_, j) => {
    let [mean, squares] = [0, 0];
    for (let i = 0; i < n; i++) mean += x[i * d + j]! / n;
    for (let i = 0; i < n; i++) squares += (x[i * d + j]! - mean) * (x[i * d + j]! - mean);
    return squares / n;
  });
}

/** The population variance of each column of `oneHot`. Without text columns, the encoded table is not built. */
export function encodedVariances(given: Instances): Float64Array {
  const { points } = fillHoles(given);
  if (points.texts) return variancesOf(oneHot(points).points);
  const { n, d, x, nominal } = points;
  const columns = encodedColumns(points);
  const starts = startsOf(columns, d);
  const mean = new Float64Array(columns.length);
  const variance = new Float64Array(columns.length);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      const value = x[i * d + j]!;
      if (nominal?.[j] === 1) mean[starts[j]! + value]! += columns[starts[j]!]!.held / n;
      else mean[starts[j]!]! += value / n;
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      if (nominal?.[j] === 1) continue;
      const away = x[i * d + j]! - mean[starts[j]!]!;
      variance[starts[j]!]! += (away * away) / n;
    }
  }
  columns.forEach(({ level, held }, c) => {
    if (level >= 0) variance[c] = mean[c]! * (held - mean[c]!);
  });
  return variance;
}

function isLevels({ nominal, texts }: Instances, j: number): boolean {
  return nominal?.[j] === 1 && texts?.[j] !== 1;
}

/** Number of levels of nominal column j. Codes without a level name count too. */
function levelCount({ n, d, x, levels }: Instances, j: number): number {
  let most = (levels?.[j]?.length ?? 0) - 1;
  for (let i = 0; i < n; i++) {
    const level = x[i * d + j]!;
    // A missing cell is NaN, and no comparison with NaN holds.
    if (level > most) most = level;
  }
  return most + 1;
}
