import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, violationCount } from "../../../constraints/index.js";
import { plainKernels } from "../../../kernels/index.js";
import { loadModel, modelOf, saveModel } from "../../../models/model-file.js";
import { predict } from "../../../models/predict.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { problemOf } from "../../../testing/problem-of.js";
import { applyEvidence, evidenceOf, softmax } from "./evidence.js";
import { densitySteps, fitSteps, type MixtureRows, spreadSteps } from "./gaussians.js";
import { mixture } from "./index.js";
import { plainFit, plainScore } from "./mixture.reference.js";

/** Two groups that lie across each other: a mean says nothing about them, their directions say all. */
function crossed(n: number, seed = 1): { readonly rows: number[][]; readonly group: number[] } {
  const random = randomFrom(seed);
  const group = Array.from({ length: n }, (_, i) => i % 2);
  const rows = group.map((side) => {
    const [along, across] = [10 * random.normal(), random.normal()];
    return side === 0 ? [along, across] : [across, along];
  });
  return { rows, group };
}

const rowsOf = (n: number) => pointsFromRows(Array.from({ length: n }, () => [0]));

function agreementOf(labels: Int32Array, group: readonly number[]): number {
  const same = group.filter((side, i) => side === labels[i]).length / group.length;
  return Math.max(same, 1 - same);
}

describe("the Gaussians are those of the definitions", () => {
  test.each(["full", "shared"] as const)("%s", (shape) => {
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const random = randomFrom(seed);
        const [n, d, k] = [12 + random.int(20), 1 + random.int(4), 1 + random.int(3)];
        const rows: MixtureRows = {
          n,
          d,
          x: Float64Array.from({ length: n * d }, () => 3 * random.normal()),
          weights: Float64Array.from({ length: n }, () => 0.5 + random.unit()),
          noise: null,
        };
        const memberships = softmax(
          Float64Array.from({ length: n * k }, () => 2 * random.normal()),
          k,
        );
        const spread = drain(spreadSteps(rows, shape, plainKernels));
        const gaussians = drain(fitSteps(rows, memberships, k, spread, plainKernels));
        const scores = drain(densitySteps(rows, gaussians, plainKernels));
        const plain = plainFit(rows, memberships, k, shape === "shared");
        for (let i = 0; i < n; i++)
          for (let c = 0; c < k; c++)
            expect(scores[i * k + c]).toBeCloseTo(plainScore(plain[c]!, [...rows.x.subarray(i * d, (i + 1) * d)]), 5);
      }),
      { numRuns: 60 },
    );
  });

  test("a row of weight 3 counts as three rows", () => {
    const { rows } = crossed(20);
    const weights = rows.map((_, i) => 1 + (i % 3));
    const many = rows.flatMap((row, i) => Array.from({ length: weights[i]! }, () => row));
    const fitOf = (all: readonly number[][], of: readonly number[]) => {
      const given: MixtureRows = {
        n: all.length,
        d: 2,
        x: Float64Array.from(all.flat()),
        weights: Float64Array.from(of),
        noise: null,
      };
      const spread = { shape: "full" as const, matrix: Float64Array.of(1, 0, 0, 1) };
      return drain(fitSteps(given, new Float64Array(all.length).fill(1), 1, spread, plainKernels));
    };
    const weighted = fitOf(rows, weights);
    const plain = fitOf(
      many,
      many.map(() => 1),
    );
    for (const part of ["means", "roots", "logDets"] as const)
      weighted[part].forEach((value, p) => expect(value).toBeCloseTo(plain[part][p]!, 9));
  });
});

describe("evidence", () => {
  const k = 2;
  /** Row 0 is surely in cluster 0; rows 1 and 2 may be in either. */
  const scores = Float64Array.of(0, -9, -1, -1.2, -1, -1.2);
  const membershipsOf = (known: Parameters<typeof constraints>[1], errorRate: number): Float64Array => {
    const found = softmax(scores, k);
    applyEvidence(evidenceOf(constraints(rowsOf(3), known), errorRate)!, scores, k, found);
    return found;
  };

  test("a must-link pulls a row to the cluster of the other, a cannot-link pushes it away; less so if constraints may be wrong", () => {
    const together = membershipsOf({ mustLink: [[0, 1]] }, 0.02)[2]!;
    const apart = membershipsOf({ cannotLink: [[0, 1]] }, 0.02)[2]!;
    const alone = softmax(scores, k)[2]!;
    expect(together).toBeGreaterThan(0.97);
    expect(apart).toBeLessThan(0.05);
    const doubted = membershipsOf({ mustLink: [[0, 1]] }, 0.4)[2]!;
    expect(doubted).toBeGreaterThan(alone);
    expect(doubted).toBeLessThan(together);
    expect(membershipsOf({ mustLink: [[0, 1]] }, 0.5)[2]).toBeCloseTo(alone, 9);
  });

  test("certain must-links give both rows one membership", () => {
    const found = membershipsOf({ mustLink: [[0, 1]] }, 0);
    expect([found[2], found[3]]).toEqual([found[0], found[1]]);
  });

  test("with two units the memberships are near those of all clusterings weighed by their probability", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.boolean(), (seed, must) => {
        const random = randomFrom(seed);
        const drawn = Float64Array.from({ length: 4 }, () => 3 * random.normal());
        const wrong = 0.1;
        const pair: [number, number] = [0, 1];
        const set = constraints(rowsOf(2), must ? { mustLink: [pair] } : { cannotLink: [pair] });
        const found = softmax(drawn, k);
        applyEvidence(evidenceOf(set, wrong)!, drawn, k, found);
        let [first, total] = [0, 0];
        for (const a of [0, 1])
          for (const b of [0, 1]) {
            const said = (a === b) === must ? 1 - wrong : wrong;
            const weight = Math.exp(drawn[a]! + drawn[2 + b]!) * said;
            total += weight;
            if (a === 0) first += weight;
          }
        // Mean field is an approximation: it is sure of the likelier side, and never of the other one.
        const exact = first / total;
        if (Math.abs(exact - 0.5) > 0.3) expect(found[0]! > 0.5).toBe(exact > 0.5);
      }),
      { numRuns: 300 },
    );
  });

  test("two classes are never together, whatever the scores say", () => {
    const even = new Float64Array(8).fill(0).map((_, p) => (p % 2 === 0 ? 0.1 : 0));
    const found = softmax(even, k);
    const set = constraints(rowsOf(4), {
      labels: [
        [0, "a"],
        [1, "a"],
        [2, "b"],
        [3, "b"],
      ],
    });
    applyEvidence(evidenceOf(set, 0.02)!, even, k, found);
    expect(found[0]! > 0.5).toBe(found[2]! > 0.5);
    expect(found[4]! > 0.5).toBe(found[6]! > 0.5);
  });
});

describe("clusters", () => {
  test("groups across each other, which means cannot separate", () => {
    const { rows, group } = crossed(200);
    const known = constraints(pointsFromRows(rows), {
      mustLink: [
        [0, 2],
        [1, 3],
        [4, 6],
      ],
      cannotLink: [
        [0, 1],
        [4, 5],
        [10, 11],
      ],
    });
    const { labels, probabilities } = mixture(pointsFromRows(rows), known, { k: 2, seed: 1 });
    expect(agreementOf(labels, group)).toBeGreaterThan(0.9);
    for (let i = 0; i < rows.length; i++) {
      expect(probabilities![2 * i]! + probabilities![2 * i + 1]!).toBeCloseTo(1, 12);
      expect(labels[i]).toBe(probabilities![2 * i]! >= probabilities![2 * i + 1]! ? 0 : 1);
    }
  });

  test("the same seed gives the same bytes", () => {
    const { rows } = crossed(60);
    const run = () => JSON.stringify(mixture(pointsFromRows(rows), undefined, { k: 2, seed: 7 }));
    expect(run()).toBe(run());
  });

  test("certain constraints are kept where k clusters can keep them", () => {
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const random = randomFrom(seed);
        const rows = Array.from({ length: 24 }, () => [random.normal(), random.normal()]);
        const side = rows.map(() => random.int(3));
        const pairs = Array.from({ length: 20 }, (): [number, number] => [random.int(24), random.int(24)]).filter(
          ([a, b]) => a !== b,
        );
        const points = pointsFromRows(rows);
        const set = constraints(points, {
          mustLink: pairs.filter(([a, b]) => side[a] === side[b]),
          cannotLink: pairs.filter(([a, b]) => side[a] !== side[b]),
        });
        const { violations } = mixture(points, set, { k: 3, errorRate: 0, seed });
        expect(violationCount(violations)).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  test("more columns than components: announced, and a model gives the same labels", () => {
    const random = randomFrom(3);
    const rows = Array.from({ length: 80 }, (_, i) =>
      Array.from({ length: 60 }, (_, j) => (i % 2 === 0 && j < 20 ? 3 : 0) + random.normal()),
    );
    const points = pointsFromRows(rows);
    const result = mixture(points, undefined, { k: 2 });
    expect(result.notices.join()).toMatch(
      /The mixture uses \d+ principal components of 60 columns, which hold \d+% of the variance\./,
    );
    expect(
      agreementOf(
        result.labels,
        rows.map((_, i) => i % 2),
      ),
    ).toBe(1);
    const model = loadModel(saveModel(modelOf(points, result, { algorithm: "mixture", options: { k: 2 } })), "m.json");
    expect(model.reproduces).toBe(80);
    expect([...predict(model, points).labels]).toEqual([...result.labels]);
  });

  test("diagonal covariances, one cluster, as many clusters as rows, equal rows", () => {
    const { rows, group } = crossed(200);
    expect(agreementOf(mixture(pointsFromRows(rows), undefined, { k: 2, covariance: "diagonal" }).labels, group)).toBeGreaterThan(
      0.9,
    );
    expect(mixture(pointsFromRows(rows), undefined, { k: 1 }).sizes).toEqual([200]);
    const few = pointsFromRows([[0], [1], [5], [9]]);
    expect(mixture(few, undefined, { k: 4 }).labels).toHaveLength(4);
    expect(mixture(pointsFromRows([[1], [1], [1]]), undefined, { k: 2 }).labels).toHaveLength(3);
    expect(problemOf(() => mixture(few, undefined, { k: 5 }))).toMatchObject({ code: "k-too-large" });
  });
});
