import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { complete, mycielskian } from "../../../colouring/graphs/graphs.reference.js";
import { closeConstraints, constraints, emptyConstraints, violationCount } from "../../../constraints/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Instances } from "../../../model/points.js";
import type { Result } from "../../../model/result.js";
import { makeSynthetic, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { problemOf } from "../../../testing/problem-of.js";
import { kmeans } from "../kmeans.js";
import { copKmeans } from "./index.js";
import { allPairs, assignments, copKMeansByDefinition, isLegal, squared } from "./index.reference.js";
import { unitsOf } from "./units.js";

const column = (...values: number[]) => pointsFromRows(values.map((value) => [value]));

/** Small tables with links, labels and a group column, contradictory or not. */
const instance = (most: number) =>
  fc
    .integer({ min: 2, max: most })
    .chain((n) =>
      fc.record({
        rows: fc.array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -5, max: 5 })), {
          minLength: n,
          maxLength: n,
        }),
        must: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 2 }),
        cannot: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 2 * n }),
        labels: fc.uniqueArray(fc.tuple(fc.nat(n - 1), fc.nat(2)), { maxLength: 2, selector: ([row]) => row }),
        groups: fc.option(fc.array(fc.integer({ min: -1, max: n - 1 }), { minLength: n, maxLength: n })),
        k: fc.integer({ min: 1, max: Math.min(3, n) }),
        seed: fc.nat(1000),
      }),
    )
    .map(({ rows, must, cannot, labels, groups, k, seed }) => {
      const points = pointsFromRows(rows);
      const exclusive = groups ? [{ column: "g", codes: Int32Array.from(groups), names: groups.map((_, g) => `g${g}`) }] : [];
      const set = constraints(points, {
        mustLink: must.filter(([a, b]) => a !== b),
        cannotLink: cannot.filter(([a, b]) => a !== b),
        labels: labels.map(([a, c]) => [a, `c${c}`] as const),
        exclusive,
      });
      return { points, set, k, seed };
    });

const legalOnes = (pairs: readonly Int8Array[], k: number, more: (labels: readonly number[]) => boolean = () => true) => {
  for (const labels of assignments(pairs.length, k)) if (isLegal(pairs, labels) && more(labels)) return true;
  return false;
};

function expectConsistent({ points, k, result }: { points: Instances; k: number; result: Result }): void {
  const { labels, centres, objective, history, notices } = result;
  let sum = 0;
  labels.forEach((label, i) => {
    sum += squared(points, i, [...centres![label]!]);
  });
  expect(objective).toBeCloseTo(sum, 7);
  expect(history!.at(-1)).toBe(objective);
  centres!.forEach((centre, c) => {
    const rows = [...labels.keys()].filter((i) => labels[i] === c);
    centre.forEach((value, j) => {
      expect(value).toBeCloseTo(rows.reduce((total, i) => total + points.x[i * points.d + j]!, 0) / rows.length, 7);
    });
  });
  expect(result.k === k || notices.some((notice) => notice.startsWith("Only"))).toBe(true);
}

describe("worked by hand", () => {
  const points = column(0, 1, 10, 11);
  const known = constraints(points, { cannotLink: [[0, 1]] });
  test.each([false, true])("cannot-link(0, 1) on 0 1 10 11, faithful: %s", (faithful) => {
    const result = copKmeans(points, known, { k: 2, init: [[0], [1]], faithful });
    expect([...result.labels]).toEqual([0, 1, 1, 1]);
    expect(result.centres![1]![0]).toBeCloseTo(22 / 3, 12);
    expect(result.objective).toBeCloseTo(182 / 3, 12);
    expect([result.iterations, result.stopped]).toEqual([2, "converged"]);
  });

  test("a unit goes where it costs least as a whole, not where its first row would go", () => {
    const known = constraints(column(0, 9, 9, 0, 10), { mustLink: [[0, 1], [1, 2]] }); // biome-ignore format: one line
    const result = copKmeans(column(0, 9, 9, 0, 10), known, { k: 2, init: [[0], [10]] });
    expect([...result.labels]).toEqual([0, 0, 0, 1, 0]);
    expect(result.objective).toBe(49 + 4 + 4 + 9);
  });

  test("a dead end of the paper's method: b lies between a and c, and must be apart from both", () => {
    const points: Instances = { ...column(0, 5, 10), ids: ["a", "b", "c"] };
    const path = constraints(points, { cannotLink: [["a", "b"], ["b", "c"]] }); // biome-ignore format: one line
    const outcomes = Array.from({ length: 20 }, (_, seed) => {
      try {
        return [...copKmeans(points, path, { k: 2, init: [[0], [10]], faithful: true, seed }).labels].join();
      } catch (error) {
        return (error as Error).message;
      }
    });
    // If a and c are placed first, at the two ends, no cluster is left for b.
    const dead = `The paper's method found no legal cluster for some row in the only start, first for b; without "faithful", all constrained rows are placed together.`;
    expect(new Set(outcomes)).toEqual(new Set(["0,1,0", dead]));
    expect([...copKmeans(points, path, { k: 2, init: [[0], [10]] }).labels]).toEqual([0, 1, 0]);
  });
});

describe("hard means hard", () => {
  test("satisfies a set if possible, else refuses it with a proof: compared with all assignments", () => {
    const seen = { kept: 0, refused: 0 };
    fc.assert(
      fc.property(instance(7), ({ points, set, k, seed }) => {
        const pairs = allPairs(set);
        const options = { k, seed, restarts: 2 };
        if (pairs === null) {
          expect(problemOf(() => copKmeans(points, set, options)).code).toBe("contradiction");
          return;
        }
        if (legalOnes(pairs, k)) {
          const result = copKmeans(points, set, options);
          expect(isLegal(pairs, result.labels)).toBe(true);
          expect(violationCount(result.violations)).toBe(0);
          expect(result.stopped).toBe("converged");
          expectConsistent({ points, k, result });
          for (let t = 1; t < result.history!.length; t++) {
            expect(result.history![t]!).toBeLessThanOrEqual(result.history![t - 1]! * (1 + 1e-12));
          }
          seen.kept++;
          return;
        }
        const problem = problemOf(() => copKmeans(points, set, options));
        if (problem.code !== "infeasible") throw new Error(problem.code);
        const rows = problem.core.map(([first]) => Number(first));
        expect(
          legalOnes(
            rows.map((i) => Int8Array.from(rows, (j) => pairs[i]![j]!)),
            k,
          ),
        ).toBe(false);
        seen.refused++;
      }),
      { numRuns: 800, seed: 3 },
    );
    expect(Math.min(seen.kept, seen.refused)).toBeGreaterThan(60);
  });

  test("no legal assignment to the reported centres is cheaper", () => {
    fc.assert(
      fc.property(instance(8), ({ points, set, k, seed }) => {
        const pairs = allPairs(set);
        fc.pre(pairs !== null && legalOnes(pairs, k));
        const { labels, centres, ...result } = copKmeans(points, set, { k, seed, restarts: 1 });
        const costs = Array.from(labels, (_, i) => centres!.map((centre) => squared(points, i, [...centre])));
        const costOf = (assigned: ArrayLike<number>) => costs.reduce((sum, row, i) => sum + row[assigned[i]!]!, 0);
        const own = costOf(labels);
        for (const others of assignments(points.n, result.k)) {
          if (costOf(others) < own - 1e-9) expect(isLegal(pairs, others)).toBe(false);
        }
      }),
      { numRuns: 200, seed: 2 },
    );
  });

  test("a clique of k + 1 and the Grötzsch graph with three clusters are refused, with the core in the user's ids", () => {
    const ids = Array.from({ length: 14 }, (_, i) => `row ${i}`);
    const points: Instances = { ...column(...ids.map((_, i) => i * i)), ids };
    const clique = constraints(points, { cannotLink: complete(4).pairs.map(([a, b]) => [a + 2, b + 2] as const) });
    expect(problemOf(() => copKmeans(points, clique, { k: 3 }))).toEqual({
      code: "infeasible",
      k: 3,
      core: [["row 2"], ["row 3"], ["row 4"], ["row 5"]],
    });
    const grotzsch = mycielskian(mycielskian(complete(2)));
    const set = constraints(points, { cannotLink: grotzsch.pairs, mustLink: [[0, 13]] });
    const problem = problemOf(() => copKmeans(points, set, { k: 3 }));
    expect(problem.code === "infeasible" && problem.core.length).toBe(11);
    expect(problem.code === "infeasible" && problem.core[0]).toEqual(["row 0", "row 13"]);
    expect(violationCount(copKmeans(points, set, { k: 4 }).violations)).toBe(0);
  });

  test("finds planted colourings that are too hard for the greedy placement", () => {
    const n = 120;
    for (let seed = 0; seed < 6; seed++) {
      const random = randomFrom(seed);
      const points = pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal()]));
      const hidden = Array.from({ length: n }, () => random.int(3));
      const pairs = Array.from({ length: 4 * n }, () => [random.int(n), random.int(n)] as const);
      const set = constraints(points, { cannotLink: pairs.filter(([a, b]) => hidden[a] !== hidden[b]) });
      expect(violationCount(copKmeans(points, set, { k: 3, seed, restarts: 1 }).violations)).toBe(0);
      const sizes = [0, 1, 2].map((c) => hidden.filter((label) => label === c).length);
      const bounds = { minSize: Math.min(...sizes), maxSize: Math.max(...sizes) };
      const { violations, ...bounded } = copKmeans(points, set, { k: 3, seed, restarts: 1, ...bounds });
      expect(violationCount(violations)).toBe(0);
      expect(Math.min(...bounded.sizes)).toBeGreaterThanOrEqual(bounds.minSize);
      expect(Math.max(...bounded.sizes)).toBeLessThanOrEqual(bounds.maxSize);
    }
  });

  test("reports that it gave up: no effort, no proof", () => {
    const points = column(...Array.from({ length: 47 }, (_, i) => i));
    const hard = mycielskian(mycielskian(mycielskian(mycielskian(complete(2)))));
    const problem = problemOf(() => copKmeans(points, constraints(points, { cannotLink: hard.pairs }), { k: 5, effort: 1 }));
    expect(problem).toEqual({
      code: "gave-up",
      message:
        "The search for a legal clustering with 5 clusters gave up after 1 nodes, without a proof that there is none; allow more effort, or more clusters.",
    });
  });
});

describe("the paper's method", () => {
  test("equals the definition, row by row, dead ends included", () => {
    const seen = { done: 0, dead: 0 };
    fc.assert(
      fc.property(instance(9), ({ points, set, k, seed }) => {
        const pairs = allPairs(set);
        fc.pre(pairs !== null);
        const first = Array.from({ length: k }, (_, c) => [7 * c - 10.5, 0.25 * c]);
        const units = unitsOf(closeConstraints(set), points);
        const places = units.rows.items.map((_, place) => place);
        randomFrom(seed).split("restart", 0).split("order").shuffle(places);
        const order = [...Array.from(places, (place) => units.rows.items[place]!), ...units.freeRows];
        const expected = copKMeansByDefinition(points, pairs, order, first);
        if (expected === "open") return;
        const act = () => copKmeans(points, set, { k, init: first, faithful: true, seed });
        if ("deadEnd" in expected) {
          const problem = problemOf(act);
          expect(problem.code === "gave-up" && problem.message).toMatch(`first for ${expected.deadEnd};`);
          seen.dead++;
          return;
        }
        const result = act();
        const names = [...new Set(expected.labels)];
        expect([...result.labels]).toEqual(expected.labels.map((label) => names.indexOf(label)));
        names.forEach((name, c) => {
          result.centres![c]!.forEach((value, j) => {
            expect(value).toBeCloseTo(expected.centres[name]![j]!, 9);
          });
        });
        expectConsistent({ points, k, result });
        seen.done++;
      }),
      { numRuns: 600, seed: 5 },
    );
    expect(Math.min(seen.done, seen.dead)).toBeGreaterThan(60);
  });

  test("correct constraints make it fail more and more often; repair never fails", () => {
    const { points, truth } = makeSynthetic("xor", 150, randomFrom(0));
    const fails = [30, 100, 200].map((count) => {
      let failed = 0;
      for (let seed = 0; seed < 12; seed++) {
        const pairs = Array.from(
          randomFrom(seed)
            .split("pairs", count)
            .sample(150 * 149, count),
          (rank) => {
            const a = Math.floor(rank / 149);
            return [a, (a + 1 + (rank % 149)) % 150] as const;
          },
        );
        const same = ([a, b]: readonly [number, number]): boolean => truth.codes[a] === truth.codes[b];
        const set = constraints(points, { mustLink: pairs.filter(same), cannotLink: pairs.filter((pair) => !same(pair)) });
        expect(violationCount(copKmeans(points, set, { k: 2, restarts: 1, seed }).violations)).toBe(0);
        try {
          copKmeans(points, set, { k: 2, restarts: 1, faithful: true, seed });
        } catch {
          failed++;
        }
      }
      return failed;
    });
    expect(fails[1]).toBeGreaterThan(3);
    expect(fails[2]).toBeGreaterThan(fails[0]!);
  });

  test("keeps a successful start, and counts the failed ones", () => {
    const points = column(0, 5, 10, 12);
    const set = constraints(points, { cannotLink: [[0, 1], [1, 2]] }); // biome-ignore format: one line
    const result = copKmeans(points, set, { k: 2, faithful: true, restarts: 20, seed: 1 });
    expect(violationCount(result.violations)).toBe(0);
    expect(result.notices.join()).toMatch(/^\d+ of 20 starts ended at a row without a legal cluster\.$/);
  });
});

describe("edges", () => {
  const table = makeSynthetic("cellwalls", 200, randomFrom(4)).points;

  test.each([false, true])("without constraints it is k-means, to the last bit, faithful: %s", (faithful) => {
    for (const init of ["k-means++", "random"] as const) {
      const plain = kmeans(table, undefined, { k: 5, seed: 9, init, restarts: 3 });
      expect(copKmeans(table, emptyConstraints(200), { k: 5, seed: 9, init, restarts: 3, faithful })).toEqual(plain);
    }
  });

  test("exclusive groups: no cluster has two rows of a group, and each group is assigned at the least cost", () => {
    const k = 4;
    const codes = Int32Array.from({ length: 40 }, (_, i) => Math.floor(i / k));
    const points = { ...makeSynthetic("xor", 40, randomFrom(2)).points, exclusive: [{ column: "source", codes, names: [] }] };
    const result = copKmeans(points, constraints(points), { k, seed: 1 });
    expect(result.sizes).toEqual([10, 10, 10, 10]);
    expect(violationCount(result.violations)).toBe(0);
    const centres = result.centres!.map((centre) => [...centre]);
    for (let g = 0; g < 10; g++) {
      const cost = (labels: ArrayLike<number>) =>
        [0, 1, 2, 3].reduce((sum, i) => sum + squared(points, k * g + i, centres[labels[i]!]!), 0);
      const own = cost(result.labels.subarray(k * g, k * g + k));
      for (const labels of assignments(k, k)) if (new Set(labels).size === k) expect(cost(labels)).toBeGreaterThan(own - 1e-9);
    }
    const crowded = { ...points, exclusive: [{ column: "source", codes: codes.map((g) => g >> 1), names: [] }] };
    const problem = problemOf(() => copKmeans(crowded, constraints(crowded), { k }));
    expect(problem).toEqual({
      code: "infeasible",
      k,
      core: [[0], [1], [2], [3], [4]],
      group: { column: "source", value: "0", rows: 8 },
    });
  });

  test("must-links that leave fewer groups than k: fewer clusters, and a notice", () => {
    const points = column(1, 2, 3, 4);
    const set = constraints(points, { mustLink: [[0, 1], [1, 2]] }); // biome-ignore format: one line
    const result = copKmeans(points, set, { k: 3 });
    expect([...result.labels]).toEqual([0, 0, 0, 1]);
    expect(result.notices).toEqual(["Only 2 of the 3 clusters have rows: must-links leave fewer groups of rows."]);
  });

  test("the same seed gives the same bytes, inputs stay untouched, nominal columns count by level", () => {
    const points: Instances = {
      n: 6,
      d: 2,
      x: Float64Array.of(0, 1, 0, 1, 0, 2, 5, 0, 5, 0, 5, 1),
      nominal: Uint8Array.of(0, 1),
    };
    const set = constraints(points, { cannotLink: [[0, 1]], labels: [[2, "p"], [3, "q"]] }); // biome-ignore format: one line
    const before = structuredClone({ x: points.x, set });
    const result = copKmeans(points, set, { k: 2, seed: 3 });
    expect(copKmeans(points, set, { k: 2, seed: 3 })).toEqual(result);
    expect({ x: points.x, set }).toEqual(before);
    expect(result.centres![0]!.length).toBe(4);
    expect(result.labels[2]).not.toBe(result.labels[3]);
  });

  test("golden", () => {
    const { points, truth } = makeSynthetic("stormclouds", 30, randomFrom(11));
    const set: ConstraintSet = constraints(points, { cannotLink: [[0, 1], [2, 3], [4, 5]], mustLink: [[0, 9], [9, 20]] }); // biome-ignore format: one line
    const result = copKmeans({ ...points, truth }, set, { k: 3, seed: 2 });
    expect(result.labels.join("")).toBe("011201022010020200210121112222");
    expect(result.objective).toBeCloseTo(79.9320216397554, 9);
  });

  test("k above the number of rows, contradictions and senseless options are refused", () => {
    const points = column(1, 2);
    expect(problemOf(() => copKmeans(points, emptyConstraints(2), { k: 3 })).code).toBe("k-too-large");
    const both = constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 1]] });
    expect(problemOf(() => copKmeans(points, both, { k: 2 })).code).toBe("contradiction");
    expect(() => copKmeans(points, emptyConstraints(2), { k: 2, faithful: true, maxSize: 1 })).toThrow(
      "faithful is true; it must be left out when minSize or maxSize is given.",
    );
  });
});
