/** How the values of a column are written: as dates, times of day, amounts of money or percent. */

/** Symbols around and inside an amount, as in the cells of the column. */
export interface AmountNotation {
  readonly kind: "money" | "percent";
  /**
   * `before`: text before the digits, such as "$" or "EUR ". `after`: text after the digits, such as "%" or " €". One of the two texts is
   * empty.
   */
  readonly before: string;
  readonly after: string;
  readonly decimal: "." | ",";
  /** Separator between groups of three digits; empty if the cells have none. */
  readonly group: string;
}

/** Dates are days since 1970-01-01 in UTC, times are fractions of a day. Plain numbers have no notation. */
export type Notation = { readonly kind: "date" | "time" } | AmountNotation;

/** Notations by column name. */
export type Notations = Readonly<Record<string, Notation>>;

const DAY = 86_400_000;

/** Formats a value as in the cells of the column: dates and times to the millisecond, amounts with all digits. */
export function writtenValue(value: number, notation: Notation | null | undefined): string {
  if (!notation) return String(value);
  return "before" in notation ? amountText(value, notation) : dateText(value, notation.kind);
}

/** Formats a computed number, such as a mean: money to the cent, percent and plain numbers to `digits` significant digits. */
export function roundedValue(value: number, notation: Notation | null | undefined, digits = 6): string {
  if (notation?.kind === "date" || notation?.kind === "time") return writtenValue(value, notation);
  const isMoney = notation?.kind === "money" && Math.abs(value) >= 1;
  return writtenValue(Number(isMoney ? value.toFixed(2) : value.toPrecision(digits)), notation);
}

export function notationOf(notations: Notations | undefined, column: string): Notation | undefined {
  return notations && Object.hasOwn(notations, column) ? notations[column] : undefined;
}

function dateText(days: number, kind: "date" | "time"): string {
  const moment = new Date(Math.round(days * DAY));
  if (Number.isNaN(moment.getTime())) return String(Number(days.toPrecision(6)));
  const [date = "", time = ""] = moment
    .toISOString()
    .replace(/(?:\.000)?Z$/, "")
    .split("T");
  if (kind === "time" && days >= 0 && days < 1) return time;
  return time === "00:00:00" ? date : `${date} ${time}`;
}

function amountText(value: number, { kind, before, after, decimal, group }: AmountNotation): string {
  const digits = String(Math.abs(value));
  const sign = value < 0 ? "-" : "";
  if (!/^[\d.]+$/.test(digits)) return `${sign}${before}${digits}${after}`;
  const [whole = "", fraction = ""] = digits.split(".");
  // Money has two decimals or none.
  const cents = kind === "money" && fraction.length === 1 ? `${fraction}0` : fraction;
  const grouped = group === "" ? whole : whole.replace(/\B(?=(\d{3})+$)/g, group);
  return `${sign}${before}${grouped}${cents === "" ? "" : `${decimal}${cents}`}${after}`;
}

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/;
const MOMENT = /^(?:([-+]?\d{4,6}-\d{2}-\d{2}))?(?:(?:^|\s)(\d{2}:\d{2}:\d{2}(?:\.\d{3})?))?$/;

/** Turns a text that `writtenValue` wrote back into its number; undefined for any other text. */
export function readValue(text: string, notation: Notation | undefined): number | undefined {
  if (notation && "before" in notation) return readAmount(text, notation);
  if (NUMBER.test(text)) return Number(text);
  const [, date, time] = notation ? (MOMENT.exec(text) ?? []) : [];
  if (date === undefined && time === undefined) return undefined;
  const moment = Date.parse(`${date ?? "1970-01-01"}T${time ?? "00:00:00"}Z`);
  return Number.isNaN(moment) ? undefined : moment / DAY;
}

function readAmount(text: string, { before, after, decimal, group }: AmountNotation): number | undefined {
  const sign = text.startsWith("-") ? "-" : "";
  const rest = text.slice(sign.length);
  if (!rest.startsWith(before) || !rest.endsWith(after)) return undefined;
  const inside = rest.slice(before.length, rest.length - after.length);
  const digits = (group === "" ? inside : inside.replaceAll(group, "")).replace(decimal, ".");
  return NUMBER.test(digits) ? Number(`${sign}${digits}`) : undefined;
}
