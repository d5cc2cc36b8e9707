/** The cells of a table as text. */
import { roundedValue, writtenValue } from "../model/notation.js";
import type { Instances } from "../model/points.js";
import { originalValue } from "../structures/column-scaling.js";

/** Significant digits of a number in a cell. Scaling a column and undoing it changes only later digits. */
const DIGITS = 12;

/** A function that gives the text of a cell of the column, as in the file; null if the cell is missing. */
export function cellTexts(instances: Instances, column: number): (row: number) => string | null {
  const { x, d, levels, notations, nominal, filledRows } = instances;
  const filled = new Set(filledRows?.[column]);
  const notation = notations?.[column];
  return (row) => {
    const cell = x[row * d + column]!;
    if (Number.isNaN(cell) || filled.has(row)) return null;
    if (nominal?.[column] === 1) return levels?.[column]?.[cell] ?? String(cell);
    const value = originalValue(instances, column, cell);
    return notation ? writtenValue(value, notation) : roundedValue(value, null, DIGITS);
  };
}
