/**
 * A constraint set from raw statements: duplicates are kept once, with the largest weight; a must-link of a row with itself
 * and a relative statement with a = b say nothing and are dropped; each of these in one notice. What cannot be meant is bad
 * input. The rules are the same for the library and for files; a file reader that knows lines checks them first.
 */
import { badInput } from "../errors.js";
import type { ConstraintSet, Grouping, LabelStatements, Links, Triples } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import { counted } from "../model/wording.js";

export interface RawStatements {
  readonly n: number;
  readonly mustLinks?: Links;
  readonly cannotLinks?: Links;
  readonly relative?: Triples;
  readonly labels?: LabelStatements;
  readonly exclusive?: readonly Grouping[];
}

export interface Tidied {
  readonly set: ConstraintSet;
  readonly notices: readonly string[];
}

/** `ids` name the rows in messages. Rows and codes must be in range. */
export function tidyConstraints(raw: RawStatements, ids?: readonly InstanceId[]): Tidied {
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const { mustLinks = NO_LINKS, cannotLinks = NO_LINKS, relative = NO_TRIPLES, labels = NO_LABELS, exclusive = [] } = raw;
  for (const { weight } of [mustLinks, cannotLinks, relative, labels]) checkWeights(weight);
  refuseSenseless(cannotLinks, relative, name);

  const must = kept(pairKeys(mustLinks), mustLinks.weight, true);
  const cannot = kept(pairKeys(cannotLinks), cannotLinks.weight, true);
  const triples = kept({ ...pairKeys(relative), c: relative.c }, relative.weight, true);
  const stated = kept({ a: labels.row, b: labels.code, c: null }, labels.weight, false);

  const notices: string[] = [];
  const repeated = must.repeated + cannot.repeated + triples.repeated + stated.repeated;
  if (repeated > 0)
    notices.push(
      `${counted(repeated, "duplicate constraint was", "duplicate constraints were")} kept once, with the largest weight.`,
    );
  if (must.dropped > 0) notices.push(`${counted(must.dropped, "must-link", "must-links")} of an instance with itself ignored.`);
  if (triples.dropped > 0)
    notices.push(`${counted(triples.dropped, "relative constraint", "relative constraints")} with a = b ignored.`);
  return {
    set: {
      n: raw.n,
      mustLinks: { a: pick(mustLinks.a, must), b: pick(mustLinks.b, must), weight: must.weight },
      cannotLinks: { a: pick(cannotLinks.a, cannot), b: pick(cannotLinks.b, cannot), weight: cannot.weight },
      relative: {
        a: pick(relative.a, triples),
        b: pick(relative.b, triples),
        c: pick(relative.c, triples),
        weight: triples.weight,
      },
      labels: { row: pick(labels.row, stated), code: pick(labels.code, stated), weight: stated.weight, names: labels.names },
      exclusive,
    },
    notices,
  };
}

export function emptyConstraints(n: number): ConstraintSet {
  return { n, mustLinks: NO_LINKS, cannotLinks: NO_LINKS, relative: NO_TRIPLES, labels: NO_LABELS, exclusive: [] };
}

/** Whether nothing at all was said. */
export function noConstraints(set: ConstraintSet): boolean {
  const statements = set.mustLinks.a.length + set.cannotLinks.a.length + set.relative.a.length + set.labels.row.length;
  return statements === 0 && set.exclusive.length === 0;
}

const NO_ROWS = new Int32Array(0);
const NO_WEIGHTS = new Float64Array(0);
const NO_LINKS: Links = { a: NO_ROWS, b: NO_ROWS, weight: NO_WEIGHTS };
const NO_TRIPLES: Triples = { ...NO_LINKS, c: NO_ROWS };
const NO_LABELS: LabelStatements = { row: NO_ROWS, code: NO_ROWS, weight: NO_WEIGHTS, names: [] };

function checkWeights(weights: Float64Array): void {
  for (const weight of weights) {
    if (!(weight > 0)) throw badInput(`A weight is ${weight}.`, { remedy: "Weights are numbers above 0, or Infinity for hard." });
  }
}

function refuseSenseless(cannotLinks: Links, relative: Triples, name: (row: number) => InstanceId): void {
  for (let s = 0; s < cannotLinks.a.length; s++) {
    if (cannotLinks.a[s] === cannotLinks.b[s]) {
      throw badInput(`A cannot-link parts ${name(cannotLinks.a[s]!)} from itself.`, { remedy: "Name two different instances." });
    }
  }
  for (let s = 0; s < relative.a.length; s++) {
    const c = relative.c[s]!;
    if (relative.a[s] !== relative.b[s] && (c === relative.a[s] || c === relative.b[s])) {
      const sentence = `The relative constraint ${name(relative.a[s]!)} ${name(relative.b[s]!)} | ${name(c)} names its third instance twice.`;
      throw badInput(sentence, { remedy: "Name a third instance that differs from the first two." });
    }
  }
}

/** Two statements are equal if their keys are. */
interface Keys {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array | null;
}

/** Links have no direction, and ab|c says the same as ba|c: the lower row comes first. */
function pairKeys({ a, b }: Links): Keys {
  return { a: a.map((row, s) => Math.min(row, b[s]!)), b: b.map((row, s) => Math.max(row, a[s]!)), c: null };
}

interface Kept {
  /** The first of each set of equal statements, in the given order. */
  readonly index: Int32Array;
  /** The largest weight of each. */
  readonly weight: Float64Array;
  readonly repeated: number;
  readonly dropped: number;
}

/** One statement of each key, by a hash table in flat arrays; `dropEqual` drops those that link a row with itself. */
function kept({ a, b, c }: Keys, weights: Float64Array, dropEqual: boolean): Kept {
  const count = a.length;
  let size = 16;
  while (size < 2 * count) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const index = new Int32Array(count);
  const weight = new Float64Array(count);
  let length = 0;
  let dropped = 0;
  for (let s = 0; s < count; s++) {
    if (dropEqual && a[s] === b[s]) {
      dropped++;
      continue;
    }
    const third = c === null ? 0 : c[s]!;
    let slot = hashOf(a[s]!, b[s]!, third) & (size - 1);
    let place = table[slot]!;
    while (place >= 0) {
      const other = index[place]!;
      if (a[other] === a[s] && b[other] === b[s] && (c === null || c[other] === third)) break;
      slot = (slot + 1) & (size - 1);
      place = table[slot]!;
    }
    if (place >= 0) weight[place] = Math.max(weight[place]!, weights[s]!);
    else {
      table[slot] = length;
      index[length] = s;
      weight[length++] = weights[s]!;
    }
  }
  return { index: index.slice(0, length), weight: weight.slice(0, length), repeated: count - dropped - length, dropped };
}

function hashOf(a: number, b: number, c: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 0x7f4a7c15, 0x85ebca6b) ^ Math.imul(c + 0x165667b1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}

function pick(values: Int32Array, { index }: Kept): Int32Array {
  return index.map((s) => values[s]!);
}
