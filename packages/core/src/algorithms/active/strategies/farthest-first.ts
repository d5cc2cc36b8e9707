/**
 * Farthest-first questions, in two strategies: explore-consolidate and min-max.
 *
 * Basu, Banerjee, Mooney: Active Semi-Supervision for Pairwise Constrained Clustering. SDM 2004. Mallapragada, Jin, Jain: Active Query
 * Selection for Semi-supervised Clustering. ICPR 2008 (min-max).
 *
 * A neighbourhood is a group of rows that are known to belong together. Explore: rows far from all earlier rows are compared with the
 * neighbourhoods found so far, until k neighbourhoods are known to be apart. Consolidate: each further row is compared with the
 * neighbourhoods, the nearest first, until its neighbourhood is found. Basu et al. take these rows in random order. Min-max takes the row
 * whose most similar placed row is least similar; any similarity that falls with the distance gives this order, so no kernel is needed.
 *
 * Departs from the papers: Neighbourhoods are ordered by their mean distance to the row, because a centroid cannot be computed from
 * distances alone. Min-max orders them by the distance of their nearest member. Questions show the member nearest to the row. A row that
 * must be apart from all but one of k neighbourhoods is placed there without a question. A row with an "unsure" answer is skipped.
 */

import * as z from "zod/mini";
import { upTo } from "../../../linalg/indices.js";
import type { PairAnswer, Steps } from "../../../steps/index.js";
import { rowDistance } from "../../distance.js";
import { distancesOf } from "../../distance-between.js";
import type { Context, Outcome } from "../../method.js";
import { constrainedOutcome } from "../constrained-outcome.js";
import { leastBy, meanDistance, Neighbourhoods, nearestMember } from "../neighbours/neighbourhoods.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";

export const farthestFirstOptions = z.strictObject({
  distance: rowDistance,
});

type Options = z.output<typeof farthestFirstOptions>;

export const startExploreConsolidate = startFarthestFirst("random");
export const startMinMax = startFarthestFirst("farthest");

/** How the next row is chosen once k neighbourhoods are known. */
type Consolidating = "random" | "farthest";

function startFarthestFirst(consolidating: Consolidating) {
  return function* (input: StrategyInput, options: Options, context: Context): Steps<Session> {
    const setting = settingOf(input);
    return new PairSession(setting, yield* questioner(setting, options, context, consolidating));
  };
}

function* questioner(
  setting: QuestionerSetting,
  options: Options,
  context: Context,
  consolidating: Consolidating,
): Steps<Questioner> {
  const { knowledge, journal, points } = setting;
  const k = setting.k!;
  const { between } = distancesOf(points, options.distance);
  const neighbourhoods = new Neighbourhoods(knowledge, journal);
  const traversal = farthestFirst(setting, between, context.random.split("first row").int(points.n));
  const met = neighbourhoods.rows().flatMap((row) => knowledge.members(row));
  for (const [done, member] of met.entries()) {
    traversal.start(member);
    yield { phase: "rows in known groups", done: done + 1, total: met.length };
  }
  const order = upTo(points.n);
  context.random.split("consolidate").shuffle(order);
  /** Two numbers: the row whose neighbourhood is being asked about (-1: none), and the next index in the random order of rows. */
  const state = Int32Array.of(-1, 0);

  const nextRow = (): number => {
    if (neighbourhoods.count < k || consolidating === "farthest") return traversal.farthest();
    let place = state[1]!;
    while (place < order.length && neighbourhoods.hold(order[place]!)) place++;
    journal.set(state, 1, place + 1);
    return order[place] ?? -1;
  };
  const farness = (row: number, other: number): number =>
    consolidating === "random"
      ? meanDistance(knowledge, row, other, between)
      : nearestMember(knowledge, row, other, between).distance;

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
        const nearest = leastBy(neighbourhoods.toAsk(row, k), (other) => farness(row, other));
        if (nearest !== undefined) return [row, nearestMember(knowledge, row, nearest, between).member];
        neighbourhoods.addIfApart(row);
        journal.set(state, 0, -1);
      }
    },
    observe(answer: PairAnswer) {
      if (answer === "unsure") journal.set(state, 0, -1);
    },
    outcome: (): Steps<Outcome> => constrainedOutcome(points, knowledge.constraints(), k, context),
  };
}

/** A farthest-first traversal: `farthest` returns the row whose distance to its nearest visited row is largest, the lowest row on ties. */
function farthestFirst(
  { points: { n }, journal }: Pick<QuestionerSetting, "points" | "journal">,
  between: (i: number, j: number) => number,
  first: number,
): {
  /** Marks a row as visited before the first question, without the journal, so that undo never reverts it. */
  readonly start: (row: number) => void;
  readonly pass: (row: number) => void;
  readonly farthest: () => number;
} {
  const nearest = new Float64Array(n).fill(Infinity);
  const passed = Int32Array.of(0);
  const meet = (row: number): void => {
    for (let i = 0; i < n; i++) nearest[i] = Math.min(nearest[i]!, between(row, i));
    nearest[row] = -1;
  };
  return {
    start(row) {
      meet(row);
      passed[0]!++;
    },
    pass(row) {
      const before = nearest.slice();
      meet(row);
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
