/** Checks rows and constraint sets that callers pass from plain JavaScript. */
import { badInput, type CoterieError } from "./errors.js";
import type { ConstraintSet } from "./model/constraint-set.js";
import type { Instances, Points, Rows } from "./model/points.js";

/**
 * Creates points from an array of rows.
 *
 * ```ts
 * const points = pointsFromRows([[5.1, 3.5], [4.9, 3.0]], ["length", "width"]);
 * ```
 */
export function pointsFromRows(rows: Rows, names?: readonly string[]): Points {
  if (!Array.isArray(rows))
    throw badInput("These are no rows.", { remedy: "Give an array of rows of numbers: [[5.1, 3.5], [4.9, 3.0]]." });
  const n = rows.length;
  const d = isRow(rows[0]) ? rows[0].length : 0;
  const x = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    const row: unknown = rows[i];
    if (!isRow(row)) throw badInput(`Row ${i} is no array of numbers.`, { remedy: "Rows are arrays: [[5.1, 3.5], [4.9, 3.0]]." });
    if (row.length !== d)
      throw badInput(`Row ${i} has ${row.length} values, and row 0 has ${d}.`, {
        remedy: "Give every row the same number of values.",
      });
    for (let j = 0; j < d; j++) {
      const value: unknown = row[j];
      if (typeof value !== "number")
        throw badInput(`Row ${i} has ${typeof value === "string" ? JSON.stringify(value) : String(value)} in column ${j}.`, {
          remedy: "Every value must be a number.",
        });
      x[i * d + j] = value;
    }
  }
  if (names && names.length !== d)
    throw badInput(`There are ${names.length} names for ${d} columns.`, { remedy: "Name every column once." });
  return names ? { n, d, x, names } : { n, d, x };
}

function isRow(row: unknown): row is ArrayLike<number> {
  return Array.isArray(row) || (ArrayBuffer.isView(row) && "length" in row);
}

export function notFinite(
  { names, ids }: Pick<Instances, "names" | "ids">,
  column: number,
  row: number,
  value: number,
): CoterieError {
  const name = names?.[column];
  return badInput(`Column ${name === undefined ? column : JSON.stringify(name)} holds ${value} in row ${ids?.[row] ?? row}.`, {
    remedy: "Every value must be a finite number.",
  });
}

/** Returns points unchanged; makes points from plain rows of numbers. */
export function asPoints<P extends object>(points: P | Rows): P | Points {
  if (Array.isArray(points)) {
    const made = pointsFromRows(points);
    if (made.n === 0) throw badInput("There are no rows.", { remedy: "Give at least one row of numbers." });
    if (made.d === 0) throw badInput("Row 0 holds no numbers.", { remedy: "Give every row at least one number." });
    const odd = made.x.findIndex((value) => !Number.isFinite(value));
    if (odd >= 0) throw notFinite(made, odd % made.d, Math.floor(odd / made.d), made.x[odd]!);
    return made;
  }
  if (typeof points === "object" && points !== null && "n" in points) return points as P;
  throw badInput("These are no rows.", {
    remedy: "Give an array of rows of numbers, or what pointsFromRows or readTable returns.",
  });
}

/** Throws if the argument is not a constraint set. Callers in plain JavaScript can pass anything. */
export function checkConstraintSet(set: ConstraintSet): void {
  if (typeof set !== "object" || set === null || !("mustLinks" in set) || !("n" in set))
    throw badInput("These are no constraints.", {
      remedy: "Make them with constraints(rows, { mustLink: [[0, 1]] }), or pass undefined for none.",
    });
}
