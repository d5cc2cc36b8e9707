/**
 * Row i of a matrix becomes min(row, length + over[middle]) for the entries of its list, in panels of 64 columns. The columns are taken
 * in an order in which neighbours are alike: then most entries of a list cannot shorten anything in a panel, which the least value of
 * their row there tells beforehand.
 */

const PANEL = 64;
/** Entries that are taken together before the largest value of the panel is looked up again. */
const BATCH = 16;

/** Packs m rows of n numbers panel by panel, in the given order, the last panel filled up with Infinity; and the least of each row there. */
export function packDetours64(over: usize, n: i32, m: i32, order: usize, packed: usize, least: usize): void {
  packDetours<f64>(over, n, m, order, packed, least);
}

export function packDetours32(over: usize, n: i32, m: i32, order: usize, packed: usize, least: usize): void {
  packDetours<f32>(over, n, m, order, packed, least);
}

function packDetours<T>(over: usize, n: i32, m: i32, order: usize, packed: usize, least: usize): void {
  const size = sizeof<T>();
  for (let panel = 0; panel < n; panel += PANEL) {
    for (let c = 0; c < m; c++) {
      const row = over + <usize>c * <usize>n * size;
      let smallest = <T>Infinity;
      for (let j = panel; j < panel + PANEL; j++) {
        let value = <T>Infinity;
        if (j < n) value = load<T>(row + <usize>load<i32>(order + ((<usize>j) << 2)) * size);
        if (value < smallest) smallest = value;
        store<T>(packed, value);
        packed += size;
      }
      store<T>(least, smallest);
      least += size;
    }
  }
}

/** The words of a task, in order: the host writes the same (detours.ts there). */
@unmanaged
class Task {
  matrix: usize;
  n: i32;
  m: i32;
  order: usize;
  packed: usize;
  least: usize;
  start: usize;
  middle: usize;
  length: usize;
  /** Room for each range of `grain` rows: see roomOf. */
  room: usize;
  first: i32;
  grain: i32;
}

export function detours64(task: usize, from: i32, to: i32): void {
  shorten<f64>(changetype<Task>(task), from, to);
}

export function detours32(task: usize, from: i32, to: i32): void {
  shorten<f32>(changetype<Task>(task), from, to);
}

/** A panel stays in a near cache while the rows of a range pass by. */
function shorten<T>(task: Task, from: i32, to: i32): void {
  const size = sizeof<T>();
  const n = task.n;
  const width = (n + PANEL - 1) & ~(PANEL - 1);
  const bytes = <usize>width * size;
  const room = task.room + <usize>((from - task.first) / task.grain) * roomOf(task.grain, bytes);
  const batch = room + <usize>task.grain * bytes;
  const halves = batch + 16 * BATCH;
  for (let i = from; i < to; i++) {
    const largest = gather<T>(task, i, room + <usize>(i - from) * bytes, width);
    store<T>(halves + ((<usize>(i - from)) << 3), largest / 2);
  }
  for (let panel = 0; panel < width; panel += PANEL) {
    for (let i = from; i < to; i++) {
      const row = room + <usize>(i - from) * bytes;
      shortenPanel<T>(task, row, batch, panel, i, load<T>(halves + ((<usize>(i - from)) << 3)));
    }
  }
  for (let i = from; i < to; i++) scatter<T>(task, i, room + <usize>(i - from) * bytes);
}

/** Bytes for the rows of a range, a batch, and half of each row's largest number. */
function roomOf(grain: i32, bytes: usize): usize {
  return <usize>grain * (bytes + 8) + 16 * BATCH;
}

/** Copies a row in the order of the columns, filled up with 0; returns its largest number. */
function gather<T>(task: Task, i: i32, row: usize, width: i32): T {
  const size = sizeof<T>();
  const n = task.n;
  const cells = task.matrix + <usize>i * <usize>n * size;
  let largest = <T>0;
  for (let j = 0; j < n; j++) {
    const value = load<T>(cells + <usize>load<i32>(task.order + ((<usize>j) << 2)) * size);
    if (value > largest) largest = value;
    store<T>(row + <usize>j * size, value);
  }
  for (let j = n; j < width; j++) store<T>(row + <usize>j * size, 0);
  return largest;
}

function scatter<T>(task: Task, i: i32, row: usize): void {
  const size = sizeof<T>();
  const n = task.n;
  const cells = task.matrix + <usize>i * <usize>n * size;
  for (let j = 0; j < n; j++) {
    store<T>(cells + <usize>load<i32>(task.order + ((<usize>j) << 2)) * size, load<T>(row + <usize>j * size));
  }
}

function shortenPanel<T>(task: Task, row: usize, batch: usize, panel: i32, i: i32, half: T): void {
  const size = sizeof<T>();
  const begin = load<i32>(task.start + ((<usize>(i - task.first)) << 2));
  const end = load<i32>(task.start + ((<usize>(i - task.first + 1)) << 2));
  const m = <usize>task.m;
  const at = <usize>(panel / PANEL) * m;
  const cells = row + <usize>panel * size;
  const packed = task.packed + at * <usize>PANEL * size;
  const least = task.least + at * size;
  let largest = largestOf<T>(cells);
  let count = 0;
  for (let t = begin; t < end; t++) {
    const first = load<T>(task.length + <usize>t * size);
    if (first > half) continue;
    const middle = <usize>load<i32>(task.middle + ((<usize>t) << 2));
    if (<T>(first + load<T>(least + middle * size)) >= largest) continue;
    store<usize>(batch + ((<usize>count) << 4), packed + middle * <usize>PANEL * size);
    store<T>(batch + ((<usize>count) << 4), first, 8);
    if (++count < BATCH) continue;
    takeBatch<T>(cells, batch, count);
    count = 0;
    largest = largestOf<T>(cells);
  }
  if (count > 0) takeBatch<T>(cells, batch, count);
}

/** The largest of a panel. */
function largestOf<T>(cells: usize): T {
  const end = cells + <usize>PANEL * sizeof<T>();
  let a = v128.load(cells);
  let b = v128.load(cells, 16);
  for (let p = cells + 32; p < end; p += 32) {
    a = v128.pmax<T>(a, v128.load(p));
    b = v128.pmax<T>(b, v128.load(p, 16));
  }
  a = v128.pmax<T>(a, b);
  if (sizeof<T>() == 8) return max<T>(<T>f64x2.extract_lane(a, 0), <T>f64x2.extract_lane(a, 1));
  const low = max<T>(<T>f32x4.extract_lane(a, 0), <T>f32x4.extract_lane(a, 1));
  return max<T>(low, max<T>(<T>f32x4.extract_lane(a, 2), <T>f32x4.extract_lane(a, 3)));
}

/** Takes the entries of a batch into a panel, 128 bytes of it at a time, which stay in registers. */
function takeBatch<T>(cells: usize, batch: usize, count: i32): void {
  const bytes = <usize>PANEL * sizeof<T>();
  const stop = batch + ((<usize>count) << 4);
  for (let column: usize = 0; column < bytes; column += 128) {
    const to = cells + column;
    let a = v128.load(to),
      b = v128.load(to, 16),
      c = v128.load(to, 32),
      d = v128.load(to, 48);
    let e = v128.load(to, 64),
      f = v128.load(to, 80),
      g = v128.load(to, 96),
      h = v128.load(to, 112);
    for (let entry = batch; entry < stop; entry += 16) {
      const p = load<usize>(entry) + column;
      const s = sizeof<T>() == 8 ? v128.load64_splat(entry, 8) : v128.load32_splat(entry, 8);
      a = v128.pmin<T>(a, v128.add<T>(v128.load(p), s));
      b = v128.pmin<T>(b, v128.add<T>(v128.load(p, 16), s));
      c = v128.pmin<T>(c, v128.add<T>(v128.load(p, 32), s));
      d = v128.pmin<T>(d, v128.add<T>(v128.load(p, 48), s));
      e = v128.pmin<T>(e, v128.add<T>(v128.load(p, 64), s));
      f = v128.pmin<T>(f, v128.add<T>(v128.load(p, 80), s));
      g = v128.pmin<T>(g, v128.add<T>(v128.load(p, 96), s));
      h = v128.pmin<T>(h, v128.add<T>(v128.load(p, 112), s));
    }
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to, c, 32);
    v128.store(to, d, 48);
    v128.store(to, e, 64);
    v128.store(to, f, 80);
    v128.store(to, g, 96);
    v128.store(to, h, 112);
  }
}
