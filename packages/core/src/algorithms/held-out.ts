/** Constraints in two parts, several times: what a method is told, and what is held out to judge it by. */
import type { ConstraintSet, KnownLabels, Links } from "../model/constraint-set.js";
import type { Random } from "../random/index.js";

const FOLDS = 3;

export interface Pairs {
  readonly must: readonly (readonly [number, number])[];
  readonly cannot: readonly (readonly [number, number])[];
}

export interface HeldOut {
  readonly known: ConstraintSet;
  readonly held: Pairs;
}

/** The links as given; labels as links between rows that follow each other in the list. */
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

/** A third of the links and labels is held out, each third once. */
export function partsOf(constraints: ConstraintSet, random: Random): readonly HeldOut[] {
  const foldOf = (count: number, purpose: string): Int32Array => {
    const folds = Int32Array.from({ length: count }, (_, i) => i % FOLDS);
    random.split(purpose).shuffle(folds);
    return folds;
  };
  const { mustLinks, cannotLinks, labels } = constraints;
  const mustFold = foldOf(mustLinks.a.length, "must");
  const cannotFold = foldOf(cannotLinks.a.length, "cannot");
  const labelFold = foldOf(labels.row.length, "labels");
  return Array.from({ length: FOLDS }, (_, fold) => {
    const part = (isIn: (of: number) => boolean) => ({
      mustLinks: someLinks(mustLinks, (_, s) => isIn(mustFold[s]!)),
      cannotLinks: someLinks(cannotLinks, (_, s) => isIn(cannotFold[s]!)),
      labels: someLabels(labels, (_, s) => isIn(labelFold[s]!)),
    });
    return { known: { ...constraints, ...part((of) => of !== fold) }, held: knownPairs(part((of) => of === fold)) };
  });
}

type IsIn = (value: number, at: number) => boolean;

function someLinks({ a, b, weight }: Links, isIn: IsIn): Links {
  return { a: a.filter(isIn), b: b.filter(isIn), weight: weight.filter(isIn) };
}

function someLabels({ row, code, weight, names }: KnownLabels, isIn: IsIn): KnownLabels {
  return { row: row.filter(isIn), code: code.filter(isIn), weight: weight.filter(isIn), names };
}
