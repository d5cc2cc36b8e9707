/** Splits constraints several times into two parts: known constraints for the method, and held-out constraints that score its clusters. */
import { type Closure, closeConstraints } from "../constraints/closure.js";
import { entriesWhere } from "../constraints/sets.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Random } from "../random/index.js";

/** Default number of parts. Each part is held out once. */
export const FOLDS = 3;

export interface Pairs {
  readonly must: readonly (readonly [number, number])[];
  readonly cannot: readonly (readonly [number, number])[];
}

export interface HeldOut {
  readonly known: ConstraintSet;
  readonly held: Pairs;
}

/**
 * Returns must-links and cannot-links as pairs of rows. Labels become pairs too: each label is paired with the next two labels of the list.
 */
export function knownPairs({
  mustLinks,
  cannotLinks,
  labels,
}: Pick<ConstraintSet, "mustLinks" | "cannotLinks" | "labels">): Pairs {
  const must = Array.from(mustLinks.a, (a, s) => [a, mustLinks.b[s]!] as const);
  const cannot = Array.from(cannotLinks.a, (a, s) => [a, cannotLinks.b[s]!] as const);
  for (let s = 0; s < labels.row.length; s++) {
    for (const t of [s + 1, s + 2]) {
      if (t >= labels.row.length) continue;
      (labels.code[s] === labels.code[t] ? must : cannot).push([labels.row[s]!, labels.row[t]!]);
    }
  }
  return { must, cannot };
}

/** Makes `folds` splits of the constraints. Every link and every label is held out in exactly one split. */
export function partsOf(constraints: ConstraintSet, random: Random, folds = FOLDS): readonly HeldOut[] {
  const shuffled = (count: number, purpose: string): Int32Array => {
    const foldOf = Int32Array.from({ length: count }, (_, i) => i % folds);
    random.split(purpose).shuffle(foldOf);
    return foldOf;
  };
  const { mustLinks, cannotLinks, labels } = constraints;
  const mustFold = shuffled(mustLinks.a.length, "must");
  const cannotFold = shuffled(cannotLinks.a.length, "cannot");
  const labelFold = shuffled(labels.row.length, "labels");
  return Array.from({ length: folds }, (_, fold) => {
    const part = (isIn: (of: number) => boolean) => ({
      mustLinks: entriesWhere(mustLinks, (s) => isIn(mustFold[s]!)),
      cannotLinks: entriesWhere(cannotLinks, (s) => isIn(cannotFold[s]!)),
      labels: entriesWhere(labels, (s) => isIn(labelFold[s]!)),
    });
    return { known: { ...constraints, ...part((of) => of !== fold) }, held: knownPairs(part((of) => of === fold)) };
  });
}

/**
 * Removes held-out pairs that the known constraints imply. Every method that satisfies the known constraints satisfies these pairs, so they
 * cannot score a method.
 */
export function withoutImplied({ known, held }: HeldOut): HeldOut {
  const closure = closeConstraints(known);
  const isOpen = ([a, b]: readonly [number, number]): boolean =>
    !isImplied(closure, closure.component[a]!, closure.component[b]!);
  return { known, held: { must: held.must.filter(isOpen), cannot: held.cannot.filter(isOpen) } };
}

function isImplied(closure: Closure, a: number, b: number): boolean {
  return a === b || closure.apart(a, b);
}

/** A score needs at least this number of must-links and this number of cannot-links. With fewer links, the score would be too uncertain. */
export const ENOUGH_LINKS = 8;

export interface LinkCounts {
  readonly must: number;
  readonly mustTogether: number;
  readonly cannot: number;
  readonly cannotTogether: number;
}

export const NO_LINKS: LinkCounts = { must: 0, mustTogether: 0, cannot: 0, cannotTogether: 0 };

export function countLinks(counts: LinkCounts, labels: Int32Array, { must, cannot }: Pairs): LinkCounts {
  const together = ([a, b]: readonly [number, number]): boolean => labels[a]! >= 0 && labels[a] === labels[b];
  return {
    must: counts.must + must.length,
    mustTogether: counts.mustTogether + must.filter(together).length,
    cannot: counts.cannot + cannot.length,
    cannotTogether: counts.cannotTogether + cannot.filter(together).length,
  };
}

/**
 * The adjusted Rand index over the held-out pairs only. 1: the clusters satisfy all pairs. 0: they are no better than chance.
 *
 * The index equals Cohen's κ between "both rows in one cluster" and "the pair is a must-link". `error` is the standard error of κ (Cohen
 * 1960).
 */
export function agreement({ must, mustTogether, cannot, cannotTogether }: LinkCounts): {
  readonly score: number;
  readonly error: number;
} {
  const all = must + cannot;
  const together = mustTogether + cannotTogether;
  const agreed = (mustTogether + cannot - cannotTogether) / all;
  const byChance = (together * must + (all - together) * cannot) / (all * all);
  if (byChance === 1) return { score: 1, error: 0 };
  return { score: (agreed - byChance) / (1 - byChance), error: Math.sqrt((agreed * (1 - agreed)) / all) / (1 - byChance) };
}
