/**
 * The dialogue with a person: shows a question, waits for a key or a line, and shows what the answer changed. All output goes to standard
 * error. An answer is confirmed only after it is saved.
 */
import { CoterieError, type Instances, idOf, type Question, type QuestionAnswer } from "@coterie/core/internal";
import type { AnswerRecord } from "@coterie/data";
import { nearDifference } from "@coterie/figures/layout";
import { ODD_KEYS } from "@coterie/workbench";
import type { ErrorRate, Worth } from "@coterie/workbench/protocol";
import type { Io, Typing } from "../command.js";
import { hanging } from "../help.js";
import type { Progress } from "../progress.js";
import { type Line, type Piece, type Style, visible } from "../text/visible.js";
import { fitted, folded, padded, widthOf, wrap } from "../text/width.js";
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
import type { ShownColumn } from "./shown-columns.js";

const MOST_CLUSTERS = 12;

const MOST_NAMES = 4;

/** Number of terminal lines that a question needs besides its table: blank line, last answer, hidden columns, hint, cursor. */
const SPARE = 5;

export interface Talk {
  dialogue: Dialogue;
  readonly reopen: () => Promise<Dialogue>;
  readonly instances: Instances;
  readonly columns: readonly ShownColumn[];
  readonly budget: number;
  readonly io: Io;
  readonly progress: Progress;
  readonly quiet: boolean;
  readonly script: boolean;
  readonly evidence?: ErrorRate | undefined;
}

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
        paper.note(clustersSoFar(labels, talk.instances, dialogue.worth, left).join("\n"));
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
    // The session refuses an answer if no clustering satisfies it, or if none was found in time. The person can give another answer.
    if (!(error instanceof CoterieError) || !["infeasible", "gave-up", "inconsistent"].includes(error.problem.code)) throw error;
    paper.note(`This answer could not be taken: ${error.message}`);
  }
}

type Source = (question: Question) => Promise<Action | null>;

/**
 * Reads answers from a keyboard, one key per question. Discards keys that were typed before the question appeared, and shows a hint after
 * an unknown key.
 */
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

/** Reads a revision: the number of an earlier answer and the new answer. Undefined if the person cancels, null at the end of input. */
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

/** Writes the dialogue to standard error. On a terminal, a question is replaced by one line about its answer when it is answered. */
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

  hint(text: string): void {
    if (this.#erases && this.#hinted > 0) this.#io.takeBack(this.#hinted);
    const lines = this.#wrapped(text, "");
    this.#io.say(...lines);
    this.#hinted = lines.length;
  }

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

export interface Screen {
  readonly columns: number;
  readonly lines: number;
  readonly colours: boolean;
}

interface QuestionView {
  readonly question: Question;
  readonly instances: Instances;
  readonly columns: readonly ShownColumn[];
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

function nameOf(instances: Instances, row: number): string {
  const id = idOf(instances, row);
  return typeof id === "number" ? `row ${id}` : id;
}

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

/* Shows the clusters so far in a few lines, and the number of questions that are still worth asking. */

function clustersSoFar(labels: Int32Array, instances: Instances, worth: Worth | null, left: number): string[] {
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
    ...worthLine(worth, left),
  ];
}

/** A line with the number of questions that are still worth asking. No line if this number is not known, as in large tables. */
function worthLine(worth: Worth | null, left: number): string[] {
  if (worth === null) return [];
  const { questions, why } = worth;
  if (questions === 0) return [`More questions would change little. ${why}`];
  const asked = questions < left ? `About ${questions} more` : left === 1 ? "The last" : `All ${left}`;
  return [`${asked} ${Math.min(questions, left) === 1 ? "question is" : "questions are"} worth asking. ${why}`];
}

/*
 * Shows the rows of a question as a table, side by side, or one below the other on a narrow terminal. Texts wrap; numbers are never
 * wrapped.
 */

interface TableView {
  readonly columns: readonly ShownColumn[];
  readonly names: readonly string[];
  readonly rows: readonly number[];
}

/** The size limits of a table: width, number of lines, and whether colours can mark its columns. */
interface Sheet {
  readonly width: number;
  readonly lines: number;
  readonly colours: boolean;
}

interface Table {
  readonly lines: Line[];
  readonly more: number;
}

function questionTable(view: TableView, sheet: Sheet): Table {
  const cells = view.columns.map((column): Cells => {
    const apart = column.apart?.(view.rows) ?? 0;
    return { column, apart, marked: false, texts: view.rows.map((row) => column.text(row)) };
  });
  const marked = widestGaps(cells);
  const all = cells.map((each) => ({ ...each, marked: marked.has(each) }));
  const { chosen, folds } = choose(all, view.names, layoutOf(all, view.names, sheet), sheet.lines);
  // Compute the widths again without the hidden columns, which need no space.
  const layout = layoutOf(chosen, view.names, sheet);
  const lines =
    layout.kind === "besides" ? besides(chosen, view.names, layout, folds) : stacked(chosen, view.names, layout, folds);
  return { lines, more: all.length - chosen.length };
}

interface Cells {
  readonly column: ShownColumn;
  readonly texts: readonly string[];
  readonly apart: number;
  readonly marked: boolean;
}

function widestGaps(cells: readonly Cells[]): ReadonlySet<Cells> {
  const widest = Math.max(0, ...cells.map(({ apart }) => apart));
  const gaps = [...cells].sort((a, b) => b.apart - a.apart).filter(({ apart }) => apart > 0 && apart >= 0.6 * widest);
  return new Set(gaps.slice(0, 4));
}

/**
 * Widths in characters. leastCell: rows are side by side only if every cell has this width or fits its whole text. mostCell, mostHead:
 * maximum widths of cells and column names.
 */
const PLACES = { leastCell: 14, mostCell: 40, mostHead: 28 } as const;

interface Layout {
  readonly kind: "besides" | "stacked";
  /**
   * Widths in characters. mark: the sign of a column in which the rows differ much. heads: the column names. number: the longest number.
   * bar: the bar that shows how far the rows are apart.
   */
  readonly mark: number;
  readonly heads: number;
  readonly cell: number;
  readonly number: number;
  readonly bar: number;
  readonly right: boolean;
}

function layoutOf(cells: readonly Cells[], names: readonly string[], { width, colours }: Sheet): Layout {
  const numbers = cells.filter(({ column }) => column.isNumber);
  const number = Math.max(0, ...numbers.flatMap(({ texts }) => texts.map(widthOf)));
  const widest = Math.max(6, ...names.map(widthOf), ...cells.flatMap(({ texts }) => texts.map(widthOf)));
  const heading = Math.max(0, ...cells.map(({ column }) => widthOf(column.name)));
  const mark = colours ? 0 : 2;
  const bar = width < 72 ? 4 : 8;
  const heads = Math.min(heading, PLACES.mostHead, Math.floor(width / 3));
  const most = Math.floor((width - 2 - mark - heads - (bar + 2)) / names.length) - 2;
  const right = cells.every(({ column }) => column.isNumber);
  if (most >= Math.max(number, Math.min(widest, PLACES.leastCell)))
    return { kind: "besides", mark, heads, cell: Math.min(most, widest, Math.max(number, PLACES.mostCell)), number, bar, right };
  const narrow = Math.min(heading, Math.max(8, Math.min(PLACES.mostHead, width - 4 - Math.max(number, PLACES.leastCell))));
  return { kind: "stacked", mark, heads: narrow, cell: width - 4 - narrow, number, bar: 0, right };
}

function titleLines(names: readonly string[], { kind, heads, cell }: Layout): number {
  if (kind === "besides") return Math.max(...names.map((name) => folded(name, cell, MOST_FOLDS).length));
  return names.reduce((sum, name) => sum + folded(name, cell + heads + 4, MOST_FOLDS).length, 0);
}

function linesOf({ column, texts }: Cells, { kind, heads, cell }: Layout, folds: number): number {
  const head = folded(column.name, heads, folds).length;
  const counts = texts.map((text) => Math.max(head, folded(text, cell, folds).length));
  return kind === "besides" ? Math.max(...counts) : counts.reduce((sum, count) => sum + count, 0);
}

const MOST_FOLDS = 40;
/** If not all columns fit, each text is cut to this number of lines. */
const FOLDS = 3;
const FEWEST_COLUMNS = 3;

/**
 * Chooses the columns to show. If all columns are too many for the terminal, their texts are shortened. If they are still too many, shows
 * the columns that the user asked for (`--show`), then the columns in which the rows differ most.
 */
function choose(
  cells: readonly Cells[],
  names: readonly string[],
  layout: Layout,
  lines: number,
): { readonly chosen: readonly Cells[]; readonly folds: number } {
  const room = lines - titleLines(names, layout);
  const total = (folds: number) => cells.reduce((sum, each) => sum + linesOf(each, layout, folds), 0);
  for (const folds of [MOST_FOLDS, 12, 8, 6, 5, 4, FOLDS]) if (total(folds) <= room) return { chosen: cells, folds };
  const urgent = [...cells].sort((a, b) => Number(isWanted(b)) - Number(isWanted(a)) || b.apart - a.apart);
  const kept = new Set<Cells>();
  let used = 0;
  for (const each of urgent) {
    used += linesOf(each, layout, FOLDS);
    if (used > room && kept.size >= FEWEST_COLUMNS) break;
    kept.add(each);
  }
  return { chosen: cells.filter((each) => kept.has(each)), folds: FOLDS };
}

function isWanted({ column }: Cells): boolean {
  return column.wanted === true || column.apart === null;
}

function besides(chosen: readonly Cells[], names: readonly string[], layout: Layout, folds: number): Line[] {
  const { mark, heads, cell, bar, right } = layout;
  const titles = names.map((name) => folded(name, cell, MOST_FOLDS));
  const header = beneath(titles, (line) => [
    " ".repeat(2 + mark + heads),
    ...titles.flatMap((lines) => ["  ", styled("strong", padded(lines[line] ?? "", cell, right ? "start" : "end"))]),
  ]);
  const body = chosen.flatMap((each) => {
    const { column, apart, marked } = each;
    const head = folded(column.name, heads, folds);
    const texts = each.texts.map((text) => folded(placed(text, column, layout), cell, folds));
    const gap = column.apart === null ? "" : "▪".repeat(Math.round(bar * apart));
    return beneath([head, ...texts], (line) => [
      `  ${signOf(marked && line === 0).slice(0, mark)}${padded(head[line] ?? "", heads)}`,
      ...texts.flatMap((lines, at) => ["  ", ...inCell(lines, line, texts[1 - at], { cell, marked })]),
      "  ",
      styled("dim", line === 0 ? gap : ""),
    ]);
  });
  return [...header, ...body];
}

function stacked(chosen: readonly Cells[], names: readonly string[], layout: Layout, folds: number): Line[] {
  const { mark, heads, cell } = layout;
  return names.flatMap((name, place) => [
    ...folded(name, cell + heads + 4, MOST_FOLDS).map((line): Line => [styled("strong", line)]),
    ...chosen.flatMap(({ column, texts, marked }) => {
      const head = folded(column.name, heads, folds);
      const value = folded(placed(texts[place]!, column, { ...layout, right: false }), cell, folds);
      return beneath([head, value], (line) => [
        `${signOf(marked && line === 0 && mark > 0)}${padded(head[line] ?? "", heads)}  `,
        loud(value[line] ?? "", marked),
      ]);
    }),
  ]);
}

function beneath(texts: readonly (readonly string[])[], line: (at: number) => Piece[]): Line[] {
  return Array.from({ length: Math.max(...texts.map(({ length }) => length)) }, (_, at) => line(at));
}

function placed(text: string, { isNumber }: ShownColumn, { number, cell, right }: Layout): string {
  if (!isNumber) return text;
  return padded(text, right ? cell : number, "start");
}

/**
 * One line of a cell as pieces of text. If the question has two rows and their texts are similar and short, the letters in which they
 * differ are underlined.
 */
function inCell(
  lines: readonly string[],
  line: number,
  other: readonly string[] | undefined,
  { cell, marked }: { readonly cell: number; readonly marked: boolean },
): Piece[] {
  const text = lines[line] ?? "";
  const pieces = lines.length === 1 && other?.length === 1 && line === 0 ? nearDifference(text, other[0]!) : null;
  if (!pieces) return [loud(padded(text, cell), marked)];
  const rest = padded(text, cell).slice(text.length);
  return [...pieces.map((piece) => (piece.same ? loud(piece.text, marked) : styled("changed", piece.text))), rest];
}

function signOf(marked: boolean): string {
  return marked ? "* " : "  ";
}

function loud(text: string, marked: boolean): Piece {
  return marked ? styled("loud", text) : text;
}

function styled(style: Style, text: string): Piece {
  return { text, style };
}
