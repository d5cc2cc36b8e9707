/** What is known of the rows of a seat, as tasks need it. */
import {
  type ConstraintSet,
  type Contradiction,
  closeConstraints,
  contradictions,
  emptyConstraints,
  isContradictory,
  type Links,
} from "@coterie/core/internal";
import { constraintSetOf, type Known, type Said } from "../knowledge/constraint-set.js";
import { groupingOf } from "../tables/loaded-table.js";
import type { Seat } from "./compute.js";

export function knownAt({ loaded }: Seat, said: readonly Said[]): Known {
  return constraintSetOf(said, loaded.instances, (column) => groupingOf(loaded, column));
}

export interface Consistent {
  readonly set: ConstraintSet;
  /** What was set aside, so that the rest does not deny itself. */
  readonly aside: readonly Contradiction[];
}

/**
 * The set without what denies the must-links: contradictory cannot-links, the labels of components with several classes, exclusive
 * columns that must-links break.
 */
export function consistentPart(given: ConstraintSet): Consistent {
  const closure = closeConstraints(given);
  if (!isContradictory(closure)) return { set: given, aside: [] };
  const aside = contradictions(closure);
  const pairs = new Set(aside.filter(({ kind }) => kind === "cannot-link").map(({ rows }) => pairKey(...rows)));
  const groups = new Set(aside.filter(({ kind }) => kind === "exclusive").map(({ names }) => names?.[0]));
  const mended: ConstraintSet = {
    ...given,
    cannotLinks: linksWhere(given.cannotLinks, (a, b) => !pairs.has(pairKey(a, b))),
    labels: aside.some(({ kind }) => kind === "labels") ? emptyConstraints(given.n).labels : given.labels,
    exclusive: given.exclusive.filter(({ column }) => !groups.has(column)),
  };
  return { set: mended, aside };
}

export function pairKey(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

function linksWhere({ a, b, weight }: Links, keep: (a: number, b: number) => boolean): Links {
  const kept = [...a.keys()].filter((s) => keep(a[s]!, b[s]!));
  return {
    a: Int32Array.from(kept, (s) => a[s]!),
    b: Int32Array.from(kept, (s) => b[s]!),
    weight: Float64Array.from(kept, (s) => weight[s]!),
  };
}
