/**
 * Duplicates: finds rows that describe the same thing, such as a person or a product. The number of things need not be known.
 *
 * The method has four parts, each usable alone:
 * - candidate pairs from an index of rare keys (`blocking.ts`)
 * - levels of likeness in each column (`comparison.ts`)
 * - the probability that a pair is a match (`match-model.ts`)
 * - clusters from scored pairs (`correlation.ts`)
 *
 * If the points come with scored pairs, only the last part runs.
 *
 * The clusters satisfy all must-links, cannot-links, labels and exclusive groups. This is always possible, because the number of clusters
 * is free. Only contradictory must-links and cannot-links are impossible, and they are refused.
 */
import * as z from "zod/mini";
import { type Closure, closeConstraints, refuseContradictions } from "../../constraints/index.js";
import { badInput, badOption } from "../../errors.js";
import { exp, log } from "../../linalg/elementary.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Clustering, LevelWeights, MatchCounts, MatchEvidence, Matches, Outcome } from "../../model/result.js";
import { counted } from "../../model/wording.js";
import { option, whole } from "../../options.js";
import type { Steps } from "../../steps/index.js";
import { defineMethod } from "../define-method.js";
import type { Context, Input } from "../method.js";
import { candidatePairs, type RowPairs } from "./blocking.js";
import { compareSteps, LEVELS, randomLevelsSteps } from "./comparison.js";
import { correlationSteps, type WeightedPairs } from "./correlation.js";
import { type ComparedPairs, type MatchFit, matchFitSteps, withConstraintsSteps } from "./match-model.js";
import { recordColumnsSteps } from "./records.js";

const probability = () => z.number().check(z.positive(), z.lt(1));

export const duplicatesOptions = z.strictObject({
  threshold: option(
    z._default(probability(), 0.5),
    "smallest probability at which two rows count as a match; a higher threshold finds fewer and surer duplicates",
  ),
  candidates: option(z._default(whole(1), 20), "number of most similar rows that each row is compared with"),
  unscored: option(
    z._default(probability(), 0.25),
    "assumed probability of a match for two rows that are not compared or have no score; at most the threshold",
  ),
});

export type DuplicatesOptions = z.output<typeof duplicatesOptions>;

function* duplicatesSteps(input: Input, options: DuplicatesOptions, context: Context): Steps<Outcome> {
  const closure = closeConstraints(input.constraints);
  refuseContradictions(closure, input.points.ids);
  return yield* duplicatesUnder(yield* comparedRowsSteps(input, options, context), closure, options);
}

/** Candidate pairs and their comparison. They do not depend on later answers, so a dialogue computes them once. */
export interface ComparedRows {
  readonly pairs: RowPairs;
  /** The compared cells, and the model under the first constraints. Null if the points came with scored pairs. */
  readonly cells: ComparedCells | null;
  /** The probabilities of scored pairs that came with the points, else null. */
  readonly given: Float64Array | null;
}

interface ComparedCells {
  readonly pairs: ComparedPairs;
  /** `randomLevels`: share of each level of likeness among random pairs. `all`: number of all pairs of rows. */
  readonly randomLevels: Float64Array;
  readonly all: number;
  readonly fit: MatchFit;
  /** The constraints when the model was fitted, for each pair: 1 together, -1 apart, 0 undecided. */
  readonly known: Int8Array;
}

/** Finds and compares the candidate pairs, and fits the model under the given constraints. */
export function* comparedRowsSteps(
  { points, constraints }: Input,
  { candidates }: DuplicatesOptions,
  { random }: Context,
): Steps<ComparedRows> {
  if (points.pairs) return { pairs: points.pairs, cells: null, given: points.pairs.probability };
  const columns = yield* recordColumnsSteps(points);
  if (columns.length === 0)
    throw badInput("Duplicates are found by comparing cells, and no column has two different values.", {
      ...(points.file === undefined ? {} : { file: points.file }),
      remedy: "Name columns to compare (--features), or give scored pairs (--pairs FILE).",
    });
  const found = yield* candidatePairs(columns, points.n, candidates, canMatch(constraints));
  const pairs = { ...found, columns, levels: yield* compareSteps(columns, found) };
  const randomLevels = yield* randomLevelsSteps(columns, points.n, random.split("random pairs"));
  const all = (points.n * (points.n - 1)) / 2;
  const known = yield* knownSteps(pairs, closeConstraints(constraints));
  const fit = yield* matchFitSteps(pairs, known, randomLevels, all);
  return { pairs, cells: { pairs, randomLevels, all, fit, known }, given: null };
}

/** The log odds of each pair under the constraints in `closure`. EM does not run again; only the weights of levels are corrected. */
export function* oddsUnderSteps({ cells, given }: ComparedRows, closure: Closure): Steps<Float64Array> {
  if (!cells) return Float64Array.from(given!, logOdds);
  return (yield* withConstraintsSteps(cells.pairs, cells.fit, yield* knownSteps(cells.pairs, closure))).odds;
}

/** Clusters the rows under the constraints in `closure`. If the constraints changed for any pair since the first fit, EM runs again. */
export function* duplicatesUnder(
  { pairs, cells, given }: ComparedRows,
  closure: Closure,
  options: DuplicatesOptions,
): Steps<Outcome> {
  const { a, b } = pairs;
  if (!cells) {
    const odds = Float64Array.from(given!, logOdds);
    return { ...(yield* clustersOfPairs({ a, b, odds }, closure, options)), matches: { a, b, probability: given! } };
  }
  const known = yield* knownSteps(pairs, closure);
  const isSame = known.every((each, p) => each === cells.known[p]);
  const fit = isSame ? cells.fit : yield* matchFitSteps(cells.pairs, known, cells.randomLevels, cells.all);
  const { odds, weights } = yield* withConstraintsSteps(cells.pairs, fit, known);
  const { columns, levels } = cells.pairs;
  const matches: Matches = {
    a,
    b,
    probability: odds.map((each) => 1 / (1 + exp(-each))),
    evidence: { columns: columns.map(({ name }) => name), levelNames: LEVELS, levels, weights },
  };
  const clusters = yield* clustersOfPairs({ a, b, odds }, closure, options);
  return { ...clusters, notices: [...unsuited(cells.pairs), ...clusters.notices], matches };
}

/** Returns a notice if the table is unsuitable: there are only measurements, or no rows share a word, code or date. */
function unsuited({ a, columns }: ComparedPairs): string[] {
  const isMeasured = columns.every(({ kind }) => kind === "number");
  if (a.length > 0 && !isMeasured) return [];
  const why = isMeasured
    ? "All columns hold measurements"
    : "No two rows share a word, a code or a date, so no pair was compared";
  return [`${why}. Duplicates are found in tables of names, texts and codes; for measurements take another method.`];
}

/** Returns a function that says whether two rows can match. Rows of one exclusive group cannot match. */
function canMatch({ exclusive }: ConstraintSet): (i: number, j: number) => boolean {
  const groups = exclusive.map(({ codes }) => codes);
  return (i, j) => groups.every((codes) => codes[i]! < 0 || codes[i] !== codes[j]);
}

const PAIRS_PER_STEP = 65_536;

/** For each pair: 1 if constraints put its rows together, -1 if they keep its rows apart, 0 if neither. */
function* knownSteps({ a, b }: RowPairs, { component, apart }: Closure): Steps<Int8Array> {
  const known = new Int8Array(a.length);
  for (let p = 0; p < a.length; p++) {
    if (p % PAIRS_PER_STEP === 0) yield { phase: "looking up constraints", done: p, total: a.length };
    const [u, v] = [component[a[p]!]!, component[b[p]!]!];
    known[p] = u === v ? 1 : apart(u, v) ? -1 : 0;
  }
  return known;
}

/** Maximum absolute log odds of a pair. A given probability of 0 or 1 is therefore not certain. */
const MOST_ODDS = 30;

function logOdds(chance: number): number {
  return Math.max(-MOST_ODDS, Math.min(MOST_ODDS, log(chance) - log(1 - chance)));
}

/** Clusters rows by the log odds of pairs. Pairs with at least the probability `threshold` are matches. */
export function* clustersOfPairs(
  { a, b, odds }: Pick<WeightedPairs, "a" | "b"> & { readonly odds: Float64Array },
  closure: Closure,
  { threshold, unscored }: Pick<DuplicatesOptions, "threshold" | "unscored">,
): Steps<Outcome & { readonly objective: number }> {
  if (unscored > threshold) throw badOption("unscored", unscored, `at most the threshold, ${threshold}`);
  const zero = logOdds(threshold);
  const pairs = { a, b, weight: odds.map((each) => Math.max(-MOST_ODDS, Math.min(MOST_ODDS, each)) - zero) };
  const { labels, objective, unproven } = yield* correlationSteps(pairs, closure, logOdds(unscored) - zero);
  return { labels, objective, notices: unproven.sets === 0 ? [] : [unprovenNotice(unproven)] };
}

function unprovenNotice({ sets, rows }: { readonly sets: number; readonly rows: number }): string {
  return `The clusters of ${counted(rows, "row")} in ${counted(sets, "large set")} of similar rows were found by a search that does not prove them the best.`;
}

/** Estimated seconds per table cell, measured on records of people. */
const OF_A_CELL = 2e-5;
const OF_A_PAIR = 1e-5;

/** Finds rows that describe the same thing. */
export const duplicates = /* @__PURE__ */ defineMethod({
  name: "duplicates",
  title: "Duplicates",
  summary: "finds rows that describe the same thing, such as a person in several lists, and how many things there are",
  paper: "Fellegi, Sunter: A Theory for Record Linkage. 1969; Bansal, Blum, Chawla: Correlation Clustering. 2004",
  family: "pairs",
  treats: { mustLink: "hard", cannotLink: "hard", relative: "ignored", labels: "hard", exclusive: "hard" },
  example: "duplicates(points, known, { threshold: 0.9 }).matches;",
  seconds: ({ points: { n, d, pairs } }) => (pairs ? OF_A_PAIR * pairs.a.length : OF_A_CELL * n * d),
  options: duplicatesOptions,
  steps: duplicatesSteps,
});

/* What a run found, for people: why pairs match, the weights of columns, groups and doubtful pairs. */

/** Explains in words why a pair is or is not a match: the level of likeness of each column with its weight, the largest weight first. */
export function whyMatched({ columns, levelNames, levels, weights }: MatchEvidence, pair: number): string {
  const parts = columns.map((column, c) => {
    const level = levels[pair * columns.length + c]!;
    const weight = level === 0 ? 0 : weights[c * levelNames.length + level - 1]!;
    return { text: level === 0 ? `${column} missing` : `${column} ${levelNames[level - 1]} (${signed(weight)})`, weight };
  });
  parts.sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
  return parts.map(({ text }) => text).join(", ");
}

/** For each column, the weight of each level of likeness that occurs among the pairs; null for levels that do not occur. */
export function levelWeights({ columns, levelNames, levels, weights }: MatchEvidence): LevelWeights[] {
  const seen = new Uint8Array(weights.length);
  for (let q = 0; q < levels.length; q++) if (levels[q]! > 0) seen[(q % columns.length) * levelNames.length + levels[q]! - 1] = 1;
  return columns.map((column, c) => ({
    column,
    levels: Object.fromEntries(
      levelNames.map((name, l) => {
        const at = c * levelNames.length + l;
        return [name, seen[at] === 1 ? Number(weights[at]!.toFixed(4)) : null];
      }),
    ),
  }));
}

/** A weight with its sign and one decimal: "+2.5", "-0.7". */
export function signed(weight: number): string {
  return `${weight < 0 ? "-" : "+"}${Math.abs(weight).toFixed(1)}`;
}

/** A pair is doubtful if its probability of a match is within these bounds. */
const DOUBT = [0.1, 0.9] as const;

export function matchCounts({ probability }: Pick<Matches, "probability">, sizes: readonly number[]): MatchCounts {
  const groups = sizes.filter((size) => size > 1);
  return {
    groups: groups.length,
    rows: groups.reduce((sum, size) => sum + size, 0),
    doubtful: probability.reduce((count, chance) => count + (chance >= DOUBT[0] && chance <= DOUBT[1] ? 1 : 0), 0),
  };
}

/** The share of true pairs (two rows of the same known class) that are among the compared pairs; null if there are no true pairs. */
export function comparedShare({ a, b }: Pick<Matches, "a" | "b">, classes: Int32Array): number | null {
  const sizes = new Map<number, number>();
  for (const code of classes) if (code >= 0) sizes.set(code, (sizes.get(code) ?? 0) + 1);
  let [all, compared] = [0, 0];
  for (const size of sizes.values()) all += (size * (size - 1)) / 2;
  for (let p = 0; p < a.length; p++) if (classes[a[p]!]! >= 0 && classes[a[p]!] === classes[b[p]!]) compared++;
  return all === 0 ? null : compared / all;
}

export interface MatchGroup {
  readonly cluster: number;
  readonly rows: readonly number[];
  /**
   * How well the least certain row fits: for each row, the largest probability of a pair with another row of the group (0 if none); the
   * support is the smallest of these numbers.
   */
  readonly support: number;
}

/** The clusters with two or more rows, as groups of duplicates; the group with the least support comes first. */
export function matchGroups(
  { a, b, probability }: Matches,
  { labels, sizes }: Pick<Clustering, "labels" | "sizes">,
): MatchGroup[] {
  const best = new Float64Array(labels.length);
  for (let p = 0; p < a.length; p++) {
    const [i, j] = [a[p]!, b[p]!];
    if (labels[i] !== labels[j]) continue;
    best[i] = Math.max(best[i]!, probability[p]!);
    best[j] = Math.max(best[j]!, probability[p]!);
  }
  const rows = sizes.map((): number[] => []);
  labels.forEach((cluster, i) => {
    if (cluster >= 0) rows[cluster]!.push(i);
  });
  const groups = rows.flatMap((own, cluster) =>
    own.length < 2 ? [] : [{ cluster, rows: own, support: own.reduce((least, i) => Math.min(least, best[i]!), 1) }],
  );
  return groups.sort((one, other) => one.support - other.support || one.cluster - other.cluster);
}

/** The pairs of rows in different clusters that are most likely matches, at most `most`, as indices of pairs. */
export function nearMisses({ a, b, probability }: Matches, labels: Int32Array, most: number): number[] {
  const apart = [...probability.keys()].filter((p) => labels[a[p]!] !== labels[b[p]!]);
  return apart.sort((p, q) => probability[q]! - probability[p]! || p - q).slice(0, most);
}
