/**
 * Some of all pairs of rows that are near or far, each as likely as any other, without a list of them: the pairs are counted box
 * by box in a fixed order, numbers below their total are drawn, and a second walk in the same order picks the pairs with these
 * numbers.
 */
import { badOption } from "../errors.js";
import type { Random } from "../random/random.js";
import { type BoxTree, eachPair, eachPart } from "../structures/box-tree.js";
import { allPairs, distinctNumbers } from "./pair-ranks.js";

export interface DrawnPairs {
  /** a, b, a, b, … */
  readonly mustLinks: number[];
  readonly cannotLinks: number[];
  readonly notices: readonly string[];
}

/** Pairs closer than `near` and pairs further than `far` are meant, both squared distances. */
export interface Thresholds {
  readonly near: number;
  readonly far: number;
}

export function drawPairs(
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

/** Whether all pairs of two nodes are meant, or only some of those of two leaves. */
type Kind = "all" | "some";
type Visit = (u: number, v: number, kind: Kind, pairs: number) => void;

/** The nodes in whose pairs there are some, in a fixed order. */
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
