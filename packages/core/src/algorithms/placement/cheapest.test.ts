import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { colour } from "../../colouring/colouring.js";
import { type Graph, graphOf } from "../../colouring/graphs/graph.js";
import { randomFrom } from "../../random/index.js";
import { drain, type Steps } from "../../steps/index.js";
import { cheapestByDefinition, clashes } from "./cheapest.reference.js";
import { cheapestSteps, pruneLeaves } from "./relax.js";

import { openWork } from "./work.js";

function* solved(graph: Graph, k: number): Steps<Int32Array | null> {
  yield { phase: "colouring", done: 0, total: null };
  const answer = colour(graph, k);
  return answer.status === "feasible" ? answer.colouring : null;
}

function cheapest(graph: Graph, k: number, costs: Float64Array, before: Int32Array | null = null, reads = Infinity) {
  return drain(cheapestSteps({ graph, k, costs }, before, () => solved(graph, k), openWork(reads)));
}

function costOf(costs: Float64Array, k: number, labels: Int32Array): number {
  return labels.reduce((sum, c, v) => sum + costs[v * k + c]!, 0);
}

/** Few vertices with random edges and cliques. Ties occur because costs are small integers. */
const graphs = fc
  .record({
    vertices: fc.integer({ min: 1, max: 8 }),
    k: fc.integer({ min: 2, max: 4 }),
    density: fc.constantFrom(0.1, 0.3, 0.6),
    cliques: fc.integer({ min: 0, max: 2 }),
    ties: fc.boolean(),
    seed: fc.nat(),
  })
  .map(({ vertices, k, density, cliques, ties, seed }) => {
    const random = randomFrom(seed);
    const pairs: [number, number][] = [];
    for (let u = 0; u < vertices; u++) for (let v = 0; v < u; v++) if (random.unit() < density) pairs.push([u, v]);
    const sets = Array.from({ length: cliques }, () => Array.from({ length: 1 + random.int(4) }, () => random.int(vertices)));
    const costs = Float64Array.from({ length: vertices * k }, () => (ties ? random.int(3) : random.unit()));
    return { graph: graphOf(vertices, pairs, sets), k, costs };
  });

test("small graphs get the cheapest places there are, and where there are none nothing", () => {
  let feasible = 0;
  fc.assert(
    fc.property(graphs, ({ graph, k, costs }) => {
      const best = cheapestByDefinition(graph, k, costs);
      const found = cheapest(graph, k, costs);
      if (best === null) {
        expect(found).toBe(null);
        return;
      }
      feasible++;
      expect(clashes(graph, found!)).toBe(0);
      expect(costOf(costs, k, found!)).toBeCloseTo(best, 9);
      // From any legal placement, the result has the same cost.
      const again = cheapest(graph, k, costs, drain(solved(graph, k)));
      expect(costOf(costs, k, again!)).toBeCloseTo(best, 9);
    }),
    { numRuns: 300 },
  );
  expect(feasible).toBeGreaterThan(150);
});

describe("larger graphs", () => {
  const random = randomFrom(1);
  const sparse = (vertices: number, edges: number): Graph =>
    graphOf(
      vertices,
      Array.from({ length: edges }, () => [random.int(vertices), random.int(vertices)] as const).filter(([u, v]) => u !== v),
    );
  const costsOf = (vertices: number, k: number) => Float64Array.from({ length: vertices * k }, () => random.unit());

  test("a tree of any size is exact without search: it vanishes into the costs of one unit after the other", () => {
    const vertices = 3_000;
    const tree = graphOf(
      vertices,
      Array.from({ length: vertices - 1 }, (_, i) => [i + 1, random.int(i + 1)] as const),
    );
    const costs = costsOf(vertices, 3);
    expect(pruneLeaves(tree, 3, costs).units).toHaveLength(0);
    const found = cheapest(tree, 3, costs, null, 1)!;
    expect(clashes(tree, found)).toBe(0);
    // Dynamic programming from the last vertex to the first. The parent of a vertex comes before the vertex.
    const parent = Int32Array.from({ length: vertices }, (_, v) =>
      v === 0 ? -1 : Math.min(...tree.links.items.subarray(tree.links.start[v]!, tree.links.start[v + 1]!)),
    );
    const least = costs.slice();
    for (let v = vertices - 1; v > 0; v--) {
      for (let c = 0; c < 3; c++) {
        least[parent[v]! * 3 + c]! += Math.min(...[0, 1, 2].filter((e) => e !== c).map((e) => least[v * 3 + e]!));
      }
    }
    expect(costOf(costs, 3, found)).toBeCloseTo(Math.min(...least.subarray(0, 3)), 6);
  });

  test("with thousands of vertices places are legal, and cheaper than the solver's", () => {
    const graph = sparse(4_000, 5_000);
    const costs = costsOf(4_000, 5);
    const found = cheapest(graph, 5, costs)!;
    expect(clashes(graph, found)).toBe(0);
    expect(costOf(costs, 5, found)).toBeLessThan(0.5 * costOf(costs, 5, drain(solved(graph, 5))!));
  });

  test("places stay legal however little work is allowed, and work never makes them dearer", () => {
    const graph = graphOf(
      60,
      Array.from({ length: 90 }, () => [random.int(60), random.int(60)] as const).filter(([u, v]) => u !== v),
      [
        [0, 1, 2, 3],
        [10, 11, 12],
        [20, 2],
      ],
    );
    const costs = costsOf(60, 4);
    const ends = [1, 100, 1_000, 10_000, Infinity].map((reads) => {
      const found = cheapest(graph, 4, costs, null, reads)!;
      expect(clashes(graph, found)).toBe(0);
      return costOf(costs, 4, found);
    });
    expect(Math.min(...ends)).toBe(ends.at(-1));
  });

  test("a clique as large as k is a matching, and takes no search", () => {
    const [members, k] = [180, 200];
    const graph = graphOf(members, [], [Array.from({ length: members }, (_, v) => v)]);
    const costs = costsOf(members, k);
    const found = cheapest(graph, k, costs)!;
    expect(new Set(found).size).toBe(members);
    // Almost every vertex gets nearly the best of 200 clusters.
    expect(costOf(costs, k, found) / members).toBeLessThan(0.02);
  });
});

test("large graphs take steps, between which a host can stop", () => {
  const random = randomFrom(3);
  const graph = graphOf(
    5_000,
    Array.from({ length: 15_000 }, () => [random.int(5_000), random.int(5_000)] as const).filter(([u, v]) => u !== v),
  );
  const costs = Float64Array.from({ length: 5_000 * 60 }, () => random.unit());
  const steps = cheapestSteps({ graph, k: 60, costs }, null, () => solved(graph, 60), openWork(20_000_000));
  let turns = 0;
  for (let turn = steps.next(); !turn.done; turn = steps.next()) turns++;
  expect(turns).toBeGreaterThan(2);
});
