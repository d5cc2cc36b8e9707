/** A question as lines of text: which one it is, the rows, what is asked, the keys. */
import { type Instances, idOf, type Question } from "@coterie/core/internal";
import { ODD_KEYS } from "@coterie/workbench";
import { hanging } from "../help.js";
import type { Line } from "../text/visible.js";
import { fitted, widthOf, wrap } from "../text/width.js";
import { keysOf } from "./keys.js";
import { questionTable, styled } from "./question-table.js";
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

/** Lines besides: the blank before, what was answered last, how many columns there are more, a word about a wrong key, the cursor. */
const SPARE = 5;

function moreLine(more: number, width: number): Line {
  return [styled("dim", fitted(`  and ${more} more ${more === 1 ? "column that differs" : "columns that differ"} less`, width))];
}

/** A row by its name; a bare number is called a row. */
export function nameOf(instances: Instances, row: number): string {
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
