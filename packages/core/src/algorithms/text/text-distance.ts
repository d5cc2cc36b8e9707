/**
 * How unlike two texts are, from 0 to 1; ours. The larger of two similarities counts:
 *
 * - the cosine between their words and letter n-grams, each weighted by its rarity among the texts of the column (inverse document
 *   frequency: Spärck Jones, A statistical interpretation of term specificity, 1972);
 * - for short texts, how few edits lead from one to the other, their words in order; half of the letters changed count as nothing alike.
 */
import { log } from "../../linalg/elementary.js";
import { editDistance } from "../../model/names.js";
import { gramsOf, wordsOf } from "./grams.js";

/** Longer texts are compared by their n-grams alone. */
const LONGEST_EDITED = 32;
/** Texts that share less than this have too little in common for edits to matter. */
const LEAST_SHARED = 0.1;

/** The distance of two texts by their numbers. */
export type TextDistance = (a: number, b: number) => number;

export function textDistance(texts: readonly string[]): TextDistance {
  const words = texts.map(wordsOf);
  const ordered = words.map((each) => [...each].sort().join(" "));
  const { start, gram, weight } = profilesOf(words);
  const cosine = (a: number, b: number): number => {
    let [p, q, dot] = [start[a]!, start[b]!, 0];
    const [endA, endB] = [start[a + 1]!, start[b + 1]!];
    while (p < endA && q < endB) {
      const order = gram[p]! - gram[q]!;
      if (order === 0) dot += weight[p++]! * weight[q++]!;
      else if (order < 0) p++;
      else q++;
    }
    return dot;
  };
  return (a, b) => {
    if (a === b) return 0;
    const [left, right] = [ordered[a]!, ordered[b]!];
    // Texts without a letter or a digit are told apart as they stand.
    if (left === right) return left === "" ? 1 : 0;
    const shared = cosine(a, b);
    return Math.max(0, 1 - (shared < LEAST_SHARED ? shared : Math.max(shared, editSimilarity(left, right))));
  };
}

function editSimilarity(left: string, right: string): number {
  const length = Math.max(left.length, right.length);
  if (length > LONGEST_EDITED) return 0;
  const most = Math.ceil(length / 2);
  return Math.max(0, 1 - (2 * editDistance(left, right, most)) / length);
}

/** The n-grams of all texts, sorted by number, with weights of length 1: text t has entries start[t] … start[t + 1] - 1. */
interface Profiles {
  readonly start: Int32Array;
  readonly gram: Int32Array;
  readonly weight: Float64Array;
}

function profilesOf(words: readonly (readonly string[])[]): Profiles {
  const numberOf = new Map<string, number>();
  const frequency: number[] = [];
  const grams = words.map((each) => {
    const numbers = gramsOf(each).map((gram) => {
      const number = numberOf.get(gram) ?? frequency.push(0) - 1;
      numberOf.set(gram, number);
      frequency[number]!++;
      return number;
    });
    return Int32Array.from(numbers).sort();
  });
  const rarity = Float64Array.from(frequency, (count) => log(1 + words.length / count));
  const start = new Int32Array(words.length + 1);
  grams.forEach((each, t) => {
    start[t + 1] = start[t]! + each.length;
  });
  const gram = new Int32Array(start[words.length]!);
  const weight = new Float64Array(gram.length);
  grams.forEach((each, t) => {
    gram.set(each, start[t]!);
    const length = Math.sqrt(each.reduce((sum, number) => sum + rarity[number]! * rarity[number]!, 0)) || 1;
    each.forEach((number, i) => {
      weight[start[t]! + i] = rarity[number]! / length;
    });
  });
  return { start, gram, weight };
}
