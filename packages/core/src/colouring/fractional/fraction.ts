/**
 * From numbers that a solver computed to a fraction that is true: weights and prices are read as fractions of small
 * denominators, and then both are checked in whole numbers. Where they agree, their common total is the optimum, exactly.
 */

import type { Budget, Interruptible } from "../../steps/budget.js";
import type { Adjacency } from "../graphs/adjacency.js";
import type { WeightedSet } from "./columns.js";
import { heaviestIndependentSet } from "./independent-set.js";

export interface Fraction {
  readonly numerator: number;
  readonly denominator: number;
}

/** A larger common denominator is no longer recognised. */
const MOST_DENOMINATOR = 1_000_000;
const NEAR = 1e-8;

/** The exact least total of a cover, or null where weights or prices are no simple fractions, or do not prove it. */
export function* exactTotal(
  graph: Adjacency,
  sets: readonly WeightedSet[],
  prices: Float64Array,
  budget: Budget,
): Interruptible<Fraction | null> {
  const weights = wholeMultiples(sets.map(({ weight }) => weight));
  if (weights === null) return null;
  const covered = new Float64Array(graph.n);
  sets.forEach(({ vertices }, s) => {
    for (const v of vertices) covered[v]! += weights.numerators[s]!;
  });
  if (covered.some((c) => c < weights.denominator)) return null;
  const total = sum(weights.numerators);
  const bound = yield* exactBound(graph, prices, budget);
  return bound && total * bound.denominator === bound.numerator * weights.denominator ? bound : null;
}

/** The total of the prices, exactly, if no independent set has more than 1 of them: no cover has a lower total. */
export function* exactBound(graph: Adjacency, prices: Float64Array, budget: Budget): Interruptible<Fraction | null> {
  const costs = wholeMultiples(prices);
  if (costs === null) return null;
  const dearer = yield* heaviestIndependentSet(graph, costs.numerators, costs.denominator, budget);
  if (dearer.vertices !== null || !dearer.exact) return null;
  return reduced(sum(costs.numerators), costs.denominator);
}

export function reduced(numerator: number, denominator: number): Fraction {
  const common = commonDivisor(numerator, denominator);
  return { numerator: numerator / common, denominator: denominator / common };
}

/** "5/2"; a whole number without a denominator. */
export function fractionText({ numerator, denominator }: Fraction): string {
  return denominator === 1 ? String(numerator) : `${numerator}/${denominator}`;
}

function wholeMultiples(values: ArrayLike<number>): { readonly numerators: Float64Array; readonly denominator: number } | null {
  let denominator = 1;
  for (let i = 0; i < values.length; i++) {
    const own = denominatorOf(values[i]!);
    denominator *= own / commonDivisor(denominator, own);
    if (denominator > MOST_DENOMINATOR) return null;
  }
  const numerators = Float64Array.from(values, (value) => Math.round(value * denominator));
  return { numerators, denominator };
}

/** The smallest denominator of a fraction near the value, by continued fractions. */
function denominatorOf(value: number): number {
  let rest = value;
  let [before, now] = [0, 1];
  for (let step = 0; step < 20; step++) {
    if (Math.abs(value * now - Math.round(value * now)) <= NEAR * now || now > MOST_DENOMINATOR) return now;
    const part = rest - Math.floor(rest);
    rest = 1 / part;
    [before, now] = [now, Math.floor(rest) * now + before];
  }
  return now;
}

function commonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
