/**
 * Rules and trees in words. Names of columns and levels that could be taken for a part of the sentence stand in quotation marks,
 * so that a rule reads in one way only; `parseRule` reads it. Limits are written as the cells of their columns are.
 */
import { type Notations, notationOf, writtenValue } from "../../../model/notation.js";
import type { ClusterTree, TreeNode, TreeTest } from "../../../model/tree.js";
import { FOLDED } from "./fold.js";
import type { Condition, Rule, Term } from "./rules.js";

/** Stands where a cluster has no leaf of its own: most rows of each leaf are in other clusters. */
export const NO_RULE = "no rule separates this cluster from the others";

/** A rule as a sentence: "(petal_length > 2.4 and petal_width ≤ 1.7) or sepal_length > 7". */
export function ruleText(rule: Rule, notations?: Notations): string {
  if (rule.length === 0) return NO_RULE;
  const terms = rule.map((term) => termText(term, notations));
  if (rule.some((term) => term.length === 0)) return "always";
  return terms.map((text, t) => (rule.length > 1 && rule[t]!.length > 1 ? `(${text})` : text)).join(" or ");
}

/** The ways to fulfil a rule, one a line: each is enough. */
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

/** A column called 2 would look like a number. */
function columnText(name: string): string {
  return Number.isFinite(Number(name)) ? JSON.stringify(name) : nameText(name);
}

function nameText(name: string): string {
  const isPlain = name !== "" && name === name.trim() && !name.startsWith("(") && !PART_OF_SENTENCE.test(name);
  return isPlain ? name : JSON.stringify(name);
}

const PART_OF_SENTENCE = /["\\{},<>≤=≠∈∉\p{C}]|(?:^|\s)(?:and|or)(?:\s|$)/u;

export function testText(test: TreeTest, notations?: Notations): string {
  if ("among" in test) return amongText(test.column, test.among, false);
  return `${columnText(test.column)} > ${writtenValue(test.above, notationOf(notations, test.column))}`;
}

/** The tree as lines of text, with the rows in each leaf; clusters by their numbers, or by these names. */
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
