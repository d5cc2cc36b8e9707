/**
 * Cells of files that people open in a spreadsheet. A text that a spreadsheet would take for a formula gets an apostrophe in front,
 * which it shows as text; plain numbers stay as they are, minus sign and all.
 */
import { csvCell } from "@coterie/data/browser";

/** One that begins with an apostrophe of its own gets another, so that whoever takes one away has the text again. */
const FORMULA = /^'*\s*[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

export function safeCell(value: string | number): string {
  const text = String(value);
  return csvCell(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
}
