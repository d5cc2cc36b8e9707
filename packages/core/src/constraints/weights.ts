/** Weights of constraints as prices that can be added up: hard ones too, and whatever their size. */

/** Above this, sums of weights may leave the range of doubles; below, a million million of them do not. */
const LARGE = 2 ** 900;

/** A power of two by which finite weights are multiplied so that their sums stay finite; 1 for all that people mean. */
export function scaleOf(...weights: readonly Float64Array[]): number {
  for (const list of weights) for (const weight of list) if (weight > LARGE && weight < Infinity) return 1 / LARGE;
  return 1;
}

export interface Prices {
  readonly prices: Float64Array;
  /** The price of a hard constraint: more than all others together. */
  readonly hard: number;
}

/** Weights times their scale; a weight of Infinity is worth more than all finite ones together. */
export function pricesOf(weights: Float64Array): Prices {
  const scale = scaleOf(weights);
  let sum = 0;
  for (const weight of weights) if (weight < Infinity) sum += weight * scale;
  // Twice, for 1 more may be lost in rounding.
  const hard = 2 * sum + 1;
  return { prices: weights.map((weight) => (weight < Infinity ? weight * scale : hard)), hard };
}
