/**
 * Random numbers that depend only on the seed: the same in every engine, and independent of other draws.
 *
 * A stream has a 128-bit key. `split` derives another key from this key, a purpose and an index, never from the number of draws so far. So
 * a new draw in one place cannot change draws in other places, and parallel restarts need no coordination. Each stream is a xoroshiro128+
 * generator. Its lowest bits are less random, so each output is mixed before use.
 */
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { badOption } from "../errors.js";
import { log } from "../linalg/elementary.js";
import { absorb, type Key, keyOf, mix32 } from "./key.js";

export interface Random {
  /** A random integer from 0 to below - 1, below ≤ 2^53. */
  int(below: number): number;
  /** A number in [0, 1) with 53 random bits. */
  unit(): number;
  /** A normal random number with mean 0 and deviation 1. */
  normal(): number;
  /** Shuffles the items in place. */
  shuffle(items: Int32Array): void;
  /** `count` distinct numbers of 0 … n-1 in random order, in O(count) memory; all n numbers if count ≥ n. */
  sample(n: number, count: number): Int32Array;
  /** The stream for a purpose and an index; independent of earlier draws. */
  split(purpose: string, index?: number): Random;
}

export function randomFrom(seed: number): Random {
  if (!Number.isSafeInteger(seed)) throw badOption("seed", seed, "a whole number between -(2^53 - 1) and 2^53 - 1");
  return streamOf(keyOf(seed));
}

function streamOf(key: Key): Random {
  const generator = xoroshiro128plusFromState(key);
  const next32 = (): number => mix32(generator.next()) >>> 0;
  const next53 = (): number => (next32() >>> 5) * 67108864 + (next32() >>> 6);
  let spare = NaN;

  const random: Random = {
    int(below) {
      if (!(below >= 1 && below <= 9007199254740992 && below === Math.floor(below))) {
        throw new RangeError(`A random whole number below ${below} does not exist.`);
      }
      // The top `surplus` numbers are drawn again, because they would make small remainders more likely.
      if (below < 4294967296) {
        // Uses unsigned 32-bit integers, because engines divide them several times faster than doubles.
        const divisor = below >>> 0;
        const surplus = (-divisor >>> 0) % divisor;
        let value = next32();
        while (value > 4294967295 - surplus) value = next32();
        return value % divisor;
      }
      const surplus = 9007199254740992 % below;
      let value = next53();
      while (value >= 9007199254740992 - surplus) value = next53();
      return value % below;
    },
    unit: () => next53() / 9007199254740992,
    normal() {
      if (!Number.isNaN(spare)) {
        const value = spare;
        spare = NaN;
        return value;
      }
      // Marsaglia's polar method.
      for (;;) {
        const u = 2 * random.unit() - 1;
        const v = 2 * random.unit() - 1;
        const s = u * u + v * v;
        if (s >= 1 || s === 0) continue;
        const factor = Math.sqrt((-2 * log(s)) / s);
        spare = v * factor;
        return u * factor;
      }
    },
    shuffle(items) {
      for (let i = items.length - 1; i > 0; i--) {
        const j = random.int(i + 1);
        const item = items[i]!;
        items[i] = items[j]!;
        items[j] = item;
      }
    },
    sample: (n, count) =>
      count * 8 >= n ? sampleDense(random, n, Math.min(count, n)) : Int32Array.from(distinctNumbers(random, n, count)),
    split: (purpose, index = 0) => streamOf(absorb(key, purpose, index)),
  };
  return random;
}

/** The first `count` numbers of a shuffle. */
function sampleDense(random: Random, n: number, count: number): Int32Array {
  const items = new Int32Array(n);
  for (let i = 0; i < n; i++) items[i] = i;
  for (let i = 0; i < count; i++) {
    const j = i + random.int(n - i);
    const item = items[i]!;
    items[i] = items[j]!;
    items[j] = item;
  }
  return items.slice(0, count);
}

/** `count` distinct numbers below `range`. They are the first numbers of a random shuffle, but only moved numbers are stored. */
export function distinctNumbers(random: Random, range: number, count: number): Float64Array {
  const moved = new Map<number, number>();
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const j = i + random.int(range - i);
    numbers[i] = moved.get(j) ?? j;
    moved.set(j, moved.get(i) ?? i);
    moved.delete(i);
  }
  return numbers;
}
