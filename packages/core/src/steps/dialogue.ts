/**
 * Active methods ask. A dialogue yields questions and takes answers, so that a terminal, a page, a simulation and a stored
 * log are the same code; the method never waits, prints or draws.
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

/** What a person is asked: whether two rows belong together, or which of three is the odd one out. */
export type Question = PairQuestion | TripletQuestion;

export type PairAnswer = "same" | "different" | "unsure";
/** The row that is least like the other two: the first, second or third of the question. */
export type TripletAnswer = "a" | "b" | "c" | "unsure";
export type QuestionAnswer = PairAnswer | TripletAnswer;

/** What a person says to a question: an answer, or to take the last answer back, or that it is enough. */
export type Answer = QuestionAnswer | "undo" | "stop";

export type Dialogue<R> = Generator<Question, R, Answer>;

/** Answers every question from known classes, up to a budget; -1 is an unknown class, answered "unsure". */
export function answerFromLabels<R>(dialogue: Dialogue<R>, truth: Int32Array, budget: number): R {
  let turn = dialogue.next();
  for (let asked = 0; !turn.done; asked++) {
    turn = dialogue.next(asked < budget ? trueAnswer(turn.value, truth) : "stop");
  }
  return turn.value;
}

/** Replays stored answers in order, then stops. */
export function replay<R>(dialogue: Dialogue<R>, answers: readonly Answer[]): R {
  let turn = dialogue.next();
  for (let asked = 0; !turn.done; asked++) turn = dialogue.next(answers[asked] ?? "stop");
  return turn.value;
}

/** What somebody says who knows the classes of the rows; "unsure" where a class is -1, or where no row stands out. */
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
