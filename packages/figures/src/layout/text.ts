/** Text for figures and pages: escaping, number formats, cutting long text. */
import { type Notation, roundedValue } from "@coterie/core/notation";

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Makes text from the data safe in HTML and SVG. Characters that XML forbids, or that change the writing direction, are replaced. */
export function escapeText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids the first of these
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
      .replace(/[&<>"']/g, (character) => ESCAPES[character]!)
  );
}

/** Writes a number with four significant digits and a real minus sign. Very large or small numbers are written as 1.2 × 10⁵. */
export function formatNumber(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(2).split("e");
    return `${signed(String(Number(mantissa)))} × 10${superscript(String(Number(exponent)))}`;
  }
  if (size >= 10 ** (digits - 1)) return signed(grouped(Math.round(value)));
  return signed(String(Number(value.toPrecision(digits))));
}

/** Writes a number in the notation of its column: as a date, as an amount with its unit, or as a plain number as `formatNumber` does. */
export function formatValue(value: number | null | undefined, notation: Notation | null | undefined, digits = 4): string {
  if (!notation || value === null || value === undefined || !Number.isFinite(value)) return formatNumber(value, digits);
  const text = roundedValue(value, notation, digits);
  return text.startsWith("-") ? signed(text) : text;
}

/** Writes the mean of a column. If the column holds dates that spread over at least a day, the mean is rounded to a day. */
export function formatMean(value: number, notation: Notation | null | undefined, spread: number, digits = 4): string {
  return formatValue(notation?.kind === "date" && spread >= 1 ? Math.round(value) : value, notation, digits);
}

/** The number of decimals at which differences of about `spread` / 100 are visible. */
export function decimalsFor(spread: number): number {
  if (!(spread > 0)) return 2;
  return Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(spread))));
}

/** Writes a number with a fixed number of decimals, so that the numbers of a table's column are aligned. */
export function formatFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1e7 || decimals >= 6) return formatNumber(value, 3);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : signed(decimals === 0 ? grouped(Number(text)) : text);
}

/** Writes a count with commas: 2,357. */
export function formatCount(value: number): string {
  return signed(String(value).replace(/\B(?=(\d{3})+$)/g, ","));
}

export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** Writes a count with its noun: "1 row", "2 rows". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function signed(text: string): string {
  return text.replace("-", "−");
}

/** Writes a number with commas, but only from five digits on: 1000, but 12,345. */
function grouped(value: number): string {
  const text = String(value);
  return Math.abs(value) < 1e4 ? text : text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function superscript(text: string): string {
  return text.replace(/./g, (character) => (character === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(character)]!));
}

/** Shortens a text by cutting out its middle, so that both ends of a long name stay visible: `od280_od3…wines`. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  // For a very long text, read only enough code units from both ends. A character has at most two code units.
  const long = text.length > 8 * length + 8;
  const first = [...(long ? text.slice(0, 2 * length) : text)];
  if (!long && first.length <= length) return text;
  const last = long ? [...text.slice(-2 * length)] : first;
  const head = Math.ceil((length - 1) * 0.6);
  return `${first.slice(0, head).join("")}…${last.slice(last.length - (length - 1 - head)).join("")}`;
}

/**
 * Widths of the characters from space to ~ in DejaVu Sans, in hundredths of the font size. No font of the font list is wider than DejaVu
 * Sans or Verdana.
 */
const ADVANCES = [
  32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53,
  100, 69, 69, 70, 77, 63, 58, 78, 75, 30, 30, 66, 56, 86, 75, 79, 60, 79, 70, 64, 61, 73, 69, 99, 69, 61, 69, 39, 34, 39, 84, 50,
  50, 61, 64, 55, 64, 62, 35, 64, 64, 28, 28, 58, 28, 98, 64, 61, 64, 64, 41, 52, 39, 64, 59, 82, 59, 59, 53, 64, 34, 64, 84,
] as const;
/** Semibold text is wider than normal text by this factor. */
const BOLD = 1.15;
const BOLD_FROM = 600;

/** An upper bound on the width of a line of text in pixels, for all fonts of the font list. Only a browser knows the exact width. */
export function textWidth(text: string, size: number, weight = 400): number {
  let hundredths = 0;
  for (const character of text) hundredths += advanceOf(character.codePointAt(0)!);
  return (hundredths / 100) * size * (weight >= BOLD_FROM ? BOLD : 1);
}

function advanceOf(code: number): number {
  const known = ADVANCES[code - 32];
  if (known !== undefined) return known;
  if (code < 0x2000) return 70;
  // Symbols, arrows and East Asian characters are about as wide as the font size; emoji are wider.
  return code < 0x1f000 ? 100 : 135;
}

/** Wraps sentences into lines of at most `width` pixels, between words. A word that is too long is cut. */
export function wrapText(sentences: readonly string[], size: number, width: number): string[] {
  return sentences.flatMap((sentence) => {
    const lines: string[] = [];
    for (const word of sentence.split(" ")) {
      const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
      if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
      else lines.push(fitText(word, size, width));
    }
    return lines;
  });
}

/** Returns the text if it fits into `width` pixels. Otherwise cuts out as little of its middle as possible, so that it fits. */
export function fitText(text: string, size: number, width: number, weight = 400): string {
  if (textWidth(text, size, weight) <= width) return text;
  // The search starts at the number of characters that would fit if all of them were as narrow as the narrowest character.
  let length = Math.min(text.length - 1, Math.ceil(width / (0.28 * size)));
  while (length > 3 && textWidth(cutMiddle(text, length), size, weight) > width) length--;
  return cutMiddle(text, Math.max(3, length));
}

/** The step between the ticks of an axis: the smallest number of the form 1, 2 or 5 times a power of ten that is at least `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}
