/** The programs that answer a session's questions together: what is remembered is not asked, the rest is put to the vote. */
import { createHash } from "node:crypto";
import type { Instances, Question } from "@coterie/core/internal";
import type { ShownColumn } from "../shown-columns.js";
import { Answerer } from "./answerer.js";
import type { AnswerCache } from "./cache.js";
import type { AnsweringPlan } from "./plan.js";
import { type Content, contentOf, fromKeyOrder, type ReadableRow, readableRows, shortened, toKeyOrder } from "./question-line.js";
import type { Reply } from "./reply.js";
import { majorityOf, type Verdict } from "./votes.js";

export interface PanelVerdict extends Verdict {
  /** Who answered. */
  readonly by: string;
  /** Whether nobody had to be asked. */
  readonly remembered: boolean;
}

export class Panel {
  readonly #plan: AnsweringPlan;
  readonly #cache: AnswerCache;
  readonly #instances: Instances;
  readonly #columns: readonly ShownColumn[];
  /** Started when the first question comes to them. */
  readonly #answerers: (Answerer | undefined)[] = [];
  #asked = 0;

  constructor(plan: AnsweringPlan, cache: AnswerCache, instances: Instances, columns: readonly ShownColumn[]) {
    this.#plan = plan;
    this.#cache = cache;
    this.#instances = instances;
    this.#columns = columns;
  }

  /** `again`: how often the same rows were asked about before. */
  async answer(question: Question, again: number, signal: AbortSignal): Promise<PanelVerdict> {
    signal.throwIfAborted();
    const rows = readableRows(question, this.#instances, this.#columns);
    const content = contentOf(question.kind, rows);
    const stop = () => {
      for (const each of this.#answerers) each?.giveUp(signal.reason);
    };
    signal.addEventListener("abort", stop);
    try {
      const asked = this.#asked;
      const votes = Array.from({ length: this.#plan.votes }, (_, vote) => this.#vote(question, rows, content, again, vote));
      const replies = await Promise.all(votes);
      return { ...majorityOf(replies), by: this.#by(), remembered: this.#asked === asked };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async close(force: boolean): Promise<void> {
    await Promise.all(this.#answerers.map((each) => each?.close(force)));
  }

  async #vote({ kind }: Question, rows: readonly ReadableRow[], content: Content, again: number, vote: number): Promise<Reply> {
    const { commands, votes } = this.#plan;
    const place = vote % commands.length;
    const round = Math.floor(vote / commands.length) + again * Math.ceil(votes / commands.length);
    const key = keyOf(commands[place]!, content, round);
    const known = this.#cache.get(key);
    if (known) return { ...known, answer: fromKeyOrder(known.answer, content) };
    this.#answerers[place] ??= new Answerer(commands[place]!, this.#plan);
    const reply = await this.#answerers[place].ask(++this.#asked, kind, rows, votes > 1 ? vote + 1 : undefined);
    this.#cache.set(key, { ...reply, answer: toKeyOrder(reply.answer, content) });
    return reply;
  }

  #by(): string {
    return this.#plan.commands.map((command) => `command: ${shortened(command, 200)}`).join(" · ");
  }
}

/** The same content put to another program, or once more, is another question. */
function keyOf(command: string, { key }: Content, round: number): string {
  return createHash("sha256")
    .update(JSON.stringify([command, key, round]))
    .digest("hex")
    .slice(0, 32);
}
