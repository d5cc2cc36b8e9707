/** Measures and fits the width of texts on a terminal, in columns. */
import { visible } from "./visible.js";

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

export function widthOf(text: string): number {
  let width = 0;
  for (const sign of visible(text)) width += signWidth(sign);
  return width;
}

function signWidth(sign: string): number {
  const code = sign.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (/\p{Mark}|\p{Cf}/u.test(sign)) return 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export function fitted(text: string, room: number): string {
  const shown = visible(text);
  if (widthOf(shown) <= room) return shown;
  return room < 1 ? "" : `${beginning(shown, room - 1)}…`;
}

function beginning(text: string, room: number): string {
  let end = 0;
  let width = 0;
  for (const sign of text) {
    width += signWidth(sign);
    if (width > room) break;
    end += sign.length;
  }
  return text.slice(0, end);
}

/** Cuts or pads a text to exactly `room` columns. */
export function padded(text: string, room: number, side: "start" | "end" = "end"): string {
  const short = fitted(text, room);
  const blank = " ".repeat(Math.max(0, room - widthOf(short)));
  return side === "start" ? blank + short : short + blank;
}

export function folded(text: string, room: number, most: number): string[] {
  const lines: string[] = [];
  let rest = visible(text);
  while (lines.length < most - 1 && widthOf(rest) > room) {
    const end = beginning(rest, room).length;
    const blank = rest.lastIndexOf(" ", end);
    const at = blank > end / 2 ? blank : Math.max(1, end);
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...lines, fitted(rest, room)];
}

export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  for (const word of text.split(" ")) {
    const room = widthOf(word);
    if (line.trim() !== "" && width + 1 + room > columns) {
      lines.push(line);
      line = word;
      width = room;
    } else {
      width += (line === "" ? 0 : 1) + room;
      line += (line === "" ? "" : " ") + word;
    }
  }
  return [...lines, line];
}
