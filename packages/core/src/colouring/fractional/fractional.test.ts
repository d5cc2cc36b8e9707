import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../random/random.js";
import { drain } from "../../steps/steps.js";
import { expand, graphOf } from "../graphs/graph.js";
import {
  complete,
  cycle,
  graphFrom,
  multipartite,
  mycielskian,
  type Plain,
  petersen,
  queens,
  randomGraph,
  randomTree,
} from "../graphs/graphs.reference.js";
import { heavySets } from "./columns.js";
import { type FractionalColouring, fractionalColouring } from "./fractional.js";
import { fractionalByListing, maximalIndependentSets, textbookSolver } from "./fractional.reference.js";
import { heaviestIndependentSet } from "./independent-set.js";

const solver = textbookSolver;
const colouringOf = (plain: Plain) => fractionalColouring(graphFrom(plain), { solver });

describe("known graphs", () => {
  test.each<readonly [string, Plain, number, string]>([
    ["no vertex", { n: 0, pairs: [] }, 0, "0"],
    ["a pair", complete(2), 2, "2"],
    ["a pentagon", cycle(5), 5 / 2, "5/2"],
    ["seven in a ring", cycle(7), 7 / 3, "7/3"],
    ["six in a ring", cycle(6), 2, "2"],
    ["K4", complete(4), 4, "4"],
    ["Petersen's graph", petersen(), 5 / 2, "5/2"],
    ["Grötzsch's graph", mycielskian(cycle(5)), 29 / 10, "29/10"],
    ["a Mycielskian of 23", mycielskian(mycielskian(cycle(5))), 941 / 290, "941/290"],
    ["queens on 5 × 5", queens(5), 5, "5"],
    ["queens on 6 × 6", queens(6), 7, "7"],
    ["three parts", multipartite(2, 3, 2), 3, "3"],
    ["a tree", randomTree(40, 3), 2, "2"],
  ])("%s", (_, plain, value, fraction) => {
    const found = colouringOf(plain);
    expect(found.upper).toBeCloseTo(value, 12);
    expect(found.lower).toBe(found.upper);
    expect(found.fraction).toBe(fraction);
    check(plain, found);
  });

  test("the whole needs as much as its hardest part", () => {
    const [ring, small] = [cycle(5), complete(3)];
    const both: Plain = { n: 8, pairs: [...ring.pairs, ...small.pairs.map(([u, v]) => [u + 5, v + 5] as const)] };
    const found = colouringOf(both);
    expect(found.upper).toBe(3);
    expect(found.parts.map(({ upper }) => upper)).toEqual([2.5, 3]);
  });

  test("a clique that is given as one", () => {
    const found = fractionalColouring(graphOf(7, [[5, 6]], [[0, 1, 2, 3, 4]]), { solver });
    expect(found.fraction).toBe("5");
    expect([...found.parts[0]!.prices]).toEqual([1, 1, 1, 1, 1]);
  });
});

test("without effort there are bounds, and no fraction", () => {
  const graph = randomGraph(40, 120, 5);
  const found = fractionalColouring(graphFrom(graph), { solver, effort: 0 });
  const value = colouringOf(graph).upper;
  expect(found.lower).toBeLessThanOrEqual(value + 1e-9);
  expect(found.upper).toBeGreaterThanOrEqual(value - 1e-9);
});

test("equals the program over all maximal independent sets on random graphs", () => {
  for (let seed = 0; seed < 40; seed++) {
    const n = 5 + (seed % 15);
    const graph = randomGraph(n, Math.floor(n * (0.8 + (seed % 7) / 2.5)), seed);
    const found = colouringOf(graph);
    expect(found.upper).toBeCloseTo(fractionalByListing(graph), 7);
    expect(found.upper - found.lower).toBeLessThan(1e-8);
    check(graph, found);
  }
});

/** The sets are independent and maximal and cover all vertices; the prices are a fractional clique of the same total. */
function check({ pairs }: Plain, { parts }: FractionalColouring): void {
  const joined = new Set(pairs.flatMap(([u, v]) => [`${u} ${v}`, `${v} ${u}`]));
  for (const { vertices, sets, prices, lower, upper } of parts) {
    const covered = new Map<number, number>();
    let total = 0;
    for (const set of sets) {
      const list = [...set.vertices];
      expect(list.some((u) => list.some((v) => joined.has(`${u} ${v}`)))).toBe(false);
      expect([...vertices].every((v) => list.includes(v) || list.some((u) => joined.has(`${u} ${v}`)))).toBe(true);
      for (const v of list) covered.set(v, (covered.get(v) ?? 0) + set.weight);
      total += set.weight;
    }
    expect(total).toBeCloseTo(upper, 7);
    for (const v of vertices) expect(covered.get(v) ?? 0).toBeGreaterThan(1 - 1e-7);
    expect(prices.reduce((sum, price) => sum + price, 0)).toBeCloseTo(lower, 7);
    const place = new Map([...vertices].map((v, i) => [v, i]));
    if (vertices.length > 20) continue;
    const inside = pairs.flatMap(([u, v]) => (place.has(u) ? [[place.get(u)!, place.get(v)!] as const] : []));
    for (const set of maximalIndependentSets({ n: vertices.length, pairs: inside })) {
      expect(set.reduce((sum, v) => sum + prices[v]!, 0)).toBeLessThan(1 + 1e-7);
    }
  }
}

describe("the heaviest independent set", () => {
  const anyCase = fc.record({
    n: fc.integer({ min: 1, max: 14 }),
    density: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.nat(),
    weights: fc.array(fc.nat(20), { minLength: 14, maxLength: 14 }),
  });

  test("equals the best of all maximal ones", () => {
    fc.assert(
      fc.property(anyCase, ({ n, density, seed, weights }) => {
        const plain = randomGraph(n, Math.floor((density * n * (n - 1)) / 2), seed);
        const own = Float64Array.from(weights.slice(0, n));
        const weightOf = (set: Int32Array) => set.reduce((sum, v) => sum + own[v]!, 0);
        const best = Math.max(...maximalIndependentSets(plain).map(weightOf));
        const graph = expand(
          graphFrom(plain),
          Int32Array.from({ length: n }, (_, v) => v),
          1000,
        )!;
        const before = own.slice();
        const found = drain(heaviestIndependentSet(graph, own, -1, { left: 1e6 }));
        expect(found.exact).toBe(true);
        expect(found.weight).toBe(best);
        expect(weightOf(found.vertices!)).toBe(best);
        expect(plain.pairs.some(([u, v]) => found.vertices!.includes(u) && found.vertices!.includes(v))).toBe(false);
        expect(own).toEqual(before);
        expect(drain(heaviestIndependentSet(graph, own, best, { left: 1e6 })).vertices).toBe(null);
      }),
      { numRuns: 400 },
    );
  });
});

test("heavy sets are independent, heavier than asked, as large as can be and different", () => {
  const plain = randomGraph(25, 50, 3);
  const graph = expand(
    graphFrom(plain),
    Int32Array.from({ length: 25 }, (_, v) => v),
    1e4,
  )!;
  const weights = Float64Array.from({ length: 25 }, (_, v) => 1 + (v % 7));
  const best = drain(heaviestIndependentSet(graph, weights, 0, { left: 1e5 })).weight;
  const sets = heavySets(graph, weights, best - 6, randomFrom(1)).map((set) => [...set]);
  const maximal = new Set(maximalIndependentSets(plain).map((set) => [...set].sort((u, v) => u - v).join()));
  const weightOf = (set: readonly number[]): number => set.reduce((sum, v) => sum + weights[v]!, 0);
  expect(sets.length).toBeGreaterThan(1);
  expect(new Set(sets.map(String)).size).toBe(sets.length);
  expect(sets.every((set) => weightOf(set) > best - 6 && maximal.has(set.join()))).toBe(true);
  expect(weightOf(sets[0]!)).toBe(best);
  expect(heavySets(graph, weights, best, randomFrom(1))).toEqual([]);
});
