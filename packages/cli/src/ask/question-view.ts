/**
 * A question as lines of text: the rows side by side, or one below the other where there is no room, the columns in which they
 * differ most marked.
 */
import { type Instances, idOf, type Question } from "@coterie/core";
import type { Line, Piece, Style } from "../text/visible.js";
import { fitted, folded, padded, widthOf } from "../text/width.js";
import type { ShownColumn } from "./shown-columns.js";

export interface Screen {
  readonly columns: number;
  readonly lines: number;
  readonly colours: boolean;
}

export interface QuestionView {
  readonly question: Question;
  readonly instances: Instances;
  readonly columns: readonly ShownColumn[];
  /** The number of this question, and how many there may be. */
  readonly number: number;
  readonly budget: number;
}

/** Below this width rows are stacked. */
const NARROW = 60;
/** Lines that are not columns: heading, names, question, keys, blanks, the last answer. */
const FRAME = 12;

export function questionLines(view: QuestionView, screen: Screen): Line[] {
  const { question, number, budget, instances } = view;
  const left = budget - number + 1;
  const { chosen, more } = chooseColumns(view, screen);
  const numbered = question.kind === "triplet";
  const names = question.ask.map((row, place) => `${numbered ? `${place + 1}: ` : ""}${nameOf(instances, row)}`);
  const body =
    screen.columns < NARROW ? stacked(chosen, names, question.ask, screen) : besides(chosen, names, question.ask, screen);
  return [
    [styled("strong", `Question ${number} of ${budget}`), styled("dim", ` · ${left} left`)],
    "",
    ...body,
    ...(more > 0
      ? [
          [
            styled(
              "dim",
              fitted(`  and ${more} more ${more === 1 ? "column that differs" : "columns that differ"} less`, screen.columns - 1),
            ),
          ],
        ]
      : []),
    ...distanceLine(view).map((line) => fitted(line, screen.columns - 1)),
    "",
    ...asking(question, screen),
  ];
}

/** A row by its name; a bare number is called a row. */
export function nameOf(instances: Instances, row: number): string {
  const id = idOf(instances, row);
  return typeof id === "number" ? `row ${id}` : id;
}

interface Chosen {
  readonly column: ShownColumn;
  readonly apart: number;
  readonly marked: boolean;
}

/** All columns in their order if they fit, else those that differ most; the widest gaps are marked. */
function chooseColumns({ columns, question }: QuestionView, { lines, columns: width }: Screen) {
  const rated = columns.map((column) => ({ column, apart: column.apart?.(question.ask) ?? 0, toRead: column.apart === null }));
  const perColumn = width < NARROW ? question.ask.length : 1;
  const toRead = width < NARROW ? 0 : (FOLDS - 1) * rated.filter((each) => each.toRead).length;
  const room = Math.max(3, Math.min(18, Math.floor((lines - FRAME - toRead) / perColumn)));
  const byGap = [...rated].sort((a, b) => Number(b.toRead) - Number(a.toRead) || b.apart - a.apart);
  const kept = new Set(byGap.slice(0, room));
  const widest = Math.max(0, ...rated.map(({ apart }) => apart));
  const marked = new Set(byGap.filter(({ apart }) => apart > 0 && apart >= 0.6 * widest).slice(0, 4));
  const chosen: Chosen[] = rated
    .filter((each) => kept.has(each))
    .map((each) => ({ column: each.column, apart: each.apart, marked: marked.has(each) }));
  return { chosen, more: rated.length - chosen.length };
}

const BAR = 8;
/** Lines that a text to read may take. */
const FOLDS = 3;

function besides(chosen: readonly Chosen[], names: readonly string[], rows: readonly number[], screen: Screen): Line[] {
  const mark = screen.colours ? 0 : 2;
  const heads = Math.min(28, Math.max(0, ...chosen.map(({ column }) => widthOf(column.name))));
  const most = Math.floor((screen.columns - 1 - 2 - mark - heads - (BAR + 2) - 2 * rows.length) / rows.length);
  const needed = Math.max(
    ...names.map(widthOf),
    ...chosen.flatMap(({ column }) => rows.map((row) => widthOf(column.text(row)))),
    6,
  );
  const room = Math.max(4, Math.min(most, needed, 40));
  const cell = (text: string, number: boolean) => padded(text, room, number ? "start" : "end");
  const allNumbers = chosen.every(({ column }) => column.isNumber);
  const header: Piece[] = [
    " ".repeat(2 + mark + heads),
    ...names.flatMap((name) => ["  ", styled("strong", cell(name, allNumbers))]),
  ];
  return [
    header,
    ...chosen.flatMap(({ column, apart, marked }) => {
      const sign = screen.colours ? "" : marked ? "* " : "  ";
      const texts = rows.map((row) => (column.apart === null ? folded(column.text(row), room, FOLDS) : [column.text(row)]));
      const bar = styled("dim", column.apart === null ? "" : "▪".repeat(Math.round(BAR * apart)));
      return Array.from({ length: Math.max(...texts.map((lines) => lines.length)) }, (_, line) => {
        const cells = texts.flatMap((lines): Piece[] => {
          const text = cell(lines[line] ?? "", column.isNumber && allNumbers);
          return ["  ", marked ? styled("loud", text) : text];
        });
        return [`  ${sign}${padded(line === 0 ? column.name : "", heads)}`, ...cells, "  ", bar];
      });
    }),
  ];
}

function stacked(chosen: readonly Chosen[], names: readonly string[], rows: readonly number[], screen: Screen): Line[] {
  const width = screen.columns - 1;
  const heads = Math.min(Math.floor(width / 2) - 4, Math.max(0, ...chosen.map(({ column }) => widthOf(column.name))));
  return rows.flatMap((row, place) => [
    [styled("strong", fitted(names[place]!, width))],
    ...chosen.map(({ column, marked }) => {
      const sign = screen.colours ? "  " : marked ? "* " : "  ";
      const value = fitted(column.text(row), width - heads - 4);
      return [`${sign}${padded(column.name, heads)}  `, marked ? styled("loud", value) : value];
    }),
  ]);
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
  if (c === undefined) return [`  Their distance is ${between(a, b)}.`];
  return [`  Distances: 1–2 ${between(a, b)}, 1–3 ${between(a, c)}, 2–3 ${between(b, c)}.`];
}

const PAIR_KEYS = ["s same", "d different", "? don't know", "z undo", "q stop"];
const TRIPLET_KEYS = ["1 2 3 the odd one", "? don't know", "z undo", "q stop"];

function asking({ kind }: Question, screen: Screen): Line[] {
  const [words, keys] =
    kind === "pair"
      ? ["Do these two belong together?", PAIR_KEYS]
      : ["Which of the three is the odd one out, least like the other two?", TRIPLET_KEYS];
  const width = screen.columns - 1;
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

function styled(style: Style, text: string): Piece {
  return { text, style };
}
