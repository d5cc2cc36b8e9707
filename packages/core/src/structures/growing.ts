/** Typed arrays that grow at their end. */
class GrowingArray<A extends Int32Array | Float64Array> {
  #values: A;
  length = 0;

  constructor(room: A) {
    this.#values = room;
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new (this.#values.constructor as new (length: number) => A)(2 * this.length);
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
  whole(): A {
    return this.#values.slice(0, this.length) as A;
  }
}

export class GrowingFloats extends GrowingArray<Float64Array> {
  constructor() {
    super(new Float64Array(64));
  }
}

export class GrowingInts extends GrowingArray<Int32Array> {
  constructor() {
    super(new Int32Array(64));
  }
}
