/**
 * The constrained Rand index: the Rand index over free pairs, that is, pairs that the closure of the constraints does not fix (klein2002,
 * §5.1). It shows whether constraints help beyond the pairs that they fix.
 *
 * Fixed pairs are pairs within a must-link component, and pairs between two components that must be apart. They are counted from profiles
 * (see below): for each component, each clique as a whole, and each single edge.
 *
 * Two components can share several cliques, for example of two exclusive columns. Their pairs are then counted several times. So components
 * with the same two or more cliques form a unit, and the surplus is corrected for pairs of units.
 */
import type { Closure } from "../constraints/closure.js";
import { sharedClique } from "../constraints/component-graph.js";
import { type Lists, placeOf } from "../structures/components.js";
import { bothLabelled, type Codes, compact, contingency, isSmall, sortedBy } from "../structures/contingency.js";
import { type PairCounts, pairCounts, pairsOf } from "./pair-counts.js";

/** The constrained Rand index; 1 if no pair is free. Leaves out rows with a negative label. */
export function constrainedRandIndex(
  labels: Int32Array,
  truth: Int32Array,
  closure: Closure,
  counts: PairCounts = pairCounts(contingency(labels, truth)),
): number {
  const { both, clusteringOnly, truthOnly, neither } = counts;
  const free: Agreement = { pairs: both + clusteringOnly + truthOnly + neither, agreeing: both + neither };
  takeOffFixed(free, closure, rowKeys(labels, truth));
  return free.pairs === 0 ? 1 : free.agreeing / free.pairs;
}

function takeOffFixed(free: Agreement, closure: Closure, keys: RowKeys): void {
  const { componentCount, members, sizes, edges, cliques } = closure;
  const fixing = new Uint8Array(componentCount);
  for (let c = 0; c < componentCount; c++) {
    const alone = sizes[c] === 1 && edges.start[c] === edges.start[c + 1] && cliques.of.start[c] === cliques.of.start[c + 1];
    if (!alone) fixing[c] = 1;
  }
  const profiles = profilesOf(members, fixing, keys);
  for (let c = 0; c < componentCount; c++) if (sizes[c]! > 1) add(free, within(profiles, c), -1);
  if (edges.other.length > 0) takeOffEdges(free, closure, profiles);
  if (cliques.count > 0) {
    takeOffCliques(free, closure, profiles);
    giveBackSurplus(free, closure, profiles);
  }
}

function add(to: Agreement, what: Agreement, times: number): void {
  to.pairs += times * what.pairs;
  to.agreeing += times * what.agreeing;
}

/**
 * For each edge: subtracts the pairs of rows between its two components, unless the components share a clique. The longer profile of the two
 * components is expanded to a full vector. One expansion serves all edges of the component.
 */
function takeOffEdges(free: Agreement, { componentCount, edges, cliques }: Closure, profiles: Profiles): void {
  const counts = new Int32Array(profiles.keyCount);
  const length = (c: number): number => profiles.start[c + 1]! - profiles.start[c]!;
  for (let c = 0; c < componentCount; c++) {
    if (edges.start[c] === edges.start[c + 1]) continue;
    writeCounts(profiles, c, 1, counts);
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) {
      const other = edges.other[p]!;
      if (length(other) > length(c) || (length(other) === length(c) && other < c)) continue;
      if (sharedClique(cliques, c, other) < 0) add(free, between(profiles, counts, c, other), -1);
    }
    writeCounts(profiles, c, 0, counts);
  }
}

/**
 * Subtracts the pairs of each clique. The clique is treated as one set of rows, and pairs within its components are left out, because they
 * were subtracted before.
 */
function takeOffCliques(free: Agreement, { cliques }: Closure, profiles: Profiles): void {
  const unions = unionsOf(cliques, profiles);
  for (let q = 0; q < cliques.count; q++) add(free, within(unions, q), -1);
  for (let p = 0; p < cliques.items.length; p++) add(free, within(profiles, cliques.items[p]!), 1);
}

/** A unit is a group of components that are in exactly the same two or more cliques. */
interface Units {
  readonly count: number;
  readonly components: readonly (readonly number[])[];
  /** The cliques of each unit, ascending. */
  readonly cliques: readonly Int32Array[];
  readonly of: ReadonlyMap<number, readonly number[]>;
}

/**
 * Adds pairs back that several cliques subtracted. A pair in m cliques was subtracted m times instead of once, so it is added m - 1 times.
 */
function giveBackSurplus(free: Agreement, closure: Closure, profiles: Profiles): void {
  const units = unitsOf(closure);
  if (units.count === 0) return;
  const unions = unionsOf(listsOf(units.components), profiles);
  const counts = new Int32Array(profiles.keyCount);
  for (let u = 0; u < units.count; u++) {
    const surplus = units.cliques[u]!.length - 1;
    add(free, within(unions, u), surplus);
    for (const c of units.components[u]!) add(free, within(profiles, c), -surplus);
    const shared = sharedWithLater(units, u);
    if (shared.size === 0) continue;
    writeCounts(unions, u, 1, counts);
    for (const [other, cliques] of shared) if (cliques > 1) add(free, between(unions, counts, u, other), cliques - 1);
    writeCounts(unions, u, 0, counts);
  }
}

/**
 * The units after `u` that share at least two cliques with unit `u`. The largest clique of `u` need not be searched: such a unit also
 * shares a smaller clique with `u`.
 */
function sharedWithLater({ cliques, of }: Units, u: number): Map<number, number> {
  const mine = cliques[u]!;
  const largest = mine.reduce((best, q) => (of.get(q)!.length > of.get(best)!.length ? q : best), mine[0]!);
  const shared = new Map<number, number>();
  for (const q of mine) {
    if (q === largest) continue;
    for (const other of of.get(q)!) if (other > u) shared.set(other, (shared.get(other) ?? 0) + 1);
  }
  for (const [other, count] of shared) {
    if (placeOf(cliques[other]!, 0, cliques[other]!.length, largest) >= 0) shared.set(other, count + 1);
  }
  return shared;
}

function unitsOf({ componentCount, cliques }: Closure): Units {
  const numbers = new Map<string, number>();
  const components: number[][] = [];
  const lists: Int32Array[] = [];
  const of = new Map<number, number[]>();
  for (let c = 0; c < componentCount; c++) {
    const list = cliques.of.items.subarray(cliques.of.start[c]!, cliques.of.start[c + 1]!);
    if (list.length < 2) continue;
    const name = list.join();
    let unit = numbers.get(name);
    if (unit === undefined) {
      unit = components.length;
      numbers.set(name, unit);
      components.push([]);
      lists.push(list);
      for (const q of list) {
        const units = of.get(q);
        if (units) units.push(unit);
        else of.set(q, [unit]);
      }
    }
    components[unit]!.push(c);
  }
  return { count: components.length, components, cliques: lists, of };
}

function listsOf(lists: readonly (readonly number[])[]): Lists {
  const start = new Int32Array(lists.length + 1);
  lists.forEach((list, i) => {
    start[i + 1] = start[i]! + list.length;
  });
  return { start, items: Int32Array.from(lists.flat()) };
}

/** The keys of each row for its profile. A row with a negative label in either array gets the key -1. */
function rowKeys(labels: Int32Array, truth: Int32Array): RowKeys {
  const clusters = compact(labels);
  const classes = compact(truth);
  const firstCell = clusters.count + classes.count;
  const { cell, count } = isSmall(clusters, classes) ? denseCells(clusters, classes) : sparseCells(clusters, classes);
  const classKey = classes.codes.map((code) => clusters.count + code);
  for (let i = 0; i < cell.length; i++) if (cell[i]! >= 0) cell[i] = cell[i]! + firstCell;
  return { cluster: clusters.codes, classKey, cell, firstCell, keyCount: firstCell + count };
}

interface Cells {
  readonly cell: Int32Array;
  readonly count: number;
}

function denseCells(clusters: Codes, classes: Codes): Cells {
  const cell = clusters.codes.map((cluster, i) => {
    const code = classes.codes[i]!;
    return cluster < 0 || code < 0 ? -1 : cluster * classes.count + code;
  });
  return { cell, count: clusters.count * classes.count };
}

function sparseCells(clusters: Codes, classes: Codes): Cells {
  const cell = new Int32Array(clusters.codes.length).fill(-1);
  const sorted = sortedBy(sortedBy(bothLabelled(clusters.codes, classes.codes), classes), clusters);
  let count = 0;
  for (let p = 0; p < sorted.length; p++) {
    const row = sorted[p]!;
    const before = sorted[p - 1];
    const same =
      before !== undefined && clusters.codes[before] === clusters.codes[row] && classes.codes[before] === classes.codes[row];
    cell[row] = same ? count - 1 : count++;
  }
  return { cell, count };
}

/*
 * Profiles of sets of rows: sparse vectors whose products count the pairs on which clustering and truth agree.
 *
 * The profile of a set counts its rows by cluster, by class, and by both (cell). A set of s rows has s(s-1)/2 pairs. A pair disagrees if
 * its rows share a cluster but not a class, or a class but not a cluster. The agreeing pairs are `pairs - Σ clusters - Σ classes + 2·Σ
 * cells`, where each sum counts the pairs within the clusters, classes or cells of the set. For the pairs between two sets the formula is
 * the same, with products of counts. So one vector with the coefficients -1 (cluster), -1 (class) and 2 (cell) is enough, and no pair of
 * rows is visited.
 */

/** Profile i has the keys `key[start[i]] … key[start[i + 1] - 1]` with their counts, from `rows[i]` rows. */
interface Profiles {
  readonly start: Int32Array;
  readonly key: Int32Array;
  readonly count: Int32Array;
  readonly rows: Int32Array;
  /** Keys from this value on are cells, with coefficient 2. Keys below it are clusters and classes, with coefficient -1. */
  readonly firstCell: number;
  readonly keyCount: number;
}

/** Number of pairs of rows (`pairs`), and number of these pairs on which clustering and truth agree (`agreeing`). */
interface Agreement {
  pairs: number;
  agreeing: number;
}

/** Three keys for each row: its cluster, its class and its cell; -1 for rows without a cluster or a class. */
interface RowKeys {
  readonly cluster: Int32Array;
  readonly classKey: Int32Array;
  readonly cell: Int32Array;
  readonly firstCell: number;
  readonly keyCount: number;
}

/** Profiles of lists of rows. Lists without a mark in `wanted` get empty profiles. */
function profilesOf({ start: from, items }: Lists, wanted: Uint8Array, keys: RowKeys): Profiles {
  const sums = gather(keys.keyCount);
  const rows = new Int32Array(wanted.length);
  const start = new Int32Array(wanted.length + 1);
  for (let i = 0; i < wanted.length; i++) {
    for (let p = from[i]!; wanted[i] === 1 && p < from[i + 1]!; p++) {
      const row = items[p]!;
      if (keys.cell[row] === -1) continue;
      rows[i]!++;
      sums.add(keys.cluster[row]!, 1);
      sums.add(keys.classKey[row]!, 1);
      sums.add(keys.cell[row]!, 1);
    }
    start[i + 1] = sums.flush();
  }
  return { start, ...sums.done(), rows, firstCell: keys.firstCell, keyCount: keys.keyCount };
}

/** Profiles of unions. Union u consists of the sets in list u; `parts` has the profile of each set. */
function unionsOf({ start: from, items }: Lists, parts: Profiles): Profiles {
  const sums = gather(parts.keyCount);
  const rows = new Int32Array(from.length - 1);
  const start = new Int32Array(from.length);
  for (let u = 0; u < rows.length; u++) {
    for (let q = from[u]!; q < from[u + 1]!; q++) {
      const part = items[q]!;
      rows[u] = rows[u]! + parts.rows[part]!;
      for (let p = parts.start[part]!; p < parts.start[part + 1]!; p++) sums.add(parts.key[p]!, parts.count[p]!);
    }
    start[u + 1] = sums.flush();
  }
  return { start, ...sums.done(), rows, firstCell: parts.firstCell, keyCount: parts.keyCount };
}

function within(profiles: Profiles, i: number): Agreement {
  const pairs = pairsOf(profiles.rows[i]!);
  let agreeing = pairs;
  for (let p = profiles.start[i]!; p < profiles.start[i + 1]!; p++) {
    const same = pairsOf(profiles.count[p]!);
    agreeing += profiles.key[p]! >= profiles.firstCell ? 2 * same : -same;
  }
  return { pairs, agreeing };
}

/** The pairs between two sets. The profile of the first set must be written by `writeCounts`. */
function between(profiles: Profiles, written: Int32Array, a: number, b: number): Agreement {
  const pairs = profiles.rows[a]! * profiles.rows[b]!;
  let agreeing = pairs;
  for (let p = profiles.start[b]!; p < profiles.start[b + 1]!; p++) {
    const same = profiles.count[p]! * written[profiles.key[p]!]!;
    agreeing += profiles.key[p]! >= profiles.firstCell ? 2 * same : -same;
  }
  return { pairs, agreeing };
}

/** Writes the counts of a profile into a full vector (`sign` 1), or clears them (`sign` 0). */
function writeCounts(profiles: Profiles, i: number, sign: 0 | 1, counts: Int32Array): void {
  for (let p = profiles.start[i]!; p < profiles.start[i + 1]!; p++) counts[profiles.key[p]!] = sign * profiles.count[p]!;
}

function gather(keyCount: number) {
  const sums = new Int32Array(keyCount);
  const touched: number[] = [];
  let key = new Int32Array(1024);
  let count = new Int32Array(1024);
  let length = 0;
  return {
    add(k: number, by: number): void {
      if (sums[k] === 0) touched.push(k);
      sums[k] = sums[k]! + by;
    },
    flush(): number {
      if (length + touched.length > key.length) {
        const size = Math.max(2 * key.length, length + touched.length);
        key = enlarged(key, size);
        count = enlarged(count, size);
      }
      for (const k of touched) {
        key[length] = k;
        count[length++] = sums[k]!;
        sums[k] = 0;
      }
      touched.length = 0;
      return length;
    },
    done: () => ({ key: key.slice(0, length), count: count.slice(0, length) }),
  };
}

function enlarged(values: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(values);
  return larger;
}
