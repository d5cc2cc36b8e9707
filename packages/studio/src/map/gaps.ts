/** The differences between rows, column by column, for a person who answers "same" or "different". */
import { readValue } from "@coterie/core/notation";
import type { ColumnReply, RowReply } from "@coterie/workbench/protocol";
import { daysOf } from "../ui/format.js";

export interface Gap {
  readonly column: ColumnReply;
  readonly cells: readonly (string | number | null)[];
  /**
   * How much the rows differ in this column. For numbers: the difference in standard deviations. For categories: 1 if they differ, 0 if
   * they are equal. Null if a cell is missing.
   */
  readonly gap: number | null;
}

/**
 * The differences between the rows in all columns. Features come first. Within features and within other columns, larger differences come
 * first.
 */
export function gapsOf(columns: readonly ColumnReply[], rows: readonly RowReply[]): readonly Gap[] {
  const gaps = columns.map((column, i): Gap => {
    const cells = rows.map((row) => row.cells[i] ?? null);
    return { column, cells, gap: gapOf(column, cells) };
  });
  return gaps.sort(
    (a, b) => Number(b.column.role === "feature") - Number(a.column.role === "feature") || (b.gap ?? -1) - (a.gap ?? -1),
  );
}

function gapOf(column: ColumnReply, cells: readonly (string | number | null)[]): number | null {
  if (cells.some((cell) => cell === null)) return null;
  const numbers = cells.map((cell) => numberOf(column, cell)).filter((number) => number !== null);
  if (numbers.length < cells.length) return new Set(cells.map(String)).size > 1 ? 1 : 0;
  const span = Math.max(...numbers) - Math.min(...numbers);
  return column.deviation ? span / column.deviation : span === 0 ? 0 : 1;
}

export function numberOf(
  { kind, notation }: Pick<ColumnReply, "kind" | "notation">,
  cell: string | number | null,
): number | null {
  if (typeof cell === "number") return cell;
  if (notation && cell !== null) return readValue(cell, notation) ?? null;
  return kind === "date" && cell !== null ? daysOf(cell) : null;
}

/** The distance of two rows over the numeric features, in standard deviations. Null if a feature is not numeric or a cell is missing. */
export function distanceOf(gaps: readonly Gap[]): number | null {
  const features = gaps.filter(({ column }) => column.role === "feature");
  if (
    features.length === 0 ||
    features.some(({ column, gap }) => (column.kind !== "number" && column.kind !== "date") || gap === null)
  )
    return null;
  return Math.sqrt(features.reduce((sum, { gap }) => sum + gap! * gap!, 0));
}
