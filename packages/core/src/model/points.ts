import type { Notation } from "./notation.js";

/**
 * The data that a method works on: `n` rows of `d` numbers, row after row in one array.
 *
 * A nominal column holds the codes 0, 1, 2, … of its levels; `nominal` flags those columns. Every value is finite, because missing
 * cells are dropped or filled before points are made; or, where `holes` says so, a missing cell is NaN and distances skip it.
 */
export interface Points {
  readonly n: number;
  readonly d: number;
  /** n × d values, row-major. Those of a large table that came in single precision are made when they are first asked for. */
  readonly x: Float64Array;
  /** One flag per column, 1 where the column holds level codes; absent when every column is a number. */
  readonly nominal?: Uint8Array;
  /** Column names, for reports and rules. */
  readonly names?: readonly string[];
  /**
   * Distances between all pairs of rows that somebody handed in; methods about distances take these instead of computing their
   * own from the columns, of which there may be none. Condensed as SciPy's: (0,1), (0,2), …, (1,2), …, n(n-1)/2 numbers.
   */
  readonly distances?: Float64Array;
  /** One flag per column, 1 where its levels are texts that are more or less alike, and not only equal or different. */
  readonly texts?: Uint8Array;
  /** How many numbers a text becomes for methods that need means; 64 if absent. */
  readonly textDimensions?: number;
  /** How much each column counts in distances; the values of number columns are stretched by the roots already. */
  readonly weights?: Float64Array;
  /** How much each row counts, in methods that can weigh rows. */
  readonly rowWeights?: Float64Array;
  /** Whether every row has length 1, as vectors have that are told apart by their directions. */
  readonly directions?: true;
  /** Whether missing cells are left, as NaN: two rows are then compared by the columns that both have. */
  readonly holes?: true;
  /** Whether rows are here as a learned metric sees them: rows that differ in the table may then be equal. */
  readonly underMetric?: boolean;
}

/** Plain rows of numbers. */
export type Rows = readonly ArrayLike<number>[];

/** A name of an instance: its row number, or the text of the id column. */
export type InstanceId = number | string;

/** Points that know who they are: names of the rows, known classes, and groups that exclude each other's members. */
export interface Instances extends Points {
  /** One id per row; absent when ids are the row numbers 0 … n-1. */
  readonly ids?: readonly InstanceId[];
  /** Known classes, used for scores and simulated answers only. */
  readonly truth?: Labelling;
  /** Classes that contain those of `truth`, from the coarsest on. */
  readonly coarserTruth?: readonly Labelling[];
  /** At most one row of each group may be in a cluster. */
  readonly exclusive?: readonly Grouping[];
  /** For each column, the names of its level codes (nominal columns) or null. */
  readonly levels?: readonly (readonly string[] | null)[];
  /** For each column, how people write its values; null for plain numbers and for levels. */
  readonly notations?: readonly (Notation | null)[];
  /** For each column, the rows whose cell was missing and has been filled: no facts, and not to be shown as such. */
  readonly filledRows?: readonly Int32Array[];
  /** What was done to the columns before they became points: value = (original - offset) / factor. */
  readonly scaling?: Scaling;
  /** What was recognised or changed when they were read, in sentences. */
  readonly notices?: readonly string[];
  /** The file that the rows come from, for messages. */
  readonly file?: string;
}

export interface Scaling {
  readonly offset: readonly number[];
  readonly factor: readonly number[];
}

/** The class of each row, as a code into `names`; -1 where it is not known. */
export interface Labelling {
  readonly codes: Int32Array;
  readonly names: readonly string[];
}

/** A column whose equal values may not share a cluster: the code of each row's group, -1 for none. */
export interface Grouping extends Labelling {
  readonly column: string;
}

/** The id of row `i`, as the user knows it. */
export function idOf(instances: { readonly ids?: readonly InstanceId[] }, i: number): InstanceId {
  return instances.ids?.[i] ?? i;
}

/** Rows that are kept in single precision, by their points. A copy of points has only `x`. */
const singles = new WeakMap<Points, Float32Array>();

/** The values as they are kept, singles or doubles: the same numbers as in `x`, which is not made for it. */
export function rowValues(points: Points): Float64Array | Float32Array {
  return singles.get(points) ?? points.x;
}

/** Points whose values are kept in single precision; `x` widens them when somebody asks for it. */
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

/** Points without their values, for those who send these on their own. Rows that are kept in single precision are not widened for it. */
export function withoutValues<P extends Points>(points: P): Omit<P, "x"> {
  const { x: _, ...properties } = Object.getOwnPropertyDescriptors(points);
  return Object.defineProperties({}, properties) as Omit<P, "x">;
}

/** Points with these values. */
export function withValues<Rest extends Omit<Points, "x">>(
  rest: Rest,
  values: Float64Array | Float32Array,
): Rest & Pick<Points, "x"> {
  return values instanceof Float32Array ? pointsOfSingles(rest, values) : { ...rest, x: values };
}

/** Points with more properties, as `{ ...points, ...more }` has them; rows that are kept in single precision stay so. */
export function withMore<P extends Points, More extends object>(points: P, more: More & { readonly x?: never }): P & More {
  const properties = { ...Object.getOwnPropertyDescriptors(points), ...Object.getOwnPropertyDescriptors(more) };
  const both = Object.defineProperties({}, properties) as P & More;
  const rows = singles.get(points);
  if (rows) singles.set(both, rows);
  return both;
}
