/** Words and numbers on figures: escaped, rounded for reading, cut to fit. */

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/**
 * Text from the data, safe inside an element or a quoted attribute of HTML and SVG. Characters that XML forbids become the
 * replacement character.
 */
export function escapeText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 forbids
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
      .replace(/[&<>"']/g, (character) => ESCAPES[character]!)
  );
}

/** A number of four significant digits with a true minus sign; very large or small ones as 1.2 × 10⁵. */
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

/** The decimals that show differences of a hundredth of `spread` or a little more. */
export function decimalsFor(spread: number): number {
  if (!(spread > 0)) return 2;
  return Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(spread))));
}

/** A number with a fixed count of decimals, so that a column lines up. */
export function formatFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1e7 || decimals >= 6) return formatNumber(value, 3);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : signed(decimals === 0 ? grouped(Number(text)) : text);
}

export function formatCount(value: number): string {
  return signed(grouped(value));
}

export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** "1 row", "2 rows". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function signed(text: string): string {
  return text.replace("-", "−");
}

/** Thousands from five digits on, as 1000 and 2024 read well alone. */
function grouped(value: number): string {
  const text = String(value);
  return Math.abs(value) < 1e4 ? text : text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function superscript(text: string): string {
  return text.replace(/./g, (character) => (character === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(character)]!));
}

/** Cut in the middle, so that both ends of a long name stay: `od280_od…_wines`. */
export function cutMiddle(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  const head = Math.ceil((length - 1) * 0.6);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (length - 1 - head)).join("")}`;
}

/** Width of a line in a sans face, near enough to place labels; exact widths need a browser. */
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const character of text) {
    if (/[iljtfrI.,:;'|!()[\] ]/.test(character)) ems += 0.32;
    else if (/[mwMW%@…]/.test(character)) ems += 0.86;
    else if (/[A-Z–−=≠]/.test(character)) ems += 0.67;
    else if (character.codePointAt(0)! > 0x2e80) ems += 1;
    else ems += 0.56;
  }
  return ems * size;
}

/** The longest cut of `text` that fits `width` pixels. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  let length = [...text].length - 1;
  while (length > 3 && textWidth(cutMiddle(text, length), size) > width) length--;
  return cutMiddle(text, Math.max(3, length));
}
