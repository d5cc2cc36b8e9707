/**
 * Judges candidates by constraints about pairs of rows, and chooses one.
 *
 * The pairs are split into five parts. A method that uses constraints clusters the rows five times, each time without one part, and is
 * judged by that part. A method without constraints clusters once, and is judged by all parts. A pair that follows from the others of
 * its run judges nobody. A pair counts log(ε + (1 - 2ε) t), where t is the probability that the candidate gives to what the pair says:
 * 1 or 0 if it has clusters alone. The candidate with the highest sum of prior and judgement is chosen; with fewer than FEW_PAIRS pairs
 * the prior decides alone.
 */
import { constrainedRows, constraintsAmong } from "../../constraints/some-rows.js";
import { CoterieError } from "../../errors.js";
import { log } from "../../linalg/elementary.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import { checkedOptions } from "../../options.js";
import type { Random } from "../../random/index.js";
import type { Step, Steps } from "../../steps/index.js";
import { secondsOf } from "../cost.js";
import { agreement, countLinks, type HeldOut, NO_LINKS, type Pairs, partsOf, withoutImplied } from "../held-out.js";
import type { Context, Outcome } from "../method.js";
import { someRows } from "../some-rows.js";
import type { Candidate } from "./candidates.js";

/** With fewer pairs, the prior decides. */
const FEW_PAIRS = 5;
const FOLDS = 5;
/** Larger tables are judged on this many rows. */
const SAMPLE = 2_000;
/** ε: the share of pairs that the judgement expects to be wrong. */
const WRONG = 0.1;
/** A candidate is left out if all its runs take more seconds than this, and more than this many times those of the fastest. */
const LONG_SECONDS = 20;
const LONG_TIMES = 60;

export interface Judged {
  readonly candidate: Candidate;
  /** Prior and judgement; -Infinity if a run failed. */
  readonly total: number;
  /** Agreement with the held-out pairs beyond chance (1: all, 0: as by chance) and its standard error; null if there is none. */
  readonly score: number | null;
  readonly error: number | null;
  /** Why a run failed. */
  readonly failure: string | null;
}

export interface MethodChoice {
  readonly best: Judged;
  /** In the order of the candidates. */
  readonly judged: readonly Judged[];
  /** The number of pairs that judged; 0 if the prior decided. */
  readonly held: number;
  /** Candidates that were not tried, and the seconds that their runs would have taken. */
  readonly leftOut: readonly { readonly candidate: Candidate; readonly seconds: number }[];
}

/** `points` give the number of rows; each candidate has them in its own scale. */
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
  const held = joined(parts);
  const count = held.must.length + held.cannot.length;
  const leftOut = slowOf(points, constraints, candidates, k);
  const open = candidates.filter((candidate) => !leftOut.some((slow) => slow.candidate === candidate));
  const judged: Judged[] = [];
  const shared = new Map<Instances, { readonly rows: Instances; readonly known: Map<string, unknown> }>();
  for (const [at, candidate] of open.entries()) {
    const { method, prior, learns } = candidate;
    if (count < FEW_PAIRS) {
      judged.push({ candidate, total: prior, score: null, error: null, failure: null });
      continue;
    }
    const step: Step = { phase: `trying ${method.name}`, done: at, total: open.length };
    yield step;
    const same = shared.get(candidate.points) ?? {
      rows: sample ? someRows(candidate.points, sample) : candidate.points,
      known: new Map<string, unknown>(),
    };
    shared.set(candidate.points, same);
    const runs = learns ? parts : [{ known, held }];
    judged.push(
      yield* withStep(judgeSteps({ ...candidate, points: same.rows }, runs, k, { ...context, shared: same.known }), step),
    );
  }
  const best = judged.reduce((most, each) => (each.total > most.total ? each : most));
  return { best, judged, held: count < FEW_PAIRS ? 0 : count, leftOut };
}

function joined(parts: readonly HeldOut[]): Pairs {
  return { must: parts.flatMap(({ held }) => held.must), cannot: parts.flatMap(({ held }) => held.cannot) };
}

function* judgeSteps(candidate: Candidate, runs: readonly HeldOut[], k: number, context: Context): Steps<Judged> {
  const { method, points, prior } = candidate;
  let total = prior;
  let counts = NO_LINKS;
  try {
    const options = checkedOptions(method.options, { k });
    for (const [fold, { known, held }] of runs.entries()) {
      const random = context.random.split(`trial ${method.name}`, fold);
      const outcome: Outcome = yield* method.steps({ points, constraints: known }, options, { ...context, random });
      total += likelihood(outcome, held);
      counts = countLinks(counts, outcome.labels, held);
    }
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    return { candidate, total: -Infinity, score: null, error: null, failure: error.message };
  }
  return { candidate, total, ...agreement(counts), failure: null };
}

/** Σ log(ε + (1 - 2ε) t) over the pairs. */
function likelihood({ labels, probabilities }: Outcome, { must, cannot }: Pairs): number {
  const k = probabilities ? probabilities.length / labels.length : 0;
  const together = ([a, b]: readonly [number, number]): number => {
    if (!probabilities) return labels[a]! >= 0 && labels[a] === labels[b] ? 1 : 0;
    let sum = 0;
    for (let c = 0; c < k; c++) sum += probabilities[a * k + c]! * probabilities[b * k + c]!;
    return sum;
  };
  const said = (t: number): number => log(WRONG + (1 - 2 * WRONG) * t);
  let sum = 0;
  for (const pair of must) sum += said(together(pair));
  for (const pair of cannot) sum += said(1 - together(pair));
  return sum;
}

function sampleOf(n: number, constraints: ConstraintSet, random: Random): Int32Array | null {
  if (n <= SAMPLE) return null;
  const rows = new Set<number>(constrainedRows(constraints).subarray(0, SAMPLE));
  for (const row of random.split("sample").sample(n, SAMPLE)) if (rows.size < SAMPLE) rows.add(row);
  return Int32Array.from(rows).sort();
}

/** Candidates whose trials and final run would take out of proportion, by estimated time; never the two of highest prior. */
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

/** The steps as one step. */
function* withStep<R>(steps: Steps<R>, step: Step): Steps<R> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    yield step;
  }
}
