import fc from "fast-check";
import { expect, test } from "vitest";
import type { Merge } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import { tripletConsistency } from "../triplets/consistency.js";
import { type Hierarchy, informativeTriplets, informativeTripletsOfClasses, randomTriplets } from "./from-tree.js";

type Triple = [number, number, number];

/** The hierarchy of a complete list of merges. */
function hierarchyOfMerges(n: number, merges: readonly Merge[]): Hierarchy {
  const parent = new Int32Array(n + merges.length).fill(-1);
  const row = new Int32Array(n + merges.length).fill(-1);
  for (let i = 0; i < n; i++) row[i] = i;
  merges.forEach(([left, right], m) => {
    parent[left] = parent[right] = n + m;
  });
  return { parent, row };
}

function list({ relative: { a, b, c } }: { readonly relative: { a: Int32Array; b: Int32Array; c: Int32Array } }): Triple[] {
  return Array.from(a, (_, s) => [a[s]!, b[s]!, c[s]!]);
}

/** A random tree over n leaves whose inner nodes have 2 … `widest` children; the rows are assigned to leaves in random order. */
function randomTree(n: number, widest: number, seed: number): Hierarchy {
  const random = randomFrom(seed);
  const parent: number[] = Array.from({ length: n }, () => -1);
  const open = Array.from({ length: n }, (_, leaf) => leaf);
  while (open.length > 1) {
    const node = parent.push(-1) - 1;
    const parts = Math.min(open.length, 2 + random.int(widest - 1));
    for (let p = 0; p < parts; p++) parent[open.splice(random.int(open.length), 1)[0]!] = node;
    open.push(node);
  }
  const row = new Int32Array(parent.length).fill(-1);
  row.set(random.sample(n, n));
  return { parent: Int32Array.from(parent), row };
}

/** Every ab|c that the tree induces. */
function induced({ parent, row }: Hierarchy): Triple[] {
  const path = (leaf: number): number[] => {
    const nodes = [row.indexOf(leaf)];
    while (parent[nodes.at(-1)!]! >= 0) nodes.push(parent[nodes.at(-1)!]!);
    return nodes;
  };
  const leaves = Array.from(row).filter((leaf) => leaf >= 0);
  const paths = new Map(leaves.map((leaf) => [leaf, path(leaf)]));
  const height = (i: number, j: number): number =>
    paths.get(i)!.length - paths.get(i)!.findIndex((node) => paths.get(j)!.includes(node));
  return leaves.flatMap((a) =>
    leaves.flatMap((b) =>
      leaves.flatMap((c): Triple[] =>
        a < b && c !== a && c !== b && height(a, b) > height(a, c) && height(a, b) > height(b, c) ? [[a, b, c]] : [],
      ),
    ),
  );
}

const consistent = (triples: readonly Triple[]): boolean => {
  const column = (j: 0 | 1 | 2): Int32Array => Int32Array.from(triples, (triple) => triple[j]);
  return tripletConsistency({ a: column(0), b: column(1), c: column(2) }).consistent;
};

test("the triplets hold in the hierarchy and entail all its triplets", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 2, max: 4 }), fc.nat(), (n, widest, seed) => {
      const tree = randomTree(n, widest, seed);
      const chosen = list(informativeTriplets(n, tree));
      const all = induced(tree);
      const names = new Set(all.map(String));
      for (const [a, b, c] of chosen) expect(names.has(String([Math.min(a, b), Math.max(a, b), c]))).toBe(true);
      // Entailed: any other triplet of the same three leaves is inconsistent.
      for (const [a, b, c] of all) {
        expect(consistent([...chosen, [a, c, b]])).toBe(false);
        expect(consistent([...chosen, [b, c, a]])).toBe(false);
      }
    }),
    { numRuns: 40 },
  );
});

test("n - 2 triplets for a binary hierarchy, at most (D-1)(n-1) for parts up to D", () => {
  for (let seed = 0; seed < 20; seed++) {
    expect(list(informativeTriplets(30, randomTree(30, 2, seed)))).toHaveLength(28);
    expect(list(informativeTriplets(30, randomTree(30, 4, seed))).length).toBeLessThanOrEqual(3 * 29);
  }
});

test("(k-1)(n-k) triplets for classes; rows without a class are left out, and no triplet is empty", () => {
  const truth = { codes: Int32Array.of(2, 0, 1, 2, 0, -1, 2), names: ["a", "b", "c"] };
  const triples = list(informativeTripletsOfClasses(truth));
  expect(triples).toHaveLength(2 * (6 - 3));
  for (const [a, b, c] of triples) {
    expect(a).not.toBe(b);
    expect([truth.codes[a], truth.codes[c] === truth.codes[a]]).toEqual([truth.codes[b], false]);
  }
});

test("a chain of 20,000 merges, and nodes with a single part", () => {
  const n = 20_001;
  const merges = Array.from({ length: n - 1 }, (_, m) => [m === 0 ? 0 : n + m - 1, m + 1, m, m + 2] as const);
  expect(informativeTriplets(n, hierarchyOfMerges(n, merges)).relative.a).toHaveLength(n - 2);
  const single = { parent: Int32Array.of(-1, 0, 1, 2, 2, 1), row: Int32Array.of(-1, -1, -1, 0, 1, 2) };
  expect(list(informativeTriplets(3, { ...single, parent: Int32Array.of(-1, 0, 1, 2, 2, 1) }))).toEqual([[0, 1, 2]]);
});

test("bad hierarchies are refused in words", () => {
  const row = Int32Array.of(0, 1, -1);
  expect(() => informativeTriplets(2, { parent: Int32Array.of(-1, -1, -1), row })).toThrow("more than one root");
  expect(() => informativeTriplets(1, { parent: Int32Array.of(2, 2, -1), row })).toThrow("not a row of the data");
  expect(() => informativeTriplets(2, { parent: Int32Array.of(2, 2, -1), row: Int32Array.of(1, 1, -1) })).toThrow(
    "row 1 at two leaves",
  );
});

test("random triplets are true and distinct and have the requested number while there are enough", () => {
  const truth = { codes: Int32Array.of(0, 0, 0, 1, 1, -1, 2), names: ["a", "b", "c"] };
  const all = list(randomTriplets(truth, { count: 100, random: randomFrom(1) }));
  // 3 pairs of class 0 with 3 others, 1 pair of class 1 with 4 others.
  expect(all).toHaveLength(13);
  expect(new Set(all.map(([a, b, c]) => `${Math.min(a, b)} ${Math.max(a, b)} ${c}`)).size).toBe(13);
  for (const [a, b, c] of all) {
    expect(truth.codes[a]).toBe(truth.codes[b]);
    expect(truth.codes[c]).not.toBe(truth.codes[a]);
    expect(truth.codes[c]).toBeGreaterThanOrEqual(0);
  }
  expect(randomTriplets(truth, { count: 100, random: randomFrom(1) }).notices[0]).toContain("only 13");
  const wrong = list(randomTriplets(truth, { count: 10, random: randomFrom(1), noise: 0.3 }));
  expect(wrong.filter(([a, b]) => truth.codes[a] !== truth.codes[b])).toHaveLength(3);
});

test("nested classes: the triplets equal the triplets of the tree of the levels", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 2, maxLength: 9 }), (rows) => {
      const names = ["a", "b", "c"];
      const [coarse, fine] = [0, 1].map((l) => ({ codes: Int32Array.from(rows, (row) => row[l]!), names }));
      const chosen = list(informativeTripletsOfClasses(coarse!, fine!));
      const shared = (i: number, j: number): number => (rows[i]![0] !== rows[j]![0] ? 0 : rows[i]![1] !== rows[j]![1] ? 1 : 2);
      for (const [a, b, c] of chosen) expect(shared(a, b)).toBeGreaterThan(Math.max(shared(a, c), shared(b, c)));
      for (let a = 0; a < rows.length; a++)
        for (let b = 0; b < a; b++)
          for (let c = 0; c < rows.length; c++)
            if (c !== a && c !== b && shared(a, b) > Math.max(shared(a, c), shared(b, c)))
              expect(consistent([...chosen, [a, c, b]])).toBe(false);
    }),
    { numRuns: 60 },
  );
});
