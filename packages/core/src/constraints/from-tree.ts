/**
 * Derives relative constraints from a known hierarchy or known classes.
 *
 * A hierarchy over n leaves induces up to n³/6 triplets ab|c, but a small subset entails all other triplets (liu2011 §4.3). The subset is
 * built for each node v with children X1 … Xm and each sibling Y of v. Let x1, xi and y be one leaf each of X1, Xi and Y. The triplets are
 * x1 xi|y for i = 2 … m.
 *
 * Number of triplets: n-2 for a binary hierarchy, and at most (D-1)(n-1) if no node has more than D children. If n rows are in k classes,
 * there are (k-1)(n-k) triplets.
 *
 * Departs from the paper: its GenerateConstraints also writes x1 x1|y, which has no effect.
 */

import { badInput, badOption } from "../errors.js";
import type { Triples } from "../model/constraint-set.js";
import type { Labelling } from "../model/points.js";
import { counted } from "../model/wording.js";
import type { Random } from "../random/random.js";
import { distinctNumbers } from "../random/random.js";
import type { BuiltConstraints } from "./build.js";
import { pairsWithinClasses, rowsByClass } from "./pair-ranks.js";
import { emptyConstraints } from "./sets.js";

/**
 * A rooted tree over some rows, nodes in any order. `parent`: parent of each node, -1 for the root. `row`: row of each leaf, -1 for
 * inner nodes.
 */
export interface Hierarchy {
  readonly parent: Int32Array;
  readonly row: Int32Array;
}

/**
 * The hierarchy of known classes, `levels` from the coarsest to the finest. The children of the root are the classes of the first level.
 * The children of a class are the classes of the next level that have rows in common with it. The leaves are the rows. A row without a
 * class at some level is left out.
 */
export function hierarchyOfClasses(...levels: readonly Labelling[]): Hierarchy {
  const below: Map<number, number>[] = [new Map()];
  const parent: number[] = [-1];
  const row: number[] = [-1];
  const add = (above: number, leaf: number): number => {
    row.push(leaf);
    below.push(new Map());
    return parent.push(above) - 1;
  };
  for (let i = 0; i < levels[0]!.codes.length; i++) {
    if (levels.some(({ codes }) => codes[i]! < 0)) continue;
    let node = 0;
    for (const { codes } of levels) {
      const next = below[node]!.get(codes[i]!) ?? add(node, -1);
      below[node]!.set(codes[i]!, next);
      node = next;
    }
    add(node, i);
  }
  return { parent: Int32Array.from(parent), row: Int32Array.from(row) };
}

/** The triplets that entail all triplets of the hierarchy over `n` rows. */
export function informativeTriplets(n: number, hierarchy: Hierarchy): BuiltConstraints {
  const { children, root } = childrenOf(hierarchy);
  checkLeaves(hierarchy, children, n);
  const order = topDown(children, root);
  const representative = new Int32Array(children.length).fill(-1);
  const leafOf = (node: number): number => representative[forked(children, node)]!;
  for (const node of [...order].reverse()) {
    representative[node] = children[node]!.length === 0 ? hierarchy.row[node]! : leafOf(children[node]![0]!);
  }
  const found = gather();
  for (const node of order) {
    const parts = children[node]!.map((part) => forked(children, part));
    for (const part of parts) {
      const [first, ...rest] = children[part]!;
      for (const other of rest) {
        for (const sibling of parts) {
          if (sibling !== part) found.add(leafOf(first!), leafOf(other), leafOf(sibling));
        }
      }
    }
  }
  return { ...emptyConstraints(n), relative: found.done(), notices: [] };
}

/** `informativeTriplets` for known classes, from the coarsest to the finest level. One level gives (k-1)(n-k) triplets. */
export function informativeTripletsOfClasses(...levels: readonly Labelling[]): BuiltConstraints {
  const hierarchy = hierarchyOfClasses(...levels);
  const n = levels[0]!.codes.length;
  const without = n - hierarchy.row.filter((leaf) => leaf >= 0).length;
  if (without === n) throw badInput("No row has a known class.");
  const notices =
    without === 0 ? [] : [`${counted(without, "row")} without a known class ${without === 1 ? "is" : "are"} left out.`];
  return { ...informativeTriplets(n, hierarchy), notices };
}

/** Index of the first level whose classes all stay whole in the next level; -1 if each next level divides some class. */
export function undividedLevel(levels: readonly Labelling[]): number {
  return levels.slice(0, -1).findIndex(({ codes }, l) => {
    const next = levels[l + 1]!.codes;
    const inside = new Map<number, number>();
    return codes.every((code, i) => {
      if (code < 0 || next[i]! < 0) return true;
      const known = inside.get(code) ?? next[i]!;
      inside.set(code, known);
      return known === next[i];
    });
  });
}

export interface RandomTripletOptions {
  readonly count: number;
  readonly random: Random;
  /** Share of the triplets that are made wrong: ac|b instead of ab|c. */
  readonly noise?: number;
}

/** Distinct random triplets ab|c (liu2011 §5.1): a and b are in one class, c is in another class. */
export function randomTriplets(truth: Labelling, { count, random, noise = 0 }: RandomTripletOptions): BuiltConstraints {
  if (!(Number.isSafeInteger(count) && count >= 0)) throw badOption("count", count, "a whole number from 0");
  if (!(noise >= 0 && noise <= 1)) throw badOption("noise", noise, "between 0 and 1");
  const ranked = rankedTriplets(truth);
  const drawn = distinctNumbers(random.split("triplets"), ranked.count, Math.min(count, ranked.count));
  const wrong = new Set(random.split("noise").sample(drawn.length, Math.round(noise * drawn.length)));
  const found = gather();
  drawn.forEach((rank, s) => {
    const [a, b, c] = ranked.at(rank);
    if (wrong.has(s)) found.add(a, c, b);
    else found.add(a, b, c);
  });
  const notices =
    count > ranked.count
      ? [`${count} constraints were asked for, but the classes allow only ${ranked.count} different relative ones.`]
      : [];
  return { ...emptyConstraints(truth.codes.length), relative: found.done(), notices };
}

/** Numbers all triplets ab|c that follow from the classes: a and b are in the same class, c is in another class. */
function rankedTriplets({ codes }: Labelling) {
  const classes = rowsByClass(codes, codes.reduce((most, code) => Math.max(most, code), -1) + 1);
  const { rows, start } = classes;
  const size = (c: number): number => start[c + 1]! - start[c]!;
  const within = pairsWithinClasses(classes);
  const pairsBefore: number[] = [0];
  const before: number[] = [0];
  for (let c = 0; c + 1 < start.length; c++) {
    const pairs = (size(c) * (size(c) - 1)) / 2;
    pairsBefore.push(pairsBefore[c]! + pairs);
    before.push(before[c]! + pairs * (rows.length - size(c)));
  }
  return {
    count: before.at(-1)!,
    at(rank: number): readonly [number, number, number] {
      const c = before.findLastIndex((total) => total <= rank);
      const outside = rows.length - size(c);
      const [a, b] = within.at(pairsBefore[c]! + Math.floor((rank - before[c]!) / outside));
      const place = (rank - before[c]!) % outside;
      return [a, b, rows[place < start[c]! ? place : place + size(c)]!];
    },
  };
}

function childrenOf({ parent }: Hierarchy): { readonly children: readonly (readonly number[])[]; readonly root: number } {
  const children: number[][] = Array.from(parent, () => []);
  let root = -1;
  parent.forEach((up, node) => {
    if (up >= 0) children[up]!.push(node);
    else if (root === -1) root = node;
    else throw badInput("The hierarchy has more than one root.");
  });
  if (root === -1) throw badInput("The hierarchy has no root.");
  return { children, root };
}

function checkLeaves({ row }: Hierarchy, children: readonly (readonly number[])[], n: number): void {
  const seen = new Set<number>();
  children.forEach((parts, node) => {
    if (parts.length > 0) return;
    const leaf = row[node]!;
    if (!(leaf >= 0 && leaf < n)) throw badInput("The hierarchy has a leaf that is not a row of the data.");
    if (seen.has(leaf)) throw badInput(`The hierarchy has the row ${leaf} at two leaves.`);
    seen.add(leaf);
  });
}

function topDown(children: readonly (readonly number[])[], root: number): number[] {
  const order = [forked(children, root)];
  for (let p = 0; p < order.length; p++) for (const part of children[order[p]!]!) order.push(forked(children, part));
  return order;
}

/** Skips nodes with one child, because they add no triplet. */
function forked(children: readonly (readonly number[])[], node: number): number {
  while (children[node]!.length === 1) node = children[node]![0]!;
  return node;
}

function gather() {
  const a: number[] = [];
  const b: number[] = [];
  const c: number[] = [];
  return {
    add(first: number, second: number, third: number): void {
      a.push(first);
      b.push(second);
      c.push(third);
    },
    done: (): Triples => ({
      a: Int32Array.from(a),
      b: Int32Array.from(b),
      c: Int32Array.from(c),
      weight: new Float64Array(a.length).fill(1),
    }),
  };
}
