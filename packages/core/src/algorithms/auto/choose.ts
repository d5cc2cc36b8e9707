/**
 * Chooses the candidate (a method and a scale of the columns) that agrees best with constraints about pairs of rows.
 *
 * The pairs are split into five parts. A method that uses constraints runs five times. Each run leaves out one part, and this part judges
 * the run. A method that ignores constraints runs once, and all parts judge it. A pair is skipped if the constraints of the run imply it.
 *
 * The score of a pair is log(ε + (1 - 2ε) t), where t is the probability that the clusters satisfy the pair's constraint. Without
 * probabilities, t is 1 or 0. The candidate with the largest sum of prior and scores wins. With fewer than FEW_PAIRS pairs, the prior
 * decides alone.
 *
 * Before scoring, each row of a held-out pair is replaced by a random row of its must-link component. The reason: most questions show a row
 * and the nearest member of a class. Such near pairs cannot reveal clusters that split a class.
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
  /** The prior plus the scores of all held-out pairs. The largest total wins. -Infinity if a run failed. */
  readonly total: number;
  /**
   * `score`: agreement with the held-out pairs, corrected for chance (1: all pairs agree; 0: no better than chance). `error`: standard
   * error of the score. Both are null without held-out pairs.
   */
  readonly score: number | null;
  readonly error: number | null;
  /** The error message if a run failed, else null. */
  readonly failure: string | null;
  /** For each held-out pair: the probability that the clusters satisfy its constraint, in the order of `pairsOf`. Empty if a run failed. */
  readonly chances: readonly number[];
}

/** A constraint that is probably wrong: the candidates that ran without it contradict it. */
export interface Suspect {
  readonly rows: readonly [number, number];
  readonly says: "must-link" | "cannot-link";
  readonly probability: number;
}

export interface MethodChoice {
  readonly best: Judged;
  /** Results of all candidates that are not left out, in the order of the candidates. */
  readonly judged: readonly Judged[];
  /** Number of pairs that judged the candidates. 0 if the prior decided. */
  readonly held: number;
  /** Constraints that are probably wrong, the most probable first. */
  readonly suspects: readonly Suspect[];
  /** Candidates that did not run because they are slow, with their estimated seconds. */
  readonly leftOut: readonly { readonly candidate: Candidate; readonly seconds: number }[];
}

/** With fewer pairs than this, the prior decides alone. */
const FEW_PAIRS = 5;
const FOLDS = 5;
/** Candidates are judged on at most this number of rows. Larger tables are sampled. */
const SAMPLE = 2_000;
/** ε in the scores: the expected share of wrong constraints. */
const WRONG = 0.1;
/**
 * Candidates are left out if they take more than LONG_SECONDS seconds and more than LONG_TIMES times the seconds of the fastest candidate.
 */
const LONG_SECONDS = 20;
const LONG_TIMES = 60;

/** Judges all candidates and chooses the best. `points`: the points in the given scale. */
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
  /** The held-out pairs after `withOtherMembers` replaced their rows. */
  readonly judging: Pairs;
}

/**
 * Replaces each row of a held-out pair by a random row of its must-link component. The new pairs are not implied by the known constraints.
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

/** Runs a candidate on every part and scores it. `points`: the rows to cluster, in the candidate's scale. */
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
 * For each pair: the probability that the clusters satisfy its constraint, in the order of `pairsOf`. 0 or 1 if the outcome has no
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

/** The probability t of a constraint is kept between LEAST_DOUBT and 1 - LEAST_DOUBT, because all candidates can be wrong. */
const LEAST_DOUBT = 0.01;

/**
 * Finds constraints that are more likely wrong than right. First the probability that the clusters satisfy a constraint is averaged over
 * the candidates, with their posterior weights. Then Bayes' rule with the prior WRONG gives the probability that the constraint is wrong.
 *
 * If the candidates contradict more than the share WRONG of all pairs, the clusters themselves are poor. The averages are then moved
 * towards 1/2, so that poor clusters raise no suspicion.
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
 * The candidates to leave out, because they take far longer than the fastest candidate. The time includes the trials and the final run. The
 * two candidates with the highest prior are never left out.
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

/** Runs the steps. Yields `step` instead of the steps' own progress. */
function* withStep<R>(steps: Steps<R>, step: Step): Steps<R> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    yield step;
  }
}
