import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints } from "../constraints/build.js";
import { closeConstraints } from "../constraints/closure.js";
import type { Grouping } from "../model/constraint-set.js";
import { drain } from "../steps/steps.js";
import { tuples } from "../testing/tuples.js";
import { chromaticNumber, colour } from "./colouring.js";
import type { Adjacency } from "./graphs/adjacency.js";
import { findClique } from "./graphs/clique.js";
import { constraintGraph, expand, graphOf } from "./graphs/graph.js";
import {
  allPairs,
  complete,
  cycle,
  graphFrom,
  graphOfBits,
  inducedPlain,
  isColourable,
  isProper,
  multipartite,
  mycielskian,
  type Plain,
  petersen,
  queens,
  randomGraph,
  randomTree,
} from "./graphs/graphs.reference.js";
import { searchTabu, searchWalk } from "./greedy/local-search.js";
import { searchLearning } from "./sat/search.js";

const grotzsch = mycielskian(cycle(5));

const KNOWN: readonly (readonly [string, Plain, number])[] = [
  ["no vertex", { n: 0, pairs: [] }, 0],
  ["one vertex", { n: 1, pairs: [] }, 1],
  ["a pentagon", cycle(5), 3],
  ["a cycle of 101", cycle(101), 3],
  ["a cycle of 100", cycle(100), 2],
  ["Petersen's graph", petersen(), 3],
  ["Grötzsch's graph", grotzsch, 4],
  ["Mycielski's graph of 23 vertices", mycielskian(grotzsch), 5],
  ["queens on 5 x 5", queens(5), 5],
  ["queens on 6 x 6", queens(6), 7],
  ["a complete graph", complete(9), 9],
  ["a complete multipartite graph", multipartite(3, 1, 4, 1, 5), 5],
  ["a random tree", randomTree(500, 3), 2],
  [
    "two parts of different needs",
    { n: 16, pairs: [...petersen().pairs, ...complete(6).pairs.map(([u, v]) => [u + 10, v + 10] as const)] },
    6,
  ],
];

/** Checks every answer: a proper colouring, or a core that brute force cannot colour; the core is minimal if `critical` is set. */
function check(plain: Plain, k: number, answer: ReturnType<typeof colour>): void {
  if (answer.status === "feasible") expect(isProper(plain, answer.colouring, k)).toBe(true);
  if (answer.status !== "infeasible") return;
  const core = [...answer.core.vertices];
  expect(isColourable(inducedPlain(plain, core), k)).toBe(false);
  if (!answer.core.critical) return;
  for (const v of core) {
    const without = core.filter((u) => u !== v);
    expect(isColourable(inducedPlain(plain, without), k)).toBe(true);
  }
}

describe("known graphs", () => {
  test.each(KNOWN)("%s", (_, plain, chromatic) => {
    const graph = graphFrom(plain);
    const { lower, upper, colouring } = chromaticNumber(graph);
    expect([lower, upper]).toEqual([chromatic, chromatic]);
    expect(isProper(plain, colouring, chromatic)).toBe(true);
    const enough = colour(graph, chromatic);
    expect(enough.status).toBe("feasible");
    check(plain, chromatic, enough);
    if (chromatic === 0) return;
    const few = colour(graph, chromatic - 1);
    expect(few.status).toBe("infeasible");
    if (few.status === "infeasible") expect(few.core.critical).toBe(true);
    if (plain.n < 30 || chromatic === 3) check(plain, chromatic - 1, few);
  });

  test("cores are small: a clique, an odd cycle, the whole of a critical graph", () => {
    const coreSize = (plain: Plain, k: number): number => {
      const answer = colour(graphFrom(plain), k);
      return answer.status === "infeasible" ? answer.core.vertices.length : -1;
    };
    expect(coreSize(queens(5), 4)).toBe(5);
    expect(coreSize(petersen(), 2)).toBe(5);
    expect(coreSize(grotzsch, 3)).toBe(11);
    expect(coreSize(mycielskian(grotzsch), 4)).toBe(23);
  });
});

test("Davidson's figure 1: five vertices and four edges need two colours", () => {
  const rows = "abcdefghijkl";
  const pair = (names: string): [number, number] => [rows.indexOf(names[0]!), rows.indexOf(names[1]!)];
  const known = constraints(
    { n: 12 },
    { mustLink: ["ab", "ac", "de", "fg", "hi", "jk"].map(pair), cannotLink: ["ae", "ij", "dk", "el"].map(pair) },
  );
  const graph = constraintGraph(closeConstraints(known));
  expect([graph.vertices, graph.edges, graph.maxDegree]).toEqual([5, 4, 3]);
  expect(chromaticNumber(graph)).toMatchObject({ lower: 2, upper: 2 });
  expect(colour(graph, 1)).toMatchObject({ status: "infeasible", core: { critical: true } });
});

describe("agrees with brute force", () => {
  const anyGraph = fc
    .record({ n: fc.integer({ min: 1, max: 9 }), density: fc.double({ min: 0, max: 1, noNaN: true }), seed: fc.nat() })
    .map(({ n, density, seed }) => randomGraph(n, Math.round((density * n * (n - 1)) / 2), seed));

  test("all graphs of up to 5 vertices, and all k", () => {
    for (let n = 1; n <= 5; n++) {
      for (let bits = 0; bits < 1 << ((n * (n - 1)) / 2); bits++) {
        const plain = graphOfBits(n, bits);
        const graph = graphFrom(plain);
        for (let k = 1; k <= n; k++) {
          const answer = colour(graph, k);
          expect(answer.status).toBe(isColourable(plain, k) ? "feasible" : "infeasible");
          check(plain, k, answer);
        }
      }
    }
  });

  test("random graphs, and the same as overlapping cliques", () => {
    fc.assert(
      fc.property(
        anyGraph,
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.uniqueArray(fc.nat(8), { maxLength: 4 }), { maxLength: 3 }),
        (plain, k, sets) => {
          const cliques = sets.map((set) => set.filter((v) => v < plain.n));
          const more = cliques.flatMap((set) => allPairs(set.length, () => true).map(([i, j]) => [set[i]!, set[j]!] as const));
          const whole = { n: plain.n, pairs: [...plain.pairs, ...more] };
          const answer = colour(graphOf(plain.n, plain.pairs, cliques), k);
          expect(answer.status).toBe(isColourable(whole, k) ? "feasible" : "infeasible");
          check(whole, k, answer);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("the search that learns, on its own", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 2, max: 4 }), (seed, k) => {
        const plain = randomGraph(14, 14 * k - 12, seed);
        const answer = drain(searchLearning(listed(plain), k, new Int32Array(0), { left: 1e6 }));
        expect(answer.status).toBe(isColourable(plain, k) ? "feasible" : "infeasible");
        if (answer.status === "feasible") expect(isProper(plain, answer.colours, k)).toBe(true);
        if (answer.status === "infeasible") expect(isColourable(inducedPlain(plain, [...answer.core]), k)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  test("largest cliques", () => {
    fc.assert(
      fc.property(anyGraph, (plain) => {
        const { clique, largest } = drain(findClique(listed(plain), { left: 1e5 }));
        const isClique = (set: readonly number[]): boolean =>
          inducedPlain(plain, set).pairs.length === (set.length * (set.length - 1)) / 2;
        let most = 0;
        for (let bits = 1; bits < 1 << plain.n; bits++) {
          const set = Array.from({ length: plain.n }, (_, v) => v).filter((v) => (bits >> v) & 1);
          if (isClique(set)) most = Math.max(most, set.length);
        }
        expect(largest && isClique([...clique])).toBe(true);
        expect(clique.length).toBe(most);
      }),
      { numRuns: 60 },
    );
  });
});

/** The induced subgraph, vertices renumbered in the given order. */
function relabelled({ pairs }: Plain, vertices: readonly number[]): Plain {
  const place = new Map(vertices.map((v, i) => [v, i]));
  const kept = pairs.filter(([u, v]) => place.has(u) && place.has(v));
  return { n: vertices.length, pairs: kept.map(([u, v]) => [place.get(u)!, place.get(v)!] as const) };
}

function listed(plain: Plain): Adjacency {
  return expand(
    graphFrom(plain),
    Int32Array.from({ length: plain.n }, (_, v) => v),
    1e6,
  )!;
}

describe("2,000 vertices, away from the threshold", () => {
  test.each([
    [3, 3, "feasible"],
    [3, 4.4, "feasible"],
    [3, 14, "infeasible"],
    [4, 8, "feasible"],
    [5, 12, "feasible"],
    [8, 25, "feasible"],
  ])("k %i, mean degree %f: %s", (k, mean, status) => {
    const plain = randomGraph(2000, 1000 * mean, 5);
    const answer = colour(graphFrom(plain), k);
    expect(answer.status).toBe(status);
    if (answer.status === "feasible") expect(isProper(plain, answer.colouring, k)).toBe(true);
    // Checked by a different search, without learning and reductions.
    if (answer.status === "infeasible") expect(isColourable(inducedPlain(plain, [...answer.core.vertices]), k)).toBe(false);
  });

  test.each([
    [3, 10],
    [4, 45],
  ])("k %i, mean degree %i: infeasible, and the core is so in another order", (k, mean) => {
    const plain = randomGraph(2000, 1000 * mean, 5);
    const answer = colour(graphFrom(plain), k);
    expect(answer.status).toBe("infeasible");
    if (answer.status !== "infeasible") return;
    // Too large for plain backtracking.
    const core = listed(relabelled(plain, [...answer.core.vertices].reverse()));
    const { clique } = drain(findClique(core, { left: 1e4 }));
    expect(drain(searchLearning(core, k, clique, { left: 1e6 })).status).toBe("infeasible");
  });

  test("a random walk finds a colouring, or nothing", () => {
    const plain = randomGraph(300, 600, 2);
    const walked = drain(searchWalk(listed(plain), 4, 4, { left: 1e5 }));
    expect(walked && isProper(plain, walked, 4)).toBe(true);
    expect(drain(searchWalk(listed(complete(5)), 4, 4, { left: 1e5 }))).toBe(null);
    expect(drain(searchWalk(listed(plain), 4, 4, { left: 0 }))).toBe(null);
  });

  test("local search finds a colouring that it started without", () => {
    const plain = randomGraph(300, 600, 2);
    const colours = drain(searchTabu(listed(plain), 4, new Int32Array(300), 60_000, { left: 1e5 }));
    expect(colours && isProper(plain, colours, 4)).toBe(true);
  });
});

describe("honesty", () => {
  test("without effort a hard question is left undecided, an easy one is not", () => {
    expect(colour(graphFrom(mycielskian(grotzsch)), 4, { effort: 3 }).status).toBe("undecided");
    expect(colour(graphFrom(randomTree(50, 1)), 2, { effort: 0 }).status).toBe("feasible");
    const { lower, upper } = chromaticNumber(graphFrom(mycielskian(grotzsch)), { effort: 3 });
    expect(lower).toBeLessThan(upper);
  });
  test("the same answer twice", () => {
    const graph = graphFrom(randomGraph(80, 200, 9));
    expect(colour(graph, 4)).toEqual(colour(graph, 4));
  });
  test("k must be a whole number", () => {
    expect(() => colour(graphFrom(cycle(3)), 1.5)).toThrow("k is 1.5");
  });
});

describe("exclusive groups stay unlisted", () => {
  const grouping = (codes: Int32Array): Grouping => ({ column: "source", codes, names: [] });
  const graphOfGroups = (n: number, ...columns: ((row: number) => number)[]) =>
    constraintGraph(
      closeConstraints(
        constraints({ n, exclusive: columns.map((code) => grouping(Int32Array.from({ length: n }, (_, i) => code(i)))) }),
      ),
    );

  test("100,000 rows in one group", () => {
    const graph = graphOfGroups(100_000, () => 0);
    expect([graph.vertices, graph.edges, graph.maxDegree, graph.exact]).toEqual([100_000, 4_999_950_000, 99_999, true]);
    const answer = colour(graph, 3);
    expect(answer.status === "infeasible" && [...answer.core.vertices]).toEqual([0, 1, 2, 3]);
    const smaller = graphOfGroups(20_000, () => 0);
    expect(colour(smaller, 20_000).status).toBe("feasible");
    expect(chromaticNumber(smaller)).toMatchObject({ lower: 20_000, upper: 20_000 });
  });
  test("100,000 rows in many groups of two columns", () => {
    const graph = graphOfGroups(
      100_000,
      (i) => Math.floor(i / 10),
      (i) => i % 20_000,
    );
    expect([graph.vertices, graph.edges, graph.maxDegree]).toEqual([100_000, 450_000 + 200_000, 13]);
    expect(colour(graph, 9)).toMatchObject({ status: "infeasible" });
    const answer = colour(graph, 14);
    expect(answer.status).toBe("feasible");
    if (answer.status === "feasible") {
      for (let i = 0; i < 1000; i++)
        for (let j = 0; j < 10; j++) if (i % 10 !== j) expect(answer.colouring[i]).not.toBe(answer.colouring[i - (i % 10) + j]);
      for (let i = 0; i < 20_000; i += 7)
        expect(new Set([0, 1, 2, 3, 4].map((t) => answer.colouring[i + 20_000 * t])).size).toBe(5);
    }
  });
  test("pairs in several cliques and edges inside cliques are counted once", () => {
    const known = constraints(
      {
        n: 6,
        exclusive: [
          [0, 0, 0, 1, 1, -1],
          [0, 0, 1, 1, 2, 2],
          [0, 0, 0, 0, 1, 1],
        ].map((codes) => grouping(Int32Array.from(codes))),
      },
      { cannotLink: tuples("0 1, 0 5") },
    );
    const closure = closeConstraints(known);
    const graph = constraintGraph(closure);
    expect(graph.edges).toBe(allPairs(6, (i, j) => closure.apart(i, j)).length);
    expect(graph.maxDegree).toBe(Math.max(...[0, 1, 2, 3, 4, 5].map((c) => closure.degree(c))));
  });
});
