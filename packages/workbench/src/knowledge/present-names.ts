/**
 * What was said keeps to its rows when another column, or none, names them: entries are kept in the names that rows had then, and
 * are read in those that they have now.
 *
 *     by "who": 7 = 9       the table is named by its rows' numbers since       ->  0 = 4, the rows that were called 7 and 9
 */
import { type Constraint, type Entry, rowsOf } from "../protocol/knowledge.js";

/** Who the rows of a file are. */
export interface RowNames {
  /** Rows of the file. */
  readonly total: number;
  /** Ids of the clustered rows; null if they are the row numbers. */
  readonly ids: readonly (string | number)[] | null;
  /** The number in the file of each clustered row; null if none is left out. */
  readonly rows: Int32Array | null;
  /** Ids of the rows that are left out, in the order of the file. */
  readonly dropped: readonly (string | number)[];
}

/** Entries up to this one call rows so. */
export interface Naming {
  readonly upTo: number;
  readonly names: RowNames;
}

export function inPresentNames(entries: readonly Entry[], namings: readonly Naming[], now: RowNames): readonly Entry[] {
  if (namings.length === 0) return entries;
  const present = namesInFile(now);
  const found = namings.map(({ upTo, names }) => ({
    upTo,
    nameOf: new Map(namesInFile(names).map((name, row) => [String(name), present[row]])),
  }));
  return entries.map((entry) => {
    const naming = found.find(({ upTo }) => entry.seq <= upTo);
    const { change } = entry;
    if (!naming || change.type !== "add" || rowsOf(change.constraint).length === 0) return entry;
    // A name that no row had is none that a row has now.
    const constraint = renamed(change.constraint, (id) => naming.nameOf.get(String(id)) ?? `${id}, as it was called`);
    return { ...entry, change: { ...change, constraint } };
  });
}

/** What each row of the file is called. */
function namesInFile({ total, ids, rows, dropped }: RowNames): (string | number)[] {
  const names = new Array<string | number | undefined>(total).fill(undefined);
  const kept = rows?.length ?? total;
  for (let i = 0; i < kept; i++) names[rows?.[i] ?? i] = ids?.[i] ?? rows?.[i] ?? i;
  let next = 0;
  return names.map((name) => name ?? dropped[next++]!);
}

function renamed(constraint: Constraint, name: (id: string | number) => string | number): Constraint {
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return { ...constraint, a: name(constraint.a), b: name(constraint.b) };
    case "relative":
      return { ...constraint, a: name(constraint.a), b: name(constraint.b), c: name(constraint.c) };
    case "label":
      return { ...constraint, a: name(constraint.a) };
    case "unsure":
      return { ...constraint, rows: constraint.rows.map(name) };
    default:
      return constraint;
  }
}
