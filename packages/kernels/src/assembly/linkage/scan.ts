/** Scans over rows with SIMD instructions: the first smallest number of a range, and several rows side by side. */

/** Bytes of a block. The SIMD scan finds the block with the first smallest number; then only this block is searched for its position. */
const BLOCK: usize = 2048;

/** The address of the first smallest number from `start` to before `end`; 0 if no number is below Infinity. */
export function firstLeast<T>(start: usize, end: usize): usize {
  let least = <T>Infinity;
  let found: usize = 0;
  for (let block = start; block < end; block += BLOCK) {
    const value = leastOf<T>(block, min(block + BLOCK, end));
    if (value < least) {
      least = value;
      found = block;
    }
  }
  if (found) while (load<T>(found) != least) found += sizeof<T>();
  return found;
}

/**
 * Replaces each number of `distances` by the number of `row` if this is smaller. Returns the address of the first smallest number. A
 * distance that is NaN stays NaN and is skipped. If all other distances are Infinity, the address of the first Infinity is returned.
 */
export function lowerAndFind<T>(distances: usize, row: usize, count: i32): usize {
  const end = distances + ((<usize>count) << alignof<T>());
  let least = <T>Infinity;
  let found = distances;
  for (let block = distances; block < end; block += BLOCK) {
    const stop = min(block + BLOCK, end);
    const value = lower<T>(block, row + (block - distances), stop);
    if (value < least) {
      least = value;
      found = block;
    }
  }
  while (load<T>(found) != least) found += sizeof<T>();
  return found;
}

function lower<T>(start: usize, row: usize, end: usize): T {
  let m0 = splat<T>(Infinity);
  let m1 = m0;
  let p = start;
  for (; p + 32 <= end; p += 32, row += 32) {
    const a = lesser<T>(v128.load(p), v128.load(row));
    const b = lesser<T>(v128.load(p, 16), v128.load(row, 16));
    v128.store(p, a);
    v128.store(p, b, 16);
    m0 = lesser<T>(m0, a);
    m1 = lesser<T>(m1, b);
  }
  let least = leastLane<T>(lesser<T>(m0, m1));
  for (; p < end; p += sizeof<T>(), row += sizeof<T>()) {
    if (load<T>(row) < load<T>(p)) store<T>(p, load<T>(row));
    if (load<T>(p) < least) least = load<T>(p);
  }
  return least;
}

/** The smallest number of a range; Infinity if it is empty. NaN is ignored. */
function leastOf<T>(start: usize, end: usize): T {
  let m0 = splat<T>(Infinity);
  let m1 = m0;
  let m2 = m0;
  let m3 = m0;
  let p = start;
  for (; p + 64 <= end; p += 64) {
    m0 = lesser<T>(m0, v128.load(p));
    m1 = lesser<T>(m1, v128.load(p, 16));
    m2 = lesser<T>(m2, v128.load(p, 32));
    m3 = lesser<T>(m3, v128.load(p, 48));
  }
  let least = leastLane<T>(lesser<T>(lesser<T>(m0, m1), lesser<T>(m2, m3)));
  for (; p < end; p += sizeof<T>()) {
    const value = load<T>(p);
    if (value < least) least = value;
  }
  return least;
}

function splat<T>(value: f64): v128 {
  return sizeof<T>() == 8 ? f64x2.splat(value) : f32x4.splat(<f32>value);
}

/** In each lane: b if b < a, else a. So NaN in b gives a, and NaN in a stays NaN. */
function lesser<T>(a: v128, b: v128): v128 {
  return sizeof<T>() == 8 ? f64x2.pmin(a, b) : f32x4.pmin(a, b);
}

function leastLane<T>(v: v128): T {
  if (sizeof<T>() == 8) {
    const a = f64x2.extract_lane(v, 0);
    const b = f64x2.extract_lane(v, 1);
    return <T>(b < a ? b : a);
  }
  const pairs = f32x4.pmin(v, i32x4.shuffle(v, v, 2, 3, 0, 1));
  const a = f32x4.extract_lane(pairs, 0);
  const b = f32x4.extract_lane(pairs, 1);
  return <T>(b < a ? b : a);
}

/**
 * Writes 16 rows side by side: for each column, its 16 numbers. `rows`: the addresses of the 16 rows; each row is read from byte `offset`
 * on.
 */
export function interleave<T>(rows: usize, offset: usize, columns: i32, out: usize): void {
  const lanes: i32 = 16 / <i32>sizeof<T>();
  const columnBytes = sizeof<T>() << 4;
  let j = 0;
  for (; j + lanes <= columns; j += lanes, offset += 16, out += columnBytes << (sizeof<T>() == 8 ? 1 : 2)) {
    for (let i: usize = 0; i < 64; i += (<usize>lanes) << 2) {
      const to = out + i * (sizeof<T>() >> 2);
      const a = v128.load(load<usize>(rows + i) + offset);
      const b = v128.load(load<usize>(rows + i, 4) + offset);
      if (sizeof<T>() == 8) {
        v128.store(to, i64x2.shuffle(a, b, 0, 2));
        v128.store(to, i64x2.shuffle(a, b, 1, 3), 128);
      } else {
        const c = v128.load(load<usize>(rows + i, 8) + offset);
        const d = v128.load(load<usize>(rows + i, 12) + offset);
        const ab = i32x4.shuffle(a, b, 0, 4, 1, 5);
        const cd = i32x4.shuffle(c, d, 0, 4, 1, 5);
        v128.store(to, i64x2.shuffle(ab, cd, 0, 2));
        v128.store(to, i64x2.shuffle(ab, cd, 1, 3), 64);
        const abHigh = i32x4.shuffle(a, b, 2, 6, 3, 7);
        const cdHigh = i32x4.shuffle(c, d, 2, 6, 3, 7);
        v128.store(to, i64x2.shuffle(abHigh, cdHigh, 0, 2), 128);
        v128.store(to, i64x2.shuffle(abHigh, cdHigh, 1, 3), 192);
      }
    }
  }
  for (; j < columns; j++, offset += sizeof<T>(), out += columnBytes) {
    for (let i: usize = 0; i < 16; i++) store<T>(out + i * sizeof<T>(), load<T>(load<usize>(rows + (i << 2)) + offset));
  }
}
