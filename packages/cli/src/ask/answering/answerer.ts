/**
 * A program that answers. Questions go to it as they come, answers may come in any order. A question whose answer does not come in
 * time, or is rubbish, is asked again, with the same id: whichever answer comes first counts. When its retries are used up, or the
 * program has ended, that is told in a sentence; what was answered before is kept.
 */
import { badInput, type Question } from "@coterie/core/internal";
import type { AnsweringPlan } from "./plan.js";
import { questionLine, type ReadableRow, shortened } from "./question-line.js";
import { type Reply, readReply } from "./reply.js";
import { type ShellProcess, startShell } from "./shell-process.js";

interface Waiting {
  readonly line: string;
  readonly kind: Question["kind"];
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
  /** How often it was asked. */
  asked: number;
  timer: NodeJS.Timeout | undefined;
}

export class Answerer {
  readonly command: string;
  readonly #plan: Pick<AnsweringPlan, "timeoutMs" | "retries">;
  readonly #process: ShellProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #kinds = new Map<number, Question["kind"]>();
  #failure: Error | null = null;

  constructor(command: string, plan: Pick<AnsweringPlan, "timeoutMs" | "retries">) {
    this.command = command;
    this.#plan = plan;
    this.#process = startShell(command, {
      line: (text) => this.#hear(text),
      tooLong: () => this.#isRubbish(null, "a line of more than a megabyte", "that is no line of JSON"),
      over: (reason) => this.#fail(reason),
    });
  }

  /** Rejects with a sentence where no answer is to be had. */
  async ask(id: number, kind: Question["kind"], rows: readonly ReadableRow[], vote: number | undefined): Promise<Reply> {
    if (this.#failure) throw this.#failure;
    return await new Promise((resolve, reject) => {
      const line = questionLine({ id, kind, rows, vote });
      const waiting: Waiting = { line, kind, resolve, reject, asked: 0, timer: undefined };
      this.#waiting.set(id, waiting);
      this.#kinds.set(id, kind);
      this.#process.listen(true);
      this.#send(id, waiting);
    });
  }

  /** Nobody waits any more. */
  giveUp(reason: unknown): void {
    for (const [id, { reject }] of this.#waiting) {
      this.#forget(id);
      reject(reason);
    }
  }

  async close(force: boolean): Promise<void> {
    await this.#process.close(force);
  }

  #send(id: number, waiting: Waiting): void {
    waiting.asked++;
    this.#wait(id, waiting);
    this.#process.send(waiting.line);
  }

  #wait(id: number, waiting: Waiting): void {
    clearTimeout(waiting.timer);
    const seconds = this.#plan.timeoutMs / 1000;
    waiting.timer = setTimeout(() => this.#again(id, `did not answer within ${seconds} seconds`), this.#plan.timeoutMs);
  }

  #forget(id: number): void {
    clearTimeout(this.#waiting.get(id)?.timer);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#process.listen(false);
  }

  #hear(line: string): void {
    if (line.trim() === "" || this.#failure) return;
    const { id, reply, wrong } = readReply(line, (asked) => this.#kinds.get(asked));
    if (reply === undefined) {
      this.#isRubbish(id, JSON.stringify(shortened(line, 120)), wrong);
      return;
    }
    const waiting = this.#waiting.get(id);
    // One that comes late, or again, changes nothing.
    if (!waiting) return;
    this.#forget(id);
    waiting.resolve(reply);
    // Whoever answers one after the other is not late with the next.
    for (const [other, each] of this.#waiting) this.#wait(other, each);
  }

  /** Rubbish that names no question is taken for an answer to the one that has waited longest. */
  #isRubbish(id: number | null, what: string, wrong: string): void {
    const about = id ?? this.#waiting.keys().next().value;
    if (about !== undefined && this.#waiting.has(about)) this.#again(about, `keeps answering rubbish: ${what}, and ${wrong}`);
  }

  #again(id: number, reason: string): void {
    const waiting = this.#waiting.get(id)!;
    if (waiting.asked <= this.#plan.retries) this.#send(id, waiting);
    else
      this.#fail(waiting.asked > 1 ? `${reason} (question ${id}, asked ${waiting.asked} times)` : `${reason} (question ${id})`);
  }

  #fail(reason: string): void {
    if (this.#failure) return;
    const said = this.#process.said().map((line) => JSON.stringify(shortened(line, 200)));
    this.#failure = badInput(
      `The command of --answer-with ${reason}: ${shortened(this.command, 200)}${said.length > 0 ? `. It said: ${said.join(" ")}` : ""}.`,
      {
        remedy:
          'It reads a line of JSON for each question and writes one for each answer, such as {"id":1,"answer":"same"}; other words belong on standard error.',
      },
    );
    this.giveUp(this.#failure);
    this.#process.listen(false);
  }
}
