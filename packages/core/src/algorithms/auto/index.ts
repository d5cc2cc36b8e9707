/**
 * Chooses the method and the scale of the columns, then clusters with them.
 *
 * Every candidate is judged by the constraints about pairs of rows: a method that uses constraints clusters the rows five times, each
 * time without a fifth of the pairs, and is judged by that fifth; a method without constraints is judged by all of them. A pair counts
 * log(0.05 + 0.9 t), where t is the probability that the candidate gives to what the pair says. The candidate with the highest sum of
 * prior and judgement is taken (candidates.ts has the priors). With fewer than FEW_PAIRS pairs the prior decides alone.
 *
 * Cost: six runs of each method that uses constraints and one of every other, on at most SAMPLE rows; then one run on all rows.
 * Candidates that would take longer than the budget are left out before they start.
 *
 * Source: constraints choose among clusterings: Van Craenendonck, Blockeel, Constraint-based Clustering Selection, 2017. Held-out
 * constraints: ours, as for k (choose-k.ts).
 */
import * as z from "zod/mini";
import { constrainedRows, constraintsAmong } from "../../constraints/some-rows.js";
import { CoterieError } from "../../errors.js";
import { log } from "../../linalg/elementary.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { Chosen } from "../../model/result.js";
import { checkedOptions, option } from "../../options.js";
import type { Random } from "../../random/index.js";
import type { Step, Steps } from "../../steps/index.js";
import { aroundMeans } from "../cost.js";
import { defineMethod } from "../define-method.js";
import { knownPairs, type Pairs, partsOf } from "../held-out.js";
import { type Context, type Input, type Outcome, SOFT } from "../method.js";

import { clusterCount } from "../partition/kmeans.js";
import { someRows } from "../some-rows.js";
import { type Candidate, candidatesFor } from "./candidates.js";

export const autoOptions = z.strictObject({
  k: clusterCount,
  candidates: option(z.optional(z.array(z.string())), "methods to choose from (default: all that suit the table)"),
});

type CheckedOptions = z.output<typeof autoOptions>;

/** With fewer pairs, the prior decides. */
const FEW_PAIRS = 5;
const FOLDS = 5;
/** Larger tables are judged on this many rows. */
const SAMPLE = 2_000;
/** Share of pairs that the judgement expects to be wrong, for must-links and cannot-links together. */
const WRONG = 0.1;

export const auto = /* @__PURE__ */ defineMethod({
  name: "auto",
  title: "Automatic choice",
  summary: "tries methods and scales on held-out constraints, and clusters with the best",
  paper: "Van Craenendonck, Blockeel: Constraint-based Clustering Selection. 2017",
  example: "auto(points, known, { k: 3 }).chosen?.algorithm;",
  family: "partition",
  treats: SOFT,
  seconds: aroundMeans(20),
  options: autoOptions,
  steps: autoSteps,
});

function* autoSteps({ points, constraints }: Input, { k, candidates: asked }: CheckedOptions, context: Context): Steps<Outcome> {
  const all = candidatesFor(points, constraints).filter(({ method }) => !asked || asked.includes(method.name));
  const judged = yield* judge(points, constraints, all, k, context);
  const best = judged.reduce((most, each) => (each.score > most.score ? each : most));
  const { method, scale, points: scaled } = best.candidate;
  const outcome: Outcome = yield* method.steps({ points: scaled, constraints }, checkedOptions(method.options, { k }), {
    ...context,
    random: context.random.split(`run ${method.name}`),
  });
  const chosen: Chosen = {
    algorithm: method.name,
    scale,
    by: "held-out constraints",
    evidence: judged.map(({ candidate, score }) => ({ algorithm: candidate.method.name, scale: candidate.scale, score })),
  };
  return { ...outcome, chosen, ...(scale === "given" ? {} : { rescaled: scaled }) };
}

interface Judged {
  readonly candidate: Candidate;
  /** Prior and judgement; -Infinity if a run failed. */
  readonly score: number;
}

function* judge(
  points: Instances,
  constraints: ConstraintSet,
  candidates: readonly Candidate[],
  k: number,
  context: Context,
): Steps<Judged[]> {
  const sample = sampleOf(points.n, constraints, context.random);
  const known = sample ? constraintsAmong(constraints, sample) : constraints;
  const pairs = knownPairs(known);
  const few = pairs.must.length + pairs.cannot.length < FEW_PAIRS;
  const judged: Judged[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const step: Step = { phase: `trying ${candidate.method.name}`, done: at, total: candidates.length };
    yield step;
    const rows = sample ? someRows(candidate.points, sample) : candidate.points;
    const found = few ? 0 : yield* withPhase(judgement({ ...candidate, points: rows }, known, k, context), step);
    judged.push({ candidate, score: candidate.prior + found });
  }
  return judged;
}

function* judgement(candidate: Candidate, known: ConstraintSet, k: number, context: Context): Steps<number> {
  const { method, points, learns } = candidate;
  const options = checkedOptions(method.options, { k });
  const shared = new Map<string, unknown>();
  const parts = learns ? partsOf(known, context.random.split("folds"), FOLDS) : [{ known, held: knownPairs(known) }];
  let sum = 0;
  try {
    for (const [fold, part] of parts.entries()) {
      const random = context.random.split(`trial ${method.name}`, fold);
      const outcome: Outcome = yield* method.steps({ points, constraints: part.known }, options, { ...context, random, shared });
      sum += likelihood(outcome, part.held);
    }
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    return -Infinity;
  }
  return sum;
}

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

/** The steps under another phase. */
function* withPhase<R>(steps: Steps<R>, step: Step): Steps<R> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    yield step;
  }
}
