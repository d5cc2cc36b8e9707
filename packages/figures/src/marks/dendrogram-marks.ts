/** Draws marks at the leaves whose rows have constraints: a small mark for each kind of constraint, and a legend. */
import type { ConstraintSet } from "@coterie/core/internal";
import type { MergeRow } from "../layout/dendrogram.js";
import { type LegendItem, markedItem } from "../theme/legend.js";
import { type SvgElement, svg } from "../theme/svg-document.js";
import type { Paint } from "../theme/theme.js";

const MUST = 1;
const CANNOT = 2;
const RELATIVE = 4;

/** The kinds of constraints in the order of their marks. The mark of the first kind is nearest to the tree. */
export const KINDS = [
  { bit: MUST, name: "must", text: "in a must-link or a label" },
  { bit: CANNOT, name: "cannot", text: "in a cannot-link" },
  { bit: RELATIVE, name: "relative", text: "in a relative constraint" },
] as const;

export const MARK_ROOM = 8;

export function markedRows(n: number, constraints: ConstraintSet | undefined): Uint8Array {
  const marks = new Uint8Array(n);
  if (!constraints) return marks;
  const { mustLinks, cannotLinks, relative, labels } = constraints;
  const note = (rows: Int32Array, bit: number): void => {
    for (const row of rows) marks[row]! |= bit;
  };
  for (const rows of [mustLinks.a, mustLinks.b, labels.row]) note(rows, MUST);
  for (const rows of [cannotLinks.a, cannotLinks.b]) note(rows, CANNOT);
  for (const rows of [relative.a, relative.b, relative.c]) note(rows, RELATIVE);
  return marks;
}

export function marksBelow(merges: readonly MergeRow[], marks: Uint8Array): Uint8Array {
  const n = merges.length + 1;
  const below = new Uint8Array(n + merges.length);
  below.set(marks.subarray(0, n));
  merges.forEach(([left, right], m) => {
    below[n + m] = below[left]! | below[right]!;
  });
  return below;
}

export function kindsIn(marks: Uint8Array): readonly (typeof KINDS)[number][] {
  const all = marks.reduce((bits, mark) => bits | mark, 0);
  return KINDS.filter(({ bit }) => (all & bit) !== 0);
}

/** Draws the mark for a kind of constraint: a dot for must-links, a cross for cannot-links, a triangle for relative constraints. */
export function markShape(bit: number, x: number, y: number, paint: Paint, title?: string): SvgElement {
  const tip = title === undefined ? null : svg("title", {}, title);
  if (bit === MUST) return svg("circle", { cx: x, cy: y, r: 2.3, fill: paint("ink"), class: "leaf-mark" }, tip);
  const d =
    bit === CANNOT
      ? `M${x - 2.2} ${y - 2.2}L${x + 2.2} ${y + 2.2}M${x - 2.2} ${y + 2.2}L${x + 2.2} ${y - 2.2}`
      : `M${x} ${y - 2.8}L${x + 2.7} ${y + 2}L${x - 2.7} ${y + 2}z`;
  return svg("path", { d, fill: "none", stroke: paint("ink"), "stroke-width": 1.1, class: "leaf-mark" }, tip);
}

export function markItem({ bit, text }: (typeof KINDS)[number], paint: Paint): LegendItem {
  return markedItem(text, 12, (x, y) => markShape(bit, x + 4, y - 4, paint), { fill: paint("ink-2") });
}
