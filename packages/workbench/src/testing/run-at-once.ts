/** A run without a pause, for tests. */
import { type ConstraintSet, checkedRun, type Instances, type Kernels, methodNamed } from "@coterie/core/internal";
import type { Run } from "../run.js";
import type { RunSpec } from "../run-spec.js";

export function runAtOnce(points: Instances, constraints: ConstraintSet, spec: RunSpec, kernels: Kernels): Run {
  const method = methodNamed(spec.algorithm);
  const options = checkedRun(method, { points, constraints }, spec.options);
  const result = method(points, constraints, { ...spec.options, seed: spec.seed, kernels });
  return { spec: { ...spec, options }, method, result, points };
}
