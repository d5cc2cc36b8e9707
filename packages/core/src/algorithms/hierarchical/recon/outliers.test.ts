import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, randomTriplets, violationCount, violationsOf } from "../../../constraints/index.js";
import type { Instances } from "../../../model/points.js";
import { type Random, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { instancesFromDistances } from "../../given-distances.js";
import { recon, recutRecon } from "./index.js";
import { type ClusterDistance, slowOutlierRule } from "./index.reference.js";

/** Groups of five rows at 0, 10 and 1000. Row 15 is far to the right of all rows, row 16 far to the left. */
function groups(): Instances {
  const at = [0, 10, 1000].flatMap((centre) => [0, 1, 2, 3, 4].map((step) => [centre + step / 10]));
  return pointsFromRows([...at, [1500], [-3000]]);
}

/** Rows 0 and 5, of the first two groups, are closer to each other than to row 15. Row 15 also has a cannot-link to the third group. */
const SHUT_OUT = { relative: [[0, 5, 15] as const], cannotLink: [[10, 15] as const] };
const names = ({ labels }: { readonly labels: Int32Array }): string => [...labels].join("");

describe("worked by hand", () => {
  test("nearest: as printed, and what that breaks is listed and counted", () => {
    const points = groups();
    const result = recon(points, constraints(points, SHUT_OUT), { k: 3, outliers: 2, outliersJoin: "nearest" });
    expect(names(result)).toBe("00000111112222220");
    expect(result.violations).toMatchObject({ relative: [], cannotLink: [[10, 15]] });
    expect(result.notices).toContain(
      "Set aside while cutting: 2 rows in 2 small branches. Each branch then joined its nearest cluster, which breaks 1 constraint.",
    );
  });

  test("nearest: a relative constraint that the hierarchy keeps is listed where the clusters break it", () => {
    const points = pointsFromRows([[0], [0.1], [0.2], [10], [10.1], [10.2], [100]]);
    const set = constraints(points, { relative: [[0, 3, 6]] });
    const result = recon(points, set, { k: 2, outliers: 2, outliersJoin: "nearest" });
    expect(names(result)).toBe("0001111");
    expect(result.violations.relative).toEqual([[0, 3, 6]]);
    expect(violationsOf(set, result.labels).relative).toEqual([[0, 3, 6]]);
  });

  test("keep: the branch that is shut out gives way alone, the other one is still set aside", () => {
    const points = groups();
    const result = recon(points, constraints(points, SHUT_OUT), { k: 3, outliers: 2 });
    expect(names(result)).toBe("00000000001111120");
    expect(violationCount(result.violations)).toBe(0);
    expect(result.notices).toEqual([
      expect.stringContaining("tested against"),
      "Set aside while cutting: 1 row in 1 small branch. Each branch then joined its nearest cluster.",
      "1 small branch of 1 row could join no cluster without breaking a constraint, and so counted as clusters in the cut (outliers-join nearest also joins such branches, and lists the broken constraints).",
    ]);
  });

  test("keep: a branch goes to the nearest cluster that is open to it, with a notice", () => {
    const points = groups();
    const set = constraints(points, { cannotLink: [[10, 15]] });
    const result = recon(points, set, { k: 3, outliers: 2 });
    expect(names(result)).toBe("00000111112222210");
    expect(result.notices.join(" ")).toMatch(
      /2 rows in 2 small branches\. .* that keeps every constraint, which for 1 of them is not the nearest of all\./,
    );
  });

  test("keep: two branches that may join a cluster together do so, though neither may alone", () => {
    const group = (x: number): number[][] => [-0.1, 0, 0.1].map((step) => [x + step, 0]);
    const points = pointsFromRows([...group(0), ...group(-10), ...group(10), [30, 30], [30, -30]]);
    // Rows 9 and 10 are nearest to the third group. It contains row 6, which must be apart from the other groups.
    const cannotLink = [[6, 0] as const, [6, 3] as const];
    const set = constraints(points, { relative: [[9, 10, 6]], cannotLink });
    const result = recon(points, set, { k: 3, outliers: 2 });
    expect(names(result)).toBe("00011122222");
    expect(result.notices.join()).toContain("2 rows in 2 small branches. Each branch then joined its nearest cluster.");
  });
});

/** A cloud of rows with some far rows, and triplets from its classes. */
function strayed(random: Random, n: number) {
  const spread = 2 * random.int(4);
  const codes = Int32Array.from({ length: n }, (_, row) => row % 3);
  const rows = Array.from(codes, (code) =>
    random.int(4) === 0 ? [40 * random.normal(), 40 * random.normal()] : [spread * code + random.normal(), random.normal()],
  );
  const points: Instances = { ...pointsFromRows(rows), truth: { codes, names: ["a", "b", "c"] } };
  return { points, triplets: randomTriplets(points.truth!, { count: random.int(2 * n), random: random.split("triplets") }) };
}

function distancesOf(points: Instances): Record<"centroid" | "complete" | "single" | "average", ClusterDistance> {
  const { x, d } = points;
  const mean = (rows: readonly number[], j: number): number => rows.reduce((sum, row) => sum + x[row * d + j]!, 0) / rows.length;
  const between = (i: number, j: number): number => Math.hypot(x[i * d]! - x[j * d]!, x[i * d + 1]! - x[j * d + 1]!);
  const all = (a: readonly number[], b: readonly number[]): number[] => a.flatMap((i) => b.map((j) => between(i, j)));
  return {
    centroid: (a, b) => Math.hypot(mean(a, 0) - mean(b, 0), mean(a, 1) - mean(b, 1)),
    complete: (a, b) => Math.max(...all(a, b)),
    single: (a, b) => Math.min(...all(a, b)),
    average: (a, b) => all(a, b).reduce((sum, value) => sum + value) / (a.length * b.length),
  };
}

const setsOf = (labels: Int32Array, k: number): number[][] =>
  Array.from({ length: k }, (_, c) => [...labels.keys()].filter((row) => labels[row] === c));

describe("properties", () => {
  const draw = fc.record({
    seed: fc.nat(),
    n: fc.integer({ min: 8, max: 50 }),
    k: fc.integer({ min: 1, max: 4 }),
    least: fc.integer({ min: 0, max: 6 }),
    linkage: fc.constantFrom("centroid", "complete", "single", "average"),
  } as const);

  test("nearest is the printed rule, from rows and from their distances", () => {
    let listed = 0;
    fc.assert(
      fc.property(draw, ({ seed, n, k, least, linkage }) => {
        const { points, triplets } = strayed(randomFrom(seed), n);
        const options = { k, linkage, outliers: least, outliersJoin: "nearest" } as const;
        const result = recon(points, triplets, options);
        const expected = slowOutlierRule(n, result.merges!, k, Math.max(1, least), distancesOf(points)[linkage]);
        if (expected) expect(setsOf(result.labels, k)).toEqual(expected.sort((p, q) => p[0]! - q[0]!));
        else expect(result.notices.join()).toContain(`no ${k} branches of ${least} rows`);
        expect(result.violations.relative).toEqual(violationsOf(triplets, result.labels).relative);
        listed += result.violations.relative.length;
        const { x } = points;
        const square = Float64Array.from({ length: n * n }, (_, p) => {
          const [i, j] = [Math.floor(p / n), p % n];
          return Math.sqrt((x[2 * i]! - x[2 * j]!) ** 2 + (x[2 * i + 1]! - x[2 * j + 1]!) ** 2);
        });
        expect(recon(instancesFromDistances(square, "square"), triplets, options).labels).toEqual(result.labels);
      }),
      { numRuns: 60 },
    );
    expect(listed).toBeGreaterThan(0);
  });

  test("a cut made anew from the merges is the cut of a whole run", () => {
    fc.assert(
      fc.property(draw, fc.constantFrom("merges", "largest", "triplets"), ({ seed, n, k, least, linkage }, cut) => {
        const { points, triplets } = strayed(randomFrom(seed), n);
        const printed = { k, linkage, cut, outliers: least, outliersJoin: "nearest" } as const;
        const keeping = { ...printed, outliersJoin: "keep" } as const;
        const { merges } = recon(points, triplets, { k, linkage });
        for (const options of [printed, keeping]) {
          const whole = recon(points, triplets, options);
          const again = recutRecon(points, triplets, merges!, options);
          expect(again.labels).toEqual(whole.labels);
          expect(again.violations).toEqual(whole.violations);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("keep keeps everything at k clusters, under every cut; it is the printed rule where that breaks nothing", () => {
    fc.assert(
      fc.property(draw, fc.constantFrom("merges", "largest", "triplets"), ({ seed, n, k, least, linkage }, cut) => {
        const random = randomFrom(seed);
        const { points, triplets } = strayed(random, n);
        const pairs = Array.from({ length: random.int(4) }, () => random.sample(n, 2) as unknown as [number, number]);
        const same = ([i, j]: readonly [number, number]): boolean => i % 3 === j % 3;
        const set = {
          ...constraints(points, { mustLink: pairs.filter(same), cannotLink: k < 3 ? [] : pairs.filter((pair) => !same(pair)) }),
          relative: triplets.relative,
        };
        const options = { k, linkage, cut, outliers: least } as const;
        const result = recon(points, set, options);
        expect(violationCount(result.violations)).toBe(0);
        expect(violationCount(violationsOf(set, result.labels))).toBe(0);
        expect(result.k).toBe(k);
        const printed = recon(points, set, { ...options, outliersJoin: "nearest" });
        if (violationCount(printed.violations) === 0) expect(result.labels).toEqual(printed.labels);
      }),
      { numRuns: 120 },
    );
  });

  test("keep gives way branch by branch: others are still set aside in many of the draws in which some are not", () => {
    const said = Array.from({ length: 60 }, (_, seed) => {
      const { points, triplets } = strayed(randomFrom(seed), 90);
      const result = recon(points, triplets, { k: 3, outliers: 8 });
      expect(violationCount(result.violations)).toBe(0);
      return result.notices.join();
    });
    const gaveWay = said.filter((notices) => notices.includes("could join no cluster"));
    expect(gaveWay.length).toBeGreaterThan(5);
    expect(gaveWay.filter((notices) => notices.includes("Set aside")).length).toBeGreaterThan(gaveWay.length / 4);
  });

  test("doubling every column changes no label", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { points, triplets } = strayed(randomFrom(seed), 40);
      const doubled = { ...points, x: points.x.map((value) => 2 * value) };
      for (const outliersJoin of ["keep", "nearest"] as const) {
        const options = { k: 3, outliers: "8%", outliersJoin } as const;
        expect(recon(doubled, triplets, options).labels).toEqual(recon(points, triplets, options).labels);
      }
    }
  });
});
