/** The levels of a column, found by their bytes: a hash table with open addressing, so that a known text costs no string. */

/** FNV-1a's parameters. */
const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

export class ByteLevels {
  #pool = new Uint8Array(256);
  /** Level c occupies #ends[c-1] … #ends[c] of the pool. */
  #ends = new Float64Array(16);
  #hashes = new Int32Array(16);
  #slots = new Int32Array(32).fill(-1);
  #count = 0;

  /** The code of the text in `bytes`, or -1 if it is new. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const code = this.#slots[slot]!;
      if (code < 0) return -1;
      if (this.#hashes[code] === hash && this.#equals(code, bytes, start, end)) return code;
    }
  }

  /** Adds a text that `find` did not find; its code is the number of texts before it. */
  add(bytes: Uint8Array, start: number, end: number): void {
    const code = this.#count++;
    const from = code === 0 ? 0 : this.#ends[code - 1]!;
    const to = from + end - start;
    if (to > this.#pool.length) this.#pool = copied(this.#pool, new Uint8Array(Math.max(to, 2 * this.#pool.length)));
    if (code === this.#ends.length) {
      this.#ends = copied(this.#ends, new Float64Array(2 * code));
      this.#hashes = copied(this.#hashes, new Int32Array(2 * code));
    }
    this.#pool.set(bytes.subarray(start, end), from);
    this.#ends[code] = to;
    this.#hashes[code] = hashOf(bytes, start, end);
    if (2 * this.#count > this.#slots.length) this.#rehash();
    else this.#place(code);
  }

  #place(code: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hashes[code]! & mask;
    while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = code;
  }

  #rehash(): void {
    this.#slots = new Int32Array(4 * this.#slots.length).fill(-1);
    for (let code = 0; code < this.#count; code++) this.#place(code);
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = code === 0 ? 0 : this.#ends[code - 1]!;
    if (this.#ends[code]! - from !== end - start) return false;
    for (let p = start, q = from; p < end; p++, q++) if (bytes[p] !== this.#pool[q]) return false;
    return true;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET;
  for (let p = start; p < end; p++) hash = Math.imul(hash ^ bytes[p]!, PRIME);
  // The low bits choose the slot: fold the high ones in.
  return hash ^ (hash >>> 15);
}

function copied<A extends Uint8Array | Int32Array | Float64Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
