/** A rule in words, as `ruleText` says it, back as conditions: rules that were printed, kept or changed by hand can be applied. */
import { badInput } from "../../../errors.js";
import type { Condition, Rule } from "./rules.js";

const NUMBER = "[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?";
const BETWEEN = new RegExp(`^(${NUMBER}) < (.+) ≤ (${NUMBER})$`);
const ONE_SIDED = new RegExp(`^(.+) ([>≤]) (${NUMBER})$`);
const ONE_LEVEL = /^(.+) ([=≠]) (.+)$/;
const LEVELS = /^(.+) ([∈∉]) \{(.*)\}$/;

/** Throws where the text is no rule. */
export function parseRule(text: string): Rule {
  if (text === "always") return [[]];
  if (text === "never") return [];
  const quoted: string[] = [];
  // Names in quotation marks may hold anything: a mark stands for them until the sentence is taken apart.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"/g, (name) => `"${quoted.push(JSON.parse(name) as string) - 1}"`);
  const nameOf = (name: string): string => (name.startsWith('"') ? quoted[Number(name.slice(1, -1))]! : name);
  return marked.split(" or ").map((term) => {
    const inside = term.startsWith("(") && term.endsWith(")") ? term.slice(1, -1) : term;
    return inside.split(" and ").map((condition) => conditionOf(condition, nameOf, text));
  });
}

function conditionOf(words: string, nameOf: (name: string) => string, text: string): Condition {
  const between = BETWEEN.exec(words);
  if (between) return { column: nameOf(between[2]!), above: Number(between[1]), atMost: Number(between[3]) };
  const [, name, sign, rest] = ONE_SIDED.exec(words) ?? LEVELS.exec(words) ?? ONE_LEVEL.exec(words) ?? [];
  if (name === undefined || rest === undefined) throw badInput(`"${words}" in the rule "${text}" is no condition.`);
  const column = nameOf(name);
  if (sign === ">") return { column, above: Number(rest), atMost: Infinity };
  if (sign === "≤") return { column, above: -Infinity, atMost: Number(rest) };
  const among = (sign === "∈" || sign === "∉" ? rest.split(", ") : [rest]).map(nameOf);
  return { column, among, not: sign === "≠" || sign === "∉" };
}
