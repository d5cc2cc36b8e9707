/**
 * The undo log of a session: every change of its state is recorded with the previous value. Undoing an answer
 * reverts its changes one by one, in at most the time that making them took, however long the dialogue is.
 */

type Numbers = Int32Array | Float64Array | Uint8Array;

export class Journal {
  /** Parallel arrays: the changed array or an undo function, the index in the array, and the previous value. */
  readonly #places: (Numbers | (() => void))[] = [];
  readonly #indices: number[] = [];
  readonly #values: number[] = [];

  /** array[index] = value, recorded. */
  set(array: Numbers, index: number, value: number): void {
    this.#places.push(array);
    this.#indices.push(index);
    this.#values.push(array[index]!);
    array[index] = value;
  }

  /** Records a function that undoes a change just made. */
  did(undo: () => void): void {
    this.#places.push(undo);
    this.#indices.push(0);
    this.#values.push(0);
  }

  /** The current position in the log. */
  mark(): number {
    return this.#places.length;
  }

  /** Undoes all changes since the mark, the latest first. */
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
