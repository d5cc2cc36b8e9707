import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { colour } from "../../../colouring/colouring.js";
import { constraintGraph } from "../../../colouring/graphs/graph.js";
import { closeConstraints, constraints, generateConstraints } from "../../../constraints/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { tuples } from "../../../testing/tuples.js";
import { instancesFromDistances } from "../../given-distances.js";
import { linkages } from "../linkage.js";
import { constrainProximities } from "./constrain-proximities.js";
import { completeLinkByDefinition, constrainByDefinition } from "./constrain-proximities.reference.js";
import { ccl } from "./index.js";

/** Random rows with random classes. The constraints agree with the classes, so k classes always satisfy them. */
const tables = fc
  .record({
    n: fc.integer({ min: 2, max: 26 }),
    k: fc.integer({ min: 1, max: 4 }),
    count: fc.integer({ min: 0, max: 40 }),
    seed: fc.nat(),
    ties: fc.boolean(),
  })
  .map(({ n, k, count, seed, ties }) => {
    const random = randomFrom(seed);
    const rows = Array.from({ length: n }, () => Array.from({ length: 2 }, () => (ties ? random.int(4) : random.normal())));
    const codes = Int32Array.from({ length: n }, (_, i) => (i < k ? i : random.int(k)));
    const truth = { codes, names: [...codes].map(String) };
    return { points: pointsFromRows(rows), known: generateConstraints(truth, { count, random }), k: Math.min(k, n), n };
  });

function distances({ n, d, x }: { n: number; d: number; x: Float64Array }): Float64Array {
  return Float64Array.from({ length: n * n }, (_, p) => {
    const [i, j] = [Math.floor(p / n), p % n];
    let sum = 0;
    for (let c = 0; c < d; c++) sum += (x[i * d + c]! - x[j * d + c]!) ** 2;
    return Math.sqrt(sum);
  });
}

test("propagation equals the restricted Floyd-Warshall of figure 5, and stays symmetric", () => {
  fc.assert(
    fc.property(tables, ({ points, known, n }) => {
      const given = distances(points);
      const { matrix, barred } = constrainProximities(given, known);
      const expected = constrainByDefinition(given, closeConstraints(known));
      const { component, apart } = closeConstraints(known);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          expect(Math.abs(matrix[i * n + j]! - expected[i * n + j]!)).toBeLessThanOrEqual(1e-12 * (1 + barred));
          expect(matrix[i * n + j]).toBe(matrix[j * n + i]);
          expect(matrix[i * n + j]! >= barred).toBe(apart(component[i]!, component[j]!));
        }
      }
    }),
  );
});

/** Chains of must-links that share rows, from one long chain to n / 2 pairs, and cannot-links that contradict no must-link. */
const chains = fc
  .record({ n: fc.integer({ min: 4, max: 40 }), length: fc.integer({ min: 2, max: 12 }), share: fc.double({ min: 0, max: 1, noNaN: true }), seed: fc.nat() }) // biome-ignore format: one line
  .map(({ n, length, share, seed }) => {
    const random = randomFrom(seed);
    const order = Int32Array.from({ length: n }, (_, i) => i);
    random.shuffle(order);
    const linked = Math.max(2, Math.round(share * n));
    const mustLink = Array.from({ length: linked - 1 }, (_, i) => [order[i]!, order[i + 1]!] as const).filter(
      (_, i) => (i + 1) % length > 0,
    );
    const points = pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal()]));
    const { component } = closeConstraints(constraints(points, { mustLink }));
    const cannotLink = Array.from({ length: n >> 2 }, () => [random.int(n), random.int(n)] as const).filter(
      ([a, b]) => component[a] !== component[b],
    );
    return { points, known: constraints(points, { mustLink, cannotLink }), n };
  });

test("chains of must-links, up to n / 2 components: equal to the restricted Floyd-Warshall within 1e-12", () => {
  let most = 0;
  fc.assert(
    fc.property(chains, ({ points, known, n }) => {
      const closure = closeConstraints(known);
      const given = distances(points);
      const { matrix } = constrainProximities(given, known);
      const expected = constrainByDefinition(given, closure);
      expect(matrix.every((entry, p) => Math.abs(entry - expected[p]!) <= 1e-12)).toBe(true);
      most = Math.max(most, closure.sizes.filter((size) => size > 1).length / n);
    }),
    { numRuns: 300, seed: 1 },
  );
  expect(most).toBe(0.5);
});

test.each([
  { columns: 1, share: 0 },
  { columns: 3, share: 0.5 },
  { columns: 40, share: 0 },
  { columns: 40, share: 0.1 },
])("the same with more chunklets than are taken all: $columns columns, $share of the rows side by side", ({ columns, share }) => {
  const n = 420;
  const random = randomFrom(columns);
  // With many columns no path over a chunklet is shorter, except between adjacent rows.
  const rows = Array.from({ length: n }, (_, i) =>
    Array.from({ length: columns }, () => (i < share * n ? random.normal() / 10 : random.normal())),
  );
  const order = Int32Array.from({ length: n }, (_, i) => i);
  random.shuffle(order);
  const mustLink = Array.from({ length: 150 }, (_, c) => [order[2 * c]!, order[2 * c + 1]!] as const);
  const known = constraints({ n }, { mustLink });
  const given = distances(pointsFromRows(rows));
  const expected = constrainByDefinition(given, closeConstraints(known));
  const { matrix } = constrainProximities(given, known);
  expect(matrix.every((entry, p) => Math.abs(entry - expected[p]!) <= 1e-12)).toBe(true);
});

test("partitions and heights are those of a naive complete linkage on the matrix of the definition", () => {
  fc.assert(
    fc.property(chains, ({ points, known, n }) => {
      const closure = closeConstraints(known);
      const naive = completeLinkByDefinition(constrainByDefinition(distances(points), closure), n);
      const { merges, labels } = ccl(points, known, { k: 1, lookahead: false });
      const barred = merges!.findIndex((merge) => merge[2] === Infinity);
      merges!.slice(0, barred < 0 ? n : barred).forEach(([, , height], m) => {
        expect(height).toBeCloseTo(naive[m]!.height, 12);
      });
      expect(new Set(labels).size).toBe(1);
      for (let k = 2; k <= closure.componentCount; k++) {
        const cut = ccl(points, known, { k, lookahead: false }).labels;
        expect([...cut]).toEqual(naive[n - k - 1]?.labels ?? [...cut.keys()]);
      }
    }),
    { numRuns: 60 },
  );
});

describe("other linkages", () => {
  const kinds = ["complete", "single", "average", "weighted", "ward", "centroid", "median"] as const;

  test.each(kinds)("%s: rows and the matrix of their distances give the same hierarchy", (kind) => {
    fc.assert(
      fc.property(chains, ({ points, known, n }) => {
        const given = instancesFromDistances(distances(points), "square");
        const options = { k: Math.min(3, n), linkage: kind, lookahead: false } as const;
        const ofRows = ccl(points, known, options).merges!;
        const ofMatrix = ccl(given, known, options).merges!;
        expect(ofRows.map(([left, right, , size]) => [left, right, size])).toEqual(
          ofMatrix.map(([left, right, , size]) => [left, right, size]),
        );
        ofRows.forEach(([, , height], t) => {
          if (height < Infinity) expect(height).toBeCloseTo(ofMatrix[t]![2], 9);
        });
      }),
      { numRuns: 60 },
    );
  });

  test.each(kinds)("%s: must-links hold, also where other rows are duplicates of must-linked ones", (kind) => {
    fc.assert(
      fc.property(tables, ({ points, known }) => {
        const k = Math.min(3, closeConstraints(known).componentCount);
        const result = ccl(points, known, { k, linkage: kind });
        expect(result.violations.mustLink).toEqual([]);
        expect(result.k).toBe(k);
      }),
      { numRuns: 100 },
    );
  });

  test.each(kinds)("%s: must-links between equal rows change nothing", (kind) => {
    const random = randomFrom(4);
    const places = Array.from({ length: 12 }, () => [random.normal(), random.normal()]);
    const rows = places.flatMap((place, i) => Array.from({ length: 1 + (i % 3) }, () => place));
    const mustLink = rows.flatMap((place, i) => (i > 0 && rows[i - 1] === place ? [[i - 1, i] as const] : []));
    const points = pointsFromRows(rows);
    const plain = linkages[kind](points, undefined, { k: 4 });
    const result = ccl(points, constraints(points, { mustLink }), { k: 4, linkage: kind });
    expect(result.labels).toEqual(plain.labels);
    const heights = (merges: typeof plain.merges) => merges!.map((merge) => merge[2]);
    heights(result.merges).forEach((height, m) => {
      expect(height).toBeCloseTo(heights(plain.merges)[m]!, 10);
    });
  });
});

test("worked by hand: a must-link brings its neighbours along", () => {
  const line = pointsFromRows([[0], [1], [10], [12]]);
  const { matrix } = constrainProximities(distances(line), constraints(line, { mustLink: [[0, 2]] }));
  // From 1 to 3 through the chunklet {0, 2}: 1 + 2 instead of 11.
  expect([...matrix.subarray(4, 8)]).toEqual([1, 0, 1, 3]);
  const result = ccl(line, constraints(line, { mustLink: [[0, 2]] }), { k: 1 });
  expect(result.merges).toEqual(tuples("0 2 0 2, 1 4 1 3, 3 5 3 4"));
});

test("without constraints it is complete linkage", () => {
  fc.assert(
    fc.property(tables, ({ points, k }) => {
      const free = constraints(points, {});
      expect(ccl(points, free, { k })).toEqual(linkages.complete(points, undefined, { k }));
    }),
    { numRuns: 40 },
  );
});

describe("a linkage that keeps its promises", () => {
  test("a set that k clusters can keep ends in k clusters with no violation; must-links always hold", () => {
    fc.assert(
      fc.property(tables, ({ points, known, k }) => {
        const groups = closeConstraints(known).componentCount;
        const { k: found, violations, merges } = ccl(points, known, { k });
        expect(found).toBe(Math.min(k, groups));
        expect(violations.mustLink).toEqual([]);
        expect(violations.cannotLink).toEqual([]);
        expect(merges).toHaveLength(points.n - 1);
      }),
      { numRuns: 300 },
    );
  });

  test("where the plain linkage succeeds, the result is the same", () => {
    let plainFails = 0;
    fc.assert(
      fc.property(tables, ({ points, known, k }) => {
        const plain = ccl(points, known, { k, lookahead: false });
        if (plain.violations.cannotLink.length > 0) plainFails++;
        else expect(ccl(points, known, { k })).toEqual(plain);
      }),
      { numRuns: 200, seed: 5 },
    );
    expect(plainFails).toBeGreaterThan(5);
  });

  test("a set that k clusters cannot keep is clustered all the same, with what is broken and why", () => {
    const square = pointsFromRows([[0], [1], [2], [3]]);
    const known = constraints(square, { cannotLink: tuples("0 1, 1 2, 0 2") });
    expect(colour(constraintGraph(closeConstraints(known)), 2).status).toBe("infeasible");
    const { violations, notices, k } = ccl(square, known, { k: 2 });
    expect(k).toBe(2);
    expect(violations.cannotLink).toHaveLength(1);
    expect(notices.at(-1)).toBe(
      "With 2 clusters some cannot-links are broken: no clustering with 2 clusters keeps them all, since 3 groups of rows already need more. Broken: 1 cannot-link (0 – 1); breaking fewer is impossible.",
    );
  });

  test("exclusive groups are kept like cannot-links", () => {
    const points = pointsFromRows([[0], [0.1], [5], [5.1], [9]]);
    const exclusive = [{ column: "source", codes: Int32Array.of(0, 0, 1, 1, -1), names: ["a", "b"] }];
    const { violations, labels } = ccl(points, constraints(points, { exclusive }), { k: 2 });
    expect(violations.exclusive).toEqual([]);
    expect(labels[0]).not.toBe(labels[1]);
    expect(labels[2]).not.toBe(labels[3]);
  });
});

describe("cuts", () => {
  const points = pointsFromRows([[0], [1], [5], [6]]);
  const known = constraints(points, { cannotLink: [[0, 1]] });

  test("forbidden merges have no height, and come last", () => {
    const { merges } = ccl(points, known, { k: 2 });
    expect(merges!.map((merge) => merge[2])).toEqual([1, expect.any(Number), Infinity]);
  });

  test("before the first violation", () => {
    const { k, violations } = ccl(points, known, { stopBeforeViolation: true });
    expect(k).toBe(2);
    expect(violations.cannotLink).toEqual([]);
  });

  test("more clusters than the must-links leave: as many as there are, with a notice", () => {
    const known = constraints(points, { mustLink: tuples("0 1, 2 3") });
    const { k, violations, notices } = ccl(points, known, { k: 3 });
    expect(k).toBe(2);
    expect(violations.mustLink).toEqual([]);
    expect(notices).toEqual(["The must-links leave only 2 groups of rows, so there are 2 clusters instead of 3."]);
  });

  test("a contradiction breaks the cannot-link, and says so", () => {
    const clash = constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 1]] });
    const { violations, notices } = ccl(points, clash, { k: 2 });
    expect(violations.mustLink).toEqual([]);
    expect(violations.cannotLink).toEqual([[0, 1]]);
    expect(notices[0]).toContain("contradict");
  });

  test("one way to cut at a time", () => {
    expect(() => ccl(points, known, { cut: "k" })).toThrow("k is undefined; it must be given");
    expect(() => ccl(points, known, { k: 2, height: 1 })).toThrow("left out when k is given");
    expect(() => ccl(points, known, { k: 2, stopBeforeViolation: true })).toThrow("the only way to cut");
    expect(() => ccl(points, known, { k: 9 })).toThrow("k is 9, but there are only 4 rows");
  });
});
