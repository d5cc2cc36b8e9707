/**
 * Measures how useful a constraint set is for a method, and whether its constraints agree with each other (Davidson, Wagstaff and Basu
 * 2006). Informativeness is the share of constraints that the method violates without knowing them. Coherence treats each link as a segment
 * between two points. It is the share of pairs of a must-link and a cannot-link whose segments do not overlap in projection.
 */

import { groupSizes } from "../constraints/component-graph.js";
import { violationCount } from "../constraints/counts.js";
import { violationsOf } from "../constraints/violations.js";
import type { ConstraintSet, Links } from "../model/constraint-set.js";
import type { Points } from "../model/points.js";
import { type Random, randomFrom } from "../random/random.js";
import { type Budget, budgetOf, chargeLooks, type EffortOptions, type Interruptible, looksLeft } from "../steps/budget.js";
import { drain } from "../steps/steps.js";
import { type Lists, listsByKey } from "../structures/components.js";
import { lastAtMost } from "../structures/search.js";

/**
 * The share of constraints that a clustering violates if it was computed without these constraints. Null if there are no constraints. An
 * exclusive group counts once.
 */
export function informativeness(set: ConstraintSet, baseline: Int32Array): number | null {
  const count = set.relative.a.length + constraintCount(set);
  if (count === 0) return null;
  const violations = violationsOf(set, baseline);
  const brokenGroups = new Set(violations.exclusive.map(({ column, value }) => `${column}\u0000${value}`)).size;
  return (violationCount({ ...violations, exclusive: [] }) + brokenGroups) / count;
}

/** Number of constraints that join or separate rows. An exclusive group of two or more rows counts as one. */
export function constraintCount({ mustLinks, cannotLinks, labels, exclusive }: ConstraintSet): number {
  const groups = exclusive.reduce((sum, grouping) => sum + largeGroups(grouping), 0);
  return mustLinks.a.length + cannotLinks.a.length + labels.row.length + groups;
}

function largeGroups(grouping: ConstraintSet["exclusive"][number]): number {
  return groupSizes(grouping).reduce((sum, size) => sum + (size > 1 ? 1 : 0), 0);
}

export interface Coherence {
  /** Null if there are no must-links or no cannot-links. */
  readonly value: number | null;
  readonly notices: readonly string[];
}

/**
 * Coherence of a constraint set. A link is the segment between its two rows in the space of the points. Columns should be numeric; replace
 * each nominal column by one 0/1 column per level. Labels give links between all rows of a class, and between rows of different classes.
 *
 * To compare two segments, segment s is projected onto the line through segment t. If the projection covers part of t, then s overlaps t. A
 * pair is coherent if neither segment overlaps the other segment.
 *
 * With more than 10⁶ pairs, or more than the effort allows, a random sample of the pairs is used. The pairs are never listed.
 */
export function coherence(
  set: ConstraintSet,
  points: Points,
  { random = randomFrom(0), ...options }: { readonly random?: Random } & EffortOptions = {},
): Coherence {
  return drain(searchCoherence(set, points, random, budgetOf(options)));
}

const MOST_PAIRS = 1_000_000;
/** Minimum number of pairs for an estimate; with fewer pairs nothing is reported. */
const LEAST_PAIRS = 100;
/** Looks (see steps/budget.ts) for each column of a pair of links: the pair has four rows. */
const LOOKS_PER_VALUE = 4;
/** Pairs between two pauses. */
const PAIRS_AT_ONCE = 1_000;

export function* searchCoherence(set: ConstraintSet, points: Points, random: Random, budget: Budget): Interruptible<Coherence> {
  const { must, cannot } = linkSources(set);
  const pairs = must.count * cannot.count;
  if (pairs === 0) return { value: null, notices: [] };
  const looks = LOOKS_PER_VALUE * (points.d + 1);
  const most = Math.min(MOST_PAIRS, Math.floor(looksLeft(budget) / looks));
  if (most < Math.min(pairs, LEAST_PAIRS)) return { value: null, notices: ["Coherence was not measured within the effort."] };
  const count = Math.min(pairs, most);
  const draw = random.split("coherence");
  const all = count === pairs;
  let coherent = 0;
  for (let s = 0; s < count; s++) {
    if (s % PAIRS_AT_ONCE === 0) {
      chargeLooks(budget, looks * PAIRS_AT_ONCE);
      yield;
    }
    const i = all ? Math.floor(s / cannot.count) : draw.int(must.count);
    const j = all ? s % cannot.count : draw.int(cannot.count);
    if (areCoherent(points, must, i, cannot, j)) coherent++;
  }
  if (all) return { value: coherent / pairs, notices: [] };
  const within = Number((1 / Math.sqrt(count)).toPrecision(1));
  const notice = `Coherence is estimated from ${count} of ${pairs} pairs of a must-link and a cannot-link, to within ${within}.`;
  return { value: coherent / count, notices: [notice] };
}

function areCoherent(points: Points, must: LinkSource, i: number, cannot: LinkSource, j: number): boolean {
  const [a, b] = must.at(i);
  const [p, q] = cannot.at(j);
  return !overlaps(points, a, b, p, q) && !overlaps(points, p, q, a, b);
}

/** Whether segment a–b, projected onto the line through p and q, covers a part of segment p–q. */
export function overlaps({ x, d }: Points, a: number, b: number, p: number, q: number): boolean {
  let length = 0;
  let fromA = 0;
  let fromB = 0;
  for (let f = 0; f < d; f++) {
    const direction = x[q * d + f]! - x[p * d + f]!;
    length += direction * direction;
    fromA += direction * (x[a * d + f]! - x[p * d + f]!);
    fromB += direction * (x[b * d + f]! - x[p * d + f]!);
  }
  return Math.min(length, Math.max(fromA, fromB)) > Math.max(0, Math.min(fromA, fromB));
}

/*
 * All must-links and cannot-links by index: first the given links, then the links that labels imply. Labels imply must-links within each
 * class and cannot-links between classes. Pairs are computed from indices; nothing is listed.
 */

interface LinkSource {
  readonly count: number;
  at(i: number): readonly [number, number];
}

export function linkSources({ mustLinks, cannotLinks, labels }: ConstraintSet): {
  readonly must: LinkSource;
  readonly cannot: LinkSource;
} {
  const classes = listsByKey(labels.code, labels.names.length);
  const rowAt = (place: number): number => labels.row[classes.items[place]!]!;
  return { must: after(mustLinks, insideClasses(classes, rowAt)), cannot: after(cannotLinks, betweenClasses(classes, rowAt)) };
}

function after({ a, b }: Links, implied: LinkSource): LinkSource {
  return { count: a.length + implied.count, at: (i) => (i < a.length ? [a[i]!, b[i]!] : implied.at(i - a.length)) };
}

/** All pairs of rows within a class, ordered by the larger position in the class, then by the smaller position. */
function insideClasses({ start }: Lists, rowAt: (place: number) => number): LinkSource {
  const first = firstNumbers(start.length - 1, (c) => ((start[c + 1]! - start[c]!) * (start[c + 1]! - start[c]! - 1)) / 2);
  return {
    count: first.at(-1)!,
    at(i) {
      const c = lastAtMost(first, i);
      const number = i - first[c]!;
      let high = Math.floor((1 + Math.sqrt(1 + 8 * number)) / 2);
      // Rounding can make the square root wrong by one.
      while ((high * (high - 1)) / 2 > number) high--;
      while ((high * (high + 1)) / 2 <= number) high++;
      return [rowAt(start[c]! + high), rowAt(start[c]! + number - (high * (high - 1)) / 2)];
    },
  };
}

function betweenClasses({ start, items }: Lists, rowAt: (place: number) => number): LinkSource {
  const first = firstNumbers(start.length - 1, (c) => (start[c + 1]! - start[c]!) * (items.length - start[c + 1]!));
  return {
    count: first.at(-1)!,
    at(i) {
      const c = lastAtMost(first, i);
      const later = items.length - start[c + 1]!;
      const number = i - first[c]!;
      return [rowAt(start[c]! + Math.floor(number / later)), rowAt(start[c + 1]! + (number % later))];
    },
  };
}

/** The index of the first pair of each class; the last entry is the total. */
function firstNumbers(classes: number, pairsOf: (c: number) => number): number[] {
  const first = [0];
  for (let c = 0; c < classes; c++) first.push(first[c]! + pairsOf(c));
  return first;
}
