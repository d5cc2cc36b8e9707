/** Constraints that other constraints contradict, as lines of text. */
import type { Advised } from "@coterie/workbench";
import { wrap } from "./width.js";

const MOST_SUSPECTS = 10;

export function suspectLines(suspects: Advised["suspects"], columns: number): string[] {
  if (suspects.length === 0) return [];
  const shown = suspects
    .slice(0, MOST_SUSPECTS)
    .map((suspect) => `  ${suspectWords(suspect)}  ${Math.round(100 * suspect.probability)}%`);
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

export function suspectWords({ constraint: { type, a, b } }: Advised["suspects"][number]): string {
  return `${a} ${type === "must-link" ? "=" : "≠"} ${b}`;
}
