/** From the list of splits that a search made to the tree that people see, and the rows in its leaves. */

import { upTo } from "../../../linalg/indices.js";
import type { Notation } from "../../../model/notation.js";
import type { Instances } from "../../../model/points.js";
import type { ClusterTree, TreeNode, TreeTest } from "../../../model/tree.js";
import type { Split } from "./growing-tree.js";
import { type Cut, passes } from "./leaf.js";
import type { Space } from "./space.js";
import { thresholdBetween } from "./threshold.js";

/** The name of a level, as reports and rules print it. */
export function levelName({ levels }: Pick<Instances, "levels">, column: number, code: number): string {
  return levels?.[column]?.[code] ?? String(code);
}

/** The rows of each slot after the splits; `onSplit` sees them after each. */
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

/** The tree that the splits make, with the given cluster in each slot; a split between leaves of one cluster is undone. */
export function buildTree(
  points: Instances,
  space: Space,
  splits: readonly Split[],
  slots: readonly Int32Array[],
  clusterOf: (slot: number) => number,
): ClusterTree {
  const nodes: TreeNode[] = slots.map((rows, slot) => ({ cluster: clusterOf(slot), size: rows.length }));
  // Backwards: the last split joins the last slot to its own.
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

/** Seconds of a moment that is a number of days, less than this away from a whole number. */
const ROUNDING = 1e-3;

/** Between two dates the limit is a date, between two moments a full second: `> 1997-08-24` where plain numbers would say noon. */
function limitIn(notation: Notation | null | undefined, low: number, high: number): number {
  const between = thresholdBetween(low, high);
  if (!notation || "before" in notation) return between;
  if (Number.isInteger(low) && Number.isInteger(high)) return Math.floor(between);
  const isSecond = (days: number) => Math.abs(86_400 * days - Math.round(86_400 * days)) < ROUNDING;
  return isSecond(low) && isSecond(high) ? Math.max(low, Math.floor(86_400 * between + ROUNDING) / 86_400) : between;
}
