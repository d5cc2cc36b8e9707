/**
 * A tree as rules: each cluster as a disjunction of conjunctions.
 *
 * A leaf is a box: an interval for each number column, a set of levels for each nominal one. Boxes of a cluster are widened,
 * side by side, until they would touch another cluster's leaf; then as few of them are kept as hold all leaves of the
 * cluster. Leaves fill the whole space, so the rules and the tree agree on every row there can be, not only on those seen.
 */
import type { ClusterTree, TreeNode, TreeTest } from "../../../model/tree.js";
import { drain, type Steps } from "../../../steps/index.js";

/** One condition: low < value ≤ high, an end at infinity saying nothing; or one of some levels, or none of them. */
export type Condition =
  | { readonly column: string; readonly above: number; readonly atMost: number }
  | { readonly column: string; readonly among: readonly string[]; readonly not: boolean };

/** All conditions hold. */
export type Term = readonly Condition[];

/** One of the terms holds. */
export type Rule = readonly Term[];

/** A box: the condition on each column, undefined where it is free. */
type Box = (Condition | undefined)[];

interface LeafBox {
  readonly box: Box;
  readonly cluster: number;
  readonly size: number;
}

/** Conditions compared between two steps: some milliseconds. */
const STEP_WORK = 200_000;

/** The rule of each cluster, by its number. Conditions are in the order in which the tree comes to their columns. */
export function rulesOf(tree: ClusterTree): readonly Rule[] {
  return drain(rulesSteps(tree));
}

export function* rulesSteps(tree: ClusterTree): Steps<readonly Rule[]> {
  const leaves = boxesOf(tree.root, [], new Map());
  const clusters = leaves.reduce((most, { cluster }) => Math.max(most, cluster), 0) + 1;
  const rules: Rule[] = [];
  let done = 0;
  let work = 0;
  for (let cluster = 0; cluster < clusters; cluster++) {
    const own = leaves.filter((leaf) => leaf.cluster === cluster);
    const foreign = foreignBoxes(leaves.filter((leaf) => leaf.cluster !== cluster));
    const boxes: Box[] = [];
    for (const { box } of own) {
      boxes.push(widened(box, foreign));
      done++;
      work += foreign.boxes.length * box.length;
      if (work < STEP_WORK) continue;
      work = 0;
      yield { phase: "rules", done, total: leaves.length };
    }
    rules.push(fewest(own, boxes).map((box) => box.filter((condition) => condition !== undefined)));
  }
  return rules;
}

export function holds(rule: Rule, read: (column: string) => number | string): boolean {
  return rule.some((term) => term.every((condition) => fulfils(condition, read(condition.column))));
}

function fulfils(condition: Condition, value: number | string): boolean {
  if ("among" in condition) return condition.among.includes(String(value)) !== condition.not;
  return Number(value) > condition.above && Number(value) <= condition.atMost;
}

/** `columns` numbers the columns as they come. */
function boxesOf(node: TreeNode, box: Box, columns: Map<string, number>): LeafBox[] {
  // No row can come where tests contradict each other.
  if (box.some((condition) => condition && isEmpty(condition))) return [];
  if ("cluster" in node) return [{ box, cluster: node.cluster, size: node.size }];
  const { test, yes, no } = node;
  if (!columns.has(test.column)) columns.set(test.column, columns.size);
  const column = columns.get(test.column)!;
  return [
    ...boxesOf(yes, narrowed(box, column, conditionOf(test, true)), columns),
    ...boxesOf(no, narrowed(box, column, conditionOf(test, false)), columns),
  ];
}

function conditionOf(test: TreeTest, pass: boolean): Condition {
  const { column } = test;
  if ("among" in test) return { column, among: test.among, not: !pass };
  return pass ? { column, above: test.above, atMost: Infinity } : { column, above: -Infinity, atMost: test.above };
}

function narrowed(box: Box, column: number, condition: Condition): Box {
  const next = box.slice();
  const before = box[column];
  next[column] = before ? meet(before, condition) : condition;
  return next;
}

/** Both conditions at once, on the same column. */
function meet(a: Condition, b: Condition): Condition {
  if ("above" in a && "above" in b) {
    return { column: a.column, above: Math.max(a.above, b.above), atMost: Math.min(a.atMost, b.atMost) };
  }
  if (!("among" in a && "among" in b)) return b;
  if (a.not && b.not) return { column: a.column, among: [...new Set([...a.among, ...b.among])], not: true };
  const [inside, other] = a.not ? [b, a] : [a, b];
  return { column: a.column, among: inside.among.filter((level) => other.among.includes(level) !== other.not), not: false };
}

function isEmpty(condition: Condition): boolean {
  return "among" in condition ? !condition.not && condition.among.length === 0 : condition.above >= condition.atMost;
}

/** Whether no value fulfils both. */
function disjoint(a: Condition | undefined, b: Condition | undefined): boolean {
  if (!a || !b) return false;
  if ("above" in a && "above" in b) return a.above >= b.atMost || b.above >= a.atMost;
  return isEmpty(meet(a, b));
}

function contains(outer: Box, inner: Box): boolean {
  return outer.every((condition, column) => !condition || covers(condition, inner[column]));
}

function covers(outer: Condition, inner: Condition | undefined): boolean {
  if (!inner) return false;
  if ("above" in outer && "above" in inner) return outer.above <= inner.above && inner.atMost <= outer.atMost;
  if (!("among" in outer && "among" in inner)) return false;
  if (!inner.not) return inner.among.every((level) => outer.among.includes(level) !== outer.not);
  return outer.not && outer.among.every((level) => inner.among.includes(level));
}

/** Other clusters' leaves; the ends of their intervals by column, infinite where a column is free. */
interface Foreign {
  readonly boxes: readonly Box[];
  readonly above: readonly Float64Array[];
  readonly atMost: readonly Float64Array[];
}

function foreignBoxes(leaves: readonly LeafBox[]): Foreign {
  const boxes = leaves.map(({ box }) => box);
  const columns = boxes.reduce((most, box) => Math.max(most, box.length), 0);
  const ends = (column: number, end: "above" | "atMost", free: number): Float64Array =>
    Float64Array.from(boxes, ({ [column]: condition }) => (condition && "above" in condition ? condition[end] : free));
  return {
    boxes,
    above: Array.from({ length: columns }, (_, column) => ends(column, "above", -Infinity)),
    atMost: Array.from({ length: columns }, (_, column) => ends(column, "atMost", Infinity)),
  };
}

/** Calls back for each foreign box that is apart from the condition in its column. */
function eachApart(condition: Condition, column: number, { boxes, above, atMost }: Foreign, visit: (f: number) => void): void {
  if (column >= above.length) return;
  if (!("above" in condition)) {
    for (let f = 0; f < boxes.length; f++) if (disjoint(condition, boxes[f]![column])) visit(f);
    return;
  }
  const [low, high] = [above[column]!, atMost[column]!];
  for (let f = 0; f < boxes.length; f++) if (condition.above >= high[f]! || low[f]! >= condition.atMost) visit(f);
}

/** The box with each condition loosened as far as no foreign box is touched, column after column. */
function widened(box: Box, foreign: Foreign): Box {
  const wide = box.slice();
  // In how many columns each foreign box is apart: one that is apart in one column alone bounds the box there.
  const apart = new Int32Array(foreign.boxes.length);
  box.forEach((condition, c) => {
    if (condition) eachApart(condition, c, foreign, (f) => apart[f]!++);
  });
  box.forEach((condition, c) => {
    if (!condition) return;
    const near: Condition[] = [];
    eachApart(condition, c, foreign, (f) => {
      if (apart[f] === 1) near.push(foreign.boxes[f]![c]!);
    });
    const wider = loosened(condition, near);
    eachApart(condition, c, foreign, (f) => apart[f]!--);
    if (wider) eachApart(wider, c, foreign, (f) => apart[f]!++);
    wide[c] = wider;
  });
  return wide;
}

/** The widest condition that holds where this one does and nowhere on the near ones; undefined if it says nothing. */
function loosened(condition: Condition, near: readonly Condition[]): Condition | undefined {
  const { column } = condition;
  if ("above" in condition) {
    let above = -Infinity;
    let atMost = Infinity;
    for (const other of near) {
      if (!("above" in other)) continue;
      if (other.atMost <= condition.above) above = Math.max(above, other.atMost);
      else atMost = Math.min(atMost, other.above);
    }
    return above === -Infinity && atMost === Infinity ? undefined : { column, above, atMost };
  }
  // What no near box takes: all of them turned about, met.
  let rest: Condition = { column, among: [], not: true };
  for (const other of near) if ("among" in other) rest = meet(rest, { ...other, not: !other.not });
  return "among" in rest && rest.not && rest.among.length === 0 ? undefined : rest;
}

/** A few of the boxes that hold all leaves: again and again the one that holds most rows not yet held. */
function fewest(leaves: readonly LeafBox[], boxes: readonly Box[]): readonly Box[] {
  const inside = boxes.map((box) => [...leaves.keys()].filter((leaf) => contains(box, leaves[leaf]!.box)));
  const around: number[][] = leaves.map(() => []);
  const rows = boxes.map(() => 0);
  const weight = (leaf: number): number => Math.max(1, leaves[leaf]!.size);
  inside.forEach((held, b) => {
    for (const leaf of held) {
      around[leaf]!.push(b);
      rows[b]! += weight(leaf);
    }
  });
  const isHeld = new Uint8Array(leaves.length);
  const chosen: Box[] = [];
  for (let open = leaves.length; open > 0; ) {
    const best = rows.reduce((most, count, b) => (count > rows[most]! ? b : most), 0);
    chosen.push(boxes[best]!);
    for (const leaf of inside[best]!) {
      if (isHeld[leaf] === 1) continue;
      isHeld[leaf] = 1;
      open--;
      for (const b of around[leaf]!) rows[b]! -= weight(leaf);
    }
  }
  return chosen;
}
