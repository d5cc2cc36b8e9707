import type { Grouping, Labelling } from "./points.js";

/** Pairs of rows with a weight each: parallel arrays, one entry per constraint. */
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
 * What people said about `n` rows, checked and free of duplicates, exactly as given: nothing here is expanded. A weight of
 * Infinity means hard in soft methods. `closeConstraints` derives what follows from it.
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
