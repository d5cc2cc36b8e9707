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
  const letters = ordered.map(lettersOf);
  // Weights by n-gram of the text that was compared last: callers compare one text with many others.
  const ofLast = new Float64Array(gram.reduce((most, each) => Math.max(most, each), -1) + 1);
  let last = -1;
  const cosine = (a: number, b: number): number => {
    if (a !== last) {
      if (last >= 0) for (let p = start[last]!; p < start[last + 1]!; p++) ofLast[gram[p]!] = 0;
      for (let p = start[a]!; p < start[a + 1]!; p++) ofLast[gram[p]!] = weight[p]!;
      last = a;
    }
    let dot = 0;
    for (let q = start[b]!; q < start[b + 1]!; q++) dot += ofLast[gram[q]!]! * weight[q]!;
    return dot;
  };
  return (a, b) => {
    if (a === b) return 0;
    const [left, right] = [ordered[a]!, ordered[b]!];
    // Texts without a letter or a digit are told apart as they stand.
    if (left === right) return left === "" ? 1 : 0;
    const shared = cosine(a, b);
    if (shared < LEAST_SHARED) return 1 - shared;
    const length = Math.max(left.length, right.length);
    if (length > LONGEST_EDITED) return Math.max(0, 1 - shared);
    // So many edits make the texts no more alike than their n-grams do.
    const most = Math.ceil(((1 - shared) * length) / 2);
    if (most <= 0 || leastEdits(letters[a]!, letters[b]!) >= most) return Math.max(0, 1 - shared);
    return Math.max(0, 1 - Math.max(shared, 1 - (2 * editDistance(left, right, most)) / length));
  };
}

const LETTERS = 32;

/** How often each letter occurs, letters by the remainder of their codes. */
function lettersOf(text: string): Uint8Array {
  const counts = new Uint8Array(LETTERS);
  if (text.length <= LONGEST_EDITED) for (let i = 0; i < text.length; i++) counts[text.charCodeAt(i) % LETTERS]!++;
  return counts;
}

/** No fewer edits lead from one text to the other: each brings or takes one letter at most. */
function leastEdits(a: Uint8Array, b: Uint8Array): number {
  let [more, less] = [0, 0];
  for (let i = 0; i < LETTERS; i++) {
    const difference = a[i]! - b[i]!;
    if (difference > 0) more += difference;
    else less -= difference;
  }
  return Math.max(more, less);
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
