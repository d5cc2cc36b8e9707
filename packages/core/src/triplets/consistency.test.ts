import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { informativeTriplets } from "../constraints/index.js";
import type { Triples } from "../model/constraint-set.js";
import { randomFrom } from "../random/index.js";
import { tuples } from "../testing/tuples.js";
import { largestConsistentTriplets, tripletConsistency } from "./consistency.js";
import { allTrees, induces, oneTree, type Tree, type Triple } from "./consistency.reference.js";

function triples(list: readonly Triple[], weights?: readonly number[]): Triples {
  const column = (j: 0 | 1 | 2): Int32Array => Int32Array.from(list, (triple) => triple[j]);
  return { a: column(0), b: column(1), c: column(2), weight: Float64Array.from(weights ?? list.map(() => 1)) };
}

const consistent = (list: readonly Triple[]): boolean => tripletConsistency(triples(list)).consistent;

/** All triplets over the leaves 0 … n-1. */
function allTriplets(n: number): Triple[] {
  const all: Triple[] = [];
  for (let a = 0; a < n; a++) {
    for (let b = a + 1; b < n; b++) for (let c = 0; c < n; c++) if (c !== a && c !== b) all.push([a, b, c]);
  }
  return all;
}

const someTriplets = (n: number, most: number) =>
  fc.uniqueArray(fc.constantFrom(...allTriplets(n)), { maxLength: most, selector: (triple) => triple.join() });

describe("consistency", () => {
  test("all 4,096 sets of triplets about four leaves are judged as by every tree", () => {
    const all = allTriplets(4);
    const trees = allTrees([0, 1, 2, 3]).map((tree) => all.map((triple) => induces(tree, triple)));
    for (let chosen = 0; chosen < 1 << all.length; chosen++) {
      const places = all.flatMap((_, s) => (chosen & (1 << s) ? [s] : []));
      const expected = trees.some((tree) => places.every((s) => tree[s]));
      if (consistent(places.map((s) => all[s]!)) !== expected) expect(places).toBe(expected);
    }
  });

  const five = allTrees([0, 1, 2, 3, 4]);
  test("sets about five leaves are judged as by every tree, larger ones as by the paper's OneTree", () => {
    expect(five.length).toBe(105);
    fc.assert(
      fc.property(someTriplets(5, 12), (list) => {
        expect(consistent(list)).toBe(five.some((tree) => list.every((triple) => induces(tree, triple))));
      }),
    );
    fc.assert(
      fc.property(someTriplets(9, 14), (list) => {
        expect(consistent(list)).toBe(oneTree(list, [0, 1, 2, 3, 4, 5, 6, 7, 8]));
      }),
    );
  });

  test("the tree induces every triplet", () => {
    fc.assert(
      fc.property(someTriplets(8, 10), (list) => {
        const { tree } = tripletConsistency(triples(list));
        if (!tree) return;
        const above = (row: number): number[] => {
          const path = [tree.row.indexOf(row)];
          while (tree.parent[path.at(-1)!]! >= 0) path.push(tree.parent[path.at(-1)!]!);
          return path;
        };
        const meet = (i: number, j: number): number => above(i).find((node) => above(j).includes(node))!;
        for (const [a, b, c] of list) {
          expect(meet(a, b)).not.toBe(meet(a, c));
          expect(meet(a, c)).toBe(meet(b, c));
        }
      }),
    );
  });

  test("a clash is inconsistent, and consistent without any one of its triplets", () => {
    let clashes = 0;
    fc.assert(
      fc.property(someTriplets(8, 40), (list) => {
        const { conflict } = tripletConsistency(triples(list));
        if (!conflict) return;
        clashes++;
        const found = conflict.constraints.map(([a, b, c]): Triple => [a, b, c]);
        expect(found).toEqual(conflict.places.map((s) => list[s]));
        expect(conflict.instances).toEqual([...new Set(found.flat())].sort((x, y) => x - y));
        expect(consistent(found)).toBe(false);
        for (const left of found) expect(consistent(found.filter((triple) => triple !== left))).toBe(true);
      }),
    );
    expect(clashes).toBeGreaterThan(20);
  });

  test("two triplets of the same three leaves conflict, whatever other triplets are given", () => {
    const { conflict } = tripletConsistency(triples(tuples("5 6 7, 0 1 2, 8 6 9, 2 1 0")));
    expect(conflict).toEqual({
      instances: [0, 1, 2],
      constraints: [
        [0, 1, 2],
        [2, 1, 0],
      ],
      places: [1, 3],
    });
  });

  test("no triplet is consistent", () => {
    expect(tripletConsistency(triples([]))).toMatchObject({ consistent: true, conflict: null });
  });
});

describe("the largest consistent part", () => {
  const five = allTrees([0, 1, 2, 3, 4]);
  const induced = (tree: Tree, list: readonly Triple[], weights: readonly number[]): number =>
    list.reduce((sum, triple, s) => sum + (induces(tree, triple) ? weights[s]! : 0), 0);

  test("is the best of all trees for small sets", () => {
    fc.assert(
      fc.property(
        someTriplets(5, 16),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 16, maxLength: 16 }),
        (list, weights) => {
          const { kept, dropped, exact } = largestConsistentTriplets(triples(list, weights.slice(0, list.length)));
          expect(exact).toBe(true);
          expect([...kept, ...dropped].sort((s, t) => s - t)).toEqual([...list.keys()]);
          expect(consistent(kept.map((s) => list[s]!))).toBe(true);
          const weight = kept.reduce((sum, s) => sum + weights[s]!, 0);
          expect(weight).toBe(Math.max(...five.map((tree) => induced(tree, list, weights))));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("never drops triplets of infinite weight; if they clash, that is the answer", () => {
    const list: Triple[] = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 2, 0],
      [0, 1, 3],
    ];
    expect(largestConsistentTriplets(triples(list, [1, Infinity, 5, 1]))).toMatchObject({ dropped: [0, 2] });
    const hard = largestConsistentTriplets(triples(list, [Infinity, Infinity, 5, 1]));
    expect(hard.hardConflict?.places).toEqual([0, 1]);
  });

  test("planted noise: at least as much is kept as was planted", () => {
    for (const seed of [1, 2, 3]) {
      const random = randomFrom(seed);
      const list = plantedTriplets(60, 600, random);
      const wrong = new Set(random.sample(list.length, 60));
      const noisy = list.map(([a, b, c], s): Triple => (wrong.has(s) ? [a, c, b] : [a, b, c]));
      const { kept } = largestConsistentTriplets(triples(noisy));
      expect(consistent(kept.map((s) => noisy[s]!))).toBe(true);
      expect(kept.length).toBeGreaterThanOrEqual(0.98 * (list.length - wrong.size));
    }
  });
});

/** Distinct triplets that one random tree induces. */
function plantedTriplets(leaves: number, count: number, random: ReturnType<typeof randomFrom>): Triple[] {
  // A random binary tree: repeatedly joins two random subtrees.
  const parts = Array.from({ length: leaves }, (_, leaf) => [leaf]);
  const meets = new Map<string, number>();
  for (let step = 0; parts.length > 1; step++) {
    const left = parts.splice(random.int(parts.length), 1)[0]!;
    const right = parts.splice(random.int(parts.length), 1)[0]!;
    for (const i of left) for (const j of right) meets.set([Math.min(i, j), Math.max(i, j)].join(), step);
    parts.push([...left, ...right]);
  }
  const meet = (i: number, j: number): number => meets.get([Math.min(i, j), Math.max(i, j)].join())!;
  const found = new Map<string, Triple>();
  while (found.size < count) {
    const [i, j, l] = random.sample(leaves, 3) as unknown as [number, number, number];
    const sorted: Triple = meet(i, j) < meet(i, l) ? [i, j, l] : meet(i, l) < meet(i, j) ? [i, l, j] : [j, l, i];
    found.set(`${[sorted[0], sorted[1]].sort()}|${sorted[2]}`, sorted);
  }
  return [...found.values()];
}

test("a binary hierarchy's own triplets have that hierarchy for their only tree", () => {
  const parent = Int32Array.of(5, 5, 6, 7, 7, 6, 8, 8, -1);
  const row = Int32Array.of(0, 1, 2, 3, 4, -1, -1, -1, -1);
  const { relative } = informativeTriplets(5, { parent, row });
  const { tree } = tripletConsistency(relative);
  const children = Array.from(tree!.parent).reduce(
    (counts, up) => (up >= 0 ? counts.set(up, (counts.get(up) ?? 0) + 1) : counts),
    new Map<number, number>(),
  );
  expect([...children.values()]).toEqual([2, 2, 2, 2]);
});
