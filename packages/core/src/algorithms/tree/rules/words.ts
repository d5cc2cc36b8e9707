/**
 * Rules and trees in words. Names of columns and levels that could be taken for a part of the sentence stand in quotation marks,
 * so that a rule reads in one way only; `parseRule` reads it.
 */
import type { ClusterTree, TreeNode, TreeTest } from "../../../model/tree.js";
import { FOLDED } from "./fold.js";
import type { Condition, Rule, Term } from "./rules.js";

/** A rule as a sentence: "(petal_length > 2.4 and petal_width ≤ 1.7) or sepal_length > 7". */
export function ruleText(rule: Rule): string {
  if (rule.length === 0) return "never";
  const terms = rule.map(termText);
  if (rule.some((term) => term.length === 0)) return "always";
  return terms.map((text, t) => (rule.length > 1 && rule[t]!.length > 1 ? `(${text})` : text)).join(" or ");
}

/** The ways to fulfil a rule, one a line: each is enough. */
export function ruleLines(rule: Rule): string[] {
  if (rule.length === 0) return ["never"];
  return rule.some((term) => term.length === 0) ? ["always"] : rule.map(termText);
}

function termText(term: Term): string {
  return term.map(conditionText).join(" and ");
}

export function conditionText(condition: Condition): string {
  if ("among" in condition) return amongText(condition.column, condition.among, condition.not);
  const { above, atMost } = condition;
  const column = columnText(condition.column);
  if (above === -Infinity) return `${column} ≤ ${atMost}`;
  return atMost === Infinity ? `${column} > ${above}` : `${above} < ${column} ≤ ${atMost}`;
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

export function testText(test: TreeTest): string {
  return "above" in test ? `${columnText(test.column)} > ${test.above}` : amongText(test.column, test.among, false);
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
    lines.push(`${head}${testText(node.test)}?`);
    write(node.yes, `${rest}├─ yes: `, `${rest}│       `);
    write(node.no, `${rest}└─ no:  `, `${rest}        `);
  };
  write(tree.root, "", "");
  return lines;
}
