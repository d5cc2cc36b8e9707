/**
 * A number to print between two neighbouring values: the shortest decimal in the middle half of the gap, so that it can be
 * read and yet leaves room on both sides for rows to come. Values above it pass.
 */
export function thresholdBetween(low: number, high: number): number {
  const middle = low / 2 + high / 2;
  const gap = high - low;
  if (!Number.isFinite(gap)) return middle;
  const coarsest = exponentOf(gap);
  // Adding 0 turns -0 into 0.
  for (let exponent = coarsest + 1; exponent >= coarsest - 2; exponent--) {
    const rounded = roundedTo(middle, exponent);
    if (rounded < high && rounded - low >= gap / 4 && high - rounded >= gap / 4) return rounded + 0;
  }
  return low < middle && middle < high ? middle : low;
}

/** The power of ten of the leading digit. */
function exponentOf(value: number): number {
  return Number(value.toExponential().split("e")[1]);
}

/** Rounded to a multiple of 10^exponent, as the double nearest to that decimal. */
function roundedTo(value: number, exponent: number): number {
  if (exponent < 0) return -exponent <= 100 ? Number(value.toFixed(-exponent)) : value;
  const unit = Number(`1e${exponent}`);
  return Math.round(value / unit) * unit;
}
