/**
 * Runs tasks in workers, by messages. The first worker runs the tasks that users wait for: rows, maps, questions, quick checks. Each other
 * worker runs one long task at a time. If a cancelled task does not stop within a second, its worker is ended.
 */
import type { Step } from "@coterie/core/internal";
import { Caller, type Port, serve, WorkerEnded } from "../calls.js";
import type { Watch } from "../pool.js";
import { ReplyError } from "../protocol/reply-error.js";
import type { Compute, ComputeHost, TableSource } from "./compute.js";
import { createLocalCompute } from "./local-compute.js";
import type { TaskInput, TaskName, TaskOutput } from "./tasks.js";

export type TaskWork =
  | { readonly type: "task"; readonly name: TaskName; readonly table: Omit<TableSource, "load">; readonly input: unknown }
  | { readonly type: "table"; readonly need: number; readonly bytes?: Uint8Array; readonly message?: string };

type TaskStep = Pick<Step, "phase" | "done" | "total"> | { readonly need: number };

interface Task {
  readonly name: TaskName;
  readonly source: TableSource;
  readonly input: unknown;
  readonly watch: Watch;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A worker must stop a cancelled task within this time, in milliseconds; otherwise the worker is ended. */
const PATIENCE_MS = 1_000;

const LONG: ReadonlySet<TaskName> = new Set(["cluster", "advise", "understand", "page", "compare"]);

function isLong({ name, input }: Task): boolean {
  return LONG.has(name) || (name === "diagnose" && (input as TaskInput<"diagnose">).full);
}

export function createRemoteCompute(size: number, spawn: () => Port): Compute {
  const workers = new Array<Caller | null>(Math.max(2, size)).fill(null);
  const waiting: Task[] = [];
  let closed = false;

  const workerAt = (place: number): Caller => {
    const known = workers[place];
    if (known && !known.isOver) return known;
    const worker = new Caller(spawn());
    workers[place] = worker;
    return worker;
  };
  const begin = async (place: number, task: Task): Promise<void> => {
    const worker = workerAt(place);
    const { signal } = task.watch;
    // Tasks of the first worker are short, so they are not stopped. Other tasks can run long after a cancellation, so their worker is
    // ended.
    const stop = () => setTimeout(() => isRunning && worker.end(signal!.reason), PATIENCE_MS);
    let isRunning = true;
    if (place > 0) signal?.addEventListener("abort", stop, { once: true });
    try {
      task.resolve(await callFor(task, worker));
    } catch (error) {
      const isDead = error instanceof WorkerEnded;
      // A task crashed the first worker. If other tasks were running in it, each task now gets a worker of its own. So only the crashing
      // task fails.
      if (isDead && place === 0 && error.calls > 1 && !closed) waiting.push(task);
      else task.reject(inWords(isDead ? error.cause : error));
    } finally {
      isRunning = false;
      signal?.removeEventListener("abort", stop);
      next();
    }
  };
  const next = (): void => {
    for (let place = 1; place < workers.length && waiting.length > 0 && !closed; place++)
      if ((workers[place]?.running ?? 0) === 0) void begin(place, waiting.shift()!);
  };

  return {
    run<N extends TaskName>(source: TableSource, name: N, input: TaskInput<N>, watch: Watch = {}): Promise<TaskOutput<N>> {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new Error("The workers are closed."));
        if (watch.signal?.aborted) return reject(watch.signal.reason);
        const task: Task = { name, source, input, watch, resolve: resolve as (value: unknown) => void, reject };
        if (!isLong(task)) return void begin(0, task);
        waiting.push(task);
        watch.signal?.addEventListener("abort", () => {
          const queued = waiting.indexOf(task);
          if (queued >= 0) waiting.splice(queued, 1);
          if (queued >= 0) reject(watch.signal!.reason);
        });
        next();
      });
    },
    async close() {
      closed = true;
      for (const task of waiting.splice(0)) task.reject(new Error("The studio is closing."));
      for (const worker of workers) worker?.end(new Error("The studio is closing."));
    },
  };
}

async function callFor({ name, source, input, watch: { signal, onStep } }: Task, worker: Caller): Promise<unknown> {
  const { key, file, reading } = source;
  let problem: { readonly error: unknown } | null = null;
  const send = async (need: number) => {
    const answer = (work: Partial<Extract<TaskWork, { type: "table" }>>, own?: ArrayBuffer[]) =>
      worker.call({ type: "table", need, ...work } satisfies TaskWork, {}, own);
    try {
      const bytes = await source.load();
      await answer({ bytes }, ownMemory(bytes));
    } catch (error) {
      problem ??= { error };
      await answer({ message: String(error) }).catch(() => undefined);
    }
  };
  const take = (step: TaskStep) => ("need" in step ? void send(step.need) : onStep?.(step));
  try {
    return await worker.call({ type: "task", name, table: { key, file, reading }, input } satisfies TaskWork, {
      signal,
      onStep: take,
    });
  } catch (error) {
    // If loading the table failed, throw the error of the loading. The worker does not know it.
    throw problem ? (problem as { readonly error: unknown }).error : error;
  }
}

/** The messages of JavaScript engines if there is not enough memory for an array, a set, a text, or the whole heap of a worker. */
const NO_ROOM =
  /out of memory|reaching memory limit|allocation failed|Invalid (?:typed )?array length|maximum size exceeded|Invalid string length/i;

function inWords(error: unknown): unknown {
  if (!NO_ROOM.test(String(error))) return error;
  return new ReplyError(422, {
    code: "too-large",
    message: "This needs more memory than there is, and was given up; everything else goes on.",
    remedy: "Take fewer rows or columns, or fewer clusters.",
  });
}

function ownMemory({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

const STEP_MS = 50;

/** The worker's side: runs the tasks that it receives, and asks for a table when a task first needs it. */
export function serveTasks(port: Port, host: ComputeHost): void {
  const compute = createLocalCompute(host);
  const tables = new Map<number, (table: Extract<TaskWork, { type: "table" }>) => void>();
  let needed = 0;
  serve<TaskWork, TaskStep>(port, async (work, { signal, onStep }) => {
    if (work.type === "table") {
      tables.get(work.need)?.(work);
      tables.delete(work.need);
      return;
    }
    const load = () =>
      new Promise<Uint8Array>((resolve, reject) => {
        const need = needed++;
        tables.set(need, ({ bytes, message }) => (bytes ? resolve(bytes) : reject(new Error(message))));
        onStep({ need });
      });
    let reported = -Infinity;
    const report = ({ phase, done, total }: Step) => {
      if (performance.now() - reported < STEP_MS) return;
      reported = performance.now();
      onStep({ phase, done, total });
    };
    const { name, table, input } = work;
    return await compute.run({ ...table, load }, name, input as never, { signal, onStep: report });
  });
}
