/**
 * How likely two rows describe the same thing, from the levels of likeness of their cells.
 *
 * Fellegi, Sunter: A Theory for Record Linkage. 1969. Column c has level l with probability m(c, l) among matches, and with probability
 * u(c, l) among random pairs. Columns are independent in both groups. The log odds of a pair are the prior log odds plus the sum of the
 * weights log(m / u) over its columns. A missing cell has weight 0. u is counted on random pairs. EM estimates m and the share of matches
 * from the candidate pairs (Winkler 1988). All other pairs count as non-matches.
 *
 * Our additions:
 * - The weight of an equal cell is log(m / frequency of its value). So two equal rare surnames weigh more than two equal common surnames
 *   (winkler2000).
 * - Related pairs are a third group besides matches and random pairs. They are different things that agree in some columns, such as people
 *   with one name. Column c of a related pair behaves like a match with probability r(c), else like a random pair. The group is left out if
 *   it is small. It is also left out if its mean r(c) is above `MOST_RELATED`: then its pairs are matches with many errors.
 * - If constraints decide a pair, EM does not change it. Logistic regression on these pairs then corrects the weight of each level, with a
 *   normal prior around 0.
 */
import { exp, log } from "../../linalg/elementary.js";
import type { Step } from "../../steps/index.js";
import type { RowPairs } from "./blocking.js";
import { EQUAL, LEVELS } from "./comparison.js";
import type { RecordColumn } from "./records.js";

/** The model that EM fits. Arrays over levels have `LEVELS.length` numbers per column. */
export interface MatchFit {
  /** The expected number of matches. */
  readonly matches: number;
  /** log(m / u) of each level in each column: what the level adds to the log odds of a match. */
  readonly weights: Float64Array;
  /** Log odds of a match for each pair, before constraints correct the weights. */
  readonly odds: Float64Array;
}

export interface ComparedPairs extends RowPairs {
  readonly columns: readonly RecordColumn[];
  /** The level of likeness of each pair in each column. The levels of one pair are consecutive. */
  readonly levels: Uint8Array;
}

type Numbers = Float64Array<ArrayBuffer>;

const L = LEVELS.length;
const MOST_RELATED = 0.6;
/** With fewer related pairs than this, the model has no group for them. */
const FEWEST_RELATED = 50;

/**
 * Fits the model of matches to the candidate pairs.
 *
 * - known: for each pair, 1 if constraints put its rows together, -1 if they keep its rows apart, else 0
 * - u: share of each level among random pairs
 * - all: number of all pairs of rows
 */
export function* matchFitSteps(
  pairs: ComparedPairs,
  known: Int8Array,
  u: Float64Array,
  all: number,
): Generator<Step, MatchFit, void> {
  const patterns = yield* patternsOf(pairs, known);
  const three = yield* fitSteps(patterns, u, all, 0.5);
  const isRelated = total(three.related) <= MOST_RELATED * patterns.width && three.relatedShare * all >= FEWEST_RELATED;
  const fit = isRelated ? three : yield* fitSteps(patterns, u, all, 0);
  const odds = new Float64Array(known.length);
  for (let p = 0; p < odds.length; p++) {
    if (p % PAIRS_PER_STEP === 0) yield { phase: "scoring pairs", done: p, total: odds.length };
    odds[p] = oddsOf(patterns, fit, patterns.of[p]!, rarityOf(pairs, u, p));
  }
  return {
    matches: fit.share * all,
    weights: fit.m.map((each, q) => log(each / u[q]!)),
    odds,
  };
}

/* A pattern is a combination of levels and `known`. There are far fewer patterns than pairs, so EM runs on patterns. */

interface Patterns {
  readonly width: number;
  readonly levels: Uint8Array;
  readonly known: Int8Array;
  /** Number of pairs with each pattern. */
  readonly count: Numbers;
  /** The pattern of each pair. */
  readonly of: Int32Array;
}

const PAIRS_PER_STEP = 16_384;
const MOST_ITERATIONS = 200;

function* patternsOf({ levels, columns: { length: width } }: ComparedPairs, known: Int8Array): Generator<Step, Patterns, void> {
  const found = new Map<string, number>();
  const first: number[] = [];
  const of = new Int32Array(known.length);
  for (let p = 0; p < known.length; p++) {
    if (p % PAIRS_PER_STEP === 0) yield { phase: "learning what matches look like", done: 0, total: MOST_ITERATIONS };
    const key = String.fromCharCode(known[p]! + 1, ...levels.subarray(p * width, (p + 1) * width));
    const place = found.get(key) ?? first.push(p) - 1;
    found.set(key, place);
    of[p] = place;
  }
  const own = new Uint8Array(first.length * width);
  first.forEach((p, place) => {
    own.set(levels.subarray(p * width, (p + 1) * width), place * width);
  });
  const count = new Float64Array(first.length);
  for (const place of of) count[place]!++;
  return { width, levels: own, known: Int8Array.from(first, (p) => known[p]!), count, of };
}

/** Sums the entries of `values` for the levels of a pair or pattern p, one level per column. Missing cells add nothing. */
function sumOver({ levels }: { readonly levels: Uint8Array }, p: number, values: Float64Array): number {
  const width = values.length / L;
  let sum = 0;
  for (let c = 0, q = p * width; c < width; c++, q++) if (levels[q]! > 0) sum += values[c * L + levels[q]! - 1]!;
  return sum;
}

/* The EM algorithm. It estimates m, r and the shares of the groups. */

interface Fit {
  readonly m: Numbers;
  readonly share: number;
  /** r(c): the probability that column c of a related pair behaves like a match. */
  readonly related: Numbers;
  readonly relatedShare: number;
  /** The logarithms of the level probabilities among matches, related pairs and random pairs. */
  readonly logs: readonly [match: Numbers, related: Numbers, random: Numbers];
}

/** The EM ends when the log likelihood per candidate changes by less than this. */
const SETTLED = 1e-6;

/** First guess of m for the five levels: most cells of a match are equal. The guess counts as much as `GUESSED` matches. */
const FIRST_MATCHES = [0.8, 0.08, 0.04, 0.03, 0.05];
const GUESSED = 10;

/** Number that is added to the count of matches, so that the share of matches is never 0. */
const ADDED = 0.5;

/** Fits the model by EM. `first`: the first guess of r; 0 leaves out the group of related pairs. */
function* fitSteps(patterns: Patterns, u: Float64Array, all: number, first: number): Generator<Step, Fit, void> {
  const { width } = patterns;
  const candidates = patterns.of.length;
  let m: Numbers = Float64Array.from({ length: width * L }, (_, q) => FIRST_MATCHES[q % L]!);
  let share = (firstShare(patterns) * candidates) / all;
  let related: Numbers = new Float64Array(width).fill(first);
  let relatedShare = first === 0 ? 0 : (0.5 * candidates) / all;
  const random = Float64Array.from(u, log);
  for (let iteration = 0, before = -Infinity; ; iteration++) {
    yield { phase: "learning what matches look like", done: iteration, total: MOST_ITERATIONS };
    const mixed = m.map((each, q) => related[Math.floor(q / L)]! * each + (1 - related[Math.floor(q / L)]!) * u[q]!);
    const fit: Fit = { m, share, related, relatedShare, logs: [m.map(log), mixed.map(log), random] };
    const { matches, relatives, likelihood } = expectation(patterns, fit);
    if (iteration === MOST_ITERATIONS || Math.abs(likelihood - before) <= SETTLED * candidates) return fit;
    before = likelihood;
    related = first === 0 ? related : relatedColumns(patterns, relatives, fit, u);
    m = levelsAmong(patterns, matches);
    share = Math.min(0.49, (total(matches) + ADDED) / (all + 2 * ADDED));
    relatedShare = first === 0 ? 0 : Math.min(0.49, (total(relatives) + ADDED) / (all + 2 * ADDED));
  }
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0);
}

/**
 * First guess of the share of matches among candidates. A candidate counts as a match if more than half of its cells are equal, without
 * missing cells.
 */
function firstShare({ width, levels, count }: Patterns): number {
  let alike = 0;
  for (let p = 0; p < count.length; p++) {
    let [equal, present] = [0, 0];
    for (let q = p * width; q < (p + 1) * width; q++) {
      if (levels[q] === EQUAL) equal++;
      if (levels[q]! > 0) present++;
    }
    if (2 * equal > present) alike += count[p]!;
  }
  return Math.min(0.5, (alike + 1) / (total(count) + 2));
}

/**
 * The log odds of a match for a pair with pattern p. `rarity`: how rare the equal values of the pair are. Rare equal values make a random
 * pair less likely.
 */
function oddsOf(patterns: Patterns, { logs: [match, related, random], share, relatedShare }: Fit, p: number, rarity: number) {
  const one = log(share) + sumOver(patterns, p, match);
  const three = log(1 - share - relatedShare) + sumOver(patterns, p, random) - rarity;
  if (relatedShare === 0) return one - three;
  const two = log(relatedShare) + sumOver(patterns, p, related);
  return one - Math.max(two, three) - log(1 + exp(-Math.abs(two - three)));
}

/** The E step. For each pattern: the expected number of matches and of related pairs. Also returns the log likelihood of all pairs. */
function expectation(patterns: Patterns, { logs: [match, related, random], share, relatedShare }: Fit) {
  const { known, count } = patterns;
  const matches = new Float64Array(count.length);
  const relatives = new Float64Array(count.length);
  let likelihood = 0;
  for (let p = 0; p < count.length; p++) {
    const one = known[p] === -1 ? -Infinity : log(share) + sumOver(patterns, p, match);
    const two = known[p] === 1 || relatedShare === 0 ? -Infinity : log(relatedShare) + sumOver(patterns, p, related);
    const three = known[p] === 1 ? -Infinity : log(1 - share - relatedShare) + sumOver(patterns, p, random);
    const top = Math.max(one, two, three);
    const [ofMatch, ofRelated] = [exp(one - top), exp(two - top)];
    const sum = ofMatch + ofRelated + exp(three - top);
    matches[p] = (count[p]! * ofMatch) / sum;
    relatives[p] = (count[p]! * ofRelated) / sum;
    likelihood += count[p]! * (top + log(sum));
  }
  return { matches, relatives, likelihood };
}

/** The M step for m: the share of each level in each column among the expected matches, without missing cells. */
function levelsAmong({ width, levels }: Patterns, matches: Float64Array): Numbers {
  const sums = Float64Array.from({ length: width * L }, (_, q) => GUESSED * FIRST_MATCHES[q % L]!);
  for (let p = 0, q = 0; p < matches.length; p++)
    for (let c = 0; c < width; c++, q++) if (levels[q]! > 0) sums[c * L + levels[q]! - 1]! += matches[p]!;
  for (let c = 0; c < width; c++) {
    const own = sums.subarray(c * L, (c + 1) * L);
    const all = total(own);
    for (let l = 0; l < L; l++) own[l]! /= all;
  }
  return sums;
}

/**
 * The M step for r(c): the share of related pairs that behave like matches in column c. `relatives`: the expected number of related pairs
 * of each pattern.
 */
function relatedColumns({ width, levels }: Patterns, relatives: Float64Array, { m, related }: Fit, u: Float64Array): Numbers {
  const sums = new Float64Array(width).fill(1);
  const all = new Float64Array(width).fill(2);
  for (let p = 0, q = 0; p < relatives.length; p++)
    for (let c = 0; c < width; c++, q++) {
      if (levels[q] === 0) continue;
      const at = c * L + levels[q]! - 1;
      const asMatch = related[c]! * m[at]!;
      sums[c]! += (relatives[p]! * asMatch) / (asMatch + (1 - related[c]!) * u[at]!);
      all[c]! += relatives[p]!;
    }
  return sums.map((sum, c) => sum / all[c]!);
}

/** A value does not count as common because of this number of rows, as they can all describe the same thing. */
const COPIES = 4;

/** Lower bound of the frequency of a value, in rows, because smaller frequencies are not known well. */
const RARE = 3;

/** How much rarer the equal values of pair p are than equal values of random pairs, as a difference of log probabilities. */
function rarityOf({ columns, levels, a }: ComparedPairs, u: Float64Array, p: number): number {
  let sum = 0;
  columns.forEach(({ value, frequency, present }, c) => {
    if (levels[p * columns.length + c] !== EQUAL) return;
    const usual = u[c * L]! * present;
    sum += log(usual / Math.max(frequency[value[a[p]!]!]! - COPIES, Math.min(RARE, usual)));
  });
  return sum;
}

/* Constraints decide some pairs. These pairs correct the weights. */

/**
 * Each correction has a normal prior with variance ANSWER / matches. So one answer counts as much as ANSWER expected matches. In a table
 * with more matches, one answer changes the weights less.
 */
const ANSWER = 10;
const MOST_VARIANCE = 1;
const GRADIENT_STEPS = 300;

/**
 * Corrects weights and log odds, so that they agree better with the pairs that constraints decide. The corrections maximise the likelihood
 * of a logistic regression times the prior. Method: gradient ascent with a step size that never overshoots.
 */
export function* withConstraintsSteps(
  { columns, levels }: ComparedPairs,
  { weights, odds, matches }: Pick<MatchFit, "weights" | "odds" | "matches">,
  known: Int8Array,
): Generator<Step, Pick<MatchFit, "weights" | "odds">, void> {
  const width = columns.length;
  const corrections = new Float64Array(width * L);
  const decided = [...known.keys()].filter((p) => known[p] !== 0);
  if (decided.length === 0) return { weights, odds };
  const precision = Math.max(1 / MOST_VARIANCE, matches / ANSWER);
  // This step size is safe. The second derivative of the objective is at most precision + decided · width / 4 in any direction.
  const step = 1 / (precision + (decided.length * width) / 4);
  for (let s = 0; s < GRADIENT_STEPS; s++) {
    if (s % 16 === 0) yield { phase: "learning from constraints", done: s, total: GRADIENT_STEPS };
    const slope = corrections.map((each) => -each * precision);
    for (const p of decided) {
      const error = (known[p] === 1 ? 1 : 0) - 1 / (1 + exp(-odds[p]! - sumOver({ levels }, p, corrections)));
      for (let c = 0, q = p * width; c < width; c++, q++) if (levels[q]! > 0) slope[c * L + levels[q]! - 1]! += error;
    }
    slope.forEach((each, q) => {
      corrections[q]! += step * each;
    });
  }
  const corrected = new Float64Array(odds.length);
  for (let p = 0; p < odds.length; p++) {
    if (p % PAIRS_PER_STEP === 0) yield { phase: "scoring pairs", done: p, total: odds.length };
    corrected[p] = odds[p]! + sumOver({ levels }, p, corrections);
  }
  return { weights: weights.map((each, q) => each + corrections[q]!), odds: corrected };
}
