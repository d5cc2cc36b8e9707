import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, emptyConstraints } from "../../../constraints/index.js";
import { CoterieError } from "../../../errors.js";
import { pointsFromRows } from "../../../rows.js";
import { tuples } from "../../../testing/tuples.js";
import { kmeans } from "../kmeans.js";
import { pckMeans } from "./methods.js";
import { problems } from "./mpck.reference.js";

describe("worked by hand: 0 1 10 11 with a must-link between 1 and 10", () => {
  const points = pointsFromRows([[0], [1], [10], [11]]);
  const run = (weight: number, costs: "unit" | "relative") =>
    pckMeans(points, constraints(points, { mustLink: [[1, 2, weight]] }), { k: 2, costs, init: [[0.5], [10.5]] });

  test("a penalty of 1 is worth paying: two pairs, each of scatter 1/2", () => {
    const result = run(1, "unit");
    expect([...result.labels]).toEqual([0, 0, 1, 1]);
    expect(result.violations.mustLink).toEqual([[1, 2]]);
    expect(result.objective).toBe(2);
  });

  test("a penalty of 100 is not: 10 joins 0 and 1, or 1 joins 10 and 11, with scatter 182/3 either way", () => {
    const result = run(100, "unit");
    expect(result.violations.mustLink).toEqual([]);
    expect(result.objective).toBeCloseTo(182 / 3, 12);
    expect([...result.sizes].sort()).toEqual([1, 3]);
  });

  test("relative costs count in mean squared distances from 5.5, which is 25.25", () => {
    expect(run(1, "relative").objective).toBeCloseTo(26.25, 12);
    expect(run(4, "relative").objective).toBeCloseTo(182 / 3, 12);
  });
});

test("without constraints it is k-means: from the same centres, and with the same seed", () => {
  fc.assert(
    fc.property(problems, ({ points, k, seed }) => {
      const none = emptyConstraints(points.n);
      const init = Array.from({ length: k }, (_, c) => [...points.x.subarray(c * points.d, (c + 1) * points.d)]);
      const expected = kmeans(points, undefined, { k, init });
      const ours = pckMeans(points, none, { k, init });
      expect(ours.labels).toEqual(expected.labels);
      expect(ours.objective!).toBeCloseTo(expected.objective!, 10);
      const seeded = pckMeans(points, none, { k, seed, init: "k-means++" });
      expect(seeded.objective!).toBeCloseTo(kmeans(points, undefined, { k, seed }).objective!, 10);
    }),
    { numRuns: 50 },
  );
});

test("the objective never rises; the same seed gives the same result; inputs stay untouched", () => {
  fc.assert(
    fc.property(problems, ({ points, set, k, seed }) => {
      const before = points.x.slice();
      const result = pckMeans(points, set, { k, seed, restarts: 2 });
      const { history } = result;
      for (let t = 1; t < history!.length; t++) expect(history![t]!).toBeLessThanOrEqual(history![t - 1]! * (1 + 1e-12) + 1e-12);
      expect(history!.at(-1)).toBe(result.objective);
      expect(pckMeans(points, set, { k, seed, restarts: 2 })).toEqual(result);
      expect(points.x).toEqual(before);
    }),
    { numRuns: 50 },
  );
});

test("the cosine only uses directions, with a notice", () => {
  const points = pointsFromRows(tuples("1 0, 100 1, 0 3, 1 50, 0 0"));
  const result = pckMeans(points, emptyConstraints(5), { k: 2, distance: "cosine", init: "k-means++" });
  expect(result.labels[0]).toBe(result.labels[1]);
  expect(result.labels[2]).toBe(result.labels[3]);
  expect(result.labels[0]).not.toBe(result.labels[2]);
  for (const centre of result.centres!) expect(Math.sqrt(centre[0]! ** 2 + centre[1]! ** 2)).toBeCloseTo(1, 12);
  expect(result.notices).toContain("1 row is all zero and has no direction.");
});

describe("hard constraints", () => {
  const line = pointsFromRows([[0], [0.1], [0.2], [10], [10.1], [10.2]]);

  test("rows joined by hard must-links move as one at any cost; hard cannot-links hold", () => {
    const set = constraints(line, {
      mustLink: [[0, 3, Infinity]],
      cannotLink: [
        [4, 5, Infinity],
        [1, 2, Infinity],
      ],
    });
    for (let seed = 0; seed < 10; seed++) {
      const { violations } = pckMeans(line, set, { k: 3, seed, restarts: 1 });
      expect(violations).toMatchObject({ mustLink: [], cannotLink: [] });
    }
  });

  test("they hold in random satisfiable problems, even if soft constraints do not", () => {
    fc.assert(
      fc.property(problems, ({ points, set, k, seed }) => {
        const hardened = {
          ...set,
          cannotLinks: { ...set.cannotLinks, weight: set.cannotLinks.weight.map((w) => (w > 1 ? Infinity : w)) },
        };
        try {
          const { violations, objective } = pckMeans(points, hardened, { k, seed, restarts: 1 });
          const broken = new Set(violations.cannotLink.map(([a, b]) => `${a} ${b}`));
          hardened.cannotLinks.weight.forEach((weight, s) => {
            if (weight === Infinity) expect(broken.has(`${hardened.cannotLinks.a[s]} ${hardened.cannotLinks.b[s]}`)).toBe(false);
          });
          expect(Number.isFinite(objective)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(CoterieError);
          expect((error as CoterieError).problem.code).toBe("infeasible");
        }
      }),
      { numRuns: 60 },
    );
  });

  test("refuses unsatisfiable constraints, with the rows that prove it", () => {
    const triangle = constraints(line, {
      cannotLink: [
        [0, 1, Infinity],
        [1, 2, Infinity],
        [0, 2, Infinity],
        [2, 3, Infinity],
      ],
    });
    expect(() => pckMeans(line, triangle, { k: 2 })).toThrow(
      "No clustering with 2 clusters keeps all constraints: these 3 groups of rows already need more: {0}, {1}, {2}.",
    );
    const clash = constraints(line, {
      mustLink: [
        [0, 1, Infinity],
        [1, 2, Infinity],
      ],
      cannotLink: [[0, 2, Infinity]],
    });
    expect(() => pckMeans(line, clash, { k: 2 })).toThrow("0 and 2 cannot link, yet must-links join them: 0 – 1 – 2.");
    const classes = constraints(line, {
      labels: [
        [0, "a", Infinity],
        [1, "b", Infinity],
        [2, "c", Infinity],
      ],
    });
    expect(() => pckMeans(line, classes, { k: 2 })).toThrow("already need more");
  });

  test("a clique of twelve in eleven clusters is refused at once", () => {
    const rows = pointsFromRows(Array.from({ length: 12 }, (_, i) => [i]));
    const cannotLink = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: i }, (_, j) => [i, j, Infinity] as const),
    ).flat();
    expect(() => pckMeans(rows, constraints(rows, { cannotLink }), { k: 11 })).toThrow("already need more");
    expect(pckMeans(rows, constraints(rows, { cannotLink }), { k: 12, restarts: 1 }).k).toBe(12);
  });

  test("soft constraints that contradict each other are accepted and listed", () => {
    const set = constraints(line, { mustLink: tuples("0 1, 1 2"), cannotLink: [[0, 2]] });
    // Breaking only the cannot-link costs 1. Separating row 2 costs its must-link and the implied one; separating row 1
    // costs two must-links.
    const { violations, labels } = pckMeans(line, set, { k: 2 });
    expect([...labels]).toEqual([0, 0, 0, 1, 1, 1]);
    expect(violations).toMatchObject({ mustLink: [], cannotLink: [[0, 2]] });
  });

  test("a hard cannot-link between softly joined rows breaks the soft must-link", () => {
    const set = constraints(line, { mustLink: tuples("0 1, 1 2"), cannotLink: [[0, 2, Infinity]] });
    expect(pckMeans(line, set, { k: 2 }).violations).toMatchObject({ cannotLink: [], mustLink: [expect.anything()] });
  });
});

test("labels as supervision: rows of a class go together, classes apart", () => {
  const points = pointsFromRows([[0], [1], [2], [3], [4], [5]]);
  const set = constraints(points, {
    labels: [
      [0, "a", 9],
      [2, "b", 9],
      [3, "a", 9],
      [5, "b", 9],
    ],
  });
  const { labels } = pckMeans(points, set, { k: 2 });
  expect([labels[0], labels[2], labels[3], labels[5]]).toEqual([0, 1, 0, 1]);
});

test("an exclusive column separates its rows by a penalty, without a list of pairs", () => {
  // Both pairs together: scatter 0.36, penalty 2. One pair apart: 0.42 and 1. Both apart: 0.81 and 0.
  const points = pointsFromRows([[0], [0.6], [0.9], [1.5]]);
  const exclusive = [{ column: "frame", codes: Int32Array.of(0, 0, 1, 1), names: ["one", "two"] }];
  expect([...pckMeans(points, emptyConstraints(4), { k: 2 }).labels]).toEqual([0, 0, 1, 1]);
  const { violations, labels, objective } = pckMeans(points, constraints(points, { exclusive }), { k: 2, costs: "unit" });
  expect(violations.exclusive).toEqual([]);
  expect([...labels]).toEqual([0, 1, 0, 1]);
  expect(objective).toBeCloseTo(0.81, 12);
});
