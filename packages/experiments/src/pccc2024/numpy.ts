/**
 * A part of NumPy's legacy generator (`numpy.random.RandomState`), and `make_blobs` of scikit-learn. The generator is the Mersenne Twister
 * MT19937 with `randint`, `uniform`, `normal` and `shuffle`. The same seed gives the same numbers as in Python.
 */
import { log, type Points } from "@coterie/core/internal";

const WORDS = 624;
const SHIFT = 397;

export class LegacyRandom {
  readonly #words = new Uint32Array(WORDS);
  #next = WORDS;
  /** The polar method makes two normal numbers at a time. The second number is kept here for the next call. */
  #spare: number | null = null;

  constructor(seed: number) {
    this.#words[0] = seed;
    for (let i = 1; i < WORDS; i++) {
      const before = this.#words[i - 1]!;
      this.#words[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
    }
  }

  /**
   * Draws a whole number from 0 to `most`, as NumPy does. Takes as many random bits as `most` has, and draws again if the number is above
   * `most`.
   */
  upTo(most: number): number {
    if (most === 0) return 0;
    const mask = 0xffffffff >>> Math.clz32(most);
    for (;;) {
      const value = this.#word() & mask;
      if (value <= most) return value;
    }
  }

  unit(): number {
    const high = this.#word() >>> 5;
    return (high * 67108864 + (this.#word() >>> 6)) / 9007199254740992;
  }

  normal(): number {
    const spare = this.#spare;
    this.#spare = null;
    if (spare !== null) return spare;
    for (;;) {
      const x = 2 * this.unit() - 1;
      const y = 2 * this.unit() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * log(square)) / square);
      this.#spare = factor * x;
      return factor * y;
    }
  }

  shuffle(values: Int32Array): void {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.upTo(i);
      [values[i], values[j]] = [values[j]!, values[i]!];
    }
  }

  #word(): number {
    if (this.#next === WORDS) this.#twist();
    let word = this.#words[this.#next++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    const words = this.#words;
    for (let i = 0; i < WORDS; i++) {
      const joined = (words[i]! & 0x80000000) | (words[(i + 1) % WORDS]! & 0x7fffffff);
      words[i] = words[(i + SHIFT) % WORDS]! ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}

export interface Blobs {
  readonly n: number;
  readonly k: number;
  readonly deviation: number;
  /** Both coordinates of a centre are drawn uniformly from -box to box. */
  readonly box: number;
}

/**
 * Makes the rows of `make_blobs` with two columns: rows around k centres, in random order. The class of a row is the number of its centre.
 */
export function makeBlobs(
  { n, k, deviation, box }: Blobs,
  seed: number,
): { readonly points: Points; readonly codes: Int32Array } {
  const random = new LegacyRandom(seed);
  const centres = Float64Array.from({ length: 2 * k }, () => -box + 2 * box * random.unit());
  const codes = Int32Array.from({ length: n }, (_, row) => centreOf(row, n, k));
  const x = Float64Array.from({ length: 2 * n }, (_, p) => centres[2 * codes[p >> 1]! + (p & 1)]! + deviation * random.normal());
  const order = Int32Array.from(codes.keys());
  random.shuffle(order);
  const shuffled = Float64Array.from({ length: 2 * n }, (_, p) => x[2 * order[p >> 1]! + (p & 1)]!);
  return { points: { n, d: 2, x: shuffled }, codes: order.map((row) => codes[row]!) };
}

/** The number of the centre that makes a row. The first n mod k centres make one row more than the other centres. */
function centreOf(row: number, n: number, k: number): number {
  const least = Math.floor(n / k);
  const larger = (n % k) * (least + 1);
  return row < larger ? Math.floor(row / (least + 1)) : (n % k) + Math.floor((row - larger) / least);
}
