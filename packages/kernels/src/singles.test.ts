import { CHUNK_ROWS, type Kernels, type KMeansState, memoryOf, plainKernels, rowMemory } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHost } from "./create-host.js";
import { createKernels, createSimdKernels } from "./index.js";
import { simdKMeans, simdSeeding } from "./kmeans.js";
import { emptyScreen, screenUnder } from "./screen.js";

import { firstDifference } from "./testing/bits.js";
import { noise } from "./testing/tables.js";

const simd = createSimdKernels();

/** All that a state of k-means says over a few steps, with metrics in between where it takes them, as one array. */
function saidBy(state: KMeansState, n: number, d: number, k: number, bounds: boolean): Float64Array {
  const said: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const centres = noise(k * d, turn + 1);
    state.setCentres(centres);
    said.push(state.assign(0, n), ...state.labels(), ...state.sums().sums, state.inertia(), ...state.distances());
    said.push(...state.scatter(centres, turn === 1), ...state.farthest(noise(d, 7)).squares);
    if (bounds) continue;
    const factors = noise(k * d, turn + 11);
    state.setCentres(centres, { factors, offsets: noise(k, 5) });
    said.push(state.assign(0, n), ...state.labels());
    state.setCentres(centres, { factors: factors.slice(0, d), offsets: null });
    said.push(state.assign(0, n), ...state.labels());
  }
  return Float64Array.from(said);
}

function stateOver(kernels: Kernels, x: Float64Array | Float32Array, n: number, k: number, bounds: boolean): KMeansState {
  const arena = kernels.arena();
  const d = x.length / n;
  const rows = arena.rows(x);
  return kernels.kmeans(rows, n, d, k, arena, { bounds, screen: bounds ? kernels.screen(rows, n, d, arena) : null });
}

test("rows of singles give the bits of the same numbers as doubles, in every kernel of k-means", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(),
      fc.constantFrom(1, 1e-30, 1e20),
      (n, d, k, seed, scale) => {
        const singles = Float32Array.from(noise(n * d, seed), (value) => (value - 0.3) * scale);
        for (const bounds of [false, true]) {
          const expected = saidBy(stateOver(plainKernels, Float64Array.from(singles), n, k, bounds), n, d, k, bounds);
          for (const kernels of [plainKernels, simd])
            expect(firstDifference(saidBy(stateOver(kernels, singles, n, k, bounds), n, d, k, bounds), expected)).toBe(-1);
        }
      },
    ),
    { numRuns: 80 },
  );
});

test("many rows of singles, screened and on threads", async () => {
  const [n, d, k] = [CHUNK_ROWS + 300, 26, 9];
  const singles = Float32Array.from(noise(n * d, 3));
  const two = await createKernels({ threads: 2 });
  const expected = saidBy(stateOver(plainKernels, Float64Array.from(singles), n, k, true), n, d, k, true);
  for (const kernels of [simd, two])
    expect(firstDifference(saidBy(stateOver(kernels, singles, n, k, true), n, d, k, true), expected)).toBe(-1);
  two.dispose();
});

test("rows in a memory for kernels are worked on where they are, by the first kernels that are made over it", async () => {
  const [n, d, k] = [500, 3, 4];
  const rows = rowMemory(n * d);
  rows.set(noise(n * d, 9));
  const memory = memoryOf(rows);
  const expected = saidBy(stateOver(plainKernels, Float64Array.from(rows), n, k, true), n, d, k, true);
  const first = await createKernels({ threads: 2, memory });
  const second = await createKernels({ threads: 1, memory });
  for (const kernels of [first, second])
    expect(firstDifference(saidBy(stateOver(kernels, rows, n, k, true), n, d, k, true), expected)).toBe(-1);
  // A copy would not see this; no other block lies over the rows.
  const lent = first.arena().rows(rows.subarray(d));
  const copied = second.arena().rows(rows.subarray(d));
  rows[d] = 42;
  expect([lent.view()[0], copied.view()[0]]).toEqual([memory ? 42 : copied.view()[0], copied.view()[0]]);
  expect(copied.view()[0]).not.toBe(42);
  first.arena().f64(100_000).view().fill(1);
  expect(rows[n * d - 1]).toBe(Math.fround(noise(n * d, 9)[n * d - 1]!));
  first.dispose();
  second.dispose();
});

test("integers of rows that are not kept, but made again, decide the same", () => {
  const host = createHost(2 ** 26);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 24, max: 35 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(),
      (n, d, k, seed) => {
        const singles = Float32Array.from(noise(n * d, seed), (value) => value - 0.5);
        const arena = host.arena();
        const x = arena.rows(singles);
        const screen = emptyScreen(host, x, n, d, arena, false);
        screenUnder(host, screen, x, null);
        const state = simdKMeans(host, x, n, d, k, arena, { bounds: true, screen });
        const wide = Float64Array.from(singles);
        const expected = saidBy(stateOver(plainKernels, wide, n, k, true), n, d, k, true);
        expect(firstDifference(saidBy(state, n, d, k, true), expected)).toBe(-1);
        const starts = [
          simdSeeding(host, x, n, d, arena, screen),
          plainKernels.seeding(plainKernels.arena().rows(wide), n, d, plainKernels.arena()),
        ];
        for (const tried of [[0], [n - 1, 1 % n, 2 % n], [3 % n, 4 % n, 5 % n, 6 % n, 7 % n, 8 % n]]) {
          const [fast, plain] = starts.map((start) => start.tryRows(Int32Array.from(tried)));
          expect(firstDifference(fast!, plain!)).toBe(-1);
          for (const start of starts) start.take(0);
          expect(firstDifference(starts[0]!.nearest(0, n), starts[1]!.nearest(0, n))).toBe(-1);
        }
        arena.release();
      },
    ),
    { numRuns: 80 },
  );
});
