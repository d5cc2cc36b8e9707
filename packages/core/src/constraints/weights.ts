/** Converts weights to finite penalties that can be added, even if weights are infinite or very large. */

/** Above this value, sums of weights can exceed the range of doubles. Below it, the sum of 10¹² weights stays in the range. */
const LARGE = 2 ** 900;

/** A power of two that scales finite weights so that their sums stay finite; 1 for all usual weights. */
export function scaleOf(...weights: readonly Float64Array[]): number {
  for (const list of weights) for (const weight of list) if (weight > LARGE && weight < Infinity) return 1 / LARGE;
  return 1;
}

export interface Prices {
  readonly prices: Float64Array;
  /** The penalty of a hard constraint: larger than the sum of all finite penalties. */
  readonly hard: number;
}

/**
 * Converts weights to penalties. Finite weights are scaled; a weight of Infinity becomes a penalty larger than all finite penalties
 * together.
 */
export function pricesOf(weights: Float64Array): Prices {
  const scale = scaleOf(weights);
  let sum = 0;
  for (const weight of weights) if (weight < Infinity) sum += weight * scale;
  // 2 · sum, because sum + 1 can be rounded to sum.
  const hard = 2 * sum + 1;
  return { prices: weights.map((weight) => (weight < Infinity ? weight * scale : hard)), hard };
}
