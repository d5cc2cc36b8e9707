/**
 * The dialogue with a person: shows a question, waits for a key or a line, shows what the answer changed. What is shown goes to
 * standard error; an answer is acknowledged only after it is kept.
 */
import { CoterieError, type Instances, idOf, type Question, type QuestionAnswer } from "@coterie/core/internal";
import type { AnswerRecord } from "@coterie/data";
import { ODD_KEYS, worthAsking } from "@coterie/workbench";
import type { ErrorRate } from "@coterie/workbench/protocol";
import type { Io, Typing } from "../command.js";
import { hanging } from "../help.js";
import type { Progress } from "../progress.js";
import { type Line, visible } from "../text/visible.js";
import { fitted, widthOf, wrap } from "../text/width.js";
import { answerText, changeLine, numberOf } from "./change-line.js";
import type { Dialogue } from "./dialogue.js";
import {
  type Action,
  actionOfKey,
  actionOfLine,
  helpLines,
  keysIn,
  keysOf,
  type Revision,
  revisionOf,
  wrongKey,
} from "./keys.js";
import { questionTable, styled } from "./question-table.js";
import type { ShownColumn } from "./shown-columns.js";

const MOST_CLUSTERS = 12;

const MOST_NAMES = 4;

/** Lines besides: the blank before, what was answered last, how many columns there are more, a word about a wrong key, the cursor. */
const SPARE = 5;

export interface Talk {
  dialogue: Dialogue;
  /** Opens the dialogue anew, after an answer was revised. */
  readonly reopen: () => Promise<Dialogue>;
  readonly instances: Instances;
  readonly columns: readonly ShownColumn[];
  readonly budget: number;
  readonly io: Io;
  readonly progress: Progress;
  readonly quiet: boolean;
  /** Questions and kept answers also go to standard output, as JSON lines. */
  readonly script: boolean;
  /** The person says that answers may be wrong, as often as this. Otherwise they are certain. */
  readonly evidence?: ErrorRate | undefined;
}

/** Why the dialogue is over. */
export type Ending = "nothing left" | "stopped" | "end of input" | "interrupted";

export async function talk(talk: Talk): Promise<Ending> {
  const { io } = talk;
  const typing = io.input.open();
  const paper = new Paper(io, talk.quiet);
  const source = io.input.keyboard ? keyboard(typing, io, paper) : lines(typing, io);
  try {
    for (;;) {
      const { dialogue } = talk;
      const question = dialogue.next();
      if (!question) return "nothing left";
      await show(question, talk, paper);
      const action = await source(question);
      if (action === null) return "end of input";
      if (action === "interrupt") return "interrupted";
      if (action === "stop") return "stopped";
      if (action === "clusters") {
        const { labels } = await dialogue.clusters();
        const left = talk.budget - dialogue.answers.length;
        paper.note(clustersSoFar(labels, talk.instances, dialogue.newer, left).join("\n"));
      } else if (action === "help") paper.note(helpLines().join("\n"));
      else if (typeof action === "object") {
        if (await revise(action, talk, paper)) talk.dialogue = await talk.reopen();
      } else if (action !== "revise") await act(action, talk, paper);
    }
  } catch (error) {
    if (io.signal.aborted) return "interrupted";
    throw error;
  } finally {
    paper.clear();
    typing.close();
  }
}

async function show(question: Question, talk: Talk, paper: Paper): Promise<void> {
  const { dialogue, instances, columns, budget, io, script } = talk;
  const number = dialogue.answers.length + 1;
  const screen: Screen = { columns: io.columns, lines: io.lines, colours: io.colours };
  paper.question(questionLines({ question, instances, columns, number, budget }, screen));
  if (script) await io.out(`${JSON.stringify(dialogue.record())}\n`);
}

/** Whether it could be done; then the session is opened anew. */
async function revise({ number, answer }: Revision, { dialogue, io, script }: Talk, paper: Paper): Promise<boolean> {
  try {
    const old = await dialogue.revise(number, answer);
    paper.note(`revised: ${answerText(old)} is now ${answerText({ ...old, answer } as AnswerRecord)}`, numberOf(old));
    if (script) await io.out(`${JSON.stringify({ record: "revise", number, answer })}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    paper.note(`Answer ${number} stays as it is: ${error.message}`);
    return false;
  }
}

async function act(action: QuestionAnswer | "undo", { dialogue, io, script, evidence }: Talk, paper: Paper): Promise<void> {
  if (action === "undo") {
    const undone = await dialogue.undo();
    if (undone) paper.note(`taken back: ${answerText(undone)}`, numberOf(undone));
    else paper.note("There is no answer to take back.");
    if (script && undone) await io.out(`${JSON.stringify({ record: "undo", number: undone.number })}\n`);
    return;
  }
  try {
    const [record, change] = await dialogue.answer(action, { evidence });
    paper.note(changeLine(record, change), numberOf(record));
    if (script) await io.out(`${JSON.stringify(record)}\n`);
  } catch (error) {
    // An answer that leaves no way to k clusters is not taken; the person may say something else.
    if (!(error instanceof CoterieError) || !["infeasible", "gave-up", "inconsistent"].includes(error.problem.code)) throw error;
    paper.note(`This answer could not be taken: ${error.message}`);
  }
}

type Source = (question: Question) => Promise<Action | null>;

/** One key a question. What was typed before the question was there is no answer to it; a key without a meaning gets a hint. */
function keyboard(typing: Typing, io: Io, paper: Paper): Source {
  return async (question) => {
    typing.forget();
    for (;;) {
      const text = await typing.read(io.signal);
      if (text === null) return null;
      for (const key of keysIn(text)) {
        const action = actionOfKey(key, question);
        if (action === "revise") {
          const revision = await typedRevision(typing, io, paper);
          if (revision === null) return null;
          if (revision) return revision;
        } else if (action) return action;
        else paper.hint(wrongKey(key));
      }
    }
  };
}

/** The number of an answer and the new one, ended by Enter; undefined where it was given up, null at the end of input. */
async function typedRevision(typing: Typing, io: Io, paper: Paper): Promise<Revision | null | undefined> {
  let text = "";
  for (;;) {
    paper.hint(`Revise which answer, and to what? Such as "3 d" and Enter; Esc gives up: ${text}`);
    const typed = await typing.read(io.signal);
    if (typed === null) return null;
    for (const key of keysIn(typed)) {
      if (key === "\u0003") return null;
      if (key === "\u001b") {
        paper.hint("Nothing is revised.");
        return undefined;
      }
      if (key === "\u007f" || key === "\b") text = text.slice(0, -1);
      else if (key === "\r" || key === "\n") {
        const revision = revisionOf(text);
        if (revision) return revision;
        text = "";
      } else if (key.length === 1) text += key;
    }
  }
}

/** One line an answer; empty lines mean nothing. */
function lines(typing: Typing, io: Io): Source {
  let rest = "";
  let ended = false;
  let number = 0;
  return async (question) => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0 || (ended && rest !== "")) {
        const line = end < 0 ? rest : rest.slice(0, end);
        rest = end < 0 ? "" : rest.slice(end + 1);
        number++;
        if (line.trim() !== "") return actionOfLine(line, number, question);
      } else if (ended) return null;
      else {
        const text = await typing.read(io.signal);
        if (text === null) ended = true;
        else rest += text;
      }
    }
  };
}

/** Standard error as a sheet: on a terminal the answered question gives way to one line about it. */
class Paper {
  readonly #io: Io;
  readonly #quiet: boolean;
  readonly #erases: boolean;
  #drawn = 0;
  #hinted = 0;

  constructor(io: Io, quiet: boolean) {
    this.#io = io;
    this.#quiet = quiet;
    this.#erases = io.terminal && io.input.keyboard && io.env.TERM !== "dumb";
  }

  question(lines: readonly Line[]): void {
    if (this.#quiet && !this.#io.input.keyboard) return;
    this.#io.say("", ...lines);
    this.#drawn = lines.length + 1;
  }

  /** A word below the question; the next one takes its place. */
  hint(text: string): void {
    if (this.#erases && this.#hinted > 0) this.#io.takeBack(this.#hinted);
    const lines = this.#wrapped(text, "");
    this.#io.say(...lines);
    this.#hinted = lines.length;
  }

  /** Takes an open question away. */
  clear(): void {
    if (this.#erases && this.#drawn > 0) this.#io.takeBack(this.#drawn + this.#hinted);
    this.#drawn = 0;
    this.#hinted = 0;
  }

  note(text: string, head = ""): void {
    this.clear();
    if (this.#quiet && !this.#io.input.keyboard) return;
    this.#io.say(...text.split("\n").flatMap((line) => this.#wrapped(line, head)));
  }

  #wrapped(text: string, head: string): string[] {
    return hanging(head, wrap(text, Math.max(20, this.#io.columns - 1 - head.length)));
  }
}

/* A question as lines of text: which one it is, the rows, what is asked, the keys. */

export interface Screen {
  readonly columns: number;
  readonly lines: number;
  readonly colours: boolean;
}

interface QuestionView {
  readonly question: Question;
  readonly instances: Instances;
  readonly columns: readonly ShownColumn[];
  /** The number of this question, and how many there may be. */
  readonly number: number;
  readonly budget: number;
}

export function questionLines(view: QuestionView, screen: Screen): Line[] {
  const { question, number, budget, instances, columns } = view;
  const width = screen.columns - 1;
  const names = question.ask.map(
    (row, place) => `${question.kind === "triplet" ? `${ODD_KEYS[place]}: ` : ""}${nameOf(instances, row)}`,
  );
  const heading: Line = [styled("strong", `Question ${number} of ${budget}`), styled("dim", ` · ${budget - number + 1} left`)];
  const below = [...distanceLine(view).flatMap((text) => hanging("  ", wrap(text, width - 2))), "", ...asking(question, width)];
  const frame = [heading, "", ...below].length + SPARE;
  const { lines, more } = questionTable(
    { columns, names, rows: question.ask },
    { width, lines: screen.lines - frame, colours: screen.colours },
  );
  return [heading, "", ...lines, ...(more > 0 ? [moreLine(more, width)] : []), ...below];
}

function moreLine(more: number, width: number): Line {
  return [styled("dim", fitted(`  and ${more} more ${more === 1 ? "column that differs" : "columns that differ"} less`, width))];
}

/** A row by its name; a bare number is called a row. */
function nameOf(instances: Instances, row: number): string {
  const id = idOf(instances, row);
  return typeof id === "number" ? `row ${id}` : id;
}

/** Rows that are known by their distances alone have nothing else to show. */
function distanceLine({ instances, question }: QuestionView): string[] {
  const { distances, n, d } = instances;
  if (!distances || d > 0) return [];
  const [a, b, c] = question.ask;
  const between = (i: number, j: number) => {
    const [low, high] = i < j ? [i, j] : [j, i];
    return Number(distances[n * low - (low * (low + 1)) / 2 + (high - low - 1)]!.toPrecision(6));
  };
  if (c === undefined) return [`Their distance is ${between(a, b)}.`];
  return [`Distances: a–b ${between(a, b)}, a–c ${between(a, c)}, b–c ${between(b, c)}.`];
}

function asking({ kind }: Question, width: number): Line[] {
  const words =
    kind === "pair" ? "Do these two belong together?" : "Which of the three is the odd one out, least like the other two?";
  const keys = keysOf(kind).map(({ key, word }) => `${key} ${word}`);
  return [...wrapped(words.split(" "), " ", width).map((line) => [styled("strong", line)]), ...wrapped(keys, " · ", width)];
}

function wrapped(parts: readonly string[], joint: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + widthOf(joint) + widthOf(part) <= width)
      lines[lines.length - 1] = last + joint + part;
    else lines.push(part);
  }
  return lines;
}

/* The clusters so far, in a few lines, and how many more questions are worth asking. */

/** `left`: questions that the budget still has. */
function clustersSoFar(labels: Int32Array, instances: Instances, answers: readonly AnswerRecord[], left: number): string[] {
  const members: number[][] = Array.from({ length: labels.reduce((most, label) => Math.max(most, label), -1) + 1 }, () => []);
  labels.forEach((label, row) => {
    if (label >= 0) members[label]!.push(row);
  });
  const order = [...members.keys()].sort((a, b) => members[b]!.length - members[a]!.length || a - b);
  const lines = order.slice(0, MOST_CLUSTERS).map((label) => {
    const rows = members[label]!;
    const names = rows.slice(0, MOST_NAMES).map((row) => visible(nameOf(instances, row)));
    return `cluster ${label}: ${rows.length} ${rows.length === 1 ? "row" : "rows"} (${names.join(", ")}${rows.length > MOST_NAMES ? ", …" : ""})`;
  });
  const more = order.length - MOST_CLUSTERS;
  return [
    `${order.length} ${order.length === 1 ? "cluster" : "clusters"} so far`,
    ...lines,
    ...(more > 0 ? [`and ${more} smaller ones`] : []),
    ...worthLine(labels, instances, answers, left),
  ];
}

/** Says nothing where rows are known by their distances alone. */
function worthLine(labels: Int32Array, instances: Instances, answers: readonly AnswerRecord[], left: number): string[] {
  if (instances.d === 0) return [];
  const worth = worthAsking(instances, labels, new Set(answers.flatMap(({ ask }) => ask.map(String))));
  if (worth === 0) return ["Hardly any row is a close call: more questions would change little."];
  const rows = worth === 1 ? "1 row is a close call" : `${worth} rows are close calls`;
  const asked = worth < left ? `About ${worth} more` : left === 1 ? "The last" : `All ${left}`;
  const questions = Math.min(worth, left) === 1 ? "question is" : "questions are";
  return [`${asked} ${questions} worth asking: ${rows}, nearly as near to another cluster as to their own.`];
}
