import { CHUNK_ROWS, type Kernels, type KMeansState, plainKernels } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKernels, createSimdKernels } from "./index.js";
import { firstDifference } from "./testing/bits.js";
import { noise, type Rows, tables } from "./testing/tables.js";

const simd = createSimdKernels();

/** Opens states of several kernel sets over the same rows and runs `use` with them. */
function withStates(
  rows: Rows,
  k: number,
  sets: readonly (readonly [Kernels, boolean])[],
  use: (states: KMeansState[]) => void,
): void {
  const arenas = sets.map(([kernels]) => kernels.arena());
  try {
    const states = sets.map(([kernels, bounds], s) => {
      const x = arenas[s]!.f64(rows.n * rows.d);
      x.view().set(rows.x);
      return kernels.kmeans(x, rows.n, rows.d, k, arenas[s]!, { bounds });
    });
    use(states);
  } finally {
    for (const arena of arenas) arena.release();
  }
}

/** One step on all states, in two ranges of rows if there are two chunks; they must agree in every bit. Returns the means. */
function step(
  states: readonly KMeansState[],
  rows: Rows,
  centres: Float64Array,
): { readonly means: Float64Array; readonly changed: number } {
  const cut = Math.min(CHUNK_ROWS, rows.n);
  const outcomes = states.map((state) => {
    state.setCentres(centres);
    const changed = state.assign(0, cut) + (cut < rows.n ? state.assign(cut, rows.n) : 0);
    const numbers = Float64Array.of(changed, state.inertia());
    return { numbers, labels: state.labels(), ...state.sums(), distances: state.distances() };
  });
  const first = outcomes[0]!;
  for (const other of outcomes) {
    for (const what of ["labels", "numbers", "sums", "counts", "distances"] as const)
      expect(firstDifference(other[what], first[what]), what).toBe(-1);
  }
  const means = first.sums.map((sum, p) => {
    const count = first.counts[Math.floor(p / rows.d)]!;
    return count === 0 ? centres[p]! : sum / count;
  });
  return { means, changed: first.numbers[0]! };
}

test("the fast kernel has the plain one's bits, with bounds and without, whatever way the centres go", () => {
  fc.assert(
    fc.property(
      tables(60, 7),
      fc.integer({ min: 1, max: 19 }),
      fc.array(fc.record({ row: fc.nat(60), centre: fc.nat(19), share: fc.constantFrom(0, 1e-12, 1e-7, 0.01, 0.5, 1) }), {
        minLength: 2,
        maxLength: 12,
      }),
      (rows, k, moves) => {
        const { n, d, x } = rows;
        withStates(
          rows,
          k,
          [
            [plainKernels, false],
            [simd, false],
            [simd, true],
          ],
          (states) => {
            let centres = Float64Array.from({ length: k * d }, (_, p) => x[(p * 7) % (n * d)]!);
            for (const { row, centre, share } of moves) {
              centres = step(states, rows, centres).means.slice();
              for (let f = 0; f < d; f++) {
                const p = (centre % k) * d + f;
                centres[p] = centres[p]! * (1 - share) + x[(row % n) * d + f]! * share;
              }
            }
          },
        );
      },
    ),
    { numRuns: 300 },
  );
});

/** Under metrics: labels, sums, scatters and farthest rows of all states, which must agree in every bit. */
function stepUnderMetrics(states: readonly KMeansState[], rows: Rows, k: number, seed: number, shared = false): void {
  const { n, d } = rows;
  const numbers = noise(2 * k * d + k, seed);
  const centres = numbers.slice(0, k * d);
  const all = numbers.slice(k * d, 2 * k * d).map(Math.abs);
  const metrics = shared ? { factors: all.slice(0, d), offsets: null } : { factors: all, offsets: numbers.slice(2 * k * d) };
  const outcomes = states.map((state) => {
    state.setCentres(centres, metrics);
    state.assign(0, n);
    return {
      labels: state.labels(),
      sums: state.sums().sums,
      together: state.scatter(centres, false),
      apart: state.scatter(centres, true),
      farthest: state.farthest(metrics.factors),
      first: state.farthest(metrics.factors.slice(0, d)),
    };
  });
  const expected = outcomes[0]!;
  for (const other of outcomes) {
    for (const what of ["labels", "sums", "together", "apart"] as const)
      expect(firstDifference(other[what], expected[what]), what).toBe(-1);
    for (const which of ["farthest", "first"] as const) {
      expect(firstDifference(other[which].rows, expected[which].rows), "farthest rows").toBe(-1);
      expect(firstDifference(other[which].squares, expected[which].squares), "farthest squares").toBe(-1);
    }
  }
}

test("under metrics the fast kernel has the plain one's bits, and without them again afterwards", () => {
  fc.assert(
    fc.property(tables(60, 7), fc.integer({ min: 1, max: 19 }), fc.nat(), (rows, k, seed) => {
      const sets = [
        [plainKernels, false],
        [simd, false],
      ] as const;
      withStates(rows, k, sets, (states) => {
        stepUnderMetrics(states, rows, k, seed);
        step(states, rows, noise(k * rows.d, seed + 1));
        stepUnderMetrics(states, rows, k, seed + 2, true);
        stepUnderMetrics(states, rows, k, seed + 3);
      });
    }),
    { numRuns: 150 },
  );
  withStates({ n: 2, d: 1, x: Float64Array.of(1, 2) }, 1, [[simd, true]], ([state]) => {
    expect(() => state!.setCentres(Float64Array.of(1), { factors: Float64Array.of(1), offsets: Float64Array.of(0) })).toThrow(
      "takes no metrics",
    );
  });
});

test("rows that are given labels are summed by them as the plain one does, and by the nearest centres again afterwards", () => {
  const [n, d, k] = [CHUNK_ROWS + 21, 3, 5];
  const rows = { n, d, x: noise(n * d, 5) };
  const centres = noise(k * d, 6);
  const sets = [
    [plainKernels, false],
    [simd, false],
    [simd, true],
  ] as const;
  withStates(rows, k, sets, (states) => {
    step(states, rows, centres);
    const nearest = states[0]!.labels();
    const given = nearest.map((label, i) => (i % 3 === 0 ? (label + i) % k : label));
    const onto = noise(k * d, 7);
    const found = states.map((state) => {
      state.relabel(given);
      return { ...state.sums(onto), inertia: state.inertia(), scatter: state.scatter(centres, true, onto) };
    });
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
    for (const state of states) state.relabel(nearest);
    step(states, rows, noise(k * d, 8));
  });
});

test("metrics over several chunks and threads", async () => {
  const n = 2 * CHUNK_ROWS + 33;
  const two = await createKernels({ threads: 2 });
  withStates(
    { n, d: 5, x: noise(n * 5, 7) },
    6,
    [
      [plainKernels, false],
      [simd, false],
      [two, false],
    ],
    (states) => stepUnderMetrics(states, { n, d: 5, x: noise(n * 5, 7) }, 6, 3),
  );
  two.dispose();
});

test("several chunks and threads, to convergence and past the last time that is kept", async () => {
  const n = 3 * CHUNK_ROWS + 77;
  const d = 6;
  const k = 14;
  const rows = { n, d, x: noise(n * d, 11) };
  const two = await createKernels({ threads: 2 });
  const four = await createKernels({ threads: 4 });
  withStates(
    rows,
    k,
    [
      [plainKernels, false],
      [simd, false],
      [simd, true],
      [two, true],
      [four, true],
    ],
    (states) => {
      let centres: Float64Array = rows.x.slice(0, k * d);
      let steps = 0;
      for (let changed = n; changed > 0 && steps < 150; steps++) ({ means: centres, changed } = step(states, rows, centres));
      expect(steps).toBeGreaterThan(70);
    },
  );
  two.dispose();
  four.dispose();
});

test("with bounds, a row far from every border is not even read again", () => {
  const rows = { n: 4, d: 1, x: Float64Array.of(0, 1, 10, 11) };
  const arena = simd.arena();
  const x = arena.f64(4);
  x.view().set(rows.x);
  const state = simd.kmeans(x, 4, 1, 2, arena, { bounds: true });
  state.setCentres(Float64Array.of(0, 10));
  expect(state.assign(0, 4)).toBe(4);
  x.view().reverse();
  state.setCentres(Float64Array.of(0.5, 10.5));
  expect(state.assign(0, 4)).toBe(0);
  state.setCentres(Float64Array.of(-21, 20));
  expect(state.assign(0, 4)).toBe(2);
  expect([...state.labels()]).toEqual([1, 1, 1, 1]);
  arena.release();
});
