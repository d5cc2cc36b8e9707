import fc from "fast-check";
import { expect, test } from "vitest";
import { plainKernels } from "./index.js";
import { CHUNK_ROWS } from "./kernels.js";
import { sumOfChunks } from "./rows.js";

function openState(rows: readonly (readonly number[])[], k: number) {
  const d = rows[0]!.length;
  const arena = plainKernels.arena();
  const x = arena.f64(rows.length * d);
  x.view().set(rows.flat());
  return plainKernels.kmeans(x, rows.length, d, k, arena, { bounds: true });
}

test("0 1 10 11 with centres 1 and 10: traced by hand", () => {
  const state = openState([[0], [1], [10], [11]], 2);
  state.setCentres(Float64Array.of(1, 10));
  expect(state.assign(0, 4)).toBe(4);
  expect([...state.labels()]).toEqual([0, 0, 1, 1]);
  expect([...state.distances()]).toEqual([1, 0, 0, 1]);
  expect(state.inertia()).toBe(2);
  expect(state.sums()).toEqual({ sums: Float64Array.of(1, 21), counts: Int32Array.of(2, 2) });
  state.setCentres(Float64Array.of(0.5, 10.5));
  expect(state.inertia()).toBe(1);
  expect(state.assign(0, 4)).toBe(0);
  state.setCentres(Float64Array.of(0.5, 1.5));
  expect(state.assign(0, 4)).toBe(0);
  state.setCentres(Float64Array.of(11, 0));
  expect(state.assign(0, 4)).toBe(4);
});

test("each row has the nearest centre, the lower of two", () => {
  const row = (d: number) => fc.array(fc.integer({ min: -3, max: 3 }), { minLength: d, maxLength: d });
  const cases = fc.integer({ min: 1, max: 4 }).chain((d) =>
    fc.record({
      rows: fc.array(row(d), { minLength: 1, maxLength: 20 }),
      centres: fc.array(row(d), { minLength: 1, maxLength: 6 }),
    }),
  );
  fc.assert(
    fc.property(cases, ({ rows, centres }) => {
      const state = openState(rows, centres.length);
      state.setCentres(Float64Array.from(centres.flat()));
      state.assign(0, rows.length);
      const squares = rows.map((a) => centres.map((c) => c.reduce((sum, value, f) => sum + (value - a[f]!) ** 2, 0)));
      const nearest = squares.map((line) => line.indexOf(Math.min(...line)));
      expect([...state.labels()]).toEqual(nearest);
      expect([...state.distances()]).toEqual(squares.map((line) => Math.min(...line)));
      const { sums, counts } = state.sums();
      centres.forEach((_, c) => {
        const members = rows.filter((_, i) => nearest[i] === c);
        expect(counts[c]).toBe(members.length);
        const d = rows[0]!.length;
        expect([...sums.slice(c * d, (c + 1) * d)]).toEqual(
          rows[0]!.map((_, f) => members.reduce((sum, member) => sum + member[f]!, 0)),
        );
      });
    }),
  );
});

test("sums go by chunks of rows, and inertia by four lanes in a chunk", () => {
  const n = CHUNK_ROWS + 5;
  const values = Float64Array.from({ length: n }, (_, i) => 1 / (i + 1));
  const state = openState(
    Array.from(values, (value) => [value]),
    1,
  );
  state.setCentres(Float64Array.of(0));
  state.assign(0, CHUNK_ROWS);
  state.assign(CHUNK_ROWS, n);

  const straight = (part: Float64Array) => part.reduce((sum, value) => sum + value, 0);
  const head = values.slice(0, CHUNK_ROWS);
  const tail = values.slice(CHUNK_ROWS);
  expect(state.sums().sums[0]).toBe(straight(head) + straight(tail));

  const lane = (part: Float64Array, l: number) => straight(part.filter((_, i) => i % 4 === l).map((value) => value * value));
  const lanes = (part: Float64Array) => lane(part, 0) + lane(part, 1) + (lane(part, 2) + lane(part, 3));
  expect(state.inertia()).toBe(lanes(head) + lanes(tail));
  expect(state.inertia()).toBe(sumOfChunks(values.map((value) => value * value)));
  expect(state.inertia()).not.toBe(straight(values.map((value) => value * value)));
});

test("under metrics rows are assigned by cost; scatter and farthest rows match their definitions", () => {
  const arena = plainKernels.arena();
  const x = arena.f64(8);
  x.view().set([0, 0, 4, 1, 1, 3, -5, 0]);
  const state = plainKernels.kmeans(x, 4, 2, 2, arena, { bounds: false });
  // Mapped centres (0, 0) and (2, 6): the second metric halves the first feature, doubles the second, and costs 3 more.
  state.setCentres(Float64Array.of(0, 0, 2, 6), { factors: Float64Array.of(1, 1, 0.5, 2), offsets: Float64Array.of(0, 3) });
  state.assign(0, 4);
  // Costs: 0 or 43; 17 or 19; 10 or 5.25; 25 or 59.25.
  expect([...state.labels()]).toEqual([0, 0, 1, 0]);
  expect([...state.scatter(Float64Array.of(0, 0, 1, 1), false)]).toEqual([41, 5]);
  expect([...state.scatter(Float64Array.of(0, 0, 1, 1), true)]).toEqual([41, 1, 0, 4]);
  state.setCentres(Float64Array.of(0, 0, 2, 6), { factors: Float64Array.of(0.5, 2), offsets: null });
  state.assign(0, 4);
  expect([...state.labels()]).toEqual([0, 0, 1, 0]);
  state.setCentres(Float64Array.of(-2, 0, 2, 2), { factors: Float64Array.of(0.5, 2), offsets: null });
  expect(state.assign(0, 4)).toBe(1);
  expect([...state.labels()]).toEqual([0, 1, 1, 0]);
  const { rows, squares } = state.farthest(Float64Array.of(1, 1, 0, 3));
  expect([...rows]).toEqual([3, 2]);
  expect([...squares]).toEqual([25, 81]);
});

test("rows that are given labels are summed by them, onto what is there already", () => {
  const state = openState([[0], [1], [10], [11]], 2);
  state.setCentres(Float64Array.of(1, 10));
  state.assign(0, 4);
  state.relabel(Int32Array.of(0, 1, 1, 1));
  expect([...state.labels()]).toEqual([0, 1, 1, 1]);
  expect(state.sums()).toEqual({ sums: Float64Array.of(0, 22), counts: Int32Array.of(1, 3) });
  const onto = Float64Array.of(5, 7);
  expect([...state.sums(onto).sums]).toEqual([5, 29]);
  expect([...state.scatter(Float64Array.of(0, 10), true, onto)]).toEqual([5, 89]);
  expect([...onto]).toEqual([5, 7]);
});
