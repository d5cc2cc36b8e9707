import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../../../../random/index.js";
import { drain } from "../../../../steps/index.js";
import { farthestByDefinition, rowsOf } from "../mpck.reference.js";
import { farthestPairSteps } from "./farthest.js";

function near(value: number, expected: number): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(expected)));
}

test("the pruned search finds the farthest pair, with and without a hint", () => {
  const tables = fc.record({
    n: fc.integer({ min: 1, max: 60 }),
    d: fc.integer({ min: 1, max: 70 }),
    round: fc.boolean(),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(tables, ({ n, d, round, seed }) => {
      const random = randomFrom(seed);
      const x = Float64Array.from({ length: n * d }, () => (round ? Math.round(random.normal()) : random.normal()));
      const expected = farthestByDefinition(rowsOf({ n, d, x }));
      const hint = [random.int(n), random.int(n)] as const;
      for (const known of [undefined, hint]) {
        const { a, b, square } = drain(farthestPairSteps(x, n, d, known));
        near(square, expected);
        near(farthestByDefinition([[...x.subarray(a * d, (a + 1) * d)], [...x.subarray(b * d, (b + 1) * d)]]), expected);
      }
    }),
  );
});
