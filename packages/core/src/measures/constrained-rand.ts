/**
 * The constrained Rand index: the Rand index over free pairs, those that the closure of the constraints does not fix
 * (klein2002, §5.1). It shows whether constraints help beyond what they say themselves.
 *
 * Fixed are pairs within a must-link component, and pairs between two components that must be apart. They are counted from
 * profiles: per component, per clique as a whole, per single edge. Two components can share several cliques (two exclusive
 * columns; a long component in many groups): such pairs are found among components in two or more cliques, joined into one
 * unit where their cliques are the same, and the surplus is taken off.
 */
import type { Closure } from "../constraints/closure.js";
import { sharedClique } from "../constraints/component-graph.js";
import { type Lists, placeOf } from "../structures/components.js";
import { contingency } from "../structures/contingency.js";
import { type PairCounts, pairCounts } from "./pair-counts.js";
import { type Agreement, between, type Profiles, profilesOf, type RowKeys, unionsOf, within, writeCounts } from "./profiles.js";
import { rowKeys } from "./row-keys.js";

/** 1 when no pair is free. Rows with a negative label in either array are left out. */
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

/** Edges that no clique says again; of the two ends the one with the longer profile is written out, once for all its edges. */
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

/** Each clique as one set, less what lies within its components. */
function takeOffCliques(free: Agreement, { cliques }: Closure, profiles: Profiles): void {
  const unions = unionsOf(cliques, profiles);
  for (let q = 0; q < cliques.count; q++) add(free, within(unions, q), -1);
  for (let p = 0; p < cliques.items.length; p++) add(free, within(profiles, cliques.items[p]!), 1);
}

/** Components in the same cliques, two or more. */
interface Units {
  readonly count: number;
  readonly components: readonly (readonly number[])[];
  /** The cliques of each, ascending. */
  readonly cliques: readonly Int32Array[];
  /** For each clique, its units. */
  readonly of: ReadonlyMap<number, readonly number[]>;
}

/** Pairs of components that share m cliques were taken off m times; m - 1 of them come back. */
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
 * The later units that share two cliques or more with unit `u`, with how many. Such a unit is met through a clique other than
 * the largest of u, which need not be walked: with one giant group the walk stays short.
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
