import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraintGraph } from "../../../colouring/graphs/graph.js";
import { closeConstraints, constraints, violationCount, violationsOf } from "../../../constraints/index.js";
import { plainKernels } from "../../../kernels/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { allLabels } from "../../placement/cheapest.reference.js";
import { cutToK } from "../cut/merges.js";
import { keepHalf, mirrorSteps, rowsOfHalf, rowsOfWhole } from "./constrain-proximities.js";
import { ccl, completedClosure, samePartition } from "./index.js";

const linkages = ["complete", "single", "average", "weighted", "ward", "centroid", "median"] as const;

/** Few rows, and random constraints of every kind. Some sets can be satisfied, some cannot. */
const sets = fc
  .record({
    n: fc.integer({ min: 3, max: 8 }),
    k: fc.integer({ min: 2, max: 3 }),
    must: fc.integer({ min: 0, max: 2 }),
    cannot: fc.integer({ min: 0, max: 9 }),
    labels: fc.integer({ min: 0, max: 3 }),
    grouped: fc.boolean(),
    ties: fc.boolean(),
    seed: fc.nat(),
  })
  .map(({ n, k, must, cannot, labels, grouped, ties, seed }) => {
    const random = randomFrom(seed);
    const rows = Array.from({ length: n }, () => [ties ? random.int(4) : random.normal(), ties ? 0 : random.normal()]);
    const points = pointsFromRows(rows);
    const pairs = (count: number) =>
      Array.from({ length: count }, () => [random.int(n), random.int(n)] as const).filter(([a, b]) => a !== b);
    const mustLink = pairs(must);
    const { component } = closeConstraints(constraints(points, { mustLink }));
    const cannotLink = pairs(cannot).filter(([a, b]) => component[a] !== component[b]);
    const named = Array.from({ length: labels }, (_, c) => [random.int(n), `class ${c}`] as const).filter(
      ([row], i, all) => all.findIndex(([other]) => other === row) === i,
    );
    const codes = Int32Array.from({ length: n }, () => random.int(4) - 1);
    const exclusive = grouped ? [{ column: "source", codes, names: ["a", "b", "c"] }] : [];
    return { points, known: constraints(points, { mustLink, cannotLink, labels: named, exclusive }), k, n };
  });

/** Whether some assignment of the components to k clusters keeps apart all components that must be apart. */
function isSatisfiable(known: Parameters<typeof closeConstraints>[0], k: number): boolean {
  const closure = closeConstraints(known);
  const graph = constraintGraph(closure);
  for (const colours of allLabels(graph.vertices, k)) {
    let kept = true;
    for (let u = 0; u < graph.vertices && kept; u++) {
      for (let v = 0; v < u && kept; v++) {
        if (colours[u] === colours[v] && closure.apart(graph.component[u]!, graph.component[v]!)) kept = false;
      }
    }
    if (kept) return true;
  }
  return false;
}

test.each(linkages)("%s: every set that k clusters can keep is kept, by trying all clusterings", (linkage) => {
  let completed = 0;
  fc.assert(
    fc.property(sets, ({ points, known, k, n }) => {
      const closure = closeConstraints(known);
      const most = Math.min(k, closure.componentCount);
      const result = ccl(points, known, { k, linkage });
      expect(result.k).toBe(most);
      expect(result.merges).toHaveLength(n - 1);
      expect(result.violations.mustLink).toEqual([]);
      if (!isSatisfiable(known, most)) return;
      // If must-links join a row with another class or with its own group, the constraints contradict each other for every k.
      const inside = violationsOf(known, closure.component);
      if (violationCount(inside) === 0) expect(violationCount(result.violations)).toBe(0);
      if (result.notices.some((notice) => notice.includes("completed"))) completed++;
      // The result is still a hierarchy, and the labels are a cut of it.
      expect([...cutToK(result.merges!, n, most)]).toEqual([...result.labels]);
    }),
    { numRuns: 120 },
  );
  expect(completed).toBeGreaterThan(2);
});

describe("sets that cannot be kept", () => {
  const few = fc
    .record({ n: fc.integer({ min: 3, max: 7 }), k: fc.integer({ min: 2, max: 3 }), cannot: fc.integer({ min: 6, max: 18 }), seed: fc.nat() }) // biome-ignore format: one line
    .map(({ n, k, cannot, seed }) => {
      const random = randomFrom(seed);
      const points = pointsFromRows(Array.from({ length: n }, () => [random.normal()]));
      const mustLink = random.int(2) === 0 ? [] : [[0, 1] as const];
      const cannotLink = Array.from({ length: cannot }, () => [random.int(n), random.int(n)] as const).filter(
        ([a, b]) => a !== b && !(mustLink.length > 0 && a + b === 1),
      );
      return { points, known: constraints(points, { mustLink, cannotLink }), k };
    });

  test("as few cannot-links are broken as can be, by trying all clusterings; the notice says so", () => {
    let forced = 0;
    fc.assert(
      fc.property(few, ({ points, known, k }) => {
        const { component, componentCount } = closeConstraints(known);
        if (componentCount < k) return;
        let least = Infinity;
        for (const labels of allLabels(componentCount, k)) {
          const rows = component.map((c) => labels[c]!);
          least = Math.min(least, violationsOf(known, rows).cannotLink.length);
        }
        const { violations, notices, merges } = ccl(points, known, { k });
        expect(violations.cannotLink).toHaveLength(least);
        if (least === 0) return;
        forced++;
        expect(notices.at(-1)).toContain("breaking fewer is impossible");
        expect(notices.at(-1)).toContain(`Broken: ${least} cannot-link`);
        // Merges that violate a constraint have height Infinity.
        const made = merges!.slice(0, points.n - k);
        expect(made.some((merge) => merge[2] === Infinity)).toBe(true);
      }),
      { numRuns: 150 },
    );
    expect(forced).toBeGreaterThan(50);
  });

  test("one where the linkage alone breaks three, and the notice names it", () => {
    const points = pointsFromRows([[2], [3], [4], [7], [11]]);
    const cannotLink = [[0, 4], [1, 4], [1, 3], [2, 4], [0, 3], [1, 2]] as const; // biome-ignore format: one line
    const known = constraints(points, { cannotLink });
    expect(ccl(points, known, { k: 2, lookahead: false }).violations.cannotLink).toHaveLength(3);
    const { violations, notices } = ccl(points, known, { k: 2 });
    expect(violations.cannotLink).toEqual([[2, 4]]);
    expect(notices.at(-1)).toMatch(/Broken: 1 cannot-link \(2 – 4\); breaking fewer is impossible\.$/);
  });

  test("of unequal weights the light ones go", () => {
    const points = pointsFromRows([[0], [1], [2]]);
    const weighted = (weight: number) =>
      constraints(points, {
        cannotLink: [
          [0, 1, 5],
          [1, 2, 5],
          [0, 2, weight],
        ],
      });
    expect(ccl(points, weighted(1), { k: 2 }).violations.cannotLink).toEqual([[0, 2]]);
    expect(ccl(points, weighted(9), { k: 2 }).violations.cannotLink).not.toEqual([[0, 2]]);
  });

  test("a group larger than k", () => {
    const points = pointsFromRows(Array.from({ length: 12 }, (_, i) => [i]));
    const exclusive = [{ column: "source", codes: new Int32Array(12).fill(0), names: ["shop"] }];
    const { k, notices, violations } = ccl(points, constraints(points, { exclusive }), { k: 5 });
    expect(k).toBe(5);
    expect(violations.exclusive.length).toBeGreaterThan(0);
    expect(notices.at(-1)).toBe("source = shop has 12 rows, so k must be at least 12.");
  });
});

test("with hardly any effort the result is a clustering all the same, and a notice names what was not decided", () => {
  const random = randomFrom(4);
  const points = pointsFromRows(Array.from({ length: 90 }, () => [random.normal(), random.normal()]));
  const cannotLink = Array.from({ length: 205 }, () => [random.int(90), random.int(90)] as const).filter(([a, b]) => a !== b);
  const known = constraints(points, { cannotLink });
  const ends = [1, 10, 200_000].map((effort) => ccl(points, known, { k: 3, effort }));
  for (const { k, merges } of ends) {
    expect(k).toBe(3);
    expect(merges).toHaveLength(89);
  }
  expect(ends[0]!.notices.at(-1)).toContain("not decided within the effort");
  expect(ends[0]!.violations.cannotLink.length).toBeGreaterThanOrEqual(ends[2]!.violations.cannotLink.length);
});

test("the completed set: components of a colour together, colours apart, nothing expanded", () => {
  const points = pointsFromRows(Array.from({ length: 6 }, (_, i) => [i]));
  const known = constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 2], [2, 3]] }); // biome-ignore format: one line
  const graph = constraintGraph(closeConstraints(known));
  const completed = completedClosure(graph, Int32Array.of(1, 0, 1), 2);
  // The components are {0, 1}, {2}, {3}, {4}, {5}. The first and the third have the same colour.
  expect([...completed.component]).toEqual([0, 1, 0, 2, 3]);
  expect(completed.apart(0, 1)).toBe(true);
  expect(completed.edges.other).toHaveLength(0);
  expect(samePartition(Int32Array.of(0, 1, 0), Int32Array.of(2, 0, 2), 3)).toBe(true);
  expect(samePartition(Int32Array.of(0, 1, 0), Int32Array.of(2, 2, 2), 3)).toBe(false);
  expect(samePartition(Int32Array.of(0, 0, 0), Int32Array.of(2, 1, 2), 3)).toBe(false);
});

test.each([1, 2, 63, 64, 65, 200])("half of a symmetric matrix of %i rows is read as the whole is, and mirrored back", (m) => {
  const random = randomFrom(m);
  const arena = plainKernels.arena();
  const [matrix, again] = [arena.f64(m * m), arena.f64(m * m)];
  const d = matrix.view();
  for (let i = 0; i < m; i++) for (let j = 0; j < i; j++) d[i * m + j] = d[j * m + i] = random.unit();
  for (const rows of [rowsOfWhole(matrix, m), rowsOfHalf(drain(keepHalf(matrix, m)), m)]) {
    again.view().fill(0);
    for (let i = 0; i < m; i++) for (let j = i + 1; j < m; j++) again.view()[i * m + j] = rows.values()[rows.at(i) + j]!;
    drain(mirrorSteps(again, m));
    expect(again.view()).toEqual(d);
  }
});
