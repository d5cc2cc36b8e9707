/** Constraints about some of the rows. */
import type { ConstraintSet, KnownLabels, Links, Triples } from "../model/constraint-set.js";

/** The rows that a constraint names, ascending. Exclusive groups of one row are ignored. */
export function constrainedRows({ n, mustLinks, cannotLinks, relative, labels, exclusive }: ConstraintSet): Int32Array {
  const named = new Uint8Array(n);
  for (const rows of [mustLinks.a, mustLinks.b, cannotLinks.a, cannotLinks.b, relative.a, relative.b, relative.c, labels.row])
    for (const row of rows) named[row] = 1;
  for (const { codes, names } of exclusive) {
    const sizes = new Int32Array(names.length);
    for (const code of codes) if (code >= 0) sizes[code]!++;
    codes.forEach((code, row) => {
      if (code >= 0 && sizes[code]! > 1) named[row] = 1;
    });
  }
  return Int32Array.from(named.keys()).filter((row) => named[row] === 1);
}

/** The constraints that name only the given rows. The rows are renumbered from 0 in the given order. */
export function constraintsAmong(set: ConstraintSet, rows: Int32Array): ConstraintSet {
  const place = new Int32Array(set.n).fill(-1);
  rows.forEach((row, i) => {
    place[row] = i;
  });
  const links = ({ a, b, weight }: Links): Links => {
    const isIn = (_: number, s: number): boolean => place[a[s]!]! >= 0 && place[b[s]!]! >= 0;
    return { a: moved(a.filter(isIn)), b: moved(b.filter(isIn)), weight: weight.filter(isIn) };
  };
  const triples = ({ a, b, c, weight }: Triples): Triples => {
    const isIn = (_: number, s: number): boolean => [a, b, c].every((each) => place[each[s]!]! >= 0);
    return { a: moved(a.filter(isIn)), b: moved(b.filter(isIn)), c: moved(c.filter(isIn)), weight: weight.filter(isIn) };
  };
  const known = ({ row, code, weight, names }: KnownLabels): KnownLabels => {
    const isIn = (_: number, s: number): boolean => place[row[s]!]! >= 0;
    return { row: moved(row.filter(isIn)), code: code.filter(isIn), weight: weight.filter(isIn), names };
  };
  const moved = (of: Int32Array): Int32Array => of.map((row) => place[row]!);
  return {
    n: rows.length,
    mustLinks: links(set.mustLinks),
    cannotLinks: links(set.cannotLinks),
    relative: triples(set.relative),
    labels: known(set.labels),
    exclusive: set.exclusive.map((grouping) => ({ ...grouping, codes: rows.map((row) => grouping.codes[row]!) })),
  };
}
