/** A growing tree: leaves with labels, counts of rows by unit and label, and the constraints of one leaf for its search. */
import type { Drops } from "./drops.js";
import { NEW, type Outward, type PairCosts } from "./label-rules.js";
import type { Space, TestColumn } from "./space.js";

/** One split of the leaf in `slot`. Rows that pass the test stay in this slot. The other rows get the next free slot. */
export interface Split {
  readonly slot: number;
  readonly cut: Cut;
  readonly first: number;
  readonly second: number;
}

/** A possible split, with the labels of its two sides. A label can be NEW. */
export interface Candidate extends Split {
  readonly gain: number;
  readonly change: number;
}

/** The stored search result of a leaf. If `exact`, its best splits; else only an upper bound of their gain. */
export interface Known {
  readonly candidates: readonly Candidate[];
  /** An upper bound of the decrease of H by any split of the leaf. */
  readonly bound: number;
  readonly exact: boolean;
  /**
   * The result is valid for these values only. `free`: number of free labels. `labelSet`: version of the set of used labels. `alone`:
   * whether no other leaf has the label of this leaf.
   */
  readonly free: number;
  readonly labelSet: number;
  readonly alone: boolean;
}

export interface Slot {
  readonly leaf: Leaf;
  readonly label: number;
  known: Known | null;
  /** The last known gain of the best split of this leaf. Leaves with the largest value are searched first. */
  lastGain: number;
}

export interface GrowingTree {
  slots: Slot[];
  /** `labelOf`: the label of each row. `slotOf`: the slot of each row. */
  labelOf: Int32Array;
  slotOf: Int32Array;
  /** Entry u·stride + c: number of rows of unit u with label c. `cliqueCounts`: the same for cliques. */
  unitCounts: Int32Array;
  cliqueCounts: Int32Array;
  stride: number;
  use: Int32Array;
  /** `labelCount`: number of labels in use. `labelSet`: a version number that changes when the set of used labels changes. */
  labelCount: number;
  labelSet: number;
  violated: number;
  splits: readonly Split[];
  history: readonly number[];
}

export function rootTree(space: Space, costs: PairCosts): GrowingTree {
  const leaf = rootLeaf(space);
  const stride = 8;
  const tree: GrowingTree = {
    slots: [{ leaf, label: 0, known: null, lastGain: Infinity }],
    labelOf: new Int32Array(space.n),
    slotOf: new Int32Array(space.n),
    unitCounts: new Int32Array(costs.unitCount * stride),
    cliqueCounts: new Int32Array(costs.cliques.count * stride),
    stride,
    use: new Int32Array(stride),
    labelCount: 1,
    labelSet: 0,
    violated: 0,
    splits: [],
    history: [],
  };
  tree.use[0] = 1;
  for (let row = 0; row < space.n; row++) count(tree, costs, row, 0, 1);
  return tree;
}

export function copyOf(tree: GrowingTree): GrowingTree {
  return {
    ...tree,
    slots: tree.slots.map((slot) => ({ ...slot })),
    labelOf: tree.labelOf.slice(),
    slotOf: tree.slotOf.slice(),
    unitCounts: tree.unitCounts.slice(),
    cliqueCounts: tree.cliqueCounts.slice(),
    use: tree.use.slice(),
  };
}

function count(
  { unitCounts, cliqueCounts, stride }: GrowingTree,
  costs: PairCosts,
  row: number,
  label: number,
  by: 1 | -1,
): void {
  const unit = costs.unit[row]!;
  if (unit < 0) return;
  unitCounts[unit * stride + label]! += by;
  const { start, items } = costs.cliques.of;
  for (let p = start[unit]!; p < start[unit + 1]!; p++) cliqueCounts[items[p]! * stride + label]! += by;
}

export function isAlone({ slots, use }: GrowingTree, slot: number): boolean {
  return use[slots[slot]!.label] === 1;
}

export function labelsOfOthers(tree: GrowingTree, slot: number): Int32Array {
  const own = tree.slots[slot]!.label;
  const others: number[] = [];
  for (let label = 0; label < tree.stride; label++) {
    if (tree.use[label]! > (label === own ? 1 : 0)) others.push(label);
  }
  return Int32Array.from(others);
}

export function refine(tree: GrowingTree, space: Space, costs: PairCosts, candidate: Candidate, side: Uint8Array): void {
  const { slot, cut } = candidate;
  const { leaf, label } = tree.slots[slot]!;
  tree.use[label]!--;
  const first = candidate.first === NEW ? lowestFree(tree, -1) : candidate.first;
  const second = candidate.second === NEW ? lowestFree(tree, first) : candidate.second;
  tree.use[label]!++;
  while (Math.max(first, second) >= tree.stride) widen(tree, costs);
  const leaves = splitLeaf(space, leaf, cut, side);
  useLabel(tree, label, -1);
  [first, second].forEach((name, child) => {
    useLabel(tree, name, 1);
    for (const row of rowsOf(leaves[child]!)) {
      tree.slotOf[row] = child === 0 ? slot : tree.slots.length;
      if (name === label) continue;
      tree.labelOf[row] = name;
      count(tree, costs, row, label, -1);
      count(tree, costs, row, name, 1);
    }
  });
  tree.slots[slot] = { leaf: leaves[0], label: first, known: null, lastGain: Infinity };
  tree.slots.push({ leaf: leaves[1], label: second, known: null, lastGain: Infinity });
  tree.violated += candidate.change;
  tree.splits = [...tree.splits, { slot, cut, first, second }];
  forgetNeighbours(tree, costs, slot, label);
}

function useLabel(tree: GrowingTree, label: number, by: 1 | -1): void {
  const before = tree.use[label]!;
  tree.use[label] = before + by;
  if ((before === 0) === (before + by === 0)) return;
  tree.labelCount += by;
  tree.labelSet++;
}

function lowestFree({ use }: GrowingTree, besides: number): number {
  for (let label = 0; ; label++) if (label !== besides && (use[label] ?? 0) === 0) return label;
}

function widen(tree: GrowingTree, costs: PairCosts): void {
  const { stride } = tree;
  const wider = (counts: Int32Array, lists: number): Int32Array => {
    const copy = new Int32Array(lists * 2 * stride);
    for (let u = 0; u < lists; u++) copy.set(counts.subarray(u * stride, (u + 1) * stride), 2 * u * stride);
    return copy;
  };
  tree.unitCounts = wider(tree.unitCounts, costs.unitCount);
  tree.cliqueCounts = wider(tree.cliqueCounts, costs.cliques.count);
  tree.use = wider(tree.use, 1);
  tree.stride = 2 * stride;
}

function unitsOf(leaf: Leaf, { unit }: PairCosts): Int32Array {
  leaf.units ??= Int32Array.from(new Set(rowsOf(leaf).map((row) => unit[row]!)))
    .filter((u) => u >= 0)
    .sort();
  return leaf.units;
}

/** Clears search results after rows changed their label. Affected are all leaves that contain rows with constraints to these rows. */
function forgetNeighbours(tree: GrowingTree, costs: PairCosts, slot: number, before: number): void {
  const { edges, cliques, unit, unitCount, rows } = costs;
  const touched = new Uint8Array(unitCount);
  const touchedCliques = new Uint8Array(cliques.count);
  for (const changed of [slot, tree.slots.length - 1]) {
    const { leaf, label } = tree.slots[changed]!;
    if (label === before) continue;
    for (const u of unitsOf(leaf, costs)) {
      touched[u] = 1;
      for (let p = edges.start[u]!; p < edges.start[u + 1]!; p++) touched[edges.other[p]!] = 1;
      for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) touchedCliques[cliques.of.items[p]!] = 1;
    }
  }
  const isTouched = (u: number): boolean => {
    if (touched[u] === 1) return true;
    for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) {
      if (touchedCliques[cliques.of.items[p]!] === 1) return true;
    }
    return false;
  };
  for (const row of rows) if (isTouched(unit[row]!)) tree.slots[tree.slotOf[row]!]!.known = null;
}

/*
 * A leaf is a set of rows that never changes. The root sorts the columns once. A split distributes the sorted rows and keeps their order.
 */

export interface Leaf {
  readonly size: number;
  /** Total weight of the rows; equals `size` if all rows have weight 1. */
  readonly weight: number;
  /** The rows sorted by each test column, largest value first: test columns × size. */
  readonly order: Int32Array;
  /** The mean of each number column whose variance counts. */
  readonly means: Float64Array;
  /** Variance times weight, summed over the columns whose variance counts. */
  readonly scatter: number;
  drops: Drops | null;
  /** For each test column: the gain of its best split without constraints to other leaves. Infinity if unknown. */
  readonly innerGain: Float64Array;
  units: Int32Array | null;
}

export interface Cut {
  readonly test: number;
  /** Rows with at least this rank pass the test. Not used for tests of nominal columns. */
  readonly from: number;
  /** The largest rank of the rows that fail the test. Not used for tests of nominal columns. */
  readonly below: number;
  /** For nominal columns: the ranks of the levels that pass the test. Null for number columns. */
  readonly among: readonly number[] | null;
}

export function passes(cut: Cut, { rank }: TestColumn, row: number): boolean {
  return cut.among ? cut.among.includes(rank[row]!) : rank[row]! >= cut.from;
}

function rootLeaf(space: Space): Leaf {
  const { n, tests } = space;
  const order = new Int32Array(tests.length * n);
  tests.forEach(({ rank, values }, c) => {
    // A counting sort by descending rank keeps equal rows in row order.
    const next = new Int32Array(values.length + 1);
    for (let i = 0; i < n; i++) next[values.length - 1 - rank[i]! + 1]!++;
    for (let v = 0; v < values.length; v++) next[v + 1]! += next[v]!;
    for (let i = 0; i < n; i++) order[c * n + next[values.length - 1 - rank[i]!]!++] = i;
  });
  return leafOf(space, order, n);
}

export function rowsOf({ order, size }: Leaf): Int32Array {
  return order.subarray(0, size);
}

/** Splits a leaf into two leaves: the rows that pass the test, and the other rows. side: work space, one flag per row of the table. */
function splitLeaf(space: Space, leaf: Leaf, cut: Cut, side: Uint8Array): readonly [Leaf, Leaf] {
  const { tests } = space;
  const test = tests[cut.test]!;
  let passing = 0;
  for (const row of rowsOf(leaf)) {
    side[row] = passes(cut, test, row) ? 1 : 0;
    passing += side[row]!;
  }
  const { size, order } = leaf;
  const first = new Int32Array(tests.length * passing);
  const second = new Int32Array(tests.length * (size - passing));
  let p = 0;
  let q = 0;
  for (let e = 0; e < tests.length * size; e++) {
    const row = order[e]!;
    if (side[row] === 1) first[p++] = row;
    else second[q++] = row;
  }
  return [leafOf(space, first, passing), leafOf(space, second, size - passing)];
}

function leafOf(space: Space, order: Int32Array, size: number): Leaf {
  const rows = order.subarray(0, size);
  const weight = weightOf(space, rows);
  const means = meansOf(space, rows, weight);
  const innerGain = new Float64Array(space.tests.length).fill(Infinity);
  return { size, weight, order, means, scatter: scatterOf(space, rows, weight, means), drops: null, innerGain, units: null };
}

function weightOf({ weight }: Space, rows: Int32Array): number {
  return weight ? rows.reduce((sum, row) => sum + weight[row]!, 0) : rows.length;
}

function meansOf({ weightedY, width }: Space, rows: Int32Array, weight: number): Float64Array {
  const means = new Float64Array(width);
  for (let r = 0; r < rows.length; r++) {
    for (let j = 0, p = rows[r]! * width; j < width; j++, p++) means[j]! += weightedY[p]!;
  }
  for (let j = 0; j < width; j++) means[j]! /= weight;
  return means;
}

function scatterOf({ y, width, weight, levels }: Space, rows: Int32Array, total: number, means: Float64Array): number {
  let scatter = 0;
  for (let r = 0; r < rows.length; r++) {
    const each = weight ? weight[rows[r]!]! : 1;
    for (let j = 0, p = rows[r]! * width; j < width; j++, p++) {
      const t = y[p]! - means[j]!;
      scatter += each * (t * t);
    }
  }
  for (const { codes, count } of levels) {
    const counts = new Float64Array(count);
    for (let r = 0; r < rows.length; r++) counts[codes[rows[r]!]!]! += weight ? weight[rows[r]!]! : 1;
    let squares = 0;
    for (const c of counts) squares += c * c;
    scatter += total - squares / total;
  }
  return scatter;
}

/*
 * The constraints of one leaf, as BestSplit needs them (struyf2006, section 3.4). α constraints are inside the leaf, counted by unit. β
 * constraints are to other leaves, summed by unit and label. Computed once per search of a leaf, and used for all columns.
 */

/** The constraints of one leaf, for the search of its best split. A unit is given by its index in the list of units of the leaf. */
export interface LeafLinks {
  readonly inside: Int32Array;
  readonly mustWeight: Float64Array;
  readonly edgeStart: Int32Array;
  readonly edgeOther: Int32Array;
  readonly edgeWeight: Float64Array;
  readonly cliqueStart: Int32Array;
  readonly cliqueItems: Int32Array;
  /**
   * β constraints (to other leaves), by unit. `betaLabel`: the labels of other leaves to which the unit has constraints. For one row of the
   * unit and each of these labels: the cost (`betaCost`) and the number of must-links (`betaLinks`).
   */
  readonly betaStart: Int32Array;
  readonly betaLabel: Int32Array;
  readonly betaCost: Float64Array;
  readonly betaLinks: Float64Array;
  /** By unit: the weight of the must-links from one row of the unit to rows in other leaves. */
  readonly fresh: Float64Array;
  readonly outward: Outward;
  readonly together: number;
  readonly before: number;
  /**
   * Upper bound of the decrease of violated weight by a split: `before` minus the least weight of β constraints that any two labels
   * violate.
   */
  readonly ceiling: number;
}

/** Work space with one entry per row, unit or clique. All leaves use the same work space, one after the other. */
export interface LinkScratch {
  /** By row: the index of its unit in the list of the leaf; -1 if the row has no unit. */
  readonly localOf: Int32Array;
  /** By unit: its index in the list of the leaf; reset to -1 after each use. */
  readonly placeOf: Int32Array;
  /**
   * By clique. `cliqueInside`: number of its rows in the leaf. `cliqueMoved`: number of these rows on the passing side of the tested split.
   */
  readonly cliqueInside: Int32Array;
  readonly cliqueMoved: Int32Array;
}

export function linkScratch(n: number, costs: PairCosts): LinkScratch {
  return {
    localOf: new Int32Array(n).fill(-1),
    placeOf: new Int32Array(costs.unitCount).fill(-1),
    cliqueInside: new Int32Array(costs.cliques.count),
    cliqueMoved: new Int32Array(costs.cliques.count),
  };
}

interface Place {
  readonly tree: GrowingTree;
  readonly costs: PairCosts;
  readonly slot: number;
  readonly scratch: LinkScratch;
  readonly units: Int32Array;
  readonly inside: Int32Array;
}

export function leafLinks(
  tree: GrowingTree,
  costs: PairCosts,
  slot: number,
  labels: Pick<Outward, "others" | "free" | "linkedOnly">,
  scratch: LinkScratch,
): LeafLinks {
  const { leaf, label } = tree.slots[slot]!;
  const units = unitsOf(leaf, costs);
  const inside = countInside(leaf, units, costs, scratch);
  const place: Place = { tree, costs, slot, scratch, units, inside };
  const local = localEdges(place);
  const beta = betaOf(place, labels.others);
  const outward = outwardOf(place, labels, beta);
  const together = pairsTogether(place, local) + correctionsTogether(place, outward, leaf);
  const hasLabel = labels.others.includes(label);
  const before = together + outward.freshOfAll + (hasLabel ? outward.costOfAll[label]! : 0);
  for (const u of units) scratch.placeOf[u] = -1;
  const ceiling = before - (costs.pairs.other.length > 0 ? 0 : leastOutward(outward, beta, inside));
  return {
    inside,
    mustWeight: Float64Array.from(units, (u) => costs.mustWeight[u]!),
    ...local,
    ...beta,
    outward,
    together,
    before,
    ceiling,
  };
}

function countInside(leaf: Leaf, units: Int32Array, { unit, cliques }: PairCosts, scratch: LinkScratch): Int32Array {
  const { placeOf, localOf, cliqueInside } = scratch;
  units.forEach((u, place) => {
    placeOf[u] = place;
    for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) cliqueInside[cliques.of.items[p]!] = 0;
  });
  const inside = new Int32Array(units.length);
  for (const row of rowsOf(leaf)) {
    const u = unit[row]!;
    const place = u < 0 ? -1 : placeOf[u]!;
    localOf[row] = place;
    if (place >= 0) inside[place]!++;
  }
  units.forEach((u, place) => {
    for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) cliqueInside[cliques.of.items[p]!]! += inside[place]!;
  });
  return inside;
}

type LocalEdges = Pick<LeafLinks, "edgeStart" | "edgeOther" | "edgeWeight" | "cliqueStart" | "cliqueItems">;

function localEdges({ costs, units, scratch }: Place): LocalEdges {
  const { edges, cliques } = costs;
  const edgeStart = new Int32Array(units.length + 1);
  const cliqueStart = new Int32Array(units.length + 1);
  const other: number[] = [];
  const weight: number[] = [];
  const items: number[] = [];
  units.forEach((u, place) => {
    for (let p = edges.start[u]!; p < edges.start[u + 1]!; p++) {
      const there = scratch.placeOf[edges.other[p]!]!;
      if (there < 0) continue;
      other.push(there);
      weight.push(edges.weight[p]!);
    }
    for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) items.push(cliques.of.items[p]!);
    edgeStart[place + 1] = other.length;
    cliqueStart[place + 1] = items.length;
  });
  return {
    edgeStart,
    edgeOther: Int32Array.from(other),
    edgeWeight: Float64Array.from(weight),
    cliqueStart,
    cliqueItems: Int32Array.from(items),
  };
}

type Beta = Pick<LeafLinks, "betaStart" | "betaLabel" | "betaCost" | "betaLinks" | "fresh">;

interface BetaLists {
  readonly labels: number[];
  readonly costs: number[];
  readonly links: number[];
  /** By label: its index in `labels`. `start` is the first index of the current unit, and lower indices belong to earlier units. */
  readonly at: Int32Array;
  start: number;
}

function addBeta({ labels, costs, links, at, start }: BetaLists, label: number, cost: number, linked: number): void {
  const place = at[label]!;
  if (place >= start && labels[place] === label) {
    costs[place]! += cost;
    links[place]! += linked;
    return;
  }
  at[label] = labels.push(label) - 1;
  costs.push(cost);
  links.push(linked);
}

function betaOf(place: Place, others: Int32Array): Beta {
  const { tree, units } = place;
  const lists: BetaLists = { labels: [], costs: [], links: [], at: new Int32Array(tree.stride).fill(-1), start: 0 };
  const betaStart = new Int32Array(units.length + 1);
  const fresh = new Float64Array(units.length);
  for (let e = 0; e < units.length; e++) {
    lists.start = lists.labels.length;
    fresh[e] = addMusts(place, others, e, lists);
    addEdges(place, others, e, lists);
    addCliques(place, others, e, lists);
    betaStart[e + 1] = lists.labels.length;
  }
  return {
    betaStart,
    betaLabel: Int32Array.from(lists.labels),
    betaCost: Float64Array.from(lists.costs),
    betaLinks: Float64Array.from(lists.links),
    fresh,
  };
}

/** Adds the must-links between one row of the unit and the rows of the unit in other leaves. Returns their weight. */
function addMusts(place: Place, others: Int32Array, e: number, lists: BetaLists): number {
  const { costs, units } = place;
  const u = units[e]!;
  if (costs.onlyRow[u]! >= 0) return 0;
  let fresh = 0;
  for (let o = 0; o < others.length; o++) {
    const rows = rowsElsewhere(place, u, others[o]!);
    if (rows === 0) continue;
    const weight = costs.mustWeight[u]! * rows;
    addBeta(lists, others[o]!, -weight, rows);
    fresh += weight;
  }
  return fresh;
}

function addEdges(place: Place, others: Int32Array, e: number, lists: BetaLists): void {
  const { tree, costs, slot, units } = place;
  const { edges, onlyRow } = costs;
  const u = units[e]!;
  for (let p = edges.start[u]!; p < edges.start[u + 1]!; p++) {
    const v = edges.other[p]!;
    const weight = edges.weight[p]!;
    const row = onlyRow[v]!;
    if (row >= 0) {
      if (tree.slotOf[row] !== slot) addBeta(lists, tree.labelOf[row]!, weight, 0);
      continue;
    }
    for (let o = 0; o < others.length; o++) {
      const rows = rowsElsewhere(place, v, others[o]!);
      if (rows > 0) addBeta(lists, others[o]!, weight * rows, 0);
    }
  }
}

function addCliques(place: Place, others: Int32Array, e: number, lists: BetaLists): void {
  const { tree, costs, slot, scratch, units } = place;
  const { of, weight } = costs.cliques;
  const own = tree.slots[slot]!.label;
  const u = units[e]!;
  for (let p = of.start[u]!; p < of.start[u + 1]!; p++) {
    const q = of.items[p]!;
    for (let o = 0; o < others.length; o++) {
      const label = others[o]!;
      const inLeaf = label === own ? scratch.cliqueInside[q]! : 0;
      const rows = tree.cliqueCounts[q * tree.stride + label]! - inLeaf - rowsElsewhere(place, u, label);
      if (rows > 0) addBeta(lists, label, weight[q]! * rows, 0);
    }
  }
}

function rowsElsewhere({ tree, slot, scratch, inside }: Place, unit: number, label: number): number {
  const all = tree.unitCounts[unit * tree.stride + label]!;
  if (label !== tree.slots[slot]!.label) return all;
  const here = scratch.placeOf[unit]!;
  return here < 0 ? all : all - inside[here]!;
}

function outwardOf({ tree, inside }: Place, labels: Pick<Outward, "others" | "free" | "linkedOnly">, beta: Beta): Outward {
  const make = (): Float64Array => new Float64Array(tree.stride);
  const outward: Outward = {
    ...labels,
    cost: make(),
    costOfAll: make(),
    links: make(),
    linksOfAll: make(),
    fresh: 0,
    freshOfAll: 0,
  };
  inside.forEach((rows, place) => {
    for (let p = beta.betaStart[place]!; p < beta.betaStart[place + 1]!; p++) {
      outward.costOfAll[beta.betaLabel[p]!]! += rows * beta.betaCost[p]!;
      outward.linksOfAll[beta.betaLabel[p]!]! += rows * beta.betaLinks[p]!;
    }
    outward.freshOfAll += rows * beta.fresh[place]!;
  });
  return outward;
}

/**
 * The least weight of must-links to other leaves that a split violates. It is the weight of all these must-links minus the largest weight
 * that two labels can satisfy.
 */
function leastOutward({ others, free, linkedOnly, linksOfAll, freshOfAll }: Outward, beta: Beta, inside: Int32Array): number {
  const satisfied = new Float64Array(linksOfAll.length);
  inside.forEach((rows, place) => {
    for (let p = beta.betaStart[place]!; p < beta.betaStart[place + 1]!; p++) {
      if (beta.betaCost[p]! < 0) satisfied[beta.betaLabel[p]!]! -= rows * beta.betaCost[p]!;
    }
  });
  let most = free > 0 ? 0 : -Infinity;
  let next = free > 1 ? 0 : -Infinity;
  for (const label of others) {
    if (linkedOnly && linksOfAll[label] === 0) continue;
    const here = satisfied[label]!;
    if (here > most) next = most;
    else if (here > next) next = here;
    most = Math.max(most, here);
  }
  return most + next > 0 ? Math.max(0, freshOfAll - most - next) : freshOfAll;
}

/** The weight of violated cannot-links inside the leaf. Each cannot-link is counted from both ends, so the sum is halved. */
function pairsTogether({ costs, scratch, inside }: Place, local: LocalEdges): number {
  let twice = 0;
  inside.forEach((rows, place) => {
    for (let p = local.edgeStart[place]!; p < local.edgeStart[place + 1]!; p++) {
      twice += local.edgeWeight[p]! * rows * inside[local.edgeOther[p]!]!;
    }
    for (let p = local.cliqueStart[place]!; p < local.cliqueStart[place + 1]!; p++) {
      const q = local.cliqueItems[p]!;
      twice += costs.cliques.weight[q]! * rows * (scratch.cliqueInside[q]! - rows);
    }
  });
  return twice / 2;
}

/**
 * Adds the corrections of pairs with rows in other leaves to `outward`. Returns the weight of violated corrections inside the leaf. A
 * correction is a pair of rows with a weight of its own.
 */
function correctionsTogether({ tree, costs, slot }: Place, outward: Outward, leaf: Leaf): number {
  const { start, other, weight, must } = costs.pairs;
  if (other.length === 0) return 0;
  let twice = 0;
  for (const row of rowsOf(leaf)) {
    for (let p = start[row]!; p < start[row + 1]!; p++) {
      const there = other[p]!;
      if (tree.slotOf[there] === slot) {
        if (must[p] === 0) twice += weight[p]!;
      } else if (must[p] === 1) {
        outward.freshOfAll += weight[p]!;
        outward.costOfAll[tree.labelOf[there]!]! -= weight[p]!;
      } else outward.costOfAll[tree.labelOf[there]!]! += weight[p]!;
    }
  }
  return twice / 2;
}
