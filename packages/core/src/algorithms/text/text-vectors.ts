/**
 * Represents texts as vectors, for methods that need means. The words and letter n-grams of a text are hashed and weighted by rarity. Each
 * n-gram adds its weight, with sign plus or minus, to every dimension. The signs come from its hash. This is a random projection
 * (Achlioptas, Database-friendly random projections, 2003).
 *
 * Vectors have length 1. Equal texts have squared distance 0, texts without common n-grams about 2.
 */
import { log } from "../../linalg/elementary.js";
import { mix32, textHash } from "../../random/key.js";
import { gramsOf, wordsOf } from "./grams.js";

/** Number of hash slots for n-grams. All n-grams of a slot share one rarity. */
export const RARITY_SLOTS = 4096;

/** How rare n-grams are in the texts of a column, counted per hash slot. Models store the counts, to encode new texts in the same way. */
export interface Rarities {
  readonly texts: number;
  /** For each slot: the number of texts with an n-gram of this slot. */
  readonly counts: Int32Array;
}

function hashOf(gram: string): number {
  return mix32(textHash(gram)) >>> 0;
}

export function raritiesOf(texts: readonly string[]): Rarities {
  const counts = new Int32Array(RARITY_SLOTS);
  for (const text of texts) {
    for (const slot of new Set(gramsOf(wordsOf(text)).map((gram) => hashOf(gram) % RARITY_SLOTS))) counts[slot]!++;
  }
  return { texts: texts.length, counts };
}

/** Encodes texts as vectors: one row of `dimensions` numbers per text, row-major. */
export function textVectors(texts: readonly string[], { texts: total, counts }: Rarities, dimensions: number): Float64Array {
  const vectors = new Float64Array(texts.length * dimensions);
  texts.forEach((text, t) => {
    const vector = vectors.subarray(t * dimensions, (t + 1) * dimensions);
    for (const gram of gramsOf(wordsOf(text))) {
      const hash = hashOf(gram);
      add(vector, hash, log(1 + total / Math.max(1, counts[hash % RARITY_SLOTS]!)));
    }
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) for (let j = 0; j < dimensions; j++) vector[j]! /= length;
  });
  return vectors;
}

/**
 * Adds +weight or -weight to each dimension of the vector. The hash of the n-gram determines the signs. One mixed number gives 32 signs.
 */
function add(vector: Float64Array, hash: number, weight: number): void {
  let signs = 0;
  for (let j = 0; j < vector.length; j++) {
    if (j % 32 === 0) signs = mix32(hash ^ Math.imul(j / 32 + 1, 0x9e3779b9));
    vector[j]! += (signs >>> (j % 32)) & 1 ? weight : -weight;
  }
}
