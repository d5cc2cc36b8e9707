/**
 * One loop per method. A method is a generator that yields a snapshot per step and returns its result. Drivers run this one loop in
 * different ways: at once, with pauses and cancellation, with progress, or as an animation.
 */

/** The progress that a driver can show between two steps. Snapshots are copies and never change after they are yielded. */
export interface Step {
  /** The current activity in words: "distances", "merging". */
  readonly phase: string;
  readonly done: number;
  /** Total number of steps; null while it is unknown. */
  readonly total: number | null;
  readonly objective?: number;
}

export type Steps<R> = Generator<Step, R, void>;

/** Runs a method, or any generator with pauses, to its end without pausing. */
export function drain<R>(steps: Generator<unknown, R, void>): R {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}

export interface DriveOptions {
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
  /** Lets the host run other tasks, for example with setImmediate. Passed by the caller, because core knows no scheduler. */
  readonly pause: () => Promise<void>;
  readonly due?: () => boolean;
}

/** Runs a method step by step. Checks the signal between steps, and always closes the generator. */
export async function drive<R>(steps: Steps<R>, { signal, onStep, pause, due = always }: DriveOptions): Promise<R> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = steps.next();
      if (next.done) return next.value;
      onStep?.(next.value);
      if (due()) await pause();
    }
  } finally {
    steps.return(undefined as never);
  }
}

function always(): boolean {
  return true;
}

/*
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

/** Answers every question from known classes, until the budget is spent. A class of -1 is unknown and gives the answer "unsure". */
export function answerFromLabels<R>(dialogue: Dialogue<R>, truth: Int32Array, budget: number): R {
  let next = dialogue.next();
  for (let asked = 0; !next.done; asked++) {
    next = dialogue.next(asked < budget ? trueAnswer(next.value, truth) : "stop");
  }
  return next.value;
}

export function replay<R>(dialogue: Dialogue<R>, answers: readonly Answer[]): R {
  let next = dialogue.next();
  for (let asked = 0; !next.done; asked++) next = dialogue.next(answers[asked] ?? "stop");
  return next.value;
}

/** The correct answer to a question, from the known classes of the rows; "unsure" if a class is -1 or no row is the odd one out. */
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
