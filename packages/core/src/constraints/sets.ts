/** The empty constraint set, and functions that test or select the constraints of a set. */
import type { ConstraintSet, KnownLabels, Links, Triples } from "../model/constraint-set.js";

export function emptyConstraints(n: number): ConstraintSet {
  return { n, mustLinks: NO_LINKS, cannotLinks: NO_LINKS, relative: NO_TRIPLES, labels: NO_LABELS, exclusive: [] };
}

export function noConstraints(set: ConstraintSet): boolean {
  const given = set.mustLinks.a.length + set.cannotLinks.a.length + set.relative.a.length + set.labels.row.length;
  return given === 0 && set.exclusive.length === 0;
}

export function entriesWhere<List extends Links | KnownLabels>(list: List, keep: (index: number) => boolean): List {
  const isKept = (_: number, index: number): boolean => keep(index);
  const columns = Object.entries(list as object).map(([name, column]) => [
    name,
    column instanceof Int32Array || column instanceof Float64Array ? column.filter(isKept) : column,
  ]);
  return Object.fromEntries(columns) as List;
}

const NO_ROWS = new Int32Array(0);
const NO_WEIGHTS = new Float64Array(0);
const NO_LINKS: Links = { a: NO_ROWS, b: NO_ROWS, weight: NO_WEIGHTS };
export const NO_TRIPLES: Triples = { ...NO_LINKS, c: NO_ROWS };
const NO_LABELS: KnownLabels = { row: NO_ROWS, code: NO_ROWS, weight: NO_WEIGHTS, names: [] };
