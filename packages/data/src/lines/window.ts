/** The part of a text file that is in memory: new pieces are appended, and bytes that are no longer needed are dropped from the start. */
import { badInput } from "@coterie/core/internal";

export interface TextWindow {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Whether the window reaches the end of the file. If so, its last byte is a line end. */
  readonly atEnd: boolean;
  /** Reads more of the file, until the window has at least `wanted` bytes or the file ends. Positions in the window change. */
  more(wanted: number): Promise<void>;
  drop(position: number): void;
}

export interface ByteStore {
  /** The index of the window's first byte in the array that `room` returns. */
  readonly start: number;
  /** Returns an array that reaches up to index `length` and contains the window's bytes. old: the previous array. */
  room(length: number, old: Uint8Array): Uint8Array;
}

const ownArray: ByteStore = {
  start: 0,
  room(length, old) {
    const larger = new Uint8Array(length);
    larger.set(old);
    return larger;
  },
};

export const LONGEST_RECORD = 64 * 2 ** 20;

export class Window implements TextWindow {
  bytes: Uint8Array = new Uint8Array(0);
  readonly start: number;
  end: number;
  atEnd = false;
  readonly #chunks: AsyncGenerator<Uint8Array, void, void>;
  readonly #store: ByteStore;

  constructor(chunks: AsyncGenerator<Uint8Array, void, void>, store: ByteStore = ownArray) {
    this.#chunks = chunks;
    this.#store = store;
    this.start = store.start;
    this.end = store.start;
  }

  async more(wanted: number): Promise<void> {
    while (!this.atEnd && this.end - this.start < wanted) {
      const { done, value } = await this.#chunks.next();
      if (done) {
        this.atEnd = true;
        this.#room(1);
        this.end = withLineEnd(this);
      } else {
        this.#room(value.length);
        this.bytes.set(value, this.end);
        this.end += value.length;
      }
    }
    this.#room(0);
    this.bytes[this.end] = 0;
  }

  drop(position: number): void {
    this.bytes.copyWithin(this.start, position, this.end);
    this.end -= position - this.start;
    this.bytes[this.end] = 0;
  }

  #room(more: number): void {
    const needed = this.end - this.start + more + 1;
    const present = this.bytes.length - this.start;
    if (needed <= present) return;
    const length = Math.max(needed, Math.min(2 * present, needed + LONGEST_RECORD));
    this.bytes = this.#store.room(length, this.bytes.subarray(0, this.end));
  }
}

export const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export function withLineEnd({ bytes, start, end }: Pick<TextWindow, "bytes" | "start" | "end">): number {
  const last = end === start ? LINE_FEED : bytes[end - 1];
  if (last === LINE_FEED || last === CARRIAGE_RETURN) return end;
  bytes[end] = LINE_FEED;
  return end + 1;
}

export function refuseLongRecord({ start, end }: Pick<TextWindow, "start" | "end">, file: string, line: number): void {
  if (end - start <= LONGEST_RECORD) return;
  throw badInput("The line that begins here is longer than 64 MB.", {
    file,
    line,
    remedy: "Check for a quote that is never closed, and check that the file is a text table.",
  });
}
