/**
 * The rows of a question as lines: side by side, or one below the other where there is no room. Texts go over as many lines as they
 * need and there are; a number is never broken.
 */
import type { Line, Piece, Style } from "../text/visible.js";
import { folded, padded, widthOf } from "../text/width.js";
import type { ShownColumn } from "./shown-columns.js";

export interface TableView {
  readonly columns: readonly ShownColumn[];
  /** What the rows are called, and their numbers. */
  readonly names: readonly string[];
  readonly rows: readonly number[];
}

/** How wide a table may be, how many lines it may have, and whether colours can mark its columns. */
export interface Sheet {
  readonly width: number;
  readonly lines: number;
  readonly colours: boolean;
}

export interface Table {
  readonly lines: Line[];
  /** Columns that there was no room for. */
  readonly more: number;
}

export function questionTable(view: TableView, sheet: Sheet): Table {
  const cells = view.columns.map((column): Cells => {
    const apart = column.apart?.(view.rows) ?? 0;
    return { column, apart, marked: false, texts: view.rows.map((row) => column.text(row)) };
  });
  const marked = widestGaps(cells);
  const all = cells.map((each) => ({ ...each, marked: marked.has(each) }));
  const { chosen, folds } = choose(all, view.names, layoutOf(all, view.names, sheet), sheet.lines);
  // Columns that are left out need no room.
  const layout = layoutOf(chosen, view.names, sheet);
  const lines =
    layout.kind === "besides" ? besides(chosen, view.names, layout, folds) : stacked(chosen, view.names, layout, folds);
  return { lines, more: all.length - chosen.length };
}

/** One column: a text for each row. */
interface Cells {
  readonly column: ShownColumn;
  readonly texts: readonly string[];
  readonly apart: number;
  readonly marked: boolean;
}

/** The columns in which the rows differ most, a few. */
function widestGaps(cells: readonly Cells[]): ReadonlySet<Cells> {
  const widest = Math.max(0, ...cells.map(({ apart }) => apart));
  const gaps = [...cells].sort((a, b) => b.apart - a.apart).filter(({ apart }) => apart > 0 && apart >= 0.6 * widest);
  return new Set(gaps.slice(0, 4));
}

interface Layout {
  readonly kind: "besides" | "stacked";
  /** Places for a mark, for the names of columns, for a cell, for its number in it, for a bar. */
  readonly mark: number;
  readonly heads: number;
  readonly cell: number;
  readonly number: number;
  readonly bar: number;
  /** Whether numbers, and names above them, stand at the right end of their cells. */
  readonly right: boolean;
}

/** A cell of fewer places breaks words rather than texts. */
const LEAST_CELL = 14;
const MOST_CELL = 40;
const MOST_HEAD = 28;

function layoutOf(cells: readonly Cells[], names: readonly string[], { width, colours }: Sheet): Layout {
  const numbers = cells.filter(({ column }) => column.isNumber);
  const number = Math.max(0, ...numbers.flatMap(({ texts }) => texts.map(widthOf)));
  const widest = Math.max(6, ...names.map(widthOf), ...cells.flatMap(({ texts }) => texts.map(widthOf)));
  const heading = Math.max(0, ...cells.map(({ column }) => widthOf(column.name)));
  const mark = colours ? 0 : 2;
  const bar = width < 72 ? 4 : 8;
  const heads = Math.min(heading, MOST_HEAD, Math.floor(width / 3));
  const most = Math.floor((width - 2 - mark - heads - (bar + 2)) / names.length) - 2;
  const right = cells.every(({ column }) => column.isNumber);
  if (most >= Math.max(number, Math.min(widest, LEAST_CELL)))
    return { kind: "besides", mark, heads, cell: Math.min(most, widest, Math.max(number, MOST_CELL)), number, bar, right };
  const narrow = Math.min(heading, Math.max(8, Math.min(MOST_HEAD, width - 4 - Math.max(number, LEAST_CELL))));
  return { kind: "stacked", mark, heads: narrow, cell: width - 4 - narrow, number, bar: 0, right };
}

/** Lines that the names of the rows take. */
function titleLines(names: readonly string[], { kind, heads, cell }: Layout): number {
  if (kind === "besides") return Math.max(...names.map((name) => folded(name, cell, MOST_FOLDS).length));
  return names.reduce((sum, name) => sum + folded(name, cell + heads + 4, MOST_FOLDS).length, 0);
}

/** Lines that a column takes. */
function linesOf({ column, texts }: Cells, { kind, heads, cell }: Layout, folds: number): number {
  const head = folded(column.name, heads, folds).length;
  const counts = texts.map((text) => Math.max(head, folded(text, cell, folds).length));
  return kind === "besides" ? Math.max(...counts) : counts.reduce((sum, count) => sum + count, 0);
}

const MOST_FOLDS = 40;
/** Lines that a text may take where not everything has room. */
const FOLDS = 3;
const FEWEST_COLUMNS = 3;

/** All columns with their whole texts if they fit; else with shorter ones; else those that are wanted and those that differ most. */
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
      ...texts.flatMap((lines) => ["  ", loud(padded(lines[line] ?? "", cell), marked)]),
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

/** As many lines as the longest of these texts has. */
function beneath(texts: readonly (readonly string[])[], line: (at: number) => Piece[]): Line[] {
  return Array.from({ length: Math.max(...texts.map(({ length }) => length)) }, (_, at) => line(at));
}

/** A number ends where the numbers above and below it end. */
function placed(text: string, { isNumber }: ShownColumn, { number, cell, right }: Layout): string {
  if (!isNumber) return text;
  return padded(text, right ? cell : number, "start");
}

function signOf(marked: boolean): string {
  return marked ? "* " : "  ";
}

function loud(text: string, marked: boolean): Piece {
  return marked ? styled("loud", text) : text;
}

export function styled(style: Style, text: string): Piece {
  return { text, style };
}
