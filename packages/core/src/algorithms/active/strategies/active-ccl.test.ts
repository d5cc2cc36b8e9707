import fc from "fast-check";
import { expect, test } from "vitest";
import { closeConstraints, constraints, violationCount, violationsOf } from "../../../constraints/index.js";
import { pairKernelsOf, plainKernels } from "../../../kernels/index.js";
import type { Merge } from "../../../model/result.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import type { PairAnswer } from "../../../steps/index.js";
import { constrainProximities } from "../../hierarchical/ccl/constrain-proximities.js";
import { cutToK } from "../../hierarchical/cut/merges.js";
import { activeCclReference } from "./active-ccl.reference.js";
import { askFromLabels, startAsking } from "./index.js";

const LINE = pointsFromRows([[0], [1], [4], [5], [10], [11]]);

test("three pairs on a line, one question: traced by hand", () => {
  // Complete linkage merges the pairs at 1, then the first two at 5. With one question that last merge is asked about.
  const session = startAsking({ points: LINE, strategy: "active-ccl", k: 2, budget: 1 });
  expect(session.next()).toEqual({ kind: "pair", ask: [0, 2] });
  expect([...session.result().outcome.labels]).toEqual([0, 0, 0, 0, 1, 1]);
  session.answer("different");
  expect(session.next()).toBeNull();
  expect([...session.result().outcome.labels]).toEqual([0, 0, 1, 1, 1, 1]);
  session.undo();
  session.answer("unsure");
  expect([...session.result().outcome.labels]).toEqual([0, 0, 0, 0, 1, 1]);
});

test('"same" contracts the space around the two clusters, so another merge comes earlier: traced by hand', () => {
  const points = pointsFromRows([[0], [5], [11], [18]]);
  const open = () => startAsking({ points, strategy: "active-ccl", k: 1, budget: 3, options: { share: 1 } });
  // Row 2 is at distance 6 from row 1. Row 1 is now at distance 0 from row 0, so row 2 is at 6 from both. Rows 2 and 3 are at distance 7.
  const contracted = open();
  expect(contracted.next()?.ask).toEqual([0, 1]);
  contracted.answer("same");
  expect(contracted.next()?.ask).toEqual([0, 2]);
  // Merged without the answer "same", they are at distance 11 from row 2 by complete linkage.
  const merged = open();
  merged.next();
  merged.answer("unsure");
  expect(merged.next()?.ask).toEqual([2, 3]);
});

test("asks and clusters as the definition says", () => {
  const settings = fc.record({
    seed: fc.nat(100_000),
    n: fc.integer({ min: 3, max: 18 }),
    k: fc.integer({ min: 1, max: 4 }),
    budget: fc.integer({ min: 0, max: 14 }),
    share: fc.constantFrom(0.5, 0.75, 1),
    given: fc.nat(3),
  });
  fc.assert(
    fc.property(settings, ({ seed, n, k: asked, budget, share, given }) => {
      const random = randomFrom(seed);
      const k = Math.min(asked, n);
      // No two distances are equal, because the order of equal merges is not defined.
      const points = pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal()]));
      const truth = Int32Array.from({ length: n }, () => random.int(k));
      const pairs = Array.from({ length: given }, () => [random.int(n), random.int(n)] as const).filter(([i, j]) => i !== j);
      const known = constraints(points, {
        mustLink: pairs.filter(([i, j]) => truth[i] === truth[j]),
        cannotLink: pairs.filter(([i, j]) => truth[i] !== truth[j]),
      });
      const answer = (i: number, j: number): PairAnswer =>
        (i * 7 + j) % 9 === 0 ? "unsure" : truth[i] === truth[j] ? "same" : "different";
      const session = startAsking({
        points,
        strategy: "active-ccl",
        k,
        budget,
        constraints: known,
        options: { share, lookahead: false },
      });
      const questions: (readonly number[])[] = [];
      for (let question = session.next(); question; question = session.next()) {
        const [i, j] = question.ask as [number, number];
        questions.push(question.ask);
        session.answer(answer(i, j));
      }
      const reference = activeCclReference({ ...matrices(points, known), k, budget, share, answer });
      expect(questions).toEqual(reference.asked);
      const { labels, merges } = session.result().outcome;
      expect(pairings(labels)).toEqual(pairings(reference.labels));
      expect(merges!.length).toBe(n - 1);
      const unions = unionsOf(merges!, n).slice(n - 1 - reference.merges.length);
      expect(unions.map(({ rows }) => rows)).toEqual(reference.merges.map(({ rows }) => rows));
      unions.forEach(({ height }, t) => {
        expect(height).toBeCloseTo(reference.merges[t]!.height, 12);
      });
    }),
    { numRuns: 150 },
  );
});

function matrices(points: typeof LINE, known: ReturnType<typeof constraints>) {
  const { n, d, x } = points;
  const arena = plainKernels.arena();
  const block = arena.f64(n * d);
  block.view().set(x);
  const out = arena.f64(n * n);
  pairKernelsOf(plainKernels).distances("euclidean", block, n, d, null, 0, n, out);
  const { matrix, barred } = constrainProximities(out.view(), known);
  const { members, sizes } = closeConstraints(known);
  const linked = [...sizes.keys()]
    .filter((c) => sizes[c]! > 1)
    .map((c) => [...members.items.subarray(members.start[c], members.start[c + 1])]);
  const nested = (flat: Float64Array) => Array.from({ length: n }, (_, i) => [...flat.subarray(i * n, (i + 1) * n)]);
  return { distances: nested(out.view()), constrained: nested(matrix), barred, linked };
}

function unionsOf(merges: readonly Merge[], n: number) {
  const rows: number[][] = Array.from({ length: n }, (_, row) => [row]);
  return merges.map(([left, right, height, size], t) => {
    rows[n + t] = [...rows[left]!, ...rows[right]!].sort((a, b) => a - b);
    expect(rows[n + t]!.length).toBe(size);
    return { rows: rows[n + t]!, height };
  });
}

function pairings(labels: ArrayLike<number>): boolean[] {
  const all = Array.from(labels);
  return all.flatMap((label) => all.map((other) => label === other));
}

test("with lookahead the clustering satisfies every answer in k clusters where the paper's method breaks some", () => {
  let broken = 0;
  for (let seed = 0; seed < 40; seed++) {
    const random = randomFrom(seed);
    const truth = Int32Array.from({ length: 30 }, () => random.int(3));
    const points = pointsFromRows(Array.from(truth, (code) => [code + random.normal(), random.normal()]));
    for (const lookahead of [true, false]) {
      const { constraints: learned, outcome } = askFromLabels({
        points,
        truth,
        strategy: "active-ccl",
        k: 3,
        budget: 12,
        options: { lookahead },
      });
      const violations = violationCount(violationsOf(learned, outcome.labels));
      expect(new Set(outcome.labels).size).toBe(3);
      const heights = outcome.merges!.map((merge) => merge[2]);
      expect(heights.length).toBe(29);
      expect(pairings(cutToK(outcome.merges!, 30, 3))).toEqual(pairings(outcome.labels));
      expect(heights.slice(0, 27).every((height, t) => height >= (heights[t - 1] ?? 0))).toBe(true);
      expect(heights[26]! < Infinity).toBe(violations === 0);
      if (lookahead) expect(violations).toBe(0);
      else broken += violations;
    }
  }
  expect(broken).toBeGreaterThan(0);
});
