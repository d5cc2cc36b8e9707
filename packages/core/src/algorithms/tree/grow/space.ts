/**
 * The table for a tree search. It has columns to test, as ranks of their distinct values, and columns whose variance counts.
 *
 * The variance of a nominal column is its Gini index, 1 - Σ p², which is the summed variance of one 0/1 column per level. Tests use the
 * original units of a scaled column. The variance uses the points as given.
 *
 * Points contain no missing values.
 */

import { badInput, badOption } from "../../../errors.js";
import type { Instances } from "../../../model/points.js";
import { shellFlag } from "../../../model/shell.js";
import type { Steps } from "../../../steps/index.js";
import { originalValue } from "../../../structures/column-scaling.js";
import { firstAtLeast } from "../../../structures/search.js";

/** A row is treated as a linear combination of the earlier directions if its residual is shorter than this share of its length. */
const NO_REST = 1e-12;

/** Multiplications in one step; after each step the generator yields. */
const WORK_PER_STEP = 8_000_000;

export interface TestColumn {
  readonly column: number;
  readonly name: string;
  readonly nominal: boolean;
  /** For each row: the rank of its value among the distinct values, ascending. */
  readonly rank: Int32Array;
  /** The distinct values in the units of the table; codes of levels for a nominal column. */
  readonly values: Float64Array;
}

export interface Levels {
  readonly codes: Int32Array;
  readonly count: number;
}

export interface Space {
  readonly n: number;
  readonly tests: readonly TestColumn[];
  /** Text columns that are not tested because they have too many levels. */
  readonly untested: readonly TestColumn[];
  /**
   * The centred values of the number columns whose variance counts, row by row. If there are more columns than rows, they are replaced by n
   * coordinates.
   */
  readonly y: Float64Array;
  readonly width: number;
  /** The weight of each row; null if all rows have weight 1. */
  readonly weight: Float64Array | null;
  /** Each row of `y` times its weight. The same array as `y` if all rows have weight 1. */
  readonly weightedY: Float64Array;
  readonly levels: readonly Levels[];
}

export interface SpaceOptions {
  /** Names of the columns that tests can use. Default all. */
  readonly describe?: readonly string[] | undefined;
  /** Names of the columns whose variance counts. Default all. */
  readonly variance?: readonly string[] | undefined;
}

/** Prepares the table for the search. Yields after some columns, because sorting takes time. */
export function* spaceSteps(points: Instances, { describe, variance }: SpaceOptions): Steps<Space> {
  const measured = columnsNamed(points, variance, "variance");
  const tested = columnsNamed(points, describe, "describe");
  const columns: TestColumn[] = [];
  for (const j of tested) {
    columns.push(testColumn(points, j));
    if ((columns.length * points.n) % STEP_CELLS < points.n)
      yield { phase: "columns", done: columns.length, total: tested.length };
  }
  if (columns.length === 0) throw badInput("There is no column that the tree could test.");
  const untested = columns.filter(hasManyLevels);
  if (untested.length > 0 && (describe !== undefined || untested.length === columns.length)) {
    throw tooManyLevels(untested[0]!, points.file, describe !== undefined);
  }
  const numbers = measured.filter((j) => points.nominal?.[j] !== 1);
  const weight = points.rowWeights ?? null;
  const wide = centred(points, numbers);
  yield { phase: "columns", done: tested.length, total: tested.length };
  const width = Math.min(numbers.length, points.n);
  const y = width < numbers.length ? yield* rowSpaceSteps(wide, points.n, numbers.length) : wide;
  return {
    n: points.n,
    tests: columns.filter((column) => !hasManyLevels(column)),
    untested,
    y,
    width,
    weight,
    weightedY: weight ? timesWeights(y, width, weight) : y,
    levels: measured.filter((j) => points.nominal?.[j] === 1).map((j) => levelsOf(points, j)),
  };
}

/** Approximate number of table cells read in one step; after each step the generator yields. */
const STEP_CELLS = 100_000;

/** Maximum number of levels of a nominal column that is tested. With more levels, tests would separate single rows. */
const MOST_TESTED_LEVELS = 1000;

function hasManyLevels({ nominal, values }: TestColumn): boolean {
  return nominal && values.length > MOST_TESTED_LEVELS;
}

function tooManyLevels({ name, values }: TestColumn, file: string | undefined, asked: boolean): Error {
  return badInput(
    `Column "${name}" has ${values.length.toLocaleString("en")} different texts; a tree tests columns of at most ${MOST_TESTED_LEVELS.toLocaleString("en")}.`,
    {
      ...(file === undefined ? {} : { file }),
      remedy: asked
        ? "Leave it out of the columns that rules may use (--describe)."
        : `If it names the rows, say so (${shellFlag("--id", name)}); the tree needs another column to test.`,
    },
  );
}

export function untestedNotices({ untested }: Space): string[] {
  return untested.map(
    ({ name, values }) =>
      `No rule uses the column "${name}": it has ${values.length.toLocaleString("en")} different texts, and a tree tests columns of at most ${MOST_TESTED_LEVELS.toLocaleString("en")}.`,
  );
}

export function columnName({ names }: Pick<Instances, "names">, j: number): string {
  return names?.[j] ?? `x${j}`;
}

function columnsNamed(points: Instances, names: readonly string[] | undefined, option: string): number[] {
  const all = Array.from({ length: points.d }, (_, j) => columnName(points, j));
  if (names === undefined) return [...all.keys()];
  return names.map((name) => {
    const j = all.indexOf(name);
    if (j < 0) throw badOption(option, name, `columns of the data: ${all.join(", ")}`);
    return j;
  });
}

function testColumn(points: Instances, j: number): TestColumn {
  const { n, d, x, nominal } = points;
  const column = new Float64Array(n);
  for (let i = 0; i < n; i++) column[i] = originalValue(points, j, x[i * d + j]!);
  const values = distinct(column);
  const rank = new Int32Array(n);
  for (let i = 0; i < n; i++) rank[i] = firstAtLeast(values, 0, values.length - 1, column[i]!);
  return { column: j, name: columnName(points, j), nominal: nominal?.[j] === 1, rank, values };
}

function distinct(column: Float64Array): Float64Array {
  const sorted = column.slice().sort();
  let count = 0;
  for (let p = 0; p < sorted.length; p++) {
    if (p === 0 || sorted[p]! > sorted[p - 1]!) sorted[count++] = sorted[p]!;
  }
  return sorted.slice(0, count);
}

function centred({ n, d, x, rowWeights }: Instances, columns: readonly number[]): Float64Array {
  const width = columns.length;
  const y = new Float64Array(n * width);
  const total = rowWeights?.reduce((sum, weight) => sum + weight, 0) ?? n;
  columns.forEach((j, c) => {
    let mean = 0;
    for (let i = 0; i < n; i++) mean += (rowWeights?.[i] ?? 1) * x[i * d + j]!;
    mean /= total;
    for (let i = 0; i < n; i++) y[i * width + c] = x[i * d + j]! - mean;
  });
  return y;
}

function timesWeights(y: Float64Array, width: number, weight: Float64Array): Float64Array {
  const weighted = y.slice();
  weight.forEach((each, i) => {
    for (let j = 0; j < width; j++) weighted[i * width + j]! *= each;
  });
  return weighted;
}

function levelsOf({ n, d, x }: Instances, j: number): Levels {
  const codes = new Int32Array(n);
  let most = -1;
  for (let i = 0; i < n; i++) {
    codes[i] = x[i * d + j]!;
    most = Math.max(most, codes[i]!);
  }
  return { codes, count: most + 1 };
}

/*
 * Reduces rows of many columns. n rows of d > n numbers lie in a space of at most n dimensions, so n numbers per row suffice. The inner
 * products between rows stay the same, up to rounding. So the squared lengths of weighted sums of rows stay the same too.
 *
 * Method: Gram-Schmidt orthogonalisation of each row against the previous directions. A second pass removes the rounding errors of the
 * first pass. Cost: 2·n²·d products.
 */

function* rowSpaceSteps(y: Float64Array, n: number, d: number): Steps<Float64Array> {
  const coordinates = new Float64Array(n * n);
  const directions: Float64Array[] = [];
  let work = 0;
  for (let i = 0; i < n; i++) {
    const rest = y.slice(i * d, (i + 1) * d);
    const length = Math.sqrt(dot(rest, rest));
    for (let pass = 0; pass < 2; pass++) {
      for (const [e, direction] of directions.entries()) {
        const along = dot(rest, direction);
        coordinates[i * n + e]! += along;
        for (let j = 0; j < d; j++) rest[j]! -= along * direction[j]!;
        work += 2 * d;
        if (work < WORK_PER_STEP) continue;
        work = 0;
        yield { phase: "fewer dimensions", done: i, total: n };
      }
    }
    const left = Math.sqrt(dot(rest, rest));
    if (!(left > NO_REST * length)) continue;
    coordinates[i * n + directions.length] = left;
    directions.push(rest.map((value) => value / left));
  }
  return coordinates;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}
