/** The part of a text file that is in memory: pieces come in at its end, and what was read is dropped from its start. */
import { badInput } from "@coterie/core";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const LONGEST_RECORD = 64 * 2 ** 20;

/** Room for `length` bytes; what stood at the start of the room before stays, or is handed in as `old`. */
export type ByteStore = (length: number, old: Uint8Array) => Uint8Array;

const ownArray: ByteStore = (length, old) => {
  const larger = new Uint8Array(length);
  larger.set(old);
  return larger;
};

export class Window {
  bytes: Uint8Array = new Uint8Array(0);
  end = 0;
  atEnd = false;
  readonly #chunks: AsyncGenerator<Uint8Array, void, void>;
  readonly #file: string;

  readonly #store: ByteStore;

  constructor(chunks: AsyncGenerator<Uint8Array, void, void>, file: string, store: ByteStore = ownArray) {
    this.#chunks = chunks;
    this.#store = store;
    this.#file = file;
  }

  /** Reads on until there are at least `wanted` bytes or the file ends, where a last line end is added if it is missing. */
  async more(wanted: number): Promise<void> {
    while (!this.atEnd && this.end < wanted) {
      const { done, value } = await this.#chunks.next();
      if (done) {
        this.atEnd = true;
        const last = this.end === 0 ? LINE_FEED : this.bytes[this.end - 1];
        if (last !== LINE_FEED && last !== CARRIAGE_RETURN) {
          this.#room(1);
          this.bytes[this.end++] = LINE_FEED;
        }
      } else {
        this.#room(value.length);
        this.bytes.set(value, this.end);
        this.end += value.length;
      }
    }
    this.#room(0);
    this.bytes[this.end] = 0;
  }

  /** Forgets the bytes before `start`. */
  drop(start: number): void {
    this.bytes.copyWithin(0, start, this.end);
    this.end -= start;
    this.bytes[this.end] = 0;
  }

  refuseLongRecord(line: number): void {
    if (this.end <= LONGEST_RECORD) return;
    throw badInput("The line that begins here is longer than 64 MB.", {
      file: this.#file,
      line,
      remedy: "Perhaps a quote is never closed, or the file is not a table in text.",
    });
  }

  /** One byte more than asked for: the stop behind the last. */
  #room(more: number): void {
    const needed = this.end + more + 1;
    if (needed <= this.bytes.length) return;
    const length = Math.max(needed, Math.min(2 * this.bytes.length, needed + LONGEST_RECORD));
    this.bytes = this.#store(length, this.bytes.subarray(0, this.end));
  }
}
