/**
 * Distances to a new cluster, two at a time. They are computed in f64 even if the matrix stores f32. The operations and their order are
 * the same as in `distanceToUnion` of `@coterie/core`.
 */

/** Codes of the linkages; src/linkage.ts has the same list. */
export const COMPLETE: i32 = 0;
export const AVERAGE: i32 = 1;
export const WEIGHTED: i32 = 2;
export const WARD: i32 = 3;
export const CENTROID: i32 = 4;

export function combineRows<T>(
  linkage: i32,
  x: usize,
  y: usize,
  width: i32,
  height: f64,
  nx: f64,
  ny: f64,
  columnSize: usize,
): void {
  const end = y + ((<usize>width) << alignof<T>());
  if (linkage == COMPLETE) complete<T>(x, y, end);
  else if (linkage == AVERAGE) average<T>(x, y, end, nx, ny);
  else if (linkage == WEIGHTED) weighted<T>(x, y, end);
  else if (linkage == WARD) ward<T>(x, y, end, height, nx, ny, columnSize);
  else if (linkage == CENTROID) centroid<T>(x, y, end, height, nx, ny);
  else median<T>(x, y, end, height);
}

function loadPair<T>(p: usize): v128 {
  return sizeof<T>() == 8 ? v128.load(p) : f64x2.promote_low_f32x4(v128.load64_zero(p));
}

function storePair<T>(p: usize, pair: v128): void {
  if (sizeof<T>() == 8) v128.store(p, pair);
  else v128.store64_lane(p, f32x4.demote_f64x2_zero(pair), 0);
}

function loadOne<T>(p: usize): v128 {
  return f64x2.splat(<f64>load<T>(p));
}

function storeOne<T>(p: usize, pair: v128): void {
  store<T>(p, <T>f64x2.extract_lane(pair, 0));
}

function two<T>(): usize {
  return sizeof<T>() << 1;
}

function complete<T>(x: usize, y: usize, end: usize): void {
  for (; y + 16 <= end; x += 16, y += 16) {
    const vx = v128.load(x);
    const vy = v128.load(y);
    v128.store(y, sizeof<T>() == 8 ? f64x2.pmax(vy, vx) : f32x4.pmax(vy, vx));
  }
  for (; y < end; x += sizeof<T>(), y += sizeof<T>()) if (load<T>(x) > load<T>(y)) store<T>(y, load<T>(x));
}

function average<T>(x: usize, y: usize, end: usize, nx: f64, ny: f64): void {
  for (; y + two<T>() <= end; x += two<T>(), y += two<T>()) storePair<T>(y, averageOf(loadPair<T>(x), loadPair<T>(y), nx, ny));
  if (y < end) storeOne<T>(y, averageOf(loadOne<T>(x), loadOne<T>(y), nx, ny));
}

function averageOf(dx: v128, dy: v128, nx: f64, ny: f64): v128 {
  const sum = f64x2.add(f64x2.mul(f64x2.splat(nx), dx), f64x2.mul(f64x2.splat(ny), dy));
  return f64x2.div(sum, f64x2.splat(nx + ny));
}

function weighted<T>(x: usize, y: usize, end: usize): void {
  const half = f64x2.splat(0.5);
  for (; y + two<T>() <= end; x += two<T>(), y += two<T>()) {
    storePair<T>(y, f64x2.mul(half, f64x2.add(loadPair<T>(x), loadPair<T>(y))));
  }
  if (y < end) storeOne<T>(y, f64x2.mul(half, f64x2.add(loadOne<T>(x), loadOne<T>(y))));
}

function ward<T>(x: usize, y: usize, end: usize, height: f64, nx: f64, ny: f64, sizes: usize): void {
  for (; y + two<T>() <= end; x += two<T>(), y += two<T>(), sizes += 16) {
    storePair<T>(y, wardOf(loadPair<T>(x), loadPair<T>(y), v128.load(sizes), height, nx, ny));
  }
  if (y < end) storeOne<T>(y, wardOf(loadOne<T>(x), loadOne<T>(y), loadOne<f64>(sizes), height, nx, ny));
}

function wardOf(dx: v128, dy: v128, nj: v128, height: f64, nx: f64, ny: f64): v128 {
  const h = f64x2.splat(height);
  const t = f64x2.div(f64x2.splat(1), f64x2.add(f64x2.splat(nx + ny), nj));
  const toX = f64x2.mul(f64x2.mul(f64x2.mul(f64x2.add(nj, f64x2.splat(nx)), t), dx), dx);
  const toY = f64x2.mul(f64x2.mul(f64x2.mul(f64x2.add(nj, f64x2.splat(ny)), t), dy), dy);
  const between = f64x2.mul(f64x2.mul(f64x2.mul(nj, t), h), h);
  return root(f64x2.sub(f64x2.add(toX, toY), between));
}

function centroid<T>(x: usize, y: usize, end: usize, height: f64, nx: f64, ny: f64): void {
  const between = (nx * ny * height * height) / (nx + ny);
  for (; y + two<T>() <= end; x += two<T>(), y += two<T>()) {
    storePair<T>(y, centroidOf(loadPair<T>(x), loadPair<T>(y), nx, ny, between));
  }
  if (y < end) storeOne<T>(y, centroidOf(loadOne<T>(x), loadOne<T>(y), nx, ny, between));
}

function centroidOf(dx: v128, dy: v128, nx: f64, ny: f64, between: f64): v128 {
  const toX = f64x2.mul(f64x2.mul(f64x2.splat(nx), dx), dx);
  const toY = f64x2.mul(f64x2.mul(f64x2.splat(ny), dy), dy);
  return root(f64x2.div(f64x2.sub(f64x2.add(toX, toY), f64x2.splat(between)), f64x2.splat(nx + ny)));
}

function median<T>(x: usize, y: usize, end: usize, height: f64): void {
  const between = 0.25 * height * height;
  for (; y + two<T>() <= end; x += two<T>(), y += two<T>()) storePair<T>(y, medianOf(loadPair<T>(x), loadPair<T>(y), between));
  if (y < end) storeOne<T>(y, medianOf(loadOne<T>(x), loadOne<T>(y), between));
}

function medianOf(dx: v128, dy: v128, between: f64): v128 {
  const sum = f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy));
  return root(f64x2.sub(f64x2.mul(f64x2.splat(0.5), sum), f64x2.splat(between)));
}

/** The root of squared distances. NaN, which comes from Infinity - Infinity, becomes Infinity. */
function root(squares: v128): v128 {
  return f64x2.sqrt(f64x2.pmin(f64x2.splat(Infinity), squares));
}
