/**
 * Shortest paths through chunklets. A chunklet is a must-link component of two or more rows. A path leads from component i to a first
 * chunklet, then through any number of chunklets, and from the last chunklet to component j. Moving inside a chunklet has length 0.
 *
 * Testing all K chunklets for all m² pairs costs O(m² K). Three observations leave few chunklets to test:
 *
 * - A path over a chunklet has at least this length: the path from i to the chunklet, plus the shortest path from the chunklet to another
 *   component. If this sum is at least the largest distance of i, the chunklet shortens nothing for i. In tables of many columns all
 *   distances are similar, so usually no path is shortened.
 * - A chunklet can be the first chunklet of a path from i only if the direct edge to it is the shortest path to it. Otherwise the path
 *   would start with another chunklet.
 * - The start of a path is shortest over the nearest chunklet. Another chunklet is useful only if its way to j is shorter by more than the
 *   longer start. This difference is similar for all j in the same region. So rows near the same chunklets are placed side by side, and the
 *   kernel skips most chunklets for whole ranges of rows.
 *
 * Paths are symmetric, so it is enough to search from one end of each pair.
 */
import { type Arena, type F32, type F64, type Kernels, pairKernelsOf } from "../../../kernels/index.js";
import { upTo } from "../../../linalg/indices.js";
import type { Step } from "../../../steps/index.js";

type Matrix = Float64Array | Float32Array;

/** Sums (candidate path lengths) computed in one step; after each step the generator yields. */
const WORK_PER_STEP = 40_000_000;
/**
 * Up to this number of chunklets, all chunklets are tested for all pairs. With more chunklets, choosing the chunklets to test is faster.
 */
const FEW = 128;

/**
 * Shortens the distances of the m × m matrix by paths through chunklets.
 *
 * near: least distance between the members of each chunklet and the members of each component, chunklets × m. The entry of each chunklet in
 * its own row of `near` is set to 0.
 */
export function* propagateSteps(
  matrix: F64 | F32,
  near: F64 | F32,
  chunklets: Int32Array,
  m: number,
  kernels: Kernels,
  arena: Arena,
): Generator<Step, void, void> {
  const count = chunklets.length;
  const block = (length: number): F64 | F32 => (matrix.type === "f64" ? arena.f64(length) : arena.f32(length));
  for (let a = 0; a < count; a++) near.view()[a * m + chunklets[a]!] = 0;
  const between = block(count * count);
  const [lengths, values] = [between.view(), near.view()];
  for (let a = 0; a < count; a++) for (let b = 0; b < count; b++) lengths[a * count + b] = values[a * m + chunklets[b]!]!;
  yield* closeSteps(between, count, kernels, block);
  const reach = block(count * m);
  reach.view().set(near.view() as never);
  const some = Math.max(32, Math.floor(WORK_PER_STEP / (m * count)));
  const shortened = possiblyShortened(between.view(), near.view(), chunklets, m);
  for (const { from, to } of stretches(shortened, some)) {
    yield { phase: "joining must-link components", done: from, total: count };
    pairKernelsOf(kernels).minPlus(reach, between, near, m, count, from, to);
  }
  if (count <= FEW) return yield* throughAll(matrix, near, reach, count, m, kernels, block);
  yield { phase: "joining must-link components", done: count, total: count };
  const onward = leastOnward(reach.view(), chunklets, m);
  const farthest = yield* largestOfRows(matrix, m);
  if (!shortened.includes(1) && noneShortens(near.view(), onward, farthest, chunklets, m)) return;
  const order = placesOf(near.view(), between.view(), count, m);
  yield* throughDirect(matrix, { near, reach, shortened, chunklets, onward, farthest }, order, m, kernels, arena);
}

/**
 * A quick test: true if no path over a chunklet can be shorter than a direct distance. It compares, for every chunklet, the shortest way to
 * it plus the shortest way onward with the largest distance in the matrix.
 */
function noneShortens(near: Matrix, onward: Float64Array, farthest: Float64Array, chunklets: Int32Array, m: number): boolean {
  const most = farthest.reduce((largest, length) => Math.max(largest, length), 0);
  return leastOnward(near, chunklets, m).every((least, c) => least + onward[c]! >= most);
}

interface Paths {
  readonly near: F64 | F32;
  readonly reach: F64 | F32;
  /** By chunklet: 1 if some shortest path from the chunklet (`reach`) can differ from the direct distance (`near`). */
  readonly shortened: Uint8Array;
  readonly chunklets: Int32Array;
  /**
   * `onward`: per chunklet, the length of the shortest path to another component. `farthest`: per row, the largest distance to any
   * component.
   */
  readonly onward: Float64Array;
  readonly farthest: Float64Array;
}

function possiblyShortened(between: Matrix, near: Matrix, chunklets: Int32Array, m: number): Uint8Array {
  const count = chunklets.length;
  const least = leastOnward(near, chunklets, m);
  return Uint8Array.from({ length: count }, (_, a) => {
    let farthest = 0;
    for (let j = 0, p = a * m; j < m; j++, p++) if (near[p]! > farthest) farthest = near[p]!;
    for (let b = 0, p = a * count; b < count; b++, p++) if (b !== a && between[p]! + least[b]! < farthest) return 1;
    return 0;
  });
}

function leastOnward(length: Matrix, chunklets: Int32Array, m: number): Float64Array {
  return Float64Array.from(chunklets, (own, c) => {
    let least = Infinity;
    for (let j = 0, p = c * m; j < m; j++, p++) if (j !== own && length[p]! < least) least = length[p]!;
    return least;
  });
}

/** Ranges of consecutive indices with flag 1, each of at most `most` indices. */
function* stretches(flags: Uint8Array, most: number): Generator<{ readonly from: number; readonly to: number }> {
  for (let from = 0; from < flags.length; ) {
    let to = from;
    while (to < flags.length && to < from + most && flags[to] === 1) to++;
    if (to > from) yield { from, to };
    from = Math.max(to, from + 1);
  }
}

/** Shortens all distances by testing every chunklet for every pair of rows. */
function* throughAll(
  matrix: F64 | F32,
  near: F64 | F32,
  reach: F64 | F32,
  count: number,
  m: number,
  kernels: Kernels,
  block: (length: number) => F64 | F32,
): Generator<Step, void, void> {
  const left = block(m * count);
  transpose(near.view(), count, m, left.view());
  const rows = Math.max(8, Math.floor(WORK_PER_STEP / (m * count)));
  for (let from = 0; from < m; from += rows) {
    yield { phase: "propagating must-links", done: from, total: m };
    pairKernelsOf(kernels).minPlusBoth(matrix, left, reach, m, count, from, Math.min(m, from + rows));
  }
}

/** Estimate for the number of rows per step: after `directPaths`, about one in DIRECT of all sums must be computed. */
const DIRECT = 32;

function* throughDirect(
  matrix: F64 | F32,
  paths: Paths,
  order: Int32Array,
  m: number,
  kernels: Kernels,
  arena: Arena,
): Generator<Step, void, void> {
  const { reach, chunklets } = paths;
  const count = chunklets.length;
  yield { phase: "propagating must-links", done: 0, total: m };
  const detours = pairKernelsOf(kernels).detours(reach, count, m, order, arena);
  const rows = 128 * Math.max(1, Math.floor((DIRECT * WORK_PER_STEP) / (m * count) / 128));
  for (let from = 0; from < m; from += rows) {
    yield { phase: "propagating must-links", done: from, total: m };
    const to = Math.min(m, from + rows);
    const { start, middle, length } = directPaths(paths, order.subarray(from, to), m);
    if (middle.length > 0) detours.shorten(matrix, from, to, start, middle, length);
  }
  const mirrored = 32 * Math.ceil(WORK_PER_STEP / 4 / m / 32);
  for (let from = 0; from < m; from += mirrored) {
    yield { phase: "propagating must-links", done: from, total: m };
    detours.mirror(matrix, from, Math.min(m, from + mirrored));
  }
}

/** Chunklets processed together in the blocked Floyd-Warshall algorithm. */
const BLOCK = 64;

/** Shortest distances between chunklets through chunklets: the Floyd-Warshall algorithm in blocks. */
function* closeSteps(
  between: F64 | F32,
  count: number,
  kernels: Kernels,
  block: (length: number) => F64 | F32,
): Generator<Step, void, void> {
  if (isClosed(between.view(), count)) return;
  const width = Math.min(BLOCK, count);
  const own = block(width * width);
  const [across, closed, down] = [block(width * count), block(width * count), block(width * count)];
  for (let first = 0; first < count; first += width) {
    yield { phase: "joining must-link components", done: first, total: count };
    const some = Math.min(width, count - first);
    const length = between.view();
    const inside = own.view();
    for (let a = 0; a < some; a++) for (let b = 0; b < some; b++) inside[a * some + b] = length[(first + a) * count + first + b]!;
    closeBlock(inside, some);
    across.view().set(length.subarray(first * count, (first + some) * count) as never);
    closed.view().set(length.subarray(first * count, (first + some) * count) as never);
    pairKernelsOf(kernels).minPlus(closed, own, across, count, some, 0, some);
    transpose(closed.view(), some, count, down.view());
    pairKernelsOf(kernels).minPlusBoth(between, down, closed, count, some, 0, count);
  }
}

/**
 * A quick test: true if no path between chunklets can be shorter than the direct edge. It compares each edge with the shortest possible
 * path over another chunklet: the shortest edge at one end of the edge plus the shortest edge of the graph.
 */
function isClosed(length: Matrix, n: number): boolean {
  const rows = Array.from({ length: n }, (_, a) => {
    let [least, most] = [Infinity, 0];
    for (let b = 0, p = a * n; b < n; b++, p++) {
      if (b === a) continue;
      if (length[p]! < least) least = length[p]!;
      if (length[p]! > most) most = length[p]!;
    }
    return { least, most };
  });
  const least = rows.reduce((smallest, row) => Math.min(smallest, row.least), Infinity);
  return rows.every((row) => row.least + least >= row.most);
}

function transpose(from: Matrix, rows: number, columns: number, to: Matrix): void {
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j]!;
}

function closeBlock(length: Matrix, n: number): void {
  for (let c = 0; c < n; c++) {
    for (let a = 0; a < n; a++) {
      const first = length[a * n + c]!;
      for (let b = 0; b < n; b++)
        if (first + length[c * n + b]! < length[a * n + b]!) length[a * n + b] = first + length[c * n + b]!;
    }
  }
}

function* largestOfRows(matrix: F64 | F32, m: number): Generator<Step, Float64Array, void> {
  const found = new Float64Array(m);
  const rows = Math.ceil(WORK_PER_STEP / m);
  for (let from = 0; from < m; from += rows) {
    const values = matrix.view();
    for (let i = from; i < Math.min(m, from + rows); i++) {
      let largest = 0;
      for (let j = 0, p = i * m; j < m; j++, p++) if (values[p]! > largest) largest = values[p]!;
      found[i] = largest;
    }
    yield { phase: "propagating must-links", done: 0, total: m };
  }
  return found;
}

/**
 * Lists, for each row, the chunklets that can be the first chunklet of a shorter path from the row. The nearest chunklet comes first.
 *
 * A chunklet is listed under two conditions: the direct edge to it is the shortest path to it, and a path through it can be shorter than
 * the largest distance of the row.
 */
function directPaths(
  paths: Paths,
  rows: Int32Array,
  m: number,
): { readonly start: Int32Array; readonly middle: Int32Array; readonly length: Float64Array } {
  const { shortened, chunklets, onward, farthest } = paths;
  const [near, reach] = [paths.near.view(), paths.reach.view()];
  const count = chunklets.length;
  const found = new Int32Array(rows.length * count);
  const counts = new Int32Array(rows.length);
  for (let c = 0, line = 0; c < count; c++, line += m) {
    for (let r = 0; r < rows.length; r++) {
      const row = rows[r]!;
      if (near[line + row]! > reach[line + row]! || near[line + row]! + onward[c]! >= farthest[row]!) continue;
      // The row is this chunklet itself. It is listed only if its shortest paths (`reach`) can differ from its direct distances (`near`).
      if (row === chunklets[c] && shortened[c] === 0) continue;
      found[r * count + counts[r]!] = c;
      counts[r] = counts[r]! + 1;
    }
  }
  const start = new Int32Array(rows.length + 1);
  for (let r = 0; r < rows.length; r++) start[r + 1] = start[r]! + counts[r]!;
  const middle = new Int32Array(start[rows.length]!);
  const length = new Float64Array(start[rows.length]!);
  for (let r = 0; r < rows.length; r++) {
    const first = start[r]!;
    middle.set(found.subarray(r * count, r * count + counts[r]!), first);
    let nearest = first;
    for (let t = first; t < start[r + 1]!; t++) {
      length[t] = near[middle[t]! * m + rows[r]!]!;
      if (length[t]! < length[nearest]!) nearest = t;
    }
    [middle[first], middle[nearest]] = [middle[nearest]!, middle[first]!];
    [length[first], length[nearest]] = [length[nearest]!, length[first]!];
  }
  return { start, middle, length };
}

/**
 * An order of the rows in which rows near the same chunklet are side by side. Sorted by the rank of the nearest chunklet (see
 * `growingOrder`), then by the distance to this chunklet.
 */
function placesOf(near: Matrix, between: Matrix, count: number, m: number): Int32Array {
  const rank = growingOrder(between, count);
  const nearest = new Int32Array(m);
  const least = Float64Array.from(near.subarray(0, m));
  for (let c = 1; c < count; c++) {
    for (let j = 0, p = c * m; j < m; j++, p++) {
      if (near[p]! >= least[j]!) continue;
      least[j] = near[p]!;
      nearest[j] = c;
    }
  }
  return upTo(m).sort((i, j) => rank[nearest[i]!]! - rank[nearest[j]!]! || least[i]! - least[j]! || i - j);
}

/** The rank of each chunklet in Prim's order. The next chunklet is always the one nearest to the chunklets that already have a rank. */
function growingOrder(between: Matrix, count: number): Int32Array {
  const rank = new Int32Array(count).fill(-1);
  const distance = new Float64Array(count).fill(Infinity);
  for (let place = 0, last = 0; place < count; place++) {
    rank[last] = place;
    let next = -1;
    for (let b = 0; b < count; b++) {
      if (rank[b]! >= 0) continue;
      distance[b] = Math.min(distance[b]!, between[last * count + b]!);
      if (next === -1 || distance[b]! < distance[next]!) next = b;
    }
    last = next;
  }
  return rank;
}
