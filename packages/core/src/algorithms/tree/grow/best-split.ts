/**
 * BestSplit (struyf2006, figure 4): the splits of a leaf that lower H most, in one pass over each sorted column. Rows move
 * one by one to the passing side; the weight of violated α constraints and the sums of β constraints follow each move.
 *
 * Splits are compared in the order of the columns, from large values to small, then of the sets of levels; a later one must
 * be better by more than 1e-12. A column, a split or a leaf is left out when not even a split that broke as little with other
 * leaves as any can would do. How far a column reaches apart from other leaves never changes for a leaf: it is found in the first
 * pass, and a leaf whose neighbours have changed is passed over again in its few best columns only.
 */
import type { Steps } from "../../../steps/index.js";
import { type Drops, dropsOf, overSets, runsOf, startDrops } from "./drops.js";
import { type Candidate, type GrowingTree, isAlone, labelsOfOthers } from "./growing-tree.js";
import { chooseLabels, hasTwoLabels, type Outward } from "./label-rules.js";
import { type Cut, type Leaf, rowsOf } from "./leaf.js";
import { type LeafLinks, leafLinks } from "./leaf-links.js";
import { freeLabels, LEAST_GAIN, type Search } from "./search.js";

/** Work between two steps, in numbers looked at: some milliseconds. */
const STEP_WORK = 4_000_000;

/** Room for rounding in bounds that are put together from two numbers. */
const SLACK = LEAST_GAIN / 10;

/** Finds up to `width` of the leaf's best splits that lower H by more than `floor`, and remembers them in the slot. */
export function* lookAtLeaf(search: Search, tree: GrowingTree, slot: number, floor: number, width: number): Steps<void> {
  const here = tree.slots[slot]!;
  const others = labelsOfOthers(tree, slot);
  const free = freeLabels(search, tree, slot);
  const found: Candidate[] = [];
  let bound = 0;
  if (here.leaf.size >= 2 * search.minLeaf && (free > 0 || others.length > 1)) {
    const outward = { others, free, linkedOnly: search.labelRule === "linked" };
    const links = leafLinks(tree, search.costs, slot, outward, search.links);
    if (hasTwoLabels(links.outward)) bound = boundBefore(search, here.leaf, links);
    const drops = bound > floor ? yield* dropsSteps(search, here.leaf) : null;
    if (drops) bound = Math.min(bound, search.varianceFactor * drops.mostOfAll + search.violationFactor * links.ceiling);
    if (drops && bound > floor) {
      const scan: Scan = {
        search,
        tree,
        slot,
        leaf: here.leaf,
        drops,
        links,
        alpha: 0,
        moved: new Int32Array(links.inside.length),
        found,
        width,
        threshold: floor,
        below: -Infinity,
      };
      yield* scanSteps(scan);
      bound = Math.min(bound, found[0]?.gain ?? floor);
    }
  }
  const exact = found.length > 0 || bound <= LEAST_GAIN;
  here.known = { candidates: found, bound, exact, free, labelSet: tree.labelSet, alone: isAlone(tree, slot) };
  here.hope = found[0]?.gain ?? bound;
}

/** A bound that needs no pass over the columns: the leaf's whole variance, or what earlier passes found. */
function boundBefore(search: Search, { scatter, reach }: Leaf, links: LeafLinks): number {
  const { varianceFactor, violationFactor } = search;
  const farthest = reach.reduce((most, far) => Math.max(most, far), 0) + outwardRelief(search, links);
  return Math.min(varianceFactor * scatter + violationFactor * links.ceiling, farthest) + SLACK;
}

function* dropsSteps(search: Search, leaf: Leaf): Steps<Drops> {
  if (leaf.drops) return leaf.drops;
  const { space, minLeaf } = search;
  const drops = startDrops(space, leaf);
  for (let column = 0; column < space.tests.length; column++) {
    dropsOf(space, leaf, minLeaf, column, drops);
    search.work += leaf.size * (space.width + space.levels.length + 1);
    if (search.work > STEP_WORK) yield* rest(search);
  }
  leaf.drops = drops;
  return drops;
}

function* rest(search: Search): Steps<void> {
  search.work = 0;
  yield { phase: "splitting", done: search.done, total: null };
}

interface Scan {
  readonly search: Search;
  readonly tree: GrowingTree;
  readonly slot: number;
  readonly leaf: Leaf;
  readonly drops: Drops;
  readonly links: LeafLinks;
  /** Weight of violated α constraints. */
  alpha: number;
  /** Rows of each unit on the passing side. */
  readonly moved: Int32Array;
  /** Best first. */
  readonly found: Candidate[];
  readonly width: number;
  /** What a split must exceed. */
  threshold: number;
  /** A split that does not reach this is not the best. */
  below: number;
}

/** By how much H can fall at most by keeping more of the constraints to other leaves. */
function outwardRelief({ violationFactor }: Search, { ceiling, together }: LeafLinks): number {
  return violationFactor * (ceiling - together);
}

function* scanSteps(scan: Scan): Steps<void> {
  const { search, leaf } = scan;
  if (scan.width === 1) lookAhead(scan);
  for (let column = 0; column < search.space.tests.length; column++) {
    if (!mayWin(scan, column)) continue;
    scanColumn(scan, column);
    search.work += 4 * leaf.size;
    if (search.work > STEP_WORK) yield* rest(search);
  }
}

/** Passes over the column that reaches farthest, where that is known, so that columns that reach less than its best are left out. */
function lookAhead(scan: Scan): void {
  const { reach } = scan.leaf;
  const farthest = reach.reduce((best, far, column) => (far > reach[best]! ? column : best), 0);
  if (reach[farthest] === Infinity || !mayWin(scan, farthest)) return;
  const { threshold } = scan;
  scanColumn(scan, farthest);
  // Within two tolerances of the best, an earlier column may still come first.
  scan.below = (scan.found[0]?.gain ?? -Infinity) - 2 * LEAST_GAIN;
  scan.found.length = 0;
  scan.threshold = threshold;
}

function mayWin({ search, leaf, drops, links, threshold, below }: Scan, column: number): boolean {
  const most = drops.most[column]!;
  if (most < 0) return false;
  const { varianceFactor, violationFactor } = search;
  const free = varianceFactor * most + violationFactor * links.ceiling;
  const bound = Math.min(free, leaf.reach[column]! + outwardRelief(search, links) + SLACK);
  return bound > threshold && bound >= below;
}

function scanColumn(scan: Scan, column: number): void {
  allTogether(scan);
  const farthest = scan.drops.sets[column] ? scanSets(scan, column) : scanOrder(scan, column);
  scan.leaf.reach[column] = farthest - outwardRelief(scan.search, scan.links);
}

/** No row has moved yet. */
function allTogether(scan: Scan): void {
  const { outward, together } = scan.links;
  scan.alpha = together;
  scan.moved.fill(0);
  outward.cost.fill(0);
  outward.links.fill(0);
  outward.fresh = 0;
  const { cliqueMoved } = scan.search.links;
  for (const q of scan.links.cliqueItems) cliqueMoved[q] = 0;
  if (scan.search.costs.pairs.other.length > 0) for (const row of rowsOf(scan.leaf)) scan.search.side[row] = 0;
}

/** Returns how much the best split would gain if it broke as little with other leaves as any can. */
function scanOrder(scan: Scan, column: number): number {
  const { search, leaf, drops, links } = scan;
  const { localOf } = search.links;
  const { varianceFactor, violationFactor } = search;
  const { size, order } = leaf;
  const start = column * size;
  let farthest = 0;
  for (let p = 1; p < size; p++) {
    const row = order[start + p - 1]!;
    if (localOf[row]! >= 0) moveIn(scan, row);
    const drop = drops.at[start + p]!;
    if (drop < 0) continue;
    const most = varianceFactor * drop + violationFactor * (links.ceiling - scan.alpha);
    if (most > farthest) farthest = most;
    if (most > scan.threshold && most >= scan.below) judge(scan, drop, column, p, null);
  }
  return farthest;
}

/** Returns how much the best split would gain if it broke as little with other leaves as any can. */
function scanSets(scan: Scan, column: number): number {
  const { search, leaf, drops, links } = scan;
  const { localOf } = search.links;
  const { sets, drops: dropOf } = drops.sets[column]!;
  let farthest = 0;
  overSets(
    sets,
    runsOf(search.space, leaf, column),
    (row) => {
      if (localOf[row]! >= 0) moveIn(scan, row);
    },
    (row) => {
      if (localOf[row]! >= 0) moveOut(scan, row);
    },
    (s) => {
      const drop = dropOf[s]!;
      if (drop < 0) return;
      farthest = Math.max(farthest, search.varianceFactor * drop + search.violationFactor * (links.ceiling - scan.alpha));
      judge(scan, drop, column, 0, sets[s]!);
    },
  );
  return farthest;
}

/** Labels the two sides and keeps the split if it is good enough. */
function judge(scan: Scan, drop: number, column: number, place: number, among: readonly number[] | null): void {
  const { search, links, found } = scan;
  const { choice } = search.labels;
  chooseLabels(links.outward, search.labels);
  if (choice.violated === Infinity) return;
  const change = scan.alpha + choice.violated - links.before;
  const gain = search.varianceFactor * drop - search.violationFactor * change;
  if (!(gain > scan.threshold)) return;
  const cut = cutAt(scan, column, place, among);
  const candidate: Candidate = { slot: scan.slot, cut, first: choice.first, second: choice.second, gain, change };
  let at = found.length;
  while (at > 0 && found[at - 1]!.gain < gain - LEAST_GAIN) at--;
  found.splice(at, 0, candidate);
  if (found.length > scan.width) found.pop();
  if (found.length === scan.width) scan.threshold = Math.max(scan.threshold, found.at(-1)!.gain + LEAST_GAIN);
}

function cutAt({ search, leaf }: Scan, column: number, place: number, among: readonly number[] | null): Cut {
  if (among) return { test: column, from: 0, below: 0, among };
  const { rank } = search.space.tests[column]!;
  const at = column * leaf.size + place;
  return { test: column, from: rank[leaf.order[at - 1]!]!, below: rank[leaf.order[at]!]!, among: null };
}

/** A row of a unit moves to the passing side. */
function moveIn(scan: Scan, row: number): void {
  const { links, moved, search } = scan;
  const { outward } = links;
  const unit = search.links.localOf[row]!;
  scan.alpha += moveCost(scan, unit);
  moved[unit]!++;
  for (let p = links.cliqueStart[unit]!; p < links.cliqueStart[unit + 1]!; p++) {
    search.links.cliqueMoved[links.cliqueItems[p]!]!++;
  }
  for (let p = links.betaStart[unit]!; p < links.betaStart[unit + 1]!; p++) {
    const label = links.betaLabel[p]!;
    outward.cost[label]! += links.betaCost[p]!;
    outward.links[label]! += links.betaLinks[p]!;
  }
  outward.fresh += links.fresh[unit]!;
  const { start } = search.costs.pairs;
  if (start[row + 1]! > start[row]!) movePairs(scan, outward, row, 1);
}

/** A row of a unit moves back. */
function moveOut(scan: Scan, row: number): void {
  const { links, moved, search } = scan;
  const { outward } = links;
  const unit = search.links.localOf[row]!;
  moved[unit]!--;
  for (let p = links.cliqueStart[unit]!; p < links.cliqueStart[unit + 1]!; p++) {
    search.links.cliqueMoved[links.cliqueItems[p]!]!--;
  }
  scan.alpha -= moveCost(scan, unit);
  for (let p = links.betaStart[unit]!; p < links.betaStart[unit + 1]!; p++) {
    const label = links.betaLabel[p]!;
    outward.cost[label]! -= links.betaCost[p]!;
    outward.links[label]! -= links.betaLinks[p]!;
  }
  outward.fresh -= links.fresh[unit]!;
  const { start } = search.costs.pairs;
  if (start[row + 1]! > start[row]!) movePairs(scan, outward, row, -1);
}

/** What the move of one more row of the unit adds to the violated α constraints: links to those left less links to those met. */
function moveCost({ links, moved, search }: Scan, unit: number): number {
  const mine = moved[unit]!;
  const inside = links.inside[unit]!;
  let cost = links.mustWeight[unit]! * (inside - 1 - 2 * mine);
  for (let p = links.edgeStart[unit]!; p < links.edgeStart[unit + 1]!; p++) {
    const other = links.edgeOther[p]!;
    cost += links.edgeWeight[p]! * (2 * moved[other]! - links.inside[other]!);
  }
  const { cliqueInside, cliqueMoved } = search.links;
  for (let p = links.cliqueStart[unit]!; p < links.cliqueStart[unit + 1]!; p++) {
    const q = links.cliqueItems[p]!;
    cost += search.costs.cliques.weight[q]! * (2 * (cliqueMoved[q]! - mine) - (cliqueInside[q]! - inside));
  }
  return cost;
}

/** The corrections of a row that moves in (sign 1) or back (sign -1). */
function movePairs(scan: Scan, outward: Outward, row: number, sign: 1 | -1): void {
  const { tree, slot, search } = scan;
  const { start, other, weight, must } = search.costs.pairs;
  const { side } = search;
  for (let p = start[row]!; p < start[row + 1]!; p++) {
    const there = other[p]!;
    const charge = sign * weight[p]!;
    if (tree.slotOf[there] === slot) {
      // Moving in, a cannot-link to a row that has moved is newly broken, a must-link mended; and the other way about.
      scan.alpha += (side[there] === 1) === (must[p] === 0) ? charge : -charge;
    } else if (must[p] === 1) {
      outward.fresh += charge;
      outward.cost[tree.labelOf[there]!]! -= charge;
    } else outward.cost[tree.labelOf[there]!]! += charge;
  }
  side[row] = sign === 1 ? 1 : 0;
}
