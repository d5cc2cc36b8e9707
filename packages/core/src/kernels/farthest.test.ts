import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../random/index.js";
import { plainKernels } from "./index.js";

test("the pruned search finds the farthest pair, the lower one on ties, with and without a hint", () => {
  const tables = fc.record({
    n: fc.integer({ min: 2, max: 60 }),
    d: fc.integer({ min: 1, max: 70 }),
    round: fc.boolean(),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(tables, ({ n, d, round, seed }) => {
      const random = randomFrom(seed);
      const x = Float64Array.from({ length: n * d }, () => (round ? Math.round(random.normal()) : random.normal()));
      let expected = { a: 0, b: 1, square: -1 };
      for (let a = 0; a < n; a++) {
        for (let b = a + 1; b < n; b++) {
          let square = 0;
          for (let j = 0; j < d; j++) square += (x[a * d + j]! - x[b * d + j]!) * (x[a * d + j]! - x[b * d + j]!);
          if (square > expected.square) expected = { a, b, square };
        }
      }
      const rows = plainKernels.arena().f64(n * d);
      rows.view().set(x);
      const search = plainKernels.farthest(rows, n, d);
      for (const hint of [null, [random.int(n), random.int(n)] as const]) {
        search.begin(0, null, hint);
        while (!search.advance());
        expect(search.pair()).toEqual(expected);
      }
    }),
  );
});
