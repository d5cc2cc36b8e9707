/**
 * Computes distances that the kernels cannot compute: with column weights, text columns, or missing cells.
 *
 * Two rows are compared in the columns where both have a value (Gower: A general coefficient of similarity and some of its properties,
 * Biometrics 27, 1971). Gower's distance is the weighted mean over these columns. Other distances are sums. They are scaled up, as if the
 * missing columns differed as much as the shared columns. Two rows without a common column get the largest possible distance.
 */
import { badInput } from "../errors.js";
import type { F32, F64, Metric } from "../kernels/kernels.js";
import { log } from "../linalg/elementary.js";
import { editDistance } from "../model/names.js";
import type { Instances, Points } from "../model/points.js";
import { counted } from "../model/wording.js";
import { drain, type Step } from "../steps/index.js";
import { gramsOf, wordsOf } from "./text/grams.js";

/**
 * Whether this file must compute the distances. Column weights matter only for Gower's and Hamming's distances; for other metrics, the
 * values already contain the weights.
 */
export function isMeasuredHere({ holes, weights, texts }: Points, metric: Metric): boolean {
  if (holes || (texts !== undefined && metric === "gower")) return true;
  return weights !== undefined && (metric === "gower" || metric === "hamming");
}

export function distanceHere(points: Instances, metric: Metric): (i: number, j: number) => number {
  if (metric === "cosine") {
    throw badInput("The cosine of rows with missing cells is not known.", {
      ...(points.file === undefined ? {} : { file: points.file }),
      remedy: "Ask for another distance, or drop or fill the cells (--missing drop, --missing impute).",
    });
  }
  const { d, x } = points;
  const weights = points.weights ?? new Float64Array(d).fill(1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const ranges = rangesOf(points);
  const difference = differenceOf(metric, points, ranges, weights);
  const most = farthest(metric, ranges, total);
  return (i, j) => {
    if (i === j) return 0;
    let [sum, shared] = [0, 0];
    for (let f = 0, p = i * d, q = j * d; f < d; f++, p++, q++) {
      const [a, b] = [x[p]!, x[q]!];
      if (Number.isNaN(a) || Number.isNaN(b)) continue;
      shared += weights[f]!;
      sum += difference(f, a, b);
    }
    if (shared === 0) return most;
    if (metric === "gower") return sum / shared;
    const whole = shared === total ? sum : sum * (total / shared);
    return metric === "euclidean" ? Math.sqrt(whole) : whole;
  };
}

/**
 * Maximum number of patterns of missing cells that are compared to find rows without a common column. The patterns with the fewest known
 * cells come first.
 */
const MOST_PATTERNS = 4000;

/**
 * Returns notices about missing cells that distances skip, and about pairs of rows without a common column. Such pairs get the largest
 * possible distance.
 */
export function apartNotices({ n, d, x, holes, holeFills }: Points): string[] {
  if (!holes) return [];
  const skipped = holeFills ? [SKIPPED] : [];
  const rowsOf = new Map<string, number>();
  const words = Math.ceil(d / 32);
  for (let i = 0; i < n; i++) {
    const bits = new Int32Array(words);
    for (let j = 0; j < d; j++) if (!Number.isNaN(x[i * d + j]!)) bits[j >> 5]! |= 1 << (j & 31);
    const pattern = bits.join();
    rowsOf.set(pattern, (rowsOf.get(pattern) ?? 0) + 1);
  }
  const patterns = Array.from(rowsOf, ([key, rows]) => ({ bits: Int32Array.from(key.split(","), Number), rows }));
  const cells = new Map(patterns.map((pattern) => [pattern, countBits(pattern.bits)]));
  patterns.sort((a, b) => cells.get(a)! - cells.get(b)!);
  const compared = patterns.slice(0, MOST_PATTERNS);
  let pairs = 0;
  compared.forEach(({ bits, rows }, p) => {
    if (cells.get(compared[p]!) === 0) pairs += (rows * (rows - 1)) / 2;
    for (const other of compared.slice(p + 1))
      if (bits.every((word, w) => (word & other.bits[w]!) === 0)) pairs += rows * other.rows;
  });
  if (pairs === 0) return skipped;
  const least = compared.length < patterns.length ? "At least " : "";
  return [
    ...skipped,
    `${least}${counted(pairs, "pair")} of rows ${pairs === 1 ? "has" : "have"} no column in which both have a value: the distance is taken to be the largest possible.`,
  ];
}

const SKIPPED = "Cells are missing: two rows are compared by the columns in which both have values.";

function countBits(words: Int32Array): number {
  let count = 0;
  for (const word of words) for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

type Difference = (column: number, a: number, b: number) => number;

function differenceOf(metric: Metric, points: Instances, ranges: Float64Array, weights: Float64Array): Difference {
  if (metric === "hamming") return (f, a, b) => (a === b ? 0 : weights[f]!);
  if (metric !== "gower") return (_, a, b) => (a - b) * (a - b);
  const { nominal, texts, levels } = points;
  const ofTexts = Array.from({ length: points.d }, (_, f) => (texts?.[f] === 1 ? textDistance(levels?.[f] ?? []) : null));
  return (f, a, b) => {
    const ofText = ofTexts[f];
    if (ofText) return weights[f]! * ofText(a, b);
    if (nominal?.[f] === 1) return a === b ? 0 : weights[f]!;
    return ranges[f]! > 0 ? (weights[f]! * Math.abs(a - b)) / ranges[f]! : 0;
  };
}

function rangesOf({ n, d, x }: Points): Float64Array {
  return Float64Array.from({ length: d }, (_, f) => {
    let [least, most] = [Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      const value = x[i * d + f]!;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    return most > least ? most - least : 0;
  });
}

function farthest(metric: Metric, ranges: Float64Array, total: number): number {
  if (metric === "gower") return 1;
  if (metric === "hamming") return total;
  const squares = ranges.reduce((sum, range) => sum + range * range, 0);
  return metric === "euclidean" ? Math.sqrt(squares) : squares;
}

/** Comparing two texts takes as long as reading this number of table cells. */
const OF_A_TEXT = 500;

/** The time of one distance, in table cells that could be read in this time. */
export function costOfDistance({ d, texts }: Points): number {
  return d + OF_A_TEXT * (texts?.reduce((sum, flag) => sum + flag, 0) ?? 0);
}

/** Work between two yields, in the unit of `costOfDistance`. */
const WORK_A_STEP = 4_000_000;

/** Writes the distances of all pairs of rows into a full symmetric matrix. Computes each pair once. */
export function* measureHereSteps(points: Instances, metric: Metric, matrix: F64 | F32): Generator<Step, void, void> {
  const { n } = points;
  const between = distanceHere(points, metric);
  const rows = Math.max(1, Math.floor(WORK_A_STEP / (n * costOfDistance(points))));
  const view = matrix.view();
  for (let i = 0; i < n; i++) {
    if (i % rows === 0) yield { phase: "distances", done: i, total: n };
    for (let j = i + 1; j < n; j++) {
      const distance = between(i, j);
      view[i * n + j] = distance;
      view[j * n + i] = distance;
    }
  }
}

/*
 * The distance of two texts, from 0 to 1. It is our combination of known parts: 1 minus the larger of two similarities.
 *
 * - Cosine similarity of their words and letter n-grams. Each is weighted by its rarity among the texts of the column (inverse document
 *   frequency: Spärck Jones, A statistical interpretation of term specificity, 1972).
 * - Edit similarity 1 - 2 · edits / length, only for short texts, with sorted words. It is 0 if half of the letters are edited.
 */

type TextDistance = (a: number, b: number) => number;

/** Maximum length of texts for the edit similarity. Longer texts are compared by their n-grams only. */
const LONGEST_EDITED = 32;
/** If the cosine is below this value, the texts have little in common, and the edit similarity is not computed. */
const LEAST_SHARED = 0.1;

export function textDistance(texts: readonly string[]): TextDistance {
  return drain(textDistanceSteps(texts));
}

const TEXTS_PER_STEP = 4096;

/** `textDistance` as steps. Splitting many texts into n-grams takes long. */
export function* textDistanceSteps(texts: readonly string[]): Generator<Step, TextDistance, void> {
  const words: string[][] = [];
  for (const [t, text] of texts.entries()) {
    if (t % TEXTS_PER_STEP === 0) yield { phase: "splitting texts", done: t, total: 2 * texts.length };
    words.push(wordsOf(text));
  }
  const ordered = words.map((each) => [...each].sort().join(" "));
  const { start, gram, weight } = yield* profilesOf(words);
  const letters = ordered.map(lettersOf);
  // The n-gram weights of the last text `a`. Callers compare one text with many others.
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
    // Two different texts without any letter or digit have distance 1.
    if (left === right) return left === "" ? 1 : 0;
    const shared = cosine(a, b);
    if (shared < LEAST_SHARED) return 1 - shared;
    const length = Math.max(left.length, right.length);
    if (length > LONGEST_EDITED) return Math.max(0, 1 - shared);
    // With `most` or more edits, the edit similarity is at most the n-gram similarity, and the exact number of edits does not matter.
    const most = Math.ceil(((1 - shared) * length) / 2);
    if (most <= 0 || leastEdits(letters[a]!, letters[b]!) >= most) return Math.max(0, 1 - shared);
    return Math.max(0, 1 - Math.max(shared, 1 - (2 * editDistance(left, right, most)) / length));
  };
}

/** Number of letter counters per text. */
const LETTERS = 32;

/** Counts the letters of a text. Letters with the same character code modulo 32 share a counter. */
function lettersOf(text: string): Uint8Array {
  const counts = new Uint8Array(LETTERS);
  if (text.length <= LONGEST_EDITED) for (let i = 0; i < text.length; i++) counts[text.charCodeAt(i) % LETTERS]!++;
  return counts;
}

/**
 * A lower bound of the edit distance, from the letter counts of two texts. One edit adds at most one letter and removes at most one letter.
 */
function leastEdits(a: Uint8Array, b: Uint8Array): number {
  let [more, less] = [0, 0];
  for (let i = 0; i < LETTERS; i++) {
    const difference = a[i]! - b[i]!;
    if (difference > 0) more += difference;
    else less -= difference;
  }
  return Math.max(more, less);
}

/**
 * The n-grams of all texts and their weights. Text t has the entries start[t] … start[t + 1] - 1, sorted by n-gram number. The weights of a
 * text are a vector of length 1.
 */
interface Profiles {
  readonly start: Int32Array;
  readonly gram: Int32Array;
  readonly weight: Float64Array;
}

function* profilesOf(words: readonly (readonly string[])[]): Generator<Step, Profiles, void> {
  const numberOf = new Map<string, number>();
  const frequency: number[] = [];
  const grams: Int32Array[] = [];
  for (const each of words) {
    if (grams.length % TEXTS_PER_STEP === 0)
      yield { phase: "splitting texts", done: words.length + grams.length, total: 2 * words.length };
    const numbers = gramsOf(each).map((gram) => {
      const number = numberOf.get(gram) ?? frequency.push(0) - 1;
      numberOf.set(gram, number);
      frequency[number]!++;
      return number;
    });
    grams.push(Int32Array.from(numbers).sort());
  }
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
