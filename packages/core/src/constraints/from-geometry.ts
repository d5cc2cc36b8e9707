/**
 * Derives constraints from the intended shape of the clusters (Davidson 2012, section 6.3, after Davidson and Ravi 2007). Clusters are at
 * least `separation` apart, so rows closer than `separation` get a must-link. Clusters are at most `diameter` wide, so rows further apart
 * than `diameter` get a cannot-link.
 *
 * There can be up to n² such pairs. So the pairs are not listed: a dual-tree traversal compares two boxes of rows at a time. The output is
 * a small equivalent set. The must-links form a forest. Two groups of must-linked rows get one cannot-link, even if many of their rows are
 * far apart. If `draw` is given, the output is `draw.count` pairs instead, drawn with equal probability from all pairs.
 */

import { badInput, badOption } from "../errors.js";
import { upTo } from "../linalg/indices.js";
import type { Links } from "../model/constraint-set.js";
import type { Points } from "../model/points.js";
import type { Random } from "../random/random.js";
import { distinctNumbers } from "../random/random.js";
import { componentsOf, type Forest, forest, join, rootOf } from "../structures/components.js";
import type { BuiltConstraints } from "./build.js";
import { allPairs } from "./pair-ranks.js";
import { emptyConstraints } from "./sets.js";

const LEAF = 12;

export interface GeometryOptions {
  /** Rows closer than this distance get a must-link. */
  readonly separation?: number;
  /** Rows further apart than this distance get a cannot-link. At least one of `separation` and `diameter` is required. */
  readonly diameter?: number;
  /** Maximum number of cannot-links in the output; more are an error. Default 1,000,000. */
  readonly limit?: number;
  /** If given, draws `count` pairs at random from all near and far pairs. By default, the output is the smallest equivalent set. */
  readonly draw?: { readonly count: number; readonly random: Random };
}

/** Default limit of cannot-links: a file of about 15 MB. */
export const MOST_CANNOT_LINKS = 1_000_000;

/** `points`: numeric rows, compared by Euclidean distance. Encode nominal columns as one column per level first. */
export function constraintsFromGeometry(points: Points, options: GeometryOptions): BuiltConstraints {
  const { separation, diameter, limit = MOST_CANNOT_LINKS, draw } = options;
  checkThresholds(separation, diameter);
  const tree = boxTree(points);
  // All distances are compared as squares.
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
    throw badOption(
      "diameter",
      diameter,
      `at least the separation, ${separation}: rows at distances between the two would get both links`,
    );
}

function contradictionNotices(within: number): string[] {
  if (within === 0) return [];
  const groups =
    within === 1
      ? "1 group of rows, joined in steps shorter than the separation, is"
      : `${within} groups of rows, joined in steps shorter than the separation, are`;
  return [
    `${groups} wider than the diameter: the set contradicts itself. A smaller separation or a larger diameter would fix it.`,
  ];
}

/** Converts a flat list a, b, a, b, … to links, the lower row of each pair first. */
function linksOf(pairs: readonly number[]): Links {
  const count = pairs.length / 2;
  const at = (s: number, choose: (p: number, q: number) => number): number => choose(pairs[2 * s]!, pairs[2 * s + 1]!);
  return {
    a: Int32Array.from({ length: count }, (_, s) => at(s, Math.min)),
    b: Int32Array.from({ length: count }, (_, s) => at(s, Math.max)),
    weight: new Float64Array(count).fill(1),
  };
}

/** Joins all rows closer than the threshold by a spanning forest. Returns the edges of the forest as a flat list. */
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
  readonly within: number;
}

/**
 * Finds pairs of rows that are further apart than the threshold. Keeps at most one pair for any two groups of must-linked rows, and at most
 * one pair inside each group.
 */
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

/** For each node of the box tree: the group that contains all rows of the node; -1 if its rows are in several groups. */
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

/*
 * A box tree: a binary tree. Each node contains a range of rows and their bounding box. The boxes of two nodes give a lower and an upper
 * bound of all distances between their rows, so whole ranges of pairs are decided at once.
 *
 * The bounds are valid in floating point too: differences, squares and sums of boxes are rounded in the same order as for two rows, and
 * rounding is monotonic.
 */

/** A box tree. Its nodes are numbered from the root (0) in preorder. Distances are squared. */
export interface BoxTree {
  /** The rows, ordered so that the rows of a node are contiguous. */
  readonly rows: Int32Array;
  /** Node v holds `rows[from[v]] … rows[to[v] - 1]`. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The second child of a node, -1 for a leaf. The first child of v is v + 1. */
  readonly second: Int32Array;
  least(u: number, v: number): number;
  most(u: number, v: number): number;
  distance(row: number, other: number): number;
}

function boxTree({ n, d, x }: Points): BoxTree {
  const rows = upTo(n);
  const from: number[] = [];
  const to: number[] = [];
  const second: number[] = [];
  const bounds: Float64Array[] = [];
  const grow = (low: number, high: number): void => {
    const node = from.length;
    const box = boxOf(x, d, rows, low, high);
    from.push(low);
    to.push(high);
    second.push(-1);
    bounds.push(box);
    const column = widest(box, d);
    if (high - low <= LEAF || box[d + column] === box[column]) return;
    // Sorts by the widest column. Ties are broken by row number, so every JavaScript engine builds the same tree.
    rows.subarray(low, high).sort((i, j) => x[i * d + column]! - x[j * d + column]! || i - j);
    const middle = (low + high) >>> 1;
    grow(low, middle);
    second[node] = from.length;
    grow(middle, high);
  };
  if (n > 0) grow(0, n);
  const boxes = new Float64Array(bounds.length * 2 * d);
  bounds.forEach((box, v) => {
    boxes.set(box, v * 2 * d);
  });
  return {
    rows,
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    second: Int32Array.from(second),
    ...measures(x, d, boxes),
  };
}

/** The bounding box of a range of rows: the minima of all columns, then the maxima. */
function boxOf(x: Float64Array, d: number, rows: Int32Array, low: number, high: number): Float64Array {
  const box = new Float64Array(2 * d);
  box.fill(Infinity, 0, d).fill(-Infinity, d);
  for (let p = low; p < high; p++) {
    const at = rows[p]! * d;
    for (let j = 0; j < d; j++) {
      const value = x[at + j]!;
      if (value < box[j]!) box[j] = value;
      if (value > box[d + j]!) box[d + j] = value;
    }
  }
  return box;
}

function widest(box: Float64Array, d: number): number {
  let best = 0;
  for (let j = 1; j < d; j++) if (box[d + j]! - box[j]! > box[d + best]! - box[best]!) best = j;
  return best;
}

function measures(x: Float64Array, d: number, boxes: Float64Array): Pick<BoxTree, "least" | "most" | "distance"> {
  return {
    least(u, v) {
      let sum = 0;
      for (let j = 0, a = u * 2 * d, b = v * 2 * d; j < d; j++) {
        const gap = Math.max(0, boxes[b + j]! - boxes[a + d + j]!, boxes[a + j]! - boxes[b + d + j]!);
        sum += gap * gap;
      }
      return sum;
    },
    most(u, v) {
      let sum = 0;
      for (let j = 0, a = u * 2 * d, b = v * 2 * d; j < d; j++) {
        const reach = Math.max(boxes[b + d + j]! - boxes[a + j]!, boxes[a + d + j]! - boxes[b + j]!);
        sum += reach * reach;
      }
      return sum;
    },
    distance(row, other) {
      let sum = 0;
      for (let j = 0, a = row * d, b = other * d; j < d; j++) {
        const difference = x[a + j]! - x[b + j]!;
        sum += difference * difference;
      }
      return sum;
    },
  };
}

/**
 * Splits u, v or both into their children, and calls `visit` for pairs of these nodes. Together the pairs contain each pair of rows once.
 */
function eachPart({ from, to, second }: BoxTree, u: number, v: number, visit: (u: number, v: number) => void): void {
  if (u === v) {
    visit(u + 1, u + 1);
    visit(second[u]!, second[u]!);
    visit(u + 1, second[u]!);
  } else if (second[v] === -1 || (second[u] !== -1 && to[u]! - from[u]! >= to[v]! - from[v]!)) {
    visit(u + 1, v);
    visit(second[u]!, v);
  } else {
    visit(u, v + 1);
    visit(u, second[v]!);
  }
}

/** Calls `act` for each pair of a row of u and a row of v. If u = v, each pair occurs once. */
function eachPair({ rows, from, to }: BoxTree, u: number, v: number, act: (row: number, other: number) => void): void {
  for (let p = from[u]!; p < to[u]!; p++) {
    for (let q = u === v ? p + 1 : from[v]!; q < to[v]!; q++) act(rows[p]!, rows[q]!);
  }
}

/*
 * Draws pairs of rows that are near or far, with equal probability and without a list of all pairs. A first traversal counts the
 * pairs box by box in a fixed order. Random ranks below the total are drawn, and a second traversal in the same order picks the
 * pairs with these ranks.
 */

interface DrawnPairs {
  /** Row numbers as a flat list a, b, a, b, … */
  readonly mustLinks: number[];
  readonly cannotLinks: number[];
  readonly notices: readonly string[];
}

/** Selects pairs closer than `near` and pairs further apart than `far`; both are squared distances. */
interface Thresholds {
  readonly near: number;
  readonly far: number;
}

function drawPairs(
  tree: BoxTree,
  thresholds: Thresholds,
  { count, random }: { readonly count: number; readonly random: Random },
): DrawnPairs {
  if (!(Number.isSafeInteger(count) && count >= 0)) throw badOption("count", count, "a whole number from 0");
  let total = 0;
  eachStretch(tree, thresholds, (_u, _v, _kind, pairs) => {
    total += pairs;
  });
  const drawn = distinctNumbers(random.split("geometry"), total, Math.min(count, total)).sort();
  const mustLinks: number[] = [];
  const cannotLinks: number[] = [];
  let before = 0;
  let next = 0;
  eachStretch(tree, thresholds, (u, v, kind, pairs) => {
    for (; next < drawn.length && drawn[next]! < before + pairs; next++) {
      const [row, other] = pairAt(tree, thresholds, u, v, kind, drawn[next]! - before);
      (tree.distance(row, other) < thresholds.near ? mustLinks : cannotLinks).push(row, other);
    }
    before += pairs;
  });
  const notices = [
    total < count
      ? `${count.toLocaleString("en")} pairs were asked for, but only ${total.toLocaleString("en")} are near or far enough.`
      : `Drawn from ${total.toLocaleString("en")} pairs.`,
  ];
  return { mustLinks, cannotLinks, notices };
}

/** "all": all pairs of the two nodes are selected. "some": the nodes are leaves, and pairs must be tested. */
type Kind = "all" | "some";

type Visit = (u: number, v: number, kind: Kind, pairs: number) => void;

/** Calls `act` for each pair of nodes that has selected pairs of rows, in a fixed order. */
function eachStretch(tree: BoxTree, { near, far }: Thresholds, act: Visit): void {
  const { from, to, second } = tree;
  const visit = (u: number, v: number): void => {
    const [least, most] = [tree.least(u, v), tree.most(u, v)];
    if (least >= near && most <= far) return;
    const size = to[u]! - from[u]!;
    if (most < near || least > far) act(u, v, "all", u === v ? (size * (size - 1)) / 2 : size * (to[v]! - from[v]!));
    else if (second[u] === -1 && second[v] === -1) {
      let pairs = 0;
      eachPair(tree, u, v, (row, other) => {
        const between = tree.distance(row, other);
        if (between < near || between > far) pairs++;
      });
      if (pairs > 0) act(u, v, "some", pairs);
    } else eachPart(tree, u, v, visit);
  };
  if (tree.rows.length > 0) visit(0, 0);
}

function pairAt(
  tree: BoxTree,
  { near, far }: Thresholds,
  u: number,
  v: number,
  kind: Kind,
  rank: number,
): readonly [number, number] {
  const { rows, from, to } = tree;
  if (kind === "all") {
    if (u === v) return allPairs(rows.subarray(from[u]!, to[u]!)).at(rank);
    const width = to[v]! - from[v]!;
    return [rows[from[u]! + Math.floor(rank / width)]!, rows[from[v]! + (rank % width)]!];
  }
  let found: readonly [number, number] = [-1, -1];
  let left = rank;
  eachPair(tree, u, v, (row, other) => {
    const between = tree.distance(row, other);
    if ((between < near || between > far) && left-- === 0) found = [row, other];
  });
  return found;
}
