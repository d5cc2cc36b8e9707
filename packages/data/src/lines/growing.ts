/** Typed arrays that grow at their end. */
export class Growing {
  #values = new Float64Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  put(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** A copy of the right length. */
  whole(): Float64Array {
    return this.#values.slice(0, this.length);
  }
}

export class GrowingInt {
  #values = new Int32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  whole(): Int32Array {
    return this.#values.slice(0, this.length);
  }
}
