/** Carries out a plan on an engine: one request after the other. */
import type { Step } from "@coterie/core/internal";
import type { EngineRequest, Plan, PlanState, Statistics } from "@coterie/core/scale";
import type { Engine, EngineFacts } from "./engine.js";
import { pauses } from "./pauses.js";

export interface DriveOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: Step) => void) | undefined;
  /** Told what all rows look like, before anything else is asked. */
  readonly onStatistics?: ((statistics: Statistics) => void) | undefined;
  /** Keeps a state on disk, say. */
  readonly keep?: ((state: PlanState) => Promise<void>) | undefined;
}

export interface Driven<R> {
  readonly outcome: R;
  readonly facts: EngineFacts;
}

export async function drivePlan<R>(
  plan: Plan<R>,
  engine: Engine,
  { signal, onStep, onStatistics, keep }: DriveOptions,
): Promise<Driven<R>> {
  let passes = 0;
  let rowsRead = 0;
  let rows = 0;
  const pause = pauses(signal);
  const answer = async (request: EngineRequest): Promise<unknown> => {
    switch (request.ask) {
      case "statistics": {
        onStep?.({ phase: "looking at all rows", done: 0, total: null });
        const found = await engine.statistics();
        rows = found.rows;
        onStatistics?.(found);
        return found;
      }
      case "pause":
        return pause();
      case "rows":
        return engine.rows(request.ids);
      case "sample":
        return engine.sample(request.size, request.seed);
      case "pass":
        onStep?.({ phase: "iterating", done: request.iteration, total: null });
        passes++;
        rowsRead += rows;
        return engine.pass(request.model);
      case "labels":
        onStep?.({ phase: "labelling", done: 0, total: null });
        passes++;
        rowsRead += rows;
        return engine.label(request.model, request.placed);
      case "keep":
        onStep?.({ phase: "iterating", done: request.state.iteration, total: null, objective: request.state.history.at(-1)! });
        return keep?.(request.state);
    }
  };
  try {
    let turn = plan.next();
    while (!turn.done) {
      signal?.throwIfAborted();
      const reply = await answer(turn.value);
      signal?.throwIfAborted();
      turn = plan.next(reply);
    }
    return { outcome: turn.value, facts: { name: engine.name, path: engine.path, passes, rowsRead } };
  } finally {
    plan.return(undefined as never);
  }
}
