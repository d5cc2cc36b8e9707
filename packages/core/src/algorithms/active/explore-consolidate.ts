/**
 * Farthest-first questions.
 *
 * Basu, Banerjee, Mooney: Active Semi-Supervision for Pairwise Constrained Clustering. SDM 2004.
 *
 * Explore: rows far from all rows seen so far are compared with the neighbourhoods found, until k are known to be apart.
 * Consolidate: rows in random order are placed in their neighbourhoods, the nearest asked about first.
 *
 * Departs from the paper: neighbourhoods are ordered by their mean distance to the row instead of that of the centroid, which
 * needs distances only, and asked about by the member nearest to the row. A row somebody is unsure about is left alone.
 */
import { z } from "zod";
import type { PairAnswer, Steps } from "../../steps/index.js";
import { METRICS } from "../distance.js";
import type { Context, Outcome } from "../method.js";
import { distancesOf } from "./distances.js";
import { keptOutcome } from "./kept-outcome.js";
import { leastBy, meanDistance, Neighbourhoods, nearestMember } from "./neighbourhoods.js";
import { PairSession, settingOf } from "./session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "./strategy.js";

export const exploreConsolidateOptions = z.strictObject({
  distance: z.enum(METRICS).optional().meta({ description: "distance between rows (default: what fits the columns)" }),
});

type Options = z.output<typeof exploreConsolidateOptions>;

// biome-ignore lint/correctness/useYield: opening takes no time worth showing.
export function* startExploreConsolidate(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  return new PairSession(setting, exploreConsolidate(setting, options, context));
}

function exploreConsolidate(setting: QuestionerSetting, options: Options, context: Context): Questioner {
  const { knowledge, journal, points } = setting;
  const k = setting.k!;
  const { between } = distancesOf(points, options.distance);
  const neighbourhoods = new Neighbourhoods(knowledge, journal);
  const traversal = farthestFirst(setting, between, context.random.split("first row").int(points.n));
  for (const row of neighbourhoods.rows()) traversal.pass(row);
  const order = Int32Array.from({ length: points.n }, (_, row) => row);
  context.random.split("consolidate").shuffle(order);
  /** The row being placed, -1 for none; and how far the random order has been used. */
  const state = Int32Array.of(-1, 0);

  const nextRow = (): number => {
    if (neighbourhoods.count < k) return traversal.farthest();
    let place = state[1]!;
    while (place < order.length && neighbourhoods.hold(order[place]!)) place++;
    journal.set(state, 1, place + 1);
    return order[place] ?? -1;
  };
  /** A row that is apart from all neighbourhoods is a new one; one that is in the last of k by exclusion needs no question. */
  const settle = (row: number): void => {
    const rows = neighbourhoods.rows();
    if (rows.every((other) => knowledge.relation(row, other) === "different")) neighbourhoods.add(row);
    journal.set(state, 0, -1);
  };
  const open = (row: number): number[] => {
    const byExclusion = neighbourhoods.count >= k && neighbourhoods.possible(row).length === 1;
    return byExclusion ? [] : neighbourhoods.open(row);
  };

  return {
    propose() {
      for (;;) {
        if (state[0] === -1) {
          const row = nextRow();
          if (row < 0) return null;
          traversal.pass(row);
          journal.set(state, 0, row);
        }
        const row = state[0]!;
        const nearest = leastBy(open(row), (other) => meanDistance(knowledge, row, other, between));
        if (nearest !== undefined) return [row, nearestMember(knowledge, row, nearest, between).member];
        settle(row);
      }
    },
    heard(answer: PairAnswer) {
      if (answer === "unsure") journal.set(state, 0, -1);
    },
    outcome: (): Outcome => keptOutcome(points, knowledge.constraints(), k, context),
  };
}

/** Rows in the order of a farthest-first walk: each time the one whose nearest passed row is farthest, the lowest on ties. */
export function farthestFirst(
  { points: { n }, journal }: Pick<QuestionerSetting, "points" | "journal">,
  between: (i: number, j: number) => number,
  first: number,
): { readonly pass: (row: number) => void; readonly farthest: () => number } {
  const nearest = new Float64Array(n).fill(Infinity);
  const passed = Int32Array.of(0);
  return {
    pass(row) {
      const before = nearest.slice();
      for (let i = 0; i < n; i++) nearest[i] = Math.min(nearest[i]!, between(row, i));
      nearest[row] = -1;
      journal.did(() => nearest.set(before));
      journal.set(passed, 0, passed[0]! + 1);
    },
    farthest() {
      if (passed[0] === 0) return first;
      let best = 0;
      for (let i = 1; i < n; i++) if (nearest[i]! > nearest[best]!) best = i;
      return nearest[best]! < 0 ? -1 : best;
    },
  };
}
