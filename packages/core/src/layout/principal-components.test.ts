import fc from "fast-check";
import { expect, test } from "vitest";
import type { Points } from "../model/points.js";
import { randomFrom } from "../random/index.js";
import { pointsFromRows } from "../rows.js";
import { tuples } from "../testing/tuples.js";
import { principalComponents } from "./principal-components.js";
import { referenceComponents } from "./principal-components.reference.js";

test("four points on two diagonals, by hand: covariance [[5, 4], [4, 5]], eigenvalues 9 and 1", () => {
  const points = pointsFromRows(tuples("13 23, 7 17, 11 19, 9 21"), ["a", "b"]);
  const { scores, share, loadings, columns } = principalComponents(points);
  expect(share[0]).toBeCloseTo(0.9, 14);
  expect(share[1]).toBeCloseTo(0.1, 14);
  const h = Math.SQRT1_2;
  [h, h].forEach((weight, j) => {
    expect(loadings[0]![j]).toBeCloseTo(weight, 14);
  });
  [h, -h].forEach((weight, j) => {
    expect(loadings[1]![j]).toBeCloseTo(weight, 14);
  });
  [6 * h, 0, -6 * h, 0, 0, 2 * h, 0, -2 * h].forEach((score, at) => {
    expect(scores[at]).toBeCloseTo(score, 13);
  });
  expect(columns).toEqual(["a", "b"]);
});

test.each([5, 32, 45])("%i columns agree with power iteration", (d) => {
  const random = randomFrom(d);
  const spread = Array.from({ length: d }, () => 1 + 5 * random.unit());
  const points = pointsFromRows(Array.from({ length: 80 }, () => spread.map((wide) => wide * random.normal())));
  const { share, loadings } = principalComponents(points, 2);
  const slow = referenceComponents(points, 2);
  for (const c of [0, 1]) {
    expect(share[c]).toBeCloseTo(slow.share[c]!, 9);
    const cosine = slow.loadings[c]!.reduce((s, weight, j) => s + weight * loadings[c]![j]!, 0);
    expect(Math.abs(cosine)).toBeCloseTo(1, 8);
  }
});

test("a nominal column is one-hot times 1/√2: rows of different levels are 1 apart", () => {
  const points: Points = { n: 4, d: 1, x: Float64Array.of(0, 1, 0, 1), nominal: Uint8Array.of(1), names: ["island"] };
  const { scores, share, columns } = principalComponents({ ...points, levels: [["Dream", "Biscoe"]] });
  expect(columns).toEqual(["island = Dream", "island = Biscoe"]);
  expect(Math.abs(scores[0]! - scores[2]!)).toBeCloseTo(1, 14);
  expect(share[0]).toBeCloseTo(1, 14);
});

test("a nominal column with a level per row stays small", () => {
  const n = 5000;
  const points: Points = { n, d: 1, x: Float64Array.from({ length: n }, (_, i) => i), nominal: Uint8Array.of(1) };
  expect(principalComponents(points).columns).toHaveLength(32);
});

test("nothing to spread: one row, equal rows, no row, one column", () => {
  for (const rows of [
    [[3, 4]],
    [
      [1, 1],
      [1, 1],
    ],
  ]) {
    const { scores, share } = principalComponents(pointsFromRows(rows));
    expect(share).toEqual([0, 0]);
    expect([...scores].every((score) => score === 0)).toBe(true);
  }
  expect(principalComponents({ n: 0, d: 2, x: new Float64Array(0) }).share).toEqual([0, 0]);
  const line = principalComponents(pointsFromRows([[1], [3]]));
  expect([...line.scores]).toEqual([-1, 0, 1, 0]);
  expect(line.share).toEqual([1, 0]);
});

test("loadings are unit vectors at right angles, the largest weight positive; scores carry their share", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 3 }), { minLength: 4, maxLength: 30 }),
      (rows) => {
        const points = pointsFromRows(rows);
        const { scores, share, loadings } = principalComponents(points);
        const mean = [0, 1, 2].map((j) => rows.reduce((s, row) => s + row[j]!, 0) / rows.length);
        const total = rows.reduce((s, row) => s + row.reduce((t, v, j) => t + (v - mean[j]!) ** 2, 0), 0);
        fc.pre(total > 0);
        const [p, q] = loadings as [Float64Array, Float64Array];
        expect(p.reduce((s, v) => s + v * v, 0)).toBeCloseTo(1, 9);
        expect(p.reduce((s, v, j) => s + v * q[j]!, 0)).toBeCloseTo(0, 9);
        for (const c of [0, 1] as const) {
          expect(Math.max(...loadings[c]!)).toBeGreaterThanOrEqual(-Math.min(...loadings[c]!) * (1 - 1e-8));
          const along = scores.reduce((s, score, at) => (at % 2 === c ? s + score * score : s), 0);
          expect(along / total).toBeCloseTo(share[c]!, 9);
        }
        expect(share[0]!).toBeGreaterThanOrEqual(share[1]! - 1e-12);
      },
    ),
  );
});
