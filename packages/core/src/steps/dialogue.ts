/**
 * Active methods ask. A dialogue yields questions and takes answers, so that a terminal, a page, a simulation and a stored
 * log are the same code; the method never waits, prints or draws.
 */

export interface Question {
  /** The two rows that the question is about. */
  readonly ask: readonly [number, number];
}

export type Answer = "same" | "different" | "unsure" | "stop";

export type Dialogue<R> = Generator<Question, R, Answer>;

/** Answers every question from known classes, up to a budget; -1 is an unknown class, answered "unsure". */
export function answerFromLabels<R>(dialogue: Dialogue<R>, truth: Int32Array, budget: number): R {
  let turn = dialogue.next();
  for (let asked = 0; !turn.done; asked++) {
    turn = dialogue.next(asked < budget ? compare(truth, turn.value.ask) : "stop");
  }
  return turn.value;
}

/** Replays stored answers in order, then stops. */
export function replay<R>(dialogue: Dialogue<R>, answers: readonly Answer[]): R {
  let turn = dialogue.next();
  for (let asked = 0; !turn.done; asked++) turn = dialogue.next(answers[asked] ?? "stop");
  return turn.value;
}

function compare(truth: Int32Array, [i, j]: readonly [number, number]): Answer {
  const a = truth[i] ?? -1;
  const b = truth[j] ?? -1;
  if (a < 0 || b < 0) return "unsure";
  return a === b ? "same" : "different";
}
