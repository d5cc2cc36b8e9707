/** Reads one record of a CSV file as texts, for the header and for detecting the format, where speed does not matter. */
import { badInput } from "@coterie/core/internal";

export const TAB = 9;

export interface CsvRecord {
  readonly cells: readonly string[];
  readonly inQuotes: readonly boolean[];
  readonly next: number;
  readonly lines: number;
}

export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const QUOTE = 34;
export const SPACE = 32;

/** The CSV record at `start`; null if its end is not in `bytes`. atEnd: whether the file ends with `bytes`. */
export function recordAt(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
  atEnd: boolean,
  place: { readonly file: string; readonly line: number },
): CsvRecord | null {
  const cells: string[] = [];
  const inQuotes: boolean[] = [];
  let lines = 1;
  let p = start;
  for (;;) {
    const isQuoted = bytes[p] === QUOTE && p < end;
    let from = p;
    let to: number;
    if (isQuoted) {
      const close = closingQuote(bytes, p + 1, end, atEnd);
      if (close < 0) {
        if (!atEnd) return null;
        throw unclosedQuote(place.file, place.line + lines - 1);
      }
      from = p + 1;
      to = close;
      lines += lineEnds(bytes, from, to);
      p = close + 1;
      while (p < end && bytes[p] === SPACE && delimiter !== SPACE) p++;
      if (p < end && !endsCell(bytes[p]!, delimiter)) throw textAfterQuote(place.file, place.line + lines - 1);
    } else {
      while (p < end && !endsCell(bytes[p]!, delimiter)) p++;
      to = p;
    }
    if (p >= end && !atEnd) return null;
    const text = decodeUtf8(bytes, from, to, place.file, place.line + lines - 1);
    cells.push(isQuoted ? text.replaceAll('""', '"') : text);
    inQuotes.push(isQuoted);
    if (p < end && bytes[p] === delimiter) {
      p++;
      continue;
    }
    if (p < end && bytes[p] === CARRIAGE_RETURN) {
      if (p + 1 >= end && !atEnd) return null;
      if (bytes[p + 1] === LINE_FEED && p + 1 < end) p++;
    }
    return { cells, inQuotes, next: Math.min(p + 1, end), lines };
  }
}

/** Returns the position of the quote that closes a cell; -1 if the bytes end first. Doubled quotes do not close a cell. */
export function closingQuote(bytes: Uint8Array, start: number, end: number, atEnd: boolean): number {
  for (let p = start; p < end; p++) {
    if (bytes[p] !== QUOTE) continue;
    // A quote as the last byte can be the first half of a doubled quote.
    if (p + 1 >= end) return atEnd ? p : -1;
    if (bytes[p + 1] !== QUOTE) return p;
    p++;
  }
  return -1;
}

export function lineEnds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let p = start; p < end; p++) {
    if (bytes[p] === LINE_FEED || (bytes[p] === CARRIAGE_RETURN && bytes[p + 1] !== LINE_FEED)) count++;
  }
  return count;
}

export function endsCell(byte: number, delimiter: number): boolean {
  return byte === delimiter || byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decodeUtf8(bytes: Uint8Array, start: number, end: number, file: string, line: number): string {
  if (end - start < 24) {
    // For short ASCII texts this loop is faster than the decoder.
    let text = "";
    let p = start;
    while (p < end && bytes[p]! < 0x80) text += String.fromCharCode(bytes[p++]!);
    if (p === end) return text;
  }
  try {
    return decoder.decode(bytes.subarray(start, end));
  } catch {
    throw badInput("The text is not valid UTF-8.", { file, line, remedy: "Save the file as UTF-8." });
  }
}

export function unclosedQuote(file: string, line: number): Error {
  return badInput("A quote opens here and is never closed.", {
    file,
    line,
    remedy: "Close it, or double it inside a quoted cell.",
  });
}

export function textAfterQuote(file: string, line: number): Error {
  return badInput("Text follows a closing quote.", { file, line, remedy: "Double each quote inside a quoted cell." });
}
