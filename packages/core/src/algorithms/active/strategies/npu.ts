/**
 * Normalised point-based uncertainty (NPU). It asks about the row whose cluster is most uncertain, relative to the expected number of
 * questions that finding its cluster takes.
 *
 * Xiong, Azimi, Fern: Active Learning of Constraints for Semi-Supervised Clustering. IEEE TKDE 26(1), 2014.
 *
 * A neighbourhood is a group of rows that are known to belong together. A row belongs to a neighbourhood with a probability proportional to
 * its mean similarity to the neighbourhood's rows. The next row has the largest entropy / expected number of questions, and is compared
 * with its most likely neighbourhood first.
 *
 * Departs from the paper: The paper learns similarities from a random forest, anew after every placement. Here they come from the
 * distances, exp(-d² / (s_i s_j)) with a local scale s per row, so a placement only changes the sums of one neighbourhood. With a single
 * neighbourhood all entropies are 0; then the least similar row is placed. A row that must be apart from all but one of k neighbourhoods is
 * placed there without a question. A row with an "unsure" answer is skipped.
 */

import * as z from "zod/mini";
import { exp, log } from "../../../linalg/elementary.js";
import type { PairAnswer, Steps } from "../../../steps/index.js";
import { rowDistance } from "../../distance.js";
import { distancesOf } from "../../distance-between.js";
import type { Context, Outcome } from "../../method.js";
import { scaleSteps } from "../../neighbours/neighbour-graph.js";
import { constrainedOutcome } from "../constrained-outcome.js";
import { Neighbourhoods, nearestMember } from "../neighbours/neighbourhoods.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";

export const npuOptions = z.strictObject({
  distance: rowDistance,
});

type Options = z.output<typeof npuOptions>;
type Measure = (i: number, j: number) => number;

export function* startNpu(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  const { n } = input.points;
  const { between } = distancesOf(input.points, options.distance);
  const scales = yield* scaleSteps(n, between);
  const similarity: Measure = (i, j) => exp(-(between(i, j) * between(i, j)) / (scales[i]! * scales[j]!));
  return new PairSession(setting, yield* npu(setting, between, similarity, context));
}

function* npu(setting: QuestionerSetting, between: Measure, similarity: Measure, context: Context): Steps<Questioner> {
  const { knowledge, journal, points } = setting;
  const k = setting.k!;
  const neighbourhoods = new Neighbourhoods(knowledge, journal);
  if (neighbourhoods.count === 0) neighbourhoods.add(context.random.split("first row").int(points.n));
  const sums = new SimilaritySums(setting, similarity);
  const classes = neighbourhoods.rows().map((row) => knowledge.members(row));
  const total = classes.reduce((sum, members) => sum + members.length, 0);
  let done = 0;
  for (const [c, members] of classes.entries()) {
    for (const member of members) {
      sums.start(c, member);
      yield { phase: "rows in known groups", done: ++done, total };
    }
  }
  /** One number: the row whose neighbourhood is being asked about, -1 for none. */
  const state = Int32Array.of(-1);

  const assign = (row: number): void => {
    neighbourhoods.addIfApart(row);
    const c = neighbourhoods.rows().findIndex((other) => knowledge.component(other) === knowledge.component(row));
    if (c >= 0) sums.add(c, knowledge.members(row));
    journal.set(state, 0, -1);
  };

  return {
    propose() {
      for (;;) {
        if (state[0] === -1) {
          const row = leastCertain(setting, neighbourhoods, sums, k);
          if (row < 0) return null;
          journal.set(state, 0, row);
        }
        const row = state[0]!;
        const rows = neighbourhoods.rows();
        const open = neighbourhoods.toAsk(row, k).map((other) => ({ other, mean: sums.mean(rows.indexOf(other), row) }));
        open.sort((a, b) => b.mean - a.mean);
        if (open[0]) return [row, nearestMember(knowledge, row, open[0].other, between).member];
        assign(row);
      }
    },
    observe(answer: PairAnswer) {
      if (answer === "same") assign(state[0]!);
      if (answer === "unsure") journal.set(state, 0, -1);
    },
    outcome: (): Steps<Outcome> => constrainedOutcome(points, knowledge.constraints(), k, context),
  };
}

/** For each neighbourhood: the sum of the similarities of each row to the neighbourhood's rows, and the number of these rows. */
class SimilaritySums {
  readonly #columns: Float64Array[] = [];
  readonly #counts: number[] = [];
  readonly #counted: Uint8Array;
  readonly #setting: QuestionerSetting;
  readonly #similarity: Measure;

  constructor(setting: QuestionerSetting, similarity: Measure) {
    this.#setting = setting;
    this.#similarity = similarity;
    this.#counted = new Uint8Array(setting.points.n);
  }

  /** Adds a row of neighbourhood c to the sums before the first question, without the journal, so that undo never reverts it. */
  start(c: number, member: number): void {
    this.#columns[c] ??= new Float64Array(this.#setting.points.n);
    this.#counts[c] = (this.#counts[c] ?? 0) + 1;
    this.#counted[member] = 1;
    this.#sum(this.#columns[c], member);
  }

  #sum(column: Float64Array, member: number): void {
    for (let i = 0; i < column.length; i++) column[i]! += this.#similarity(i, member);
  }

  /** Adds the given rows of neighbourhood c to the sums, except rows that were added before. */
  add(c: number, rows: readonly number[]): void {
    const { journal, points } = this.#setting;
    const before = { column: this.#columns[c], count: this.#counts[c] ?? 0 };
    const column = before.column?.slice() ?? new Float64Array(points.n);
    const members = rows.filter((row) => this.#counted[row] === 0);
    for (const member of members) journal.set(this.#counted, member, 1);
    for (const member of members) this.#sum(column, member);
    this.#columns[c] = column;
    this.#counts[c] = before.count + members.length;
    journal.did(() => {
      if (before.column) this.#columns[c] = before.column;
      else this.#columns.pop();
      this.#counts[c] = before.count;
    });
  }

  mean(c: number, row: number): number {
    return this.#columns[c]![row]! / this.#counts[c]!;
  }
}

/** The row with the largest entropy / expected number of questions, the lowest on ties; -1 if no row is left to ask about. */
function leastCertain(
  { knowledge, points }: QuestionerSetting,
  neighbourhoods: Neighbourhoods,
  sums: SimilaritySums,
  k: number,
): number {
  const rows = neighbourhoods.rows();
  const classAt = new Map(rows.map((row, c) => [knowledge.component(row), c]));
  let best = -1;
  let most = -Infinity;
  for (let row = 0; row < points.n; row++) {
    if (classAt.has(knowledge.component(row)) || knowledge.hasDoubts(row)) continue;
    const touched = k === 1 || knowledge.isSeparated(row);
    if (touched && neighbourhoods.isLeftWithOne(row, k)) continue;
    const possible = touched ? neighbourhoods.possible(row).map((other) => rows.indexOf(other)) : [...rows.keys()];
    const means = possible.map((c) => sums.mean(c, row));
    const value = rows.length === 1 ? -(means[0] ?? 0) : uncertaintyPerQuestion(means);
    if (value > most) {
      most = value;
      best = row;
    }
  }
  return best;
}

/**
 * Uncertainty about the neighbourhood of a row: the entropy of its probabilities, divided by the expected number of questions if
 * neighbourhoods are asked about in order of probability. `similarities`: the mean similarity of the row to each possible neighbourhood.
 */
export function uncertaintyPerQuestion(similarities: readonly number[]): number {
  const total = similarities.reduce((sum, value) => sum + value, 0);
  const even = 1 / similarities.length;
  const chances = similarities.map((value) => (total > 0 ? value / total : even)).sort((a, b) => b - a);
  let entropy = 0;
  let questions = 0;
  chances.forEach((chance, place) => {
    if (chance > 0) entropy -= chance * log(chance);
    questions += (place + 1) * chance;
  });
  return questions > 0 ? entropy / questions : 0;
}
