import { CHUNK_ROWS, type F32, type F64, type Kernels, plainKernels } from "@coterie/core/internal";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { tuples } from "../../core/src/testing/tuples.js";
import { createKernels, createSimdKernels } from "./index.js";
import { firstDifference } from "./testing/bits.js";
import { noise, type Rows, tables } from "./testing/tables.js";

const simd = createSimdKernels();
const threaded = await createKernels({ threads: 2 });
afterAll(() => threaded.dispose());

/** Rows repeated side by side until they are wide enough to be screened. */
function widened({ n, d, x }: Rows): Rows {
  const times = Math.ceil(24 / d);
  const wide = d * times;
  return { n, d: wide, x: Float64Array.from({ length: n * wide }, (_, p) => x[Math.floor(p / wide) * d + (p % d)]!) };
}

function clouds(n: number, d: number, seed: number): Rows {
  const values = noise(n * d, seed);
  const middles = noise(9 * d, seed + 1);
  return { n, d, x: values.map((value, p) => middles[(Math.floor(p / d) % 9) * d + (p % d)]! + 0.8 * (value - 0.5)) };
}

/** What a start takes and sees, round after round. */
function seeded(
  kernels: Kernels,
  { n, d, x }: Rows,
  type: "f64" | "f32",
  rounds: readonly (readonly number[])[],
  weighted = false,
): Float64Array[] {
  const arena = kernels.arena();
  try {
    const rows: F64 | F32 = arena[type](n * d);
    rows.view().set(x);
    const weights = weighted ? arena.f64(n) : null;
    weights?.view().set(Float64Array.from({ length: n }, (_, i) => (i % 7) / 2));
    const state = kernels.seeding(rows, n, d, arena, kernels.screen(rows, n, d, arena), weights);
    return rounds.flatMap((candidates) => {
      const sums = state.tryRows(Int32Array.from(candidates, (row) => row % n));
      state.take(candidates[0]! % candidates.length);
      return [sums, state.nearest(0, n)];
    });
  } finally {
    arena.release();
  }
}

test("a start on screened rows has the plain one's bits, whatever the rows and candidates", () => {
  const rounds = fc.array(fc.array(fc.nat(100), { minLength: 1, maxLength: 7 }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(tables(50, 9), rounds, fc.boolean(), fc.boolean(), (narrow, tried, single, weighted) => {
      const rows = widened(narrow);
      // A weight of 0 times a square that overflows is not a number, and engines differ in its bits.
      fc.pre(!weighted || rows.x.every((value) => Math.abs(value) < 1e150));
      const type = single && rows.x.every((value) => Math.abs(value) < 1e18) ? "f32" : "f64";
      const plain = seeded(plainKernels, rows, type, tried, weighted);
      seeded(simd, rows, type, tried, weighted).forEach((values, at) => {
        expect(firstDifference(values, plain[at]!)).toBe(-1);
      });
    }),
    { numRuns: 100 },
  );
});

test("a start over several chunks, on threads, and on rows that are too narrow to be screened", () => {
  for (const rows of [clouds(CHUNK_ROWS + 77, 33, 5), clouds(700, 3, 6)]) {
    const tried = [[3], [1, 200, 5000, 4100, 9, 77], [4, 4, 600, 12, 13], [9, 10]];
    const plain = seeded(plainKernels, rows, "f64", tried);
    for (const kernels of [simd, threaded]) {
      seeded(kernels, rows, "f64", tried).forEach((values, at) => {
        expect(firstDifference(values, plain[at]!)).toBe(-1);
      });
    }
  }
});

/** Labels, counts and sums of some rounds of Lloyd's algorithm. */
function lloyd(kernels: Kernels, { n, d, x }: Rows, k: number, rounds: number): (Float64Array | Int32Array)[] {
  const arena = kernels.arena();
  try {
    const rows = arena.f64(n * d);
    rows.view().set(x);
    const screen = kernels.screen(rows, n, d, arena);
    const state = kernels.kmeans(rows, n, d, k, arena, { bounds: true, screen });
    let centres = Float64Array.from({ length: k * d }, (_, p) => x[((Math.floor(p / d) * 7) % n) * d + (p % d)]!);
    const seen: (Float64Array | Int32Array)[] = [];
    for (let round = 0; round < rounds; round++) {
      state.setCentres(centres);
      const changed = state.assign(0, n);
      const { sums, counts } = state.sums();
      seen.push(state.labels(), sums, counts, Int32Array.of(changed));
      centres = sums.map((sum, p) => {
        const count = counts[Math.floor(p / d)]!;
        return count === 0 ? centres[p]! : sum / count;
      });
    }
    return seen;
  } finally {
    arena.release();
  }
}

test("assignments on screened rows are those of a full scan, whatever the rows", () => {
  fc.assert(
    fc.property(tables(60, 9), fc.integer({ min: 1, max: 13 }), (narrow, k) => {
      const rows = widened(narrow);
      const plain = lloyd(plainKernels, rows, k, 4);
      lloyd(simd, rows, k, 4).forEach((values, at) => {
        expect(firstDifference(values, plain[at]!)).toBe(-1);
      });
    }),
    { numRuns: 150 },
  );
});

test("assignments on screened rows over several chunks, on threads, to the end", () => {
  const rows = clouds(CHUNK_ROWS + 300, 40, 8);
  const plain = lloyd(plainKernels, rows, 11, 8);
  for (const kernels of [simd, threaded]) {
    lloyd(kernels, rows, 11, 8).forEach((values, at) => {
      expect(firstDifference(values, plain[at]!)).toBe(-1);
    });
  }
});

test("squares to centres have the plain kernel's bits", () => {
  for (const [n, k, d] of tuples("1 1 1, 7 5 3, 301 13 29")) {
    const rows = noise(n * d, 3);
    const centres = noise(k * d, 4);
    const plain = plainKernels.squares(rows, n, centres, k, d);
    for (const kernels of [simd, threaded]) expect(firstDifference(kernels.squares(rows, n, centres, k, d), plain)).toBe(-1);
  }
});
