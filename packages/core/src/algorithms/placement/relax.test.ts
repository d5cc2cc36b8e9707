import fc from "fast-check";
import { expect, test } from "vitest";
import { colour } from "../../colouring/colouring.js";
import { type Graph, graphOf } from "../../colouring/graphs/graph.js";
import { randomFrom } from "../../random/index.js";
import { drain, type Steps } from "../../steps/index.js";
import { allLabels, clashes } from "./cheapest.reference.js";
import type { PenalisedGraph } from "./relax.js";
import { relaxSteps, type Verdict, withoutViolated } from "./relax.js";
import { openWork } from "./work.js";

function* solve(graph: Graph, k: number): Steps<Verdict> {
  yield { phase: "colouring", done: 0, total: null };
  const answer = colour(graph, k);
  return answer.status === "feasible" ? answer.colouring : answer.status;
}

function relax(given: PenalisedGraph, reads = Infinity) {
  return drain(relaxSteps(given, (part) => solve(part, given.k), openWork(reads)));
}

/** The penalty from its definition: violated edges, and for each clique and cluster all members except the one with the highest penalty. */
function penaltyByDefinition({ graph, linkPenalty, itemPenalty }: PenalisedGraph, labels: Int32Array): number {
  let penalty = 0;
  for (let v = 0; v < graph.vertices; v++) {
    for (let p = graph.links.start[v]!; p < graph.links.start[v + 1]!; p++) {
      if (graph.links.items[p]! > v && labels[graph.links.items[p]!] === labels[v]) penalty += linkPenalty[p]!;
    }
  }
  for (let q = 0; q + 1 < graph.cliques.start.length; q++) {
    const penalties = new Map<number, number[]>();
    for (let p = graph.cliques.start[q]!; p < graph.cliques.start[q + 1]!; p++) {
      const cluster = labels[graph.cliques.items[p]!]!;
      penalties.set(cluster, [...(penalties.get(cluster) ?? []), itemPenalty[p]!]);
    }
    for (const all of penalties.values()) penalty += all.reduce((a, b) => a + b, 0) - Math.max(...all);
  }
  return penalty;
}

function penalised(graph: Graph, k: number, penalty: (u: number, v: number) => number, seed = 1): PenalisedGraph {
  const random = randomFrom(seed);
  const linkPenalty = new Float64Array(graph.links.items.length);
  for (let v = 0; v < graph.vertices; v++) {
    for (let p = graph.links.start[v]!; p < graph.links.start[v + 1]!; p++) {
      linkPenalty[p] = penalty(Math.min(v, graph.links.items[p]!), Math.max(v, graph.links.items[p]!));
    }
  }
  const itemPenalty = Float64Array.from(graph.cliques.items, (v) => penalty(v, v));
  const costs = Float64Array.from({ length: graph.vertices * k }, () => random.unit());
  return { graph, k, linkPenalty, itemPenalty, costs };
}

const dense = fc
  .record({ vertices: fc.integer({ min: 2, max: 7 }), k: fc.integer({ min: 1, max: 3 }), weights: fc.integer({ min: 1, max: 4 }), cliques: fc.integer({ min: 0, max: 2 }), seed: fc.nat() }) // biome-ignore format: one line
  .map(({ vertices, k, weights, cliques, seed }) => {
    const random = randomFrom(seed);
    const pairs: [number, number][] = [];
    for (let u = 0; u < vertices; u++) for (let v = 0; v < u; v++) if (random.unit() < 0.7) pairs.push([u, v]);
    const sets = Array.from({ length: cliques }, () => Array.from({ length: 1 + random.int(5) }, () => random.int(vertices)));
    return penalised(graphOf(vertices, pairs, sets), k, (u, v) => 1 + ((u * 7 + v * 3) % weights), seed);
  });

test("what is broken is the cheapest there is, by trying all places; and the rest can be kept", () => {
  let forced = 0;
  fc.assert(
    fc.property(dense, (given) => {
      const found = relax(given);
      let least = Infinity;
      for (const labels of allLabels(given.graph.vertices, given.k)) least = Math.min(least, penaltyByDefinition(given, labels));
      expect(found.penalty).toBeCloseTo(least, 9);
      expect(penaltyByDefinition(given, found.labels)).toBeCloseTo(least, 9);
      expect(found.proven).toBe(true);
      expect(clashes(withoutViolated(given, found.labels), found.labels)).toBe(0);
      if (least > 0) forced++;
    }),
    { numRuns: 200 },
  );
  expect(forced).toBeGreaterThan(80);
});

test("of equally cheap sets, the one that costs less", () => {
  const given = penalised(graphOf(3, [[0, 1], [1, 2], [0, 2]]), 2, () => 1); // biome-ignore format: one line
  // Units 0 and 2 are cheapest together in cluster 0.
  given.costs.set([0, 5, 3, 0, 0, 5]);
  expect([...relax(given).labels]).toEqual([0, 1, 0]);
});

test("a clique larger than k breaks as many members as it must", () => {
  const graph = graphOf(301, [], [Array.from({ length: 301 }, (_, v) => v)]);
  const { penalty, labels } = relax(
    penalised(graph, 5, () => 1),
    20_000_000,
  );
  expect(penalty).toBe(296);
  expect(new Set(labels).size).toBe(5);
});

test("far above what can be proven it still ends, and breaks no more than a greedy placement does", () => {
  const random = randomFrom(2);
  const pairs = Array.from({ length: 3_000 }, () => [random.int(200), random.int(200)] as const).filter(([u, v]) => u !== v);
  const given = penalised(graphOf(200, pairs), 4, () => 1);
  const { penalty, proven } = relax(given, 30_000_000);
  expect(proven).toBe(false);
  expect(penalty).toBeLessThan(relax(given, 0).penalty);
});
