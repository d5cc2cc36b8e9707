/** A session of questions that skips what somebody did not know before. */
import { drain, type Question, type QuestionAnswer, type Session, type Steps } from "@coterie/core/internal";

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
    // A session that looks for a question nobody wants would take in what is known about it.
    while (found.length < most) {
      const question = this.next();
      if (!question) break;
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

  /** Of the answer at this place among all answers of the session: its place among the given ones; -1 if it skips a question. */
  givenPlace(place: number): number {
    return this.#given[place] ? this.#given.slice(0, place).filter(Boolean).length : -1;
  }
}
