/**
 * Complete linkage by a nearest-neighbour chain over estimates of squared distances. The error of each estimate is at most half of
 * `reach`. The error of a maximum of estimates is not larger, so estimates between clusters are equally good. If, by the estimates, only
 * one cluster can be the nearest neighbour, it is taken. If several clusters can be, their exact distances decide, by the rules of
 * linkage/linkages.ts. The exact distance between two clusters is computed only from pairs of items with estimates near the estimate of
 * the clusters.
 *
 * An item is one row, or several rows that belong together; then its distances are the distances of the nearest rows. Pairs of items that
 * must be apart have estimates of at least `barFrom`, and `bar` is added to their distances.
 *
 * Exact work is counted. If it exceeds the allowed work, the linkage gives up.
 */
import { equalRows, NEARLY_EQUAL } from "./distances";
import { Chain, startChain } from "./linkage/linkages";
import { columnOf, mergeRows, nearestColumn, refresh, rowOf, setWord, tidy, word } from "./linkage/rows";
import { COMPLETE } from "./linkage/update";
import { valueAt } from "./matrix";

/** The state of one linkage. src/linkage.ts writes the same fields in the same order. */
@unmanaged
class Screened {
  m: i32;
  d: i32;
  /**
   * `x`: the original rows. `single`: 1 if they are in single precision. `mean`: the mean of the rows. `norms`: squared norms of the rows
   * after subtracting the mean.
   */
  x: usize;
  single: i32;
  mean: usize;
  norms: usize;
  /** 0 for squared distances, 1 for their roots, 2 for cosine distances. For 2, rows are scaled doubles, and norms are their lengths. */
  kind: i32;
  /** Array of i32: the next row of the same item, -1 at the end. The first row of item i is row i. */
  nextRow: usize;
  /** m × m estimates, which never change. */
  estimates: usize;
  chain: usize;
  /**
   * Arrays of i32. `next`: for each item, the next item of its cluster, -1 after the last. `last`: for each slot, the last item of its
   * cluster.
   */
  next: usize;
  last: usize;
  /**
   * Arrays of i32. `parts`: for each merge, the first items and the sizes of its two sides. `parent`: for each merge, the merge that
   * contains it. `leaf`: for each item, its first merge.
   */
  parts: usize;
  parent: usize;
  leaf: usize;
  /**
   * Arrays of i32. `order`: the items in an order in which every cluster is a contiguous range. `place`: the position of each item in
   * `order`.
   */
  order: usize;
  place: usize;
  /** Array of f64: the largest exact square of each merge, negative if none is known. */
  found: usize;
  /** Twice the maximum error of an estimate. */
  reach: f64;
  /** The limits for recomputing squares, as for the distance matrix: see matrix.ts. */
  share: f64;
  least: f64;
  bar: f64;
  barFrom: f64;
  /** Exact work so far, and the allowed work: in total, and for one row of the chain. */
  work: f64;
  allowed: f64;
  allowedAtOnce: f64;
}

const ROOT = 1;
const COSINE = 2;

/** LOOK: work of reading an estimate. PRODUCT: work of a product of two features. */
const LOOK: f64 = 8;
const PRODUCT: f64 = 6;

export function screenedOpen(address: usize): void {
  const task = changetype<Screened>(address);
  for (let i = 0; i < task.m; i++) {
    setWord(task.next, i, -1);
    setWord(task.last, i, i);
  }
}

/**
 * Makes up to `most` merges, reading at most 4 · most + 4 rows. Returns the number of merges made so far; -1 when the linkage has given
 * up.
 */
export function screenedChain(address: usize, most: i32): i32 {
  const task = changetype<Screened>(address);
  const chain = changetype<Chain>(task.chain);
  const rows = chain.rows;
  const goal = min(rows.n - 1, rows.made + most);
  for (let reads = 4 * most + 4; reads > 0 && rows.made < goal && startChain(chain); reads--) {
    if (!extend(task, chain)) return -1;
  }
  return rows.made;
}

/** Reads one row: the chain grows by the nearest neighbour of its last link, or its last two links merge. Returns false to give up. */
function extend(task: Screened, chain: Chain): bool {
  const rows = chain.rows;
  const last = word(chain.links, chain.length - 1);
  const before = chain.length > 1 ? word(chain.links, chain.length - 2) : -1;
  refresh<f32>(rows, last);
  const row = rowOf(rows, last);
  const column = nearestColumn<f32>(rows, last, 0);
  const limit = <f32>(<f64>estimateAt(row, column) + task.reach);
  let nearest = word(rows.slots, column);
  if (countUpTo(row, rows.width, limit) > 1) nearest = nearestOf(task, chain, last, before, limit);
  if (nearest < 0) return false;
  if (nearest == before) {
    // The row of this slot can have been read before later merges, so it can be outdated.
    refresh<f32>(rows, before);
    join(task, rows.made, min(last, before), max(last, before), word(rows.size, last), word(rows.size, before), last < before);
    const height = <f64>estimateAt(row, columnOf(rows, before));
    mergeRows<f32>(rows, COMPLETE, min(last, before), max(last, before), height);
    tidy(rows);
    chain.length -= 2;
  } else setWord(chain.links, chain.length++, nearest);
  return true;
}

function estimateAt(row: usize, column: i32): f32 {
  return load<f32>(row + ((<usize>column) << 2));
}

/** The number of a row's estimates that are at most `limit`. */
function countUpTo(row: usize, width: i32, limit: f32): i32 {
  const limits = f32x4.splat(limit);
  let counts = i32x4.splat(0);
  let j = 0;
  for (; j + 4 <= width; j += 4) counts = i32x4.sub(counts, f32x4.le(v128.load(row + ((<usize>j) << 2)), limits));
  let count = i32x4.extract_lane(counts, 0) + i32x4.extract_lane(counts, 1);
  count += i32x4.extract_lane(counts, 2) + i32x4.extract_lane(counts, 3);
  for (; j < width; j++) count += <i32>(estimateAt(row, j) <= limit);
  return count;
}

/**
 * The nearest slot by exact distances, among slots with estimates of at most `limit`. On ties `before`, then the lowest slot. -1 if the
 * linkage must give up.
 */
function nearestOf(task: Screened, chain: Chain, last: i32, before: i32, limit: f32): i32 {
  const rows = chain.rows;
  const row = rowOf(rows, last);
  const most = min(task.allowed, task.work + task.allowedAtOnce);
  let nearest = -1;
  let least: f64 = Infinity;
  for (let j = 0; j < rows.width; j++) {
    const estimate = estimateAt(row, j);
    if (!(estimate <= limit)) continue;
    const slot = word(rows.slots, j);
    const distance = between(task, last, slot, <f64>estimate - task.reach, most);
    if (task.work > most) return -1;
    if (distance < least || (distance == least && slot == before)) {
      least = distance;
      nearest = slot;
    }
  }
  return nearest;
}

/** The exact distance between two clusters: the largest distance of the pairs of items with estimates of at least `from`. */
function between(task: Screened, a: i32, b: i32, from: f64, most: f64): f64 {
  let largest: f64 = -1;
  for (let i = a; i >= 0; i = word(task.next, i)) {
    const line = task.estimates + ((<usize>i * <usize>task.m) << 2);
    let looks = 0;
    for (let j = b; j >= 0; j = word(task.next, j)) {
      looks++;
      if (<f64>estimateAt(line, j) >= from) largest = max(largest, distanceOf(task, i, j));
    }
    task.work += LOOK * <f64>looks;
    if (task.work > most) break;
  }
  return largest;
}

function distanceOf(task: Screened, i: i32, j: i32): f64 {
  let square: f64 = Infinity;
  for (let p = i; p >= 0; p = word(task.nextRow, p)) {
    for (let q = j; q >= 0; q = word(task.nextRow, q)) {
      square = min(square, task.kind == COSINE ? cosineOf(task, p, q) : squareOf(task, p, q));
      task.work += PRODUCT * <f64>task.d;
    }
  }
  const distance = task.kind == ROOT ? sqrt(square) : square;
  return <f64>load<f32>(task.estimates + ((<usize>i * <usize>task.m + <usize>j) << 2)) >= task.barFrom
    ? distance + task.bar
    : distance;
}

/** One minus the cosine of two rows, with the same bits as in distances.ts. */
function cosineOf(task: Screened, i: i32, j: i32): f64 {
  const row = (<usize>task.d) << 3;
  const p = task.x + <usize>i * row;
  const q = task.x + <usize>j * row;
  let product: f64 = 0;
  for (let f: usize = 0; f < row; f += 8) product += load<f64>(p + f) * load<f64>(q + f);
  const distance = 1 - product / (load<f64>(task.norms + ((<usize>i) << 3)) * load<f64>(task.norms + ((<usize>j) << 3)));
  if (distance < NEARLY_EQUAL && (distance <= 0 || equalRows(p, q, row))) return 0;
  return min(distance, 2);
}

/** The squared distance of two rows, with the same bits as in the distance matrix. */
function squareOf(task: Screened, i: i32, j: i32): f64 {
  const d = <usize>task.d;
  const x = task.x;
  const single = task.single;
  const mean = task.mean;
  const p = <usize>i * d;
  const q = <usize>j * d;
  let product: f64 = 0;
  for (let f: usize = 0; f < d; f++) {
    const middle = load<f64>(mean + (f << 3));
    product += (valueAt(x, single, p + f) - middle) * (valueAt(x, single, q + f) - middle);
  }
  const sum = load<f64>(task.norms + ((<usize>i) << 3)) + load<f64>(task.norms + ((<usize>j) << 3));
  const square = sum - (product + product);
  if (square >= task.share * sum + task.least) return square;
  let differences: f64 = 0;
  for (let f: usize = 0; f < d; f++) {
    const t = valueAt(x, single, p + f) - valueAt(x, single, q + f);
    differences += t * t;
  }
  return differences;
}

function join(task: Screened, merge: i32, x: i32, y: i32, one: i32, other: i32, lastIsLower: bool): void {
  const part = task.parts + ((<usize>merge) << 4);
  store<i32>(part, x);
  store<i32>(part, y, 4);
  store<i32>(part, lastIsLower ? one : other, 8);
  store<i32>(part, lastIsLower ? other : one, 12);
  setWord(task.next, word(task.last, y), x);
  setWord(task.last, y, word(task.last, x));
}

/** Builds the tree after all merges: clusters are contiguous ranges of items, and each merge stores its parent merge. */
export function screenedTree(address: usize): void {
  const task = changetype<Screened>(address);
  const m = task.m;
  // Until the tree is built, `last` holds for each slot the merge that made its cluster.
  for (let i = 0; i < m; i++) setWord(task.last, i, -1);
  for (let t = 0; t < m - 1; t++) {
    const part = task.parts + ((<usize>t) << 4);
    for (let side: usize = 0; side < 8; side += 4) {
      const slot = load<i32>(part + side);
      const born = word(task.last, slot);
      if (born < 0) setWord(task.leaf, slot, t);
      else setWord(task.parent, born, t);
    }
    setWord(task.last, load<i32>(part, 4), t);
    setWord(task.parent, t, -1);
    store<f64>(task.found + ((<usize>t) << 3), -1);
  }
  let at = 0;
  for (let i = load<i32>(task.parts + ((<usize>(m - 2)) << 4), 4); i >= 0; i = word(task.next, i)) {
    setWord(task.order, at, i);
    setWord(task.place, i, at++);
  }
}

/**
 * Computes the exact heights of merges, one row of estimates after the other. For items from … to-1: in every merge in which the item is
 * on the smaller side, all items of the other side are read. Returns 0 to give up. `merges` contains the heights by estimates; after the
 * last item they are replaced by the exact heights.
 */
export function screenedHeights(address: usize, merges: usize, from: i32, to: i32): i32 {
  const task = changetype<Screened>(address);
  for (let i = from; i < to; i++) {
    const line = task.estimates + ((<usize>i * <usize>task.m) << 2);
    // Reads the row in order first, so that it is in the cache when it is read in the order of the tree.
    for (let p = line, stop = line + ((<usize>task.m) << 2); p < stop; p += 64) load<i32>(p);
    for (let t = word(task.leaf, i); t >= 0; t = word(task.parent, t))
      lookAcross(task, i, t, load<f64>(merges + <usize>t * 24, 16));
    if (task.work > task.allowed) return 0;
  }
  if (to == task.m) {
    for (let t: usize = 0; t < <usize>(task.m - 1); t++) store<f64>(merges + t * 24, load<f64>(task.found + (t << 3)), 16);
  }
  return 1;
}

/** Processes item i in merge t: reads the items of the other side, if the item's own side is the smaller one. */
function lookAcross(task: Screened, i: i32, t: i32, height: f64): void {
  const part = task.parts + ((<usize>t) << 4);
  const start = word(task.place, load<i32>(part));
  const size = load<i32>(part, 8);
  const at = word(task.place, i);
  const isFirst = at >= start && at < start + size;
  const otherSize = load<i32>(part + (isFirst ? 12 : 8));
  const ownSize = load<i32>(part + (isFirst ? 8 : 12));
  if (ownSize > otherSize || (ownSize == otherSize && !isFirst)) return;
  const other = word(task.place, load<i32>(part + (isFirst ? 4 : 0)));
  const line = task.estimates + ((<usize>i * <usize>task.m) << 2);
  const limit = <f32>(height - task.reach);
  const place = task.found + ((<usize>t) << 3);
  const stop = task.order + ((<usize>(other + otherSize)) << 2);
  for (let p = task.order + ((<usize>other) << 2); p < stop; p += 4) {
    const j = load<i32>(p);
    if (estimateAt(line, j) >= limit) store<f64>(place, max(load<f64>(place), distanceOf(task, i, j)));
  }
}
