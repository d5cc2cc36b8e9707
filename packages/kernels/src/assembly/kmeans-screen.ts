/**
 * Computes labels and gaps from rows in 16-bit integers, eight rows at once; see screen.ts for the bound on the error. The squared
 * distance minus |x|² is |c|² - 2 x·c, and |x|² is the same for all centres. If the bound does not decide the label, the centres that can
 * be nearest are measured exactly. So the labels are the labels of a full scan.
 */

import { scaleRow } from "./kmeans-metrics";
import { LEAST_DISTANCE, MOST_DISTANCE, offsetAt, Plan, relabel, rowAt } from "./kmeans-plan";
import { GROUP, integersOf, packEight, packFives, productsOfFive, Screen, SINGLE_LOSS, toIntegers } from "./screen";
import { squaresToFour } from "./sums";

/** Byte offsets in a chunk's buffer: addresses of eight rows, errors, scales, two smallest scores, label, squares. */
const ERRORS: usize = 32;
const BACKS: usize = 64;
const LEAST: usize = 96;
const SECOND: usize = 128;
const LABELS: usize = 160;
const SQUARES: usize = 192;
const PRODUCTS: usize = 224;
const ROWS: usize = 384;

/** Single-precision numbers below this value have lost digits, so this value is added to the error of a score. */
const UNDERFLOW: f32 = 1e-37;

/**
 * Converts the centres to integers in groups of five, with norms and scales. `room`: work space for k rows of integers and four lines of
 * k numbers.
 */
export function screenCentres(address: usize, room: usize): void {
  const plan = changetype<Plan>(address);
  const screen = changetype<Screen>(plan.screen);
  const k = <usize>plan.k;
  const facts = room + ((k * <usize>screen.wide) << 1);
  let reach: f32 = 0;
  let spread: f32 = 0;
  for (let c: usize = 0; c < <usize>plan.fiveWidth; c++) {
    const to = plan.centreFacts + (c << 2);
    if (c >= k) {
      store<f32>(to, Infinity);
      store<f32>(to + ((<usize>plan.fiveWidth) << 2), 0);
      continue;
    }
    const at = facts + (c << 2);
    const q = room + ((c * <usize>screen.wide) << 1);
    const norm = toIntegers(screen, plan.centres + ((c * <usize>plan.d) << 3), 0, 0, q, at, at + (k << 2), at + (k << 3));
    store<f32>(to, <f32>norm);
    store<f32>(to + ((<usize>plan.fiveWidth) << 2), 2 * load<f32>(at));
    spread = max(spread, load<f32>(at + (k << 2)));
    reach = max(reach, load<f32>(at + (k << 3)));
  }
  plan.centreReach = reach;
  plan.centreSpread = spread;
  packFives(room, plan.k, screen.wide, plan.fives);
}

/** Assigns the listed rows; returns how many labels changed. */
export function assignByScreen(plan: Plan, buffer: usize, list: usize, chunk: usize, from: i32, count: i32): i32 {
  const screen = changetype<Screen>(plan.screen);
  const line = (<usize>screen.wide) << 1;
  const room = buffer + <usize>plan.bufferBytes - 8 * line;
  let changed: i32 = 0;
  for (let at = 0; at < count; at += 8) {
    for (let r = 0; r < 8; r++) {
      const i = <usize>(from + offsetAt(list, min(at + r, count - 1)));
      const place = buffer + ((<usize>r) << 2);
      store<usize>(place, integersOf(screen, i, room + <usize>r * line));
      store<f32>(place + BACKS, load<f32>(screen.backs + (i << 2)));
      store<f32>(place + ERRORS, errorOf(plan, screen, i));
    }
    packEight(buffer, screen.wide, buffer + ROWS);
    leastTwo(plan, screen, buffer);
    for (let r = 0; r < min(8, count - at); r++) {
      const i = <usize>(from + offsetAt(list, at + r));
      let label = load<i32>(buffer + LABELS + ((<usize>r) << 2));
      let gap = gapOf(plan, screen, buffer, i, (<usize>r) << 2);
      if (!(gap > 0 && gap < MOST_DISTANCE)) {
        label = measure(plan, screen, buffer, i, (<usize>r) << 2);
        gap = load<f64>(buffer + SQUARES);
      }
      if (plan.bounds) {
        store<f64>(plan.gaps + (i << 3), gap);
        store<u8>(plan.stamps + i, <u8>plan.now);
      }
      changed += relabel(plan, chunk, i, label);
    }
  }
  return changed;
}

function errorOf(plan: Plan, screen: Screen, i: usize): f32 {
  const length = load<f32>(screen.lengths + (i << 2));
  const reach = plan.centreReach;
  const lost = load<f32>(screen.errors + (i << 2)) * reach + length * plan.centreSpread;
  const both = length + reach;
  return lost * 1.000001 + SINGLE_LOSS * (reach * reach + 2 * length * reach) + <f32>(4 * plan.slack) * both * both + UNDERFLOW;
}

function leastTwo(plan: Plan, screen: Screen, buffer: usize): void {
  const wide = screen.wide;
  const line = (<usize>plan.fiveWidth) << 2;
  const low = v128.load(buffer + BACKS);
  const high = v128.load(buffer + BACKS, 16);
  // biome-ignore format: the sums of a tile on one line
  let first = f32x4.splat(Infinity), second = first, otherFirst = first, otherSecond = first;
  let label = i32x4.splat(0),
    otherLabel = label;
  let five = plan.fives;
  let scores = buffer + ROWS + ((<usize>wide) << 4);
  for (let group = 0; group < plan.fiveWidth; group += GROUP) {
    productsOfFive(buffer + ROWS, five, wide, buffer + PRODUCTS);
    five += (<usize>(GROUP * wide)) << 1;
    for (let c: usize = 0; c < <usize>GROUP; c++) {
      const centre = <usize>group + c;
      const facts = plan.centreFacts + (centre << 2);
      const norm = v128.load32_splat(facts);
      const back = v128.load32_splat(facts + line);
      const products = buffer + PRODUCTS + (c << 5);
      const a = f32x4.sub(norm, f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(v128.load(products)), low), back));
      const b = f32x4.sub(norm, f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(v128.load(products, 16)), high), back));
      v128.store(scores, a);
      v128.store(scores, b, 16);
      scores += 32;
      const name = i32x4.splat(<i32>centre);
      second = f32x4.pmin(second, f32x4.pmax(first, a));
      label = v128.bitselect(name, label, f32x4.lt(a, first));
      first = f32x4.pmin(first, a);
      otherSecond = f32x4.pmin(otherSecond, f32x4.pmax(otherFirst, b));
      otherLabel = v128.bitselect(name, otherLabel, f32x4.lt(b, otherFirst));
      otherFirst = f32x4.pmin(otherFirst, b);
    }
  }
  v128.store(buffer + LEAST, first);
  v128.store(buffer + LEAST, otherFirst, 16);
  v128.store(buffer + SECOND, second);
  v128.store(buffer + SECOND, otherSecond, 16);
  v128.store(buffer + LABELS, label);
  v128.store(buffer + LABELS, otherLabel, 16);
}

/** The gap that the scores of row i prove. It is 0 or less if the scores do not decide the label. */
function gapOf(plan: Plan, screen: Screen, buffer: usize, i: usize, at: usize): f64 {
  const norm = load<f64>(screen.norms + (i << 3));
  const error = <f64>load<f32>(buffer + ERRORS + at);
  const near = norm + <f64>load<f32>(buffer + LEAST + at) + error;
  const far = norm + <f64>load<f32>(buffer + SECOND + at) - error;
  return (sqrt(far) * (1 - plan.slack) - sqrt(max(near, 0)) * (1 + plan.slack)) * screen.perUnit - LEAST_DISTANCE;
}

/** Finds the nearest centre of row i by exact distances, among the centres with a score that allows it. Writes the gap to the buffer. */
function measure(plan: Plan, screen: Screen, buffer: usize, i: usize, at: usize): i32 {
  const error = load<f32>(buffer + ERRORS + at);
  const least = load<f32>(buffer + LEAST + at);
  // Squared distances that underflow count as equal.
  const tiny = 2 * LEAST_DISTANCE * screen.unit;
  const limit = max(least + 2 * error, <f32>(tiny * tiny - load<f64>(screen.norms + (i << 3))));
  const scores = buffer + ROWS + ((<usize>screen.wide) << 4);
  const list = scores + ((<usize>plan.fiveWidth) << 5);
  let count: i32 = 0;
  for (let c = 0; c < plan.k; c++) {
    store<i32>(list + ((<usize>count) << 2), c);
    count += <i32>!(load<f32>(scores + ((<usize>c) << 5) + at) > limit);
  }
  let nearest: f64 = Infinity;
  // A lower bound of the squared distance to every centre that is not listed.
  let second: f64 =
    count == plan.k ? Infinity : (load<f64>(screen.norms + (i << 3)) + <f64>least + <f64>error) * (1 - plan.slack);
  second *= screen.perUnit * screen.perUnit;
  let label: i32 = 0;
  const scaled = list + ((<usize>plan.fiveWidth) << 2);
  if (plan.metrics) scaleRow(plan, rowAt(plan, <i32>i), scaled);
  for (let from = 0; from < count; from += 4) {
    squaresOf(plan, buffer + SQUARES, i, scaled, list, from, count - 1);
    for (let c = from; c < min(from + 4, count); c++) {
      const square = load<f64>(buffer + SQUARES + ((<usize>(c - from)) << 3));
      if (square < nearest) {
        second = min(second, nearest);
        nearest = square;
        label = load<i32>(list + ((<usize>c) << 2));
      } else second = min(second, square);
    }
  }
  const far = min(sqrt(second), MOST_DISTANCE);
  store<f64>(buffer + SQUARES, far * (1 - plan.slack) - sqrt(nearest) * (1 + plan.slack) - LEAST_DISTANCE);
  return label;
}

/** Squared distances of row i, or of the row at `scaled` under a metric, to four listed centres. */
function squaresOf(plan: Plan, out: usize, i: usize, scaled: usize, list: usize, from: i32, last: i32): void {
  const row = (<usize>plan.d) << 3;
  const a = plan.centres + <usize>load<i32>(list + ((<usize>from) << 2)) * row;
  const b = plan.centres + <usize>load<i32>(list + ((<usize>min(from + 1, last)) << 2)) * row;
  const c = plan.centres + <usize>load<i32>(list + ((<usize>min(from + 2, last)) << 2)) * row;
  const e = plan.centres + <usize>load<i32>(list + ((<usize>min(from + 3, last)) << 2)) * row;
  if (plan.metrics) squaresToFour<f64, f64>(scaled, plan.d, a, b, c, e, out);
  else if (plan.single) squaresToFour<f32, f64>(rowAt(plan, <i32>i), plan.d, a, b, c, e, out);
  else squaresToFour<f64, f64>(rowAt(plan, <i32>i), plan.d, a, b, c, e, out);
}
