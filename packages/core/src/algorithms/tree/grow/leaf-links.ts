/**
 * The constraints of one leaf, as BestSplit needs them (struyf2006, section 3.4): α constraints inside the leaf, counted by unit, and β
 * constraints to other leaves, summed by unit and label. Computed once per leaf search and used for all columns.
 */

import { type GrowingTree, type Leaf, rowsOf, unitsOf } from "./growing-tree.js";
import type { Outward, PairCosts } from "./label-rules.js";

/** Units are numbered by their index in the leaf's own list. */
export interface LeafLinks {
  /** Number of rows of each unit in the leaf. */
  readonly inside: Int32Array;
  readonly mustWeight: Float64Array;
  /** Edges with both units in the leaf. */
  readonly edgeStart: Int32Array;
  readonly edgeOther: Int32Array;
  readonly edgeWeight: Float64Array;
  readonly cliqueStart: Int32Array;
  readonly cliqueItems: Int32Array;
  /** β constraints: for each unit, the labels with the cost and the must-links of one row of the unit. */
  readonly betaStart: Int32Array;
  readonly betaLabel: Int32Array;
  readonly betaCost: Float64Array;
  readonly betaLinks: Float64Array;
  /** By unit: the weight of the must-links from one of its rows to other leaves. */
  readonly fresh: Float64Array;
  readonly outward: Outward;
  /** Weight of the violated α constraints while all rows are on one side. */
  readonly together: number;
  /** Weight of the violated constraints of the leaf's rows, with the leaf's present label. */
  readonly before: number;
  /** `before` minus the least weight of β constraints that any two labels violate: the largest possible decrease by a split. */
  readonly ceiling: number;
}

/** Work space of the size of the data, used by one leaf at a time. */
export interface LinkScratch {
  /** By row: the index of its unit in the leaf's list, -1 for rows without a unit. */
  readonly localOf: Int32Array;
  /** By unit: its index in the leaf's list; -1 between uses. */
  readonly placeOf: Int32Array;
  /** By clique: the number of its rows in the leaf, and how many of these have moved. */
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

/** Lists of labels with their costs and must-links, filled unit by unit. */
interface BetaLists {
  readonly labels: number[];
  readonly costs: number[];
  readonly links: number[];
  /** By label: its index in the list. Valid only if at least `start`, the first index of the present unit. */
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

/** Adds the must-links from one row of the unit to its rows in other leaves, and returns their weight. All pairs of a unit are linked. */
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

/** The number of rows of a unit with a label outside the leaf. */
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
 * The least weight that any pair of labels violates: all must-links, minus the most that two labels can satisfy. A new label satisfies
 * none.
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

/** Violated cannot-links inside the leaf. Each is counted from both ends, so the sum is halved. */
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

/** Adds corrections of pairs with other leaves to `outward`, and returns the weight of violated corrections inside the leaf. */
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
