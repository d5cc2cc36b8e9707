/**
 * Keys of random streams, 128 bits each. The first key is a hash of the seed. A stream for a purpose gets a new key: the hash of its parent's
 * key and the name of the purpose. All arithmetic is on 32-bit integers.
 */

/** The key of a random stream: four 32-bit integers, never all zero. */
export type Key = readonly [number, number, number, number];

/**
 * Start values of the four lanes of the hash: fractional bits of the golden ratio and of √2, √3, √5. Any four numbers without a pattern
 * would work.
 */
const LANES = [0x9e3779b9, 0x6a09e667, 0xbb67ae85, 0x3c6ef372] as const;

export function keyOf(seed: number): Key {
  return hash([0, 0, 0, 0], wordsOf(seed));
}

/**
 * Derives the key of a purpose from another key. The hash includes the length of the purpose. So a purpose and a longer purpose that starts
 * with it never hash the same words.
 */
export function absorb(key: Key, purpose: string, index: number): Key {
  const words = [purpose.length];
  for (let i = 0; i < purpose.length; i++) words.push(purpose.charCodeAt(i));
  return hash(key, [...words, ...wordsOf(index)]);
}

/** A bijection of 32-bit integers in which each input bit changes about half of the output bits (the final step of murmur3). */
export function mix32(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** A 32-bit hash of a text: FNV-1a over UTF-16 code units. Its low bits are weak, so callers mix the bits (`mix32`). */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** A safe integer as sign, low and high 32 bits. */
function wordsOf(value: number): [number, number, number] {
  const size = Math.abs(value);
  return [value < 0 ? 1 : 0, size >>> 0, Math.floor(size / 4294967296)];
}

/** Each lane hashes all integers from its own start value; then the lanes are mixed. */
function hash(key: Key, words: readonly number[]): Key {
  const lanes = LANES.map((lane, l) => {
    let h = key[l]! ^ lane;
    for (const word of words) h = (Math.imul(rotate(h ^ mix32(word + lane), 13), 5) + 0x2545f491) | 0;
    return h;
  });
  for (let round = 0; round < 2; round++) {
    for (let l = 0; l < 4; l++) lanes[l] = mix32((lanes[l]! + rotate(lanes[(l + 3) & 3]!, 7 * l + 5)) | 0);
  }
  const [a = 0, b = 0, c = 0, d = 0] = lanes;
  return (a | b | c | d) === 0 ? [1, 0, 0, 0] : [a, b, c, d];
}

function rotate(h: number, by: number): number {
  return (h << by) | (h >>> (32 - by));
}
