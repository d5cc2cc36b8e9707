/**
 * The dialogue that all strategies about pairs share: no question is repeated, or asked although its answer follows from
 * what is known; a "don't know" is never asked again; the last answer can always be taken back.
 */
import { badOption } from "../../errors.js";
import { type Dialogue, drain, type PairAnswer, type PairQuestion, type QuestionAnswer, type Steps } from "../../steps/index.js";
import type { Outcome } from "../method.js";
import { Journal } from "./journal.js";
import { Knowledge, type Learned } from "./knowledge.js";
import { movedRows } from "./moved-rows.js";
import type { Questioner, QuestionerSetting, Session, SessionResult, StrategyInput } from "./strategy.js";

interface Turn {
  readonly mark: number;
  readonly question: PairQuestion;
  readonly answer: PairAnswer;
  readonly learned: Learned;
  /** The clustering before the answer, if anybody looked at it. */
  readonly before: Outcome | null;
}

export class PairSession implements Session {
  readonly #journal: Journal;
  readonly #knowledge: Knowledge;
  readonly #questioner: Questioner;
  readonly #budget: number;
  readonly #turns: Turn[] = [];
  /** Undefined while the next question has not been looked for. */
  #pending: PairQuestion | null | undefined;
  #outcome: Outcome | null = null;

  constructor(setting: QuestionerSetting, questioner: Questioner) {
    this.#journal = setting.journal;
    this.#knowledge = setting.knowledge;
    this.#budget = setting.budget;
    this.#questioner = questioner;
  }

  get asked(): number {
    return this.#turns.length;
  }

  next(): PairQuestion | null {
    if (this.asked >= this.#budget) return null;
    if (this.#pending === undefined) this.#pending = this.#find();
    return this.#pending;
  }

  /** The first pair proposed about which nothing is known; the others are answered without asking. */
  #find(): PairQuestion | null {
    for (;;) {
      const pair = this.#questioner.propose();
      if (pair === null) return null;
      const known = this.#knowledge.relation(pair[0], pair[1]);
      if (known === null) return { kind: "pair", ask: pair };
      this.#questioner.heard(known);
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
    this.#questioner.heard(answer);
    this.#turns.push({ mark, question, answer, learned, before: this.#outcome });
    this.#pending = undefined;
    this.#outcome = null;
  }

  // biome-ignore lint/correctness/useYield: an answer about a pair takes no time worth a pause.
  *answerSteps(answer: QuestionAnswer): Steps<void> {
    this.answer(answer);
  }

  undo(): boolean {
    const turn = this.#turns.pop();
    if (!turn) return false;
    this.#journal.rewind(turn.mark);
    this.#pending = turn.question;
    this.#outcome = turn.before;
    return true;
  }

  result(): SessionResult {
    return drain(this.resultSteps());
  }

  *resultSteps(): Steps<SessionResult> {
    this.#outcome ??= yield* this.#questioner.outcome();
    const last = this.#turns.at(-1);
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

/** What a questioner stands on: knowledge that starts from the given constraints, and a journal. */
export function settingOf(input: StrategyInput): QuestionerSetting {
  const journal = new Journal();
  return { ...input, journal, knowledge: new Knowledge(input.constraints, journal, input.points.ids) };
}

/** A session as a dialogue, for drivers that answer: simulations, replays. */
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
