/** Counts constraints as the user gave them, in the same way for terminal, web page and report. */
import type { ConstraintSet } from "../model/constraint-set.js";
import { groupSizes } from "./component-graph.js";

/** Number of constraints. An exclusive column counts once for each group of two or more rows, and at least once. */
export function countConstraints({ mustLinks, cannotLinks, relative, labels, exclusive }: ConstraintSet): number {
  const groups = exclusive.reduce((sum, grouping) => {
    const large = groupSizes(grouping).reduce((count, size) => count + (size > 1 ? 1 : 0), 0);
    return sum + Math.max(1, large);
  }, 0);
  return mustLinks.a.length + cannotLinks.a.length + relative.a.length + labels.row.length + groups;
}

/** Lists of violations. Only their lengths are read. */
export interface CountedViolations {
  readonly mustLink: readonly unknown[];
  readonly cannotLink: readonly unknown[];
  readonly relative: readonly unknown[];
  readonly labels: readonly unknown[];
  readonly exclusive: readonly { readonly column: string; readonly value: string }[];
}

/** Number of entries in the lists of the report. An exclusive group has one entry for each cluster that violates it. */
export function violationCount({ mustLink, cannotLink, relative, labels, exclusive }: CountedViolations): number {
  return mustLink.length + cannotLink.length + relative.length + labels.length + exclusive.length;
}

/** Number of violated constraints. A group violated by several clusters counts once. */
export function brokenCount(violations: CountedViolations): number {
  const groups = new Set(violations.exclusive.map(({ column, value }) => JSON.stringify([column, value])));
  return violationCount(violations) - violations.exclusive.length + groups.size;
}

/**
 * The number of satisfied constraints as part of a sentence. Also gives the number of violations if several clusters violate the same
 * group.
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
