/**
 * The interface of a strategy: options described by one schema, and a function that opens a session of questions.
 * The catalogue lists the strategies; the command line and the studio use a strategy only through this interface.
 */
import type * as z from "zod/mini";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import type { PairAnswer, Question, QuestionAnswer, Steps } from "../../steps/index.js";
import type { Context, Outcome } from "../method.js";
import type { Journal } from "./journal.js";
import type { Knowledge } from "./knowledge.js";

/** A running dialogue that supports undo. */
export interface Session {
  /** Number of answers so far, including "unsure". */
  readonly asked: number;
  /** The current question; it stays the same until it is answered. Null if no question is worth asking, or the budget is spent. */
  next(): Question | null;
  /**
   * Records the answer to the question that `next` returned. `sureness` only matters in a session with an error rate, where answers can be
   * wrong.
   */
  answer(answer: QuestionAnswer, sureness?: Sureness): void;
  /**
   * Like `answer`, as steps that can be paused, because an answer can require a new hierarchy. The answer is recorded only if the steps run
   * to their end.
   */
  answerSteps(answer: QuestionAnswer, sureness?: Sureness): Steps<void>;
  /** Undoes the last answer, and makes its question the current question again. Returns false if there is no answer. */
  undo(): boolean;
  /** In a session with an error rate: the share of answers that is assumed to be wrong, and the answers that are not believed. */
  readonly errorRate?: number;
  overruled?(): readonly Overruled[];
  /** The current constraints, and the clustering that follows from them. */
  result(): SessionResult;
  /** Like `result`, as steps that can be paused, because clustering many rows takes a while. */
  resultSteps(): Steps<SessionResult>;
}

/**
 * How sure an answer is, up to 1; at 0.5 or less it is a guess without weight. "law": certain. It only matters in a session with an error
 * rate.
 */
export type Sureness = number | "law";

/** An answer from before the session began, which counts as evidence. */
export interface EarlierAnswer {
  readonly rows: readonly [number, number];
  readonly answer: PairAnswer;
  readonly sureness?: number | undefined;
}

/** An answer that is not believed, with its index among all answers (earlier answers come first), and the evidence against it. */
export interface Overruled {
  readonly place: number;
  readonly rows: readonly [number, number];
  readonly answer: PairAnswer;
  readonly why: string;
}

export interface SessionResult {
  /** The given constraints, then the constraints from the answers, in order. */
  readonly constraints: ConstraintSet;
  /** A clustering that satisfies the constraints; `finish` turns it into a result. */
  readonly outcome: Outcome;
  /** What the last answer changed; null before the first answer. */
  readonly change: Change | null;
}

export interface Change {
  readonly question: Question;
  readonly answer: QuestionAnswer;
  /** The rows of the two must-link components that the answer joined; null if the answer joined none. */
  readonly joined: readonly [readonly number[], readonly number[]] | null;
  /** Number of pairs of rows whose relation follows from the answer. */
  readonly impliedPairs: number;
  /** Number of rows whose cluster changed; null if no result was computed before the answer. */
  readonly moved: number | null;
}

export interface StrategyInput {
  readonly points: Instances;
  /** Constraints known before the first question. */
  readonly constraints: ConstraintSet;
  /** The number of clusters, if known. */
  readonly k: number | undefined;
  /** Maximum number of questions; Infinity for no limit. */
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
  /** Set if the strategy finds the number of clusters itself. Callers cannot pass a k then. */
  readonly findsK?: true;
  /** Set if the questions depend on the budget, that is, on how many questions there will be. */
  readonly plansBudget?: true;
  /** Set if the strategy makes the final clusters itself; otherwise the method `auto` clusters the rows under the answers. */
  readonly ownClusters?: true;
  /** The kind of questions that the strategy asks: about a pair of rows, or about three rows. */
  readonly asks: Question["kind"];
  readonly options: z.ZodMiniType<Options>;
  readonly start: (input: StrategyInput, options: Options, context: Context) => Steps<Session>;
}

/**
 * A strategy for questions about pairs. Each strategy has its own questioner; the rest of the session is the same for all strategies. A
 * questioner proposes pairs and receives their relations. A relation that was already known counts like an answer from a person. All changes of its state go through the journal.
 */
export interface Questioner {
  /** The next pair to ask about; null if no pair is worth asking. */
  propose(): readonly [number, number] | null;
  /** Receives the relation of the pair proposed last. The relation comes from a new answer (already recorded) or was known before. */
  observe(answer: PairAnswer): void;
  /** A clustering that satisfies all known relations. */
  outcome(): Steps<Outcome>;
}

export interface QuestionerSetting extends StrategyInput {
  readonly knowledge: Knowledge;
  readonly journal: Journal;
}
