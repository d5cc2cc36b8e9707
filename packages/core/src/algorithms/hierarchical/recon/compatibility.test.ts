import { expect, test } from "vitest";
import { type Random, randomFrom } from "../../../random/index.js";
import { buildTree, isBuilt } from "../../../triplets/build.js";
import type { Triple } from "../../../triplets/consistency.reference.js";
import { openCompatibility } from "./compatibility.js";

declare const process: { readonly env: Readonly<Record<string, string | undefined>> } | undefined;
const isLong = typeof process !== "undefined" && process.env.COTERIE_LONG === "1";

/** Triplets of a random tree over n leaves. */
function treeTriplets(n: number, count: number, random: Random): Triple[] {
  const parts = Array.from({ length: n }, (_, leaf) => [leaf]);
  const meeting = Array.from({ length: n }, () => new Int32Array(n));
  for (let step = 1; parts.length > 1; step++) {
    const [left, right] = [0, 1].map(() => parts.splice(random.int(parts.length), 1)[0]!) as [number[], number[]];
    for (const i of left) for (const j of right) meeting[i]![j] = meeting[j]![i] = step;
    parts.push([...left, ...right]);
  }
  return Array.from({ length: count }, (): Triple => {
    const [i, j, l] = random.sample(n, 3) as unknown as [number, number, number];
    const [ij, il] = [meeting[i]![j]!, meeting[i]![l]!];
    return ij < il ? [i, j, l] : il < ij ? [i, l, j] : [j, l, i];
  });
}

/** Reference: whether the triplets over the clusters can still hold after two clusters are joined. Runs BUILD from scratch. */
function fits(clusters: number, triples: readonly Triple[], i: number, j: number): boolean {
  const merged = triples.map((triple) => triple.map((cluster) => (cluster === j ? i : cluster)));
  const open = merged.filter(([a, b]) => a !== b);
  if (open.some(([a, b, c]) => c === a || c === b)) return false;
  const column = (part: number): Int32Array => Int32Array.from(open, (triple) => triple[part]!);
  return isBuilt(buildTree({ leaves: clusters, a: column(0), b: column(1), c: column(2) }));
}

/** Merges random pairs until no pair is left, and compares the result for every tested pair. */
function compareAll(seed: number): { tests: number; refused: number } {
  const random = randomFrom(seed);
  const n = 4 + random.int(seed % 3 === 0 ? 40 : 14);
  const drawn = treeTriplets(n, 1 + random.int(3 * n), random);
  const named = [...new Set(drawn.flat())];
  const clusters = named.length;
  let triples = drawn.map((triple) => triple.map((leaf) => named.indexOf(leaf)) as unknown as Triple);
  const column = (part: 0 | 1 | 2): Int32Array => Int32Array.from(triples, (triple) => triple[part]);
  const carried = openCompatibility(clusters, { a: column(0), b: column(1), c: column(2) })!;
  const seen = { tests: 0, refused: 0 };
  let live = Array.from({ length: clusters }, (_, cluster) => cluster);
  while (live.length > 1) {
    const pairs = live.flatMap((x) => live.filter((y) => x < y).map((y) => [x, y] as const));
    const from = random.int(pairs.length);
    for (const [x, y] of [...pairs.slice(from), ...pairs.slice(0, from)]) {
      const expected = fits(clusters, triples, x, y);
      if (carried.carries(x) && carried.carries(y)) {
        seen.tests++;
        if (!expected) seen.refused++;
        if (carried.compatible(x, y) !== expected) throw new Error(`seed ${seed}: ${x} and ${y}, expected ${expected}`);
      } else expect(expected).toBe(true);
      if (!expected || (live.length > 3 && random.int(3) > 0)) continue;
      const kept = carried.merge(x, y);
      const gone = kept === x ? y : x;
      const renamed = triples.map((triple) => triple.map((v) => (v === gone ? kept : v)) as unknown as Triple);
      triples = renamed.filter(([a, b]) => a !== b);
      live = live.filter((cluster) => cluster !== gone);
      break;
    }
  }
  return seen;
}

test("every test on the way to one cluster says what BUILD says from scratch", () => {
  const total = { tests: 0, refused: 0 };
  for (let seed = 0; seed < (isLong ? 1500 : 120); seed++) {
    const { tests, refused } = compareAll(seed);
    total.tests += tests;
    total.refused += refused;
  }
  expect(total.tests).toBeGreaterThan(5000);
  expect(total.refused).toBeGreaterThan(2000);
});
