import fc from "fast-check";
import { expect, test } from "vitest";
import { linksOf } from "../algorithms/partition/mpck/links.js";
import { pairCosts } from "../algorithms/tree/grow/label-rules.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import { tuples } from "../testing/tuples.js";
import { constraints } from "./build.js";
import { closeConstraints, type Pricing, type WeightedClosure, weighClosure } from "./closure.js";
import { anySet, plainWeights } from "./closure.reference.js";

/** Penalties equal to the given weights; a component of one row has no must-link. */
const asGiven = (set: ConstraintSet): WeightedClosure => {
  const closure = closeConstraints(set);
  const pricing: Pricing = {
    must: (c) => (closure.sizes[c]! > 1 ? closure.entailedMustWeight(c) : 0),
    edge: (place) => closure.edges.weight[place]!,
    entry: (weight) => weight,
    given: (weight) => weight,
  };
  return weighClosure(closure, pricing);
};

type Uniform = Pick<WeightedClosure, "component" | "mustWeight" | "edges"> & {
  readonly cliques: Pick<WeightedClosure["cliques"], "weight" | "of">;
};

/** The weight of each pair of rows, computed from the uniform weights without corrections. */
function weightOf({ component, mustWeight, edges, cliques }: Uniform, i: number, j: number): { must: number; cannot: number } {
  const [a, b] = [component[i]!, component[j]!];
  if (a < 0 || b < 0) return { must: 0, cannot: 0 };
  if (a === b) return { must: mustWeight[a]!, cannot: 0 };
  let cannot = 0;
  for (let p = edges.start[a]!; p < edges.start[a + 1]!; p++) if (edges.other[p] === b) cannot += edges.weight[p]!;
  const of = (c: number): Int32Array => cliques.of.items.subarray(cliques.of.start[c]!, cliques.of.start[c + 1]!);
  for (const q of of(a)) if (of(b).includes(q)) cannot += cliques.weight[q]!;
  return { must: 0, cannot };
}

test("every pair has the weight of the definition", () => {
  const finite = anySet.map((set): ConstraintSet => {
    const soft = <T extends { readonly weight: Float64Array }>(given: T): T => {
      return { ...given, weight: given.weight.map((w) => (w === Infinity ? 7 : w)) };
    };
    return { ...set, mustLinks: soft(set.mustLinks), cannotLinks: soft(set.cannotLinks), labels: soft(set.labels) };
  });
  fc.assert(
    fc.property(finite, (set) => {
      const weighted = asGiven(set);
      const { pairs } = weighted;
      const found: string[] = [];
      const say = (i: number, j: number, must: boolean, weight: number) => `${i} ${j} ${must ? "must" : "cannot"} ${weight}`;
      for (let i = 0; i < set.n; i++) {
        for (let j = i + 1; j < set.n; j++) {
          const { must, cannot } = weightOf(weighted, i, j);
          const corrected = (kind: 0 | 1) =>
            pairs.weight.reduce((sum, weight, s) => {
              const here = Math.min(pairs.a[s]!, pairs.b[s]!) === i && Math.max(pairs.a[s]!, pairs.b[s]!) === j;
              return sum + (here && pairs.must[s] === kind ? weight : 0);
            }, 0);
          if (must + corrected(1) > 0) found.push(say(i, j, true, must + corrected(1)));
          if (cannot + corrected(0) > 0) found.push(say(i, j, false, cannot + corrected(0)));
        }
      }
      expect(found).toEqual(plainWeights(set).map(({ a, b, must, weight }) => say(a, b, must, weight)));
      for (const weight of weighted.edges.weight) expect(weight).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 300 },
  );
});

/** Rows 0 to 3 share a source; rows 0 to 2 also share a frame. */
const columns = [
  { column: "source", codes: Int32Array.of(0, 0, 0, 0, -1), names: ["s"] },
  { column: "frame", codes: Int32Array.of(0, 0, 0, -1, -1), names: ["f"] },
];

test("two exclusive columns count once each; a cannot-link beside them counts if it is heavier", () => {
  const set = constraints({ n: 5 }, { cannotLink: tuples("0 2 3, 1 2 0.5, 3 4 0.25"), exclusive: columns });
  const expected = tuples("0 1 2, 0 2 3, 0 3 1, 1 2 2, 1 3 1, 2 3 1, 3 4 0.25");
  expect(plainWeights(set).map(({ a, b, weight }) => [a, b, weight])).toEqual(expected);
  const costs = pairCosts(closeConstraints(set));
  const tree = { ...costs, component: costs.unit };
  const links = linksOf(set, 1);
  for (const [a, b, weight] of expected) {
    expect(weightOf(tree, a, b).cannot).toBeCloseTo(weight, 9);
    expect(weightOf(links, a, b).cannot).toBe(weight);
  }
  expect(links.pairs.a).toHaveLength(0);
});

test("two columns of groups with 20,000 rows each are never listed pair by pair", () => {
  const n = 100_000;
  const exclusive = ["source", "frame"].map((column, c) => {
    return { column, codes: Int32Array.from({ length: n }, (_, i) => (c === 0 ? i % 5 : Math.floor(i / 20_000))), names: [] };
  });
  const { cliques, edges } = asGiven(constraints({ n }, { exclusive }));
  expect([cliques.components.items.length, edges.other.length]).toEqual([2 * n, 0]);
});
