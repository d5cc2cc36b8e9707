/**
 * All must-links and cannot-links that were stated, by number: those given as such, then those that labels state, between all
 * rows of a class and between rows of different classes. Numbers are turned into pairs on demand; nothing is listed.
 */

import type { ConstraintSet, Links } from "../model/constraint-set.js";
import { type Lists, listsByKey } from "../structures/components.js";

export interface LinkSource {
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

function after({ a, b }: Links, stated: LinkSource): LinkSource {
  return { count: a.length + stated.count, at: (i) => (i < a.length ? [a[i]!, b[i]!] : stated.at(i - a.length)) };
}

/** Pairs of a class are numbered by their larger place, then by the smaller. */
function insideClasses({ start }: Lists, rowAt: (place: number) => number): LinkSource {
  const first = firstNumbers(start.length - 1, (c) => ((start[c + 1]! - start[c]!) * (start[c + 1]! - start[c]! - 1)) / 2);
  return {
    count: first.at(-1)!,
    at(i) {
      const c = lastAtMost(first, i);
      const number = i - first[c]!;
      let high = Math.floor((1 + Math.sqrt(1 + 8 * number)) / 2);
      // The root may be off by one for large numbers.
      while ((high * (high - 1)) / 2 > number) high--;
      while ((high * (high + 1)) / 2 <= number) high++;
      return [rowAt(start[c]! + high), rowAt(start[c]! + number - (high * (high - 1)) / 2)];
    },
  };
}

/** Each row with each row of the classes after its own. */
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

/** The number of the first pair of each class, and at the end how many there are. */
function firstNumbers(classes: number, pairsOf: (c: number) => number): number[] {
  const first = [0];
  for (let c = 0; c < classes; c++) first.push(first[c]! + pairsOf(c));
  return first;
}

/** The last entry that is at most `value`, before the final one. */
function lastAtMost(first: readonly number[], value: number): number {
  let low = 0;
  let high = first.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (first[middle]! <= value) low = middle;
    else high = middle;
  }
  return low;
}
