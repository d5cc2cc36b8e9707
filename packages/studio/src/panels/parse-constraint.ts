/** An answer as a line of text: "109 = 325", "281 != 330", "127, 113 | 319", "337 is Chinstrap". */
import type { Constraint } from "@coterie/workbench/protocol";
import type { RowId } from "../state/model.js";

/** The constraint, or a sentence that says why there is none. */
export function parseConstraint(text: string, idOf: (word: string) => RowId | null): Constraint | string {
  const forms: readonly (readonly [RegExp, (ids: readonly RowId[], rest: string) => Constraint])[] = [
    [/^(.+?)\s*(?:!=|≠|<>)\s*(.+)$/, ([a, b]) => ({ type: "cannot-link", a: a!, b: b! })],
    [/^(.+?)\s*=\s*(.+)$/, ([a, b]) => ({ type: "must-link", a: a!, b: b! })],
    [/^(.+?)\s*,\s*(.+?)\s*\|\s*(.+)$/, ([a, b, c]) => ({ type: "relative", a: a!, b: b!, c: c! })],
  ];
  const trimmed = text.trim();
  const label = trimmed.match(/^(\S+)\s+is\s+(.+)$/);
  if (label) {
    const a = idOf(label[1]!);
    return a === null ? missing(label[1]!) : { type: "label", a, class: label[2]!.trim() };
  }
  for (const [form, make] of forms) {
    const found = trimmed.match(form);
    if (!found) continue;
    const words = found.slice(1).map((word) => word.trim());
    const lost = words.find((word) => idOf(word) === null);
    if (lost !== undefined) return missing(lost);
    if (new Set(words).size < words.length) return "Name different rows.";
    return make(
      words.map((word) => idOf(word)!),
      "",
    );
  }
  return "Say it as 109 = 325, 281 ≠ 330, 127, 113 | 319, or 337 is Chinstrap.";
}

function missing(word: string): string {
  return `There is no row ${word}.`;
}
