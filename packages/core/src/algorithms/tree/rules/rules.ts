/**
 * Converts a tree to rules: each cluster becomes a disjunction of conjunctions.
 *
 * A leaf is a box: an interval for each number column, a set of levels for each nominal column. Each box of a cluster is widened, one side
 * after the other, until it would touch a leaf of another cluster. Then a small subset of the boxes is chosen that still covers all leaves
 * of the cluster. Leaves fill the whole space, so rules and tree agree on every possible row.
 *
 * Further sections: rules and trees as text, parsing of rules, and folding of large trees for display.
 */

import { badInput } from "../../../errors.js";
import { type Notations, notationOf, readValue, writtenValue } from "../../../model/notation.js";
import type { ClusterTree, TreeNode, TreeTest } from "../../../model/tree.js";
import { drain, type Steps } from "../../../steps/index.js";

/**
 * One condition on a column. Numbers: above < value ≤ atMost; an infinite end is no limit. Levels: the value is in `among`, or with `not`
 * it is not in `among`.
 */
export type Condition =
  | { readonly column: string; readonly above: number; readonly atMost: number }
  | { readonly column: string; readonly among: readonly string[]; readonly not: boolean };

/** A conjunction: all conditions hold. */
export type Term = readonly Condition[];

/** A disjunction: at least one of the terms holds. */
export type Rule = readonly Term[];

/** A box: by column, its condition; undefined if every value is allowed. */
type Box = (Condition | undefined)[];

interface LeafBox {
  readonly box: Box;
  readonly cluster: number;
  readonly size: number;
}

/** Conditions compared in one step, some milliseconds; after each step the generator yields. */
const STEP_WORK = 200_000;

/** The rule of each cluster, by cluster number. Conditions are in the order in which the tree first tests their columns. */
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

/**
 * The boxes of all leaves below a node. box: the box of the node. columns: the index of each column in a box, in the order of the first
 * tests.
 */
function boxesOf(node: TreeNode, box: Box, columns: Map<string, number>): LeafBox[] {
  // If tests on the path contradict each other, no row reaches this node.
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

/** The boxes of the leaves of other clusters. `above` and `atMost`, by column: the ends of their intervals, infinite without a limit. */
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

/** Calls `visit` for each foreign box that is disjoint from the condition in this column. */
function eachApart(condition: Condition, column: number, { boxes, above, atMost }: Foreign, visit: (f: number) => void): void {
  if (column >= above.length) return;
  if (!("above" in condition)) {
    for (let f = 0; f < boxes.length; f++) if (disjoint(condition, boxes[f]![column])) visit(f);
    return;
  }
  const [low, high] = [above[column]!, atMost[column]!];
  for (let f = 0; f < boxes.length; f++) if (condition.above >= high[f]! || low[f]! >= condition.atMost) visit(f);
}

/** Widens the conditions of a box, one after the other, until the box would touch a foreign box. */
function widened(box: Box, foreign: Foreign): Box {
  const wide = box.slice();
  // By foreign box: the number of columns in which the two boxes are disjoint. If there is only one such column, its condition cannot be
  // widened beyond the foreign box.
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

/** The widest condition that contains `condition` and excludes all conditions in `near`. Undefined if it allows every value. */
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
  // The complement of all near conditions: the intersection of their negations.
  let rest: Condition = { column, among: [], not: true };
  for (const other of near) if ("among" in other) rest = meet(rest, { ...other, not: !other.not });
  return "among" in rest && rest.not && rest.among.length === 0 ? undefined : rest;
}

/** A small set of boxes that covers all leaves. Chosen greedily: the next box covers the most rows that are not covered yet. */
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

/*
 * Rules and trees as text. A name of a column or level is quoted if it could be mistaken for a part of the sentence. So each rule has only
 * one meaning, and `parseRule` can parse it. Limits are in the notation of their column.
 */

/** The rule text of a cluster without a leaf in the tree. */
export const NO_RULE = "no rule separates this cluster from the others";

/** A rule as a sentence: "(petal_length > 2.4 and petal_width ≤ 1.7) or sepal_length > 7". */
export function ruleText(rule: Rule, notations?: Notations): string {
  if (rule.length === 0) return NO_RULE;
  const terms = rule.map((term) => termText(term, notations));
  if (rule.some((term) => term.length === 0)) return "always";
  return terms.map((text, t) => (rule.length > 1 && rule[t]!.length > 1 ? `(${text})` : text)).join(" or ");
}

export function ruleLines(rule: Rule, notations?: Notations): string[] {
  if (rule.length === 0) return [NO_RULE];
  return rule.some((term) => term.length === 0) ? ["always"] : rule.map((term) => termText(term, notations));
}

function termText(term: Term, notations: Notations | undefined): string {
  return term.map((condition) => conditionText(condition, notations)).join(" and ");
}

export function conditionText(condition: Condition, notations?: Notations): string {
  if ("among" in condition) return amongText(condition.column, condition.among, condition.not);
  const { above, atMost } = condition;
  const column = columnText(condition.column);
  const limit = (value: number) => writtenValue(value, notationOf(notations, condition.column));
  if (above === -Infinity) return `${column} ≤ ${limit(atMost)}`;
  return atMost === Infinity ? `${column} > ${limit(above)}` : `${limit(above)} < ${column} ≤ ${limit(atMost)}`;
}

function amongText(column: string, levels: readonly string[], not: boolean): string {
  const names = levels.map(nameText);
  if (names.length === 1) return `${columnText(column)} ${not ? "≠" : "="} ${names[0]}`;
  return `${columnText(column)} ${not ? "∉" : "∈"} {${names.join(", ")}}`;
}

/** Quotes a column named like a number, such as 2. */
function columnText(name: string): string {
  return Number.isFinite(Number(name)) ? JSON.stringify(name) : nameText(name);
}

const PART_OF_SENTENCE = /["\\{},<>≤=≠∈∉\p{C}]|(?:^|\s)(?:and|or)(?:\s|$)/u;

function nameText(name: string): string {
  const isPlain = name !== "" && name === name.trim() && !name.startsWith("(") && !PART_OF_SENTENCE.test(name);
  return isPlain ? name : JSON.stringify(name);
}

export function testText(test: TreeTest, notations?: Notations): string {
  if ("among" in test) return amongText(test.column, test.among, false);
  return `${columnText(test.column)} > ${writtenValue(test.above, notationOf(notations, test.column))}`;
}

/** The cluster number of a leaf that replaces a hidden part of the tree. */
export const FOLDED = -1;

export function treeLines(tree: ClusterTree, names?: readonly string[]): string[] {
  const lines: string[] = [];
  const write = (node: TreeNode, head: string, rest: string): void => {
    if ("cluster" in node) {
      const name = node.cluster === FOLDED ? "…" : `cluster ${names?.[node.cluster] ?? node.cluster}`;
      lines.push(`${head}${name} (${node.size} ${node.size === 1 ? "row" : "rows"})`);
      return;
    }
    lines.push(`${head}${testText(node.test, tree.notations)}?`);
    write(node.yes, `${rest}├─ yes: `, `${rest}│       `);
    write(node.no, `${rest}└─ no:  `, `${rest}        `);
  };
  write(tree.root, "", "");
  return lines;
}

/** Parses a rule from `ruleText`. Throws if the text is not a rule. notations: the notations of the tree of the rule. */
export function parseRule(text: string, notations?: Notations): Rule {
  if (text === "always") return [[]];
  // Older reports and models contain "never" instead of the current text.
  if (text === NO_RULE || text === "never") return [];
  const quoted: string[] = [];
  // Quoted names can contain any text, also words such as "and". So names are replaced by numbers before the sentence is split.
  const marked = text.replace(/"(?:[^"\\]|\\.)*("?)/g, (name, end) =>
    end === "" ? name : `"${quoted.push(JSON.parse(name) as string) - 1}"`,
  );
  const nameOf = (name: string): string => (name.startsWith('"') ? quoted[Number(name.slice(1, -1))]! : name);
  return marked.split(" or ").map((term) => {
    const inside = term.startsWith("(") && term.endsWith(")") ? term.slice(1, -1) : term;
    return inside.split(" and ").map((condition) => parseCondition(condition, nameOf, { text, notations }));
  });
}

interface RuleSource {
  readonly text: string;
  readonly notations: Notations | undefined;
}

// Patterns of the four forms of a condition. Names that contain a sign of a pattern are quoted, so the signs separate the parts of a
// condition.
const BETWEEN = /^([^<≤]+) < ([^<≤]+) ≤ ([^<≤]+)$/;
const ONE_SIDED = /^([^>≤]+) ([>≤]) ([^>≤]+)$/;
const ONE_LEVEL = /^([^=≠]+) ([=≠]) ([^=≠]+)$/;
const LEVELS = /^(.+) ([∈∉]) \{(.*)\}$/;

function parseCondition(words: string, nameOf: (name: string) => string, { text, notations }: RuleSource): Condition {
  const refused = () => badInput(`"${words}" in the rule "${text}" is no condition.`);
  const limit = (column: string, written: string): number => {
    const value = readValue(written, notationOf(notations, column));
    if (value === undefined) throw refused();
    return value;
  };
  const between = BETWEEN.exec(words);
  if (between) {
    const column = nameOf(between[2]!);
    return { column, above: limit(column, between[1]!), atMost: limit(column, between[3]!) };
  }
  const [, name, sign, rest] = ONE_SIDED.exec(words) ?? LEVELS.exec(words) ?? ONE_LEVEL.exec(words) ?? [];
  if (name === undefined || rest === undefined) throw refused();
  const column = nameOf(name);
  if (sign === ">") return { column, above: limit(column, rest), atMost: Infinity };
  if (sign === "≤") return { column, above: -Infinity, atMost: limit(column, rest) };
  const among = (sign === "∈" || sign === "∉" ? rest.split(", ") : [rest]).map(nameOf);
  return { column, among, not: sign === "≠" || sign === "∉" };
}

/** Opens the largest nodes until the tree has `most` leaves. Each node that is not opened becomes a leaf of cluster `FOLDED`. */
export function foldTree(tree: ClusterTree, most: number): ClusterTree {
  if (tree.leaves <= most) return tree;
  const open = new Set<TreeNode>();
  const frontier: TreeNode[] = [tree.root];
  for (let leaves = 1; leaves < most; leaves++) {
    let best = -1;
    frontier.forEach((node, at) => {
      if ("test" in node && (best < 0 || node.size > frontier[best]!.size)) best = at;
    });
    const [node] = frontier.splice(best, 1);
    if (node === undefined || "cluster" in node) break;
    open.add(node);
    frontier.push(node.yes, node.no);
  }
  const copy = (node: TreeNode): TreeNode => {
    if ("cluster" in node) return node;
    return open.has(node) ? { ...node, yes: copy(node.yes), no: copy(node.no) } : { cluster: FOLDED, size: node.size };
  };
  return { ...tree, leaves: most, root: copy(tree.root) };
}
