/**
 * A dialogue that is kept: a session of questions, and a log that has every answer before the session hears it. The terminal and
 * the studio talk through this; where the log is, a disk or a browser's storage, is the store's business.
 */
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

/** Answers about rows that still exist, as constraints beside those given; `lost` speak of rows that do not. */
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

/** How often evidence from before is taken to be wrong. */
const USUAL_RATE = 0.1;

/** Answers that are law, and those among the others that they and each other do not outweigh. */
function believedOf(answers: readonly AnswerRecord[]): readonly AnswerRecord[] {
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
  readonly session: Session;
  readonly #instances: Instances;
  readonly #store: AnswerStore | null;
  readonly #plan: AskingPlan;
  /** What somebody did not know in an earlier stretch is not asked again. */
  readonly #open: ReadonlySet<string>;
  /** What the session heard: answers, and null where it was told that nobody knows. */
  readonly #heard: (AnswerRecord | null)[] = [];

  constructor(session: Session, instances: Instances, store: AnswerStore | null, plan: AskingPlan) {
    this.session = session;
    this.#instances = instances;
    this.#store = store;
    this.#plan = plan;
    this.#open = new Set(plan.earlier.filter(({ answer }) => answer === "unsure").map(({ ask }) => keyOf(ask)));
  }

  /** Answers that count, from all stretches. */
  get answered(): number {
    return this.#plan.earlier.length + this.answers.length;
  }

  /** The answers of this stretch that count. */
  get answers(): readonly AnswerRecord[] {
    return this.#heard.filter((record) => record !== null);
  }

  next(): Question | null {
    if (this.answered >= this.#plan.budget) return null;
    for (;;) {
      const question = this.session.next();
      if (!question || !this.#open.has(keyOf(idsOf(question, this.#instances)))) return question;
      this.session.answer("unsure");
      this.#heard.push(null);
    }
  }

  /**
   * Tells a fresh session the answers of its stretch, which are kept already. False if it asks other questions than it did: then it
   * has to be opened anew.
   */
  async replay(answers: readonly AnswerRecord[]): Promise<boolean> {
    for (const record of answers) {
      const question = this.next();
      if (question?.kind !== record.kind || !isSame(idsOf(question, this.#instances), record.ask)) return false;
      await this.#hear(record);
      this.#heard.push(record);
    }
    return true;
  }

  /** Resolves when the answer is kept and heard; `about`: who gave it, where that is no person. */
  async answer(answer: QuestionAnswer, about: Provenance = {}): Promise<AnswerRecord> {
    const question = this.next();
    if (!question) throw badOption("answer", answer, "given to a question, and there is none");
    const record: AnswerRecord = { ...recordOf(question, answer, this.answered + 1, this.#instances), ...about };
    await this.#store?.append(record);
    try {
      await this.#hear(record);
    } catch (error) {
      // The session cannot live with it: what was kept is taken back, so that log and session say the same.
      if (error instanceof CoterieError) await this.#store?.append({ record: "undo", number: record.number });
      // An interruption is no reason to forget an answer: it is heard when the log is replayed.
      else this.#heard.push(record);
      throw error;
    }
    this.#heard.push(record);
    return record;
  }

  async #hear({ answer, evidence, confidence }: AnswerRecord): Promise<void> {
    const steps = this.session.answerSteps(answer, evidence ? (confidence ?? 1) : "law");
    if (this.#plan.drive) await this.#plan.drive(steps);
    else drain(steps);
  }

  /**
   * Puts another answer in the place of one, from whichever stretch; those after it stay. Returns the old one. Throws where the others
   * contradict it. The session has heard the old answer: it has to be opened anew from the log.
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
    const record = this.answers.at(-1);
    if (!record) return null;
    await this.#store?.append({ record: "undo", number: record.number });
    let last: AnswerRecord | null;
    do {
      last = this.#heard.pop()!;
      this.session.undo();
    } while (last === null);
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
