/** The lines of a text file, in batches: one asynchronous step per piece of the file is much faster than one per line. */
import { decodeUtf8 } from "./csv-record.js";
import { refuseLongRecord, Window } from "./window.js";

export interface Lines {
  readonly first: number;
  readonly lines: readonly string[];
}

const BATCH = 1 << 20;

/** Splits a text into lines. Lines end in LF, CRLF or CR; the last line end is optional. */
export async function* textLines(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  file: string,
): AsyncGenerator<Lines, void, void> {
  const window = new Window(chunks);
  let first = 1;
  while (!window.atEnd) {
    await window.more(Math.max(BATCH, 2 * window.end + 1));
    const end = window.atEnd ? window.end : wholeLines(window.bytes, window.end);
    if (end > 0) {
      const lines = decodeLines(window.bytes, end, file, first);
      yield { first, lines };
      first += lines.length;
      window.drop(end);
    }
    refuseLongRecord(window, file, first);
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The end of the last complete line. A final carriage return does not count, because a line feed can follow. */
function wholeLines(bytes: Uint8Array, end: number): number {
  for (let p = end - 1; p >= 0; p--) {
    if (bytes[p] === LINE_FEED || (bytes[p] === CARRIAGE_RETURN && p < end - 1)) return p + 1;
  }
  return 0;
}

function decodeLines(bytes: Uint8Array, end: number, file: string, first: number): string[] {
  try {
    return split(decodeUtf8(bytes, 0, end, file, first));
  } catch {
    // The batch contains invalid UTF-8: decode it line by line to find the faulty line for the message.
    let line = first;
    let start = 0;
    for (let p = 0; p < end; p++) {
      const ends = bytes[p] === LINE_FEED || (bytes[p] === CARRIAGE_RETURN && bytes[p + 1] !== LINE_FEED);
      if (!ends && p < end - 1) continue;
      decodeUtf8(bytes, start, p + 1, file, line++);
      start = p + 1;
    }
    return [];
  }
}

function split(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
