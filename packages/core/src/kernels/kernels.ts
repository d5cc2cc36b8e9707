/**
 * The contract of the arithmetic. Methods take a `Kernels`; the plain TypeScript set in this folder defines the answers, and
 * the WebAssembly set of `@coterie/kernels` gives the same bytes faster.
 *
 * Data lives in blocks of an arena, so that a fast set can keep it in its own memory between calls. Memory may move when a
 * block is taken or a kernel runs: ask a block for `view()` anew after each call, and copy what must last.
 *
 * Reductions over rows have one shape everywhere, whatever the number of threads: chunks of 4,096 rows, whose results are
 * added in index order, from zero. Inside a chunk, a sum of one number per row has four lanes: row r of the chunk adds to
 * lane r mod 4, and the lanes join as (0 + 1) + (2 + 3). A sum of whole rows (a cluster's members) adds them in row order;
 * its lanes are the features. Sums over the features of one row or of one pair run from the first feature to the last.
 */
export const CHUNK_ROWS = 4096;

export type F64 = Block<Float64Array>;
export type F32 = Block<Float32Array>;
export type I32 = Block<Int32Array>;
export type U8 = Block<Uint8Array>;

export interface Block<View> {
  readonly type: "f64" | "f32" | "i32" | "u8";
  readonly length: number;
  /** The present view of the block; stale after the next kernel call or allocation. */
  view(): View;
}

/** Memory of one run, given back as a whole. New blocks are zero. */
export interface Arena {
  f64(length: number): F64;
  f32(length: number): F32;
  i32(length: number): I32;
  u8(length: number): U8;
  /** Rows as a block: where they are, if the kernels can work there (see row-memory.ts), else a copy. They must not change. */
  rows(x: Float64Array | Float32Array): F64 | F32;
  /** The same without the copying: whoever asks fills the block, unless its view is the rows themselves. */
  place(x: Float64Array | Float32Array): F64 | F32;
  release(): void;
}

export type Metric = "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine";

/** Metrics that grow with products of rows. */
export type ScreenedMetric = Extract<Metric, "euclidean" | "sqeuclidean" | "cosine">;

/** Linkages by nearest-neighbour chain; single, centroid and median have kernels of their own. */
export type ChainLinkage = "complete" | "average" | "weighted" | "ward";
export type HeapLinkage = "centroid" | "median";

/** The arithmetic that methods run on: plain, or WebAssembly with threads. All give the same bytes. */
export interface Kernels {
  readonly name: "plain" | "simd";
  readonly threads: number;
  arena(): Arena;

  /**
   * Distances from rows `from` … `to`-1 to all rows, into the same rows of a full n × n matrix whose diagonal is 0.
   *
   * - euclidean, sqeuclidean: over all columns. hamming: the number of columns that differ.
   * - cosine: 1 - (a·b) / (|a||b|), 0 for equal rows and between two zero rows, 1 between a zero row and another; within [0, 2].
   * - gower: the mean over columns of |a-b| / range for numbers (0 where the range is 0) and of 0/1 for nominal columns.
   *   `ranges` holds one number per column: the range, or -1 for a nominal column.
   *
   * An f32 matrix is computed in f64 and rounded once, when it is stored.
   */
  distances(metric: Metric, x: F64, n: number, d: number, ranges: F64 | null, from: number, to: number, out: F64 | F32): void;

  /**
   * Opens the full n × n matrix of the same distances, for those who want all of it: rows are made ready once, and each pair is
   * computed once. Euclidean distances of wide rows may differ from those of `distances` in their last bits: see distance-matrix.ts.
   * A matrix of singles from rows of singles is computed in single precision there, to about 6 digits.
   */
  distanceMatrix(
    metric: Metric,
    x: F64 | F32,
    n: number,
    d: number,
    ranges: F64 | null,
    out: F64 | F32,
    arena: Arena,
  ): DistanceMatrix;

  /** Mean and sum of squared deviations from it of each column, as copies, in the fixed reduction shape. */
  moments(x: F64 | F32, n: number, d: number): Moments;

  /** Opens sums of products of d columns, over rows four at a time or one by one: see ProductSums. */
  products(d: number, arena: Arena, together?: 1 | 4): ProductSums;

  /** Products of n rows with k lines of d numbers, column by column: k numbers a row. For tables that need not stay. */
  projections(rows: Float64Array, n: number, lines: Float64Array, k: number, d: number): Float64Array;

  /** matrix[i][j] = min(matrix[i][j], min over c of left[i][c] + right[c][j]) for rows from … to-1; left n × m, right m × n. */
  minPlus(matrix: F64 | F32, left: F64 | F32, right: F64 | F32, n: number, m: number, from: number, to: number): void;

  /**
   * The same for a symmetric product with a symmetric matrix, half of the work: for rows from … to-1 and all columns j > i,
   * matrix[i][j] and matrix[j][i] become min(matrix[i][j], min over c of left[i][c] + right[c][j]). The diagonal stays.
   */
  minPlusBoth(matrix: F64 | F32, left: F64 | F32, right: F64 | F32, n: number, m: number, from: number, to: number): void;

  /**
   * Opens detours over m rows, m × n lengths from each of them on, which must not change while it is used. `order` is a
   * permutation of the n rows that puts rows of like lengths side by side, the faster the more alike they are.
   */
  detours(over: F64 | F32, m: number, n: number, order: Int32Array, arena: Arena): Detours;

  /**
   * Opens a linkage over a full n × n distance matrix, which it consumes. `sizes` says how many members each row stands for,
   * 1 if it is left out.
   */
  chainLinkage(linkage: ChainLinkage, matrix: F64 | F32, n: number, arena: Arena, sizes?: Int32Array): LinkageState;
  /** The same by a priority queue over nearest neighbours, for linkages whose heights may fall. */
  heapLinkage(linkage: HeapLinkage, matrix: F64 | F32, n: number, arena: Arena, sizes?: Int32Array): LinkageState;
  /** Single linkage by a minimum spanning tree. */
  treeLinkage(matrix: F64 | F32, n: number, arena: Arena): LinkageState;

  /**
   * Opens complete linkage of rows without the matrix of their distances: see ScreenedLinkage. Null where the matrix is as good, and always in the plain
   * set. With `items` it merges those.
   */
  screenedLinkage(
    metric: ScreenedMetric,
    x: F64 | F32,
    n: number,
    d: number,
    arena: Arena,
    items?: RowItems,
  ): ScreenedLinkage | null;

  /** Makes rows ready for screening, which saves time and changes no answer; null where it does not pay. The rows must not change after. */
  screen(x: F64 | F32, n: number, d: number, arena: Arena): Screen | null;
  /** The same some rows at a time: the screen is ready when all rows have been filled. */
  screening(x: F64 | F32, n: number, d: number, arena: Arena): Screening | null;

  /** Opens a start by k-means++: see SeedingState. */
  seeding(x: F64 | F32, n: number, d: number, arena: Arena, screen?: Screen | null, weights?: F64 | null): SeedingState;

  /** Squared distances of n rows to k centres, column by column: k numbers a row. For tables that need not stay. */
  squares(rows: Float64Array, n: number, centres: Float64Array, k: number, d: number): Float64Array;

  /** Opens searches for the farthest pair of n × d rows, which must not change. */
  farthest(x: F64, n: number, d: number): FarthestSearch;

  /** Opens k-means over n × d rows: see KMeansState. A screen of the same rows helps one with bounds. Rows of singles give what the same numbers as doubles would. */
  kmeans(x: F64 | F32, n: number, d: number, k: number, arena: Arena, options: KMeansSetup): KMeansState;
}

/** Rows of a full matrix that is being filled, in `MATRIX_ROWS` at a time. */
export const MATRIX_ROWS = 64;

export interface DistanceMatrix {
  /** Whether distances come from an expansion of the square. */
  readonly expanded: boolean;
  /**
   * Writes rows from … to-1, and the same columns of all later rows. Ranges start at multiples of MATRIX_ROWS and cover all rows; the
   * matrix is whole when all have been filled.
   */
  fill(from: number, to: number): void;
}

/** Rows that were made ready by the same set of kernels. */
export interface Screen {
  readonly n: number;
  readonly d: number;
}

export interface Screening {
  readonly screen: Screen;
  /** Makes rows from … to-1 ready; ranges start at multiples of 1,024. */
  fill(from: number, to: number): void;
}

export interface KMeansSetup {
  readonly bounds: boolean;
  readonly screen?: Screen | null;
}

/** The state of a start: squared distances of rows to the nearest of some rows, at first Infinity; times the weights of the rows, if they have some. */
export interface SeedingState {
  /**
   * For each candidate, a row: the sums, chunk after chunk and from row to row inside a chunk, of what the squares would become. One
   * line for each candidate, one sum for each chunk of rows.
   */
  tryRows(rows: Int32Array): Float64Array;
  /** Takes a candidate of the last call. */
  take(which: number): void;
  /** The squares of rows from … to-1, as a copy. */
  nearest(from: number, to: number): Float64Array;
}

export interface FarthestPair {
  readonly a: number;
  readonly b: number;
  readonly square: number;
}

/**
 * Searches for the two rows, a < b, of largest Σ (z_a - z_b)², column by column; the lower pair on ties. z are the rows under a metric: null
 * for the rows as they are, d factors, or a map of d × d numbers. What a search learned about rows makes the next one in the same slot
 * quicker, where the metric has changed little.
 */
export interface FarthestSearch {
  /** `hint`: a pair that is likely to be far apart. */
  begin(slot: number, metric: Float64Array | null, hint: readonly [number, number] | null): void;
  /** Works for some tenths of a second at most; true at the end of the search. */
  advance(): boolean;
  /** The pair of a search that has ended. */
  pair(): FarthestPair;
  /** Gives back the memory of a search that will not be ended. */
  close(): void;
}

export interface Moments {
  readonly mean: Float64Array;
  readonly squares: Float64Array;
}

/**
 * Sums of columns and of products of two columns, over rows that come in blocks. Rows p, q, r, s, four at a time, add p + q + r + s and
 * p·p' + q·q' + r·r' + s·s', from left to right; a block that is no multiple of four ends with rows of zeros. One by one, each row adds p and p·p'.
 */
export interface ProductSums {
  add(rows: Float64Array, n: number): void;
  /** The sums of d columns, as a copy. */
  sums(): Float64Array;
  /** d × d, as a copy: line a holds the products of column a with the columns up to itself; the rest is not to be looked at. */
  products(): Float64Array;
}

/**
 * Detours that rows of a symmetric n × n matrix may take.
 *
 * `shorten` gives the rows at places from … to-1 of the order a list each of at most m: entries start[p - from] … start[p - from + 1] - 1 of `middle`
 * and `length`, for detours that reach row `middle` of the m after `length`. For i at place p and every j at a later place,
 * matrix[i][j] = min(matrix[i][j], length + over[middle][j]) over the entries. The other side of the diagonal stays as it is. Lists
 * that begin with the shortest are the fastest.
 */
export interface Detours {
  shorten(matrix: F64 | F32, from: number, to: number, start: Int32Array, middle: Int32Array, length: Float64Array): void;
  /** For i from … to-1 and every j < i both sides of the diagonal take the lesser of their two numbers. */
  mirror(matrix: F64 | F32, from: number, to: number): void;
}

/**
 * The state of a linkage under way. Merges are found in the kernel's own order and are raw: (slot, slot, height), a slot being a row
 * number 0 … n-1 that stands for the cluster now kept there. After a merge the cluster lives on in the higher slot; the tree
 * linkage joins each slot to the one taken in just before it.
 */
export interface LinkageState {
  /** Works for about the time of `most` merges and returns how many have been made so far; n-1 when finished. */
  advance(most: number): number;
  /** The raw merges made so far, 3 numbers each, as a copy. */
  merges(): Float64Array;
}

/**
 * Items of one or several rows, as far from each other as their nearest rows: of n rows the first ones stand for the items, in order, and the others
 * belong to them. Some items must be apart, which makes their distances larger than all others. A way over an item of several rows may be shorter
 * than the straight one: a linkage that cannot rule that out gives up.
 */
export interface RowItems {
  readonly count: number;
  /** The item of each row. */
  readonly of: Int32Array;
  /** What is added to distances of items that must be apart. */
  readonly bar: number;
  /** Adds a number to the entries of items that must be apart, in a matrix of count × count: each once, and none is as large before. */
  readonly raise: (matrix: Float32Array, by: number) => void;
}

/**
 * Complete linkage that estimates all distances and measures those that the estimates leave open. Its raw merges are, to the bit and in the same
 * order, those of `chainLinkage` over a matrix of doubles by `distanceMatrix`. It gives up where too much is left open.
 */
export interface ScreenedLinkage {
  /** Works for some hundredths of a second, and says how far it has come. */
  advance(): ScreenedProgress;
  /** The raw merges, 3 numbers each, as a copy, when it is done. */
  merges(): Float64Array;
}

export interface ScreenedProgress {
  readonly phase: "distances" | "merging" | "heights" | "done" | "given up";
  readonly done: number;
  readonly total: number;
}

/**
 * Diagonal metrics: what rows are multiplied by, and where the costs begin. One for each cluster (k × d factors, k offsets), or one
 * for all (d factors, and no offsets: costs begin at 0).
 */
export interface KMeansMetrics {
  readonly factors: Float64Array;
  readonly offsets: Float64Array | null;
}

/**
 * The state of Lloyd's algorithm, one phase per call.
 *
 * `assign` gives each row the centre of least squared distance (sum over features in order; ties to the lower centre) and
 * returns how many labels changed. With bounds it skips rows whose label provably stays; labels are the same bytes.
 * `sums` then writes each cluster's sum of rows and count, in the fixed reduction shape.
 */
export interface KMeansState {
  /**
   * Takes k × d centres. The first call starts afresh. With metrics, which no state with bounds takes,
   * `assign` goes by the cost offset_c + Σ (factor_cf · x_f - centre_cf)², added up from the offset on, feature by feature.
   */
  setCentres(centres: Float64Array, metrics?: KMeansMetrics): void;
  /** Assigns rows from … to-1; call with ranges that start at multiples of CHUNK_ROWS and cover all rows, in order. */
  assign(from: number, to: number): number;
  /**
   * Gives all rows these labels, for `sums`, `inertia`, `distances` and `scatter`. With bounds, the labels that `assign` found must be
   * back before it is called again.
   */
  relabel(labels: Int32Array): void;
  /** After all rows are assigned: sums (k × d) and counts (k), as copies. `onto`: the sums that chunks are added to, instead of zeros. */
  sums(onto?: Float64Array): { readonly sums: Float64Array; readonly counts: Int32Array };
  /** Sum over rows of the squared distance to the centre of their label, in the fixed reduction shape; metrics do not count. */
  inertia(): number;
  /**
   * Σ (x - centre of its label)², feature by feature, over the rows of each cluster (k × d) or over all of them (d), in the fixed
   * reduction shape. The centres are k × d. `onto`: the sums that chunks are added to, instead of zeros.
   */
  scatter(centres: Float64Array, separate: boolean, onto?: Float64Array): Float64Array;
  /** For each line of d factors (at most k lines) the row of largest Σ (factor · x)², the lower one on ties, and that sum. */
  farthest(factors: Float64Array): { readonly rows: Int32Array; readonly squares: Float64Array };
  /** Labels of all rows, as a copy. */
  labels(): Int32Array;
  /** Squared distance of each row to its centre, as a copy. */
  distances(): Float64Array;
}
