/**
 * Constraints as weights on components and cliques. With these weights, sums over all implied pairs need no list of pairs.
 *
 * The weights of pairs are the weights of the weighted closure. Sums over pairs of equal weight need only counts, means and scatters.
 *
 * Hard constraints have weight Infinity. Hard must-links join rows into units, which move as one. Hard cannot-links forbid that two units
 * share a cluster. A constraint is hard if it is given as hard, or follows from hard constraints only. If it also depends on soft
 * must-links, it is soft: an implied cannot-link has the weight of the weakest must-link on which it depends.
 */

import type { Closure, WeightedClosure } from "../../../constraints/index.js";
import { closeConstraints, refuseContradictions, weighClosure } from "../../../constraints/index.js";
import { CoterieError } from "../../../errors.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { type InstanceId, idOf, type Points } from "../../../model/points.js";
import { type Lists, listsByKey, placeOf } from "../../../structures/components.js";
import { hardPart } from "../../hard-part.js";
import type { Metrics } from "../../metric/metrics.js";

/** Minimum number of rows of a large component. For smaller components, placing row by row is as fast. */
export const LARGE = 32;

const NOTHING = new Float64Array(0);

export interface Links extends Omit<WeightedClosure, "original" | "pairs"> {
  readonly n: number;
  /** Numbers below `componentCount` are components, the other numbers below `groupCount` are cliques. */
  readonly groupCount: number;
  readonly members: Lists;
  /** Corrections for pairs with a weight of their own, instead of the weight of their component or clique. */
  readonly pairs: Pairs;
  /** The closure of the hard constraints; its components are the units. Null if there are no hard constraints. */
  readonly hard: Closure | null;
  /** Whether cannot-links can cause a penalty. */
  readonly hasCannot: boolean;
  readonly hasPenalties: boolean;
  /** Crowded components, see `Crowded`. Null if there are none, or if cannot-links differ in weight. */
  readonly crowded: Crowded | null;
}

/**
 * Components with many rows and many cannot-links. Their violated cannot-links are counted per cluster, instead of visiting each
 * cannot-link for each row.
 */
export interface Crowded {
  /** The common weight of all cannot-links. */
  readonly weight: number;
  /** For each component: its index among the crowded components, or -1. */
  readonly place: Int32Array;
  readonly count: number;
  /** For each component: the indices of the crowded components that have cannot-links to it. */
  readonly neighbours: Lists;
}

type Pairs = WeightedClosure["pairs"] & {
  /** For each row: its pairs. Number 2s: the row is a[s]. Number 2s + 1: the row is b[s]. */
  readonly of: Lists;
};

/** Converts a constraint set. scale: factor by which every constraint weight is multiplied. */
export function linksOf(set: ConstraintSet, scale: number, ids?: readonly InstanceId[]): Links {
  const closure = closeConstraints(set);
  const hard = hardPart(set);
  if (hard) refuseContradictions(hard, ids);
  const weakest = closure.entailedMustWeight;
  const soft = softEdgeWeights(closure);
  const inOneUnit = (i: number, j: number): boolean => hard !== null && hard.component[i] === hard.component[j];
  const { original: _, ...weighted } = weighClosure(closure, {
    must: (c) => (weakest(c) === Infinity ? 0 : scale * weakest(c)),
    edge: (place) => scale * soft[place]!,
    // Constraints that follow from a hard label get the weight of the weakest must-link on which they depend, or 1 if they depend on none.
    entry: (weight, c) => scale * (weight < Infinity ? weight : weakest(c) < Infinity ? weakest(c) : 1),
    given: (weight, a, b, must) => (weight === Infinity || (must && inOneUnit(a, b)) ? null : scale * weight),
  });
  const { componentCount, component, mustWeight, edges, cliques, pairs } = weighted;
  const hasCannot = edges.weight.some((w) => w !== 0) || cliques.weight.length > 0 || pairs.must.includes(0);
  const members = listsByKey(component, componentCount);
  const ends = Int32Array.from({ length: 2 * pairs.a.length }, (_, end) => (end & 1 ? pairs.b : pairs.a)[end >> 1]!);
  return {
    ...weighted,
    n: set.n,
    groupCount: componentCount + cliques.weight.length,
    members,
    pairs: { ...pairs, of: listsByKey(ends, set.n) },
    hard,
    hasCannot,
    hasPenalties: hasCannot || mustWeight.some((w) => w > 0) || pairs.a.length > 0,
    crowded: crowdedOf(weighted, members),
  };
}

/** A component is crowded if its number of rows times its number of cannot-links is at least this. */
const CROWDED = 1024;

function crowdedOf({ edges, componentCount }: Pick<Links, "edges" | "componentCount">, members: Lists): Crowded | null {
  const weight = edges.weight.find((w) => w !== 0);
  if (weight === undefined || edges.weight.some((w) => w !== weight)) return null;
  const place = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) {
    const rows = members.start[c + 1]! - members.start[c]!;
    if (rows > 1 && rows * (edges.start[c + 1]! - edges.start[c]!) >= CROWDED) place[c] = count++;
  }
  if (count === 0) return null;
  const start = new Int32Array(componentCount + 1);
  const items: number[] = [];
  for (let c = 0; c < componentCount; c++) {
    for (let e = edges.start[c]!; e < edges.start[c + 1]!; e++) {
      const other = place[edges.other[e]!]!;
      if (other >= 0) items.push(other);
    }
    start[c + 1] = items.length;
  }
  return { weight, place, count, neighbours: { start, items: Int32Array.from(items) } };
}

/**
 * By edge: the weight of the cannot-links between two components as soft constraints. Finite weights stay. Infinity is replaced by the
 * largest of these weights: the finite weights that were given for the two components, and their weakest must-link weight.
 */
function softEdgeWeights(closure: Closure): Float64Array {
  const { edges, component, set } = closure;
  const soft = edges.weight.slice();
  if (!soft.includes(Infinity)) return soft;
  for (let c = 0; c < closure.componentCount; c++) {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) {
      if (soft[p] !== Infinity) continue;
      const weakest = Math.min(closure.entailedMustWeight(c), closure.entailedMustWeight(edges.other[p]!));
      soft[p] = weakest === Infinity ? 0 : weakest;
    }
  }
  const { a, b, weight } = set.cannotLinks;
  const raise = (c: number, to: number, w: number): void => {
    const p = placeOf(edges.other, edges.start[c]!, edges.start[c + 1]!, to);
    if (p >= 0 && w > soft[p]!) soft[p] = w;
  };
  for (let s = 0; s < a.length; s++) {
    if (weight[s] === Infinity) continue;
    raise(component[a[s]!]!, component[b[s]!]!, weight[s]!);
    raise(component[b[s]!]!, component[a[s]!]!, weight[s]!);
  }
  return soft;
}

/*
 * A group is a component or a clique. Its tallies describe in which clusters its rows are now. A tally contains the count, mean and scatter
 * of the rows of the group in one cluster. A group of s rows has at most min(s, k) tallies, so all tallies together need no more memory
 * than the rows.
 *
 * The mean of a tally can be mapped by the metric of the cluster. The scatter is then the sum of squared distances to this mean, and the
 * sum Σ ‖x - y‖² over the rows y of the tally is count·‖x - mean‖² + scatter. The mean of a single row is the row itself, so a tally of one
 * row refers to the row instead of storing a mean.
 */

export interface Tallies {
  /** Length of a mean; 0 if only counts are needed. */
  readonly d: number;
  readonly start: Int32Array;
  /** Cluster of each tally, -1 for an empty tally. */
  readonly cluster: Int32Array;
  readonly count: Float64Array;
  /** The mean of each tally: d numbers of array `mean[s]` from index `at[s]`. */
  readonly mean: Float64Array[];
  readonly at: Int32Array;
  readonly scatter: Float64Array;
  /** Arrays for the means that tallies store themselves, allocated on first use. */
  readonly own: (Float64Array | undefined)[];
  /** Whether the arrays of rows stay valid while the tallies are used. If true, a tally of one row refers to the row. */
  readonly rowsLast: boolean;
}

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

/** The index of the tally of a group in cluster h; -1 if the group has no rows there. */
export function tallyOf({ start, cluster }: Tallies, group: number, h: number): number {
  for (let s = start[group]!; s < start[group + 1]!; s++) if (cluster[s] === h) return s;
  return -1;
}

/** Adds `count` rows with the given mean and scatter to the tally of a group in cluster h. */
export function addTo(
  tallies: Tallies,
  group: number,
  h: number,
  count: number, // number of added rows
  mean: Float64Array,
  p: number, // index in `mean` of the mean of these rows
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

/** The index of the tally of a group in cluster h. If there is none, takes an unused tally of the group. */
function claimTally(tallies: Tallies, group: number, h: number): number {
  const found = tallyOf(tallies, group, h);
  if (found >= 0) return found;
  const s = tallyOf(tallies, group, -1);
  tallies.cluster[s] = h;
  return s;
}

/** The mean of a tally, in an array of the tally that can be changed. The mean is 0 if the tally has no rows. */
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

/*
 * Moments of large components: count, mean and scatter. They never change. If a component is in a single cluster, the E- and M-steps use
 * its moments instead of its rows.
 */

export interface ComponentMoments {
  /** Index of the moments of each component; -1 for components without moments. */
  readonly at: Int32Array;
  /**
   * By index of the moments. `mean`: mean of the rows of the component. `scatter`: Σ (x - mean)(x - mean)ᵀ, as a diagonal or a lower
   * triangle.
   */
  readonly mean: Float64Array;
  readonly scatter: Float64Array;
  readonly full: boolean;
}

/**
 * Computes the moments (mean and scatter) of all components of at least `least` rows. Reads rows in the order of the table, which is fast.
 * full: the scatter is a lower triangle instead of a diagonal.
 */
export function componentMoments(
  { members, component, componentCount }: Links,
  { n, d, x }: Points,
  full: boolean,
  least = LARGE,
): ComponentMoments {
  const sizeOf = (c: number): number => members.start[c + 1]! - members.start[c]!;
  const at = new Int32Array(componentCount).fill(-1);
  let count = 0;
  for (let c = 0; c < componentCount; c++) if (sizeOf(c) >= least) at[c] = count++;
  const width = full ? d * d : d;
  const mean = new Float64Array(count * d);
  const scatter = new Float64Array(count * width);
  const delta = new Float64Array(d);
  const placeOf = (i: number): number => (component[i]! < 0 ? -1 : at[component[i]!]!);
  for (let i = 0; i < n && count > 0; i++) {
    const m = placeOf(i);
    for (let j = 0; m >= 0 && j < d; j++) mean[m * d + j]! += x[i * d + j]!;
  }
  for (let c = 0; c < componentCount; c++) for (let j = 0; at[c]! >= 0 && j < d; j++) mean[at[c]! * d + j]! /= sizeOf(c);
  for (let i = 0; i < n && count > 0; i++) {
    const m = placeOf(i);
    if (m < 0) continue;
    for (let j = 0; j < d; j++) delta[j] = x[i * d + j]! - mean[m * d + j]!;
    addSquare(delta, d, full, 1, scatter, m * width);
  }
  return { at, mean, scatter, full };
}

/** Adds factor · δδᵀ to `out` from index `at`, as a diagonal or a lower triangle. delta: δ. */
export function addSquare(delta: Float64Array, d: number, full: boolean, factor: number, out: Float64Array, at: number): void {
  for (let i = 0; i < d; i++) {
    const t = factor * delta[i]!;
    if (!full) out[at + i]! += t * delta[i]!;
    else for (let j = 0, q = at + i * d; j <= i; j++) out[q + j]! += t * delta[j]!;
  }
}

/** By component: the cluster of all its rows; -1 if its rows are in several clusters, or if it has no moments. */
export function wholeClusters({ at }: ComponentMoments, { members }: Links, labels: Int32Array): Int32Array {
  return at.map((place, c) => (place < 0 ? -1 : commonLabel(labels, members.items, members.start[c]!, members.start[c + 1]!)));
}

/** The common label of the rows at positions from … to - 1 of the list `rows`; -1 if their labels differ. */
export function commonLabel(labels: Int32Array, rows: Int32Array, from: number, to: number): number {
  const h = labels[rows[from]!]!;
  for (let p = from; p < to; p++) if (labels[rows[p]!] !== h) return -1;
  return h;
}

/** The index of the moments of unit u if the unit is a whole component with moments; else -1. */
export function placeOfWhole({ at }: ComponentMoments, { members }: Links, { component, size }: Units, u: number): number {
  const c = component[u]!;
  return c >= 0 && size[u] === members.start[c + 1]! - members.start[c]! ? at[c]! : -1;
}

/** The scatter of the component whose moments are at index `place`, under metric g. */
export function scatterUnder({ scatter, full }: ComponentMoments, place: number, { all, d }: Metrics, g: number): number {
  return all[g]!.scatter(scatter, place * (full ? d * d : d), full);
}

/* Units move in the E-step. A unit is a single constrained row, or all rows joined by hard must-links. */

export interface Units {
  readonly count: number;
  /** The unit of each row; -1 for a row that is in no unit. */
  readonly of: Int32Array;
  readonly rows: Lists;
  /** By unit: its number of rows, their total weight, and their mean in the space of the points. */
  readonly size: Float64Array;
  readonly weight: Float64Array;
  readonly mean: Float64Array;
  /** Component of each unit; -1 if the method ignores soft constraints. */
  readonly component: Int32Array;
  /** For each unit: one row of each unit that must be in another cluster, because of a hard cannot-link. */
  readonly apart: Lists;
}

/** The units of a run. soft: if true, rows with soft constraints are units too. others: large components; their rows are in no unit. */
export function unitsOf(
  links: Links,
  points: Points,
  k: number,
  soft: boolean,
  ids?: readonly InstanceId[],
  others: Int32Array = new Int32Array(0),
): Units {
  const { hard } = links;
  const { n } = points;
  const unitOfHard = new Int32Array(hard?.componentCount ?? 0).fill(-1);
  const of = new Int32Array(n).fill(-1);
  const isOther = new Uint8Array(links.componentCount);
  for (const c of others) isOther[c] = 1;
  let count = 0;
  for (let i = 0; i < n; i++) {
    if (links.component[i] === -1 || isOther[links.component[i]!] === 1) continue;
    const c = hard ? hard.component[i]! : -1;
    const moves = soft || (hard !== null && (hard.sizes[c]! > 1 || hard.degree(c) > 0));
    if (!moves) continue;
    if (c === -1) of[i] = count++;
    else {
      if (unitOfHard[c] === -1) unitOfHard[c] = count++;
      of[i] = unitOfHard[c]!;
    }
  }
  const rows = listsByKey(of, count);
  const component = new Int32Array(count).fill(-1);
  if (soft) for (let u = 0; u < count; u++) component[u] = links.component[rows.items[rows.start[u]!]!]!;
  return { count, of, rows, ...meansOfLists(rows, points), component, apart: hardNeighbours(links, unitOfHard, count, k, ids) };
}

interface Weighed extends Pick<Points, "d" | "x"> {
  readonly rowWeights?: Float64Array | undefined;
}

export function meansOfLists(rows: Lists, { d, x, rowWeights }: Weighed): Pick<Units, "size" | "weight" | "mean"> {
  const { size, weight } = weightsOfLists(rows, rowWeights);
  const mean = new Float64Array(size.length * d);
  for (let u = 0; u < size.length; u++) {
    const isOne = size[u] === 1;
    for (let p = rows.start[u]!; p < rows.start[u + 1]!; p++) {
      const own = isOne ? 1 : (rowWeights?.[rows.items[p]!] ?? 1);
      for (let j = 0, q = rows.items[p]! * d; j < d; j++) mean[u * d + j]! += own * x[q + j]!;
    }
    if (!isOne) for (let j = 0; j < d; j++) mean[u * d + j]! /= weight[u]!;
  }
  return { size, weight, mean };
}

export function weightsOfLists({ start, items }: Lists, rowWeights: Float64Array | undefined): Pick<Units, "size" | "weight"> {
  const size = Float64Array.from({ length: start.length - 1 }, (_, u) => start[u + 1]! - start[u]!);
  if (!rowWeights) return { size, weight: size };
  const weight = new Float64Array(size.length);
  for (let u = 0; u < size.length; u++) for (let p = start[u]!; p < start[u + 1]!; p++) weight[u]! += rowWeights[items[p]!]!;
  return { size, weight };
}

function hardNeighbours(
  { hard }: Links,
  unitOfHard: Int32Array,
  count: number,
  k: number,
  ids: readonly InstanceId[] | undefined,
): Lists {
  const start = new Int32Array(count + 1);
  if (!hard) return { start, items: new Int32Array(0) };
  const { cliques } = hard;
  for (let q = 0; q < cliques.count; q++) {
    if (cliques.start[q + 1]! - cliques.start[q]! <= k) continue;
    const core = Array.from(cliques.items.subarray(cliques.start[q]!, cliques.start[q]! + k + 1));
    throw new CoterieError({ code: "infeasible", k, core: core.map((c) => idsOfHard(hard, c, ids)) });
  }
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (let c = 0; c < unitOfHard.length; c++) {
    if (unitOfHard[c]! < 0 || hard.degree(c) === 0) continue;
    for (const other of hard.neighbours(c)) lists[unitOfHard[c]!]!.push(hard.members.items[hard.members.start[other]!]!);
  }
  lists.forEach((list, u) => {
    start[u + 1] = start[u]! + list.length;
  });
  return { start, items: Int32Array.from(lists.flat()) };
}

function idsOfHard({ members }: NonNullable<Links["hard"]>, c: number, ids: readonly InstanceId[] | undefined): InstanceId[] {
  return Array.from(members.items.subarray(members.start[c]!, members.start[c + 1]!), (row) => idOf(ids ? { ids } : {}, row));
}

export function idsOfUnit({ rows }: Units, u: number, ids: readonly InstanceId[] | undefined): InstanceId[] {
  return Array.from(rows.items.subarray(rows.start[u]!, rows.start[u + 1]!), (row) => idOf(ids ? { ids } : {}, row));
}
