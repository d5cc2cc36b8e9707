import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { informativeTripletsOfClasses } from "../../../constraints/from-tree.js";
import { type ConstraintLists, constraints, randomTriplets, violationCount, violationsOf } from "../../../constraints/index.js";
import type { Instances } from "../../../model/points.js";
import type { Result } from "../../../model/result.js";
import { type Random, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { problemOf } from "../../../testing/problem-of.js";
import { tuples } from "../../../testing/tuples.js";
import type { Triple } from "../../../triplets/consistency.reference.js";
import { cutToK } from "../cut/merges.js";
import { type Linkage, linkages } from "../linkage.js";
import { recon } from "./index.js";
import { type ClusterDistance, slowRecon } from "./index.reference.js";

declare const process: { readonly env: Readonly<Record<string, string | undefined>> } | undefined;
const isLong = typeof process !== "undefined" && process.env.COTERIE_LONG === "1";

const LINKAGES = ["centroid", "complete", "average", "single", "ward", "median", "weighted"] as const;

function cloud(n: number, d: number, random: Random, steps = 0): Instances {
  const value = (): number => (steps > 0 ? random.int(steps) : random.normal());
  return pointsFromRows(Array.from({ length: n }, () => Array.from({ length: d }, value)));
}

/** Triplets that one random tree over the rows induces. */
function treeTriplets(n: number, count: number, random: Random): Triple[] {
  const parts = Array.from({ length: n }, (_, row) => [row]);
  const meeting = Array.from({ length: n }, () => new Int32Array(n));
  for (let step = 1; parts.length > 1; step++) {
    const left = parts.splice(random.int(parts.length), 1)[0]!;
    const right = parts.splice(random.int(parts.length), 1)[0]!;
    for (const i of left) for (const j of right) meeting[i]![j] = meeting[j]![i] = step;
    parts.push([...left, ...right]);
  }
  return Array.from({ length: n < 3 ? 0 : count }, (): Triple => {
    const [i, j, l] = random.sample(n, 3) as unknown as [number, number, number];
    const [ij, il] = [meeting[i]![j]!, meeting[i]![l]!];
    return ij < il ? [i, j, l] : il < ij ? [i, l, j] : [j, l, i];
  });
}

const known = (points: Instances, lists: ConstraintLists) => constraints(points, lists);

/** The rows of every cluster of the hierarchy, by cluster number. */
function clustersOf(n: number, { merges = [] }: Result): number[][] {
  const rows = Array.from({ length: n }, (_, row) => [row]);
  for (const [left, right] of merges) rows.push([...rows[left]!, ...rows[right]!].sort((a, b) => a - b));
  return rows;
}

describe("relative constraints", () => {
  test("section 4.2: ab|c and cd|a on four points, of which b and d are closest", () => {
    const points = pointsFromRows([[0], [4], [9], [5]]);
    const set = known(points, { relative: tuples("0 1 2, 2 3 0") });
    const { merges, violations, labels } = recon(points, set, { k: 2 });
    expect(merges!.map(([left, right, height]) => [left, right, height])).toEqual(tuples("0 1 4, 2 3 4, 4 5 5"));
    expect(violationCount(violations)).toBe(0);
    expect([...labels]).toEqual([0, 0, 1, 1]);
  });

  test(`${isLong ? 1000 : 100} random consistent sets: a full hierarchy induces them all, and every cut keeps them`, () => {
    const runs = isLong ? 1000 : 100;
    for (let seed = 0; seed < runs; seed++) {
      const random = randomFrom(seed);
      const n = 3 + random.int(58);
      const points = cloud(n, 1 + random.int(4), random.split("points"), seed % 3 === 0 ? 4 : 0);
      const relative = treeTriplets(n, random.int(401), random.split("triplets"));
      const set = known(points, { relative });
      const result = recon(points, set, { k: 1 + random.int(n), linkage: LINKAGES[seed % LINKAGES.length]! });
      expect(result.merges).toHaveLength(n - 1);
      expect(result.merges!.at(-1)![3]).toBe(n);
      expect(violationCount(result.violations)).toBe(0);
      for (let k = 1; k <= n; k++) expect(violationsOf(set, cutToK(result.merges!, n, k)).relative).toEqual([]);
    }
  });

  const mean = (points: Instances, rows: readonly number[], j: number): number =>
    rows.reduce((sum, row) => sum + points.x[row * points.d + j]!, 0) / rows.length;
  const between = (points: Instances, i: number, j: number): number =>
    Math.sqrt(
      Array.from({ length: points.d }, (_, f) => (points.x[i * points.d + f]! - points.x[j * points.d + f]!) ** 2).reduce(
        (s, v) => s + v,
      ),
    );
  const definitions: Partial<Record<Linkage, (points: Instances) => ClusterDistance>> = {
    centroid: (points) => (a, b) =>
      Math.sqrt(
        Array.from({ length: points.d }, (_, j) => (mean(points, a, j) - mean(points, b, j)) ** 2).reduce((s, v) => s + v),
      ),
    complete: (points) => (a, b) => Math.max(...a.flatMap((i) => b.map((j) => between(points, i, j)))),
    single: (points) => (a, b) => Math.min(...a.flatMap((i) => b.map((j) => between(points, i, j)))),
    average: (points) => (a, b) =>
      a.flatMap((i) => b.map((j) => between(points, i, j))).reduce((s, v) => s + v) / (a.length * b.length),
  };

  test.each(Object.keys(definitions) as Linkage[])("%s linkage merges as the paper's loop does", (kind) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 3, max: 12 }),
        fc.integer({ min: 0, max: 25 }),
        (seed, n, count) => {
          const random = randomFrom(seed);
          const points = cloud(n, 3, random);
          const relative = treeTriplets(n, count, random.split("triplets"));
          const result = recon(points, known(points, { relative }), { k: 1, linkage: kind });
          const clusters = clustersOf(n, result);
          const merged = result.merges!.map(([left, right]) => [clusters[left]!, clusters[right]!].sort((p, q) => p[0]! - q[0]!));
          const expected = slowRecon(n, relative, definitions[kind]!(points));
          expect(merged).toEqual(expected.map(([p, q]) => [p, q].sort((x, y) => x[0]! - y[0]!)));
        },
      ),
      { numRuns: 25 },
    );
  });

  test("without constraints it is the plain linkage", () => {
    const points = cloud(40, 3, randomFrom(5), 3);
    for (const kind of LINKAGES) {
      const plain = linkages[kind](points, undefined, { k: 4 });
      const result = recon(points, known(points, {}), { k: 4, linkage: kind });
      expect(result.merges).toEqual(plain.merges);
      expect(result.labels).toEqual(plain.labels);
    }
  });

  test("triplets that the plain hierarchy induces change nothing but ties", () => {
    const points = cloud(40, 3, randomFrom(6));
    for (const kind of LINKAGES) {
      const plain = linkages[kind](points, undefined, { k: 4 });
      const [first, second] = plain.merges!;
      expect(first![0]).toBeLessThan(40);
      const relative: Triple[] = [
        [first![0], first![1], [...Array(40).keys()].find((row) => ![...first!, ...second!].includes(row))!],
      ];
      const result = recon(points, known(points, { relative }), { k: 4, linkage: kind });
      expect(result.labels).toEqual(plain.labels);
      for (const [m, [, , height]] of result.merges!.entries()) expect(height).toBeCloseTo(plain.merges![m]![2], 10);
    }
  });

  test("a clash is an error that names a minimal one by the user's ids; or a large part is kept and the rest listed", () => {
    const points = { ...pointsFromRows([[0], [1], [2], [3]]), ids: ["p", "q", "r", "s"] };
    const set = known(points, {
      relative: [
        ["p", "q", "r"],
        ["s", "q", "p"],
        ["p", "r", "q"],
        ["p", "q", "s"],
      ],
    });
    const problem = problemOf(() => recon(points, set, { k: 2 }));
    expect(problem).toMatchObject({
      code: "inconsistent",
      conflict: { constraints: expect.arrayContaining([]), withMustLinks: false },
    });
    const result = recon(points, set, { k: 2, inconsistent: "largest" });
    expect(result.notices.join()).toMatch(/2 relative constraints clash with the others and were dropped: .+ \| ./);
    expect(result.violations.relative.length).toBe(2);
  });

  test("the result does not depend on chunks of work: f32 and f64 keep the triplets", () => {
    const random = randomFrom(11);
    const points = cloud(60, 3, random, 5);
    const set = known(points, { relative: treeTriplets(60, 300, random) });
    for (const storage of ["f32", "f64"] as const)
      expect(violationCount(recon(points, set, { k: 5, storage }).violations)).toBe(0);
  });
});

describe("with pairs, labels and groups", () => {
  test("must-links merge first at height 0, in the order that triplets about them ask for", () => {
    const points = pointsFromRows([[0], [1], [9], [2], [20]]);
    const set = known(points, { mustLink: tuples("0 1, 1 2"), relative: tuples("0 2 1, 0 3 4") });
    const { merges, violations } = recon(points, set, { k: 2 });
    expect(merges!.slice(0, 2)).toEqual(tuples("0 2 0 2, 1 5 0 3"));
    expect(merges![2]!.slice(0, 2)).toEqual([3, 6]);
    expect(violationCount(violations)).toBe(0);
  });

  test("a triplet against a must-link is a clash, with the must-links named", () => {
    const points = pointsFromRows([[0], [1], [9]]);
    const set = known(points, { mustLink: [[0, 2]], relative: [[0, 1, 2]] });
    expect(problemOf(() => recon(points, set, { k: 2 }))).toEqual({
      code: "inconsistent",
      conflict: { instances: [0, 1, 2], constraints: [[0, 1, 2]], withMustLinks: true },
    });
  });

  test("contradictions, too few clusters and exclusive groups are refused with their facts", () => {
    const points = pointsFromRows([[0], [1], [2]]);
    expect(problemOf(() => recon(points, known(points, { mustLink: [[0, 1]], cannotLink: [[0, 1]] }), { k: 2 })).code).toBe(
      "contradiction",
    );
    const apart = known(points, { cannotLink: tuples("0 1, 1 2, 0 2") });
    expect(problemOf(() => recon(points, apart, { k: 2 }))).toEqual({ code: "infeasible", k: 2, core: [[0], [1], [2]] });
    expect(problemOf(() => recon(points, known(points, {}), { k: 4 })).code).toBe("k-too-large");
  });

  test("cannot-links bar merges until the cut; above it heights are infinite", () => {
    const points = pointsFromRows([[0], [0.1], [5], [5.1], [9]]);
    const set = known(points, { cannotLink: [[0, 1]], relative: [[0, 1, 4]] });
    const { merges, labels, violations } = recon(points, set, { k: 3 });
    expect(merges!.map(([, , height]) => height === Infinity)).toEqual([false, false, true, true]);
    expect(labels[0]).not.toBe(labels[1]);
    expect(violationCount(violations)).toBe(0);
  });

  /** Triplets of all kinds that k classes of random rows satisfy. */
  function drawnFromClasses(seed: number) {
    const random = randomFrom(seed);
    const k = 2 + random.int(3);
    const n = 12 + random.int(30);
    const points = cloud(n, 2, random);
    const truth = Int32Array.from({ length: n }, (_, row) => (row < k ? row : random.int(k)));
    const pair = (): [number, number] => random.sample(n, 2) as unknown as [number, number];
    const pairs = Array.from({ length: random.int(n) }, pair);
    const set = known(points, {
      mustLink: pairs.filter(([i, j]) => truth[i] === truth[j]),
      cannotLink: pairs.filter(([i, j]) => truth[i] !== truth[j]),
      relative: Array.from({ length: random.int(n) }, () => random.sample(n, 3)).flatMap(([i, j, l]) =>
        truth[i!] === truth[j!] && truth[i!] !== truth[l!] ? [[i!, j!, l!] as const] : [],
      ),
      labels: Array.from(random.sample(n, random.int(4)), (row) => [row, `class ${truth[row]}`] as const),
    });
    return { points, set, k };
  }

  test("random sets of all kinds, drawn from classes, are all kept at k clusters; some by classes found first", () => {
    let planned = 0;
    for (let seed = 0; seed < (isLong ? 1000 : 60); seed++) {
      const { points, set, k } = drawnFromClasses(seed);
      const { violations, k: found, merges, notices } = recon(points, set, { k });
      expect(violationCount(violations)).toBe(0);
      expect(found).toBe(k);
      expect(merges).toHaveLength(points.n - 1);
      if (notices.join().includes("put into classes first")) planned++;
    }
    expect(planned).toBeGreaterThan(5);
  });

  test("where no way is found within the effort, it says so", () => {
    let gaveUp = 0;
    for (let seed = 0; seed < 40; seed++) {
      const { points, set, k } = drawnFromClasses(seed);
      try {
        recon(points, set, { k, effort: 3 });
      } catch (error) {
        expect(error).toMatchObject({ problem: { code: "gave-up" } });
        gaveUp++;
      }
    }
    expect(gaveUp).toBeGreaterThan(0);
  });

  test("more clusters than must-links leave: as many as there are, with a notice", () => {
    const points = pointsFromRows([[0], [1], [2]]);
    const result = recon(points, known(points, { mustLink: [[0, 2]] }), { k: 3 });
    expect(result.k).toBe(2);
    expect(result.notices.join()).toContain("2 clusters instead of 3");
  });
});

describe("cuts", () => {
  /** Three classes, each with one far row, and all constraints that the classes entail. */
  function strays() {
    const random = randomFrom(3);
    const rows = Array.from({ length: 60 }, (_, row) => {
      const centre = [0, 5, 30][row % 3]!;
      return row >= 57 ? [centre, 60 + 10 * row] : [centre + random.normal(), random.normal()];
    });
    const truth = { codes: Int32Array.from(rows, (_, row) => row % 3), names: ["a", "b", "c"] };
    const points: Instances = { ...pointsFromRows(rows), truth };
    return { points, set: informativeTripletsOfClasses(truth) };
  }

  test("with all informative triplets the classes come back: by the outlier rule, and by the cut at triplets", () => {
    const { points, set } = strays();
    const options = { k: 3 } as const;
    expect(recon(points, set, options).scores!.pairwiseF).toBeLessThan(0.9);
    for (const outliers of ["5%", 3, "3"]) {
      const result = recon(points, set, { ...options, outliers });
      expect(result.scores!.pairwiseF).toBe(1);
      expect(result.notices.join()).toContain("Set aside");
    }
    for (const cut of ["triplets", "largest"] as const) {
      const result = recon(points, set, { ...options, cut });
      expect(result.scores!.pairwiseF).toBe(1);
      expect(result.notices.join()).not.toMatch(/set aside/i);
      expect(recon(points, set, { ...options, cut, outliers: 3 }).scores!.pairwiseF).toBe(1);
    }
  });

  test.each(LINKAGES)("either rule keeps every triplet with %s linkage", (kind) => {
    for (let seed = 0; seed < 10; seed++) {
      const random = randomFrom(seed);
      const points = cloud(40, 2, random);
      const set = known(points, {
        relative: treeTriplets(40, 60, random),
        mustLink: [[0, 1]].slice(0, seed % 2) as [number, number][],
      });
      const cuts = [{ outliers: 4 }, { cut: "largest" }, { cut: "largest", outliers: 4 }, { cut: "triplets" }] as const;
      for (const options of [...cuts, { cut: "triplets", outliers: "8%" } as const]) {
        const outcome = (() => {
          try {
            return recon(points, set, { k: 4, linkage: kind, ...options });
          } catch (error) {
            expect(error).toMatchObject({ problem: { code: "inconsistent" } });
            return null;
          }
        })();
        if (!outcome) continue;
        expect(outcome.k).toBe(4);
        expect(violationsOf(set, outcome.labels).relative).toEqual([]);
        expect(outcome.violations.mustLink).toEqual([]);
      }
    }
  });

  test("each time the largest branch is divided", () => {
    const points = cloud(50, 2, randomFrom(21));
    const set = known(points, { relative: treeTriplets(50, 40, randomFrom(22)) });
    const sizes = [1, 2, 3, 4, 5, 6].map((k) => [...recon(points, set, { k, cut: "largest" }).sizes].sort((a, b) => b - a));
    for (let k = 1; k < sizes.length; k++) {
      const [largest, ...rest] = sizes[k - 1]!;
      const parts = [...sizes[k]!];
      for (const size of rest) parts.splice(parts.indexOf(size), 1);
      expect(parts).toHaveLength(2);
      expect(parts[0]! + parts[1]!).toBe(largest);
    }
  });

  test("the cut at triplets satisfies at least as many as the cut in merge order", () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = randomFrom(seed);
      const points = cloud(30, 2, random);
      const relative = treeTriplets(30, 25, random);
      const satisfied = ({ labels }: Result): number =>
        relative.filter(([a, b, c]) => labels[a] === labels[b] && labels[a] !== labels[c]).length;
      const set = known(points, { relative: [...new Map(relative.map((triple) => [triple.join(), triple])).values()] });
      expect(satisfied(recon(points, set, { k: 4, cut: "triplets" }))).toBeGreaterThanOrEqual(
        satisfied(recon(points, set, { k: 4 })),
      );
    }
  });

  test("the cut at triplets is the best of all sets of k branches, by trying them", () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = randomFrom(seed);
      const points = cloud(9, 2, random);
      const relative = [...new Map(treeTriplets(9, 12, random).map((triple) => [triple.join(), triple])).values()];
      const satisfied = (labels: Int32Array): number =>
        relative.filter(([a, b, c]) => labels[a] === labels[b] && labels[a] !== labels[c]).length;
      const set = known(points, { relative });
      const result = recon(points, set, { k: 3, cut: "triplets" });
      const rows = clustersOf(9, result);
      let best = 0;
      for (let p = 0; p < rows.length; p++) {
        for (let q = p + 1; q < rows.length; q++) {
          for (let r = q + 1; r < rows.length; r++) {
            if (new Set([p, q, r].flatMap((node) => rows[node]!)).size < 9) continue;
            if (rows[p]!.length + rows[q]!.length + rows[r]!.length > 9) continue;
            const labels = Int32Array.from({ length: 9 }, (_, row) => [p, q, r].find((node) => rows[node]!.includes(row))!);
            best = Math.max(best, satisfied(labels));
          }
        }
      }
      expect(satisfied(result.labels)).toBe(best);
    }
  });

  test("options that do not fit are refused", () => {
    const { points, set } = strays();
    expect(problemOf(() => recon(points, set, { k: 3, learnedMetric: "svm", distance: "cosine" })).code).toBe("bad-option");
    for (const outliers of ["x", "-3", "5 %", "500%", "100.1%"]) {
      expect(() => recon(points, set, { k: 3, outliers })).toThrow("it must be a number of rows, or a share of them such as 5%.");
    }
    expect(recon(points, set, { k: 3, outliers: 40 }).notices.join()).toContain("no 3 branches of 40 rows");
  });

  test("a learned metric is reported and helps where one column is noise", () => {
    const random = randomFrom(9);
    const codes = Int32Array.from({ length: 80 }, (_, row) => row % 2);
    const rows = Array.from(codes, (code) => [code + 0.1 * random.normal(), 5 * random.normal()]);
    const points: Instances = { ...pointsFromRows(rows), truth: { codes, names: ["a", "b"] } };
    const set = randomTriplets(points.truth!, { count: 40, random });
    const result = recon(points, set, { k: 2, linkage: "average", learnedMetric: "svm" });
    expect(result.metric!.matrices[0]![0]).toBeGreaterThan(100 * result.metric!.matrices[0]![1]!);
    expect(result.scores!.pairwiseF).toBeGreaterThan(recon(points, set, { k: 2, linkage: "average" }).scores!.pairwiseF);
  });

  test("inputs stay untouched, and the same input gives the same bytes", () => {
    const { points, set } = strays();
    const copy = structuredClone({ x: points.x, a: set.relative.a, c: set.relative.c });
    const runs = [0, 1].map(() => JSON.stringify(recon(points, set, { k: 3, outliers: "5%" })));
    expect(runs[0]).toBe(runs[1]);
    expect({ x: points.x, a: set.relative.a, c: set.relative.c }).toEqual(copy);
  });
});
