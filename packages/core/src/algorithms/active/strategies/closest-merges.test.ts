import fc from "fast-check";
import { expect, test } from "vitest";
import { constraints } from "../../../constraints/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { distancesOf } from "../../distance-between.js";
import { linkages } from "../../hierarchical/linkage.js";
import { Journal } from "../journal.js";
import { Knowledge } from "../knowledge.js";
import { type Candidates, type SuggestedMerge, searchOfDoubt, suggestedMerges } from "./closest.js";

function allPairs(n: number, between: (i: number, j: number) => number): Candidates {
  const pairs = Array.from({ length: n }, (_, i) => Array.from({ length: n - i - 1 }, (_, j) => [i, i + 1 + j] as const)).flat();
  pairs.sort((p, q) => between(...p) - between(...q));
  return {
    a: Int32Array.from(pairs, ([a]) => a),
    b: Int32Array.from(pairs, ([, b]) => b),
    distance: Float64Array.from(pairs, (pair) => between(...pair)),
  };
}

const anyRows = fc.record({ n: fc.integer({ min: 2, max: 24 }), seed: fc.nat() }).map(({ n, seed }) => {
  const random = randomFrom(seed);
  return { random, points: pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal()])) };
});

test("over all pairs and without constraints, the merges equal average linkage", () => {
  fc.assert(
    fc.property(anyRows, ({ points }) => {
      const { between } = distancesOf(points, "euclidean");
      const nothing = new Knowledge(constraints({ n: points.n }, {}), new Journal());
      const heights = drain(suggestedMerges(allPairs(points.n, between), nothing, between)).map(({ height }) => height);
      const { merges } = linkages.average(points, undefined, { k: 1 });
      expect(heights).toHaveLength(merges.length);
      merges.forEach((merge, m) => {
        expect(heights[m]).toBeCloseTo(merge[2], 9);
      });
    }),
    { numRuns: 40 },
  );
});

test("components known to be apart never merge, and each merge joins two groups", () => {
  fc.assert(
    fc.property(anyRows, ({ points, random }) => {
      const { n } = points;
      const { between } = distancesOf(points, "euclidean");
      const known = new Knowledge(constraints({ n }, {}), new Journal());
      for (let question = 0; question < n; question++) {
        const [a, b] = random.sample(n, 2) as unknown as [number, number];
        if (known.relation(a, b) === null) known.learn(a, b, random.int(3) === 0 ? "same" : "different");
      }
      const candidates = allPairs(n, between);
      const joined = new Knowledge(known.constraints(), new Journal());
      for (const { place } of drain(suggestedMerges(candidates, known, between))) {
        const [a, b] = [candidates.a[place]!, candidates.b[place]!];
        expect(joined.relation(a, b)).toBeNull();
        joined.learn(a, b, "same");
      }
    }),
    { numRuns: 40 },
  );
});

function mostInDoubt(merges: readonly SuggestedMerge[], turn: number, n = 1000): SuggestedMerge | undefined {
  const search = searchOfDoubt(turn, n);
  for (const merge of merges) search.see(merge);
  return search.found();
}

test("a search that ends above the threshold finds the same merge as a search through all merges", () => {
  let saved = 0;
  fc.assert(
    fc.property(anyRows, fc.double({ min: 0.01, max: 2, noNaN: true }), ({ points }, turn) => {
      const { between } = distancesOf(points, "euclidean");
      const candidates = allPairs(points.n, between);
      const nothing = new Knowledge(constraints({ n: points.n }, {}), new Journal());
      const all = drain(suggestedMerges(candidates, nothing, between));
      const search = searchOfDoubt(turn, points.n);
      const seen = drain(
        suggestedMerges(candidates, nothing, between, (merge) => {
          search.see(merge);
          return search.isOver(merge.height);
        }),
      );
      expect(search.found()).toEqual(mostInDoubt(all, turn, points.n));
      saved += all.length - seen.length;
    }),
    { numRuns: 100 },
  );
  expect(saved).toBeGreaterThan(0);
});

test("worked by hand: the merge most in doubt is near the threshold or decides many pairs", () => {
  const merge = (place: number, height: number, pairs: number) => ({ place, height, pairs });
  // Below the threshold 5 the heights are 1 and 3, with standard deviation 1.
  expect(mostInDoubt([merge(0, 1, 1), merge(1, 3, 1), merge(2, 6, 1), merge(3, 9, 1)], 5)!.place).toBe(2);
  // 9 pairs compensate a height difference of log 9, about 2.2.
  expect(mostInDoubt([merge(0, 1, 1), merge(1, 3, 1), merge(2, 6, 1), merge(3, 8, 9)], 5)!.place).toBe(3);
  expect(mostInDoubt([merge(0, 1, 1), merge(1, 3, 1), merge(2, 6, 1), merge(3, 8.5, 9)], 5)!.place).toBe(2);
  expect(mostInDoubt([], 5)).toBeUndefined();
});

test("large groups that are known to be apart are compared by their names, not row by row", () => {
  const n = 600;
  const points = pointsFromRows(Array.from({ length: n }, (_, i) => [i % 7]));
  const { between } = distancesOf(points, "euclidean");
  const known = new Knowledge(constraints({ n }, {}), new Journal());
  for (let i = 0; i + 1 < 40; i++) known.learn(i, i + 1, "different");
  let asked = 0;
  const relation = known.relation.bind(known);
  known.relation = (i, j) => {
    asked++;
    return relation(i, j);
  };
  expect(drain(suggestedMerges(allPairs(n, between), known, between)).length).toBeGreaterThan(n / 2);
  expect(asked).toBe(0);
});
