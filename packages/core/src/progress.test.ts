/** Progress reports of methods and strategies: `done` is never more than `total`. */
import { expect, test } from "vitest";
import { startAskingSteps, strategies } from "./algorithms/active/strategies/index.js";
import { takesK } from "./algorithms/method.js";
import { checkedRun } from "./algorithms/run.js";
import { catalogue } from "./catalogue.js";
import { constraints } from "./constraints/index.js";
import { plainKernels } from "./kernels/index.js";
import { randomFrom } from "./random/index.js";
import { pointsFromRows } from "./rows.js";
import type { Step, Steps } from "./steps/index.js";

const N = 700;
const random = randomFrom(4);
const points = pointsFromRows(Array.from({ length: N }, (_, i) => [random.normal() + (i % 3) * 4, random.normal()]));
const known = constraints(points, {
  mustLink: Array.from({ length: 40 }, (_, i) => [3 * i, 3 * i + 300] as const),
  cannotLink: Array.from({ length: 20 }, (_, i) => [3 * i, 3 * i + 1] as const),
});

/** Runs to the end and compares each step. */
function checked<R>(steps: Steps<R>): R {
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return next.value;
    const { phase, done, total }: Step = next.value;
    if (total !== null) expect(done, `${phase}: ${done} of ${total}`).toBeLessThanOrEqual(total);
  }
}

test.each(catalogue.map((method) => [method.name, method] as const))("%s never reports more than its total", (_name, method) => {
  const input = { points, constraints: known };
  const options = checkedRun(method, input, takesK(method) ? { k: 3 } : {});
  checked(method.steps(input, options, { random: randomFrom(1), kernels: plainKernels }));
});

test.each(strategies.map(({ name }) => name))("questions of %s: never more than the total", (strategy) => {
  const session = checked(startAskingSteps({ points, strategy, constraints: known, k: 3, seed: 1, kernels: plainKernels }));
  expect(session.next()).not.toBeUndefined();
});
