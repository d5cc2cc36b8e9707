/**
 * Pruning against overfitting: only the first splits of the tree are used. A cost per leaf or held-out constraints decide how many. Both
 * ways compare the trees after every split. So a split with a small gain remains if later splits gain enough.
 *
 * The second part builds the result tree from the list of splits.
 */

import { closeConstraints } from "../../../constraints/index.js";
import { entriesWhere } from "../../../constraints/sets.js";
import { upTo } from "../../../linalg/indices.js";
import type { ConstraintSet, KnownLabels, Links } from "../../../model/constraint-set.js";
import type { Notation } from "../../../model/notation.js";
import type { Instances } from "../../../model/points.js";
import type { ClusterTree, TreeNode, TreeTest } from "../../../model/tree.js";
import type { Random } from "../../../random/index.js";
import { leastAt } from "../../../structures/search.js";
import type { Grown } from "./grow.js";
import { type Cut, passes, type Split } from "./growing-tree.js";
import type { Space } from "./space.js";

/** Tolerance in seconds for recognising whole seconds. Times are stored in days, so they have rounding errors. */
const ROUNDING = 1e-3;

/** The number of splits that minimises H + leafCost · leaves; on ties the fewest splits. */
export function splitCountByCost({ heights }: Grown, leafCost: number): number {
  if (leafCost === 0) return heights.length - 1;
  return leastAt(heights.map((height, splits) => height + leafCost * (splits + 1)));
}

/** The constraints that one validation round holds out. All constraints count equally, regardless of their weight. */
export interface HeldOut {
  readonly mustLinks: readonly (readonly [number, number])[];
  readonly cannotLinks: readonly (readonly [number, number])[];
  readonly labels: readonly (readonly [row: number, code: number])[];
  readonly count: number;
}

export interface HoldOut {
  readonly kept: ConstraintSet;
  readonly held: HeldOut;
}

/**
 * Splits constraints into validation rounds. Each round holds out a share of the links and labels. Together the rounds hold out nearly
 * every constraint once, because a single small share is a weak test. A held-out constraint is left out if it follows from the other
 * constraints.
 */
export function holdOuts(set: ConstraintSet, share: number, random: Random): readonly HoldOut[] {
  const all = set.mustLinks.a.length + set.cannotLinks.a.length + set.labels.row.length;
  const order = random.sample(all, all);
  const size = Math.round(share * all);
  return Array.from({ length: Math.floor(1 / share) }, (_, round) => holdOut(set, order.slice(round * size, (round + 1) * size)));
}

/** Makes one validation round. out: numbers of the held-out constraints. Must-links are numbered first, then cannot-links, then labels. */
function holdOut(set: ConstraintSet, out: Int32Array): HoldOut {
  const { mustLinks, cannotLinks, labels } = set;
  const [musts, cannots] = [mustLinks.a.length, cannotLinks.a.length];
  const isHeld = new Uint8Array(musts + cannots + labels.row.length);
  for (const s of out) isHeld[s] = 1;
  const kept: ConstraintSet = {
    ...set,
    mustLinks: entriesWhere(mustLinks, (s) => isHeld[s] === 0),
    cannotLinks: entriesWhere(cannotLinks, (s) => isHeld[musts + s] === 0),
    labels: entriesWhere(labels, (s) => isHeld[musts + cannots + s] === 0),
  };
  const { component, apart } = closeConstraints(kept);
  const classOf = new Map(Array.from(kept.labels.row, (row, s) => [component[row]!, kept.labels.code[s]!]));
  const pairs = ({ a, b }: Links): [number, number][] => Array.from(a, (row, s) => [row, b[s]!]);
  const held = {
    mustLinks: pairs(entriesWhere(mustLinks, (s) => isHeld[s] === 1)).filter(([a, b]) => component[a] !== component[b]),
    cannotLinks: pairs(entriesWhere(cannotLinks, (s) => isHeld[musts + s] === 1)).filter(
      ([a, b]) => !apart(component[a]!, component[b]!),
    ),
    labels: Array.from(labels.row, (row, s): [number, number] => [row, labels.code[s]!])
      .filter((_, s) => isHeld[musts + cannots + s] === 1)
      .filter(([row, code]) => classOf.get(component[row]!) !== code),
  };
  return { kept, held: { ...held, count: held.mustLinks.length + held.cannotLinks.length + held.labels.length } };
}

export function violationsAfterSplits(space: Space, splits: readonly Split[], { kept, held }: HoldOut): readonly number[] {
  const labelOf = new Int32Array(space.n);
  const broken = [violatedBy(labelOf, kept, held)];
  replay(space, splits, ({ first, second }, passing, others) => {
    for (const row of passing) labelOf[row] = first;
    for (const row of others) labelOf[row] = second;
    broken.push(violatedBy(labelOf, kept, held));
  });
  return broken;
}

/** The number of splits with the fewest violations over all rounds. On ties the fewest splits. */
export function bestSplitCount(rounds: readonly (readonly number[])[]): { readonly splits: number; readonly broken: number } {
  const longest = Math.max(...rounds.map(({ length }) => length));
  const sums = Array.from({ length: longest }, (_, splits) =>
    rounds.reduce((sum, broken) => sum + broken[Math.min(splits, broken.length - 1)]!, 0),
  );
  const best = leastAt(sums);
  return { splits: best, broken: sums[best]! };
}

/**
 * The number of held-out constraints that a clustering violates. A label is violated if its row is outside the main cluster of its class,
 * the cluster with the most other rows of the class.
 */
function violatedBy(labelOf: Int32Array, kept: ConstraintSet, { mustLinks, cannotLinks, labels }: HeldOut): number {
  let broken = 0;
  for (const [a, b] of mustLinks) if (labelOf[a] !== labelOf[b]) broken++;
  for (const [a, b] of cannotLinks) if (labelOf[a] === labelOf[b]) broken++;
  if (labels.length === 0) return broken;
  const clusters = mainClusters(kept.labels, labelOf);
  for (const [row, code] of labels) if (clusters.has(code) && clusters.get(code) !== labelOf[row]) broken++;
  return broken;
}

function mainClusters({ row, code }: KnownLabels, labelOf: Int32Array): ReadonlyMap<number, number> {
  const counts = new Map<number, Map<number, number>>();
  row.forEach((i, s) => {
    const ofClass = counts.get(code[s]!) ?? new Map<number, number>();
    counts.set(code[s]!, ofClass.set(labelOf[i]!, (ofClass.get(labelOf[i]!) ?? 0) + 1));
  });
  return new Map(Array.from(counts, ([name, ofClass]) => [name, [...ofClass].reduce((a, b) => (b[1] > a[1] ? b : a))[0]]));
}

export function levelName({ levels }: Pick<Instances, "levels">, column: number, code: number): string {
  return levels?.[column]?.[code] ?? String(code);
}

/** Repeats the splits on all rows. Returns the rows of each slot after the last split. Calls `onSplit` after each split. */
export function replay(
  space: Space,
  splits: readonly Split[],
  onSplit?: (split: Split, first: Int32Array, second: Int32Array) => void,
): readonly Int32Array[] {
  const slots = [upTo(space.n)];
  for (const split of splits) {
    const test = space.tests[split.cut.test]!;
    const rows = slots[split.slot]!;
    const first = rows.filter((row) => passes(split.cut, test, row));
    const second = rows.filter((row) => !passes(split.cut, test, row));
    slots[split.slot] = first;
    slots.push(second);
    onSplit?.(split, first, second);
  }
  return slots;
}

/**
 * Builds the tree from the splits. If both leaves of a split have the same cluster, the split is undone. clusterOf: the cluster of the leaf
 * in each slot.
 */
export function buildTree(
  points: Instances,
  space: Space,
  splits: readonly Split[],
  slots: readonly Int32Array[],
  clusterOf: (slot: number) => number,
): ClusterTree {
  const nodes: TreeNode[] = slots.map((rows, slot) => ({ cluster: clusterOf(slot), size: rows.length }));
  // Splits are read backwards: each split joins its new slot with the slot that it divided.
  for (let s = splits.length - 1; s >= 0; s--) {
    const { slot, cut } = splits[s]!;
    const yes = nodes[slot]!;
    const no = nodes[s + 1]!;
    const size = yes.size + no.size;
    const same = "cluster" in yes && "cluster" in no && yes.cluster === no.cluster;
    nodes[slot] = same ? { cluster: yes.cluster, size } : { test: testOf(points, space, cut), size, yes, no };
  }
  const notations = notationsOf(points, space);
  return { leaves: leavesOf(nodes[0]!).length, root: nodes[0]!, ...(notations ? { notations } : {}) };
}

function notationsOf({ notations }: Instances, { tests }: Space): ClusterTree["notations"] {
  const written = tests.flatMap(({ name, column }) => {
    const notation = notations?.[column];
    return notation ? [[name, notation] as const] : [];
  });
  return written.length === 0 ? undefined : Object.fromEntries(written);
}

export function leavesOf(root: TreeNode): { readonly cluster: number; readonly size: number }[] {
  return "cluster" in root ? [root] : [...leavesOf(root.yes), ...leavesOf(root.no)];
}

function testOf(points: Instances, space: Space, cut: Cut): TreeTest {
  const { column, name, values } = space.tests[cut.test]!;
  if (cut.among) return { column: name, among: cut.among.map((rank) => levelName(points, column, values[rank]!)) };
  const [low, high] = [values[cut.below]!, values[cut.from]!];
  return { column: name, above: limitIn(points.notations?.[column], low, high) };
}

/**
 * A threshold in the notation of the column, so that people can read it. Between two dates it is a date, between two times a full second.
 */
function limitIn(notation: Notation | null | undefined, low: number, high: number): number {
  const between = thresholdBetween(low, high);
  if (!notation || "before" in notation) return between;
  if (Number.isInteger(low) && Number.isInteger(high)) return Math.floor(between);
  const isSecond = (days: number) => Math.abs(86_400 * days - Math.round(86_400 * days)) < ROUNDING;
  return isSecond(low) && isSecond(high) ? Math.max(low, Math.floor(86_400 * between + ROUNDING) / 86_400) : between;
}

/** A threshold between two values: the shortest decimal in the middle half of the gap between them. */
export function thresholdBetween(low: number, high: number): number {
  const middle = low / 2 + high / 2;
  const gap = high - low;
  if (!Number.isFinite(gap)) return middle;
  const coarsest = Number(gap.toExponential().split("e")[1]);
  // The result is `rounded + 0`, because adding 0 turns -0 into 0.
  for (let exponent = coarsest + 1; exponent >= coarsest - 2; exponent--) {
    const rounded = roundedTo(middle, exponent);
    if (rounded < high && rounded - low >= gap / 4 && high - rounded >= gap / 4) return rounded + 0;
  }
  return low < middle && middle < high ? middle : low;
}

/** Rounds to a multiple of 10^exponent. Returns the double nearest to this decimal. */
function roundedTo(value: number, exponent: number): number {
  if (exponent < 0) return -exponent <= 100 ? Number(value.toFixed(-exponent)) : value;
  const unit = Number(`1e${exponent}`);
  return Math.round(value / unit) * unit;
}
