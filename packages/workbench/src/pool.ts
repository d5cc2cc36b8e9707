/**
 * A pool of workers that run the starts of a method side by side, by messages, without shared state. Which worker runs which
 * start cannot change the answer: every start has its own random stream, and one is kept by looking at all in their order.
 */
import {
  CoterieError,
  type Input,
  type Instances,
  lowestOutcome,
  methodNamed,
  type Outcome,
  type Problem,
  rowValues,
  type Step,
  withoutValues,
} from "@coterie/core/internal";
import type { RunSpec } from "./run-spec.js";

/** A line to a worker, however the host makes one. */
export interface Port {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  onError(listener: (error: Error) => void): void;
  close(): void;
}

export type ToWorker =
  | { readonly type: "load"; readonly input: Sent }
  | { readonly type: "start"; readonly spec: RunSpec; readonly index: number };

/** What starts work on: the values of the points go on their own, in singles where they are kept so. */
export interface Sent extends Omit<Input, "points"> {
  readonly points: Omit<Instances, "x">;
  readonly values: Float64Array | Float32Array;
}

export type FromWorker =
  | { readonly type: "step"; readonly step: Step }
  | { readonly type: "done"; readonly index: number; readonly outcome: Outcome }
  | { readonly type: "failed"; readonly problem?: Problem; readonly message: string };

export interface Watch {
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
}

export interface Pool {
  readonly size: number;
  bestStart(input: Input, spec: RunSpec, count: number, watch: Watch): Promise<Outcome>;
}

/** Workers are spawned for a run and closed after it, whatever happens: an abandoned run leaves nothing behind. */
export function createPool(size: number, spawn: () => Port): Pool {
  return {
    size,
    async bestStart(input, spec, count, watch) {
      const ports = Array.from({ length: Math.min(size, count) }, spawn);
      try {
        const outcomes = await runStarts(ports, shareable(input), spec, count, watch);
        return (methodNamed(spec.algorithm).starts?.choose ?? lowestOutcome)(outcomes, spec.options);
      } finally {
        for (const port of ports) port.close();
      }
    },
  };
}

function runStarts(
  ports: readonly Port[],
  input: Sent,
  spec: RunSpec,
  count: number,
  { signal, onStep }: Watch,
): Promise<Outcome[]> {
  return new Promise((resolve, reject) => {
    const outcomes = new Array<Outcome>(count);
    let next = 0;
    let done = 0;
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    for (const port of ports) {
      const give = () => {
        if (next < count) port.post({ type: "start", spec, index: next++ } satisfies ToWorker);
      };
      port.onError(reject);
      port.onMessage((received) => {
        const message = received as FromWorker;
        if (message.type === "failed") return reject(errorFrom(message));
        if (message.type === "step") return onStep?.({ ...message.step, phase: "starts", done, total: count });
        outcomes[message.index] = message.outcome;
        done++;
        onStep?.({ phase: "starts", done, total: count });
        if (done < count) return give();
        signal?.removeEventListener("abort", abort);
        resolve(outcomes);
      });
      port.post({ type: "load", input } satisfies ToWorker);
      give();
    }
  });
}

function errorFrom({ problem, message }: { readonly problem?: Problem; readonly message: string }): Error {
  return problem ? new CoterieError(problem) : new Error(message);
}

/** Rows in memory that all workers can read, where the host has such memory; copies travel otherwise. */
function shareable({ points, constraints }: Input): Sent {
  return { points: withoutValues(points), constraints, values: sharedValues(rowValues(points)) };
}

function sharedValues(values: Float64Array | Float32Array): Float64Array | Float32Array {
  if (typeof SharedArrayBuffer === "undefined" || values.buffer instanceof SharedArrayBuffer) return values;
  const buffer = new SharedArrayBuffer(values.byteLength);
  const shared = values instanceof Float32Array ? new Float32Array(buffer) : new Float64Array(buffer);
  shared.set(values);
  return shared;
}
