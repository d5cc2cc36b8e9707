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
  /** Memory in `transfer` goes to the other side instead of being copied; this side can no longer read it. */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
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
  /** Ends the workers that wait for another run. */
  close(): void;
}

/** A worker and who listens to it now. */
interface Listened {
  readonly port: Port;
  onMessage: (message: FromWorker) => void;
  onError: (error: Error) => void;
}

const nobody = (): void => {};

/** Workers wait for the next run after one that ended well, and are closed after one that did not: an abandoned run leaves nothing behind. */
export function createPool(size: number, spawn: () => Port): Pool {
  let idle: Listened[] = [];
  let shared: Pick<Sent, "values"> & { readonly of: Instances } = { of: { n: 0, d: 0, x: NO_VALUES }, values: NO_VALUES };
  const listened = (): Listened => {
    const worker: Listened = { port: spawn(), onMessage: nobody, onError: nobody };
    worker.port.onMessage((message) => worker.onMessage(message as FromWorker));
    worker.port.onError((error) => worker.onError(error));
    return worker;
  };
  return {
    size,
    async bestStart({ points, constraints }, spec, count, watch) {
      const workers = Array.from({ length: Math.min(size, count) }, () => idle.pop() ?? listened());
      let ended = false;
      try {
        if (shared.of !== points) shared = { of: points, values: sharedValues(rowValues(points)) };
        const input: Sent = { points: withoutValues(points), constraints, values: shared.values };
        const outcomes = await runStarts(workers, input, spec, count, watch);
        ended = true;
        return (methodNamed(spec.algorithm).starts?.choose ?? lowestOutcome)(outcomes, spec.options);
      } finally {
        for (const worker of workers) {
          worker.onMessage = nobody;
          worker.onError = nobody;
          if (ended) idle.push(worker);
          else worker.port.close();
        }
      }
    },
    close() {
      for (const { port } of idle) port.close();
      idle = [];
    },
  };
}

const NO_VALUES = new Float64Array(0);

function runStarts(
  workers: readonly Listened[],
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
    for (const worker of workers) {
      const { port } = worker;
      const give = () => {
        if (next < count) port.post({ type: "start", spec, index: next++ } satisfies ToWorker);
      };
      worker.onError = reject;
      worker.onMessage = (message) => {
        if (message.type === "failed") return reject(errorFrom(message));
        if (message.type === "step") return onStep?.({ ...message.step, phase: "starts", done, total: count });
        outcomes[message.index] = message.outcome;
        done++;
        onStep?.({ phase: "starts", done, total: count });
        if (done < count) return give();
        signal?.removeEventListener("abort", abort);
        resolve(outcomes);
      };
      port.post({ type: "load", input } satisfies ToWorker);
      give();
    }
  });
}

function errorFrom({ problem, message }: { readonly problem?: Problem; readonly message: string }): Error {
  return problem ? new CoterieError(problem) : new Error(message);
}

/** Rows in memory that all workers can read, where the host has such memory; copies travel otherwise. */
function sharedValues(values: Float64Array | Float32Array): Float64Array | Float32Array {
  if (typeof SharedArrayBuffer === "undefined" || values.buffer instanceof SharedArrayBuffer) return values;
  const buffer = new SharedArrayBuffer(values.byteLength);
  const shared = values instanceof Float32Array ? new Float32Array(buffer) : new Float64Array(buffer);
  shared.set(values);
  return shared;
}
