import { type F64, type FarthestPair, type FarthestSearch, type Kernels, plainKernels } from "@coterie/core/internal";
import { afterAll, expect, test } from "vitest";
import { createKernels, createSimdKernels } from "./index.js";
import { noise, type Rows } from "./testing/tables.js";

const simd = createSimdKernels();
const threaded = await createKernels({ threads: 2 });
afterAll(() => threaded.dispose());

/** All pairs, by definition. */
function byDefinition({ n, d, x }: Rows, metric: Float64Array | null): FarthestPair {
  const z = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    for (let q = 0; q < d; q++) {
      if (metric === null || metric.length === d) z[i * d + q] = x[i * d + q]! * (metric?.[q] ?? 1);
      else for (let j = 0; j < d; j++) z[i * d + q]! += metric[q * d + j]! * x[i * d + j]!;
    }
  }
  let best = { a: 0, b: 1, square: -1 };
  for (let a = 0; a < n; a++) {
    for (let b = a + 1; b < n; b++) {
      let square = 0;
      for (let f = 0; f < d; f++) square += (z[a * d + f]! - z[b * d + f]!) * (z[a * d + f]! - z[b * d + f]!);
      if (square > best.square) best = { a, b, square };
    }
  }
  return best;
}

function withSearch(kernels: Kernels, { n, d, x }: Rows, use: (search: FarthestSearch, rows: F64) => void): void {
  const arena = kernels.arena();
  try {
    const rows = arena.f64(n * d);
    rows.view().set(x);
    use(kernels.farthest(rows, n, d), rows);
  } finally {
    arena.release();
  }
}

function pairOf(search: FarthestSearch, slot: number, metric: Float64Array | null): FarthestPair {
  search.begin(slot, metric, null);
  while (!search.advance());
  return search.pair();
}

const rows: Rows = { n: 613, d: 29, x: noise(613 * 29, 3).map((value) => value * value - 0.3) };

test("the farthest pair of rows as they are, under factors near the last ones and far from them, and under maps", () => {
  for (const kernels of [plainKernels, simd, threaded]) {
    withSearch(kernels, rows, (search) => {
      expect(pairOf(search, 0, null)).toEqual(byDefinition(rows, null));
      let factors = new Float64Array(rows.d).fill(1);
      for (const change of [0.001, 0.001, 0.02, 0.5, 0.01, 0]) {
        const turns = noise(rows.d, Math.round(1000 * change) + 9);
        factors = factors.map((factor, f) => factor * (1 + change * (turns[f]! - 0.5)));
        expect(pairOf(search, 0, factors)).toEqual(byDefinition(rows, factors));
        const other = factors.map((factor, f) => factor * (f % 2 === 0 ? 1.01 : 0.99));
        expect(pairOf(search, 1, other)).toEqual(byDefinition(rows, other));
      }
      const map = noise(rows.d * rows.d, 5).map((value) => value - 0.5);
      expect(pairOf(search, 0, map)).toEqual(byDefinition(rows, map));
      expect(pairOf(search, 0, factors)).toEqual(byDefinition(rows, factors));
    });
  }
});

test("equal rows, two rows, weights of 0, and ties, of which the lower pair stands", () => {
  const corners = {
    n: 300,
    d: 24,
    x: Float64Array.from({ length: 300 * 24 }, (_, p) => (p % 24 === Math.floor(p / 24) % 24 ? 5 : 0)),
  };
  for (const table of [corners, { n: 300, d: 24, x: new Float64Array(300 * 24).fill(2) }, { n: 2, d: 24, x: noise(48, 1) }]) {
    withSearch(simd, table, (search) => {
      for (const metric of [null, Float64Array.from({ length: 24 }, (_, f) => (f < 3 ? 0 : 1)), new Float64Array(24)]) {
        expect(pairOf(search, 0, metric)).toEqual(byDefinition(table, metric));
      }
    });
  }
});

test("a search that is not ended gives its memory back", () => {
  withSearch(simd, rows, (search) => {
    search.begin(0, null, null);
    search.close();
    expect(pairOf(search, 0, null)).toEqual(byDefinition(rows, null));
  });
});

test("rows for several tasks, wide ones on threads: the two far off, wherever they are", () => {
  const [n, d] = [9_000, 24];
  const x = noise(n * d, 17);
  x.fill(3, 4_500 * d, 4_501 * d);
  x.fill(-3, (n - 1) * d);
  for (const kernels of [simd, threaded]) {
    withSearch(kernels, { n, d, x }, (search) => {
      expect(pairOf(search, 0, null)).toEqual({ a: 4_500, b: n - 1, square: 36 * d });
      search.close();
    });
  }
});
