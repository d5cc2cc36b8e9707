/** An answer as a line of text: "109 = 325", "281 != 330", "127, 113 | 319", "337 is Chinstrap". */
import type { Constraint } from "@coterie/workbench/protocol";
import type { RowId } from "../state/model.js";

/** The constraint, or a sentence that says why there is none. */
export function parseConstraint(text: string, idOf: (word: string) => RowId | null): Constraint | string {
  const line = text.trim();
  const label = labelIn(line);
  if (label) {
    const a = idOf(label.word);
    return a === null ? missing(label.word) : { type: "label", a, class: label.class };
  }
  const found = formIn(line);
  if (!found) return "Say it as 109 = 325, 281 ≠ 330, 127, 113 | 319, or 337 is Chinstrap.";
  const { words, make } = found;
  const lost = words.find((word) => idOf(word) === null);
  if (lost !== undefined) return missing(lost);
  if (new Set(words).size < words.length) return "Name different rows.";
  return make(words.map((word) => idOf(word)!));
}

function labelIn(line: string): { readonly word: string; readonly class: string } | null {
  const [word, is, first] = line.split(/\s+/, 3);
  if (is !== "is" || first === undefined) return null;
  const rest = line.slice(word!.length).trimStart().slice(is.length);
  return { word: word!, class: rest.trim() };
}

interface Form {
  readonly words: readonly string[];
  readonly make: (ids: readonly RowId[]) => Constraint;
}

function formIn(line: string): Form | null {
  const apart = parted(line, ["!=", "≠", "<>"]);
  if (apart) return { words: apart, make: ([a, b]) => ({ type: "cannot-link", a: a!, b: b! }) };
  const together = parted(line, ["="]);
  if (together) return { words: together, make: ([a, b]) => ({ type: "must-link", a: a!, b: b! }) };
  const [a, rest = ""] = parted(line, [","]) ?? [];
  const pair = parted(rest, ["|"]);
  if (a === undefined || !pair) return null;
  return { words: [a, ...pair], make: ([a, b, c]) => ({ type: "relative", a: a!, b: b!, c: c! }) };
}

/** What stands on both sides of the first of these signs, if there is anything. */
function parted(line: string, signs: readonly string[]): [string, string] | null {
  const places = signs.map((sign) => ({ sign, at: line.indexOf(sign) })).filter(({ at }) => at >= 0);
  const [first] = places.sort((a, b) => a.at - b.at);
  if (!first) return null;
  const sides: [string, string] = [line.slice(0, first.at).trim(), line.slice(first.at + first.sign.length).trim()];
  return sides.includes("") ? null : sides;
}

function missing(word: string): string {
  return `There is no row ${word}.`;
}
