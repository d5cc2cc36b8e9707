/**
 * The default strategy, our own: asks the questions whose answers decide the classes of the most rows.
 *
 * The classes of known rows spread over a graph of nearest neighbours (label propagation). A row has the uncertainty u = 1 - largest mass /
 * (total mass + PRIOR). It is high if classes compete, or if the row is far from all known rows; PRIOR is the mass of a class not met yet.
 * The next question is about the row that maximises u · (u + Σ weight · u of the neighbours) · size of its component: an uncertain row with
 * uncertain neighbours, whose classes depend on its class.
 *
 * The row is then compared with the classes, the most likely class first. The question shows the class's member nearest to the row. A row
 * that differs from all classes starts a new class, so the number of clusters need not be known. If k is given, the last possible class
 * needs no question. If fewer than k classes are known when the rows are clustered, the rows that would be asked about next represent the
 * missing classes.
 *
 * How it compares with COBRAS (super-instances refined by questions, also without k): docs/decisions/0004-questions.md.
 */

import * as z from "zod/mini";
import { option, whole } from "../../../options.js";
import type { PairAnswer, Steps } from "../../../steps/index.js";
import { rowDistance } from "../../distance.js";
import { distancesOf } from "../../distance-between.js";
import type { Context, Outcome } from "../../method.js";
import { type NeighbourGraph, neighbourGraphSteps } from "../../neighbours/neighbour-graph.js";
import { constrainedOutcome } from "../constrained-outcome.js";
import { Neighbourhoods, nearestMember } from "../neighbours/neighbourhoods.js";
import { placedLabels } from "../neighbours/placed-labels.js";
import { propagateLabels } from "../neighbours/propagate-labels.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";

export const spreadingOptions = z.strictObject({
  neighbours: option(z._default(whole(1), 10), "number of nearest rows that each row is connected to"),
  distance: rowDistance,
});

type Options = z.output<typeof spreadingOptions>;

/**
 * The mass of a class that no known row belongs to yet. It is added to the total mass at every row, so that rows far from all known rows
 * are uncertain.
 */
const PRIOR = 0.1;

export function* startSpreading(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  const { between, notices } = distancesOf(input.points, options.distance);
  const graph = yield* neighbourGraphSteps(input.points.n, options.neighbours, between);
  return new PairSession(setting, spreading(setting, graph, between, { ...context, notices }));
}

interface Propagated {
  /** Class of each row, -1 if unknown. */
  readonly known: Int32Array;
  readonly mass: Float64Array;
  readonly classes: number;
}

function spreading(
  setting: QuestionerSetting,
  graph: NeighbourGraph,
  between: (i: number, j: number) => number,
  context: Context & { readonly notices: readonly string[] },
): Questioner {
  const { points, knowledge, journal, k = Infinity } = setting;
  const neighbourhoods = new Neighbourhoods(knowledge, journal);
  if (neighbourhoods.count === 0) neighbourhoods.add(mostOf(graph.degree));
  /**
   * Two numbers: the row whose class is being asked about (-1: none), and a version number that changes whenever the known classes change.
   */
  const state = Int32Array.of(-1, 0);
  let states = 0;
  const place = perState(state, (): Propagated => {
    const known = knownClasses(setting, neighbourhoods);
    const classes = neighbourhoods.count;
    return { known, classes, mass: propagateLabels(graph, known, classes) };
  });
  const met = perState(state, () => withMissingClasses(graph, place(), neighbourhoods.rows(), setting.k ?? 0));

  const nextRow = (): number => {
    const { known, mass, classes } = place();
    return mostInformative(
      graph,
      uncertainties(mass, classes, known),
      (row) => knowledge.size(row),
      (row) => knowledge.hasDoubts(row),
    );
  };

  return {
    propose() {
      for (;;) {
        if (state[0] === -1) journal.set(state, 0, nextRow());
        const row = state[0]!;
        if (row === -1) return null;
        const member = likeliestMember(row, place(), neighbourhoods, setting, between);
        if (member !== undefined) return [row, member];
        neighbourhoods.addIfApart(row);
        journal.set(state, 0, -1);
        journal.set(state, 1, ++states);
      }
    },
    observe(answer: PairAnswer) {
      // After "different" the row has no class yet. The masses only change when it gets a class, so nothing is computed.
      if (answer === "different") return;
      journal.set(state, 0, -1);
      if (answer === "same") journal.set(state, 1, ++states);
    },
    *outcome(): Steps<Outcome> {
      const { rows, mass } = met();
      const labels = placedLabels(knowledge, rows, mass, { most: k, between });
      if (labels) return { labels, notices: context.notices };
      return yield* constrainedOutcome(points, knowledge.constraints(), setting.k!, context);
    },
  };
}

/**
 * The row to show beside `row` in a question: the nearest member of its most likely class; undefined if no class is left to compare with.
 */
function likeliestMember(
  row: number,
  { mass, classes }: Propagated,
  neighbourhoods: Neighbourhoods,
  { knowledge, k = Infinity }: QuestionerSetting,
  between: (i: number, j: number) => number,
): number | undefined {
  const rows = neighbourhoods.rows();
  const candidates = neighbourhoods.toAsk(row, k).map((other) => ({
    ...nearestMember(knowledge, row, other, between),
    mass: mass[row * classes + rows.indexOf(other)]!,
  }));
  candidates.sort((a, b) => b.mass - a.mass || a.distance - b.distance || a.member - b.member);
  return candidates[0]?.member;
}

/** Caches a value until the known classes change. */
function perState<T>(state: Int32Array, compute: () => T): () => T {
  let last: { readonly at: number; readonly value: T } | undefined;
  return () => {
    if (last?.at !== state[1]) last = { at: state[1]!, value: compute() };
    return last!.value;
  };
}

/** One row of each class, and the mass of each class at each row (n × classes). */
interface Represented {
  readonly rows: readonly number[];
  readonly mass: Float64Array;
}

/**
 * Adds a row for each class that no answer has shown yet, until there are k classes: the rows that would be asked about next. Each becomes
 * the only known row of a new class, and the masses are computed again.
 */
function withMissingClasses(graph: NeighbourGraph, found: Propagated, met: readonly number[], k: number): Represented {
  const rows = [...met];
  const known = found.known.slice();
  let { mass } = found;
  while (rows.length < k) {
    const row = mostInformative(
      graph,
      uncertainties(mass, rows.length, known),
      () => 1,
      () => false,
    );
    if (row < 0) break;
    known[row] = rows.length;
    rows.push(row);
    mass = propagateLabels(graph, known, rows.length);
  }
  return { rows, mass };
}

/** The class of each row: a known class, or the only one of k classes that is still possible; -1 if the class is open. */
function knownClasses({ points: { n }, knowledge, k = Infinity }: QuestionerSetting, neighbourhoods: Neighbourhoods): Int32Array {
  const known = new Int32Array(n).fill(-1);
  const rows = neighbourhoods.rows();
  const classAt = new Map(rows.map((row, c) => [knowledge.component(row), c]));
  for (let row = 0; row < n; row++) {
    const component = knowledge.component(row);
    const c = classAt.get(component);
    if (c !== undefined) known[row] = c;
    else if ((k === 1 || knowledge.isSeparated(component)) && neighbourhoods.isLeftWithOne(row, k)) {
      known[row] = rows.indexOf(neighbourhoods.possible(row)[0]!);
    }
  }
  return known;
}

/** The uncertainty of each row, 1 - largest mass / (total mass + PRIOR); -1 if the row's class is known. */
function uncertainties(mass: Float64Array, classes: number, known: Int32Array): Float64Array {
  return Float64Array.from(known, (c, i) => {
    if (c >= 0) return -1;
    let most = 0;
    let total = PRIOR;
    for (let p = i * classes; p < (i + 1) * classes; p++) {
      total += mass[p]!;
      if (mass[p]! > most) most = mass[p]!;
    }
    return 1 - most / total;
  });
}

/**
 * The row whose class decides the classes of the most other rows, the lowest row on ties; -1 if all rows are known or skipped. `size`:
 * number of rows in the row's component. `doubted`: whether to skip the row.
 */
function mostInformative(
  { n, start, other, weight }: NeighbourGraph,
  uncertain: Float64Array,
  size: (row: number) => number,
  doubted: (row: number) => boolean,
): number {
  let best = -1;
  let most = -1;
  for (let i = 0; i < n; i++) {
    const own = uncertain[i]!;
    if (own < 0) continue;
    let around = own;
    for (let e = start[i]!; e < start[i + 1]!; e++) if (uncertain[other[e]!]! > 0) around += weight[e]! * uncertain[other[e]!]!;
    const value = own * around * size(i);
    if (value > most && !doubted(i)) {
      most = value;
      best = i;
    }
  }
  return best;
}

/** The index of the largest number, the first on ties. */
function mostOf(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}
