/**
 * Interface of the numeric kernels. Methods take a `Kernels`. The plain TypeScript set in this folder defines the results, and the
 * WebAssembly set of `@coterie/kernels` returns the same bytes faster.
 *
 * Data is stored in blocks of an arena, so that a fast set can keep it in its own memory between calls. Memory can move when a block is
 * allocated or a kernel runs: call `view()` of a block again after each call, and copy what must stay.
 *
 * Reductions over rows have a fixed order, independent of the number of threads:
 *
 * - Rows are divided into chunks of 4,096 rows. The results of the chunks are added in index order, starting from zero.
 * - A sum of one number per row has four lanes in each chunk. Row r of the chunk adds to lane r mod 4, and the lanes are combined as
 *   (0 + 1) + (2 + 3).
 * - A sum of whole rows (the members of a cluster) adds the rows in order, each feature separately.
 * - Sums over the features of one row or of one pair run from the first feature to the last.
 */
export const CHUNK_ROWS = 4096;

export type F64 = Block<Float64Array>;
export type F32 = Block<Float32Array>;
export type I32 = Block<Int32Array>;
export type U8 = Block<Uint8Array>;

export interface Block<View> {
  readonly type: "f64" | "f32" | "i32" | "u8";
  readonly length: number;
  /** The current view of the block; invalid after the next kernel call or allocation. */
  view(): View;
}

/** Memory of one run, released as a whole. New blocks are zero. */
export interface Arena {
  f64(length: number): F64;
  f32(length: number): F32;
  i32(length: number): I32;
  u8(length: number): U8;
  /**
   * Returns the rows as a block. If the kernels can work in the memory of the rows (see `rowMemory`), nothing is copied. The rows must not
   * change.
   */
  rows(x: Float64Array | Float32Array): F64 | F32;
  /** Like `rows`, but without copying. The caller must fill the block, unless the view of the block is the given array itself. */
  place(x: Float64Array | Float32Array): F64 | F32;
  release(): void;
}

export type Metric = "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine";

/** Metrics that are computed from dot products of rows. */
export type ScreenedMetric = Extract<Metric, "euclidean" | "sqeuclidean" | "cosine">;

/** Linkages computed by a nearest-neighbour chain. Single, centroid and median linkage have their own kernels. */
export type ChainLinkage = "complete" | "average" | "weighted" | "ward";
export type HeapLinkage = "centroid" | "median";

/** Numeric kernels: plain, or WebAssembly with threads. All return the same bytes. */
export interface Kernels {
  readonly name: "plain" | "simd";
  readonly threads: number;
  arena(): Arena;

  /**
   * Distances of pairs of rows, and linkages. If absent, `pairKernelsOf` returns the plain pair kernels. The pair kernels are a separate
   * object, so that methods without pairs do not load them.
   */
  readonly pairs?: PairKernels;

  /** For each column, the mean and the sum of squared deviations, in the fixed reduction order. Both are copies. */
  moments(x: F64 | F32, n: number, d: number): Moments;

  /** Starts sums of products of d columns: see ProductSums. `together`: number of rows that are added at a time. */
  products(d: number, arena: Arena, together?: 1 | 4): ProductSums;

  /** Dot products of n rows with k vectors of d numbers, summed column by column: n x k, row-major. The rows need not be in an arena. */
  projections(rows: Float64Array, n: number, lines: Float64Array, k: number, d: number): Float64Array;

  /**
   * Prepares rows for screening. A screen estimates distances from 16-bit integers, so that only some distances need exact arithmetic. This
   * saves time and does not change results. Returns null if it saves no time. The rows must not change afterwards.
   */
  screen(x: F64 | F32, n: number, d: number, arena: Arena): Screen | null;
  /** Like `screen`, but the caller prepares the rows in parts. The screen is ready when all rows have been prepared. */
  screening(x: F64 | F32, n: number, d: number, arena: Arena): Screening | null;

  /** Starts a k-means++ initialisation: see SeedingState. */
  seeding(x: F64 | F32, n: number, d: number, arena: Arena, screen?: Screen | null, weights?: F64 | null): SeedingState;

  /** Squared distances of n rows to k centres, summed column by column: n x k, row-major. The rows need not be in an arena. */
  squares(rows: Float64Array, n: number, centres: Float64Array, k: number, d: number): Float64Array;

  /** Starts searches for the farthest pair of n x d rows. The rows must not change. */
  farthest(x: F64, n: number, d: number): FarthestSearch;

  /**
   * Starts k-means over n x d rows: see KMeansState. A screen of the same rows speeds up a state with bounds. f32 rows give the same
   * results as the same numbers in f64.
   */
  kmeans(x: F64 | F32, n: number, d: number, k: number, arena: Arena, options: KMeansSetup): KMeansState;
}

/** Kernels over all pairs of rows. Their blocks come from the arena of the `Kernels` object that contains them. */
export interface PairKernels {
  /**
   * Distances from rows `from` … `to`-1 to all rows, written to the same rows of a full n x n matrix whose diagonal is 0.
   *
   * - euclidean, sqeuclidean: over all columns. hamming: the number of columns that differ.
   * - cosine: 1 - (a·b) / (|a||b|), within [0, 2]. Equal rows have distance 0. Two zero rows have distance 0. A zero row and a nonzero row
   *   have distance 1.
   * - gower: the mean over columns of |a-b| / range for numeric columns (0 if the range is 0) and of 0/1 for nominal columns. `ranges`
   *   contains one number per column: the range, or -1 for a nominal column.
   *
   * An f32 matrix is computed in f64 and rounded once, when it is stored.
   */
  distances(metric: Metric, x: F64, n: number, d: number, ranges: F64 | null, from: number, to: number, out: F64 | F32): void;

  /**
   * Prepares the computation of the full n x n matrix of the distances that `distances` defines. Rows are prepared once, and each pair is
   * computed once. If there are many columns, Euclidean distances can differ in the last bits: see `distanceMatrix` in pairs.ts. If the
   * matrix and the rows are f32, distances of many columns are computed in single precision, to about 6 digits.
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

  /**
   * Min-plus product: matrix[i][j] = min(matrix[i][j], min over c of left[i][c] + right[c][j]) for rows i = from … to-1; left is n
   * x m, right is m x n.
   */
  minPlus(matrix: F64 | F32, left: F64 | F32, right: F64 | F32, n: number, m: number, from: number, to: number): void;

  /**
   * Min-plus product for a matrix and a product that are both symmetric; takes half the work. Processes rows i = from … to-1 and all
   * columns j > i. Sets matrix[i][j] and matrix[j][i] to min(matrix[i][j], min over c of left[i][c] + right[c][j]). The diagonal does not
   * change.
   */
  minPlusBoth(matrix: F64 | F32, left: F64 | F32, right: F64 | F32, n: number, m: number, from: number, to: number): void;

  /**
   * Prepares detours over m middle rows, which shorten path lengths: see Detours. `over`: m x n, the path lengths from each middle row; it
   * must not change while the detours are used. `order`: a permutation of the n rows. It is fastest if rows with similar lengths are next
   * to each other.
   */
  detours(over: F64 | F32, m: number, n: number, order: Int32Array, arena: Arena): Detours;

  /**
   * Starts a linkage over a full n x n distance matrix. The linkage overwrites the matrix. `sizes`: number of members of each row, default
   * 1.
   */
  chainLinkage(linkage: ChainLinkage, matrix: F64 | F32, n: number, arena: Arena, sizes?: Int32Array): LinkageState;
  /** Like `chainLinkage`, but with a priority queue of nearest neighbours. For linkages whose heights can decrease. */
  heapLinkage(linkage: HeapLinkage, matrix: F64 | F32, n: number, arena: Arena, sizes?: Int32Array): LinkageState;
  /** Single linkage by a minimum spanning tree. */
  treeLinkage(matrix: F64 | F32, n: number, arena: Arena): LinkageState;

  /**
   * Starts complete linkage of rows without their distance matrix: see ScreenedLinkage. Returns null if linkage over the matrix is as fast;
   * the plain set always returns null. If `items` is given, merges items instead of rows.
   */
  screenedLinkage(
    metric: ScreenedMetric,
    x: F64 | F32,
    n: number,
    d: number,
    arena: Arena,
    items?: RowItems,
  ): ScreenedLinkage | null;

  /** Opens the lists of the k nearest rows of each of n x d rows, k < n: see NeighbourSearch. All lists are empty at first. */
  neighbours(x: F64 | F32, n: number, d: number, k: number, arena: Arena): NeighbourSearch;
}

/** Maximum number of fresh rows, and of known rows, that a join can have. */
export const MOST_JOINED = 40;

/**
 * For each row the k nearest of the rows that it was compared with, by squared Euclidean distance, the lower row on ties. Missing entries are
 * row -1 at distance Infinity. Lists do not depend on the order of the comparisons. Squares are summed in four lanes: column f adds to lane f
 * mod 4, and the lanes are combined as (0 + 1) + (2 + 3).
 */
export interface NeighbourSearch {
  /** Compares rows from … to-1 with all rows. */
  compareAll(from: number, to: number): void;
  /**
   * Compares the rows of groups from … to-1 with each other. Group g contains the rows order[start[g]] … order[start[g + 1] - 1]. A row is
   * in one group at most.
   */
  compareGroups(order: Int32Array, start: Int32Array, from: number, to: number): void;
  /**
   * Opens a round of joins. `fresh` and `known`: for each row at most MOST_JOINED rows, `width` places each, -1 at the places after the last
   * row. For each row from … to-1, the returned function compares the row's fresh rows with each other and with its known rows.
   */
  openJoins(fresh: Int32Array, known: Int32Array, width: number, arena: Arena): (from: number, to: number) => void;
  /** The lists, n x k, nearest rows first, as copies. */
  lists(): { readonly rows: Int32Array; readonly squares: Float64Array };
}

/** A full matrix is filled in blocks of this many rows. */
export const MATRIX_ROWS = 64;

export interface DistanceMatrix {
  /** Whether squared distances are computed as |a|² + |b|² - 2 a·b. */
  readonly expanded: boolean;
  /**
   * Fills rows from … to-1, and the same columns of all later rows. Ranges start at multiples of MATRIX_ROWS and must cover all rows; the
   * matrix is complete after the last range.
   */
  fill(from: number, to: number): void;
}

/** Rows prepared for screening: see `screen` of Kernels. Only the kernel set that prepared the rows can use them. */
export interface Screen {
  readonly n: number;
  readonly d: number;
}

export interface Screening {
  readonly screen: Screen;
  /** Prepares rows from … to-1; ranges start at multiples of 1,024. */
  fill(from: number, to: number): void;
}

export interface KMeansSetup {
  readonly bounds: boolean;
  readonly screen?: Screen | null;
}

/**
 * State of a k-means++ initialisation. Stores for each row the squared distance to the nearest chosen row, Infinity at first. If rows have
 * weights, the squared distance is multiplied by the weight of the row.
 */
export interface SeedingState {
  /**
   * Tries candidate rows for the next centre. Result: for each candidate and each chunk of rows, the sum of the squared distances if this
   * candidate were chosen. Candidates x chunks, row-major. Sums are added row by row.
   */
  tryRows(rows: Int32Array): Float64Array;
  /** Chooses a candidate of the last `tryRows` call as the next centre. */
  take(which: number): void;
  /** The squared distances of rows from … to-1 to their nearest chosen rows, as a copy. */
  nearest(from: number, to: number): Float64Array;
}

export interface FarthestPair {
  readonly a: number;
  readonly b: number;
  readonly square: number;
}

/**
 * Searches for the two rows a < b with the largest Σ (z_a - z_b)², summed column by column; the lower pair on ties. z are the rows after
 * the metric is applied. The metric is null (z are the rows themselves), d factors, or a d x d map. A search stores bounds under its slot
 * number. They speed up the next search in the same slot, if the metric has changed little.
 */
export interface FarthestSearch {
  /** `hint`: a pair that is probably far apart. */
  begin(slot: number, metric: Float64Array | null, hint: readonly [number, number] | null): void;
  /** Works for a few tenths of a second at most; returns true when the search has finished. */
  advance(): boolean;
  /** The pair of a finished search. */
  pair(): FarthestPair;
  /** Releases the memory of a search that will not be finished. */
  close(): void;
}

export interface Moments {
  readonly mean: Float64Array;
  readonly squares: Float64Array;
}

/**
 * Sums of columns, and sums of products of two columns, over rows that arrive in blocks. Rows are added in groups of four. Rows p, q, r, s
 * add p + q + r + s and p·p' + q·q' + r·r' + s·s', from left to right; an incomplete last group is filled with zero rows. If `together` is
 * 1, each row p adds p and p·p'.
 */
export interface ProductSums {
  add(rows: Float64Array, n: number): void;
  /** The d column sums, as a copy. */
  sums(): Float64Array;
  /**
   * d x d, row-major, as a copy: row a contains the products of column a with columns 0 … a. The entries of the row after column a are
   * undefined.
   */
  products(): Float64Array;
}

/**
 * Detours over middle rows, for a symmetric n x n matrix of path lengths.
 *
 * `shorten` processes the rows at positions p = from … to-1 of the order. Each position has a list of detours, at most m: the entries
 * start[p - from] … start[p - from + 1] - 1 of `middle` and `length`. An entry means: the path from the row to middle row `middle` has
 * length `length`.
 *
 * Let i be the row at position p, and j a row at a later position. For each entry,
 * matrix[i][j] = min(matrix[i][j], length + over[middle][j]). The other half of the matrix does not change. Lists that start with the
 * shortest detours are fastest.
 */
export interface Detours {
  shorten(matrix: F64 | F32, from: number, to: number, start: Int32Array, middle: Int32Array, length: Float64Array): void;
  /** For i = from … to-1 and every j < i, both matrix[i][j] and matrix[j][i] become the smaller of the two. */
  mirror(matrix: F64 | F32, from: number, to: number): void;
}

/**
 * State of a running linkage. Merges are in the kernel's own order. A raw merge is (slot, slot, height). A slot is a row number 0 … n-1
 * under which a cluster is stored. After a merge, the new cluster is stored in the higher slot. Only the tree linkage differs: it joins
 * each slot to the slot added just before it.
 */
export interface LinkageState {
  /** Runs for about as long as `most` merges take. Returns the number of merges made so far; n-1 when finished. */
  advance(most: number): number;
  /** The raw merges made so far, 3 numbers each, as a copy. */
  merges(): Float64Array;
}

/**
 * Items that a linkage merges instead of rows. An item consists of one or several rows. The distance of two items is the smallest distance
 * of their rows. The first `count` rows represent the items in order; each remaining row belongs to one of these items.
 *
 * Some items must be apart: their distance is larger than all distances of other items. A path through an item of several rows can be
 * shorter than the direct distance. If a linkage cannot exclude this, it gives up.
 */
export interface RowItems {
  readonly count: number;
  /** The item of each row. */
  readonly of: Int32Array;
  /** This constant is added to the distances of items that must be apart. */
  readonly bar: number;
  /**
   * Adds `by` to the entries of items that must be apart, once for each pair. The matrix is count x count. Before the call, all entries are
   * smaller than `by`.
   */
  readonly raise: (matrix: Float32Array, by: number) => void;
}

/**
 * Complete linkage from estimates. It computes an exact distance only if the estimates do not decide a comparison. Its raw merges are
 * identical to the raw merges of `chainLinkage` over an f64 matrix of `distanceMatrix`. It gives up if the estimates leave too many
 * comparisons undecided.
 */
export interface ScreenedLinkage {
  /** Works for a few hundredths of a second and reports the progress. */
  advance(): ScreenedProgress;
  /** The raw merges, 3 numbers each, as a copy; only after phase "done". */
  merges(): Float64Array;
}

export interface ScreenedProgress {
  readonly phase: "distances" | "merging" | "heights" | "done" | "given up";
  readonly done: number;
  readonly total: number;
}

/**
 * Diagonal metrics: factors that multiply the columns, and offsets that are added to the costs. With one metric per cluster there are k x d
 * factors and k offsets. With one metric for all clusters there are d factors, and `offsets` is null.
 */
export interface KMeansMetrics {
  readonly factors: Float64Array;
  readonly offsets: Float64Array | null;
}

/**
 * State of Lloyd's algorithm, one phase per call.
 *
 * `assign` gives each row the centre with the smallest squared distance (summed over features in order; ties to the lower centre) and
 * returns the number of changed labels. With bounds it skips rows whose label provably does not change. The labels are the same as without
 * bounds. `sums` then returns the sum of rows and the count of each cluster, in the fixed reduction order.
 */
export interface KMeansState {
  /**
   * Sets k x d centres. The first call starts a new run. With metrics (not supported with bounds), `assign` minimises
   * offset_c + Σ (factor_cf · x_f - centre_cf)². The sum starts at the offset and adds feature by feature.
   */
  setCentres(centres: Float64Array, metrics?: KMeansMetrics): void;
  /** Assigns rows from … to-1. The ranges must start at multiples of CHUNK_ROWS and cover all rows in order. */
  assign(from: number, to: number): number;
  /**
   * Sets all labels, for `sums`, `inertia`, `distances` and `scatter`. With bounds, the labels that `assign` computed must be restored
   * before `assign` is called again.
   */
  relabel(labels: Int32Array): void;
  /** After all rows are assigned: sums (k x d) and counts (k), as copies. `onto`: initial values of the sums, default zeros. */
  sums(onto?: Float64Array): { readonly sums: Float64Array; readonly counts: Int32Array };
  /** Sum of the squared distances of all rows to the centres of their clusters, in the fixed reduction order, without metrics. */
  inertia(): number;
  /**
   * For each feature, Σ (x - centre of the cluster of x)², in the fixed reduction order. `separate`: if true, one sum for each cluster (k x
   * d), else one sum over all rows (d). `centres`: k x d. `onto`: initial values of the sums, default zeros.
   */
  scatter(centres: Float64Array, separate: boolean, onto?: Float64Array): Float64Array;
  /**
   * For each vector of d factors (at most k vectors): the row with the largest Σ (factor · x)², the lower row on ties, and the value of its
   * sum.
   */
  farthest(factors: Float64Array): { readonly rows: Int32Array; readonly squares: Float64Array };
  /** Labels of all rows, as a copy. */
  labels(): Int32Array;
  /** Squared distance of each row to its centre, as a copy. */
  distances(): Float64Array;
}
