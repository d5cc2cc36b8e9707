import { describe, expect, test } from "vitest";
import { textbookSolver as solver } from "../colouring/fractional/fractional.reference.js";
import { type ConstraintLists, constraints } from "../constraints/build.js";
import { generateConstraints } from "../constraints/generate.js";
import { randomFrom } from "../random/random.js";
import { pointsFromRows } from "../rows.js";
import { tuples } from "../testing/tuples.js";
import { diagnose, diagnoseFully } from "./with-data.js";

const KEYS = [
  "contradictions",
  "components",
  "graph",
  "feasible",
  "proof",
  "chromaticNumber",
  "fractionalChromaticNumber",
  "feasibleClusterings",
  "relative",
  "informativeness",
  "coherence",
  "points",
  "advice",
  "repair",
  "notices",
];

const setOf = (n: number, lists: ConstraintLists) => constraints({ n }, lists);
const ring = (n: number): [number, number][] => Array.from({ length: n }, (_, i) => [i, (i + 1) % n]);

describe("the whole answer", () => {
  test("a pentagon with three clusters", async () => {
    const known = setOf(8, { mustLink: [[0, 5]], cannotLink: ring(5) });
    const found = await diagnoseFully(known, { k: 3, solver });
    expect(Object.keys(found)).toEqual(KEYS);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    expect(found).toMatchObject({
      contradictions: [],
      components: [{ members: [0, 5] }],
      graph: { vertices: 5, edges: 5, maxDegree: 2 },
      feasible: true,
      chromaticNumber: { lower: 3, upper: 3 },
      fractionalChromaticNumber: { value: 2.5, fraction: "5/2" },
      // A ring of five has (k - 1)^5 - (k - 1) colourings; all of them use all three colours.
      feasibleClusterings: { atMostK: { exact: "30", interval: null }, exactlyK: { exact: "30", interval: null } },
      relative: null,
      informativeness: null,
      coherence: null,
      repair: null,
    });
    const { colouring } = found.proof as { colouring: Record<string, number> };
    expect(Object.keys(colouring).sort()).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(colouring["0"]).toBe(colouring["5"]);
    for (const [a, b] of ring(5)) expect(colouring[a]).not.toBe(colouring[b]);
    expect(found.points.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3, 4, 5]);
    for (const point of found.points) expect(point).toMatchObject({ degree: 2, independentSets: 2, dualPrice: 0.5 });
  });

  test("without a solver all but prices and the fractional number", () => {
    const found = diagnose(setOf(5, { cannotLink: ring(5) }), { k: 3 });
    expect(Object.keys(found)).toEqual(KEYS);
    expect(found.fractionalChromaticNumber).toBe(null);
    expect(found.feasible).toBe(true);
    expect(found.points[0]).toEqual({ id: 0, degree: 2, independentSets: null, dualPrice: null });
  });

  test("too few clusters: a core, what to drop, and how many would do", async () => {
    const known = constraints(
      { n: 5, ids: ["a", "b", "c", "d", "e"] },
      {
        cannotLink: [
          ["a", "b"],
          ["b", "c"],
          ["c", "a"],
          ["c", "d"],
        ],
      },
    );
    const found = await diagnoseFully(known, { k: 2, solver, ids: ["a", "b", "c", "d", "e"] });
    expect(found.feasible).toBe(false);
    expect(found.proof).toEqual({ core: [["a"], ["b"], ["c"]] });
    expect(found.feasibleClusterings!.atMostK).toEqual({ log10: null, exact: "0", interval: null });
    expect(found.repair).toMatchObject({ optimal: true, certain: true });
    expect(found.repair!.dropped).toHaveLength(1);
    expect(found.advice[0]).toMatch(
      /^Drop this one of your 4 constraints and k = 2 becomes possible: cannot-link \w, \w\. No cheaper repair exists\.$/,
    );
    expect(found.advice[1]).toMatch(/with it these 3 groups need more than 2 clusters: \{a\}, \{b\}, \{c\}\.$/);
    expect(found.advice).toContain("To keep every constraint, ask for more clusters: the smallest number that is enough is 3.");
    expect(found.points.map(({ id }) => id)).toEqual(["c", "a", "b", "d"].sort((x, y) => "cabd".indexOf(x) - "cabd".indexOf(y)));
  });

  test("a contradiction: nothing of the graph, but components, a path and what to drop", () => {
    const known = setOf(5, { mustLink: tuples("0 1, 1 2"), cannotLink: tuples("0 2, 3 4") });
    const found = diagnose(known, { k: 2 });
    expect(found).toMatchObject({
      contradictions: [{ cannotLink: [0, 2], path: [0, 1, 2] }],
      components: [{ members: [0, 1, 2] }],
      feasible: false,
      graph: null,
      proof: null,
      chromaticNumber: null,
      fractionalChromaticNumber: null,
      feasibleClusterings: null,
    });
    expect(found.repair!.dropped).toHaveLength(1);
    expect(found.advice[0]).toMatch(/^Drop this one of your 4 constraints/);
  });
});

describe("special cases", () => {
  test("only must-links: no vertex, no cluster needed, one clustering, and a notice", async () => {
    const found = await diagnoseFully(setOf(4, { mustLink: [[0, 1]] }), { k: 2, solver });
    expect(found).toMatchObject({
      graph: { vertices: 0, edges: 0, maxDegree: 0 },
      feasible: true,
      proof: { colouring: {} },
      chromaticNumber: { lower: 0, upper: 0 },
      fractionalChromaticNumber: { value: 0, fraction: "0" },
      feasibleClusterings: { atMostK: { exact: "1", log10: 0 } },
      points: [],
    });
    expect(found.notices.filter((notice) => /no vertex/.test(notice))).toHaveLength(1);
    expect(found.advice.join()).toMatch(/only must-links/);
  });

  test("fewer vertices than clusters: none uses all, and a notice", () => {
    const found = diagnose(setOf(9, { cannotLink: [[0, 1]] }), { k: 3 });
    expect(found.feasibleClusterings).toMatchObject({ atMostK: { exact: "6" }, exactlyK: { exact: "0", log10: null } });
    expect(found.notices.join()).toMatch(/2 groups/);
  });

  test("without k: no verdict, no counts, but the chromatic number", () => {
    const found = diagnose(setOf(5, { cannotLink: ring(5) }));
    expect(found).toMatchObject({
      feasible: null,
      proof: null,
      feasibleClusterings: null,
      chromaticNumber: { lower: 3, upper: 3 },
    });
    expect(found.advice.join()).toMatch(/the smallest number is 3/);
  });

  test("k must be a whole number from 1", () => {
    expect(() => diagnose(setOf(2, {}), { k: 0 })).toThrow("k is 0");
  });

  test("an exclusive group is a clique, never listed", () => {
    const n = 20_000;
    const codes = new Int32Array(n);
    const known = constraints({ n }, { exclusive: [{ column: "frame", codes, names: ["f"] }] });
    const found = diagnose(known, { k: 3 });
    expect(found.feasible).toBe(false);
    expect((found.proof as { core: unknown[] }).core).toHaveLength(4);
    expect(found.points).toHaveLength(1000);
  });
});

describe("advice", () => {
  test("exclusive groups of two or more rows count among the constraints to drop from", () => {
    const codes = Int32Array.from([0, 0, 0, 1, 1, 2, -1]);
    const known = constraints({ n: 7 }, { exclusive: [{ column: "frame", codes, names: ["f", "g", "h"] }] });
    expect(diagnose(known, { k: 2 }).advice[0]).toMatch(
      /^Drop this one of your 2 constraints .* the exclusive group frame = f\./,
    );
  });

  test("names constraints that other constraints imply", () => {
    const known = setOf(6, { mustLink: tuples("0 1, 1 2, 0 2"), cannotLink: tuples("0 3, 2 3") });
    expect(diagnose(known, { k: 2 }).advice).toContain(
      "These 2 constraints are implied by the others and add nothing: must-link 0, 2; cannot-link 2, 3.",
    );
  });

  test("warns of COP-k-means where placing one by one gets stuck", () => {
    const codes = Int32Array.from({ length: 150 }, (_, i) => i % 3);
    const known = generateConstraints({ codes, names: ["a", "b", "c"] }, { count: 200, random: randomFrom(1) });
    expect(diagnose(known, { k: 3 }).advice.join()).toMatch(
      /At k = 3 the original COP-k-means will probably fail: .* stuck in \d+ of 100/,
    );
    expect(diagnose(setOf(4, { cannotLink: [[0, 1]] }), { k: 3 }).advice.join()).not.toMatch(/COP-k-means/);
  });

  test("relative constraints: a smallest clash, and what to drop", () => {
    const known = setOf(4, { relative: tuples("0 1 2, 1 2 0, 0 1 3") });
    const { relative, advice } = diagnose(known);
    expect(relative).toEqual({
      consistent: false,
      conflict: {
        instances: [0, 1, 2],
        constraints: [
          [0, 1, 2],
          [1, 2, 0],
        ],
      },
      dropped: [[1, 2, 0]],
    });
    expect(advice.join()).toMatch(/Drop this relative constraint and the rest agree: 1, 2 \| 0\./);
  });
});

test("with data: informativeness against plain k-means, and coherence", () => {
  const points = pointsFromRows([[0], [1], [10], [11]]);
  const found = diagnose(setOf(4, { mustLink: [[0, 1]], cannotLink: [[2, 3]] }), { k: 2, points });
  expect(found.informativeness).toBe(0.5);
  expect(found.coherence).toBe(1);
});

test("missing cells that are skipped count as their column's mean here, and a notice says so", () => {
  const rows = [
    [0, 0],
    [1, Number.NaN],
    [9, 1],
    [Number.NaN, 1],
    [10, Number.NaN],
  ];
  const nominal = Uint8Array.of(0, 1);
  const points = { ...pointsFromRows(rows), nominal, holes: true } as const;
  const filled = {
    ...pointsFromRows(tuples("0 0, 1 1, 9 1, 5 1, 10 1")),
    nominal,
  };
  const known = constraints({ n: 5 }, { mustLink: [[0, 1]], cannotLink: [[1, 2]] });
  const { notices, ...found } = diagnose(known, { points, k: 2 });
  const { notices: _, ...expected } = diagnose(known, { points: filled, k: 2 });
  expect(found).toEqual(expected);
  expect(notices.join(" ")).toContain("the mean or the most frequent level of its column");
});

test.each([11, 1e7, 1e9, Number.MAX_SAFE_INTEGER])(
  "with k = %i, above the number of rows, every question is answered, with a notice",
  async (k) => {
    // So dense that clusterings are sampled, and a contradiction in addition.
    const random = randomFrom(3);
    const cannotLink = Array.from({ length: 420 }, () => {
      const a = random.int(100);
      return [a, (a + 1 + random.int(99)) % 100] as const;
    });
    const found = await diagnoseFully(setOf(100, { cannotLink }), { k: Math.max(k, 101), solver, effort: 20_000 });
    expect(found.feasible).toBe(true);
    expect(found.feasibleClusterings!.exactlyK.exact).toBe("0");
    expect(found.notices.join()).toContain("There are fewer rows (100) than clusters");
    const torn = diagnose(setOf(10, { mustLink: [[0, 1]], cannotLink: tuples("0 1, 2 3") }), { k });
    expect(torn.repair!.dropped).toHaveLength(1);
  },
);
