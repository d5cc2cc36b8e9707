/** The worker's side of the pool: on request, it runs starts of a method, or trials of learning curves. */
import {
  type Context,
  drive,
  type Input,
  type Kernels,
  methodNamed,
  randomFrom,
  type Step,
  withValues,
} from "@coterie/core/internal";
import { type Port, serve } from "./calls.js";
import { type LearningWork, measureRun } from "./learning/measure.js";
import type { PoolWork } from "./pool.js";
import { everyTurn } from "./run.js";
import { type Batch, type FinishedTrial, runBatch } from "./trials/pool.js";

export function serveStarts(port: Port, createKernels: () => Kernels, pause: () => Promise<void>): void {
  let input: Input;
  let kernels: Kernels | undefined;
  serve<PoolWork | Batch<LearningWork>, Step | FinishedTrial>(port, async (work, { onStep }) => {
    if ("trials" in work) {
      kernels ??= createKernels();
      const host = { kernels, pause };
      return await runBatch(work, (trial, about) => measureRun(input, about, trial, host), onStep);
    }
    if (work.type === "load") {
      const { points, values, constraints } = work.input;
      input = { points: withValues(points, values), constraints };
      return;
    }
    const { spec, index } = work;
    kernels ??= createKernels();
    const context: Context = { kernels, random: randomFrom(spec.seed) };
    const due = everyTurn();
    const steps = methodNamed(spec.algorithm).starts!.steps(input, spec.options, index, context);
    return await drive(steps, { pause, due, onStep: (step) => due() && onStep(step) });
  });
}
