/**
 * Finds candidate pairs of duplicates: rows that share rare parts of their cells. The time to compare all pairs would be quadratic in the
 * rows.
 *
 * An index maps each key to the rows that have the key. The keys are:
 * - the words of texts and their triples of letters, from any column, because people swap names
 * - the values of codes, dates and numbers
 * - the values of codes and dates with one digit left out, to find values with a typo
 *
 * If more than `COMMON` rows have a word or value, it is common. Two common words or values of a row together make one key.
 *
 * Each row reads the index entries of its rarest keys, about `READ` entries. Each entry is a row that shares a key. Its score is the sum of
 * log(n / rows with the key) over the shared keys. The rows with the highest scores are the candidates.
 *
 * Keys are hashed into buckets. Two keys in one bucket can add a candidate, but never remove one. Time and memory are linear in the cells.
 */
import { log } from "../../linalg/elementary.js";
import { textHash } from "../../random/key.js";
import type { Step } from "../../steps/index.js";
import { listsByKey } from "../../structures/components.js";
import type { RecordColumn } from "./records.js";

/** Pairs of rows: `a` is the lower row. Pairs are sorted by `a`, then by `b`. */
export interface RowPairs {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** The candidates of a row come from about this number of index entries. */
const READ = 400;
const ROWS_PER_STEP = 512;

/**
 * Returns the candidate pairs of n rows. `most`: maximum number of candidates per row. `isOpen`: returns false for two rows that cannot
 * match.
 */
export function* candidatePairs(
  columns: readonly RecordColumn[],
  n: number,
  most: number,
  isOpen: (i: number, j: number) => boolean,
): Generator<Step, RowPairs, void> {
  const { start, rows, keysOf } = yield* indexOf(columns, n);
  const score = new Float64Array(n);
  const lower: number[] = [];
  const higher: number[] = [];
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_STEP === 0) yield { phase: "finding similar rows", done: i, total: n };
    const touched: number[] = [];
    let read = 0;
    for (const key of keysOf(i)) {
      const [from, to] = [start[key]!, start[key + 1]!];
      if (read > 0 && read + to - from > READ) break;
      const rarity = log(n / (to - from)) + 0.1;
      for (let p = from; p < to && read < READ; p++, read++) {
        const j = rows[p]!;
        if (j === i) continue;
        if (score[j] === 0) touched.push(j);
        score[j]! += rarity;
      }
    }
    const open = touched.filter((j) => isOpen(i, j)).sort((p, q) => score[q]! - score[p]! || p - q);
    for (const j of open.slice(0, most)) {
      lower.push(Math.min(i, j));
      higher.push(Math.max(i, j));
    }
    for (const j of touched) score[j] = 0;
  }
  return yield* sortedPairs(lower, higher, n);
}

/** Sorts the pairs by first and second row, and removes duplicates. */
function* sortedPairs(lower: readonly number[], higher: readonly number[], n: number): Generator<Step, RowPairs, void> {
  const { start, items } = listsByKey(Int32Array.from(lower), n);
  const [a, b] = [new Int32Array(lower.length), new Int32Array(lower.length)];
  let count = 0;
  for (let i = 0; i < n; i++) {
    if (i % (16 * ROWS_PER_STEP) === 0) yield { phase: "sorting pairs", done: i, total: n };
    const others = items
      .subarray(start[i]!, start[i + 1]!)
      .map((place) => higher[place]!)
      .sort();
    others.forEach((j, p) => {
      if (p > 0 && others[p - 1] === j) return;
      a[count] = i;
      b[count++] = j;
    });
  }
  return { a: a.slice(0, count), b: b.slice(0, count) };
}

interface Index {
  /** Key k belongs to `rows[start[k]]` … `rows[start[k + 1] - 1]`, ascending. */
  readonly start: Int32Array;
  readonly rows: Int32Array;
  /** The keys that a row shares with at least one other row, rarest first. */
  keysOf(row: number): number[];
}

/** A word or value that more rows have than this is only a key in combination with another common word or value of the row. */
const COMMON = 50;

/** Number of common words and values of a row, rarest first, that are combined two by two. */
const COMBINED = 6;

function* indexOf(columns: readonly RecordColumn[], n: number): Generator<Step, Index, void> {
  const buckets = bucketCount(n);
  const bucket = (key: string): number => hash(key) & (buckets - 1);
  const wholeOf: number[][][] = columns.map(() => []);
  const partsOf: number[][][] = columns.map(() => []);
  for (const [c, column] of columns.entries())
    for (let v = 0; v < column.texts.length; v++) {
      if (v % ROWS_PER_STEP === 0) yield { phase: "indexing columns", done: c, total: columns.length };
      wholeOf[c]!.push(wholeKeys(column, c, v).map(bucket));
      partsOf[c]!.push(partKeys(column, c, v).map(bucket));
    }
  const keysIn = (i: number, of: readonly (readonly (readonly number[])[])[]): Set<number> =>
    new Set(columns.flatMap(({ value }, c) => (value[i]! < 0 ? [] : of[c]![value[i]!]!)));
  const times = new Int32Array(buckets);
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_STEP === 0) yield { phase: "indexing rows", done: i, total: 2 * n };
    for (const key of keysIn(i, wholeOf)) times[key]!++;
    for (const key of keysIn(i, partsOf)) times[key]!++;
  }
  const keys: number[] = [];
  const rowOfKey: number[] = [];
  const firstKey = new Int32Array(n + 1);
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_STEP === 0) yield { phase: "indexing rows", done: n + i, total: 2 * n };
    const shared = [...keysIn(i, wholeOf)].filter((key) => times[key]! > 1);
    const common = shared.filter((key) => times[key]! > COMMON).sort((p, q) => times[p]! - times[q]! || p - q);
    const used = new Set(shared.filter((key) => times[key]! <= COMMON));
    for (const key of keysIn(i, partsOf)) if (times[key]! > 1 && times[key]! <= COMMON) used.add(key);
    for (const [p, one] of common.slice(0, COMBINED).entries())
      for (const other of common.slice(p + 1, COMBINED)) used.add(bucket(`${Math.min(one, other)}&${Math.max(one, other)}`));
    if (used.size === 0 && common.length > 0) used.add(common[0]!);
    for (const key of used) {
      keys.push(key);
      rowOfKey.push(i);
    }
    firstKey[i + 1] = keys.length;
  }
  const { start, items } = listsByKey(Int32Array.from(keys), buckets);
  const size = (key: number): number => start[key + 1]! - start[key]!;
  return {
    start,
    rows: items.map((place) => rowOfKey[place]!),
    keysOf: (i) =>
      keys
        .slice(firstKey[i], firstKey[i + 1])
        .filter((key) => size(key) > 1)
        .sort((p, q) => size(p) - size(q) || p - q),
  };
}

/** Number of hash buckets for n rows: a power of two, about 64 n, at most 2^26. */
function bucketCount(n: number): number {
  let count = 2 ** 16;
  while (count < 64 * n && count < 2 ** 26) count *= 2;
  return count;
}

/** The hash of a key. High bits are mixed into low bits, because only the low bits choose the bucket. */
function hash(text: string): number {
  let h = textHash(text);
  h ^= h >>> 15;
  h = Math.imul(h, 0x85ebca6b);
  return h ^ (h >>> 13);
}

/** The keys of a whole cell: the words of a text, or the value of any other column. `c`: column. `v`: index of the value in the column. */
function wholeKeys({ kind, texts, words }: RecordColumn, c: number, v: number): string[] {
  return kind === "text" ? words[v]!.map((word) => `=${word}`) : [`${c}=${texts[v]!}`];
}

/** A code with fewer digits gets no keys with one digit left out, because too many other codes would share them. */
const LEAST_DIGITS = 5;

/** Keys that two values still share after most typos: the triples of letters of each word, and a code or date with one digit left out. */
function partKeys({ kind, texts, words }: RecordColumn, c: number, v: number): string[] {
  if (kind === "text")
    return words[v]!.flatMap((word) => {
      const marked = `^${word}$`;
      return Array.from({ length: marked.length - 2 }, (_, at) => marked.slice(at, at + 3));
    });
  const text = texts[v]!;
  if (kind === "number" || text.length < LEAST_DIGITS) return [];
  return Array.from(text, (_, at) => `${c}-${text.slice(0, at)}${text.slice(at + 1)}`);
}
