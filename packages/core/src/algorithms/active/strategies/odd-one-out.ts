/**
 * Questions about three rows: which is the odd one out? The answers are relative constraints, from which ReCon builds a hierarchy.
 *
 * Ours; liu2011 takes its relative constraints as given. The questions test the current hierarchy, large branches first (see
 * `triplet-candidates.ts`), by triples that the known constraints leave open. If the answer agrees with the hierarchy, ReCon would
 * make the same merges, so nothing is computed; any other answer rebuilds it. So each question confirms a branch or moves one.
 *
 * With many rows the questions come from a sample, because every surprising answer costs a new hierarchy; the result is of all rows.
 */
import type * as z from "zod";
import { emptyConstraints } from "../../../constraints/index.js";
import { badOption } from "../../../errors.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Instances } from "../../../model/points.js";
import { drain, type QuestionAnswer, type Steps, type TripletAnswer, type TripletQuestion } from "../../../steps/index.js";
import { oneHot } from "../../encode.js";
import { cutAside } from "../../hierarchical/recon/cut.js";
import { reconOptions, reconSteps } from "../../hierarchical/recon/index.js";
import type { Context, Outcome } from "../../method.js";
import { movedRows } from "../moved-rows.js";
import type { Session, SessionResult, StrategyInput } from "../strategy.js";
import { type Triple, TripletKnowledge } from "../triplet-knowledge.js";
import { candidateTriples } from "./triplet-candidates.js";

/** Maximum number of rows in the hierarchy for questions. */
const SAMPLE = 2000;
/** Branches with fewer rows than this share of n / k are not treated as clusters. */
const SMALL = 0.1;

const { linkage, cut } = reconOptions.shape;

export const oddOneOutOptions = reconOptions.pick({ distance: true, outliers: true }).extend({
  linkage: linkage.unwrap().default("ward").meta({ description: "which clusters are closest" }),
  cut: cut.unwrap().default("triplets").meta({ description: "how the hierarchy is cut, as for --algorithm recon" }),
});

type Options = z.output<typeof oddOneOutOptions>;

export function* startOddOneOut(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const { points, constraints, k } = input;
  const knowledge = new TripletKnowledge(constraints, points.ids);
  const sample = points.n > SAMPLE ? context.random.split("sample").sample(points.n, SAMPLE).sort() : null;
  const shown = sample ? pick(points, sample) : points;
  const cluster = (rows: Instances, known: ConstraintSet): Steps<Outcome> =>
    reconSteps({ points: rows, constraints: known }, { ...reconOptions.parse({ k: k! }), ...options }, context);
  const shapeSteps = () => cluster(shown, sample ? restrict(knowledge.constraints(), sample) : knowledge.constraints());
  const first = yield* shapeSteps();
  return new TripletSession(input, knowledge, first, sample === null, {
    shape: shapeSteps,
    whole: () => cluster(points, knowledge.constraints()),
    triples: (shape) => triplesOf(shown, shape, k!, sample),
  });
}

/** The computations of a session. */
interface Workings {
  /** The hierarchy for questions, under all known constraints. */
  readonly shape: () => Steps<Outcome>;
  /** The clustering of all rows. */
  readonly whole: () => Steps<Outcome>;
  readonly triples: (shape: Outcome) => Iterable<Triple>;
}

interface Answered {
  readonly question: TripletQuestion;
  readonly answer: TripletAnswer;
  readonly shape: Outcome;
  /** The clustering before the answer, if it was computed. */
  readonly outcome: Outcome | null;
}

class TripletSession implements Session {
  readonly #budget: number;
  readonly #knowledge: TripletKnowledge;
  readonly #workings: Workings;
  readonly #answered: Answered[] = [];
  #shape: Outcome;
  #outcome: Outcome | null;
  /** Undefined until the next question is computed. */
  #pending: TripletQuestion | null | undefined;

  /** `isWhole`: the first hierarchy contains all rows. */
  constructor({ budget }: StrategyInput, knowledge: TripletKnowledge, shape: Outcome, isWhole: boolean, workings: Workings) {
    this.#budget = budget;
    this.#knowledge = knowledge;
    this.#shape = shape;
    this.#outcome = isWhole ? shape : null;
    this.#workings = workings;
  }

  get asked(): number {
    return this.#answered.length;
  }

  next(): TripletQuestion | null {
    if (this.asked >= this.#budget) return null;
    if (this.#pending === undefined) this.#pending = this.#find();
    return this.#pending;
  }

  #find(): TripletQuestion | null {
    for (const ask of this.#workings.triples(this.#shape)) if (this.#knowledge.isOpen(ask)) return { kind: "triplet", ask };
    return null;
  }

  answer(answer: QuestionAnswer): void {
    drain(this.answerSteps(answer));
  }

  *answerSteps(answer: QuestionAnswer): Steps<void> {
    const question = this.next();
    if (question === null) throw badOption("answer", answer, "given to a question, and there is none");
    if (answer !== "a" && answer !== "b" && answer !== "c" && answer !== "unsure") {
      throw badOption("answer", answer, '"a", "b", "c" or "unsure"');
    }
    const entry: Answered = { question, answer, shape: this.#shape, outcome: this.#outcome };
    this.#knowledge.learn(question.ask, answer);
    // In the hierarchy the third row (c) is the odd one, so only the answers a and b change it. Any constraint can change the cut.
    if (answer === "a" || answer === "b") yield* this.#reshape();
    if (answer !== "unsure") this.#outcome = null;
    this.#answered.push(entry);
    this.#pending = undefined;
  }

  /** Rebuilds the hierarchy. If ReCon finds no k clusters because of cannot-links, or the steps are abandoned, the answer is undone. */
  *#reshape(): Steps<void> {
    let shape: Outcome | undefined;
    try {
      shape = yield* this.#workings.shape();
      this.#shape = shape;
    } finally {
      if (!shape) this.#knowledge.forget();
    }
  }

  undo(): boolean {
    const entry = this.#answered.pop();
    if (!entry) return false;
    this.#knowledge.forget();
    this.#pending = entry.question;
    this.#shape = entry.shape;
    this.#outcome = entry.outcome;
    return true;
  }

  result(): SessionResult {
    return drain(this.resultSteps());
  }

  *resultSteps(): Steps<SessionResult> {
    this.#outcome ??= yield* this.#workings.whole();
    const last = this.#answered.at(-1);
    const change = last && {
      question: last.question,
      answer: last.answer,
      joined: null,
      impliedPairs: 0,
      moved: last.outcome ? movedRows(last.outcome.labels, this.#outcome.labels) : null,
    };
    return { constraints: this.#knowledge.constraints(), outcome: this.#outcome, change: change ?? null };
  }
}

/** The triples worth asking about, from the hierarchy, as rows of the whole table. */
function* triplesOf(shown: Instances, { merges }: Outcome, k: number, sample: Int32Array | null): Iterable<Triple> {
  const { n } = shown;
  const cutTo = (least: number) => cutAside(merges!, n, k, { least }, 0, "largest");
  const clusters = (cutTo((SMALL * n) / k) ?? cutTo(1))?.clusters ?? [2 * n - 2];
  for (const [p, q, s] of candidateTriples({ points: oneHot(shown).points, merges: merges!, clusters }))
    yield sample ? [sample[p]!, sample[q]!, sample[s]!] : [p, q, s];
}

/** The given rows of a table; levels without rows are dropped. */
function pick({ d, x, nominal, levels, names, file }: Instances, rows: Int32Array): Instances {
  const picked = new Float64Array(rows.length * d);
  rows.forEach((row, i) => {
    picked.set(x.subarray(row * d, (row + 1) * d), i * d);
  });
  const kept = Array.from({ length: d }, (_, j) => (nominal?.[j] === 1 ? presentLevels(picked, d, j) : null));
  return {
    n: rows.length,
    d,
    x: picked,
    ...(nominal ? { nominal } : {}),
    ...(levels ? { levels: kept.map((codes, j) => codes?.map((code) => levels[j]?.[code] ?? String(code)) ?? null) } : {}),
    ...(names ? { names } : {}),
    ...(file === undefined ? {} : { file }),
  };
}

/** Renumbers the levels that occur in column j, keeping their order; returns their old codes. */
function presentLevels(x: Float64Array, d: number, j: number): number[] {
  const present = new Set<number>();
  for (let p = j; p < x.length; p += d) present.add(x[p]!);
  const codes = [...present].sort((a, b) => a - b);
  const fresh = new Map(codes.map((code, at) => [code, at]));
  for (let p = j; p < x.length; p += d) x[p] = fresh.get(x[p]!)!;
  return codes;
}

/** The relative constraints whose rows are all in the sample, as indices in the sample. */
function restrict({ relative: { a, b, c, weight } }: ConstraintSet, sample: Int32Array): ConstraintSet {
  const place = new Map(Array.from(sample, (row, at) => [row, at]));
  const kept = Array.from(a.keys()).filter((s) => place.has(a[s]!) && place.has(b[s]!) && place.has(c[s]!));
  const column = (rows: Int32Array): Int32Array => Int32Array.from(kept, (s) => place.get(rows[s]!)!);
  const relative = { a: column(a), b: column(b), c: column(c), weight: Float64Array.from(kept, (s) => weight[s]!) };
  return { ...emptyConstraints(sample.length), relative };
}
