/**
 * Searches for a tree of low H, the objective of ClusILC (clusilc.ts): global greedy refinement (struyf2006, figure 2). In each round, the
 * best splits of all leaves are compared, and the split that lowers H most is made. A beam search is available too.
 *
 * The best split of a leaf is stored. It becomes invalid if a row with constraints to the leaf gets another label, or if the free labels
 * change. A leaf is not searched if its upper bound is below the best gain so far.
 */
import { upTo } from "../../../linalg/indices.js";
import type { Steps } from "../../../steps/index.js";
import { type Drops, dropsOf, overSets, runsOf, startDrops } from "./drops.js";
import type { Candidate, Cut, GrowingTree, Leaf, LeafLinks, LinkScratch, Split } from "./growing-tree.js";
import { copyOf, isAlone, labelsOfOthers, leafLinks, linkScratch, refine, rootTree, rowsOf } from "./growing-tree.js";
import type { LabelRule, LabelScratch, Outward, PairCosts } from "./label-rules.js";
import { chooseLabels, hasTwoLabels, labelScratch } from "./label-rules.js";
import type { Space } from "./space.js";

/** Differences of the objective H up to this value are rounding errors. */
const LEAST_GAIN = 1e-12;

export interface GrowOptions extends SearchOptions {
  readonly maxLeaves: number;
  readonly beam: number;
}

export interface Grown {
  readonly splits: readonly Split[];
  readonly heights: readonly number[];
}

export function* grow(space: Space, costs: PairCosts, options: GrowOptions): Steps<Grown> {
  const tree = rootTree(space, costs);
  const search = searchOf(space, costs, tree.slots[0]!.leaf.scatter, options);
  tree.violated = violatedAtRoot(costs, tree);
  const atRoot = heuristic(search, tree);
  const beam = options.beam > 1 ? yield* growBeam(search, copyOf(tree), options.maxLeaves, options.beam) : undefined;
  const greedy = yield* growGreedily(search, tree, options.maxLeaves);
  // A beam search can lose the path of the greedy search, so the better of the two results is used.
  const best = beam && (beam.history.at(-1) ?? atRoot) < (greedy.history.at(-1) ?? atRoot) - LEAST_GAIN ? beam : greedy;
  return { splits: best.splits, heights: [atRoot, ...best.history] };
}

/** The weight of the constraints that a tree of one leaf violates: all cannot-links. */
function violatedAtRoot(
  { edges, cliques, pairs, unitCount }: PairCosts,
  { unitCounts, cliqueCounts, stride }: GrowingTree,
): number {
  let twice = 0;
  for (let u = 0; u < unitCount; u++) {
    const rows = unitCounts[u * stride]!;
    for (let p = edges.start[u]!; p < edges.start[u + 1]!; p++) {
      twice += edges.weight[p]! * rows * unitCounts[edges.other[p]! * stride]!;
    }
    for (let p = cliques.of.start[u]!; p < cliques.of.start[u + 1]!; p++) {
      const q = cliques.of.items[p]!;
      twice += cliques.weight[q]! * rows * (cliqueCounts[q * stride]! - rows);
    }
  }
  pairs.weight.forEach((weight, p) => {
    if (pairs.must[p] === 0) twice += weight;
  });
  return twice / 2;
}

function* growGreedily(search: Search, tree: GrowingTree, maxLeaves: number): Steps<GrowingTree> {
  while (tree.slots.length < maxLeaves) {
    const best = yield* bestOfAll(search, tree);
    if (!best) break;
    refine(tree, search.space, search.costs, best, search.side);
    const objective = heuristic(search, tree);
    tree.history = [...tree.history, objective];
    search.done = tree.splits.length;
    yield { phase: "splitting", done: search.done, total: null, objective };
  }
  return tree;
}

/**
 * Finds the best split of all leaves. Leaves with the largest `lastGain` are searched first. Leaves whose upper bound is too low are
 * skipped.
 */
function* bestOfAll(search: Search, tree: GrowingTree): Steps<Candidate | undefined> {
  forgetOutdated(search, tree);
  let best = LEAST_GAIN;
  for (const { known } of tree.slots) if (known?.exact) best = Math.max(best, known.candidates[0]?.gain ?? 0);
  const least = Math.max(LEAST_GAIN, best - LEAST_GAIN);
  const open = upTo(tree.slots.length).filter((slot) => {
    const { known } = tree.slots[slot]!;
    return !known || (!known.exact && known.bound > least);
  });
  open.sort((a, b) => tree.slots[b]!.lastGain - tree.slots[a]!.lastGain || a - b);
  for (const slot of open) {
    const { known } = tree.slots[slot]!;
    const floor = Math.max(LEAST_GAIN, best - LEAST_GAIN);
    if (known && known.bound <= floor) continue;
    yield* searchLeaf(search, tree, slot, floor, 1);
    best = Math.max(best, tree.slots[slot]!.known!.candidates[0]?.gain ?? 0);
  }
  let chosen: Candidate | undefined;
  for (const { known } of tree.slots) {
    const candidate = known?.candidates[0];
    if (candidate && (!chosen || candidate.gain > chosen.gain + LEAST_GAIN)) chosen = candidate;
  }
  return chosen;
}

/*
 * Beam search for a tree of low H. In each round the best splits of all leaves of `width` trees are compared, and the `width` best trees
 * remain. The search ends when no refined tree is among the best trees (Kocev, Struyf, Džeroski: Beam search induction and similarity
 * constraints for predictive clustering trees. KDID 2006).
 *
 * Two trees are equal if they have the same leaves, as sets of rows, and the same clusters.
 */

interface BeamTree {
  readonly tree: GrowingTree;
  readonly height: number;
  readonly signature: string;
}

interface Refinement {
  readonly from: BeamTree;
  readonly candidate: Candidate;
  readonly height: number;
}

function* growBeam(search: Search, root: GrowingTree, maxLeaves: number, width: number): Steps<GrowingTree> {
  const start = heuristic(search, root);
  let beam: readonly BeamTree[] = [{ tree: root, height: start, signature: signatureOf(root) }];
  const refined = new Set<GrowingTree>();
  for (let round = 1; ; round++) {
    const pending: Refinement[] = [];
    for (const from of beam) {
      if (refined.has(from.tree) || from.tree.slots.length >= maxLeaves) continue;
      refined.add(from.tree);
      pending.push(...(yield* refinements(search, from, width)));
    }
    const next = bestOf(search, beam, pending, width);
    if (next.every((kept) => beam.includes(kept))) return beam[0]!.tree;
    beam = next;
    search.done = round;
    yield { phase: "splitting", done: round, total: null, objective: beam[0]!.height };
  }
}

function* refinements(search: Search, from: BeamTree, width: number): Steps<Refinement[]> {
  const { tree, height } = from;
  forgetOutdated(search, tree);
  const found: Refinement[] = [];
  for (let slot = 0; slot < tree.slots.length; slot++) {
    if (!tree.slots[slot]!.known) yield* searchLeaf(search, tree, slot, LEAST_GAIN, width);
    for (const candidate of tree.slots[slot]!.known!.candidates) {
      found.push({ from, candidate, height: height - candidate.gain });
    }
  }
  return found;
}

/** The `width` best trees among the current trees and their refinements. Builds a refined tree only if it can be one of them. */
function bestOf(search: Search, beam: readonly BeamTree[], pending: readonly Refinement[], width: number): readonly BeamTree[] {
  const seen = new Set(beam.map(({ signature }) => signature));
  const queue: (BeamTree | Refinement)[] = [...beam, ...pending];
  const rounded = ({ height }: BeamTree | Refinement): number => Math.round(height / LEAST_GAIN);
  queue.sort((a, b) => rounded(a) - rounded(b));
  const best: BeamTree[] = [];
  for (const item of queue) {
    if (best.length === width) break;
    if ("tree" in item) {
      best.push(item);
      continue;
    }
    const tree = copyOf(item.from.tree);
    refine(tree, search.space, search.costs, item.candidate, search.side);
    const height = heuristic(search, tree);
    tree.history = [...tree.history, height];
    const signature = signatureOf(tree);
    if (seen.has(signature)) continue;
    seen.add(signature);
    best.push({ tree, height, signature });
  }
  return best;
}

/** Modulus of the hashes of row sets. The sum of two hashes stays below 2⁵³ and is therefore exact. */
const MODULUS = 2 ** 52;

/** A signature of a tree. Trees with equal leaves and clusters have the same signature, even if the numbers of leaves and labels differ. */
function signatureOf({ slots }: GrowingTree): string {
  const leaves = slots.map(({ leaf, label }) => ({ rows: sumOfRows(rowsOf(leaf)), label }));
  const clusters = new Map<number, number>();
  for (const { rows, label } of leaves) clusters.set(label, ((clusters.get(label) ?? 0) + rows) % MODULUS);
  return leaves
    .map(({ rows, label }) => `${rows}.${clusters.get(label)}`)
    .sort()
    .join(" ");
}

/** The sum of hashed row numbers: equal for equal sets, and almost never equal for different sets. */
function sumOfRows(rows: Int32Array): number {
  let sum = 0;
  for (const row of rows) {
    const low = Math.imul(row + 1, 0x9e3779b1) >>> 0;
    const high = Math.imul(low ^ (low >>> 15), 0x85ebca6b) >>> 12;
    sum = (sum + high * 4294967296 + low) % MODULUS;
  }
  return sum;
}

/*
 * BestSplit (struyf2006, figure 4): finds the splits of a leaf that lower H most, in one pass over each sorted column. α constraints are
 * inside the leaf, β constraints are to other leaves. Rows move one by one to the passing side. Each move updates the weight of violated α
 * constraints and the sums of β constraints.
 *
 * Splits are compared in column order, from large to small values; sets of levels come last. A later split must be better by more than
 * 1e-12. A column, a split or a leaf is skipped if its upper bound is too low. The upper bound is the gain if the labels violate as few β
 * constraints as possible.
 *
 * The gain without β constraints never changes, so it is stored at the first scan. When the neighbours of a leaf change, only its few best
 * columns are scanned again.
 */

/** Finds up to `width` of the best splits of a leaf that lower H by more than `floor`. Stores them in the slot. */
function* searchLeaf(search: Search, tree: GrowingTree, slot: number, floor: number, width: number): Steps<void> {
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
  here.lastGain = found[0]?.gain ?? bound;
}

/** Tolerance for rounding in bounds that are sums of two numbers. */
const SLACK = LEAST_GAIN / 10;

/** An upper bound of the gain of a leaf, without a scan of columns. Computed from its variance or from earlier scans. */
function boundBefore(search: Search, { scatter, innerGain }: Leaf, links: LeafLinks): number {
  const { varianceFactor, violationFactor } = search;
  const highest = innerGain.reduce((most, far) => Math.max(most, far), 0) + outwardRelief(search, links);
  return Math.min(varianceFactor * scatter + violationFactor * links.ceiling, highest) + SLACK;
}

/** Numbers read in one step, some milliseconds; after each step the generator yields. */
const STEP_WORK = 4_000_000;

function* dropsSteps(search: Search, leaf: Leaf): Steps<Drops> {
  if (leaf.drops) return leaf.drops;
  const { space, minLeaf } = search;
  const drops = startDrops(space, leaf);
  for (let column = 0; column < space.tests.length; column++) {
    dropsOf(space, leaf, minLeaf, column, drops);
    search.work += leaf.size * (space.width + space.levels.length + 1);
    if (search.work > STEP_WORK) yield* pause(search);
  }
  leaf.drops = drops;
  return drops;
}

function* pause(search: Search): Steps<void> {
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
  alpha: number;
  readonly moved: Int32Array;
  /** The best splits found so far, the best split first. */
  readonly found: Candidate[];
  readonly width: number;
  /** Only splits with a larger gain are stored. */
  threshold: number;
  /** A split cannot be the best if its upper bound is smaller. */
  below: number;
}

/** The largest possible decrease of H from satisfying more β constraints (constraints to other leaves). */
function outwardRelief({ violationFactor }: Search, { ceiling, together }: LeafLinks): number {
  return violationFactor * (ceiling - together);
}

function* scanSteps(scan: Scan): Steps<void> {
  const { search, leaf } = scan;
  if (scan.width === 1) lookAhead(scan);
  for (let column = 0; column < search.space.tests.length; column++) {
    if (!canWin(scan, column)) continue;
    scanColumn(scan, column);
    search.work += 4 * leaf.size;
    if (search.work > STEP_WORK) yield* pause(search);
  }
}

/** Scans the column with the largest bound first. Later, columns whose bound is below its best gain are skipped. */
function lookAhead(scan: Scan): void {
  const { innerGain } = scan.leaf;
  const highest = innerGain.reduce((best, far, column) => (far > innerGain[best]! ? column : best), 0);
  if (innerGain[highest] === Infinity || !canWin(scan, highest)) return;
  const { threshold } = scan;
  scanColumn(scan, highest);
  // An earlier column can still win if gains differ by less than two tolerances.
  scan.below = (scan.found[0]?.gain ?? -Infinity) - 2 * LEAST_GAIN;
  scan.found.length = 0;
  scan.threshold = threshold;
}

function canWin({ search, leaf, drops, links, threshold, below }: Scan, column: number): boolean {
  const most = drops.most[column]!;
  if (most < 0) return false;
  const { varianceFactor, violationFactor } = search;
  const free = varianceFactor * most + violationFactor * links.ceiling;
  const bound = Math.min(free, leaf.innerGain[column]! + outwardRelief(search, links) + SLACK);
  return bound > threshold && bound >= below;
}

function scanColumn(scan: Scan, column: number): void {
  resetScan(scan);
  const highest = scan.drops.sets[column] ? scanSets(scan, column) : scanOrder(scan, column);
  scan.leaf.innerGain[column] = highest - outwardRelief(scan.search, scan.links);
}

function resetScan(scan: Scan): void {
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

function scanOrder(scan: Scan, column: number): number {
  const { search, leaf, drops, links } = scan;
  const { localOf } = search.links;
  const { varianceFactor, violationFactor } = search;
  const { size, order } = leaf;
  const start = column * size;
  let highest = 0;
  for (let p = 1; p < size; p++) {
    const row = order[start + p - 1]!;
    if (localOf[row]! >= 0) moveIn(scan, row);
    const drop = drops.at[start + p]!;
    if (drop < 0) continue;
    const most = varianceFactor * drop + violationFactor * (links.ceiling - scan.alpha);
    if (most > highest) highest = most;
    if (most > scan.threshold && most >= scan.below) tryCandidate(scan, drop, column, p, null);
  }
  return highest;
}

function scanSets(scan: Scan, column: number): number {
  const { search, leaf, drops, links } = scan;
  const { localOf } = search.links;
  const { sets, drops: dropOf } = drops.sets[column]!;
  let highest = 0;
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
      highest = Math.max(highest, search.varianceFactor * drop + search.violationFactor * (links.ceiling - scan.alpha));
      tryCandidate(scan, drop, column, 0, sets[s]!);
    },
  );
  return highest;
}

function tryCandidate(scan: Scan, drop: number, column: number, place: number, among: readonly number[] | null): void {
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

/**
 * The change of the weight of violated constraints inside the leaf, if one more row of the unit moves. Must-links: their weight to rows
 * that stay, minus their weight to rows that have moved. Cannot-links: the reverse.
 */
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

/**
 * Updates the cost of pairs with a weight of their own when `row` moves to the other side of the split. sign: 1 for the move, -1 to undo
 * the move.
 */
function movePairs(scan: Scan, outward: Outward, row: number, sign: 1 | -1): void {
  const { tree, slot, search } = scan;
  const { start, other, weight, must } = search.costs.pairs;
  const { side } = search;
  for (let p = start[row]!; p < start[row + 1]!; p++) {
    const there = other[p]!;
    const charge = sign * weight[p]!;
    if (tree.slotOf[there] === slot) {
      // If the other row has moved too, a cannot-link becomes violated and a must-link satisfied. If the other row stays, the reverse.
      scan.alpha += (side[there] === 1) === (must[p] === 0) ? charge : -charge;
    } else if (must[p] === 1) {
      outward.fresh += charge;
      outward.cost[tree.labelOf[there]!]! -= charge;
    } else outward.cost[tree.labelOf[there]!]! += charge;
  }
  side[row] = sign === 1 ? 1 : 0;
}

interface Search {
  readonly space: Space;
  readonly costs: PairCosts;
  readonly k: number;
  readonly minLeaf: number;
  readonly labelRule: LabelRule;
  /** H = varianceFactor · scatter + violationFactor · violated weight. */
  readonly varianceFactor: number;
  readonly violationFactor: number;
  readonly links: LinkScratch;
  readonly labels: LabelScratch;
  /** For each row: its side in a split, 0 or 1. */
  readonly side: Uint8Array;
  /** `work`: numbers read since the last yield. `done`: number of splits, for progress reports. */
  work: number;
  done: number;
}

interface SearchOptions extends Pick<Search, "k" | "minLeaf" | "labelRule"> {
  readonly gamma: number;
}

/** Prepares the search. scatter: the variance of the whole table times its weight. H uses it as a unit. */
function searchOf(space: Space, costs: PairCosts, scatter: number, options: SearchOptions): Search {
  const { k, gamma, minLeaf, labelRule } = options;
  return {
    space,
    costs,
    k,
    minLeaf,
    labelRule,
    varianceFactor: scatter > 0 ? (1 - gamma) / scatter : 0,
    violationFactor: costs.total > 0 ? gamma / costs.total : 0,
    links: linkScratch(space.n, costs),
    labels: labelScratch(),
    side: new Uint8Array(space.n),
    work: 0,
    done: 0,
  };
}

/** Number of labels that no other leaf uses, at most two: a split needs no more. */
function freeLabels({ k }: Search, tree: GrowingTree, slot: number): number {
  const others = tree.labelCount - (isAlone(tree, slot) ? 1 : 0);
  return Math.max(0, Math.min(2, k - others));
}

function heuristic({ varianceFactor, violationFactor }: Search, { slots, violated }: GrowingTree): number {
  let scatter = 0;
  for (const { leaf } of slots) scatter += leaf.scatter;
  return varianceFactor * scatter + violationFactor * violated;
}

/**
 * Clears outdated search results. A result is outdated if the number of free labels changed. With the rule "any", also if the set of labels
 * changed.
 */
function forgetOutdated(search: Search, tree: GrowingTree): void {
  tree.slots.forEach((slot, index) => {
    if (!slot.known) return;
    const { free, labelSet, alone } = slot.known;
    const same = search.labelRule === "linked" || (labelSet === tree.labelSet && alone === isAlone(tree, index));
    if (!same || freeLabels(search, tree, index) !== free) slot.known = null;
  });
}
