/**
 * Chooses the candidate (a method and a scale of the columns) that agrees best with constraints about pairs of rows.
 *
 * The pairs are split into five parts. A method that uses constraints clusters the rows five times, each time without one part, and is
 * judged by that part. A method that ignores constraints clusters once, and is judged by all parts. A pair that follows from the other
 * pairs of a run is not used to judge that run. Each pair scores log(ε + (1 - 2ε) t), where t is the probability that the pair's constraint
 * holds in the candidate's clusters (without probabilities: 1 if it holds, else 0). The candidate with the highest sum of prior and scores
 * is chosen. With fewer than FEW_PAIRS pairs the prior decides alone.
 *
 * Before scoring, each row of a held-out pair is replaced by a random row that is known to belong to the same class. Questions mostly show
 * a row and the nearest member of a class, and such near pairs would not reveal clusters that split a class.
 */
import { closeConstraints } from "../../constraints/index.js";
import { constrainedRows, constraintsAmong } from "../../constraints/some-rows.js";
import { badInput, CoterieError } from "../../errors.js";
import { exp, log } from "../../linalg/elementary.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Random } from "../../random/index.js";
import type { Step, Steps } from "../../steps/index.js";
import { listsByKey } from "../../structures/components.js";
import { secondsOf } from "../cost.js";
import { agreement, countLinks, type HeldOut, NO_LINKS, type Pairs, partsOf, withoutImplied } from "../held-out.js";
import type { Context, Outcome } from "../method.js";
import { checkedRun } from "../run.js";
import { someRows } from "../some-rows.js";
import type { Candidate } from "./candidates.js";

export interface Judged {
  readonly candidate: Candidate;
  /** The candidate's prior plus the scores of all held-out pairs, by which candidates are compared; -Infinity if a run failed. */
  readonly total: number;
  /**
   * `score`: agreement with the held-out pairs beyond chance (1: all agree, 0: as many as expected by chance). `error`: its standard error.
   * Null without held-out pairs.
   */
  readonly score: number | null;
  readonly error: number | null;
  /** The error message if a run failed, else null. */
  readonly failure: string | null;
  /**
   * For each held-out pair, in the order of `pairsOf`: the probability that the candidate's clusters satisfy its constraint. Empty if a run
   * failed.
   */
  readonly chances: readonly number[];
}

/** A constraint about two rows that may be wrong: candidates contradict it when they cluster the rows without it. */
export interface Suspect {
  readonly rows: readonly [number, number];
  readonly says: "must-link" | "cannot-link";
  /** The probability that the pair is wrong. */
  readonly probability: number;
}

export interface MethodChoice {
  readonly best: Judged;
  /** The results of all candidates that were tried, in the order of the candidates. */
  readonly judged: readonly Judged[];
  /** The number of pairs that were used to judge; 0 if the prior decided. */
  readonly held: number;
  /** Constraints that are more likely wrong than right, the likeliest first. */
  readonly suspects: readonly Suspect[];
  /** Candidates that were not tried because they are slow, with the estimated seconds of their runs. */
  readonly leftOut: readonly { readonly candidate: Candidate; readonly seconds: number }[];
}

/** With fewer pairs than this, the prior decides alone. */
const FEW_PAIRS = 5;
const FOLDS = 5;
/** Maximum number of rows on which candidates are judged; larger tables are sampled. */
const SAMPLE = 2_000;
/** ε in the scores: the share of constraints that are expected to be wrong. */
const WRONG = 0.1;
/**
 * A candidate is left out if its runs take more than LONG_SECONDS seconds and more than LONG_TIMES times as long as the runs of the fastest
 * candidate.
 */
const LONG_SECONDS = 20;
const LONG_TIMES = 60;

/** Judges all candidates and chooses the best. `points`: gives the number of rows; each candidate holds the points in its own scale. */
export function* chooseMethodSteps(
  points: Instances,
  constraints: ConstraintSet,
  candidates: readonly Candidate[],
  k: number,
  context: Context,
): Steps<MethodChoice> {
  const sample = sampleOf(points.n, constraints, context.random);
  const known = sample ? constraintsAmong(constraints, sample) : constraints;
  const parts = partsOf(known, context.random.split("folds"), FOLDS).map(withoutImplied);
  const pairs = parts.flatMap(({ held }) => pairsOf(held));
  const random = context.random.split("members");
  const judging = parts.map((part) => ({ ...part, judging: withOtherMembers(part, random) }));
  const count = pairs.length;
  const leftOut = slowOf(points, constraints, candidates, k);
  const open = candidates.filter((candidate) => !leftOut.some((slow) => slow.candidate === candidate));
  const judged: Judged[] = [];
  const shared = new Map<Instances, { readonly rows: Instances; readonly known: Map<string, unknown> }>();
  for (const [at, candidate] of open.entries()) {
    const { method, prior, learns } = candidate;
    if (count < FEW_PAIRS) {
      judged.push({ candidate, total: prior, score: null, error: null, failure: null, chances: [] });
      continue;
    }
    const step: Step = { phase: `trying ${method.name}`, done: at, total: open.length };
    yield step;
    const same = shared.get(candidate.points) ?? {
      rows: sample ? someRows(candidate.points, sample) : candidate.points,
      known: new Map<string, unknown>(),
    };
    shared.set(candidate.points, same);
    const runs = learns ? judging : judging.map((part) => ({ ...part, known }));
    judged.push(yield* withStep(judgeSteps(candidate, same.rows, runs, k, { ...context, shared: same.known }), step));
  }
  const best = judged.reduce((most, each) => (each.total > most.total ? each : most));
  if (best.failure !== null)
    throw badInput("No method gave an answer.", { remedy: `${best.candidate.method.name}: ${best.failure}` });
  const suspects = suspectsAmong(pairs, judged, sample);
  return { best, judged, held: count < FEW_PAIRS ? 0 : count, suspects, leftOut };
}

interface Judging extends HeldOut {
  /** The held-out pairs after each row was replaced by another row of its group (`withOtherMembers`). */
  readonly judging: Pairs;
}

/**
 * Replaces each row of a held-out pair by a random row of its group; a group is joined by the known must-links. The known constraints do
 * not imply the new pairs either.
 */
function withOtherMembers({ known, held }: HeldOut, random: Random): Pairs {
  const { component, componentCount } = closeConstraints(known);
  const groups = listsByKey(component, componentCount);
  const memberOf = (row: number): number => {
    const from = groups.start[component[row]!]!;
    return groups.items[from + random.int(groups.start[component[row]! + 1]! - from)]!;
  };
  const moved = ([a, b]: readonly [number, number]): readonly [number, number] => [memberOf(a), memberOf(b)];
  return { must: held.must.map(moved), cannot: held.cannot.map(moved) };
}

/** Runs a candidate on every part and scores it. `points`: the rows on which it is judged, in the candidate's scale. */
function* judgeSteps(
  candidate: Candidate,
  points: Instances,
  runs: readonly Judging[],
  k: number,
  context: Context,
): Steps<Judged> {
  const { method, prior, learns } = candidate;
  let counts = NO_LINKS;
  const chances: number[] = [];
  const scored: number[] = [];
  let outcome: Outcome | undefined;
  try {
    const options = checkedRun(method, { points, constraints: runs[0]!.known }, { ...candidate.options, k });
    for (const [fold, { known, held, judging }] of runs.entries()) {
      const random = context.random.split(`trial ${method.name}`, fold);
      if (learns || outcome === undefined)
        outcome = yield* method.steps({ points, constraints: known }, options, { ...context, random });
      chances.push(...probabilitiesOf(outcome, held));
      scored.push(...probabilitiesOf(outcome, judging));
      counts = countLinks(counts, outcome.labels, judging);
    }
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    return { candidate, total: -Infinity, score: null, error: null, failure: error.message, chances: [] };
  }
  const total = scored.reduce((sum, t) => sum + log(WRONG + (1 - 2 * WRONG) * t), prior);
  return { candidate, total, ...agreement(counts), failure: null, chances };
}

function pairsOf({ must, cannot }: Pairs): Omit<Suspect, "probability">[] {
  return [
    ...must.map((rows) => ({ rows, says: "must-link" as const })),
    ...cannot.map((rows) => ({ rows, says: "cannot-link" as const })),
  ];
}

/**
 * For each pair, in the order of `pairsOf`: the probability that the clusters satisfy its constraint; 0 or 1 if the outcome has no
 * probabilities.
 */
function probabilitiesOf({ labels, probabilities }: Outcome, pairs: Pairs): number[] {
  const k = probabilities ? probabilities.length / labels.length : 0;
  return pairsOf(pairs).map(({ rows: [a, b], says }) => {
    let together = labels[a]! >= 0 && labels[a] === labels[b] ? 1 : 0;
    if (probabilities) {
      together = 0;
      for (let c = 0; c < k; c++) together += probabilities[a * k + c]! * probabilities[b * k + c]!;
    }
    return says === "must-link" ? together : 1 - together;
  });
}

/** Lower bound of the estimated probabilities that a constraint holds, and that it does not hold: all candidates together can be wrong. */
const LEAST_DOUBT = 0.01;

/**
 * Finds constraints that are more likely wrong than right. The probability that the clusters satisfy a constraint is averaged over the
 * candidates, weighted by their posterior weights; Bayes' rule with the prior WRONG then gives the probability that the constraint is
 * wrong.
 *
 * Candidates that contradict more than the share WRONG of all pairs are poor themselves. The averages are then moved towards 1/2 by the
 * excess, so that poor clusters raise no suspicion.
 */
function suspectsAmong(
  pairs: readonly Omit<Suspect, "probability">[],
  judged: readonly Judged[],
  sample: Int32Array | null,
): Suspect[] {
  const able = judged.filter(({ chances }) => chances.length === pairs.length && chances.length > 0);
  const most = able.reduce((high, { total }) => Math.max(high, total), -Infinity);
  const weights = able.map(({ total }) => exp(Math.max(-40, total - most)));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const means = pairs.map((_, p) => able.reduce((sum, { chances }, c) => sum + (weights[c]! / all) * chances[p]!, 0));
  const contradicted = means.reduce((sum, mean) => sum + (1 - mean) / means.length, 0);
  const doubt = Math.min(0.5, Math.max(LEAST_DOUBT, contradicted - WRONG));
  return pairs
    .map(({ rows: [a, b], says }, p) => {
      const t = doubt + (1 - 2 * doubt) * means[p]!;
      const rows: readonly [number, number] = sample ? [sample[a]!, sample[b]!] : [a, b];
      return { rows, says, probability: (WRONG * (1 - t)) / (WRONG * (1 - t) + (1 - WRONG) * t) };
    })
    .filter(({ probability }) => probability > 0.5)
    .sort((a, b) => b.probability - a.probability);
}

function sampleOf(n: number, constraints: ConstraintSet, random: Random): Int32Array | null {
  if (n <= SAMPLE) return null;
  const rows = new Set<number>(constrainedRows(constraints).subarray(0, SAMPLE));
  for (const row of random.split("sample").sample(n, SAMPLE)) if (rows.size < SAMPLE) rows.add(row);
  return Int32Array.from(rows).sort();
}

/**
 * The candidates to leave out, because their trials and final run would take far longer than the trials and final run of the fastest
 * candidate. The two candidates with the highest prior are never left out.
 */
function slowOf(
  { n }: Instances,
  constraints: ConstraintSet,
  candidates: readonly Candidate[],
  k: number,
): MethodChoice["leftOut"] {
  const seconds = ({ method, points, learns }: Candidate): number => {
    const whole = secondsOf(method, { points, constraints }, { k });
    return whole * (1 + (learns ? FOLDS : 1) * Math.min(1, SAMPLE / n));
  };
  const all = candidates.map((candidate) => ({ candidate, seconds: seconds(candidate) }));
  const fastest = all.reduce((least, each) => Math.min(least, each.seconds), Infinity);
  const first = [...candidates].sort((a, b) => b.prior - a.prior).slice(0, 2);
  return all.filter((each) => !first.includes(each.candidate) && each.seconds > Math.max(LONG_SECONDS, LONG_TIMES * fastest));
}

/** Runs the steps, but reports each of them as `step`. */
function* withStep<R>(steps: Steps<R>, step: Step): Steps<R> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    yield step;
  }
}
