/** The other end of the pool: runs starts as they are asked for. */
import {
  type Context,
  CoterieError,
  drive,
  type Input,
  type Kernels,
  methodNamed,
  randomFrom,
  withValues,
} from "@coterie/core/internal";
import type { FromWorker, Port, ToWorker } from "./pool.js";
import { everyTurn } from "./run.js";
import type { RunSpec } from "./run-spec.js";

export function serveStarts(port: Port, createKernels: () => Kernels, pause: () => Promise<void>): void {
  let input: Input;
  let kernels: Kernels | undefined;
  const post = (message: FromWorker) => port.post(message);

  async function start(spec: RunSpec, index: number): Promise<void> {
    kernels ??= createKernels();
    const context: Context = { kernels, random: randomFrom(spec.seed) };
    const due = everyTurn();
    const steps = methodNamed(spec.algorithm).starts!.steps(input, spec.options, index, context);
    const outcome = await drive(steps, { pause, due, onStep: (step) => due() && post({ type: "step", step }) });
    post({ type: "done", index, outcome });
  }

  port.onMessage((received) => {
    const message = received as ToWorker;
    if (message.type === "load") {
      const { points, values, constraints } = message.input;
      input = { points: withValues(points, values), constraints };
      return;
    }
    start(message.spec, message.index).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      post({ type: "failed", message: text, ...(error instanceof CoterieError ? { problem: error.problem } : {}) });
    });
  });
}
