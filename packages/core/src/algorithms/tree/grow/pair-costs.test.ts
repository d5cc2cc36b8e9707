import fc from "fast-check";
import { expect, test } from "vitest";
import { anySet } from "../../../constraints/closure.reference.js";
import { closeConstraints, constraints } from "../../../constraints/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import { plainPairs } from "../clusilc.reference.js";
import { type PairCosts, pairCosts } from "./label-rules.js";

/** The weight that a labelling violates, summed over all pairs of rows from the stored costs. */
function violatedWeight(costs: PairCosts, labels: readonly number[]): number {
  const { unit, mustWeight, edges, cliques, pairs } = costs;
  const list = ({ start, items }: { start: Int32Array; items: Int32Array }, u: number): Int32Array =>
    items.subarray(start[u]!, start[u + 1]!);
  let sum = 0;
  for (let i = 0; i < labels.length; i++) {
    for (let j = 0; j < i; j++) {
      const together = labels[i] === labels[j];
      const [u, v] = [unit[i]!, unit[j]!];
      if (u < 0 || v < 0) continue;
      if (u === v) sum += together ? 0 : mustWeight[u]!;
      else if (together) {
        for (let p = edges.start[u]!; p < edges.start[u + 1]!; p++) if (edges.other[p] === v) sum += edges.weight[p]!;
        for (const q of list(cliques.of, u)) if (list(cliques.of, v).includes(q)) sum += cliques.weight[q]!;
      }
    }
    for (let p = pairs.start[i]!; p < pairs.start[i + 1]!; p++) {
      const together = labels[i] === labels[pairs.other[p]!];
      if (together !== (pairs.must[p] === 1)) sum += pairs.weight[p]! / 2;
    }
  }
  return sum;
}

test("all weights, and what any labelling violates, are those of the pairs one by one", () => {
  const labelled = anySet.chain((set) =>
    fc.tuple(fc.constant(set), fc.array(fc.nat({ max: 2 }), { minLength: set.n, maxLength: set.n })),
  );
  fc.assert(
    fc.property(labelled, ([set, labels]: [ConstraintSet, number[]]) => {
      const pairs = plainPairs(set);
      const costs = pairCosts(closeConstraints(set));
      const broken = pairs.filter(({ a, b, must }) => must !== (labels[a] === labels[b]));
      expect(costs.total).toBeCloseTo(
        pairs.reduce((sum, { weight }) => sum + weight, 0),
        6,
      );
      expect(violatedWeight(costs, labels)).toBeCloseTo(
        broken.reduce((sum, { weight }) => sum + weight, 0),
        6,
      );
    }),
    { numRuns: 300 },
  );
});

test("entailed pairs are counted, not listed: 10,000 rows in 100 components", () => {
  const n = 10_000;
  const mustLink = Array.from({ length: n - 100 }, (_, i) => [i, i + 100] as const);
  const costs = pairCosts(closeConstraints(constraints({ n }, { mustLink, cannotLink: [[0, 1]] })));
  expect(costs.total).toBe(100 * ((100 * 99) / 2) + 100 * 100);
  expect(costs.edges.other).toHaveLength(2);
  expect(costs.pairs.other).toHaveLength(0);
});

test("weights that are no binary fractions add up exactly in any order", () => {
  const cannotLink = Array.from({ length: 40 }, (_, i) => [i, i + 1, 0.1 + i / 7] as const);
  const { edges, total } = pairCosts(closeConstraints(constraints({ n: 41 }, { cannotLink })));
  const forwards = edges.weight.reduce((sum, weight) => sum + weight, 0);
  const backwards = edges.weight.reduceRight((sum, weight) => sum + weight, 0);
  expect(forwards).toBe(backwards);
  expect(forwards).toBe(2 * total);
  expect(total).toBeCloseTo(
    cannotLink.reduce((sum, [, , weight]) => sum + weight, 0),
    9,
  );
});
