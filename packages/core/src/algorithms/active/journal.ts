/**
 * How a session goes back: every change of its state is written here together with what was there before. Undoing an answer
 * takes back its changes one by one, in at most the time it took to make them, however long the dialogue has been.
 */

type Numbers = Int32Array | Float64Array | Uint8Array;

type Entry = { readonly array: Numbers; readonly index: number; readonly value: number } | (() => void);

export class Journal {
  readonly #entries: Entry[] = [];

  /** array[index] = value, until it is taken back. */
  set(array: Numbers, index: number, value: number): void {
    this.#entries.push({ array, index, value: array[index]! });
    array[index] = value;
  }

  /** Notes how to take back something that was just done. */
  did(undo: () => void): void {
    this.#entries.push(undo);
  }

  /** The present moment, to rewind to. */
  mark(): number {
    return this.#entries.length;
  }

  /** Takes back everything since the mark, the latest first. */
  rewind(mark: number): void {
    while (this.#entries.length > mark) {
      const entry = this.#entries.pop()!;
      if (typeof entry === "function") entry();
      else entry.array[entry.index] = entry.value;
    }
  }
}
