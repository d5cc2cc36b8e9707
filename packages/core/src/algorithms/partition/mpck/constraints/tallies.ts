/**
 * Where the rows of each group (a component or a clique) are now: for each cluster that holds some of them, their number, mean
 * and scatter. A group of s rows has at most min(s, k) such tallies, so all tallies together need no more room than the rows.
 *
 * Tallies can live in the space of their cluster's metric, where scatter is the sum of squared distances to the mean. Then
 * Σ ‖x - y‖² over the members y of a tally is count·‖x - mean‖² + scatter. The mean of one row is that row, so such a tally points to it.
 */
import type { Links } from "./links.js";

export interface Tallies {
  /** Numbers per mean; 0 where counts alone matter. */
  readonly d: number;
  readonly start: Int32Array;
  /** Cluster of each tally, -1 for an empty one. */
  readonly cluster: Int32Array;
  readonly count: Float64Array;
  /** The mean of each tally: d numbers of an array, from a place on. */
  readonly mean: Float64Array[];
  readonly at: Int32Array;
  readonly scatter: Float64Array;
  /** Means that tallies hold themselves: each has room for one once it needs it. */
  readonly own: (Float64Array | undefined)[];
  /** Whether rows stay where they are while the tallies are used. */
  readonly rowsLast: boolean;
}

const NOTHING = new Float64Array(0);

/** `rowsLast`: whether tallies may point to rows that are added. */
export function emptyTallies(
  { componentCount, groupCount, members, cliques }: Links,
  k: number,
  d: number,
  rowsLast: boolean,
): Tallies {
  const start = new Int32Array(groupCount + 1);
  for (let g = 0; g < groupCount; g++) {
    let rows = 0;
    if (g < componentCount) rows = members.start[g + 1]! - members.start[g]!;
    else {
      const q = g - componentCount;
      for (let p = cliques.components.start[q]!; p < cliques.components.start[q + 1]!; p++) {
        const c = cliques.components.items[p]!;
        rows += members.start[c + 1]! - members.start[c]!;
      }
    }
    start[g + 1] = start[g]! + Math.min(rows, k);
  }
  const total = start[groupCount]!;
  return {
    d,
    start,
    cluster: new Int32Array(total).fill(-1),
    count: new Float64Array(total),
    mean: new Array<Float64Array>(total).fill(NOTHING),
    at: new Int32Array(total),
    scatter: new Float64Array(total),
    own: [],
    rowsLast,
  };
}

/** The tally of a group in a cluster, or -1. */
export function tallyOf({ start, cluster }: Tallies, group: number, h: number): number {
  for (let s = start[group]!; s < start[group + 1]!; s++) if (cluster[s] === h) return s;
  return -1;
}

/** Adds `count` rows of the given mean and scatter to a group's tally. */
export function addTo(
  tallies: Tallies,
  group: number,
  h: number,
  count: number, // in: rows
  mean: Float64Array,
  p: number, // in: their mean, from p on
  scatter: number,
): void {
  const { d, rowsLast } = tallies;
  const s = claimTally(tallies, group, h);
  const before = tallies.count[s]!;
  const now = before + count;
  tallies.count[s] = now;
  if (d === 0) return;
  if (now === 1 && rowsLast) {
    tallies.mean[s] = mean;
    tallies.at[s] = p;
    return;
  }
  const own = ownMean(tallies, s, before);
  let square = 0;
  for (let j = 0; j < d; j++) {
    const t = mean[p + j]! - own[j]!;
    square += t * t;
    own[j]! += (t * count) / now;
  }
  tallies.scatter[s]! += scatter + ((before * count) / now) * square;
}

/** The tally of a group in a cluster; an empty one if there was none. */
function claimTally(tallies: Tallies, group: number, h: number): number {
  const found = tallyOf(tallies, group, h);
  if (found >= 0) return found;
  const s = tallyOf(tallies, group, -1);
  tallies.cluster[s] = h;
  return s;
}

/** The mean of a tally of `count` rows where it can be rewritten; 0 without rows. */
function ownMean({ d, mean, at, own }: Tallies, s: number, count: number): Float64Array {
  const kept = own[s];
  if (kept && mean[s] === kept && count > 0) return kept;
  const room = kept ?? new Float64Array(d);
  if (count === 0) room.fill(0);
  else for (let j = 0; j < d; j++) room[j] = mean[s]![at[s]! + j]!;
  own[s] = room;
  mean[s] = room;
  at[s] = 0;
  return room;
}

/** Takes them out again. */
export function removeFrom(
  tallies: Tallies,
  group: number,
  h: number,
  count: number,
  mean: Float64Array,
  p: number,
  scatter: number,
): void {
  const { d } = tallies;
  const s = tallyOf(tallies, group, h);
  const before = tallies.count[s]!;
  const now = before - count;
  tallies.count[s] = now;
  if (now === 0) {
    tallies.cluster[s] = -1;
    tallies.scatter[s] = 0;
    return;
  }
  if (d === 0) return;
  const own = ownMean(tallies, s, before);
  let square = 0;
  for (let j = 0; j < d; j++) {
    const t = mean[p + j]! - own[j]!;
    square += t * t;
    own[j]! -= (t * count) / now;
  }
  const rest = tallies.scatter[s]! - scatter - ((before * count) / now) * square;
  tallies.scatter[s] = now === 1 ? 0 : Math.max(rest, 0);
}
