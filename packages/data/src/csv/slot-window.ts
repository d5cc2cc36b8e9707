/**
 * A window on a large file that is read directly into the memory of the row reader. Two slots alternate: while the rows of one slot
 * are collected, the threads parse the other. The unfinished record at the end of a slot is copied in front of the next slot.
 */
import { setImmediate } from "node:timers/promises";
import { LONGEST_RECORD, type TextWindow, withLineEnd } from "../lines/window.js";
import type { ReadOptions } from "../table/table.js";
import { OVERRUN, PAGE, reach, type ThreadedReader, WINDOW } from "./csv-kernel.js";

const SLOT_BYTES = 2 ** 21;

/** Fills an array from its start with the next bytes of a file; returns their number, 0 at the end of the file. */
export type ReadInto = (target: Uint8Array) => number;

export class SlotWindow implements TextWindow {
  readonly bytes: Uint8Array;
  start: number;
  end: number;
  atEnd = false;
  readonly #readInto: ReadInto;
  readonly #reader: ThreadedReader;
  readonly #options: ReadOptions;
  readonly #length: number;
  /** The address of the file's bytes in each slot. The space before it is for a record that began in the other slot. */
  readonly #slots: readonly [number, number];
  /** The slot in which the window ends; null before the first bytes. */
  #slot: 0 | 1 | null = null;
  /** The end of the bytes in the other slot. */
  #ahead = 0;
  #done = 0;

  constructor(readInto: ReadInto, reader: ThreadedReader, options: ReadOptions, length = SLOT_BYTES) {
    this.#readInto = readInto;
    this.#reader = reader;
    this.#options = options;
    this.#length = length;
    const distance = LONGEST_RECORD + PAGE + Math.ceil((length + OVERRUN) / PAGE) * PAGE;
    const first = WINDOW + LONGEST_RECORD + PAGE;
    reach(reader.memory, first + 2 * distance);
    this.bytes = new Uint8Array(reader.memory.buffer, 0, first + 2 * distance);
    this.#slots = [first, first + distance];
    this.start = first;
    this.end = first;
  }

  /** Extends the window by the slot that the threads have parsed. */
  async more(): Promise<void> {
    // Lets the event loop handle signals and progress.
    await setImmediate();
    this.#options.signal?.throwIfAborted();
    if (this.#slot === null) this.#ahead = this.#fill(0);
    const next = this.#slot === 0 ? 1 : 0;
    const begun = this.end - this.start;
    this.bytes.copyWithin(this.#slots[next] - begun, this.start, this.end);
    this.start = this.#slots[next] - begun;
    this.end = this.#ahead;
    if (this.#slot !== null) this.#reader.release();
    this.#slot = next;
    const other = next === 0 ? 1 : 0;
    this.#ahead = this.#fill(other);
    if (this.#ahead > this.#slots[other]) return;
    this.atEnd = true;
    this.end = withLineEnd(this);
    this.bytes[this.end] = 0;
  }

  drop(position: number): void {
    this.start = position;
  }

  /** Reads into a slot, and announces its bytes to the threads; returns the end of the bytes. */
  #fill(slot: 0 | 1): number {
    const from = this.#slots[slot];
    let end = from;
    for (let read = 1; read > 0 && end < from + this.#length; end += read) {
      read = this.#readInto(this.bytes.subarray(end, from + this.#length));
    }
    this.bytes[end] = 0;
    if (end > from) this.#reader.offer(from, end);
    this.#done += end - from;
    this.#options.onProgress?.(this.#done, this.#options.bytesTotal ?? null);
    return end;
  }
}
