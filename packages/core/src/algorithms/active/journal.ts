/**
 * How a session goes back: every change of its state is written here together with what was there before. Undoing an answer
 * takes back its changes one by one, in at most the time it took to make them, however long the dialogue has been.
 */

type Numbers = Int32Array | Float64Array | Uint8Array;

export class Journal {
  /** Side by side: where something changed or how to take it back, the index there, and the value before. */
  readonly #places: (Numbers | (() => void))[] = [];
  readonly #indices: number[] = [];
  readonly #values: number[] = [];

  /** array[index] = value, until it is taken back. */
  set(array: Numbers, index: number, value: number): void {
    this.#places.push(array);
    this.#indices.push(index);
    this.#values.push(array[index]!);
    array[index] = value;
  }

  /** Notes how to take back something that was just done. */
  did(undo: () => void): void {
    this.#places.push(undo);
    this.#indices.push(0);
    this.#values.push(0);
  }

  /** The present moment, to rewind to. */
  mark(): number {
    return this.#places.length;
  }

  /** Takes back everything since the mark, the latest first. */
  rewind(mark: number): void {
    while (this.#places.length > mark) {
      const place = this.#places.pop()!;
      const index = this.#indices.pop()!;
      const value = this.#values.pop()!;
      if (typeof place === "function") place();
      else place[index] = value;
    }
  }
}
