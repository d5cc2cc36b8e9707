import fc from "fast-check";
import { expect, test } from "vitest";
import { closeConstraints, constraints, violationCount, violationsOf } from "../../constraints/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { processorMs } from "../../testing/processor-ms.js";
import { correlationSteps, disagreement, type WeightedPairs } from "./correlation.js";
import { disagreementByPairs, leastDisagreement } from "./correlation.reference.js";

function pairsOf(list: readonly (readonly [number, number, number])[]): WeightedPairs {
  return {
    a: Int32Array.from(list, ([a]) => a),
    b: Int32Array.from(list, ([, b]) => b),
    weight: Float64Array.from(list, ([, , weight]) => weight),
  };
}

function clustered(pairs: WeightedPairs, set: ConstraintSet, unscored = -1) {
  return drain(correlationSteps(pairs, closeConstraints(set), unscored));
}

function rowsOf(n: number) {
  return pointsFromRows(Array.from({ length: n }, (_, i) => [i]));
}

interface Drawn {
  readonly n: number;
  readonly density: number;
  readonly ties: boolean;
  readonly unscored: number;
  readonly seed: number;
}

/** Scored pairs of a few rows, with must-links, cannot-links, labels and an exclusive group that one hidden partition keeps. */
function problemOf({ n, density, ties, seed }: Drawn): { readonly pairs: WeightedPairs; readonly set: ConstraintSet } {
  const random = randomFrom(seed);
  const hidden = Int32Array.from({ length: n }, () => random.int(3));
  const list: [number, number, number][] = [];
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++)
      if (random.unit() < density) list.push([i, j, ties ? random.int(5) - 2 : 2 * random.normal()]);
  const any = (same: boolean): [number, number][] =>
    Array.from({ length: random.int(3) }, (): [number, number] => [random.int(n), random.int(n)]).filter(
      ([i, j]) => i !== j && (hidden[i] === hidden[j]) === same,
    );
  const labels = Array.from({ length: random.int(3) }, () => random.int(n)).map((i): [number, string] => [i, `c${hidden[i]}`]);
  const group = hidden.map((c, i) => (hidden.indexOf(c) === i && seed % 3 === 0 ? 0 : -1));
  const points = { ...rowsOf(n), exclusive: [{ column: "source", codes: group, names: ["s"] }] };
  return {
    pairs: pairsOf(list),
    set: constraints(points, { mustLink: any(true), cannotLink: any(false), labels: [...new Map(labels)] }),
  };
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  n: fc.integer({ min: 1, max: 9 }),
  density: fc.constantFrom(0.3, 0.7, 1),
  ties: fc.boolean(),
  unscored: fc.constantFrom(0, -0.5, -3),
  seed: fc.nat(),
});

test("few rows get the least disagreement of all partitions that keep the constraints", () => {
  let constrained = 0;
  fc.assert(
    fc.property(drawn, (given) => {
      const { pairs, set } = problemOf(given);
      const { labels, objective, unproven } = clustered(pairs, set, given.unscored);
      expect(violationCount(violationsOf(set, labels))).toBe(0);
      expect(unproven.sets).toBe(0);
      expect(objective).toBeCloseTo(disagreementByPairs(pairs, labels, given.unscored), 9);
      expect(objective).toBeCloseTo(leastDisagreement(pairs, set, given.unscored), 9);
      if (set.mustLinks.a.length + set.cannotLinks.a.length > 0) constrained++;
    }),
    { numRuns: 300 },
  );
  expect(constrained).toBeGreaterThan(100);
});

test("a chain is cut where the pairs without a score outweigh it", () => {
  const chain = pairsOf([
    [0, 1, 2],
    [1, 2, 0.5],
    [2, 3, 2],
  ]);
  const none = constraints(rowsOf(4), {});
  // Together: 3 pairs without a score weigh 3, and 0.5 is saved.
  expect([...clustered(chain, none).labels]).toEqual([0, 0, 1, 1]);
  expect([...clustered(chain, none, -0.1).labels]).toEqual([0, 0, 0, 0]);
});

/** `sets` hidden groups of `size` rows. Each row has scores to some rows of its group, and a few wrong ones to other rows. */
function planted(sets: number, size: number, seed: number): { readonly pairs: WeightedPairs; readonly truth: Int32Array } {
  const random = randomFrom(seed);
  const n = sets * size;
  const found = new Map<number, number>();
  for (let i = 0; i < n; i++)
    for (let t = 0; t < 8; t++) {
      const inside = t < 6;
      const j = inside ? Math.floor(i / size) * size + random.int(size) : random.int(n);
      const same = Math.floor(i / size) === Math.floor(j / size);
      if (i !== j) found.set(Math.min(i, j) * n + Math.max(i, j), (same ? 3 : -2) + 1.5 * random.normal());
    }
  const list = [...found].map(([key, weight]): [number, number, number] => [Math.floor(key / n), key % n, weight]);
  return { pairs: pairsOf(list), truth: Int32Array.from({ length: n }, (_, i) => Math.floor(i / size)) };
}

test("large sets: planted groups are found, constraints kept, and no single move improves", () => {
  const { pairs, truth } = planted(20, 15, 5);
  const n = truth.length;
  const must: [number, number][] = [[0, 200]];
  const cannot: [number, number][] = [
    [30, 31],
    [45, 46],
  ];
  const points = {
    ...rowsOf(n),
    exclusive: [{ column: "source", codes: Int32Array.from(truth, (_, i) => (i % 15 < 2 ? 0 : -1)), names: ["s"] }],
  };
  const set = constraints(points, { mustLink: must, cannotLink: cannot });
  const { labels, objective, unproven } = clustered(pairs, set, -0.3);
  expect(violationCount(violationsOf(set, labels))).toBe(0);
  expect(unproven.sets).toBeGreaterThan(0);
  expect(objective).toBeCloseTo(disagreementByPairs(pairs, labels, -0.3), 6);

  const free = clustered(pairs, constraints(rowsOf(n), {}), -0.3);
  expect(free.objective).toBeLessThanOrEqual(disagreement(pairs, truth, -0.3) * 1.02);
  const clusters = Math.max(...free.labels) + 1;
  for (let row = 0; row < n; row += 7)
    for (let c = 0; c <= clusters; c += 3) {
      const moved = free.labels.slice();
      moved[row] = c;
      expect(disagreement(pairs, moved, -0.3)).toBeGreaterThanOrEqual(free.objective - 1e-6);
    }
});

test("100,000 rows with a million pairs", () => {
  const { pairs, truth } = planted(10_000, 10, 8);
  const started = processorMs();
  const { labels, objective } = clustered(pairs, constraints(rowsOf(truth.length), {}), -0.3);
  expect(processorMs() - started).toBeLessThan(30_000);
  expect(objective).toBeLessThan(disagreement(pairs, truth, -0.3) * 1.05);
  expect(labels).toHaveLength(100_000);
});
