import { expect, test } from "vitest";
import { constraints, emptyConstraints } from "../../../constraints/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { tuples } from "../../../testing/tuples.js";
import { mapPoints } from "../../metric/linear-maps.js";
import { rca } from "../../metric/rca.js";
import { kmeans } from "../kmeans.js";
import { rcaKmeans, supervisedMeans } from "./methods.js";

/** Three groups that differ in the sum of two features and have a wide spread in their difference. */
function slanted() {
  const random = randomFrom(2);
  const rows = Array.from({ length: 90 }, (_, i) => {
    const along = 30 * random.normal();
    const across = 4 * (i % 3) + random.normal() / 2;
    return [along + across, -along + across, random.normal()];
  });
  return { ...pointsFromRows(rows), truth: { codes: Int32Array.from(rows, (_, i) => i % 3), names: ["a", "b", "c"] } };
}

test("under the metric, must-linked rows have unit covariance about their means", () => {
  const points = slanted();
  const mustLink = Array.from({ length: 60 }, (_, i) => [i, i + 3] as const);
  const set = constraints(points, { mustLink });
  const mapped = mapPoints(points, rca(points, set, { prior: 0 }).maps);
  const sums = Array.from({ length: 9 }, () => 0);
  let freedom = 0;
  for (let group = 0; group < 3; group++) {
    const rows = Array.from({ length: 21 }, (_, i) => group + 3 * i);
    const mean = [0, 1, 2].map((j) => rows.reduce((sum, i) => sum + mapped.x[i * 3 + j]! / rows.length, 0));
    freedom += rows.length - 1;
    for (const i of rows) {
      for (let p = 0; p < 9; p++) {
        sums[p]! +=
          (mapped.x[i * 3 + Math.floor(p / 3)]! - mean[Math.floor(p / 3)]!) * (mapped.x[i * 3 + (p % 3)]! - mean[p % 3]!);
      }
    }
  }
  sums.forEach((sum, p) => {
    expect(sum / freedom).toBeCloseTo(p % 4 === 0 ? 1 : 0, 9);
  });
});

test("it finds groups that k-means misses; centres are means of the original rows", () => {
  const points = slanted();
  const mustLink = Array.from({ length: 30 }, (_, i) => [i, i + 3] as const);
  const result = rcaKmeans(points, constraints(points, { mustLink }), { k: 3 });
  expect(result.scores!.adjustedRand).toBeGreaterThan(0.95);
  expect(kmeans(points, undefined, { k: 3 }).objective).toBeGreaterThan(0);
  result.centres!.forEach((centre, c) => {
    const rows = [...result.labels.keys()].filter((i) => result.labels[i] === c);
    expect(centre[0]).toBeCloseTo(rows.reduce((sum, i) => sum + points.x[i * 3]!, 0) / rows.length, 9);
  });
  expect(result.metric).toMatchObject({ kind: "full", matrices: [expect.objectContaining({ length: 9 })] });
});

test("without must-links nothing is whitened, whatever the prior: it is k-means, with a notice", () => {
  const points = slanted();
  const none = emptyConstraints(90);
  const apart = constraints(points, { cannotLink: [[0, 1]] });
  for (const prior of [undefined, 0, 3, 1000]) {
    for (const set of [none, apart]) {
      const { maps, notices } = rca(points, set, prior === undefined ? {} : { prior });
      expect(maps.kind).toBe("identity");
      expect(notices).toEqual(["There are no must-links or labels to learn a metric from: distances stay as they are."]);
    }
  }
  const init = [0, 1, 2].map((i) => [...points.x.subarray(3 * i, 3 * i + 3)]);
  const result = rcaKmeans(points, none, { k: 3, init });
  const plain = kmeans(points, undefined, { k: 3, init });
  expect(result.labels).toEqual(plain.labels);
  expect(result.objective).toBeCloseTo(plain.objective!, 6);
  expect([...result.metric!.matrices[0]!]).toEqual([1, 1, 1]);
  expect(result.notices.join()).toContain("distances stay as they are");
});

test("prior 0 is the paper's RCA: the inverse of the chunklets' own covariance, to the last feature", () => {
  // Chunklets (0,0) (2,0) and (5,5) (5,9): their scatter is diag(2, 8), two degrees of freedom, so weights 1 and 1/4.
  const points = pointsFromRows(tuples("0 0, 2 0, 5 5, 5 9, 90 3"));
  const set = constraints(points, { mustLink: tuples("0 1, 2 3") });
  const { metric, notices } = rcaKmeans(points, set, { k: 2, prior: 0 });
  [1, 0, 0, 1 / 4].forEach((weight, p) => {
    expect(metric!.matrices[0]![p]).toBeCloseTo(weight, 12);
  });
  expect(notices).toEqual([]);
});

test("the default prior is the number of columns while the scatter has fewer than 2 d degrees of freedom, then 0", () => {
  const random = randomFrom(3);
  const points = pointsFromRows(Array.from({ length: 30 }, () => [random.normal(), 3 * random.normal(), random.normal()]));
  for (const [links, prior] of tuples("1 3, 5 3, 6 0, 12 0")) {
    const set = constraints(points, { mustLink: Array.from({ length: links }, (_, i) => [2 * i, 2 * i + 1] as const) });
    const learned = (options: object) => rcaKmeans(points, set, { k: 2, ...options }).metric;
    expect(learned({})).toEqual(learned({ prior }));
    expect(learned({})).not.toEqual(learned({ prior: 3 - prior }));
  }
});

test("supervised means, by hand: rows join the nearest mean of a neighbourhood, once", () => {
  const points = pointsFromRows([[0], [2], [3.9], [10], [14], [6.6]]);
  const set = constraints(points, { mustLink: tuples("0 1, 3 4") });
  const result = supervisedMeans(points, set, { k: 2 });
  // Centres 1 and 12; their middle is 6.5.
  expect([...result.labels]).toEqual([0, 0, 0, 1, 1, 1]);
  expect(result.centres!.map(([value]) => value)).toEqual([1, 12]);
  expect(result.objective).toBeCloseTo(1 + 1 + 2.9 ** 2 + 4 + 4 + 5.4 ** 2, 12);
  expect(result.iterations).toBe(1);
});
