/**
 * Questions about three rows: which is the odd one out? The answers are triplets, and ReCon makes a hierarchy of them.
 *
 * Ours; liu2011 takes triplets as they come. The present hierarchy is put to the test from its large branches on (see
 * `triplet-candidates.ts`), by triples that nothing known resolves. An answer that it foresaw leaves it as it is, for ReCon would
 * make the same merges; any other one makes it anew. So each question confirms a branch or moves one.
 *
 * Of many rows a sample raises the questions, since a hierarchy is made after every surprise; the result is of all rows.
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

/** Rows that raise questions. */
const SAMPLE = 2000;
/** Branches of fewer rows than this share of a cluster of mean size are no clusters to ask about. */
const SMALL = 0.1;

const { linkage, cut } = reconOptions.shape;

export const oddOneOutOptions = reconOptions.pick({ distance: true, outliers: true }).extend({
  linkage: linkage.unwrap().default("ward").meta({ description: "which clusters are closest" }),
  cut: cut.unwrap().default("triplets").meta({ description: "how the hierarchy is cut, as with --algorithm recon" }),
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

/** What a session asks of its rows and methods. */
interface Workings {
  /** The hierarchy that raises the questions, from all that is known. */
  readonly shape: () => Steps<Outcome>;
  /** The clustering of all rows. */
  readonly whole: () => Steps<Outcome>;
  readonly triples: (shape: Outcome) => Iterable<Triple>;
}

interface Turn {
  readonly question: TripletQuestion;
  readonly answer: TripletAnswer;
  readonly shape: Outcome;
  /** The clustering before the answer, if anybody looked at it. */
  readonly outcome: Outcome | null;
}

class TripletSession implements Session {
  readonly #budget: number;
  readonly #knowledge: TripletKnowledge;
  readonly #workings: Workings;
  readonly #turns: Turn[] = [];
  #shape: Outcome;
  #outcome: Outcome | null;
  /** Undefined while the next question has not been looked for. */
  #pending: TripletQuestion | null | undefined;

  /** `isWhole`: the first shape is of all rows. */
  constructor({ budget }: StrategyInput, knowledge: TripletKnowledge, shape: Outcome, isWhole: boolean, workings: Workings) {
    this.#budget = budget;
    this.#knowledge = knowledge;
    this.#shape = shape;
    this.#outcome = isWhole ? shape : null;
    this.#workings = workings;
  }

  get asked(): number {
    return this.#turns.length;
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
    const turn: Turn = { question, answer, shape: this.#shape, outcome: this.#outcome };
    this.#knowledge.learn(question.ask, answer);
    // The hierarchy takes the third row for the odd one; where to cut it may depend on any triplet.
    if (answer === "a" || answer === "b") yield* this.#reshape();
    if (answer !== "unsure") this.#outcome = null;
    this.#turns.push(turn);
    this.#pending = undefined;
  }

  /** Cannot-links may leave no way to k clusters that ReCon finds: then, or when it is not waited for, the answer is not taken. */
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
    const turn = this.#turns.pop();
    if (!turn) return false;
    this.#knowledge.forget();
    this.#pending = turn.question;
    this.#shape = turn.shape;
    this.#outcome = turn.outcome;
    return true;
  }

  result(): SessionResult {
    return drain(this.resultSteps());
  }

  *resultSteps(): Steps<SessionResult> {
    this.#outcome ??= yield* this.#workings.whole();
    const last = this.#turns.at(-1);
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

/** What the hierarchy of the shown rows makes worth asking, in rows of the whole. */
function* triplesOf(shown: Instances, { merges }: Outcome, k: number, sample: Int32Array | null): Iterable<Triple> {
  const { n } = shown;
  const cutTo = (least: number) => cutAside(merges!, n, k, { least }, 0, "largest");
  const clusters = (cutTo((SMALL * n) / k) ?? cutTo(1))?.clusters ?? [2 * n - 2];
  for (const [p, q, s] of candidateTriples({ points: oneHot(shown).points, merges: merges!, clusters }))
    yield sample ? [sample[p]!, sample[q]!, sample[s]!] : [p, q, s];
}

/** Some rows of a table; levels that none of them has are left out. */
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

/** Numbers the levels that occur in column j anew, in their order; returns their old codes. */
function presentLevels(x: Float64Array, d: number, j: number): number[] {
  const present = new Set<number>();
  for (let p = j; p < x.length; p += d) present.add(x[p]!);
  const codes = [...present].sort((a, b) => a - b);
  const fresh = new Map(codes.map((code, at) => [code, at]));
  for (let p = j; p < x.length; p += d) x[p] = fresh.get(x[p]!)!;
  return codes;
}

/** The triplets about sampled rows alone, by their places in the sample. */
function restrict({ relative: { a, b, c, weight } }: ConstraintSet, sample: Int32Array): ConstraintSet {
  const place = new Map(Array.from(sample, (row, at) => [row, at]));
  const kept = Array.from(a.keys()).filter((s) => place.has(a[s]!) && place.has(b[s]!) && place.has(c[s]!));
  const column = (rows: Int32Array): Int32Array => Int32Array.from(kept, (s) => place.get(rows[s]!)!);
  const relative = { a: column(a), b: column(b), c: column(c), weight: Float64Array.from(kept, (s) => weight[s]!) };
  return { ...emptyConstraints(sample.length), relative };
}
