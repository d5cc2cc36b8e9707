/**
 * Workers that run the starts of a method in parallel. They receive messages and share no state. The result does not depend on which worker
 * runs which start: every start has its own random stream, and the best start is found by comparing all starts in order.
 */
import {
  type Input,
  type Instances,
  lowestOutcome,
  methodNamed,
  type Outcome,
  rowValues,
  type Step,
  withoutValues,
} from "@coterie/core/internal";
import { Caller, type Port, WorkerEnded } from "./calls.js";
import type { RunSpec } from "./run-spec.js";

/** The input of a run as a worker receives it. values: the values of the points, in the precision in which they are stored. */
export interface Sent extends Omit<Input, "points"> {
  readonly points: Omit<Instances, "x">;
  readonly values: Float64Array | Float32Array;
}

export type PoolWork =
  | { readonly type: "load"; readonly input: Sent }
  | { readonly type: "start"; readonly spec: RunSpec; readonly index: number };

export interface Watch {
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
}

export interface Pool {
  readonly size: number;
  bestStart(input: Input, spec: RunSpec, count: number, watch: Watch): Promise<Outcome>;
  close(): void;
}

/** Makes a pool of workers. If a run ends normally, its workers wait for the next run. Otherwise they are closed. */
export function createPool(size: number, spawn: () => Port): Pool {
  let idle: Caller[] = [];
  let shared: Pick<Sent, "values"> & { readonly of: Instances } = { of: { n: 0, d: 0, x: NO_VALUES }, values: NO_VALUES };
  return {
    size,
    async bestStart({ points, constraints }, spec, count, watch) {
      idle = idle.filter(({ isOver }) => !isOver);
      const workers = Array.from({ length: Math.min(size, count) }, () => idle.pop() ?? new Caller(spawn()));
      try {
        if (shared.of !== points) shared = { of: points, values: sharedValues(rowValues(points)) };
        const input: Sent = { points: withoutValues(points), constraints, values: shared.values };
        const outcomes = await runStarts(workers, input, spec, count, watch);
        idle.push(...workers);
        return (methodNamed(spec.algorithm).starts?.choose ?? lowestOutcome)(outcomes, spec.options);
      } catch (error) {
        for (const worker of workers) worker.end(error);
        throw error instanceof WorkerEnded ? error.cause : error;
      }
    },
    close() {
      for (const worker of idle) worker.end(new Error("The pool is closed."));
      idle = [];
    },
  };
}

const NO_VALUES = new Float64Array(0);

async function runStarts(
  workers: readonly Caller[],
  input: Sent,
  spec: RunSpec,
  count: number,
  { signal, onStep }: Watch,
): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(count);
  let next = 0;
  let done = 0;
  // A worker does not read messages while it computes a start. So the only way to cancel is to end the worker.
  const stop = () => {
    for (const worker of workers) worker.end(signal!.reason);
  };
  const onStart = (step: Step) => onStep?.({ ...step, phase: "starts", done, total: count });
  signal?.throwIfAborted();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await Promise.all(
      workers.map(async (worker) => {
        await worker.call({ type: "load", input } satisfies PoolWork);
        while (next < count) {
          const index = next++;
          const start: PoolWork = { type: "start", spec, index };
          outcomes[index] = await worker.call<Outcome, Step>(start, { onStep: onStart });
          onStep?.({ phase: "starts", done: ++done, total: count });
        }
      }),
    );
    return outcomes;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Prepares the input of a run for workers. If shared memory is available, all workers share one copy of the values. */
export function sentInput({ points, constraints }: Input): Sent {
  return { points: withoutValues(points), constraints, values: sharedValues(rowValues(points)) };
}

/** Copies the values into shared memory. Without shared memory it returns them unchanged, and each message copies them. */
function sharedValues(values: Float64Array | Float32Array): Float64Array | Float32Array {
  if (typeof SharedArrayBuffer === "undefined" || values.buffer instanceof SharedArrayBuffer) return values;
  const buffer = new SharedArrayBuffer(values.byteLength);
  const shared = values instanceof Float32Array ? new Float32Array(buffer) : new Float64Array(buffer);
  shared.set(values);
  return shared;
}
