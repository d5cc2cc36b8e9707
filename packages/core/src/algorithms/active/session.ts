/**
 * The dialogue that all strategies about pairs share. It skips every pair that was asked before, that was answered "unsure", or whose
 * relation follows from known relations. The last answer can always be undone.
 */
import { badOption } from "../../errors.js";
import { type Dialogue, drain, type PairAnswer, type PairQuestion, type QuestionAnswer, type Steps } from "../../steps/index.js";
import type { Outcome } from "../method.js";
import { Journal } from "./journal.js";
import { Knowledge, type Learned } from "./knowledge.js";
import { movedRows } from "./moved-rows.js";
import type { Questioner, QuestionerSetting, Session, SessionResult, StrategyInput } from "./strategy.js";

interface Answered {
  readonly mark: number;
  readonly question: PairQuestion;
  readonly answer: PairAnswer;
  readonly learned: Learned;
  /** The clustering before the answer; null if it was not computed. */
  readonly before: Outcome | null;
}

export class PairSession implements Session {
  readonly #journal: Journal;
  readonly #knowledge: Knowledge;
  readonly #questioner: Questioner;
  readonly #budget: number;
  readonly #answered: Answered[] = [];
  /** Undefined until the next question is computed; null if there is no further question. */
  #pending: PairQuestion | null | undefined;
  #outcome: Outcome | null = null;

  constructor(setting: QuestionerSetting, questioner: Questioner) {
    this.#journal = setting.journal;
    this.#knowledge = setting.knowledge;
    this.#budget = setting.budget;
    this.#questioner = questioner;
  }

  get asked(): number {
    return this.#answered.length;
  }

  next(): PairQuestion | null {
    if (this.asked >= this.#budget) return null;
    if (this.#pending === undefined) this.#pending = this.#find();
    return this.#pending;
  }

  /**
   * Asks the questioner for pairs until a pair has no known relation, and returns this pair as a question. If the relation of a proposed
   * pair is known, the questioner receives the relation as if a person had answered.
   */
  #find(): PairQuestion | null {
    for (;;) {
      const pair = this.#questioner.propose();
      if (pair === null) return null;
      const known = this.#knowledge.relation(pair[0], pair[1]);
      if (known === null) return { kind: "pair", ask: pair };
      this.#questioner.observe(known);
    }
  }

  answer(answer: QuestionAnswer): void {
    const question = this.next();
    if (question === null) throw badOption("answer", answer, "given to a question, and there is none");
    if (answer !== "same" && answer !== "different" && answer !== "unsure") {
      throw badOption("answer", answer, '"same", "different" or "unsure"');
    }
    const mark = this.#journal.mark();
    const learned = this.#knowledge.learn(question.ask[0], question.ask[1], answer);
    this.#questioner.observe(answer);
    this.#answered.push({ mark, question, answer, learned, before: this.#outcome });
    this.#pending = undefined;
    this.#outcome = null;
  }

  // biome-ignore lint/correctness/useYield: an answer about a pair takes no time worth a pause.
  *answerSteps(answer: QuestionAnswer): Steps<void> {
    this.answer(answer);
  }

  undo(): boolean {
    const entry = this.#answered.pop();
    if (!entry) return false;
    this.#journal.rewind(entry.mark);
    this.#pending = entry.question;
    this.#outcome = entry.before;
    return true;
  }

  result(): SessionResult {
    return drain(this.resultSteps());
  }

  *resultSteps(): Steps<SessionResult> {
    this.#outcome ??= yield* this.#questioner.outcome();
    const last = this.#answered.at(-1);
    return {
      constraints: this.#knowledge.constraints(),
      outcome: this.#outcome,
      change: last
        ? {
            question: last.question,
            answer: last.answer,
            ...last.learned,
            moved: last.before ? movedRows(last.before.labels, this.#outcome.labels) : null,
          }
        : null,
    };
  }
}

/** Creates the state of a questioner: the relations that follow from the given constraints, and an empty journal. */
export function settingOf(input: StrategyInput): QuestionerSetting {
  const journal = new Journal();
  return { ...input, journal, knowledge: new Knowledge(input.constraints, journal, input.points.ids) };
}

/**
 * Runs a session as a generator that yields questions and receives answers, for callers that answer automatically (simulations, replays).
 */
export function* dialogueOf(session: Session): Dialogue<SessionResult> {
  for (;;) {
    const question = session.next();
    if (question === null) break;
    const answer = yield question;
    if (answer === "stop") break;
    if (answer === "undo") session.undo();
    else session.answer(answer);
  }
  return session.result();
}
