import { expect, test } from "vitest";
import { closeConstraints, constraints } from "../../constraints/index.js";
import { randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { type NearestRows, nearestRowSteps } from "../neighbours/nearest-rows.js";
import { type MapOptions, neighbourhoodMapSteps } from "./neighbourhood-map.js";

const [GROUPS, EACH, D, K] = [6, 50, 12, 10];
const N = GROUPS * EACH;

/** Groups of rows, far apart in a space in which a plane of two columns does not separate them. */
function groups(seed = 1): Float64Array {
  const random = randomFrom(seed);
  const x = new Float64Array(N * D);
  for (let i = 0; i < N; i++)
    for (let f = 0; f < D; f++) x[i * D + f] = (f === 2 + (i % GROUPS) ? 6 : 0) + random.normal() * (f < 2 ? 3 : 0.7);
  return x;
}

const x = groups();
const nearest = drain(nearestRowSteps({ n: N, d: D, x }, K));
const start = Float64Array.from({ length: 2 * N }, (_, p) => x[(p >> 1) * D + (p & 1)]!);
const place = (options: Partial<MapOptions> = {}, graph: NearestRows = nearest) =>
  drain(neighbourhoodMapSteps(graph, { random: randomFrom(1), start, ...options }));
const distance = (at: ArrayLike<number>, i: number, j: number) =>
  Math.hypot(at[2 * i]! - at[2 * j]!, at[2 * i + 1]! - at[2 * j + 1]!);
const meanDistance = (at: ArrayLike<number>, pairs: readonly (readonly [number, number])[]) =>
  pairs.reduce((sum, [i, j]) => sum + distance(at, i, j) / pairs.length, 0);
const widthOf = (at: Float64Array) => Math.max(...at) - Math.min(...at);

test("rows of a group are near each other, although the start mixes the groups", () => {
  const at = place();
  let right = 0;
  for (let i = 0; i < N; i++) {
    const others = Array.from({ length: N }, (_, j) => j).filter((j) => j !== i);
    const near = others.sort((a, b) => distance(at, i, a) - distance(at, i, b)).slice(0, 5);
    right += near.filter((j) => j % GROUPS === i % GROUPS).length;
  }
  expect(right / (5 * N)).toBeGreaterThan(0.98);
});

test("the same bytes each time, other bytes with another seed", () => {
  expect(place()).toEqual(place());
  expect(place({ random: randomFrom(2) })).not.toEqual(place());
});

test("known positions move little, and a new row starts beside its neighbours", () => {
  const at = place();
  const before = Float32Array.from(at);
  const isNew = (i: number) => i % 25 === 3;
  for (let i = 0; i < N; i++) if (isNew(i)) before.fill(NaN, 2 * i, 2 * i + 2);
  const after = place({ before });
  const moves = Array.from({ length: N }, (_, i) => Math.hypot(at[2 * i]! - after[2 * i]!, at[2 * i + 1]! - after[2 * i + 1]!));
  const [old, fresh] = [moves.filter((_, i) => !isNew(i)), moves.filter((_, i) => isNew(i))];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value / values.length, 0);
  expect(mean(old)).toBeLessThan(0.03 * widthOf(at));
  expect(mean(fresh)).toBeLessThan(0.15 * widthOf(at));
});

test("must-links pull together and cannot-links push apart, while other rows stay", () => {
  const at = place();
  const must = Array.from({ length: 8 }, (_, c) => [6 * c, 6 * c + 1] as const);
  const cannot = Array.from({ length: 8 }, (_, c) => [6 * c + 2, 6 * (c + 20) + 2] as const);
  const points = pointsFromRows(Array.from({ length: N }, (_, i) => [...x.subarray(i * D, (i + 1) * D)]));
  const set = constraints(points, { mustLink: must.map(([a, b]) => [a, b]), cannotLink: cannot.map(([a, b]) => [a, b]) });
  const after = place({ before: Float32Array.from(at), closure: closeConstraints(set) });
  expect(meanDistance(after, must)).toBeLessThan(meanDistance(at, must));
  expect(meanDistance(after, cannot)).toBeGreaterThan(meanDistance(at, cannot));
});

test("equal rows, and a table of two rows, have finite positions", () => {
  const same = drain(nearestRowSteps({ n: 40, d: 9, x: new Float64Array(360) }, 5));
  const at = drain(neighbourhoodMapSteps(same, { random: randomFrom(1), start: new Float64Array(80) }));
  expect(at.every(Number.isFinite)).toBe(true);
  const two = drain(nearestRowSteps({ n: 2, d: 1, x: Float64Array.of(1, 2) }, 5));
  expect(
    drain(neighbourhoodMapSteps(two, { random: randomFrom(1), start: Float64Array.of(0, 0, 1, 1) })).every(Number.isFinite),
  ).toBe(true);
});
