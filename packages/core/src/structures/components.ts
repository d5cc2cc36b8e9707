/**
 * Union-find by size with path halving. Finds the classes of a relation given by n pairs, in O(n α(n)) steps, without recursion. The entry
 * of a root is minus the size of its tree; any other entry is a parent.
 */

import { firstAtLeast } from "./search.js";
export type Forest = Int32Array;

export function forest(n: number): Forest {
  return new Int32Array(n).fill(-1);
}

export function rootOf(trees: Forest, i: number): number {
  for (;;) {
    const parent = trees[i]!;
    if (parent < 0) return i;
    const grandparent = trees[parent]!;
    if (grandparent < 0) return parent;
    trees[i] = grandparent;
    i = grandparent;
  }
}

/** Joins the trees of a and b. Returns false if a and b are already in the same tree. */
export function join(trees: Forest, a: number, b: number): boolean {
  let high = rootOf(trees, a);
  let low = rootOf(trees, b);
  if (high === low) return false;
  if (trees[low]! < trees[high]!) [high, low] = [low, high];
  trees[high] = trees[high]! + trees[low]!;
  trees[low] = high;
  return true;
}

/** Concatenated lists of numbers: list i is `items[start[i]] … items[start[i + 1] - 1]`. */
export interface Lists {
  readonly start: Int32Array;
  readonly items: Int32Array;
}

export interface Components {
  /** Component of each row; components are numbered in the order of their first rows. */
  readonly component: Int32Array;
  readonly count: number;
  readonly sizes: Int32Array;
  /** Rows of each component, ascending. */
  readonly members: Lists;
}

export function componentsOf(trees: Forest): Components {
  const n = trees.length;
  const component = new Int32Array(n);
  const number = new Int32Array(n).fill(-1);
  let count = 0;
  for (let i = 0; i < n; i++) {
    const root = rootOf(trees, i);
    if (number[root] === -1) number[root] = count++;
    component[i] = number[root]!;
  }
  const members = listsByKey(component, count);
  const sizes = new Int32Array(count);
  for (let c = 0; c < count; c++) sizes[c] = members.start[c + 1]! - members.start[c]!;
  return { component, count, sizes, members };
}

/** The indices of `keys` grouped by key, ascending within a key (counting sort). Entries with key -1 are left out. */
export function listsByKey(keys: Int32Array, keyCount: number): Lists {
  const start = new Int32Array(keyCount + 1);
  for (let i = 0; i < keys.length; i++) if (keys[i]! >= 0) start[keys[i]! + 1]!++;
  for (let k = 0; k < keyCount; k++) start[k + 1] = start[k + 1]! + start[k]!;
  const items = new Int32Array(start[keyCount]!);
  const next = start.slice(0, keyCount);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (key >= 0) items[next[key]!++] = i;
  }
  return { start, items };
}

/** The position of `value` in the ascending range `items[from] … items[to - 1]`, or -1. */
export function placeOf(items: Int32Array, from: number, to: number, value: number): number {
  const place = firstAtLeast(items, from, to, value);
  return place < to && items[place] === value ? place : -1;
}
