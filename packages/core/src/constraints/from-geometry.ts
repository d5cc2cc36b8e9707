/**
 * Constraints from the shape that clusters should have (Davidson 2012, section 6.3, after Davidson and Ravi 2007): clusters at
 * least `separation` apart, so rows closer than that are must-linked; clusters no wider than `diameter`, so rows further from
 * each other than that are cannot-linked.
 *
 * Said pair by pair these would be up to n² constraints. They are found by walking two boxes of rows at a time, and written as
 * the few that say the same: the must-links form a forest, and two groups that must-links make get one cannot-link, however
 * many of their rows are far from each other. Or `count` of all the pairs are drawn, each as likely as any other.
 */
import { badInput, badOption } from "../errors.js";
import type { Links } from "../model/constraint-set.js";
import type { Points } from "../model/points.js";
import type { Random } from "../random/random.js";
import { type BoxTree, boxTree, eachPair, eachPart } from "../structures/box-tree.js";
import { componentsOf, type Forest, forest, join, rootOf } from "../structures/components.js";
import type { BuiltConstraints } from "./build.js";
import { drawPairs } from "./draw-pairs.js";
import { emptyConstraints } from "./none.js";

export interface GeometryOptions {
  /** Rows closer than this must be together. */
  readonly separation?: number;
  /** Rows further apart than this must not be together. One of the two must be given. */
  readonly diameter?: number;
  /** The most cannot-links that may come out; more are refused. */
  readonly limit?: number;
  /** Draw this many of all such pairs instead of writing what says them all. */
  readonly draw?: { readonly count: number; readonly random: Random };
}

/** Cannot-links in a file of about 15 MB. */
export const MOST_CANNOT_LINKS = 1_000_000;

/** Points are numbers, compared by Euclidean distance; nominal columns should be split into their levels. */
export function constraintsFromGeometry(points: Points, options: GeometryOptions): BuiltConstraints {
  const { separation, diameter, limit = MOST_CANNOT_LINKS, draw } = options;
  checkThresholds(separation, diameter);
  const tree = boxTree(points);
  // The distances that are compared are squared.
  const near = separation === undefined ? -1 : separation * separation;
  const far = diameter === undefined ? Infinity : diameter * diameter;
  if (draw) {
    const { mustLinks, cannotLinks, notices } = drawPairs(tree, { near, far }, draw);
    return { ...emptyConstraints(points.n), mustLinks: linksOf(mustLinks), cannotLinks: linksOf(cannotLinks), notices };
  }
  const trees = forest(points.n);
  const mustLinks = separation === undefined ? [] : joinNear(tree, trees, near);
  const apart = diameter === undefined ? { pairs: [], within: 0 } : partFar(tree, trees, far, limit, diameter);
  return {
    ...emptyConstraints(points.n),
    mustLinks: linksOf(mustLinks),
    cannotLinks: linksOf(apart.pairs),
    notices: contradictionNotices(apart.within),
  };
}

function checkThresholds(separation: number | undefined, diameter: number | undefined): void {
  for (const [name, value] of [
    ["separation", separation],
    ["diameter", diameter],
  ] as const) {
    if (value !== undefined && !(value > 0 && value < Infinity)) throw badOption(name, value, "a distance above 0");
  }
  if (separation === undefined && diameter === undefined)
    throw badOption("separation", separation, "given, or diameter, or both");
  if (separation !== undefined && diameter !== undefined && diameter < separation)
    throw badOption("diameter", diameter, `at least the separation, ${separation}: rows between the two would be both`);
}

function contradictionNotices(within: number): string[] {
  if (within === 0) return [];
  const groups =
    within === 1
      ? "1 group of rows, joined in steps shorter than the separation, is"
      : `${within} groups of rows, joined in steps shorter than the separation, are`;
  return [
    `${groups} wider than the diameter: the set contradicts itself. A smaller separation or a larger diameter would mend it.`,
  ];
}

/** Pairs as one list: a, b, a, b, …; the lower row of each first. */
function linksOf(pairs: readonly number[]): Links {
  const count = pairs.length / 2;
  const at = (s: number, choose: (p: number, q: number) => number): number => choose(pairs[2 * s]!, pairs[2 * s + 1]!);
  return {
    a: Int32Array.from({ length: count }, (_, s) => at(s, Math.min)),
    b: Int32Array.from({ length: count }, (_, s) => at(s, Math.max)),
    weight: new Float64Array(count).fill(1),
  };
}

/** A forest of links between rows closer than the threshold that joins all that such links join. */
function joinNear(tree: BoxTree, trees: Forest, near: number): number[] {
  const { rows, from, to, second } = tree;
  const pairs: number[] = [];
  const whole = new Uint8Array(from.length);
  const link = (row: number, other: number): void => {
    if (join(trees, row, other)) pairs.push(row, other);
  };
  const isWhole = (v: number): boolean => {
    if (whole[v] === 1) return true;
    const first = rootOf(trees, rows[from[v]!]!);
    if (second[v] === -1) {
      for (let p = from[v]! + 1; p < to[v]!; p++) if (rootOf(trees, rows[p]!) !== first) return false;
    } else if (!isWhole(v + 1) || !isWhole(second[v]!) || rootOf(trees, rows[from[second[v]!]!]!) !== first) return false;
    whole[v] = 1;
    return true;
  };
  const each = (v: number, act: (row: number) => void): void => {
    for (let p = from[v]!; p < to[v]!; p++) act(rows[p]!);
  };
  const visit = (u: number, v: number): void => {
    if (tree.least(u, v) >= near) return;
    if (isWhole(u) && isWhole(v) && rootOf(trees, rows[from[u]!]!) === rootOf(trees, rows[from[v]!]!)) return;
    if (tree.most(u, v) < near) {
      each(u, (row) => link(row, rows[from[v]!]!));
      each(v, (row) => link(row, rows[from[u]!]!));
    } else if (second[u] === -1 && second[v] === -1) {
      eachPair(tree, u, v, (row, other) => {
        if (tree.distance(row, other) < near) link(row, other);
      });
    } else eachPart(tree, u, v, visit);
  };
  if (rows.length > 0) visit(0, 0);
  return pairs;
}

interface Apart {
  readonly pairs: number[];
  /** Groups with rows too far from each other. */
  readonly within: number;
}

/** One pair of rows further apart than the threshold for each two groups that have one, and for each group that has one. */
function partFar(tree: BoxTree, trees: Forest, far: number, limit: number, diameter: number): Apart {
  const { rows, from, second } = tree;
  const { component, count } = componentsOf(trees);
  const groupOf = groupsOfNodes(tree, component);
  const known = new Set<number>();
  const pairs: number[] = [];
  let within = 0;
  const keyOf = (c: number, e: number): number => Math.min(c, e) * count + Math.max(c, e);
  const keep = (row: number, other: number): void => {
    const [c, e] = [component[row]!, component[other]!];
    const key = keyOf(c, e);
    if (known.has(key)) return;
    known.add(key);
    pairs.push(row, other);
    if (c === e) within++;
    if (known.size > limit) throw tooMany(limit, diameter);
  };
  const visit = (u: number, v: number): void => {
    if (tree.most(u, v) <= far) return;
    const [c, e] = [groupOf[u]!, groupOf[v]!];
    const isOnePair = c >= 0 && e >= 0;
    if (isOnePair && known.has(keyOf(c, e))) return;
    if (isOnePair && tree.least(u, v) > far) keep(rows[from[u]!]!, rows[from[v]!]!);
    else if (second[u] === -1 && second[v] === -1) {
      eachPair(tree, u, v, (row, other) => {
        if (tree.distance(row, other) > far) keep(row, other);
      });
    } else eachPart(tree, u, v, visit);
  };
  if (rows.length > 0) visit(0, 0);
  return { pairs, within };
}

function tooMany(limit: number, diameter: number) {
  return badInput(
    `More than ${limit.toLocaleString("en")} pairs of rows or groups are further apart than the diameter, ${diameter}.`,
    {
      remedy:
        "Ask for a larger diameter or, so that fewer groups remain, a larger separation; draw some of the pairs with a count; or allow more with a limit.",
    },
  );
}

/** The group that all rows of a node are in, -1 if they are in several. */
function groupsOfNodes({ rows, from, to, second }: BoxTree, component: Int32Array): Int32Array {
  const groups = new Int32Array(from.length);
  for (let v = from.length - 1; v >= 0; v--) {
    if (second[v] !== -1) groups[v] = groups[v + 1] === groups[second[v]!] ? groups[v + 1]! : -1;
    else {
      groups[v] = component[rows[from[v]!]!]!;
      for (let p = from[v]! + 1; p < to[v]!; p++) if (component[rows[p]!] !== groups[v]) groups[v] = -1;
    }
  }
  return groups;
}
