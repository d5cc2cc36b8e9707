/** Distances between rows in tiles of 4 × 4, summed over the features in order: the same bits as the plain kernel. */
import { groupsPerPanel, Lanes, PRODUCTS, SQUARES } from "./tiles";

/** A computed cosine distance below this can belong to equal rows, whose distance must be 0. So the rows are compared. */
export const NEARLY_EQUAL: f64 = 9.094947017729282e-13; // 2^-40

const HUGE: f64 = 3.273390607896142e150; // 2^500
const TINY: f64 = 3.054936363499605e-151; // 2^-500
const DOWN: f64 = 2.409919865102884e-181; // 2^-600
const UP: f64 = 4.149515568880993e180; // 2^600

/** The input of one call for distances. src/pairs.ts writes the same fields in the same order. */
@unmanaged
class Task {
  /** How terms are summed: SQUARES, PRODUCTS, or 2 for Gower's terms, which also give the Hamming distance. */
  sum: i32;
  /** 1 to finish each sum: by a square root for SQUARES, by the mean for Gower's terms. */
  finish: i32;
  n: i32;
  d: i32;
  /** The rows that the whole call fills; each thread gets some of these rows. */
  first: i32;
  end: i32;
  x: usize;
  /** The rows in groups of four: see tiles.ts. */
  packed: usize;
  /** For PRODUCTS the norms of all rows; for Gower's terms the ranges of the columns. */
  facts: usize;
  out: usize;
  /** 1 if the columns before the first row are already filled, as mirror images of rows of earlier calls. */
  upper: i32;
}

export function distances64(address: usize, from: i32, to: i32): void {
  fill<f64>(changetype<Task>(address), from, to);
}

export function distances32(address: usize, from: i32, to: i32): void {
  fill<f32>(changetype<Task>(address), from, to);
}

/**
 * Fills rows from … to-1. If this call fills an entry and its mirror image, the entry of the earlier row is computed, and the other entry
 * is a copy.
 */
function fill<T>(task: Task, from: i32, to: i32): void {
  if (!task.upper) fillColumns<T>(task, from, to, 0, min((task.first + 3) & ~3, task.n));
  fillColumns<T>(task, from, to, from & ~3, task.n);
  for (let i = from; i < to; i++) store<T>(cell<T>(task.out, task.n, i, i), <T>0);
}

/** Fills columns `start` (a multiple of four) … stop-1. If a tile would extend beyond the last row, it repeats the last row. */
function fillColumns<T>(task: Task, from: i32, to: i32, start: i32, stop: i32): void {
  const x = task.x;
  const facts = task.facts;
  const out = task.out;
  const n = task.n;
  const d = task.d;
  const last = to - 1;
  const step = groupsPerPanel(d) << 2;
  for (let j = start; j < stop; j += step) {
    const end = min(j + step, stop);
    const panel = task.packed + ((<usize>j * <usize>d) << 3);
    for (let i = from; i < to; i += 4) {
      const i1 = min(i + 1, last);
      const i2 = min(i + 2, last);
      const i3 = min(i + 3, last);
      if (task.sum == SQUARES) Tiles.fill<T>(SQUARES, task.finish, x, panel, facts, out, n, d, i, i1, i2, i3, j, end);
      else if (task.sum == PRODUCTS) Tiles.fill<T>(PRODUCTS, 0, x, panel, facts, out, n, d, i, i1, i2, i3, j, end);
      else gowerTermsOf<T>(task.finish, x, panel, facts, out, n, d, i, i1, i2, i3, j, end);
    }
    mirror<T>(out, n, from, to, max(j, to), min(end, task.end));
  }
}

/** Copies rows from … to-1 of columns j … end-1 into rows j … end-1, a cache line of columns at a time. */
function mirror<T>(out: usize, n: i32, from: i32, to: i32, j: i32, end: i32): void {
  const line = <usize>n * sizeof<T>();
  const step = 64 / <i32>sizeof<T>();
  for (; j < end; j += step) {
    const stop = min(j + step, end);
    let i = from;
    if (sizeof<T>() == 8) {
      for (; i + 1 < to; i += 2) {
        let source = cell<T>(out, n, i, j);
        let target = cell<T>(out, n, j, i);
        for (let c = j; c + 1 < stop; c += 2) {
          const low = v128.load(source);
          const high = v128.load(source + line);
          v128.store(target, v128.shuffle<f64>(low, high, 0, 2));
          v128.store(target + line, v128.shuffle<f64>(low, high, 1, 3));
          source += 16;
          target += 2 * line;
        }
        if ((stop - j) & 1) {
          store<T>(target, load<T>(source));
          store<T>(target + sizeof<T>(), load<T>(source + line));
        }
      }
    }
    for (; i < to; i++) {
      let source = cell<T>(out, n, i, j);
      let target = cell<T>(out, n, j, i);
      for (let c = j; c < stop; c++) {
        store<T>(target, load<T>(source));
        source += sizeof<T>();
        target += line;
      }
    }
  }
}

function cell<T>(out: usize, n: i32, i: i32, j: i32): usize {
  return out + (<usize>i * <usize>n + <usize>j) * sizeof<T>();
}

class Tiles {
  /**
   * Computes rows i0 … i3 against columns j … end-1, four columns at a time. `sum` is a constant, so each kind of sum gets a separate
   * loop.
   */
  @inline
  static fill<T>(
    sum: i32,
    root: i32,
    x: usize,
    panel: usize,
    norms: usize,
    out: usize,
    n: i32,
    d: i32,
    i0: i32,
    i1: i32,
    i2: i32,
    i3: i32,
    j: i32,
    end: i32,
  ): void {
    const row = (<usize>d) << 3;
    const x0 = x + <usize>i0 * row;
    const x1 = x + <usize>i1 * row - x0;
    const x2 = x + <usize>i2 * row - x0;
    const x3 = x + <usize>i3 * row - x0;
    let o0 = cell<T>(out, n, i0, j);
    const o1 = cell<T>(out, n, i1, j) - o0;
    const o2 = cell<T>(out, n, i2, j) - o0;
    const o3 = cell<T>(out, n, i3, j) - o0;
    const stop = x0 + row;
    for (; j < end; j += 4) {
      // biome-ignore format: the sums of a tile on one line
      let a = f64x2.splat(0), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
      for (let q = x0; q < stop; q += 8) {
        const low = v128.load(panel);
        const high = v128.load(panel, 16);
        let s = v128.load64_splat(q);
        a = Tiles.add(sum, a, low, s);
        b = Tiles.add(sum, b, high, s);
        s = v128.load64_splat(q + x1);
        c = Tiles.add(sum, c, low, s);
        e = Tiles.add(sum, e, high, s);
        s = v128.load64_splat(q + x2);
        f = Tiles.add(sum, f, low, s);
        g = Tiles.add(sum, g, high, s);
        s = v128.load64_splat(q + x3);
        h = Tiles.add(sum, h, low, s);
        k = Tiles.add(sum, k, high, s);
        panel += 32;
      }
      if (sum == PRODUCTS) {
        storeCosines<T>(a, b, x, norms, out, n, d, i0, j, end);
        storeCosines<T>(c, e, x, norms, out, n, d, i1, j, end);
        storeCosines<T>(f, g, x, norms, out, n, d, i2, j, end);
        storeCosines<T>(h, k, x, norms, out, n, d, i3, j, end);
      } else {
        if (root) {
          a = f64x2.sqrt(a);
          b = f64x2.sqrt(b);
          c = f64x2.sqrt(c);
          e = f64x2.sqrt(e);
          f = f64x2.sqrt(f);
          g = f64x2.sqrt(g);
          h = f64x2.sqrt(h);
          k = f64x2.sqrt(k);
        }
        const count = end - j;
        Lanes.store<T>(o0, a, b, count);
        Lanes.store<T>(o0 + o1, c, e, count);
        Lanes.store<T>(o0 + o2, f, g, count);
        Lanes.store<T>(o0 + o3, h, k, count);
        o0 += 4 * sizeof<T>();
      }
    }
  }

  @inline
  static add(sum: i32, before: v128, x: v128, y: v128): v128 {
    return sum == SQUARES ? Lanes.addSquare(before, x, y) : f64x2.add(before, f64x2.mul(x, y));
  }
}

function gowerTermsOf<T>(
  mean: i32,
  x: usize,
  panel: usize,
  ranges: usize,
  out: usize,
  n: i32,
  d: i32,
  i0: i32,
  i1: i32,
  i2: i32,
  i3: i32,
  j: i32,
  end: i32,
): void {
  const row = (<usize>d) << 3;
  const x0 = x + <usize>i0 * row;
  const x1 = x + <usize>i1 * row - x0;
  const x2 = x + <usize>i2 * row - x0;
  const x3 = x + <usize>i3 * row - x0;
  const toRange = ranges - x0;
  const stop = x0 + row;
  const one = f64x2.splat(1);
  const share = f64x2.splat(mean ? <f64>d : 1);
  for (; j < end; j += 4) {
    // biome-ignore format: the sums of a tile on one line
    let a = f64x2.splat(0), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
    for (let q = x0; q < stop; q += 8) {
      const low = v128.load(panel);
      const high = v128.load(panel, 16);
      const s = v128.load64_splat(q);
      const t = v128.load64_splat(q + x1);
      const u = v128.load64_splat(q + x2);
      const v = v128.load64_splat(q + x3);
      if (load<f64>(q + toRange) < 0) {
        a = f64x2.add(a, v128.and(f64x2.ne(low, s), one));
        b = f64x2.add(b, v128.and(f64x2.ne(high, s), one));
        c = f64x2.add(c, v128.and(f64x2.ne(low, t), one));
        e = f64x2.add(e, v128.and(f64x2.ne(high, t), one));
        f = f64x2.add(f, v128.and(f64x2.ne(low, u), one));
        g = f64x2.add(g, v128.and(f64x2.ne(high, u), one));
        h = f64x2.add(h, v128.and(f64x2.ne(low, v), one));
        k = f64x2.add(k, v128.and(f64x2.ne(high, v), one));
      } else if (load<f64>(q + toRange) > 0) {
        const w = v128.load64_splat(q + toRange);
        a = f64x2.add(a, f64x2.div(f64x2.abs(f64x2.sub(low, s)), w));
        b = f64x2.add(b, f64x2.div(f64x2.abs(f64x2.sub(high, s)), w));
        c = f64x2.add(c, f64x2.div(f64x2.abs(f64x2.sub(low, t)), w));
        e = f64x2.add(e, f64x2.div(f64x2.abs(f64x2.sub(high, t)), w));
        f = f64x2.add(f, f64x2.div(f64x2.abs(f64x2.sub(low, u)), w));
        g = f64x2.add(g, f64x2.div(f64x2.abs(f64x2.sub(high, u)), w));
        h = f64x2.add(h, f64x2.div(f64x2.abs(f64x2.sub(low, v)), w));
        k = f64x2.add(k, f64x2.div(f64x2.abs(f64x2.sub(high, v)), w));
      }
      panel += 32;
    }
    const count = end - j;
    Lanes.store<T>(cell<T>(out, n, i0, j), f64x2.div(a, share), f64x2.div(b, share), count);
    Lanes.store<T>(cell<T>(out, n, i1, j), f64x2.div(c, share), f64x2.div(e, share), count);
    Lanes.store<T>(cell<T>(out, n, i2, j), f64x2.div(f, share), f64x2.div(g, share), count);
    Lanes.store<T>(cell<T>(out, n, i3, j), f64x2.div(h, share), f64x2.div(k, share), count);
  }
}

/**
 * Turns four products of row i with rows j … j+3 into distances. Norms are read four at a time, so the list of norms ends with three
 * unused places.
 */
function storeCosines<T>(
  low: v128,
  high: v128,
  x: usize,
  norms: usize,
  out: usize,
  n: i32,
  d: i32,
  i: i32,
  j: i32,
  end: i32,
): void {
  const norm = v128.load64_splat(norms + ((<usize>i) << 3));
  const others = norms + ((<usize>j) << 3);
  const one = f64x2.splat(1);
  const two = f64x2.splat(2);
  low = f64x2.sub(one, f64x2.div(low, f64x2.mul(norm, v128.load(others))));
  high = f64x2.sub(one, f64x2.div(high, f64x2.mul(norm, v128.load(others, 16))));
  const least = f64x2.splat(NEARLY_EQUAL);
  const to = cell<T>(out, n, i, j);
  Lanes.store<T>(to, f64x2.pmin(low, two), f64x2.pmin(high, two), end - j);
  if (i64x2.all_true(v128.and(f64x2.ge(low, least), f64x2.ge(high, least)))) return;
  const row = (<usize>d) << 3;
  const p = x + <usize>i * row;
  const q = x + <usize>j * row;
  const own = f64x2.extract_lane(norm, 0);
  replaceSmallCosine<T>(to, f64x2.extract_lane(low, 0), own, others, p, q, row);
  if (end - j > 1) replaceSmallCosine<T>(to + sizeof<T>(), f64x2.extract_lane(low, 1), own, others + 8, p, q + row, row);
  if (end - j > 2)
    replaceSmallCosine<T>(to + 2 * sizeof<T>(), f64x2.extract_lane(high, 0), own, others + 16, p, q + 2 * row, row);
  if (end - j > 3)
    replaceSmallCosine<T>(to + 3 * sizeof<T>(), f64x2.extract_lane(high, 1), own, others + 24, p, q + 3 * row, row);
}

/** Corrects special cases: zero rows, equal rows, and distances that rounding made negative. */
function replaceSmallCosine<T>(to: usize, distance: f64, norm: f64, otherNorm: usize, p: usize, q: usize, row: usize): void {
  if (distance >= NEARLY_EQUAL) return;
  const other = load<f64>(otherNorm);
  if (norm == 0 || other == 0) store<T>(to, norm == other ? <T>0 : <T>1);
  else if (distance <= 0 || equalRows(p, q, row)) store<T>(to, <T>0);
}

export function equalRows(p: usize, q: usize, row: usize): bool {
  for (let f: usize = 0; f < row; f += 8) if (load<f64>(p + f) != load<f64>(q + f)) return false;
  return true;
}

/** Multiplies rows by a power of two if their squares would overflow or underflow, and computes their norms. */
export function scaleRows(x: usize, n: i32, d: i32, scaled: usize, norms: usize): void {
  const row = (<usize>d) << 3;
  for (let i = 0; i < n; i++) {
    let largest: f64 = 0;
    for (let f: usize = 0; f < row; f += 8) largest = max(largest, abs(load<f64>(x + f)));
    const factor: f64 = largest > HUGE ? DOWN : largest < TINY ? UP : 1;
    let sum: f64 = 0;
    for (let f: usize = 0; f < row; f += 8) {
      const value = load<f64>(x + f) * factor;
      store<f64>(scaled + f, value);
      sum += value * value;
    }
    store<f64>(norms + ((<usize>i) << 3), sqrt(sum));
    x += row;
    scaled += row;
  }
}
