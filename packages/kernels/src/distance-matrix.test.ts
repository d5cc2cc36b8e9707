import { type F32, type F64, type Kernels, MATRIX_ROWS, type Metric, pairKernelsOf, plainKernels } from "@coterie/core/internal";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createKernels, createSimdKernels } from "./index.js";
import { firstDifference } from "./testing/bits.js";
import { noise, type Rows, tables } from "./testing/tables.js";

type Numbers = "f64" | "f32";

const simd = createSimdKernels();
const threaded = await createKernels({ threads: 3 });
afterAll(() => threaded.dispose());

/** The whole matrix, filled in two ranges, and whether it was expanded. */
function matrixOf(kernels: Kernels, metric: Metric, { n, d, x }: Rows, from: Numbers = "f64", to: Numbers = "f64") {
  const arena = kernels.arena();
  try {
    const out: F64 | F32 = arena[to](n * n);
    out.view().fill(7);
    const rows: F64 | F32 = arena[from](n * d);
    rows.view().set(x);
    const ranges = arena.f64(d);
    ranges.view().fill(1);
    const state = pairKernelsOf(kernels).distanceMatrix(metric, rows, n, d, metric === "gower" ? ranges : null, out, arena);
    const cut = Math.min(n, MATRIX_ROWS);
    state.fill(0, cut);
    if (cut < n) state.fill(cut, n);
    return { expanded: state.expanded, matrix: out.view().slice() };
  } finally {
    arena.release();
  }
}

/** Rows about `count` middles, and copies of some, moved off by `offset`. */
function clouds(n: number, d: number, seed: number, offset: number, spread: number): Rows {
  const values = noise(n * d, seed);
  const middles = noise(5 * d, seed + 1);
  const x = values.map((value, p) => offset + middles[(Math.floor(p / d) % 5) * d + (p % d)]! + spread * (value - 0.5));
  x.copyWithin(d * (n - 3), 0, 3 * d);
  return { n, d, x };
}

/** A squared distance in numbers of many more digits: values become whole multiples of 2⁻¹⁰⁷⁴ times a power of two. */
function exactDistance(x: Float64Array, p: number, q: number, d: number): number {
  const scale = 2 ** 60;
  let sum = 0n;
  for (let f = 0; f < d; f++) {
    const a = wholeOf(x[p + f]!, scale);
    const b = wholeOf(x[q + f]!, scale);
    sum += (a - b) * (a - b);
  }
  // A root of 53 digits more than are needed, then back to a double.
  return Number(root(sum << 80n)) / 2 ** 40 / scale;
}

/** value · 2⁶⁰, exactly: two steps keep each product whole. */
function wholeOf(value: number, scale: number): bigint {
  const high = Math.floor(value);
  return BigInt(high) * BigInt(scale) + BigInt((value - high) * scale);
}

function root(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

describe.each(["euclidean", "sqeuclidean", "hamming", "gower", "cosine"] as const)("%s", (metric) => {
  test("the fast matrix has the plain one's bits, for any rows and numbers, and threads change none", () => {
    fc.assert(
      fc.property(
        tables(20, 40),
        fc.constantFrom("f64" as const, "f32" as const),
        fc.constantFrom("f64" as const, "f32" as const),
        (rows, asked, to) => {
          const from = rows.x.every((value) => Math.abs(value) < 1e38) ? asked : "f64";
          const plain = matrixOf(plainKernels, metric, rows, from, to);
          const fast = matrixOf(simd, metric, rows, from, to);
          expect(fast.expanded).toBe(plain.expanded);
          expect(firstDifference(fast.matrix, plain.matrix)).toBe(-1);
        },
      ),
      { numRuns: 60 },
    );
    for (const [from, to] of [
      ["f64", "f64"],
      ["f64", "f32"],
      ["f32", "f32"],
      ["f32", "f64"],
    ] as const) {
      const rows = clouds(203, 45, 3, 0, 0.3);
      const plain = matrixOf(plainKernels, metric, rows, from, to);
      expect(firstDifference(matrixOf(simd, metric, rows, from, to).matrix, plain.matrix)).toBe(-1);
      expect(firstDifference(matrixOf(threaded, metric, rows, from, to).matrix, plain.matrix)).toBe(-1);
      for (let i = 0; i < rows.n; i++) {
        expect(plain.matrix[i * rows.n + i]).toBe(0);
        expect(plain.matrix[i]).toBe(plain.matrix[i * rows.n]);
      }
    }
  });
});

test.each([
  ["rows near each other", clouds(120, 64, 5, 0, 1e-3)],
  ["rows far from the origin", clouds(120, 64, 6, 1000, 0.5)],
  ["a row far off", withOutlier(clouds(120, 64, 7, 0, 0.5), 1e4)],
  ["a row so far off that all others are near", withOutlier(clouds(120, 64, 8, 0, 0.5), 1e9)],
])("distances are right to 1e-14: %s", (_, rows) => {
  const { n, d, x } = rows;
  const { matrix } = matrixOf(simd, "euclidean", rows);
  for (let i = 0; i < n; i += 3) {
    for (let j = i + 1; j < n; j += 2) {
      const exact = exactDistance(x, i * d, j * d, d);
      expect(Math.abs(matrix[i * n + j]! - exact)).toBeLessThanOrEqual(1e-14 * exact);
    }
  }
  expect(matrix[n - 3]).toBe(0);
});

test("most pairs near: differences are summed from the start", () => {
  expect(matrixOf(simd, "euclidean", clouds(120, 64, 5, 0, 0.5)).expanded).toBe(true);
  expect(matrixOf(simd, "euclidean", withOutlier(clouds(120, 64, 8, 0, 0.5), 1e9)).expanded).toBe(false);
});

test("singles from singles are right to about six digits", () => {
  const rows = clouds(120, 384, 9, 0, 0.5);
  rows.x.set(Float32Array.from(rows.x));
  const exact = matrixOf(simd, "euclidean", rows).matrix;
  const single = matrixOf(simd, "euclidean", rows, "f32", "f32").matrix;
  exact.forEach((value, p) => {
    expect(Math.abs(single[p]! - value)).toBeLessThanOrEqual(2e-6 * value);
  });
});

function withOutlier({ n, d, x }: Rows, far: number): Rows {
  const moved = x.slice();
  for (let f = 0; f < d; f++) moved[7 * d + f]! += far;
  return { n, d, x: moved };
}

test("moments have the plain kernel's bits, over several chunks and threads", () => {
  const n = 9001;
  const d = 5;
  const x = noise(n * d, 4);
  const of = (kernels: Kernels, type: Numbers) => {
    const arena = kernels.arena();
    const rows: F64 | F32 = arena[type](n * d);
    rows.view().set(x);
    const { mean, squares } = kernels.moments(rows, n, d);
    arena.release();
    return Float64Array.of(...mean, ...squares);
  };
  for (const type of ["f64", "f32"] as const) {
    const plain = of(plainKernels, type);
    expect(firstDifference(of(simd, type), plain)).toBe(-1);
    expect(firstDifference(of(threaded, type), plain)).toBe(-1);
    expect(plain[0]).toBeCloseTo(0.5, 1);
    expect(plain[d]! / n).toBeCloseTo(1 / 12, 2);
  }
});
