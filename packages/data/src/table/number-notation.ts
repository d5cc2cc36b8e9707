/**
 * Reads numbers in the notations that people use: thousands separators, currencies, percent signs, decimal commas. Also recognises texts
 * that mean a missing value.
 */

export type Notation = "thousands separators" | "currency signs" | "percent signs" | "decimal commas";

type Decimal = "." | ",";

const CURRENCY = "(?:US\\$|[$€£¥₹₽₩¢]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|BRL)(?![A-Za-z]))";
/** Possible separators between groups of three digits, besides "," and ".". */
const QUIET_MARKS = "'’\\u00a0\\u202f\\u2009 ";

/** The regular expression of a number with this decimal mark. Grouped digits cannot begin with 0: 030 123 456 is a telephone number. */
function pattern(decimal: Decimal): RegExp {
  const mark = decimal === "." ? "\\." : ",";
  const grouped = `[1-9]\\d{0,2}(?<mark>[${decimal === "." ? "," : "."}${QUIET_MARKS}])\\d{3}(?:\\k<mark>\\d{3})*(?:${mark}\\d+)?`;
  const plain = `\\d+(?:${mark}\\d*)?|${mark}\\d+`;
  return new RegExp(
    `^(?<open>\\()?(?<sign>[+\\-−])?(?<before>${CURRENCY})?(?<lead>\\s*)(?<inner>[+\\-−])?(?:(?<grouped>${grouped})|(?<plain>${plain}))(?<trail>\\s*)(?<after>${CURRENCY}|%)?(?<close>\\))?$`,
  );
}

const patterns = { ".": pattern("."), ",": pattern(",") };

export interface Written {
  readonly value: number;
  readonly notations: readonly Notation[];
  readonly unit: string;
  /**
   * before: the text in front of the digits, with its blanks. after: the text behind the digits. group: the separator between groups of
   * digits.
   */
  readonly before: string;
  readonly after: string;
  readonly group: string;
}

/** Texts with more characters than this are not tried as numbers. */
const LONGEST = 40;

export function writtenNumber(text: string, decimal: Decimal): Written | undefined {
  if (text.length > LONGEST) return undefined;
  const parts = patterns[decimal].exec(text.trim())?.groups ?? {};
  const { open, close, sign, inner, before, after, grouped, plain } = parts;
  const digits = grouped ?? plain;
  if (digits === undefined || (open === undefined) !== (close === undefined)) return undefined;
  if ((before !== undefined && after !== undefined) || (sign !== undefined && inner !== undefined)) return undefined;
  const bare = digits.replace(decimal === "." ? /[^\d.]/g : /[^\d,]/g, "").replace(",", ".");
  const value = Number(bare);
  if (!Number.isFinite(value)) return undefined;
  const signs = [open === undefined ? "" : "-", sign ?? "", inner ?? ""].join("");
  const unit = before ?? after ?? "";
  const notations: Notation[] = [];
  if (unit !== "" && unit !== "%") notations.push("currency signs");
  if (unit === "%") notations.push("percent signs");
  if (grouped !== undefined) notations.push("thousands separators");
  if (decimal === "," && digits.includes(",")) notations.push("decimal commas");
  return {
    value: /[-−]/.test(signs) ? -value : value,
    notations,
    unit,
    before: before === undefined ? "" : `${before}${parts.lead}`,
    after: after === undefined ? "" : `${parts.trail}${after}`,
    group: parts.mark ?? "",
  };
}

/** The notation of a text that is a number; undefined for numbers in plain digits and for texts that are no numbers. */
export function notationOf(text: string): Notation | undefined {
  for (const decimal of [".", ","] as const) {
    const notations = writtenNumber(text, decimal)?.notations;
    if (notations === undefined) continue;
    return notations.find((notation) => notation === "thousands separators") ?? notations[0];
  }
  return undefined;
}

const noValue = /^(?:n\/a|n\.a\.|#n\/a|null|none|nil|[-–—]+)$/i;
const noValueToAPerson = /^(?:#value!|#div\/0!|\.+|unknown|missing|not available)$/i;

export function isNoValue(text: string): boolean {
  return text.length <= LONGEST && noValue.test(text.trim());
}

/** Whether a text means a missing value in any column. */
export function saysMissing(text: string): boolean {
  return isNoValue(text) || (text.length <= LONGEST && noValueToAPerson.test(text.trim()));
}
