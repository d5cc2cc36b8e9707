/**
 * Estimates between items of several rows: those of their nearest rows. Of n rows the first m stand for the items, and the others
 * belong to items of the first ones. See screened-linkage.ts.
 */

function single(array: usize, p: usize): f32 {
  return load<f32>(array + (p << 2));
}

/**
 * For each item from … to-1 of a list the least estimates of its rows to all m items, a line each; and its least one to another item.
 * `itemOf`: the item of each row; `nextRow`: the next row of the same item, -1 at the end.
 */
export function nearestRows(
  estimates: usize,
  n: i32,
  m: i32,
  itemOf: usize,
  nextRow: usize,
  list: usize,
  lines: usize,
  least: usize,
  from: i32,
  to: i32,
): void {
  for (let a = <usize>from; a < <usize>to; a++) {
    const item = load<i32>(list + (a << 2));
    const line = lines + ((a * <usize>m) << 2);
    for (let c: usize = 0; c < <usize>m; c++) store<f32>(line + (c << 2), Infinity);
    for (let p = item; p >= 0; p = load<i32>(nextRow + ((<usize>p) << 2))) {
      const row = estimates + ((<usize>p * <usize>n) << 2);
      takeLesser(line, row, (<usize>m) << 2);
      for (let q = <usize>m; q < <usize>n; q++) {
        const place = line + ((<usize>load<i32>(itemOf + (q << 2))) << 2);
        store<f32>(place, min(load<f32>(place), single(row, q)));
      }
    }
    let nearest: f32 = Infinity;
    for (let c: usize = 0; c < <usize>m; c++) if (c != <usize>item) nearest = min(nearest, single(line, c));
    store<f32>(least + (a << 2), nearest);
  }
}

/** Each number of a line becomes the lesser one. */
function takeLesser(line: usize, row: usize, bytes: usize): void {
  let p: usize = 0;
  for (; p + 16 <= bytes; p += 16) v128.store(line + p, f32x4.pmin(v128.load(line + p), v128.load(row + p)));
  for (; p < bytes; p += 4) store<f32>(line + p, min(load<f32>(line + p), load<f32>(row + p)));
}

/** Moves the first m estimates of rows from … to-1 to where rows of m are, in order; returns the largest of them. */
export function contractRows(estimates: usize, n: i32, m: i32, from: i32, to: i32): f32 {
  let most = f32x4.splat(-Infinity);
  const bytes = (<usize>m) << 2;
  for (let i = <usize>from; i < <usize>to; i++) {
    const row = estimates + i * bytes;
    memory.copy(row, estimates + ((i * <usize>n) << 2), bytes);
    let p: usize = 0;
    for (; p + 16 <= bytes; p += 16) most = f32x4.pmax(most, v128.load(row + p));
    for (; p < bytes; p += 4) most = f32x4.pmax(most, v128.load32_splat(row + p));
  }
  const a = max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1));
  return max(a, max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)));
}

/** Writes lines from … to-1 into the rows and columns of their items. */
export function writeNearest(estimates: usize, m: i32, list: usize, lines: usize, from: i32, to: i32): void {
  const bytes = (<usize>m) << 2;
  for (let a = <usize>from; a < <usize>to; a++) {
    memory.copy(estimates + <usize>load<i32>(list + (a << 2)) * bytes, lines + a * bytes, bytes);
  }
  for (let c: usize = 0; c < <usize>m; c++) {
    const row = estimates + c * bytes;
    for (let a = <usize>from; a < <usize>to; a++) {
      store<f32>(row + ((<usize>load<i32>(list + (a << 2))) << 2), single(lines + a * bytes, c));
    }
  }
}
