import fc from "fast-check";
import { expect, test } from "vitest";
import { graphOf } from "../../colouring/graphs/graph.js";
import { randomFrom } from "../../random/index.js";
import { improve, improveSteps } from "./improve.js";
import { placeGreedily } from "./legal.js";
import { openPlacement, type Placement } from "./placement.js";
import { openWork } from "./work.js";

/** Units of one or two rows with random costs and cannot-links, in a legal placement within the bounds. */
function placed(
  count: number,
  k: number,
  links: number,
  seed: number,
): { placement: Placement; pairs: [number, number][]; sizes: Int32Array } {
  const random = randomFrom(seed);
  const pairs = Array.from({ length: links }, () => [...random.sample(count, 2)] as [number, number]);
  const sizes = Int32Array.from({ length: count }, () => 1 + random.int(2));
  const costs = Float64Array.from({ length: count * k }, () => random.unit());
  const bounds = { sizes, least: 0, most: Math.ceil((1.7 * count) / k) + 2, free: 0 };
  const placement = openPlacement(graphOf(count, pairs, []), count, k, costs, null, bounds);
  return { placement, pairs, sizes };
}

test("within size bounds, at the end no unit can go elsewhere and no two can change places for less", () => {
  let tried = 0;
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 4, max: 14 }), fc.integer({ min: 2, max: 4 }), (seed, count, k) => {
      const { placement, pairs, sizes } = placed(count, k, Math.floor(count / 2), seed);
      if (!placeGreedily(placement)) return;
      improve(placement);
      const most = Math.ceil((1.7 * count) / k) + 2;
      const fits = (labels: Int32Array): boolean => {
        const load = new Int32Array(k);
        labels.forEach((c, u) => {
          load[c]! += sizes[u]!;
        });
        return load.every((rows) => rows <= most) && pairs.every(([u, v]) => u === v || labels[u] !== labels[v]);
      };
      if (!fits(placement.labels)) return;
      tried++;
      const costOf = (labels: Int32Array): number => labels.reduce((sum, c, u) => sum + placement.costs[u * k + c]!, 0);
      const least = costOf(placement.labels) - 1e-9;
      for (let u = 0; u < count; u++) {
        for (let c = 0; c < k; c++) {
          const moved = placement.labels.slice();
          moved[u] = c;
          expect(fits(moved) && costOf(moved) < least).toBe(false);
        }
        for (let v = 0; v < u; v++) {
          const swapped = placement.labels.slice();
          [swapped[u], swapped[v]] = [swapped[v]!, swapped[u]!];
          expect(fits(swapped) && costOf(swapped) < least).toBe(false);
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(tried).toBeGreaterThan(100);
});

test("thousands of units within size bounds are placed with pauses", () => {
  const { placement } = placed(1500, 24, 1000, 1);
  expect(placeGreedily(placement)).toBe(true);
  let pauses = 0;
  for (const _ of improveSteps(placement, openWork(Infinity))) pauses++;
  expect(pauses).toBeGreaterThan(0);
});
