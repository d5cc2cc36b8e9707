import type { Grouping, Labelling } from "./points.js";

/** Weighted pairs of rows as parallel arrays, one entry per constraint. */
export interface Links {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly weight: Float64Array;
}

/** Constraints ab|c: a and b are closer to each other than either is to c. */
export interface Triples extends Links {
  readonly c: Int32Array;
}

/** A partial labelling: `row[s]` belongs to class `code[s]` of `names`. */
export interface KnownLabels {
  readonly row: Int32Array;
  readonly code: Int32Array;
  readonly weight: Float64Array;
  readonly names: readonly string[];
}

/**
 * The constraints given about `n` rows, checked and without duplicates. Implied constraints are not included; `closeConstraints` derives
 * them. In soft methods, a weight of Infinity means a hard constraint.
 */
export interface ConstraintSet {
  readonly n: number;
  readonly mustLinks: Links;
  readonly cannotLinks: Links;
  readonly relative: Triples;
  readonly labels: KnownLabels;
  readonly exclusive: readonly Grouping[];
}

export type { Grouping, Labelling };
