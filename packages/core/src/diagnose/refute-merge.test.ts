import { expect, test } from "vitest";
import { isColourable, randomGraph } from "./graphs.reference.js";
import { isRefuted } from "./refute-merge.js";

function neighbours(n: number, pairs: readonly (readonly [number, number])[]): Set<number>[] {
  const others = Array.from({ length: n }, () => new Set<number>());
  for (const [u, v] of pairs) {
    others[u]!.add(v);
    others[v]!.add(u);
  }
  return others;
}

test("two triangles in a row: with three colours the ends are forced together, and so apart from the middle", () => {
  const others = neighbours(5, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4]]); // biome-ignore format: one line
  const domain = new Int32Array(5);
  // 0 and 3 have one colour, so 4 has another than 0.
  expect(isRefuted(others, domain, 3, 0, 4)).toBe(true);
  expect(isRefuted(others, domain, 3, 0, 3)).toBe(false);
  expect(isRefuted(others, domain, 4, 0, 4)).toBe(false);
  expect([...domain]).toEqual([0, 0, 0, 0, 0]);
});

test("what it refutes cannot be, and it refutes most of what cannot be", () => {
  const seen = { refuted: 0, impossible: 0 };
  for (let seed = 0; seed < 600; seed++) {
    const [n, k] = [6 + (seed % 4), 2 + (seed % 3)];
    // Edges between the classes of a colouring, but none between 0 and 1, which are in different ones.
    const all = randomGraph(n, Math.round(0.8 * ((n * (n - 1)) / 2)), seed).pairs;
    const pairs = all.filter(([u, v]) => u % k !== v % k && Math.max(u, v) > 1);
    const merged = pairs.map(([u, v]) => [u === 1 ? 0 : u, v === 1 ? 0 : v] as const);
    const possible = isColourable({ n, pairs: merged }, k);
    const refuted = isRefuted(neighbours(n, pairs), new Int32Array(n), k, 0, 1);
    if (refuted) expect(possible).toBe(false);
    if (refuted) seen.refuted++;
    if (!possible) seen.impossible++;
  }
  expect(seen.impossible).toBeGreaterThan(100);
  expect(seen.refuted).toBeGreaterThan(0.8 * seen.impossible);
});
