/**
 * What a constraint set tells a method, and whether it agrees with itself (Davidson, Wagstaff and Basu 2006): informativeness is
 * the share of constraints that the method breaks when it does not know them; coherence is the share of pairs of a must-link and
 * a cannot-link that do not pull the same stretch of the same direction both ways.
 */
import { groupCount } from "../constraints/component-graph.js";
import { violationCount, violationsOf } from "../constraints/violations.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Points } from "../model/points.js";
import { type Random, randomFrom } from "../random/random.js";
import { type LinkSource, linkSources } from "./link-sources.js";

/**
 * The share of given statements that a clustering found without them does not satisfy; null if nothing was given. A group
 * counts as one statement, and is broken if any cluster holds two of its rows.
 */
export function informativeness(set: ConstraintSet, baseline: Int32Array): number | null {
  const statements = set.relative.a.length + statementsOf(set);
  if (statements === 0) return null;
  const violations = violationsOf(set, baseline);
  const brokenGroups = new Set(violations.exclusive.map(({ column, value }) => `${column}\u0000${value}`)).size;
  return (violationCount({ ...violations, exclusive: [] }) + brokenGroups) / statements;
}

/** How many statements keep rows together or apart; a group of two or more rows is one. */
export function statementsOf({ mustLinks, cannotLinks, labels, exclusive }: ConstraintSet): number {
  const groups = exclusive.reduce((sum, grouping) => sum + largeGroups(grouping), 0);
  return mustLinks.a.length + cannotLinks.a.length + labels.row.length + groups;
}

/** Groups of two or more rows. */
function largeGroups(grouping: ConstraintSet["exclusive"][number]): number {
  const sizes = new Int32Array(groupCount(grouping));
  for (const code of grouping.codes) if (code >= 0) sizes[code]!++;
  return sizes.reduce((sum, size) => sum + (size > 1 ? 1 : 0), 0);
}

export interface Coherence {
  /** Null without a must-link or without a cannot-link. */
  readonly value: number | null;
  readonly notices: readonly string[];
}

const MOST_PAIRS = 1_000_000;

/**
 * Links as stretches between their rows in the space of the points, which should be numbers (nominal columns split into 0 and 1
 * for each level). Labels give links between all rows of a class, and between rows of different classes. A stretch overlaps
 * another if its shadow on the other's line covers part of the other; a pair counts as coherent if neither overlaps the other.
 * Above 10⁶ pairs, so many are drawn at random, and nothing is listed.
 */
export function coherence(
  set: ConstraintSet,
  points: Points,
  { random = randomFrom(0) }: { readonly random?: Random } = {},
): Coherence {
  const { must, cannot } = linkSources(set);
  const pairs = must.count * cannot.count;
  if (pairs === 0) return { value: null, notices: [] };
  if (pairs <= MOST_PAIRS) {
    let coherent = 0;
    for (let i = 0; i < must.count; i++)
      for (let j = 0; j < cannot.count; j++) if (areCoherent(points, must, i, cannot, j)) coherent++;
    return { value: coherent / pairs, notices: [] };
  }
  const draw = random.split("coherence");
  let coherent = 0;
  for (let s = 0; s < MOST_PAIRS; s++)
    if (areCoherent(points, must, draw.int(must.count), cannot, draw.int(cannot.count))) coherent++;
  const notice = `Coherence is estimated from ${MOST_PAIRS} of ${pairs} pairs of a must-link and a cannot-link, to within 0.001.`;
  return { value: coherent / MOST_PAIRS, notices: [notice] };
}

function areCoherent(points: Points, must: LinkSource, i: number, cannot: LinkSource, j: number): boolean {
  const [a, b] = must.at(i);
  const [p, q] = cannot.at(j);
  return !overlaps(points, a, b, p, q) && !overlaps(points, p, q, a, b);
}

/** Whether the shadow of the stretch a–b on the line through p and q covers part of p–q. */
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
