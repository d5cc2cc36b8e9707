/** Formats numbers, times and names for people. */
import { counted, formatCount, formatFixed } from "@coterie/figures/layout";

const MINUS = "−";

/**
 * The text of a cell: a number with at most six significant digits and the sign "−" for minus; a text unchanged; a dash for a missing
 * value.
 */
export function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "string") return value;
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value).replace("-", MINUS);
  return String(Number(value.toPrecision(6))).replace("-", MINUS);
}

/** A number with three significant digits, and k or M for thousands or millions: 172, 0.66, 2.7k, 1.4M. */
export function compact(value: number): string {
  const size = Math.abs(value);
  if (size >= 999_500) return `${trim(value / 1e6)}M`;
  if (size >= 9_995) return `${trim(value / 1e3)}k`;
  return trim(value);
}

function trim(value: number): string {
  const digits = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return digits.replace("-", MINUS);
}

/**
 * Returns a format for a column of numbers. All numbers get the same number of decimals: the number that gives the largest value three
 * significant digits.
 */
export function aligned(values: readonly number[]): (value: number) => string {
  const most = values.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  if (most >= 9_995) return compact;
  const digits = values.every(Number.isInteger) || most === 0 ? 0 : Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(most))));
  return (value) => formatFixed(value, digits);
}

/** Returns a format for a column of cells. All numbers get the same number of decimals: the largest number of decimals in the column. */
export function alignedCells(
  values: readonly (string | number | null | undefined)[],
): (value: string | number | null | undefined) => string {
  const digits = values.reduce<number>((most, value) => {
    if (typeof value !== "number") return most;
    const text = cell(value);
    return text.includes("e") || !text.includes(".") ? most : Math.max(most, text.length - text.indexOf(".") - 1);
  }, 0);
  return (value) => (typeof value === "number" && digits > 0 && Math.abs(value) < 1e9 ? formatFixed(value, digits) : cell(value));
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A date, or a time of day if the value is below 1, as text. The value is a number of days since 1970. */
export function dateWords(days: number): string {
  const time = new Date(Math.round(days * 86_400_000));
  if (Number.isNaN(time.getTime())) return cell(days);
  const text = time.toISOString();
  return days >= 0 && days < 1 ? text.slice(11, 16) : text.slice(0, text.indexOf("T"));
}

/** The text of a tick on an axis: "20k" for 20,000. It is exact, so that no two ticks have the same text. */
export function tickWords(value: number): string {
  if (value !== 0 && value % 1e6 === 0) return `${cell(value / 1e6)}M`;
  return Math.abs(value) >= 1e4 && value % 1e3 === 0 ? `${cell(value / 1e3)}k` : cell(value);
}

/** A range of numbers as text with few digits: "32–60", "2.7–6.3k". */
export function range(min: number, max: number): string {
  if (min === max) return cell(Number(min.toPrecision(4)));
  const inThousands = Math.max(Math.abs(min), Math.abs(max)) >= 2_000 && Math.max(Math.abs(min), Math.abs(max)) < 999_500;
  if (inThousands) return `${rounded(min / 1000)}–${rounded(max / 1000)}k`;
  return `${rounded(min)}–${rounded(max)}`;
}

const month = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });

/**
 * A range of dates as text: "2019–2024", "Jan–Apr" within a year, or "2–27 Jan" within a month. min, max: days since 1970. Times of day (0
 * to 1) become times.
 */
export function dateRange(min: number, max: number): string {
  const [from, to] = [new Date(min * 86_400_000), new Date(max * 86_400_000)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return range(min, max);
  const [first, last] = [from.toISOString(), to.toISOString()];
  if (min >= 0 && max <= 1) return `${first.slice(11, 16)}–${max === 1 ? "24:00" : last.slice(11, 16)}`;
  if (first.slice(0, 4) !== last.slice(0, 4)) return `${first.slice(0, 4)}–${last.slice(0, 4)}`;
  const [firstMonth, lastMonth] = [month.format(from), month.format(to)];
  if (firstMonth !== lastMonth) return `${firstMonth}–${lastMonth}`;
  return `${Number(first.slice(8, 10))}–${Number(last.slice(8, 10))} ${lastMonth}`;
}

/** Converts the text of a cell with a date, a time or both to days since 1970. Null for any other text. */
export function daysOf(text: string): number | null {
  const found = /^(\d{4}-\d{2}-\d{2})?(?:^|\s|$)(\d{2}:\d{2}:\d{2}(?:\.\d{3})?)?$/.exec(text.trim());
  if (!found || (found[1] === undefined && found[2] === undefined)) return null;
  const days = Date.parse(`${found[1] ?? "1970-01-01"}T${found[2] ?? "00:00:00"}Z`) / 86_400_000;
  return Number.isNaN(days) ? null : days;
}

function rounded(value: number): string {
  const size = Math.abs(value);
  const text = size >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
  return text.replace("-", MINUS);
}

export function score(value: number | null): string {
  return value === null ? "–" : formatFixed(value, Math.abs(value) >= 100 ? 1 : 3);
}

export function change(value: number, digits: number): string {
  const text = formatFixed(value, digits);
  return Number(value.toFixed(digits)) > 0 ? `+${text}` : text;
}

/** Splits 10^log10 into leading digits and an exponent, such as 2.3 and 17. A small number is returned in full, without exponent. */
export function power(log10: number): { readonly digits: string; readonly exponent: number | null } {
  if (log10 < 6) return { digits: formatCount(Math.round(10 ** log10)), exponent: null };
  let exponent = Math.floor(log10);
  let digits = (10 ** (log10 - exponent)).toFixed(1);
  if (digits === "10.0") {
    digits = "1.0";
    exponent++;
  }
  return { digits, exponent };
}

/** Short headings for the columns of a table. Each heading uses the fewest first words that differ from all other names. */
export function shortNames(names: readonly string[]): readonly string[] {
  const words = names.map((name) => name.split(/[_\s.-]+/).filter((word) => word !== ""));
  return names.map((name, index) => {
    const own = words[index]!;
    for (let length = 1; length <= own.length; length++) {
      const head = own.slice(0, length).join(" ");
      const isShared = words.some((other, at) => at !== index && other.slice(0, length).join(" ") === head);
      if (!isShared) return length > 1 ? shorten(own.slice(0, length)) : head;
    }
    return name;
  });
}

/** Shortens the last word to its first letter: "bill length" becomes "bill l.". */
function shorten(words: readonly string[]): string {
  return [...words.slice(0, -1), `${words.at(-1)![0]}.`].join(" ");
}

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });

/** The time since a moment as words: "12 minutes ago", "yesterday", "9 November". */
export function ago(time: string, now: number): string {
  const then = new Date(time);
  const minutes = Math.floor((now - then.getTime()) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return counted(minutes, "minute ago", "minutes ago");
  const today = new Date(now);
  const days = Math.round((startOfDay(today) - startOfDay(then)) / 86_400_000);
  if (days === 0) return counted(Math.floor(minutes / 60), "hour ago", "hours ago");
  if (days === 1) return "yesterday";
  const year = then.getFullYear() === today.getFullYear() ? "" : ` ${then.getFullYear()}`;
  return `${date.format(then)}${year}`;
}

function startOfDay(day: Date): number {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
}

/** A list in words: "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

export function inWords(value: number): string {
  return NUMBERS[value] ?? formatCount(value);
}

/** The width of a character in pixels if no page can measure it, for example in tests. */
const CHARACTER = 7;
let pen: CanvasRenderingContext2D | null | undefined;

/** The width of a text in the font of the page, in pixels, rounded up. */
export function textWidth(text: string): number {
  if (typeof document === "undefined") return CHARACTER * text.length;
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return CHARACTER * text.length;
  const { fontSize, fontFamily } = getComputedStyle(document.body);
  pen.font = `${fontSize} ${fontFamily}`;
  return Math.ceil(pen.measureText(text).width);
}

export function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}
