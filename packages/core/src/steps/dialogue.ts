/**
 * Active methods ask questions. A dialogue yields questions and receives answers, so that a terminal, a page, a simulation and a
 * stored log share the same code; the method itself never waits, prints or draws.
 */

/** Do these two rows belong together? */
export interface PairQuestion {
  readonly kind: "pair";
  readonly ask: readonly [number, number];
}

/** Which of these three rows is the odd one out? */
export interface TripletQuestion {
  readonly kind: "triplet";
  readonly ask: readonly [number, number, number];
}

/** A question to a person: whether two rows belong together, or which of three rows is the odd one out. */
export type Question = PairQuestion | TripletQuestion;

export type PairAnswer = "same" | "different" | "unsure";
/** The row that is least similar to the other two: the first, second or third of the question. */
export type TripletAnswer = "a" | "b" | "c" | "unsure";
export type QuestionAnswer = PairAnswer | TripletAnswer;

/** A person's reply: an answer, or undo the last answer, or stop. */
export type Answer = QuestionAnswer | "undo" | "stop";

export type Dialogue<R> = Generator<Question, R, Answer>;

/** Answers every question from known classes, up to a budget. A class of -1 is unknown and gives "unsure". */
export function answerFromLabels<R>(dialogue: Dialogue<R>, truth: Int32Array, budget: number): R {
  let next = dialogue.next();
  for (let asked = 0; !next.done; asked++) {
    next = dialogue.next(asked < budget ? trueAnswer(next.value, truth) : "stop");
  }
  return next.value;
}

/** Replays stored answers in order, then stops. */
export function replay<R>(dialogue: Dialogue<R>, answers: readonly Answer[]): R {
  let next = dialogue.next();
  for (let asked = 0; !next.done; asked++) next = dialogue.next(answers[asked] ?? "stop");
  return next.value;
}

/** The answer of somebody who knows the classes of the rows; "unsure" if a class is -1 or no row is the odd one out. */
export function trueAnswer(question: PairQuestion, truth: Int32Array): PairAnswer;
export function trueAnswer(question: Question, truth: Int32Array): QuestionAnswer;
export function trueAnswer({ ask }: Question, truth: Int32Array): QuestionAnswer {
  const [a = -1, b = -1, c] = ask.map((row) => truth[row] ?? -1);
  if (a < 0 || b < 0) return "unsure";
  if (c === undefined) return a === b ? "same" : "different";
  if (c < 0) return "unsure";
  if (a === b) return b === c ? "unsure" : "c";
  if (a === c) return "b";
  return b === c ? "a" : "unsure";
}
