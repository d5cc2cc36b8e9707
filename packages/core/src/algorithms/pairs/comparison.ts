/**
 * Compares the cells of candidate pairs, column by column. The result is a level of likeness: missing, equal, near, part, alike, different.
 *
 * - Texts: equal if they have the same words in any order. Near or alike by the distance of `textDistanceSteps`. Part if each word of the
 *   shorter text is in the longer text, as a word or as an initial. If two columns have swapped texts (such as swapped names), both columns
 *   are near.
 * - Codes and dates: near if one digit differs or two neighbouring digits are swapped. Dates are alike if they agree in two of year, month
 *   and day.
 * - Numbers: near or alike by their difference relative to the larger number.
 */
import { editDistance } from "../../model/names.js";
import type { Random } from "../../random/index.js";
import type { Step } from "../../steps/index.js";
import { textDistanceSteps } from "../row-distances.js";
import type { RowPairs } from "./blocking.js";
import type { RecordColumn } from "./records.js";

/** The levels of likeness, most similar first. A level is stored as its index in this list plus 1. 0 means a missing cell. */
export const LEVELS = ["equal", "near", "part", "alike", "different"] as const;
export const EQUAL = 1;
const [NEAR, PART, ALIKE, DIFFERENT] = [2, 3, 4, 5];

/** Two texts are near up to the distance NEAR_TEXTS, and alike up to ALIKE_TEXTS. For example, one typo in seven letters is near. */
const NEAR_TEXTS = 0.3;
const ALIKE_TEXTS = 0.6;
/** Two numbers are near up to the difference NEAR_NUMBERS, and alike up to ALIKE_NUMBERS. Differences are relative to the larger number. */
const NEAR_NUMBERS = 0.02;
const ALIKE_NUMBERS = 0.1;
/** Codes with fewer digits than this are either equal or different. */
const LEAST_DIGITS = 3;
const PAIRS_PER_STEP = 8192;

/** Finds the level of likeness in each column for each pair. The levels of pair p begin at `levels[p * columns.length]`. */
export function* compareSteps(columns: readonly RecordColumn[], { a, b }: RowPairs): Generator<Step, Uint8Array, void> {
  const levels = new Uint8Array(a.length * columns.length);
  const width = columns.length;
  for (const [c, { value, ...column }] of columns.entries()) {
    const level = yield* levelOf({ value, ...column });
    for (let p = 0; p < a.length; p++) {
      if (p % PAIRS_PER_STEP === 0) yield { phase: "comparing rows", done: c * a.length + p, total: levels.length };
      const [u, v] = [value[a[p]!]!, value[b[p]!]!];
      levels[p * width + c] = u < 0 || v < 0 ? 0 : u === v ? EQUAL : level(u, v);
    }
  }
  findSwaps(columns, { a, b }, levels);
  return levels;
}

/** Number of random pairs that estimate how often each level occurs by chance. */
const RANDOM_PAIRS = 50_000;

/**
 * The share of each level of likeness among random pairs, `LEVELS.length` numbers per column. The share of level "equal" is exact: it is
 * computed from the frequencies of the values.
 */
export function* randomLevelsSteps(
  columns: readonly RecordColumn[],
  n: number,
  random: Random,
): Generator<Step, Float64Array, void> {
  const pairs = { a: new Int32Array(RANDOM_PAIRS), b: new Int32Array(RANDOM_PAIRS) };
  for (let p = 0; p < RANDOM_PAIRS; p++) {
    pairs.a[p] = random.int(n);
    pairs.b[p] = (pairs.a[p]! + 1 + random.int(n - 1)) % n;
  }
  const levels = yield* compareSteps(columns, pairs);
  const shares = new Float64Array(columns.length * LEVELS.length).fill(0.5);
  for (let q = 0; q < levels.length; q++)
    if (levels[q]! > EQUAL) shares[(q % columns.length) * LEVELS.length + levels[q]! - 1]!++;
  columns.forEach(({ frequency, present }, c) => {
    const own = shares.subarray(c * LEVELS.length, (c + 1) * LEVELS.length);
    const equal = frequency.reduce((sum, times) => sum + times * (times - 1), 0) / Math.max(1, present * (present - 1));
    // Counts at least one equal pair. In a larger table, even a unique value could occur again.
    own[0] = Math.min(0.99, Math.max(equal, 2 / (n * (n - 1))));
    const unequal = own.subarray(1).reduce((sum, each) => sum + each, 0);
    for (let l = 1; l < LEVELS.length; l++) own[l]! *= (1 - own[0]!) / unequal;
  });
  return shares;
}

/** Returns a function that finds the level of likeness of two different values of a column. The arguments are indices of values. */
function* levelOf({ kind, texts, words, numbers }: RecordColumn): Generator<Step, (u: number, v: number) => number, void> {
  if (kind === "text") {
    const distance = yield* textDistanceSteps(texts);
    return (u, v) => {
      const apart = distance(u, v);
      if (apart <= NEAR_TEXTS) return apart === 0 ? EQUAL : NEAR;
      if (isPart(words[u]!, words[v]!)) return PART;
      return apart <= ALIKE_TEXTS ? ALIKE : DIFFERENT;
    };
  }
  if (kind === "number")
    return (u, v) => {
      const [one, other] = [numbers[u]!, numbers[v]!];
      const apart = Math.abs(one - other) / Math.max(Math.abs(one), Math.abs(other));
      return apart <= NEAR_NUMBERS ? NEAR : apart <= ALIKE_NUMBERS ? ALIKE : DIFFERENT;
    };
  return (u, v) => {
    const [one, other] = [texts[u]!, texts[v]!];
    if (Math.max(one.length, other.length) < LEAST_DIGITS) return DIFFERENT;
    if (editDistance(one, other, 2) < 2) return NEAR;
    return kind === "date" && sharedParts(one, other) >= 2 ? ALIKE : DIFFERENT;
  };
}

/**
 * Whether each word of the shorter text has its own partner in the longer text. Partners are equal words, or a word and its initial. At
 * least one pair of words must be equal.
 */
function isPart(one: readonly string[], other: readonly string[]): boolean {
  const [few, many] = one.length <= other.length ? [one, [...other]] : [other, [...one]];
  let whole = 0;
  for (const word of few) {
    let at = many.indexOf(word);
    if (at >= 0) whole++;
    else at = many.findIndex((long) => isInitial(word, long) || isInitial(long, word));
    if (at < 0) return false;
    many.splice(at, 1);
  }
  return whole > 0;
}

function isInitial(short: string, long: string): boolean {
  return short.length === 1 && long.startsWith(short);
}

/** How many of year, month and day are the same in two dates, written as yyyymmdd. Day and month can be swapped. */
function sharedParts(one: string, other: string): number {
  const [year, month, day] = [0, 4, 6].map((at, p) => one.slice(at, [4, 6, 8][p])) as [string, string, string];
  const isYear = year === other.slice(0, 4) ? 1 : 0;
  const inOrder = (month === other.slice(4, 6) ? 1 : 0) + (day === other.slice(6, 8) ? 1 : 0);
  const swapped = (month === other.slice(6, 8) ? 1 : 0) + (day === other.slice(4, 6) ? 1 : 0);
  return isYear + Math.max(inOrder, swapped);
}

/** If two rows have swapped texts in two columns, such as first name and last name, sets the level of both columns to near. */
function findSwaps(columns: readonly RecordColumn[], { a, b }: RowPairs, levels: Uint8Array): void {
  const width = columns.length;
  const texts = columns.flatMap(({ kind }, c) => (kind === "text" ? [c] : []));
  if (texts.length < 2) return;
  const indexOf = new Map<string, number>();
  const shared = columns.map(({ texts: own }) =>
    Int32Array.from(own, (text) => {
      if (!indexOf.has(text)) indexOf.set(text, indexOf.size);
      return indexOf.get(text)!;
    }),
  );
  const at = (c: number, row: number): number => {
    const v = columns[c]!.value[row]!;
    return v < 0 ? -1 : shared[c]![v]!;
  };
  for (let p = 0; p < a.length; p++)
    for (const [t, c] of texts.entries()) {
      if (levels[p * width + c]! < ALIKE) continue;
      for (const e of texts.slice(t + 1)) {
        if (levels[p * width + e]! < ALIKE) continue;
        if (at(c, a[p]!) !== at(e, b[p]!) || at(e, a[p]!) !== at(c, b[p]!)) continue;
        levels[p * width + c] = NEAR;
        levels[p * width + e] = NEAR;
      }
    }
}
