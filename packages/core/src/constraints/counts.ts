/** Constraints counted as people made them, in one way for terminal, page and report. */
import type { ConstraintSet } from "../model/constraint-set.js";
import { groupSizes } from "./component-graph.js";

/** Constraints that were made; in an exclusive column each group of two or more rows is one, and a column without such is one too. */
export function countConstraints({ mustLinks, cannotLinks, relative, labels, exclusive }: ConstraintSet): number {
  const groups = exclusive.reduce((sum, grouping) => {
    const large = groupSizes(grouping).reduce((count, size) => count + (size > 1 ? 1 : 0), 0);
    return sum + Math.max(1, large);
  }, 0);
  return mustLinks.a.length + cannotLinks.a.length + relative.a.length + labels.row.length + groups;
}

/** Violations in rows or in ids. */
export interface CountedViolations {
  readonly mustLink: readonly unknown[];
  readonly cannotLink: readonly unknown[];
  readonly relative: readonly unknown[];
  readonly labels: readonly unknown[];
  readonly exclusive: readonly { readonly column: string; readonly value: string }[];
}

/** Entries of the report's lists; an exclusive group has one for each cluster that breaks it. */
export function violationCount({ mustLink, cannotLink, relative, labels, exclusive }: CountedViolations): number {
  return mustLink.length + cannotLink.length + relative.length + labels.length + exclusive.length;
}

/** Constraints that are broken; a group that several clusters break is one. */
export function brokenCount(violations: CountedViolations): number {
  const groups = new Set(violations.exclusive.map(({ column, value }) => JSON.stringify([column, value])));
  return violationCount(violations) - violations.exclusive.length + groups.size;
}

/**
 * How many of the given constraints are kept, without the full stop. Where a group is broken by several clusters the number of
 * violations, which is that of the lines in every list of them, comes first.
 */
export function keptInWords(given: number, violations: CountedViolations): string {
  if (given === 0) return "No constraints were given";
  const [broken, entries] = [brokenCount(violations), violationCount(violations)];
  const all = given.toLocaleString("en");
  if (broken === 0)
    return given === 1 ? "The one constraint is kept" : `${given === 2 ? "Both" : `All ${all}`} constraints are kept`;
  const places = entries > broken ? `${entries.toLocaleString("en")} violations; ` : "";
  return `${places}${broken.toLocaleString("en")} of ${all} ${given === 1 ? "constraint" : "constraints"} ${broken === 1 ? "is" : "are"} broken`;
}
