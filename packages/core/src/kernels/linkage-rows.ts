/**
 * The distance matrix of a running linkage. A row is only updated when it is read.
 *
 * The textbook update after a merge writes one row and one column; the column touches n cache lines and dominates the time. Here a
 * merge only writes the row of the new cluster. A log records merged and new clusters. Before a row is read, it copies the missed
 * entries from the rows of the clusters created since: for two clusters, the row of the younger cluster is correct.
 *
 * Columns of merged clusters contain Infinity. When a quarter of the columns is dead, a new layout without them starts; a row moves
 * to the new layout when it is next read, so no call ever visits the whole matrix. Slots keep their order in every layout, as the
 * tie rule requires.
 */
export type Matrix = Float64Array | Float32Array;

export type RowLinkage = "complete" | "average" | "weighted" | "ward" | "centroid" | "median";

/** Below this many clusters a new layout is not worth its overhead. */
const LEAST_LAYOUT = 64;

export interface LazyRows {
  readonly n: number;
  /** `made`: raw merges made so far, of n - 1. `merges`: their numbers (lower slot, higher slot, height). */
  made: number;
  readonly merges: Float64Array;
  /** Number of members of the cluster in a slot; 0 once it has been merged into another. */
  readonly size: Int32Array;
  /** All slots below this one are merged away. */
  lowest: number;

  /** The current layout: its number, its number of columns, and the slot and cluster size of each column. */
  current: number;
  width: number;
  readonly slots: Int32Array;
  readonly columnSize: Float64Array;
  /** For every layout so far, the column of each slot. Layouts shrink by a quarter, so there are at most 3.5 ln n. */
  readonly columns: Int32Array[];
  /** The layout that the row of a slot uses. */
  readonly layout: Int32Array;

  /** The log: in entry t the cluster of `gone[t]` (-1: not in the current layout) was merged into the cluster of `kept[t]`. */
  logged: number;
  readonly gone: Int32Array;
  readonly kept: Int32Array;
  /** Log entry in which the cluster of a slot was created; -1 for a single row or a dead slot. */
  readonly birth: Int32Array;
  /** Number of log entries that the row of a slot has already applied. */
  readonly applied: Int32Array;
  /** Scratch for one call: matrix elements to copy, and their destinations. An array has at most 2³² elements. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

export function openRows(d: Matrix, n: number, sizes: Int32Array = new Int32Array(n).fill(1)): LazyRows {
  for (let i = 0; i < n; i++) d[i * n + i] = Infinity;
  return {
    n,
    made: 0,
    merges: new Float64Array(3 * Math.max(0, n - 1)),
    size: sizes.slice(0, n),
    lowest: 0,
    current: 0,
    width: n,
    slots: Int32Array.from({ length: n }, (_, slot) => slot),
    columnSize: Float64Array.from(sizes.subarray(0, n)),
    columns: [Int32Array.from({ length: n }, (_, slot) => slot)],
    layout: new Int32Array(n),
    logged: 0,
    gone: new Int32Array(n),
    kept: new Int32Array(n),
    birth: new Int32Array(n).fill(-1),
    applied: new Int32Array(n),
    from: new Uint32Array(n),
    to: new Uint32Array(n),
  };
}

/** The column of a slot in the current layout. */
export function columnOf(rows: LazyRows, slot: number): number {
  return rows.columns[rows.current]![slot]!;
}

/** The distance between the clusters of two slots, read from the row of the younger cluster. */
export function distanceBetween(rows: LazyRows, d: Matrix, a: number, b: number): number {
  const [younger, older] = rows.birth[a]! > rows.birth[b]! ? [a, b] : [b, a];
  return d[younger * rows.n + rows.columns[rows.layout[younger]!]![older]!]!;
}

/** Moves the row of slot `a` to the current layout and updates it. */
export function refresh(rows: LazyRows, d: Matrix, a: number): void {
  const { n, gone, kept, birth, columns, layout, logged, from, to } = rows;
  if (layout[a] !== rows.current) pack(rows, d, a);
  const row = a * n;
  const column = columns[rows.current]!;
  const applied = rows.applied[a]!;
  let count = 0;
  for (let t = applied; t < logged; t++) {
    const born = kept[t]!;
    from[count] = born * n + columns[layout[born]!]![a]!;
    to[count] = row + column[born]!;
    if (birth[born] === t) count++;
  }
  copyElements(d, from, to, count);
  for (let t = applied; t < logged; t++) {
    const dead = gone[t]!;
    if (dead >= 0) d[row + column[dead]!] = Infinity;
  }
  rows.applied[a] = logged;
}

/** Each element read is a cache miss: four reads at a time precede the writes, so that the reads overlap. */
function copyElements(d: Matrix, from: Uint32Array, to: Uint32Array, count: number): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const v0 = d[from[i]!]!;
    const v1 = d[from[i + 1]!]!;
    const v2 = d[from[i + 2]!]!;
    const v3 = d[from[i + 3]!]!;
    d[to[i]!] = v0;
    d[to[i + 1]!] = v1;
    d[to[i + 2]!] = v2;
    d[to[i + 3]!] = v3;
  }
  for (; i < count; i++) d[to[i]!] = d[from[i]!]!;
}

/** Columns only move left and keep their order, so a row is packed in place. */
function pack(rows: LazyRows, d: Matrix, a: number): void {
  const { slots, width } = rows;
  const from = rows.columns[rows.layout[a]!]!;
  const row = a * rows.n;
  for (let j = 0; j < width; j++) d[row + j] = d[row + from[slots[j]!]!]!;
  rows.layout[a] = rows.current;
}

/** The first column with the smallest distance in columns `from` … of an updated row; -1 if none is finite. */
export function nearestColumn(rows: LazyRows, d: Matrix, a: number, from: number): number {
  const row = a * rows.n;
  const end = row + rows.width;
  let least = Infinity;
  let at = -1;
  for (let p = row + from; p < end; p++) {
    const value = d[p]!;
    if (value < least) {
      least = value;
      at = p - row;
    }
  }
  return at;
}

/**
 * Merges the clusters of slots x < y, whose rows are both updated, into slot y, and writes the row of the new cluster. The formulas
 * and their order of operations are SciPy's, so equal distances stay equal and ties are broken alike.
 */
export function mergeRows(rows: LazyRows, d: Matrix, linkage: RowLinkage, x: number, y: number, height: number): void {
  const { n, width, size, columnSize } = rows;
  combine(linkage, d, x * n, y * n, width, height, size[x]!, size[y]!, columnSize);
  const columnX = columnOf(rows, x);
  const columnY = columnOf(rows, y);
  d[y * n + columnX] = Infinity;
  d[y * n + columnY] = Infinity;
  columnSize[columnY]! += columnSize[columnX]!;
  record(rows, x, y, height);
  rows.birth[x] = -1;
  rows.birth[y] = rows.logged;
  rows.gone[rows.logged] = x;
  rows.kept[rows.logged] = y;
  rows.logged++;
  rows.applied[y] = rows.logged;
}

/** Joins the two lowest slots at height Infinity, when no finite distance is left. */
export function joinLowest(rows: LazyRows): void {
  const { size } = rows;
  while (size[rows.lowest] === 0) rows.lowest++;
  let next = rows.lowest + 1;
  while (size[next] === 0) next++;
  record(rows, rows.lowest, next, Infinity);
}

function record(rows: LazyRows, x: number, y: number, height: number): void {
  rows.merges.set([x, y, height], 3 * rows.made);
  rows.made++;
  rows.size[y]! += rows.size[x]!;
  rows.size[x] = 0;
}

/** Whether this number of live clusters gets a new layout. */
function beginsLayout(alive: number, width: number): boolean {
  return alive >= LEAST_LAYOUT && 4 * alive < 3 * width;
}

/** Starts a new layout if a quarter of the columns is dead, and removes the log entries of dead clusters. */
export function tidy(rows: LazyRows): void {
  const { n, size, slots, columnSize } = rows;
  if (!beginsLayout(n - rows.made, rows.width)) return;
  const column = new Int32Array(n);
  let width = 0;
  for (let j = 0; j < rows.width; j++) {
    const slot = slots[j]!;
    if (size[slot] === 0) continue;
    column[slot] = width;
    slots[width] = slot;
    columnSize[width] = size[slot]!;
    width++;
  }
  rows.columns.push(column);
  rows.current++;
  rows.width = width;
  forgetDead(rows);
}

function forgetDead(rows: LazyRows): void {
  const { kept, gone, birth, applied, slots, width } = rows;
  const moved = new Int32Array(rows.logged + 1);
  let logged = 0;
  for (let t = 0; t < rows.logged; t++) {
    moved[t] = logged;
    const born = kept[t]!;
    if (birth[born] !== t) continue;
    birth[born] = logged;
    kept[logged] = born;
    gone[logged] = -1;
    logged++;
  }
  moved[rows.logged] = logged;
  for (let j = 0; j < width; j++) applied[slots[j]!] = moved[applied[slots[j]!]!]!;
  rows.logged = logged;
}

/** Row y becomes the distances to the union of x and y. Infinity on either side gives Infinity, never NaN. */
function combine(
  linkage: RowLinkage,
  d: Matrix,
  x: number,
  y: number,
  width: number,
  height: number,
  nx: number,
  ny: number,
  columnSize: Float64Array,
): void {
  const both = nx + ny;
  switch (linkage) {
    case "complete":
      for (let j = 0; j < width; j++) d[y + j] = Math.max(d[x + j]!, d[y + j]!);
      return;
    case "average":
      for (let j = 0; j < width; j++) d[y + j] = (nx * d[x + j]! + ny * d[y + j]!) / both;
      return;
    case "weighted":
      for (let j = 0; j < width; j++) d[y + j] = 0.5 * (d[x + j]! + d[y + j]!);
      return;
    case "ward":
      for (let j = 0; j < width; j++) {
        const nj = columnSize[j]!;
        const t = 1 / (both + nj);
        const dx = d[x + j]!;
        const dy = d[y + j]!;
        d[y + j] = root((nj + nx) * t * dx * dx + (nj + ny) * t * dy * dy - nj * t * height * height);
      }
      return;
    case "centroid": {
      const between = (nx * ny * height * height) / both;
      for (let j = 0; j < width; j++) {
        const dx = d[x + j]!;
        const dy = d[y + j]!;
        d[y + j] = root((nx * dx * dx + ny * dy * dy - between) / both);
      }
      return;
    }
    case "median": {
      const between = 0.25 * height * height;
      for (let j = 0; j < width; j++) {
        const dx = d[x + j]!;
        const dy = d[y + j]!;
        d[y + j] = root(0.5 * (dx * dx + dy * dy) - between);
      }
    }
  }
}

/**
 * The distance from its square. The square is never below 0: the closest pair merged, so `height` is at most either distance.
 * Infinity - Infinity becomes Infinity.
 */
function root(square: number): number {
  return Number.isNaN(square) ? Infinity : Math.sqrt(square);
}
