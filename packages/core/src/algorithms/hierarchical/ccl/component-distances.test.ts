import { expect, test } from "vitest";
import { closeConstraints, constraints } from "../../../constraints/index.js";
import { plainKernels } from "../../../kernels/index.js";
import { randomFrom } from "../../../random/index.js";
import { drain } from "../../../steps/index.js";
import { constrainProximities } from "./constrain-proximities.js";
import { componentDistanceSteps } from "./constrained-linkage.js";

/** Rows with many columns, all at similar distances. The first rows are must-linked in pairs. */
function linkedNoise(n: number, d: number, pairs: number) {
  const random = randomFrom(n);
  const x = Float64Array.from({ length: n * d }, () => random.normal());
  const mustLink = Array.from({ length: pairs }, (_, t): [number, number] => [2 * t, 2 * t + 1]);
  return { points: { n, d, x }, known: constraints({ n }, { mustLink }) };
}

function distances({ n, d, x }: { n: number; d: number; x: Float64Array }): Float64Array {
  return Float64Array.from({ length: n * n }, (_, p) => {
    const [i, j] = [Math.floor(p / n) * d, (p % n) * d];
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (x[i + f]! - x[j + f]!) ** 2;
    return Math.sqrt(sum);
  });
}

test.each([
  ["all rows at once", 800],
  ["first rows, then the others", 400],
])("many chunklets that shorten no way are as far from others as their nearest members: %s", (_, n) => {
  const { points, known } = linkedNoise(n, 60, 135);
  const closure = closeConstraints(known);
  const { component, componentCount: m } = closure;
  const arena = plainKernels.arena();
  const measured = { points, metric: "euclidean", storage: "f64" } as const;
  const { matrix } = drain(componentDistanceSteps(measured, closure, plainKernels, arena, true));
  const found = matrix.view();
  const { matrix: expected } = constrainProximities(distances(points), known);
  let worst = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const difference = Math.abs(found[component[i]! * m + component[j]!]! - expected[i * n + j]!);
      worst = Math.max(worst, difference);
    }
  }
  expect(worst).toBeLessThan(1e-12);
});
