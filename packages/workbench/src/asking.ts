/** Dialogues. A dialogue with a log: the log has every answer before the session gets it. Where the log is, the store decides. */
import {
  badOption,
  believed,
  type ConstraintSet,
  CoterieError,
  constraints,
  drain,
  type InstanceId,
  type Instances,
  idOf,
  LAW,
  type Question,
  type QuestionAnswer,
  type Session,
  type Steps,
  weightOf,
} from "@coterie/core/internal";
import {
  type AnswerRecord,
  constraintListsOf,
  type LogRecord,
  type Provenance,
  type StartRecord,
  type Stretch,
} from "@coterie/data/browser";
import { answerIn, constraintOf } from "./protocol/asking.js";
import type { Constraint } from "./protocol/knowledge.js";

/**
 * A session of questions that skips what somebody did not know before. The terminal and the studio ask through it: the terminal one
 * question after the other, the studio one question for each person who waits.
 */
export class Dialogue {
  readonly session: Session;
  readonly #isOpen: (question: Question) => boolean;
  /** For each answer of the session: whether somebody gave it. The other answers skip a question that is open. */
  readonly #given: boolean[] = [];

  /** `isOpen`: whether somebody did not know the answer to this question before; it is not asked again. */
  constructor(session: Session, isOpen: (question: Question) => boolean) {
    this.session = session;
    this.#isOpen = isOpen;
  }

  /** The present question; null if there is none. */
  next(): Question | null {
    for (;;) {
      const question = this.session.next();
      if (!question || !this.#isOpen(question)) return question;
      this.session.answer("unsure");
      this.#given.push(false);
    }
  }

  /** The next questions, none of which depends on the answer to another; fewer if there are no more. */
  ahead(most: number): Question[] {
    const found: Question[] = [];
    for (let question = this.next(); question && found.length < most; question = this.next()) {
      found.push(question);
      if (found.length < most) drain(this.answer("unsure"));
    }
    for (let i = Math.min(found.length, most - 1); i > 0; i--) this.undo();
    return found;
  }

  /** Answers the present question. If the steps do not run to their end, the answer does not count. */
  *answer(answer: QuestionAnswer, sureness: number | "law" = "law"): Steps<void> {
    this.next();
    yield* this.session.answerSteps(answer, sureness);
    this.#given.push(true);
  }

  /** Takes the last given answer back; its question becomes the present one. False if there is none. */
  undo(): boolean {
    if (!this.#given.includes(true)) return false;
    while (this.#given.pop() === false) this.session.undo();
    return this.session.undo();
  }
}

export interface AnswerStore {
  /** Resolves when the record is kept for good. */
  append(record: LogRecord): void | Promise<void>;
}

/** How a dialogue that is asked for relates to what a log holds. */
export type Continuation =
  /** Nothing was asked yet. */
  | { readonly kind: "begin" }
  /** The same questions about the same data: the session can be brought to where it was. */
  | { readonly kind: "continue"; readonly earlier: readonly AnswerRecord[]; readonly replay: readonly AnswerRecord[] }
  /** Something is different, named here: earlier answers are knowledge from before. */
  | { readonly kind: "anew"; readonly earlier: readonly AnswerRecord[]; readonly changed: readonly string[] };

/** The parts of a start record that decide which questions come, with the words for them; whether a budget does, a replay shows. */
const DECIDING: readonly (readonly [keyof StartRecord, string])[] = [
  ["sha256", "the data"],
  ["rows", "the number of rows"],
  ["features", "the columns"],
  ["distances", "the distances"],
  ["strategy", "the strategy"],
  ["options", "the strategy's options"],
  ["k", "k"],
  ["seed", "the seed"],
  ["reading", "how the table is read"],
  ["known", "the constraints"],
  ["errorRate", "the error rate"],
];

export function continuationOf(stretches: readonly Stretch[], wanted: StartRecord): Continuation {
  const last = stretches.at(-1);
  if (!last) return { kind: "begin" };
  const earlier = stretches.slice(0, -1).flatMap(({ answers }) => answers);
  const changed = DECIDING.filter(([part]) => !isSame(last.start[part], wanted[part])).map(([, words]) => words);
  return changed.length === 0
    ? { kind: "continue", earlier, replay: last.answers }
    : { kind: "anew", earlier: [...earlier, ...last.answers], changed };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Answers about rows that still exist, as constraints beside those given; `lost`: answers about rows that are gone. */
export function knownFrom(
  answers: readonly AnswerRecord[],
  instances: Instances,
): { readonly set: ConstraintSet; readonly lost: readonly AnswerRecord[] } {
  const ids = new Set(Array.from({ length: instances.n }, (_, row) => idOf(instances, row)));
  const isThere = ({ ask }: AnswerRecord) => ask.every((id) => ids.has(id));
  const { mustLink, cannotLink, relative } = constraintListsOf(believedOf(answers.filter(isThere)));
  return {
    set: constraints(instances, { mustLink, cannotLink, relative, exclusive: [], ids: "ids" }),
    lost: answers.filter((record) => !isThere(record)),
  };
}

/** An answer as a constraint. */
export function constraintIn({ kind, ask, answer }: AnswerRecord): Constraint {
  return constraintOf(kind, ask, answer)!;
}

/** How often evidence from before is taken to be wrong. */
const USUAL_RATE = 0.1;

/** Answers that are law, and those among the others that they and each other do not outweigh. */
export function believedOf(answers: readonly AnswerRecord[]): readonly AnswerRecord[] {
  if (!answers.some(({ evidence }) => evidence)) return answers;
  const node = new Map<string, number>();
  const nodeOf = (id: InstanceId) => {
    const key = JSON.stringify(id);
    if (!node.has(key)) node.set(key, node.size);
    return node.get(key)!;
  };
  const said = answers.filter(({ kind, answer }) => kind === "pair" && answer !== "unsure");
  const ties = said.map(({ ask: [a, b], answer, evidence, confidence }) => {
    const weight = evidence ? weightOf(USUAL_RATE, confidence) : LAW;
    return { a: nodeOf(a), b: nodeOf(b), weight: answer === "same" ? weight : -weight };
  });
  const kept = believed(node.size, ties);
  const overruled = new Set(said.filter((_, place) => !kept[place]));
  return answers.filter((record) => !overruled.has(record));
}

export function idsOf({ ask }: Question, instances: Instances): InstanceId[] {
  return ask.map((row) => idOf(instances, row));
}

export interface AskingPlan {
  /** Answers from stretches before this one: knowledge of the session, but for those that said nothing. */
  readonly earlier: readonly AnswerRecord[];
  /** The most answers, earlier ones included. */
  readonly budget: number;
  /** Throws where these answers cannot all be true. */
  readonly check?: (answers: readonly AnswerRecord[]) => void;
  /** Drives what an answer sets off, with pauses; by default it is done at once. */
  readonly drive?: (steps: Steps<void>) => Promise<void>;
}

/** A session whose every answer is kept before it counts. */
export class Asking {
  readonly #instances: Instances;
  readonly #store: AnswerStore | null;
  readonly #plan: AskingPlan;
  readonly #dialogue: Dialogue;
  readonly #answers: AnswerRecord[] = [];

  constructor(session: Session, instances: Instances, store: AnswerStore | null, plan: AskingPlan) {
    this.#instances = instances;
    this.#store = store;
    this.#plan = plan;
    const open = new Set(plan.earlier.filter(({ answer }) => answer === "unsure").map(({ ask }) => keyOf(ask)));
    this.#dialogue = new Dialogue(session, (question) => open.has(keyOf(idsOf(question, instances))));
  }

  get session(): Session {
    return this.#dialogue.session;
  }

  /** Answers that count, from all stretches. */
  get answered(): number {
    return this.#plan.earlier.length + this.answers.length;
  }

  /** The answers of this stretch that count. */
  get answers(): readonly AnswerRecord[] {
    return this.#answers;
  }

  next(): Question | null {
    return this.answered >= this.#plan.budget ? null : this.#dialogue.next();
  }

  /**
   * Gives a fresh session the answers of its stretch, which are in the log. False if the session asks other questions than before: then it
   * has to be opened anew.
   */
  async replay(answers: readonly AnswerRecord[]): Promise<boolean> {
    for (const record of answers) {
      const question = this.next();
      const answer = question && answerIn(constraintIn(record), question.kind, idsOf(question, this.#instances));
      if (!answer) return false;
      await this.#take({ ...record, answer } as AnswerRecord);
      this.#answers.push(record);
    }
    return true;
  }

  /** Resolves when the log and the session have the answer; `about`: who gave it, where that is no person. */
  async answer(answer: QuestionAnswer, about: Provenance = {}): Promise<AnswerRecord> {
    const question = this.next();
    if (!question) throw badOption("answer", answer, "given to a question, and there is none");
    const record: AnswerRecord = { ...recordOf(question, answer, this.answered + 1, this.#instances), ...about };
    await this.#store?.append(record);
    try {
      await this.#take(record);
    } catch (error) {
      // The session cannot take the answer: the log takes it back, so that log and session agree.
      if (error instanceof CoterieError) await this.#store?.append({ record: "undo", number: record.number });
      // An interruption is no reason to forget an answer: the session takes it when the log is replayed.
      else this.#answers.push(record);
      throw error;
    }
    this.#answers.push(record);
    return record;
  }

  async #take({ answer, evidence, confidence }: AnswerRecord): Promise<void> {
    const steps = this.#dialogue.answer(answer, evidence ? (confidence ?? 1) : "law");
    if (this.#plan.drive) await this.#plan.drive(steps);
    else drain(steps);
  }

  /**
   * Puts another answer in the place of one, from whichever stretch; those after it stay. Returns the old one. Throws where the others
   * contradict it. The session has the old answer: it has to be opened anew from the log.
   */
  async revise(number: number, answer: QuestionAnswer): Promise<AnswerRecord> {
    const all = [...this.#plan.earlier, ...this.answers];
    const old = all.find((each) => each.number === number);
    if (!old) throw badOption("number", number, `that of an answer, from 1 to ${this.answered}`);
    const words: readonly string[] = old.kind === "pair" ? ["same", "different", "unsure"] : ["a", "b", "c", "unsure"];
    if (!words.includes(answer)) throw badOption("answer", answer, words.join(", "));
    const revised = { record: "answer", number, kind: old.kind, ask: old.ask, answer } as AnswerRecord;
    this.#plan.check?.(all.map((each) => (each === old ? revised : each)));
    await this.#store?.append({ record: "revise", number, answer });
    return old;
  }

  /** Takes the last answer of this stretch back; null if there is none. */
  async undo(): Promise<AnswerRecord | null> {
    const record = this.#answers.at(-1);
    if (!record) return null;
    await this.#store?.append({ record: "undo", number: record.number });
    this.#answers.pop();
    this.#dialogue.undo();
    return record;
  }
}

/** A question whatever the order of its rows. */
function keyOf(ask: readonly InstanceId[]): string {
  return JSON.stringify(ask.map(String).sort());
}

function recordOf(question: Question, answer: QuestionAnswer, number: number, instances: Instances): AnswerRecord {
  const words: readonly string[] = question.kind === "pair" ? ["same", "different", "unsure"] : ["a", "b", "c", "unsure"];
  if (!words.includes(answer)) throw badOption("answer", answer, words.join(", "));
  return { record: "answer", number, kind: question.kind, ask: idsOf(question, instances), answer } as AnswerRecord;
}
