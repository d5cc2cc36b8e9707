/**
 * Interface of the numeric kernels. Methods take a `Kernels`. The plain TypeScript set in this folder defines the results, and the
 * WebAssembly set of `@coterie/kernels` returns the same bytes faster.
 *
 * Data is stored in blocks of an arena, so that a fast set can keep it in its own memory between calls. Memory can move when a
 * block is allocated or a kernel runs: call `view()` of a block again after each call, and copy what must stay.
 *
 * Reductions over rows have a fixed order, independent of the number of threads: chunks of 4,096 rows, whose results are added in
 * index order, from zero. Inside a chunk, a sum of one number per row has four lanes: row r of the chunk adds to lane r mod 4, and
 * the lanes are combined as (0 + 1) + (2 + 3). A sum of whole rows (the members of a cluster) adds them in row order; its lanes are
 * the features. Sums over the features of one row or of one pair run from the first feature to the last.
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
  /** Rows as a block: in place if the kernels can work there (see `rowMemory`), otherwise a copy. The rows must not change. */
  rows(x: Float64Array | Float32Array): F64 | F32;
  /**
   * A block for rows, like `rows`, but without copying. The caller must fill the block, unless the view of the block is the given array
   * itself.
   */
  place(x: Float64Array | Float32Array): F64 | F32;
  release(): void;
}

export type Metric = "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine";

/** Metrics that are computed from dot products of rows. */
export type ScreenedMetric = Extract<Metric, "euclidean" | "sqeuclidean" | "cosine">;

/** Linkages computed by a nearest-neighbour chain. Single, centroid and median linkage have kernels of their own. */
export type ChainLinkage = "complete" | "average" | "weighted" | "ward";
export type HeapLinkage = "centroid" | "median";

/** Numeric kernels: plain, or WebAssembly with threads. All return the same bytes. */
export interface Kernels {
  readonly name: "plain" | "simd";
  readonly threads: number;
  arena(): Arena;

  /**
   * Distances of pairs of rows, and linkages. If left out, `pairKernelsOf` returns the plain pair kernels. The pair kernels are separate,
   * so that only methods that need them load them.
   */
  readonly pairs?: PairKernels;

  /** Mean of each column and its sum of squared deviations, as copies, in the fixed reduction order. */
  moments(x: F64 | F32, n: number, d: number): Moments;

  /** Opens sums of products of d columns. `together`: rows added at a time. See ProductSums. */
  products(d: number, arena: Arena, together?: 1 | 4): ProductSums;

  /** Dot products of n rows with k vectors of d numbers, summed column by column: n x k, row-major. The rows need not be in an arena. */
  projections(rows: Float64Array, n: number, lines: Float64Array, k: number, d: number): Float64Array;

  /**
   * Prepares rows for screening, which saves time and does not change results; null if it is not worthwhile. The rows must not
   * change afterwards.
   */
  screen(x: F64 | F32, n: number, d: number, arena: Arena): Screen | null;
  /** Like `screen`, some rows at a time: the screen is ready when all rows have been filled. */
  screening(x: F64 | F32, n: number, d: number, arena: Arena): Screening | null;

  /** Opens a k-means++ initialisation: see SeedingState. */
  seeding(x: F64 | F32, n: number, d: number, arena: Arena, screen?: Screen | null, weights?: F64 | null): SeedingState;

  /** Squared distances of n rows to k centres, summed column by column: n x k, row-major. The rows need not be in an arena. */
  squares(rows: Float64Array, n: number, centres: Float64Array, k: number, d: number): Float64Array;

  /** Opens searches for the farthest pair of n x d rows, which must not change. */
  farthest(x: F64, n: number, d: number): FarthestSearch;

  /**
   * Opens k-means over n x d rows: see KMeansState. A screen of the same rows speeds up a state with bounds. f32 rows give the same
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
   * - cosine: 1 - (a·b) / (|a||b|); 0 for equal rows and between two zero rows, 1 between a zero row and another; within [0, 2].
   * - gower: the mean over columns of |a-b| / range for numeric columns (0 if the range is 0) and of 0/1 for nominal columns.
   *   `ranges` contains one number per column: the range, or -1 for a nominal column.
   *
   * An f32 matrix is computed in f64 and rounded once, when it is stored.
   */
  distances(metric: Metric, x: F64, n: number, d: number, ranges: F64 | null, from: number, to: number, out: F64 | F32): void;

  /**
   * Opens the computation of the full n x n matrix of the distances that `distances` defines: rows are prepared once, and each pair is
   * computed once. Euclidean distances of many columns can differ from the distances that `distances` computes in the last bits: see
   * `distanceMatrix` in pairs.ts. An f32 matrix from f32 rows is then computed in single precision, to about 6 digits.
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
   * Min-plus product for a matrix and a product that are both symmetric; takes half the work. For rows i = from … to-1 and all columns j
   * > i, matrix[i][j] and matrix[j][i] become min(matrix[i][j], min over c of left[i][c] + right[c][j]). The diagonal does not change.
   */
  minPlusBoth(matrix: F64 | F32, left: F64 | F32, right: F64 | F32, n: number, m: number, from: number, to: number): void;

  /**
   * Opens detours over m middle rows. `over`: m x n, the path lengths from each middle row, which must not change while the detours are
   * used. `order`: a permutation of the n rows that puts rows with similar lengths next to each other; the more similar, the faster.
   */
  detours(over: F64 | F32, m: number, n: number, order: Int32Array, arena: Arena): Detours;

  /** Opens a linkage over a full n x n distance matrix, which it overwrites. `sizes`: number of members of each row, default 1. */
  chainLinkage(linkage: ChainLinkage, matrix: F64 | F32, n: number, arena: Arena, sizes?: Int32Array): LinkageState;
  /** Like `chainLinkage`, but with a priority queue of nearest neighbours. For linkages whose heights can decrease. */
  heapLinkage(linkage: HeapLinkage, matrix: F64 | F32, n: number, arena: Arena, sizes?: Int32Array): LinkageState;
  /** Single linkage by a minimum spanning tree. */
  treeLinkage(matrix: F64 | F32, n: number, arena: Arena): LinkageState;

  /**
   * Opens complete linkage of rows without their distance matrix: see ScreenedLinkage. Returns null if the matrix is as fast; the plain
   * set always returns null. With `items` it merges items instead of rows.
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

/** Rows prepared for screening. Only the set of kernels that prepared them can use them. */
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
 * State of a k-means++ initialisation: for each row the squared distance to the nearest chosen row, Infinity at first; multiplied
 * by the row's weight, if there are weights.
 */
export interface SeedingState {
  /**
   * For each candidate row and each chunk of rows: the sum of the squared distances if the candidate were chosen, added row by row.
   * Candidates x chunks, row-major.
   */
  tryRows(rows: Int32Array): Float64Array;
  /** Chooses a candidate of the last `tryRows` call. */
  take(which: number): void;
  /** The squared distances of rows from … to-1, as a copy. */
  nearest(from: number, to: number): Float64Array;
}

export interface FarthestPair {
  readonly a: number;
  readonly b: number;
  readonly square: number;
}

/**
 * Searches for the two rows a < b with the largest Σ (z_a - z_b)², summed column by column; the lower pair on ties. z are the rows under
 * a metric: null for the rows themselves, d factors, or a d x d map. A search stores bounds under its slot number. They speed up the next
 * search in the same slot, if the metric has changed little.
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
 * Sums of columns, and sums of products of two columns, over rows that arrive in blocks. In groups of four, rows p, q, r, s add p + q + r
 * + s and p·p' + q·q' + r·r' + s·s', from left to right; an incomplete last group is filled with zero rows. With `together` 1, each row p
 * adds p and p·p'.
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
 * Detours over selected rows of a symmetric n x n matrix of path lengths.
 *
 * `shorten` processes the rows at positions p = from … to-1 of the order. The list of position p has at most m entries: start[p -
 * from] … start[p - from + 1] - 1 of `middle` and `length`. An entry is a detour that reaches row `middle` of the m rows after
 * `length`. For row i at position p and every row j at a later position, matrix[i][j] = min(matrix[i][j], length + over[middle][j])
 * over the entries. The other half of the matrix does not change. Lists that start with the shortest detours are fastest.
 */
export interface Detours {
  shorten(matrix: F64 | F32, from: number, to: number, start: Int32Array, middle: Int32Array, length: Float64Array): void;
  /** For i = from … to-1 and every j < i, both matrix[i][j] and matrix[j][i] become the smaller of the two. */
  mirror(matrix: F64 | F32, from: number, to: number): void;
}

/**
 * State of a running linkage. Merges appear in the kernel's own order and are raw: (slot, slot, height). A slot is a row number 0 … n-1
 * under which a cluster is stored. After a merge, the new cluster is stored in the higher slot. Only the tree linkage differs: it joins
 * each slot to the slot added just before it.
 */
export interface LinkageState {
  /** Works for about the time of `most` merges. Returns the number of merges made so far; n-1 when finished. */
  advance(most: number): number;
  /** The raw merges made so far, 3 numbers each, as a copy. */
  merges(): Float64Array;
}

/**
 * Items of one or several rows; the distance of two items is the smallest distance of their rows. Of n rows, the first `count` rows
 * represent the items in order, and the remaining rows belong to items. Some items must be apart: their distance is larger than the
 * distances of all items that need not be apart. A path through an item of several rows can be shorter than the direct distance. If a
 * linkage cannot exclude this, it gives up.
 */
export interface RowItems {
  readonly count: number;
  /** The item of each row. */
  readonly of: Int32Array;
  /** Added to the distances of items that must be apart. */
  readonly bar: number;
  /**
   * Adds `by` to the entries of items that must be apart, in a count x count matrix, each pair once. Before the call, all entries
   * are smaller than `by`.
   */
  readonly raise: (matrix: Float32Array, by: number) => void;
}

/**
 * Complete linkage that estimates all distances and computes a distance only if the estimates do not decide a comparison. Its raw merges
 * have the same bits and the same order as the raw merges of `chainLinkage` over an f64 matrix of `distanceMatrix`. It gives up if too many
 * distances stay undecided.
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
 * Diagonal metrics: the factors of the columns, and an offset of the cost. Either one per cluster (k x d factors, k offsets), or
 * one for all clusters (d factors, offsets null: costs start at 0).
 */
export interface KMeansMetrics {
  readonly factors: Float64Array;
  readonly offsets: Float64Array | null;
}

/**
 * State of Lloyd's algorithm, one phase per call.
 *
 * `assign` gives each row the centre with the smallest squared distance (summed over features in order; ties to the lower centre)
 * and returns the number of changed labels. With bounds it skips rows whose label provably does not change; the labels are
 * identical. `sums` then returns the sum of rows and the count of each cluster, in the fixed reduction order.
 */
export interface KMeansState {
  /**
   * Sets k x d centres. The first call starts afresh. With metrics (not supported with bounds), `assign` minimises offset_c + Σ
   * (factor_cf · x_f - centre_cf)², summed from the offset on, feature by feature.
   */
  setCentres(centres: Float64Array, metrics?: KMeansMetrics): void;
  /** Assigns rows from … to-1. The ranges must start at multiples of CHUNK_ROWS and cover all rows in order. */
  assign(from: number, to: number): number;
  /**
   * Sets all labels, for `sums`, `inertia`, `distances` and `scatter`. With bounds, the labels that `assign` computed must be
   * restored before it is called again.
   */
  relabel(labels: Int32Array): void;
  /** After all rows are assigned: sums (k x d) and counts (k), as copies. `onto`: initial values of the sums, default zeros. */
  sums(onto?: Float64Array): { readonly sums: Float64Array; readonly counts: Int32Array };
  /** Sum over rows of the squared distance to the centre of their label, in the fixed reduction order, without metrics. */
  inertia(): number;
  /**
   * Σ (x - centre of its label)², feature by feature, over the rows of each cluster (k x d) or over all rows (d), in the fixed
   * reduction order. `centres`: k x d. `onto`: initial values of the sums, default zeros.
   */
  scatter(centres: Float64Array, separate: boolean, onto?: Float64Array): Float64Array;
  /**
   * For each vector of d factors (at most k vectors), the row with the largest Σ (factor · x)², the lower row on ties, and this
   * sum.
   */
  farthest(factors: Float64Array): { readonly rows: Int32Array; readonly squares: Float64Array };
  /** Labels of all rows, as a copy. */
  labels(): Int32Array;
  /** Squared distance of each row to its centre, as a copy. */
  distances(): Float64Array;
}
