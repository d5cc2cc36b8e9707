/** Binary searches in ascending numbers. */

/** The first position in `from` … `to` - 1 whose number is at least `value`; `to` if there is none. */
export function firstAtLeast(numbers: ArrayLike<number>, from: number, to: number, value: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The last position, except the final one, whose number is at most `value`. */
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
