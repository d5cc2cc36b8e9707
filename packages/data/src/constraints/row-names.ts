/** Finds rows by the names that a file uses: ids, or row numbers of the original table. Row numbers stay valid if rows were dropped. */
import { badInput, type InstanceId, nearestName } from "@coterie/core/internal";
import { listed, quoted, withEnd } from "../table/sentences.js";

/** The names of the rows that constraint and labels files refer to. `readTable` returns them. */
export interface NamedRows {
  readonly n: number;
  readonly ids?: readonly InstanceId[];
  /** For each kept row, its number in the data file. Absent if all rows were kept, because then the numbers are the same. */
  readonly rows?: Int32Array;
  readonly total?: number;
  /** Ids of the rows that `--missing drop` left out. */
  readonly dropped?: readonly InstanceId[];
}

export interface Place {
  readonly file: string;
  readonly line?: number;
}

export interface RowFinder {
  byId(id: string, place: Place): number;
  /** Finds the row that has this number in the data file. `digits` is a text, because doubles cannot hold numbers such as 2^53 + 1. */
  byNumber(digits: string, place: Place): number;
}

export function rowLookup({ n, ids }: NamedRows): (id: string) => number {
  const byText = new Map<string, number>();
  for (let row = 0; row < n; row++) byText.set(String(ids?.[row] ?? row), row);
  return (id) => byText.get(id) ?? byText.get(id.trim()) ?? -1;
}

export function rowFinder(names: NamedRows): RowFinder {
  const total = names.total ?? names.n;
  const byText = names.ids?.some((id) => typeof id === "string") ? new Map(names.ids.map((id, row) => [String(id), row])) : null;
  const byNumber = names.rows && names.rows.length < total ? numberIndex(names.rows, total) : null;
  let dropped: Set<string> | undefined;

  const findNumber = (digits: string, place: Place): number => {
    const number = Number(digits);
    if (number >= total)
      throw badInput(`There is no row ${withEnd(digits)}.`, { ...place, remedy: `Rows are numbered from 0 to ${total - 1}.` });
    const row = byNumber ? byNumber[number]! : number;
    if (row < 0) throw wasDropped(String(number), place);
    return row;
  };
  return {
    byNumber: findNumber,
    byId(id, place) {
      if (byText) {
        const row = byText.get(id) ?? byText.get(id.trim()) ?? byText.get(withoutGuard(id));
        if (row !== undefined) return row;
        dropped ??= new Set((names.dropped ?? []).map(String));
        throw dropped.has(id) ? wasDropped(id, place) : unknownId(id, byText.keys(), place);
      }
      const text = id.trim();
      if (!/^\d{1,15}$/.test(text)) throw notARowNumber(id, total, place);
      return findNumber(text, place);
    },
  };
}

/** Removes the leading apostrophe that exports for spreadsheets add to an id that looks like a formula. */
export function withoutGuard(text: string): string {
  return /^'+\s*[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}

function numberIndex(rows: Int32Array, total: number): Int32Array {
  const index = new Int32Array(total).fill(-1);
  rows.forEach((number, row) => {
    index[number] = row;
  });
  return index;
}

function unknownId(id: string, known: Iterable<string>, place: Place): Error {
  const all = [...known];
  const guess = nearestName(id, all);
  return badInput(`No row has the id ${quoted(id)}.`, {
    ...place,
    remedy: guess === undefined ? `Ids are ${listed(all, 5)}.` : `Did you mean ${quoted(guess)}? Ids are ${listed(all, 5)}.`,
  });
}

function notARowNumber(id: string, total: number, place: Place): Error {
  return badInput(`${quoted(id)} is not a row number.`, {
    ...place,
    remedy: `Rows are numbered from 0 to ${total - 1}; if the table has a column of ids, name it with --id.`,
  });
}

function wasDropped(id: string, place: Place): Error {
  return badInput(`Row ${quoted(id)} was dropped, because it has missing cells (--missing drop).`, {
    ...place,
    remedy: "Remove the constraint, or fill the cells (--missing impute).",
  });
}

/** Maximum number of rows when only the files name rows, without a table. */
export const MOST_LONE_ROWS = 2 ** 26;

/** Finds rows by name, and makes a new row for each new name. */
export function namingFinder(names: string[]): RowFinder {
  const rows = new Map<string, number>();
  const byId = (id: string, place: Place): number => {
    const name = id.trim();
    const known = rows.get(name);
    if (known !== undefined) return known;
    if (names.length >= MOST_LONE_ROWS) throw badInput(`The file names more than ${MOST_LONE_ROWS} rows.`, place);
    rows.set(name, names.length);
    return names.push(name) - 1;
  };
  return { byId, byNumber: byId };
}
