/**
 * Words for clusters: what the texts of each cluster are about, by class-based TF-IDF (Grootendorst 2022, equation 2). The weight of a term
 * t in a cluster c is
 *
 *   w(t, c) = s(t, c) log(1 + A / f(t))
 *
 * - s(t, c): share of the texts of c that contain t
 * - f(t): number of texts that contain t
 * - A: mean over the clusters of the number of words. Each text counts each of its words once.
 *
 * Stop words, single letters and numbers are not listed. If several clusters have texts, words in more than half of all texts are not
 * listed either, unless they are that common in only one cluster. A cluster lists its ten heaviest words. A pair of neighbouring words
 * replaces a word if the pair is nearly as frequent. Ties are broken by the term, so the order of the rows does not matter.
 *
 * Cost: linear in the texts. Above MOST_CHARACTERS an even sample of the rows is used; the sample depends on the order of the rows.
 * Departs from the paper: a term counts once in a text, so that long texts do not decide alone; a cluster lists only terms that are more
 * frequent in the cluster than in all texts.
 */
import { log } from "../../linalg/elementary.js";
import { evenly, upTo } from "../../linalg/indices.js";
import { type Instances, rowValues } from "../../model/points.js";
import type { Steps } from "../../steps/index.js";
import { wordsOf } from "./grams.js";
import { stopWordsIn } from "./stop-words.js";

/** Maximum number of terms, and of typical texts, per cluster. */
const MOST_TERMS = 10;
const MOST_TYPICAL = 3;
/**
 * Terms are chosen from this number of the heaviest words. A term has at most two words, and no two terms share a word. So 2 · MOST_TERMS
 * words are enough.
 */
const CANDIDATES = 2 * MOST_TERMS;
/**
 * A pair of words replaces a word in the list if two conditions hold. The pair is in at least the share NEARLY of the cluster's texts with
 * this word, and in at least FEWEST_TEXTS texts.
 */
const NEARLY = 0.75;
const FEWEST_TEXTS = 2;

/** A text is read up to this number of characters. */
const LONGEST_TEXT = 20_000;
const LONGEST_WORD = 64;
/** Maximum number of characters in all texts; more texts are sampled. This number takes some seconds and a few hundred megabytes. */
const MOST_CHARACTERS = 2 ** 25;
/** Number of words between two pauses, about 5 ms of work. */
const PACE = 5_000;

/** A term (a word, or two neighbouring words) and its weight. */
export interface ClusterTerm {
  readonly term: string;
  readonly weight: number;
}

export interface ClusterWords {
  /** At most ten terms, the heaviest first. */
  readonly terms: readonly ClusterTerm[];
  /**
   * At most three typical rows, with different texts. The score of a text is the sum of the weights of its words, divided by the square
   * root of its number of words.
   */
  readonly typical: readonly number[];
}

/**
 * Finds the words of each cluster, by the formula at the top of this file.
 *
 * - texts: the text of each row; null for none
 * - labels: the cluster of each row; -1 for none. Rows without a cluster are ignored.
 * - k: number of clusters
 */
export function* clusterWordsSteps(texts: readonly (string | null)[], labels: Int32Array, k: number): Steps<ClusterWords[]> {
  const rows = sampled(texts, labels);
  const groups = groupsOf(rows, labels, k);
  const corpus = yield* readTexts(texts, groups.rows);
  const weights = yield* weigh(corpus, groups);
  const lists: Listed[] = [];
  for (let c = 0; c < k; c++) {
    yield { phase: "words", done: c, total: k };
    lists.push(yield* listCluster(corpus, weights, groups, c, texts));
  }
  const totals = yield* pairTotals(corpus, lists);
  const shown = yield* shownWords(corpus, lists);
  const found: ClusterWords[] = [];
  for (const { items, size, typical } of lists) {
    if (found.length % 500 === 0) yield { phase: "words", done: found.length, total: k };
    const terms = items.map((item) => termOf(item, size, corpus, weights, totals, shown));
    found.push({ terms: terms.sort((a, b) => b.weight - a.weight || compare(a.term, b.term)), typical });
  }
  return found;
}

/** The rows with a text and a cluster. If their texts are too long in total, an evenly spread sample of these rows. */
function sampled(texts: readonly (string | null)[], labels: Int32Array): Int32Array {
  const rows = upTo(labels.length).filter((row) => labels[row]! >= 0 && texts[row] !== null);
  let characters = 0;
  for (const row of rows) characters += Math.min(LONGEST_TEXT, texts[row]!.length);
  if (characters <= MOST_CHARACTERS) return rows;
  const kept = Math.max(1, Math.floor((rows.length * MOST_CHARACTERS) / characters));
  return evenly(rows.length, kept).map((at) => rows[at]!);
}

interface Groups {
  /** The rows that are read, sorted by cluster. Text t of the corpus is the text of row `rows[t]`. */
  readonly rows: Int32Array;
  /** Cluster c has the texts `starts[c]` … `starts[c + 1] - 1`. */
  readonly starts: Int32Array;
  /** Number of clusters with at least one text. */
  readonly filled: number;
}

function groupsOf(rows: Int32Array, labels: Int32Array, k: number): Groups {
  const starts = new Int32Array(k + 1);
  for (const row of rows) starts[labels[row]! + 1]!++;
  const filled = starts.reduce((count, size) => count + (size > 0 ? 1 : 0), 0);
  for (let c = 0; c < k; c++) starts[c + 1]! += starts[c]!;
  const next = starts.slice();
  const sorted = new Int32Array(rows.length);
  for (const row of rows) sorted[next[labels[row]!]!++] = row;
  return { rows: sorted, starts, filled };
}

/* Reading: every distinct word gets a number, and a text becomes the numbers of its words. */

interface Corpus {
  /** The distinct words, without accents. The number of a word is its index in this list. */
  readonly words: readonly string[];
  /** The spellings of words in the texts, in lower case, with accents. */
  readonly spellings: ReadonlyMap<string, Spelling>;
  readonly numberOf: ReadonlyMap<string, number>;
  /** `counts`: how often each word occurs. `textsWith`: number of texts that contain each word. */
  readonly counts: readonly number[];
  readonly textsWith: readonly number[];
  /** The word numbers of all texts, one text after the other. BREAK marks the end of a sentence. Text t begins at `starts[t]`. */
  readonly sequence: Int32Array;
  readonly starts: Int32Array;
}

const BREAK = -1;

const tokens = /[\p{L}\p{N}\p{M}]+|[.!?;:·\n]/gu;

function* readTexts(texts: readonly (string | null)[], rows: Int32Array): Steps<Corpus> {
  const reader = new Reader();
  const starts = new Int32Array(rows.length + 1);
  let sequence = new Int32Array(1024);
  let length = 0;
  for (let t = 0, paused = 0; t < rows.length; t++) {
    const numbers = reader.read(texts[rows[t]!]!);
    if (length + numbers.length > sequence.length) {
      const larger = new Int32Array(2 * (length + numbers.length));
      larger.set(sequence);
      sequence = larger;
    }
    sequence.set(numbers, length);
    length += numbers.length;
    starts[t + 1] = length;
    if (length - paused < PACE) continue;
    paused = length;
    yield { phase: "reading texts", done: t, total: rows.length };
  }
  const { words, spellings, numberOf, counts, textsWith } = reader;
  return { words, spellings, numberOf, counts, textsWith, sequence: sequence.subarray(0, length), starts };
}

interface Spelling {
  /** The numbers of the words in this spelling. Empty for the end of a sentence, and for accents without a letter. */
  readonly numbers: readonly number[];
  count: number;
}

class Reader {
  readonly words: string[] = [];
  readonly numberOf = new Map<string, number>();
  readonly counts: number[] = [];
  readonly textsWith: number[] = [];
  readonly spellings = new Map<string, Spelling>();
  /** For each word: the last text that contained it, so that `textsWith` counts each text once. */
  readonly #last: number[] = [];
  #texts = 0;

  read(text: string): number[] {
    const numbers: number[] = [];
    this.#texts++;
    for (const token of text.slice(0, LONGEST_TEXT).normalize("NFKC").toLowerCase().match(tokens) ?? []) {
      const spelling = this.#spelled(token);
      if (spelling.numbers.length === 0) numbers.push(BREAK);
      spelling.count++;
      for (const number of spelling.numbers) {
        numbers.push(number);
        this.counts[number]!++;
        if (this.#last[number] === this.#texts) continue;
        this.#last[number] = this.#texts;
        this.textsWith[number]!++;
      }
    }
    return numbers;
  }

  #spelled(token: string): Spelling {
    const known = this.spellings.get(token);
    if (known) return known;
    const spelling = { numbers: wordsOf(token).map((word) => this.#number(word)), count: 0 };
    this.spellings.set(token, spelling);
    return spelling;
  }

  #number(word: string): number {
    const known = this.numberOf.get(word);
    if (known !== undefined) return known;
    const number = this.words.length;
    this.words.push(word);
    this.numberOf.set(word, number);
    this.counts.push(0);
    this.textsWith.push(0);
    this.#last.push(0);
    return number;
  }
}

/* Weights of words: log(1 + A / f) for each word. 0 for words that are never listed. */

interface Weights {
  readonly rarity: Float64Array;
  /** A: the mean over clusters of the number of words. Each text counts each of its words once. */
  readonly mean: number;
}

function* weigh(corpus: Corpus, groups: Groups): Steps<Weights> {
  const { words, textsWith } = corpus;
  const dropped = yield* droppedWords(corpus, groups);
  let sum = 0;
  for (let w = 0; w < words.length; w++) if (!dropped[w]) sum += textsWith[w]!;
  const mean = sum / Math.max(1, groups.filled);
  const rarity = new Float64Array(words.length);
  for (let w = 0; w < words.length; w++) {
    if (!dropped[w]) rarity[w] = log(1 + mean / textsWith[w]!);
    if (w % PACE === 0) yield { phase: "words", done: 0, total: null };
  }
  return { rarity, mean };
}

const number = /^\p{N}+$/u;

function* droppedWords(corpus: Corpus, groups: Groups): Steps<Uint8Array> {
  const { words, numberOf, counts } = corpus;
  const dropped = new Uint8Array(words.length);
  let total = 0;
  for (let w = 0; w < words.length; w++) {
    const isNumber = number.test(words[w]!);
    if (!isNumber) total += counts[w]!;
    if (isNumber || isLetter(words[w]!)) dropped[w] = 1;
    if (w % PACE === 0) yield { phase: "words", done: 0, total: null };
  }
  for (const w of stopWordsIn(numberOf, counts, total)) dropped[w] = 1;
  if (groups.filled > 1) yield* dropCommon(corpus, groups, dropped);
  return dropped;
}

function isLetter(word: string): boolean {
  return word.length === 1 || (word.length === 2 && word.codePointAt(0)! > 0xffff);
}

/**
 * Drops words that occur in more than half of all texts. Exception: a word stays if only one cluster has it in more than half of its texts,
 * because it describes this cluster.
 */
function* dropCommon({ textsWith, ...corpus }: Corpus, { rows, starts }: Groups, dropped: Uint8Array): Steps<void> {
  const common: number[] = [];
  textsWith.forEach((texts, w) => {
    if (!dropped[w] && 2 * texts > rows.length) common.push(w);
  });
  if (common.length === 0) return;
  const placeOf = new Map(common.map((w, place) => [w, place]));
  const inClusters = new Int32Array(common.length);
  for (let c = 0, work = 0; c + 1 < starts.length; c++) {
    const count = new Int32Array(common.length);
    const last = new Int32Array(common.length).fill(-1);
    for (let t = starts[c]!; t < starts[c + 1]!; t++) {
      for (const w of wordsIn(corpus, t)) {
        work++;
        const place = placeOf.get(w);
        if (place === undefined || last[place] === t) continue;
        last[place] = t;
        count[place]!++;
      }
      if (work < PACE) continue;
      work = 0;
      yield { phase: "words", done: t, total: rows.length };
    }
    work += common.length;
    for (let p = 0; p < common.length; p++) if (2 * count[p]! > starts[c + 1]! - starts[c]!) inClusters[p]!++;
  }
  common.forEach((w, place) => {
    if (inClusters[place]! > 1) dropped[w] = 1;
  });
}

function wordsIn({ sequence, starts }: Pick<Corpus, "sequence" | "starts">, t: number): Int32Array {
  return sequence.subarray(starts[t]!, starts[t + 1]!);
}

/* The list of one cluster: its heaviest words, the pairs that replace words, and its typical texts. */

/** A listed word or pair of words, by number. `texts`: number of the cluster's texts that contain it. */
interface Item {
  readonly first: number;
  /** The second word of a pair; BREAK for a single word. */
  readonly second: number;
  readonly texts: number;
}

interface Listed {
  readonly items: readonly Item[];
  readonly size: number;
  readonly typical: readonly number[];
}

function* listCluster(
  corpus: Corpus,
  weights: Weights,
  groups: Groups,
  c: number,
  texts: readonly (string | null)[],
): Steps<Listed> {
  const [from, to] = [groups.starts[c]!, groups.starts[c + 1]!];
  const span = { from, to, size: to - from };
  const counts = yield* countWords(corpus, weights, span);
  const candidates = yield* heaviest(corpus, weights, groups, counts, span);
  const pairs = yield* countPairs(corpus, weights, new Set(candidates), span);
  return {
    items: chosenTerms(candidates, pairs, counts, corpus),
    size: span.size,
    typical: yield* typicalRows(corpus, weights, groups, counts, span, texts),
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

/** For each word with a weight: the number of the cluster's texts that contain it. */
function* countWords(corpus: Corpus, { rarity }: Weights, { from, to }: Span): Steps<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let t = from, work = 0; t < to; t++) {
    const distinct = new Set(wordsIn(corpus, t));
    for (const w of distinct) if (w !== BREAK && rarity[w]! > 0) counts.set(w, (counts.get(w) ?? 0) + 1);
    work += distinct.size;
    if (work < PACE) continue;
    work = 0;
    yield { phase: "words", done: t, total: to };
  }
  return counts;
}

/** The heaviest words of the cluster, heaviest first. Every word must be more frequent in the cluster than in all texts. */
function* heaviest(
  { words, textsWith }: Corpus,
  { rarity }: Weights,
  { rows, filled }: Groups,
  counts: ReadonlyMap<number, number>,
  { size }: Span,
): Steps<number[]> {
  const weight = (w: number) => counts.get(w)! * rarity[w]!;
  const before = (a: number, b: number) => weight(b) - weight(a) || compare(words[a]!, words[b]!);
  const best: number[] = [];
  let work = 0;
  for (const [w, count] of counts) {
    if (++work % PACE === 0) yield { phase: "words", done: work, total: counts.size };
    if (filled > 1 && count * rows.length <= textsWith[w]! * size) continue;
    insert(best, w, before, CANDIDATES);
  }
  return best;
}

/** Inserts a value into a sorted list of at most `most` values. `before`: compares two values. */
function insert(list: number[], value: number, before: (a: number, b: number) => number, most: number): void {
  if (list.length === most && before(value, list[most - 1]!) >= 0) return;
  let at = list.length;
  while (at > 0 && before(value, list[at - 1]!) < 0) at--;
  list.splice(at, 0, value);
  if (list.length > most) list.pop();
}

/** Counts the cluster's texts that contain each pair of neighbouring words. Only pairs with at least one candidate word count. */
function* countPairs(
  corpus: Corpus,
  { rarity }: Weights,
  candidates: ReadonlySet<number>,
  { from, to }: Span,
): Steps<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (let t = from, work = 0; t < to; t++) {
    const words = wordsIn(corpus, t);
    work += words.length;
    const distinct = new Set<number>();
    for (let i = 1; i < words.length; i++) {
      const [a, b] = [words[i - 1]!, words[i]!];
      if (a === BREAK || b === BREAK || a === b || rarity[a] === 0 || rarity[b] === 0) continue;
      if (candidates.has(a) || candidates.has(b)) distinct.add(pairKey(a, b, corpus));
    }
    for (const key of distinct) counts.set(key, (counts.get(key) ?? 0) + 1);
    if (work < PACE) continue;
    work = 0;
    yield { phase: "words", done: t, total: to };
  }
  return counts;
}

function pairKey(first: number, second: number, { words }: Corpus): number {
  return first * words.length + second;
}

/**
 * Chooses the terms of a cluster: its heaviest words. The most frequent pair with a word replaces the word if the pair is nearly as
 * frequent. No two terms share a word.
 */
function chosenTerms(
  candidates: readonly number[],
  pairs: ReadonlyMap<number, number>,
  counts: ReadonlyMap<number, number>,
  corpus: Corpus,
): Item[] {
  const pairsWith = new Map<number, Item[]>(candidates.map((w) => [w, []]));
  for (const [key, texts] of pairs) {
    if (texts < FEWEST_TEXTS) continue;
    const [first, second] = [Math.floor(key / corpus.words.length), key % corpus.words.length];
    for (const w of [first, second]) pairsWith.get(w)?.push({ first, second, texts });
  }
  const items: Item[] = [];
  const used = new Set<number>();
  for (const w of candidates) {
    if (items.length === MOST_TERMS) break;
    if (used.has(w)) continue;
    const texts = counts.get(w)!;
    const able = pairsWith
      .get(w)!
      .filter((pair) => pair.texts >= NEARLY * texts && !used.has(pair.first) && !used.has(pair.second))
      .sort((a, b) => b.texts - a.texts || compare(plainText(a, corpus), plainText(b, corpus)));
    const item = able[0] ?? { first: w, second: BREAK, texts };
    items.push(item);
    used.add(item.first).add(item.second);
  }
  return items;
}

function plainText({ first, second }: Item, { words }: Corpus): string {
  return `${words[first]} ${words[second]}`;
}

function* typicalRows(
  corpus: Corpus,
  { rarity }: Weights,
  { rows }: Groups,
  counts: ReadonlyMap<number, number>,
  { from, to }: Span,
  texts: readonly (string | null)[],
): Steps<number[]> {
  const scores = new Map<number, number>();
  const textOf = (t: number) => texts[rows[t]!]!;
  const before = (a: number, b: number) => scores.get(b)! - scores.get(a)! || compare(textOf(a), textOf(b));
  const best: number[] = [];
  for (let t = from, work = 0; t < to; t++) {
    const words = wordsIn(corpus, t);
    work += words.length;
    if (work >= PACE) {
      work = 0;
      yield { phase: "words", done: t, total: to };
    }
    let sum = 0;
    for (const w of new Set(words)) if (w !== BREAK) sum += (counts.get(w) ?? 0) * rarity[w]!;
    if (sum === 0 || best.some((other) => textOf(other) === textOf(t))) continue;
    scores.set(t, sum / Math.sqrt(words.reduce((length, w) => length + (w === BREAK ? 0 : 1), 0)));
    insert(best, t, before, MOST_TYPICAL);
  }
  return best.map((t) => rows[t]!);
}

/** For each listed pair of words: the number of texts in all clusters that contain the pair. */
function* pairTotals(corpus: Corpus, lists: readonly Listed[]): Steps<ReadonlyMap<number, number>> {
  const pairs = lists.flatMap(({ items }) => items.filter(({ second }) => second !== BREAK));
  const totals = new Map(pairs.map(({ first, second }) => [pairKey(first, second, corpus), 0]));
  if (totals.size === 0) return totals;
  const firsts = new Set(pairs.map(({ first }) => first));
  for (let t = 0, work = 0; t + 1 < corpus.starts.length; t++) {
    const words = wordsIn(corpus, t);
    const distinct = new Set<number>();
    for (let i = 1; i < words.length; i++)
      if (firsts.has(words[i - 1]!) && words[i] !== BREAK) distinct.add(pairKey(words[i - 1]!, words[i]!, corpus));
    for (const key of distinct) {
      const total = totals.get(key);
      if (total !== undefined) totals.set(key, total + 1);
    }
    work += words.length;
    if (work < PACE) continue;
    work = 0;
    yield { phase: "words", done: t, total: corpus.starts.length };
  }
  return totals;
}

/** The spelling to show for each listed word: the most frequent spelling. */
function* shownWords({ words, spellings }: Corpus, lists: readonly Listed[]): Steps<ReadonlyMap<number, string>> {
  const listed = new Set(lists.flatMap(({ items }) => items.flatMap(({ first, second }) => [first, second])));
  const best = new Map<number, { readonly spelled: string; readonly count: number }>();
  let work = 0;
  for (const [spelled, { numbers, count }] of spellings) {
    if (++work % PACE === 0) yield { phase: "words", done: work, total: spellings.size };
    const [word = BREAK] = numbers;
    if (numbers.length !== 1 || !listed.has(word) || spelled.length > LONGEST_WORD) continue;
    const known = best.get(word);
    if (!known || count > known.count || (count === known.count && spelled < known.spelled)) best.set(word, { spelled, count });
  }
  return new Map(Array.from(listed, (word) => [word, best.get(word)?.spelled ?? words[word] ?? ""]));
}

function termOf(
  { first, second, texts }: Item,
  size: number,
  corpus: Corpus,
  { rarity, mean }: Weights,
  totals: ReadonlyMap<number, number>,
  shown: ReadonlyMap<number, string>,
): ClusterTerm {
  const share = texts / size;
  if (second === BREAK) return { term: shown.get(first)!, weight: share * rarity[first]! };
  const weight = share * log(1 + mean / totals.get(pairKey(first, second, corpus))!);
  return { term: `${shown.get(first)} ${shown.get(second)}`, weight };
}

/** Compares texts by code units. The order of a locale differs between machines. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/* Finds the columns with free text. Their texts give the words of clusters. */

/** A column of free text has at least this number of different texts per filled cell. So texts hardly repeat. */
const HARDLY_REPEAT = 0.5;
/** In a column of free text, more than this share of the cells have at least three words. */
const MOST_CELLS = 0.5;

const longWords = /[\p{L}\p{M}]{2,}/gu;
/**
 * A column is judged by LOOKED_ROWS evenly spread cells, and by the first LOOKED_AT characters of each cell. Only words of two or more
 * letters count.
 */
const LOOKED_AT = 200;
const LOOKED_ROWS = 5000;

/** The columns with free text: nominal columns whose texts hardly repeat, with three or more words in most cells. */
export function freeTextColumns(instances: Instances): number[] {
  const { d, nominal, levels } = instances;
  return [...Array(d).keys()].filter((j) => {
    const names = nominal?.[j] === 1 ? levels?.[j] : null;
    return names != null && isFreeText(codesOf(instances, j), names);
  });
}

function isFreeText(codes: Int32Array, levels: readonly string[]): boolean {
  const used = new Uint8Array(levels.length);
  let [cells, different] = [0, 0];
  for (const code of codes) {
    if (code < 0) continue;
    cells++;
    if (used[code] === 0) different++;
    used[code] = 1;
  }
  if (different < 2 || different < HARDLY_REPEAT * cells) return false;
  const shown = evenly(codes.length, Math.min(codes.length, LOOKED_ROWS)).map((row) => codes[row]!);
  const present = shown.filter((code) => code >= 0);
  const long = present.filter((code) => (levels[code]!.slice(0, LOOKED_AT).match(longWords) ?? []).length >= 3);
  return long.length > MOST_CELLS * present.length;
}

/** The level of each row in column j. -1 if the cell was missing in the table, even if it was filled later. */
function codesOf(instances: Instances, j: number): Int32Array {
  const { n, d, filledRows } = instances;
  const x = rowValues(instances);
  const codes = new Int32Array(n);
  for (let row = 0; row < n; row++) {
    const code = x[row * d + j]!;
    codes[row] = Number.isNaN(code) ? -1 : code;
  }
  for (const row of filledRows?.[j] ?? []) codes[row] = -1;
  return codes;
}

/**
 * The free text of each row. Texts of several columns are joined by a dot. Null for a row without text. If no column has free text, the
 * whole result is null.
 */
export function* freeTextsSteps(instances: Instances): Steps<(string | null)[] | null> {
  const columns = freeTextColumns(instances).map((j) => ({ codes: codesOf(instances, j), levels: instances.levels![j]! }));
  if (columns.length === 0) return null;
  const texts: (string | null)[] = [];
  for (let row = 0; row < instances.n; row++) {
    if (row % PACE === 0) yield { phase: "reading texts", done: row, total: instances.n };
    const cells = columns.flatMap(({ codes, levels }) => levels[codes[row]!] ?? []);
    texts.push(cells.length === 0 ? null : cells.join(" · "));
  }
  return texts;
}

/** `texts`: the free text of each row. `clusters`: the words of each cluster. */
export interface TextsInClusters {
  readonly texts: readonly (string | null)[];
  readonly clusters: readonly ClusterWords[];
}

/** The words of each cluster, from the free text of the table. Null if there is no free text, or if no cluster has a word. */
export function* textsInClustersSteps(instances: Instances, labels: Int32Array, k: number): Steps<TextsInClusters | null> {
  const texts = yield* freeTextsSteps(instances);
  if (!texts) return null;
  const clusters = yield* clusterWordsSteps(texts, labels, k);
  return clusters.some(({ terms }) => terms.length > 0) ? { texts, clusters } : null;
}
