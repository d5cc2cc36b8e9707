/**
 * Recognises text columns that hold numbers or dates. All cells of such a column must have the same decimal mark, the same currency, and
 * the same order of day and month. Each recognised column gets one notice, with an example and the option that turns the recognition off.
 */
import type { AmountNotation, Notation as Writing } from "@coterie/core/internal";
import { shellFlag } from "@coterie/core/shell";
import { type DateOrder, datesOf } from "./dates.js";
import { isNoValue, type Notation, type Written, writtenNumber } from "./number-notation.js";
import { counted, quoted } from "./sentences.js";

export interface Recognised {
  readonly type: "number" | "date";
  /** For each text of `levels`, its number; NaN if the text means a missing value. */
  readonly values: Float64Array;
  readonly notice: string;
  readonly order?: DateOrder;
  readonly notation?: Writing;
}

export interface Texts {
  readonly name: string;
  readonly levels: readonly string[];
  readonly counts: (level: number) => number;
  /** Facts about the cells that are plain numbers. some: there is at least one. whole: all are whole numbers. zero: all are zero. */
  readonly plain: { readonly some: boolean; readonly whole: boolean; readonly zero: boolean };
  readonly decimal: "." | ",";
}

/**
 * Reads all texts of a column as numbers; undefined if a text is not a number. A text such as "1,2" can be two names, so it counts as a
 * number only if `asked`.
 */
export function numbersIn(texts: Texts, asked = false): Recognised | undefined {
  const other = texts.decimal === "." ? "," : ".";
  return numbersUnder(texts, texts.decimal, asked) ?? (texts.plain.whole ? numbersUnder(texts, other, asked) : undefined);
}

function numbersUnder({ name, levels, counts, plain }: Texts, decimal: "." | ",", asked: boolean): Recognised | undefined {
  const values = new Float64Array(levels.length);
  const notations = new Set<Notation>();
  const units = new Set<string>();
  let [example, none, group] = ["", false, ""];
  let amount: Written | undefined;
  for (let level = 0; level < levels.length; level++) {
    const text = levels[level]!;
    const written = isNoValue(text) ? null : writtenNumber(text, decimal);
    if (written === undefined) return undefined;
    values[level] = written?.value ?? Number.NaN;
    none ||= written === null;
    if (written === null) continue;
    for (const notation of written.notations) notations.add(notation);
    if (written.value !== 0 || written.unit !== "") units.add(written.unit);
    if (written.unit !== "") amount ??= written;
    if (group === "") group = written.group;
    if (example === "" && written.notations.length > 0) example = `${quoted(text)} is ${written.value}`;
  }
  const isTelling = notations.size === 0 ? plain.some : notations.size > 1 || !notations.has("decimal commas");
  if (!isOneUnit(units, plain) || !(asked || isTelling)) return undefined;
  const how = notations.size === 0 ? "" : ` with ${[...notations].sort().join(" and ")} (${example})`;
  const missing = none ? `; ${missingWords(levels, values, counts)}` : "";
  const back = `${shellFlag("--type", `${name}=nominal`)} reads it as text.`;
  const notice = `Column ${quoted(name)} is read as numbers${how}${missing}. ${back}`;
  return { type: "number", values, notice, ...(amount ? { notation: amountOf(amount, decimal, group) } : {}) };
}

function amountOf({ unit, before, after }: Written, decimal: "." | ",", group: string): AmountNotation {
  return { kind: unit === "%" ? "percent" : "money", before, after, decimal, group };
}

/** Whether the units of the cells fit together. Either all cells have percent signs, or no cell has one. There is at most one currency. */
function isOneUnit(units: ReadonlySet<string>, plain: Texts["plain"]): boolean {
  if (units.has("%")) return units.size === 1 && (!plain.some || plain.zero);
  return [...units].filter((unit) => unit !== "").length <= 1;
}

/** Makes a part of a notice: `2 cells that say "N/A" or "-" are missing`. */
function missingWords(levels: readonly string[], values: Float64Array, counts: Texts["counts"]): string {
  const words = [...levels.keys()].filter((level) => Number.isNaN(values[level]!));
  const cells = words.reduce((sum, level) => sum + counts(level), 0);
  const said = words
    .slice(0, 3)
    .map((level) => quoted(levels[level]!))
    .join(" or ");
  return `${counted(cells, "cell")} that ${cells === 1 ? "says" : "say"} ${said} ${cells === 1 ? "is" : "are"} missing`;
}

export function datesIn(texts: Texts, known?: DateOrder): Recognised | undefined {
  const found = datesOf(texts.levels, isNoValue, false, known);
  return "refused" in found ? undefined : announced(texts, found);
}

export function datesAsked(texts: Texts, known?: DateOrder): Recognised | { readonly refused: string } {
  const found = datesOf(texts.levels, isNoValue, true, known);
  return "refused" in found ? found : announced(texts, found);
}

function announced({ name, levels, counts }: Texts, found: Exclude<ReturnType<typeof datesOf>, { refused: string }>): Recognised {
  const { days, what, order, guessed } = found;
  const first = days.findIndex((value) => !Number.isNaN(value));
  const example = `${quoted(levels[first]!)} is ${Number(days[first]!.toFixed(5))}`;
  const unit = what === "dates" ? "days since 1970-01-01" : "parts of a day";
  const which = order === undefined ? "" : `, the ${order} first${guessed ? ", which is a guess" : ""}`;
  const missing = days.some(Number.isNaN) ? `; ${missingWords(levels, days, counts)}` : "";
  const back = `${shellFlag("--type", `${name}=nominal`)} reads it as text.`;
  const notice = `Column ${quoted(name)} is read as ${what}, in ${unit}${which} (${example})${missing}. ${back}`;
  const notation = { kind: what === "dates" ? "date" : "time" } as const;
  return { type: "date", values: days, notice, notation, ...(order === undefined ? {} : { order }) };
}

const booleans = [new Set(["true", "false"]), new Set(["yes", "no"])];

export function areBooleans(levels: readonly string[]): boolean {
  if (levels.length === 0 || levels.length > 6) return false;
  const words = levels.map((level) => (level.length <= 8 ? level.trim().toLowerCase() : ""));
  return booleans.some((pair) => words.every((word) => pair.has(word)));
}

export function truthOf(level: string): number {
  return /^(?:true|yes)$/i.test(level.trim()) ? 1 : 0;
}
