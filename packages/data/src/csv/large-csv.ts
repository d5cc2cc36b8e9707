/** A large CSV file in UTF-8, read straight into the memory that several threads parse it from. */

import type { ReadOptions, Table } from "../table/table.js";
import { encodingOf, markNotice } from "../table/utf8.js";
import { readCsvSource } from "./csv.js";
import { createThreadedReader } from "./row-threads.js";
import { SlotWindow } from "./slot-window.js";

export interface LargeFile {
  /** Its first bytes. */
  readonly head: Uint8Array;
  /** Fills an array from its start with the bytes at a position; returns how many, 0 behind the end. */
  readonly readAt: (target: Uint8Array, position: number) => number;
  readonly contentHash: () => Promise<string>;
}

/** Reads a table; null where there are no threads, or the text is not in UTF-8. */
export function readLargeCsv(
  { head, readAt, contentHash }: LargeFile,
  options: ReadOptions,
  expectedDelimiter: string,
  slotBytes?: number,
): Promise<Table> | null {
  const { encoding, mark } = encodingOf(head);
  const reader = encoding === "utf-8" ? createThreadedReader() : null;
  if (!reader) return null;
  let position = mark;
  const readInto = (target: Uint8Array): number => {
    const read = readAt(target, position);
    position += read;
    return read;
  };
  const notices = mark > 0 ? [markNotice(options.file)] : [];
  const window = new SlotWindow(readInto, reader, options, slotBytes);
  return readCsvSource({ window, reader, notices, contentHash }, options, { expectedDelimiter }).finally(reader.close);
}
