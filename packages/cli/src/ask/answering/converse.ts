/**
 * Lets programs answer the questions of `coterie ask`. Each answer is saved, with the name of the program, before the next question is
 * asked.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { badInput, type Instances, type Question } from "@coterie/core/internal";
import type { ErrorRate } from "@coterie/workbench/protocol";
import type { Dialogue } from "../dialogue.js";
import type { ShownColumn } from "../shown-columns.js";
import type { Ending, Talk } from "../talk.js";
import { type AnswerCache, cachePath, openCache } from "./cache.js";
import type { AnsweringPlan } from "./plan.js";
import {
  type Content,
  contentOf,
  fromKeyOrder,
  questionLine,
  type ReadableRow,
  readableRows,
  shortened,
  toKeyOrder,
} from "./question-line.js";
import { type Reply, readReply } from "./reply.js";

/*
 * A program that answers questions (`--answer-with`). It can answer the questions in any order. If an answer is late or invalid, the
 * question is sent again with the same id, and the first valid answer counts. When the retries of a question are used up, or the program
 * has ended, the user gets a message; earlier answers are kept.
 */

const LONGEST_LINE = 1 << 20;

const LONGEST_SAID = 2_000;

const LAST_LINES = 3;

/**
 * Time limits in milliseconds for ending a program.
 * - NEWS_MS: after the program closed its output, the wait for its exit code.
 * - OWN_END_MS: after its input was closed, the time to end by itself.
 * - TOLD_END_MS: after a SIGTERM signal, the time to end before it is killed.
 */
const NEWS_MS = 500;

const OWN_END_MS = 2_000;

const TOLD_END_MS = 400;

/** Exit codes with which a shell reports that a command does not exist or cannot be executed. */
const NOT_STARTED: readonly (number | null)[] = [126, 127, 9009];

interface Waiting {
  readonly line: string;
  readonly kind: Question["kind"];
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
  asked: number;
  timer: NodeJS.Timeout | undefined;
}

class Answerer {
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
    // The question already has an answer, so this late or repeated answer is ignored.
    if (!waiting) return;
    this.#forget(id);
    waiting.resolve(reply);
    // Restart the timers of the other open questions, because a program can answer its questions one by one.
    for (const [other, each] of this.#waiting) this.#wait(other, each);
  }

  /**
   * Handles an invalid line in the output of a program. If the line has no question id, it is treated as the answer to the oldest open
   * question.
   */
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

/*
 * Runs a shell command and exchanges lines with it. The command leads its own process group: ending the group also ends all processes that
 * the command started, and Ctrl-C at the terminal reaches only Coterie.
 */

interface ShellEvents {
  readonly line: (text: string) => void;
  readonly tooLong: () => void;
  readonly over: (reason: string) => void;
}

interface ShellProcess {
  send(text: string): void;
  /** Starts or stops reading the output of the program. While reading is stopped, the output stays in the pipe. */
  listen(isWaiting: boolean): void;
  said(): string[];
  /**
   * Closes the standard input of the program and waits for the program to end. If `force` is true, or if the program does not end in time,
   * kills all processes of the program.
   */
  close(force: boolean): Promise<void>;
}

function startShell(command: string, { line, tooLong, over }: ShellEvents): ShellProcess {
  // Windows has no process groups; there, taskkill ends the process and its children.
  const child = spawn(command, { shell: true, detached: process.platform !== "win32", stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve(`could not be started (${error.code ?? error.message})`));
    child.once("exit", (code, signal) => resolve(endOf(code, signal)));
  });
  const killAtExit = () => endGroup(child, "SIGKILL");
  process.once("exit", killAtExit);

  let isOver = false;
  const finish = async (otherwise: string) => {
    if (isOver) return;
    isOver = true;
    over(await Promise.race([ended, later(NEWS_MS, otherwise)]));
  };
  const reader = lineReader(LONGEST_LINE, { line, tooLong });
  child.stdout.on("data", (bytes: Buffer) => reader.take(bytes));
  child.stdout.once("end", () => {
    reader.end();
    void finish("closed its standard output");
  });
  child.stdout.on("error", () => void finish("closed its standard output"));
  child.stdin.on("error", () => void finish("closed its standard input"));
  child.once("error", () => void finish("could not be started"));
  let tail = "";
  child.stderr.on("data", (bytes: Buffer) => {
    tail = (tail + bytes.toString("utf8")).slice(-LONGEST_SAID);
  });
  child.stderr.on("error", () => {});

  return {
    send: (text) => void child.stdin.write(text),
    listen: (isWaiting) => void (isWaiting ? child.stdout.resume() : child.stdout.pause()),
    said: () =>
      tail
        .split(/[\r\n]+/)
        .map((each) => each.trim())
        .filter((each) => each !== "")
        .slice(-LAST_LINES),
    async close(force) {
      child.stdin.end();
      const gone = await Promise.race([ended.then(() => true), later(force ? 0 : OWN_END_MS, false)]);
      endGroup(child, "SIGTERM");
      if (!gone) await Promise.race([ended, later(TOLD_END_MS, "")]);
      endGroup(child, "SIGKILL");
      process.off("exit", killAtExit);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
  };
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `was ended by ${signal}`;
  return NOT_STARTED.includes(code) ? `could not be started (exit code ${code})` : `ended with exit code ${code}`;
}

function later<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value), milliseconds).unref());
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform !== "win32") process.kill(-child.pid, signal);
    else if (child.exitCode === null) spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore" });
  } catch {
    // `process.kill` throws if all processes of the group have already ended. Nothing is left to do then.
  }
}

/* Splits a stream of bytes into lines. A line that is too long is dropped, and reported by a call of `tooLong`. */

interface LineReader {
  take(bytes: Uint8Array): void;
  end(): void;
}

interface LineEvents {
  readonly line: (text: string) => void;
  readonly tooLong: () => void;
}

export function lineReader(longest: number, { line, tooLong }: LineEvents): LineReader {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isLost = false;
  const grow = (text: string) => {
    if (isLost) return;
    rest += text;
    if (rest.length <= longest) return;
    rest = "";
    isLost = true;
    tooLong();
  };
  const finish = () => {
    if (!isLost) line(rest);
    rest = "";
    isLost = false;
  };
  return {
    take(bytes) {
      const pieces = decoder.write(Buffer.from(bytes)).split("\n");
      pieces.forEach((piece, place) => {
        grow(piece);
        if (place < pieces.length - 1) finish();
      });
    },
    end() {
      grow(decoder.end());
      if (rest !== "" || isLost) finish();
    },
  };
}

export interface Conversation extends Pick<Talk, "instances" | "columns" | "budget" | "io" | "progress" | "script"> {
  readonly plan: AnsweringPlan;
  readonly dialogue: Dialogue;
  readonly path: string;
  readonly evidence: ErrorRate;
}

export async function converse(conversation: Conversation): Promise<Ending> {
  const { plan, dialogue, instances, columns, io, progress } = conversation;
  const cache: AnswerCache = openCache(cachePath(conversation.path), (sentence) => io.say(sentence));
  const panel = new Panel(plan, cache, instances, columns);
  let force = true;
  try {
    for (let question = dialogue.next(); question; question = dialogue.next()) {
      const asked = dialogue.record();
      await tell(conversation, asked);
      const given = await patiently(conversation, panel.answer(question, timesAsked(asked, conversation), io.signal));
      const { votes, ...about } = given;
      // If the session refuses the answer, `orUnsure` records "unsure" together with the refused answer. The question stays open.
      const [record] = await dialogue.answer(votes, { ...about, evidence: conversation.evidence, orUnsure: true });
      await tell(conversation, record);
    }
    force = false;
    return "nothing left";
  } catch (error) {
    if (io.signal.aborted) return "interrupted";
    throw error;
  } finally {
    progress.clear();
    await panel.close(force);
  }
}

/** With `--script`, writes a question or a saved answer to standard output as JSON. */
async function tell({ io, script }: Conversation, record: object): Promise<void> {
  if (script) await io.out(`${JSON.stringify(record)}\n`);
}

function timesAsked({ ask }: Pick<ReturnType<Dialogue["record"]>, "ask">, { dialogue }: Conversation): number {
  const keyOf = (ids: readonly (string | number)[]) => JSON.stringify(ids.map(String).sort());
  return dialogue.newer.filter((each) => keyOf(each.ask) === keyOf(ask)).length;
}

async function patiently<T>({ dialogue, budget, io, progress }: Conversation, work: Promise<T>): Promise<T> {
  const began = performance.now();
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    const phase = io.terminal && seconds > 1 ? `answers, waiting ${seconds} s` : "answers";
    progress.show({ phase, done: dialogue.answers.length, total: budget });
  };
  show();
  const timer = setInterval(show, 500);
  return await work.finally(() => clearInterval(timer));
}

/*
 * The programs of `--answer-with`, which together answer the questions of a session. A program is not asked again if the cache has its
 * answer.
 */

interface PanelVotes {
  readonly votes: Reply[];
  readonly program: string;
  /** Set if the cache had all answers to the question, so that no program was asked. */
  readonly remembered?: true;
}

class Panel {
  readonly #plan: AnsweringPlan;
  readonly #cache: AnswerCache;
  readonly #instances: Instances;
  readonly #columns: readonly ShownColumn[];
  readonly #answerers: (Answerer | undefined)[] = [];
  #asked = 0;

  constructor(plan: AnsweringPlan, cache: AnswerCache, instances: Instances, columns: readonly ShownColumn[]) {
    this.#plan = plan;
    this.#cache = cache;
    this.#instances = instances;
    this.#columns = columns;
  }

  async answer(question: Question, again: number, signal: AbortSignal): Promise<PanelVotes> {
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
      return { votes: replies, program: this.#programs(), ...(this.#asked === asked ? { remembered: true } : {}) };
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

  #programs(): string {
    return this.#plan.commands.map((command) => `command: ${shortened(command, 200)}`).join(" · ");
  }
}

/**
 * The key of an answer in the cache: a hash of the program's command, the content of the question, and `round`.
 * round: number of earlier requests for the same question to this program.
 */
function keyOf(command: string, { key }: Content, round: number): string {
  return createHash("sha256")
    .update(JSON.stringify([command, key, round]))
    .digest("hex")
    .slice(0, 32);
}
