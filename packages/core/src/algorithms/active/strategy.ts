/**
 * What a strategy is: options described by one schema, and the opening of a session that asks one question after another.
 * The catalogue of strategies lists them; the command line and the studio know a strategy only through this shape.
 */
import type * as z from "zod";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { PairAnswer, Question, QuestionAnswer, Steps } from "../../steps/index.js";
import type { Context, Outcome } from "../method.js";
import type { Journal } from "./journal.js";
import type { Knowledge } from "./knowledge.js";

/** A dialogue under way: it lives, and can go back. */
export interface Session {
  /** Answers so far, "unsure" included. */
  readonly asked: number;
  /** The question to ask now, the same until it is answered; null when nothing is worth asking or the budget is spent. */
  next(): Question | null;
  /** Takes the answer to the question that `next` gave; how sure it is matters where answers are evidence. */
  answer(answer: QuestionAnswer, sureness?: Sureness): void;
  /** The same in steps: an answer may take a new hierarchy. If the steps are not driven to their end, the answer is not taken. */
  answerSteps(answer: QuestionAnswer, sureness?: Sureness): Steps<void>;
  /** Takes the last answer back: its question is the next one again. False when there is none. */
  undo(): boolean;
  /** Where answers are evidence: how often they are taken to be wrong, and those that are not believed. */
  readonly errorRate?: number;
  overruled?(): readonly Overruled[];
  /** What is known now, and the clustering that follows from it. */
  result(): SessionResult;
  /** The same in steps: with many rows a clustering takes a while. */
  resultSteps(): Steps<SessionResult>;
}

/** How sure an answer is, from 0 to 1 where it is evidence. */
export type Sureness = number | "law";

/** An answer that is not believed, by its place among all from 0, and what speaks against it. */
export interface Overruled {
  readonly place: number;
  readonly rows: readonly [number, number];
  readonly answer: PairAnswer;
  readonly why: string;
}

export interface SessionResult {
  /** The constraints given before and, after them, those that the answers state, in order. */
  readonly constraints: ConstraintSet;
  /** A clustering that keeps them; `finish` makes a result of it. */
  readonly outcome: Outcome;
  /** What the last answer changed; null before the first. */
  readonly change: Change | null;
}

export interface Change {
  readonly question: Question;
  readonly answer: QuestionAnswer;
  /** The rows of two groups that are one now, known to belong together; null if none joined. */
  readonly joined: readonly [readonly number[], readonly number[]] | null;
  /** Pairs of rows that follow from the answer and need not be asked any more. */
  readonly impliedPairs: number;
  /** Rows that changed their cluster with this answer; null if no result was taken before it. */
  readonly moved: number | null;
}

export interface StrategyInput {
  readonly points: Instances;
  /** What is known before the first question. */
  readonly constraints: ConstraintSet;
  /** The number of clusters, where it is known. */
  readonly k: number | undefined;
  /** The most questions that will be asked; Infinity for no limit. */
  readonly budget: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the catalogue holds strategies of every option type side by side.
export interface Strategy<Options = any> {
  readonly name: string;
  readonly title: string;
  /** One sentence for lists and help. */
  readonly summary: string;
  readonly paper: string;
  /** Whether the number of clusters must be given. */
  readonly needsK: boolean;
  /** What its questions are about. */
  readonly asks: Question["kind"];
  readonly options: z.ZodType<Options>;
  readonly start: (input: StrategyInput, options: Options, context: Context) => Steps<Session>;
}

/**
 * The part of a session about pairs that differs from strategy to strategy. It proposes pairs and hears what is known about
 * them; whether a person is asked is not its business. All its state is changed through the journal.
 */
export interface Questioner {
  /** The pair it wants to know about next; null when nothing is worth asking. */
  propose(): readonly [number, number] | null;
  /** What is known about the pair proposed last: by a new answer, which the knowledge holds by now, or from before. */
  heard(answer: PairAnswer): void;
  /** A clustering that keeps all that is known. */
  outcome(): Steps<Outcome>;
}

export interface QuestionerSetting extends StrategyInput {
  readonly knowledge: Knowledge;
  readonly journal: Journal;
}
