import { type Random, randomFrom } from "@coterie/core/internal";
import { BLOCK_ROWS, type OpenPassKernel, openPlainPass, type PassModel, passModelOf } from "@coterie/core/scale";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createPassKernel } from "./pass.js";

const shapes = fc.record({
  d: fc.integer({ min: 1, max: 9 }),
  k: fc.integer({ min: 1, max: 7 }),
  metric: fc.constantFrom("plain" as const, "diagonal" as const, "full" as const),
  moments: fc.constantFrom("none" as const, "diagonal" as const, "full" as const),
  several: fc.boolean(),
  scaled: fc.boolean(),
  rows: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 3 }),
  seed: fc.nat(),
});

function modelFrom(
  shape: Omit<typeof shapes extends fc.Arbitrary<infer S> ? S : never, "rows" | "seed">,
  random: Random,
): PassModel {
  const { d, k, metric, several, scaled } = shape;
  const numbers = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
  const metrics = several ? k : 1;
  const maps =
    metric === "plain" ? new Float64Array(0) : metric === "full" ? numbers(metrics * d * d) : numbers(metrics * d).map(Math.abs);
  const scaling = scaled ? { offset: numbers(d), factor: numbers(d).map((value) => 0.1 + Math.abs(value)) } : null;
  const ranges = Array.from({ length: d }, () => ({ least: -200, most: 200 }));
  // Equal centres, now and then: ties go to the lower one.
  const centres = numbers(k * d);
  if (k > 2) centres.copyWithin(2 * d, 0, d);
  return passModelOf({ ...shape, centres, maps, bias: several ? numbers(k) : new Float64Array(k), scaling }, ranges, 10_000);
}

function outcomeOf(kernel: OpenPassKernel, model: PassModel, rows: readonly number[], random: Random): unknown[] {
  const pass = kernel(model);
  const found: unknown[] = [];
  for (const count of rows) {
    for (let j = 0; j < model.d; j++) {
      const column = pass.column(j);
      for (let i = 0; i < count; i++) column[i] = random.normal();
    }
    pass.assign(count);
    found.push(pass.labels().slice(0, count));
    const given = Int32Array.from({ length: count }, () => random.int(model.k));
    for (let j = 0; j < model.d; j++) {
      const column = pass.column(j);
      for (let i = 0; i < count; i++) column[i] = random.normal();
    }
    pass.labels().set(given);
    pass.add(count);
  }
  found.push(structuredClone(pass.totals()));
  pass.close();
  return found;
}

test("a pass in WebAssembly gives the bits of the plain one", () => {
  const kernel = createPassKernel();
  fc.assert(
    fc.property(shapes, ({ rows, seed, ...shape }) => {
      const model = modelFrom(shape, randomFrom(seed).split("model"));
      const draw = () => randomFrom(seed).split("rows");
      expect(outcomeOf(kernel, model, rows, draw())).toEqual(outcomeOf(openPlainPass, model, rows, draw()));
    }),
    { numRuns: 40 },
  );
  const shape = { d: 3, k: 4, metric: "plain", moments: "diagonal", several: false, scaled: true } as const;
  const model = modelFrom(shape, randomFrom(1));
  expect(outcomeOf(kernel, model, [BLOCK_ROWS], randomFrom(2))).toEqual(
    outcomeOf(openPlainPass, model, [BLOCK_ROWS], randomFrom(2)),
  );
});
