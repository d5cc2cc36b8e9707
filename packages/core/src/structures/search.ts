/** Searches in lists of numbers. */

/** Binary search in ascending numbers: the first position in `from` … `to` - 1 with a number of at least `value`; `to` if there is none. */
export function firstAtLeast(numbers: ArrayLike<number>, from: number, to: number, value: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Binary search in ascending starts of ranges: the position of the last start that is at most `value`. The last number is not a start, but
 * the end of the last range. Its position is never returned.
 */
export function lastAtMost(numbers: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** The index of the smallest value; 0 if all are Infinity. */
export function leastAt(values: readonly number[]): number {
  let least = 0;
  values.forEach((value, at) => {
    if (value < values[least]!) least = at;
  });
  return least;
}
