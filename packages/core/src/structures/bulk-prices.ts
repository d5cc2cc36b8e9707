/**
 * Prices of places in clusters, raised and lowered many rows at a time: an auction. A cluster with too many rows raises its price until as
 * many as are too many would rather be elsewhere, and they go; one with too few lowers its price until as many come. Every row stays in a
 * cluster that is cheapest for it, price included, so no cycle of moves can save cost. Once sizes are nearly right,
 * single paths of moves do the rest exactly (transport.ts).
 */
import { nthLeast } from "./nth-least.js";

export interface Auction {
  readonly n: number;
  readonly k: number;
  /** n × k. */
  readonly costs: Float64Array;
  readonly lower: Int32Array;
  readonly upper: Int32Array;
  /** The cluster of least price for each row, and the numbers of rows; rewritten. */
  readonly labels: Int32Array;
  readonly load: Int32Array;
  /** Rewritten. */
  readonly prices: Float64Array;
}

/** Rows too many or too few, over all clusters, that single paths assign as quickly: so many, or this share of all. */
const FEW = 64;
const SMALL_SHARE = 1 / 1000;
/** Turns for each cluster, at most. */
const MOST_TURNS = 60;

/** After a turn for each cluster that left more than this share of the rows in excess, single paths take over. */
const GAIN = 0.9;

/** Brings sizes near their bounds, and prices of clusters that are within them near 0; pauses after each turn. */
export function* auction(sale: Auction): Generator<void, void, void> {
  const { k } = sale;
  const own = Float64Array.from(sale.labels, (label, i) => sale.costs[i * k + label]!);
  const room = { gaps: new Float64Array(sale.n), rows: new Int32Array(sale.n), goals: new Int32Array(sale.n), own, columns: [] };
  let [fewest, best] = [Infinity, 0];
  for (let turn = 0; turn < MOST_TURNS * k && turn - best <= k; turn++) {
    let [worst, most, left] = [-1, 0, 0];
    for (let c = 0; c < k; c++) {
      const wrong = Math.abs(wrongIn(sale, c));
      left += wrong;
      if (wrong > most) [worst, most] = [c, wrong];
    }
    if (left <= Math.max(FEW, SMALL_SHARE * sale.n)) return;
    if (left < GAIN * fewest) [fewest, best] = [left, turn];
    if (wrongIn(sale, worst) > 0) sendAway(sale, worst, most, room);
    else callIn(sale, worst, most, room);
    yield;
  }
}

/** How many rows are to leave a cluster, or less than 0 if some are to come: to its bounds, or within them until its price is 0. */
function wrongIn({ load, lower, upper, prices }: Auction, c: number): number {
  if (load[c]! > upper[c]!) return load[c]! - upper[c]!;
  if (load[c]! < lower[c]!) return load[c]! - lower[c]!;
  return prices[c]! > 0 ? load[c]! - upper[c]! : prices[c]! < 0 ? load[c]! - lower[c]! : 0;
}

/** How far a price may go: where sizes are within their bounds, to 0. */
function mostChange({ load, lower, upper, prices }: Auction, c: number): number {
  return load[c]! >= lower[c]! && load[c]! <= upper[c]! ? Math.abs(prices[c]!) : Infinity;
}

interface Room {
  readonly gaps: Float64Array;
  readonly rows: Int32Array;
  readonly goals: Int32Array;
  /** What each row costs where it is; the table of costs is so large that every look into it is slow. */
  readonly own: Float64Array;
  /** The costs of clusters that rows were called into: most of them call again. */
  readonly columns: Float64Array[];
}

function columnOf({ n, k, costs }: Auction, { columns }: Room, a: number): Float64Array {
  const known = columns[a];
  if (known) return known;
  const column = new Float64Array(n);
  for (let i = 0, p = a; i < n; i++, p += k) column[i] = costs[p]!;
  columns[a] = column;
  return column;
}

/** Raises the price of a cluster until `count` of its rows have gone to their next best. */
function sendAway(sale: Auction, a: number, count: number, room: Room): void {
  const { gaps, rows, goals } = room;
  const { n, k, costs, labels, prices } = sale;
  const most = mostChange(sale, a);
  let found = 0;
  for (let i = 0; i < n; i++) {
    if (labels[i] !== a) continue;
    let [goal, least] = [-1, Infinity];
    for (let b = 0, p = i * k; b < k; b++) {
      const price = costs[p + b]! + prices[b]!;
      if (b === a || price >= least) continue;
      goal = b;
      least = price;
    }
    gaps[found] = least - costs[i * k + a]! - prices[a]!;
    rows[found] = i;
    goals[found] = goal;
    found++;
  }
  const leaving = Math.min(count, found);
  if (leaving === 0) return;
  const raise = Math.min(most, nthLeast(gaps.subarray(0, found), leaving - 1));
  move(sale, room, found, raise, leaving, (e) => goals[e]!);
  prices[a]! += Math.max(0, raise);
}

/** Lowers the price of a cluster until `count` rows of others have come. */
function callIn(sale: Auction, a: number, count: number, room: Room): void {
  const { n, labels, prices } = sale;
  const { gaps, rows, own } = room;
  const costs = columnOf(sale, room, a);
  const most = mostChange(sale, a);
  let found = 0;
  for (let i = 0; i < n; i++) {
    const at = labels[i]!;
    if (at === a) continue;
    gaps[found] = costs[i]! + prices[a]! - own[i]! - prices[at]!;
    rows[found++] = i;
  }
  const coming = Math.min(count, found);
  if (coming === 0) return;
  const cut = Math.min(most, nthLeast(gaps.subarray(0, found), coming - 1));
  move(sale, room, found, cut, coming, () => a);
  prices[a]! -= Math.max(0, cut);
}

/** Moves `count` rows whose gap is at most `last`; of those that have just that, the first ones. */
function move(
  { k, costs, labels, load }: Auction,
  { gaps, rows, own }: Room,
  found: number,
  last: number,
  count: number,
  goalOf: (e: number) => number,
): void {
  let below = 0;
  for (let e = 0; e < found; e++) if (gaps[e]! < last) below++;
  let equal = count - below;
  for (let e = 0; e < found; e++) {
    if (gaps[e]! > last || (gaps[e] === last && equal-- <= 0)) continue;
    const row = rows[e]!;
    const goal = goalOf(e);
    load[labels[row]!]!--;
    load[goal]!++;
    labels[row] = goal;
    own[row] = costs[row * k + goal]!;
  }
}
