/**
 * Where text meets the terminal. A line for people is one line whatever stands in it: what a terminal would obey, and what would
 * begin a line of its own, is shown as JSON would write it. Style is said beside the text and never in it.
 */

export type Style = "strong" | "loud" | "dim";

/** A line for people: text, or pieces of text of which some have a style. */
export type Line = string | readonly Piece[];
export type Piece = string | { readonly text: string; readonly style: Style };

/** Control characters, halves of signs, separators of lines and paragraphs, and signs that turn the direction of writing. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const SHORT: Readonly<Record<string, string>> = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };

/** A text as a terminal may show it: on one line, and with nothing in it that the terminal would obey. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** Data on its way to a screen: its lines and tabs stay, and so does the meaning of JSON. */
export function visibleData(text: string): string {
  return text.replace(HIDDEN, (sign) => (sign === "\n" || sign === "\t" ? sign : escaped(sign)));
}

function escaped(sign: string): string {
  return SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const CODES: Readonly<Record<Style, readonly [on: string, off: string]>> = {
  strong: ["\u001b[1m", "\u001b[22m"],
  loud: ["\u001b[1;33m", "\u001b[22;39m"],
  dim: ["\u001b[2m", "\u001b[22m"],
};

/** Lines as they are written, each with its end and no blanks before it. */
export function written(lines: readonly Line[], colours: boolean): string {
  return lines.map((line) => `${(typeof line === "string" ? visible(line) : styled(line, colours)).trimEnd()}\n`).join("");
}

function styled(pieces: readonly Piece[], colours: boolean): string {
  const text = pieces.map((piece) => {
    if (typeof piece === "string") return visible(piece);
    const [on, off] = colours && piece.text !== "" ? CODES[piece.style] : ["", ""];
    return `${on}${visible(piece.text)}${off}`;
  });
  return text.join("");
}

/** What the terminal is told besides text. */
export const CONTROL = {
  /** To the beginning of this line, which is emptied. */
  again: "\r\u001b[K",
  /** Up by some lines, all below emptied. */
  up: (lines: number) => `\u001b[${lines}A\r\u001b[J`,
} as const;
