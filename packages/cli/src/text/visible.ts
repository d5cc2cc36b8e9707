/**
 * Makes text safe for the terminal: control characters become JSON escapes. Styles are stored beside the text, so text from data can never
 * contain a style.
 */

export type Style = "strong" | "loud" | "dim" | "changed";

/** A line for people: text, or pieces of text, each with an optional style. */
export type Line = string | readonly Piece[];
export type Piece = string | { readonly text: string; readonly style: Style };

const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const SHORT: Readonly<Record<string, string>> = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };

export function visible(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** Makes control characters of data visible on a screen. Line breaks and tabs stay, and escaped JSON keeps its meaning. */
export function visibleData(text: string): string {
  return text.replace(HIDDEN, (sign) => (sign === "\n" || sign === "\t" ? sign : escaped(sign)));
}

function escaped(sign: string): string {
  return SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const CODES: Readonly<Record<Style, readonly [on: string, off: string]>> = {
  strong: ["\u001b[1m", "\u001b[22m"],
  changed: ["\u001b[4m", "\u001b[24m"],
  loud: ["\u001b[1;33m", "\u001b[22;39m"],
  dim: ["\u001b[2m", "\u001b[22m"],
};

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

export const CONTROL = {
  again: "\r\u001b[K",
  up: (lines: number) => `\u001b[${lines}A\r\u001b[J`,
} as const;
