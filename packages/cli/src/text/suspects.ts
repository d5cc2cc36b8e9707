/** Constraints that the others contradict, as lines of text. */
import type { Advised } from "@coterie/workbench";
import { wrap } from "./width.js";

const MOST_SUSPECTS = 10;

/** The constraints that the others contradict. */
export function suspectLines(suspects: Advised["suspects"], columns: number): string[] {
  if (suspects.length === 0) return [];
  const shown = suspects.slice(0, MOST_SUSPECTS).map(({ constraint: { type, a, b }, probability }) => {
    const sign = type === "must-link" ? "=" : "≠";
    return `  ${a} ${sign} ${b}  ${Math.round(100 * probability)}%`;
  });
  const more = suspects.length - shown.length;
  return [
    "",
    ...wrap(
      "Look again at these constraints, which the others contradict; beside them the probability that they are wrong:",
      columns,
    ),
    ...shown,
    ...(more > 0 ? [`  and ${more} more (--json lists all)`] : []),
  ];
}
