import fc from "fast-check";
import { expect, test } from "vitest";
import { plainKernels } from "../../../kernels/index.js";
import { randomFrom } from "../../../random/index.js";
import { transport } from "../../../structures/transport.js";
import { tuples } from "../../../testing/tuples.js";
import { openNearRows } from "./near-rows.js";

function drained<R>(steps: Generator<void, R, void>): R {
  for (;;) {
    const turn = steps.next();
    if (turn.done) return turn.value;
  }
}

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((a, b) => a + b, 0);

test("as cheap as the transport over all rows, for any movement of centres, accepted or not", () => {
  let fewest = Infinity;
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 2, max: 6 }), fc.integer({ min: 30, max: 200 }), (seed, k, n) => {
      const random = randomFrom(seed);
      const d = 2;
      const clouds = 1 + random.int(4);
      const x = Float64Array.from({ length: n * d }, (_, p) => ((Math.floor(p / d) % clouds) + (p % d)) * 3 + random.normal());
      const counting = {
        ...plainKernels,
        squares: (...args: Parameters<typeof plainKernels.squares>) => {
          fewest = Math.min(fewest, args[1] / n);
          return plainKernels.squares(...args);
        },
      };
      const arena = plainKernels.arena();
      const near = openNearRows({ n, d, x: arena.rows(x), screen: null }, k, counting, arena, 0);
      let centres = Float64Array.from({ length: k * d }, () => 4 * random.unit());
      let accepted: { labels: Int32Array; prices: Float64Array } | null = null;
      let [lower, upper] = [new Int32Array(k), new Int32Array(k)];
      for (let turn = 0; turn < 12; turn++) {
        if (turn === 0 || random.int(3) === 0) {
          lower = new Int32Array(k).fill(random.int(Math.floor(n / k) + 1));
          upper = new Int32Array(k).fill(Math.ceil(n / k) + random.int(Math.ceil(n / 4)));
        }
        near.setCentres(centres);
        const costs = plainKernels.squares(x, n, centres, k, d);
        const start: Float64Array = accepted?.prices ?? new Float64Array(k);
        const all = transport(costs, n, k, lower, upper, start);
        const found = drained(near.share(lower, upper, start));
        const sizes = new Int32Array(k);
        for (const c of found.labels) sizes[c]!++;
        expect(sizes.every((size, c) => size >= lower[c]! && size <= upper[c]!)).toBe(true);
        expect(found.cost).toBeCloseTo(all.cost, 6);
        expect(sum(Array.from(found.labels, (c, i) => costs[i * k + c]!))).toBeCloseTo(found.cost, 6);
        if (accepted === null || random.int(3) > 0) accepted = { labels: found.labels, prices: found.prices };
        near.accept(accepted.labels, accepted.prices);
        expect(near.inertia()).toBeCloseTo(sum(Array.from(accepted.labels, (c, i) => costs[i * k + c]!)), 6);
        const far = 2 ** -random.int(12);
        centres = centres.map((value) => value + far * random.normal());
      }
      arena.release();
    }),
    { numRuns: 150 },
  );
  // In some iterations most rows were skipped.
  expect(fewest).toBeLessThan(0.2);
});

test("nothing moves if all rows have the same best cluster and it has room", () => {
  const x = Float64Array.of(0, 0.1, 0.2, 9, 9.1, 9.2);
  const arena = plainKernels.arena();
  const near = openNearRows({ n: 6, d: 1, x: arena.rows(x), screen: null }, 2, plainKernels, arena, 0);
  near.setCentres(Float64Array.of(0, 9));
  const { labels, prices } = drained(near.share(Int32Array.of(0, 0), Int32Array.of(6, 6), new Float64Array(2)));
  expect([[...labels], [...prices]]).toEqual(tuples("0 0 0 1 1 1, 0 0"));
  near.accept(labels, prices);
  near.setCentres(Float64Array.of(0.1, 9.1));
  expect([...drained(near.share(Int32Array.of(0, 0), Int32Array.of(6, 2), prices)).labels]).toEqual([0, 0, 0, 0, 1, 1]);
  arena.release();
});
