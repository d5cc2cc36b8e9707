/** Texts that a person reads as a number or as no value, though they are written as neither: what a slip in a column of numbers looks like. */

export type Notation = "thousands separators" | "currency signs" | "percent signs" | "decimal commas";

/** Longer texts are no numbers that somebody wrote. */
const LONGEST = 40;

const CURRENCY = "(?:US\\$|[$€£¥₹₽₩¢]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|BRL)\\b)";
const GROUPED = "\\d{1,3}(?<mark>[,.'’\\u00a0\\u202f ])\\d{3}(?:\\k<mark>\\d{3})*(?:[.,]\\d+)?";
const PLAIN = "\\d+(?:[.,]\\d+)?|[.,]\\d+";
const written = new RegExp(
  `^\\(?[+-]?(?<before>${CURRENCY})?\\s*[+-]?(?:(?<grouped>${GROUPED})|(?<plain>${PLAIN}))\\s*(?<after>${CURRENCY}|%)?\\)?$`,
);

/** How a number is written that is not read as one; undefined for plain numbers and for texts that are none. */
export function notationOf(text: string): Notation | undefined {
  if (text.length > LONGEST) return undefined;
  const { before, grouped, plain, after } = written.exec(text.trim())?.groups ?? {};
  if (grouped !== undefined) return "thousands separators";
  if (after === "%") return "percent signs";
  if (before !== undefined || after !== undefined) return "currency signs";
  return plain?.includes(",") ? "decimal commas" : undefined;
}

const noValue = /^(?:n\/a|n\.a\.|#n\/a|#value!|#div\/0!|null|none|nil|-+|\.+|unknown|missing|not available)$/i;

/** Whether a text says that there is no value. */
export function saysMissing(text: string): boolean {
  return text.length <= LONGEST && noValue.test(text.trim());
}
