/**
 * Keeps constraints with their rows when another column is chosen to name the rows. The log still contains the old names. When the log is
 * read, they are translated to the present names.
 *
 *     entry "7 = 9", where 7 and 9 are cells of the column "who"
 *     now rows are named by their numbers, and the cells 7 and 9 are in rows 0 and 4     ->  read as "0 = 4"
 */
import type { Constraint, Entry } from "../protocol/knowledge.js";
import { rowsOf } from "../protocol/sentences.js";

export interface RowNames {
  readonly total: number;
  readonly ids: readonly (string | number)[] | null;
  /** For each row that is clustered, its number in the file; null if no row is left out. */
  readonly rows: Int32Array | null;
  /** Ids of the rows that are left out, in the order of the file. */
  readonly dropped: readonly (string | number)[];
}

/** Row names that log entries use. A list of namings is sorted by `upTo`. An entry uses the first naming with entry.seq ≤ upTo. */
export interface Naming {
  readonly upTo: number;
  readonly names: RowNames;
}

export function presentNames(namings: readonly Naming[], now: RowNames): (entry: Entry) => Entry {
  const present = namings.length === 0 ? [] : namesInFile(now);
  const found = namings.map(({ upTo, names }) => ({
    upTo,
    nameOf: new Map(namesInFile(names).map((name, row) => [String(name), present[row]])),
  }));
  return (entry) => {
    const naming = found.find(({ upTo }) => entry.seq <= upTo);
    const { change } = entry;
    if (!naming || !("constraint" in change) || rowsOf(change.constraint).length === 0) return entry;
    // If no row had the old name, the constraint gets a name that no row has now.
    const constraint = renamed(change.constraint, (id) => naming.nameOf.get(String(id)) ?? `${id}, as it was called`);
    return { ...entry, change: { ...change, constraint } };
  };
}

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
