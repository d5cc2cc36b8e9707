/** Converts dates to days since 1970 and times of day to parts of a day. Texts without a time zone are UTC. */

export type DateOrder = "day" | "month";

const DAY = 86_400_000;
const LONGEST = 48;

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const TIME = "(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}(?:[.,]\\d{1,9})?))?(?:\\s*(?<half>[ap])\\.?m\\.?)?";
const ZONE = "(?:\\s*(?<zone>Z|UTC|GMT|[+\\-]\\d{2}(?::?\\d{2})?))?";
const WHEN = `(?:(?:T|,?\\s+)${TIME}${ZONE})?`;
const MONTH = "(?<month>[A-Za-z]{3,9})\\.?";

const yearFirst = new RegExp(`^(?<y>\\d{4})([-/.])(?<m>\\d{1,2})\\2(?<d>\\d{1,2})${WHEN}$`, "i");
const yearLast = new RegExp(`^(?<a>\\d{1,2})(?<mark>[-/.])(?<b>\\d{1,2})\\k<mark>(?<y>\\d{4})${WHEN}$`, "i");
const dayMonth = new RegExp(`^(?<d>\\d{1,2})[.\\s-]*${MONTH}[ -]\\s*(?<y>\\d{4})${WHEN}$`, "i");
const monthDay = new RegExp(`^${MONTH}\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<y>\\d{4})${WHEN}$`, "i");
const yearMonth = /^(?<y>1[5-9]\d{2}|2[01]\d{2})-(?<m>0[1-9]|1[0-2])$/;
const timeAlone = new RegExp(`^${TIME}$`, "i");
const compact = /^(?<y>1[5-9]\d{2}|2[01]\d{2})(?:(?<m>0[1-9]|1[0-2])(?<d>[0-2]\d|3[01]))?$/;

export type Shape = "date" | "day or month first" | "time";

interface Match {
  readonly shape: Shape;
  readonly parts: Readonly<Record<string, string | undefined>>;
}

function matchOf(text: string, asked: boolean): Match | undefined {
  if (text.length > LONGEST) return undefined;
  const trimmed = text.trim();
  for (const form of [yearFirst, dayMonth, monthDay, yearMonth]) {
    const parts = form.exec(trimmed)?.groups;
    if (parts) return { shape: "date", parts };
  }
  const ambiguous = yearLast.exec(trimmed)?.groups;
  if (ambiguous) return { shape: "day or month first", parts: ambiguous };
  const time = timeAlone.exec(trimmed)?.groups;
  if (time) return { shape: "time", parts: time };
  const digits = asked ? compact.exec(trimmed)?.groups : undefined;
  return digits ? { shape: "date", parts: digits } : undefined;
}

export interface Dates {
  /** For each text, the number of days since 1970; NaN if `isNone` says that the text means a missing value. */
  readonly days: Float64Array;
  readonly what: "dates" | "times of day";
  readonly order?: DateOrder;
  /** Whether the order of day and month is a guess, because every date is possible in both orders. */
  readonly guessed?: boolean;
}

/**
 * Converts all texts to days since 1970, or returns the first text that is not a date. If `asked`, texts such as 20240131 and 2024 count as
 * dates too.
 */
export function datesOf(
  texts: readonly string[],
  isNone: (text: string) => boolean,
  asked: boolean,
  known?: DateOrder,
): Dates | { readonly refused: string } {
  const matches: (Match | undefined)[] = [];
  for (const text of texts) {
    const match = matchOf(text, asked);
    if (match === undefined && !isNone(text)) return { refused: text };
    matches.push(match);
  }
  const found = matches.filter((match) => match !== undefined);
  if (found.length === 0) return { refused: texts[0] ?? "" };
  const isTime = found[0]!.shape === "time";
  const odd = matches.findIndex((match) => match !== undefined && (match.shape === "time") !== isTime);
  if (odd >= 0) return { refused: texts[odd]! };
  const order = orderOf(found, known);
  const days = Float64Array.from(matches, (match) => (match ? daysOf(match, order?.first) : Number.NaN));
  const wrong = days.findIndex((value, i) => Number.isNaN(value) && matches[i] !== undefined);
  if (wrong >= 0) return { refused: texts[wrong]! };
  return {
    days,
    what: isTime ? "times of day" : "dates",
    ...(order ? { order: order.first, guessed: order.guessed } : {}),
  };
}

/**
 * Decides whether the day or the month comes first. A number above 12 must be the day. If there is none, dates with full stops begin with
 * the day.
 */
function orderOf(found: readonly Match[], known: DateOrder | undefined): { first: DateOrder; guessed: boolean } | undefined {
  const open = found.filter(({ shape }) => shape === "day or month first");
  if (open.length === 0) return undefined;
  if (known !== undefined) return { first: known, guessed: false };
  if (open.some(({ parts }) => Number(parts.a) > 12)) return { first: "day", guessed: false };
  if (open.some(({ parts }) => Number(parts.b) > 12)) return { first: "month", guessed: false };
  const first = open.every(({ parts }) => parts.mark !== "/") ? "day" : "month";
  return { first, guessed: open.some(({ parts }) => parts.mark !== "." && parts.a !== parts.b) };
}

function daysOf({ shape, parts }: Match, first: DateOrder | undefined): number {
  const time = timeOf(parts);
  if (shape === "time" || Number.isNaN(time)) return time;
  const [a, b] = [Number(parts.a), Number(parts.b)];
  const open = shape === "day or month first";
  const month = open ? (first === "day" ? b : a) : monthOf(parts);
  const day = open ? (first === "day" ? a : b) : Number(parts.d ?? 1);
  const year = Number(parts.y);
  const start = Date.UTC(year, month - 1, day);
  const date = new Date(start);
  const isReal = year >= 1000 && date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? start / DAY + time : Number.NaN;
}

function monthOf({ m, month }: Match["parts"]): number {
  if (month === undefined) return Number(m ?? 1);
  const at = months.indexOf(month.slice(0, 3).toLowerCase());
  return at >= 0 && isMonthName(month.toLowerCase(), at) ? at + 1 : Number.NaN;
}

const fullMonths = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

function isMonthName(name: string, month: number): boolean {
  return name.length === 3 || fullMonths[month]!.startsWith(name);
}

/** The time of day as a fraction of a day; 0 if the date has no time, NaN if the time is impossible. */
function timeOf({ hour, minute, second, half, zone }: Match["parts"]): number {
  if (hour === undefined) return 0;
  const [h, m, s] = [Number(hour), Number(minute), Number((second ?? "0").replace(",", "."))];
  const isReal = m < 60 && s < 61 && (half === undefined ? h < 24 || (h === 24 && m === 0 && s === 0) : h >= 1 && h <= 12);
  if (!isReal) return Number.NaN;
  const hours = half === undefined ? h : (h % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return (hours * 3600 + m * 60 + s - offsetOf(zone)) / 86_400;
}

function offsetOf(zone: string | undefined): number {
  const parts = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? "");
  if (!parts) return 0;
  const seconds = Number(parts[2]) * 3600 + Number(parts[3] ?? 0) * 60;
  return parts[1] === "-" ? -seconds : seconds;
}

/** The periods in which a date column can be cyclic. */
export const CYCLES = ["day", "week", "month", "year"] as const;
export type Cycle = (typeof CYCLES)[number];

/** The position of a moment within its day, week, month or year, from 0 to 1. days: days since 1970. Weeks begin on Mondays. */
export function turnOf(days: number, cycle: Cycle): number {
  const whole = Math.floor(days);
  if (cycle === "day") return days - whole;
  // Day 0 (1970-01-01) is a Thursday.
  if (cycle === "week") return (whole + 3 - 7 * Math.floor((whole + 3) / 7) + (days - whole)) / 7;
  const date = new Date(whole * DAY);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const from = (cycle === "year" ? Date.UTC(year, 0) : Date.UTC(year, month)) / DAY;
  const to = (cycle === "year" ? Date.UTC(year + 1, 0) : Date.UTC(year, month + 1)) / DAY;
  return (days - from) / (to - from);
}
