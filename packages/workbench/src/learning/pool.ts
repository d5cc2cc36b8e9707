/** Makes a pool of workers for learning curves. Each worker receives the rows only once. */
import type { Input } from "@coterie/core/internal";
import { Caller, type Port } from "../calls.js";
import { type PoolWork, sentInput } from "../pool.js";
import { type TrialPool, workerPool } from "../trials/pool.js";
import type { LearningWork } from "./measure.js";

export function learningPool(size: number, input: Input, spawn: () => Port): TrialPool<LearningWork> {
  const sent = sentInput(input);
  return workerPool(size, async () => {
    const worker = new Caller(spawn());
    await worker.call({ type: "load", input: sent } satisfies PoolWork);
    return worker;
  });
}
