import type { Notation } from "./notation.js";

/**
 * The data of a method: `n` rows of `d` numbers, row-major in one array.
 *
 * A nominal column contains the codes 0, 1, 2, … of its levels; `nominal` marks these columns. Every value is finite, because
 * missing cells are dropped or filled earlier. Exception: with `holes`, a missing cell is NaN and distances skip it.
 */
export interface Points {
  readonly n: number;
  readonly d: number;
  /** n x d values, row-major. For a large table in single precision, this array is created at the first access. */
  readonly x: Float64Array;
  /** One flag per column, 1 if the column contains level codes; absent if every column is numeric. */
  readonly nominal?: Uint8Array;
  /** Column names, for reports and rules. */
  readonly names?: readonly string[];
  /**
   * Distances between all pairs of rows, given by the user. Methods based on distances use these distances; the points then need no
   * columns. Condensed as in SciPy: (0,1), (0,2), …, (1,2), …, n(n-1)/2 numbers.
   */
  readonly distances?: Float64Array;
  /** Scored pairs of rows, given by the user. The method `duplicates` uses them instead of comparing columns. */
  readonly pairs?: ScoredPairs;
  /** One flag per column, 1 if its levels are texts compared by similarity, not only by equality. */
  readonly texts?: Uint8Array;
  /** Dimension of the vector of a text, for methods that need means; default 64. */
  readonly textDimensions?: number;
  /** Weight of each column in distances. The values of numeric columns are already multiplied by the square root of the weight. */
  readonly weights?: Float64Array;
  /** Weight of each row, for methods that support row weights. */
  readonly rowWeights?: Float64Array;
  /** Whether every row has length 1, because only its direction matters. */
  readonly directions?: true;
  /** Whether missing cells are kept as NaN. Two rows are then compared in the columns where both have a value. */
  readonly holes?: true;
  /** With holes: a fill value for each column, for methods that need every cell. If absent, these methods refuse rows with holes. */
  readonly holeFills?: Float64Array;
  /** Whether a learned metric has been applied to the rows. Rows that differ in the table can then be equal. */
  readonly underMetric?: boolean;
}

/** Pairs of rows with the probability, from 0 to 1, that both rows are the same thing. Each pair occurs once. */
export interface ScoredPairs {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly probability: Float64Array;
}

/** Plain rows of numbers. */
export type Rows = readonly ArrayLike<number>[];

/** A name of an instance: its row number, or the text of the id column. */
export type InstanceId = number | string;

/** Points with ids, known classes, and groups whose members exclude each other. */
export interface Instances extends Points {
  /** One id per row; default: the row numbers 0 … n-1. */
  readonly ids?: readonly InstanceId[];
  /** Known classes, only for scores and simulated answers. */
  readonly truth?: Labelling;
  /** Labellings coarser than `truth`, from the coarsest on. */
  readonly coarserTruth?: readonly Labelling[];
  /** A cluster can contain at most one row of each group. */
  readonly exclusive?: readonly Grouping[];
  /** For each column, the names of its level codes; null for numeric columns. */
  readonly levels?: readonly (readonly string[] | null)[];
  /** For each column, how its values are written; null for plain numbers and for levels. */
  readonly notations?: readonly (Notation | null)[];
  /** For each column, the rows with a missing cell that was filled. Filled values must not be shown as data. */
  readonly filledRows?: readonly Int32Array[];
  /** How the numbers of the columns were scaled. */
  readonly scaling?: Scaling;
  /** Whether the user chose how to scale. If so, `auto` tries no other scale. */
  readonly scaleGiven?: true;
  /** Sentences about what was recognised or changed when the table was read. */
  readonly notices?: readonly string[];
  /** The source file of the rows, for messages. */
  readonly file?: string;
}

/** Value in the points = (transformed original - offset) / factor, column by column. */
export interface Scaling {
  readonly offset: readonly number[];
  readonly factor: readonly number[];
  /** The transform of each column before offset and factor; null for none. Absent if no column has a transform. */
  readonly transforms?: readonly (Transform | null)[];
}

/**
 * log: ln(1 + value / unit), for values of 0 or more. rank: the share of rows with a smaller value, interpolated from the lists `values`
 * and `shares`. Both lists ascend.
 */
export type Transform =
  | { readonly kind: "log"; readonly unit: number }
  | { readonly kind: "rank"; readonly values: readonly number[]; readonly shares: readonly number[] };

/** The class of each row, as an index into `names`; -1 if unknown. */
export interface Labelling {
  readonly codes: Int32Array;
  readonly names: readonly string[];
}

/** A column in which rows with equal values cannot share a cluster. `codes`: the group of each row, -1 for no group. */
export interface Grouping extends Labelling {
  readonly column: string;
}

/** The user's id of row `i`. */
export function idOf(instances: { readonly ids?: readonly InstanceId[] }, i: number): InstanceId {
  return instances.ids?.[i] ?? i;
}

/** For points in single precision: their stored values. A copy of points is not in the map, because it has only `x`. */
const singles = new WeakMap<Points, Float32Array>();

/** The stored values in their precision, without creating the double-precision copy `x`. */
export function rowValues(points: Points): Float64Array | Float32Array {
  return singles.get(points) ?? points.x;
}

export function gatherRows(x: Float64Array | Float32Array, d: number, rows: Int32Array | readonly number[]): Float64Array {
  const gathered = new Float64Array(rows.length * d);
  rows.forEach((row, i) => {
    gathered.set(x.subarray(row * d, (row + 1) * d), i * d);
  });
  return gathered;
}

/** Points with values in single precision. The property `x` is a copy in double precision, created when it is first read. */
export function pointsOfSingles<Rest extends Omit<Points, "x">>(rest: Rest, rows: Float32Array): Rest & Pick<Points, "x"> {
  let wide: Float64Array | undefined;
  const x = (): Float64Array => {
    wide ??= new Float64Array(rows);
    return wide;
  };
  const points = Object.defineProperty({ ...rest }, "x", { get: x, enumerable: true, configurable: true });
  singles.set(points as Points & Rest, rows);
  return points as Points & Rest;
}

/** Points without their values, for callers that transfer the values separately. Single-precision rows are not converted. */
export function withoutValues<P extends Points>(points: P): Omit<P, "x"> {
  const { x: _, ...properties } = Object.getOwnPropertyDescriptors(points);
  return Object.defineProperties({}, properties) as Omit<P, "x">;
}

export function withValues<Rest extends Omit<Points, "x">>(
  rest: Rest,
  values: Float64Array | Float32Array,
): Rest & Pick<Points, "x"> {
  return values instanceof Float32Array ? pointsOfSingles(rest, values) : { ...rest, x: values };
}

/** Points with additional properties, like `{ ...points, ...more }`; single-precision rows stay in single precision. */
export function withMore<P extends Points, More extends object>(points: P, more: More & { readonly x?: never }): P & More {
  const properties = { ...Object.getOwnPropertyDescriptors(points), ...Object.getOwnPropertyDescriptors(more) };
  const both = Object.defineProperties({}, properties) as P & More;
  const rows = singles.get(points);
  if (rows) singles.set(both, rows);
  return both;
}
