/** A rule in words, as `ruleText` says it, back as conditions: rules that were printed, kept or changed by hand can be applied. */
import { badInput } from "../../../errors.js";
import { type Notations, notationOf, readValue } from "../../../model/notation.js";
import type { Condition, Rule } from "./rules.js";
import { NO_RULE } from "./words.js";

// Names that hold one of the signs stand in quotation marks, so the signs part a condition.
const BETWEEN = /^([^<≤]+) < ([^<≤]+) ≤ ([^<≤]+)$/;
const ONE_SIDED = /^([^>≤]+) ([>≤]) ([^>≤]+)$/;
const ONE_LEVEL = /^([^=≠]+) ([=≠]) ([^=≠]+)$/;
const LEVELS = /^(.+) ([∈∉]) \{(.*)\}$/;

/** Throws where the text is no rule. `notations`: those of the tree that the rule comes from. */
export function parseRule(text: string, notations?: Notations): Rule {
  if (text === "always") return [[]];
  // Older reports and models have "never".
  if (text === NO_RULE || text === "never") return [];
  const quoted: string[] = [];
  // Names in quotation marks may hold anything: a mark stands for them until the sentence is taken apart.
  const marked = text.replace(/"(?:[^"\\]|\\.)*("?)/g, (name, end) =>
    end === "" ? name : `"${quoted.push(JSON.parse(name) as string) - 1}"`,
  );
  const nameOf = (name: string): string => (name.startsWith('"') ? quoted[Number(name.slice(1, -1))]! : name);
  return marked.split(" or ").map((term) => {
    const inside = term.startsWith("(") && term.endsWith(")") ? term.slice(1, -1) : term;
    return inside.split(" and ").map((condition) => conditionOf(condition, nameOf, { text, notations }));
  });
}

interface Said {
  readonly text: string;
  readonly notations: Notations | undefined;
}

function conditionOf(words: string, nameOf: (name: string) => string, { text, notations }: Said): Condition {
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
