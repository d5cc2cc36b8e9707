/** Writes constraints and clusters in words. Pages can load this file without loading the schemas. */
import type { Constraint } from "./knowledge.js";

export function rowsOf(constraint: Constraint): readonly (string | number)[] {
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return [constraint.a, constraint.b];
    case "relative":
      return [constraint.a, constraint.b, constraint.c];
    case "label":
      return [constraint.a];
    case "unsure":
      return constraint.rows;
    default:
      return [];
  }
}

/** Writes a constraint as people do: "3 = 5", "3 ≠ 5", "3, 5 | 8", "3 is Gentoo". */
export function sentenceOf(constraint: Constraint): string {
  switch (constraint.type) {
    case "must-link":
      return `${constraint.a} = ${constraint.b}`;
    case "cannot-link":
      return `${constraint.a} ≠ ${constraint.b}`;
    case "relative":
      return `${constraint.a}, ${constraint.b} | ${constraint.c}`;
    case "label":
      return `${constraint.a} is ${constraint.class}`;
    case "unsure":
      return `${constraint.rows.join(", ")} not known`;
    case "exclusive":
      return `at most one per ${constraint.column}`;
    case "sizes":
      return sizesSentence(constraint.min, constraint.max);
  }
}

function sizesSentence(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return "clusters of any size";
  if (max === undefined) return `at least ${min} rows a cluster`;
  return min === undefined ? `at most ${max} rows a cluster` : `${min} to ${max} rows a cluster`;
}

/** The letter of a cluster as a text. letter: 0 for A. After Z come A2, B2, …. */
export function letterName(letter: number): string {
  const round = Math.floor(letter / 26);
  return `${String.fromCodePoint(65 + (letter % 26))}${round > 0 ? round + 1 : ""}`;
}
