/**
 * Tasks in workers, by messages. The first worker has what people wait for: rows, maps, questions, quick checks. The others take long
 * work, one task each at a time. A task that is cancelled and does not end by itself within a second ends with its worker.
 */
import { CoterieError, type Problem } from "@coterie/core/internal";
import type { Port, Watch } from "../pool.js";
import { ReplyError } from "../protocol/http-client.js";
import type { Reading } from "../protocol/projects.js";
import type { Compute, ComputeHost, TableSource } from "./compute.js";
import { createLocalCompute } from "./local-compute.js";
import type { TaskInput, TaskName, TaskOutput } from "./tasks.js";

export type ToTaskWorker =
  | {
      readonly type: "task";
      readonly id: number;
      readonly name: TaskName;
      readonly table: { readonly key: string; readonly file: string; readonly reading: Reading };
      readonly input: unknown;
    }
  | { readonly type: "table"; readonly id: number; readonly bytes?: Uint8Array; readonly message?: string }
  | { readonly type: "cancel"; readonly id: number };

export type FromTaskWorker =
  | { readonly type: "need"; readonly id: number }
  | { readonly type: "step"; readonly id: number; readonly step: { phase: string; done: number; total: number | null } }
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "failed"; readonly id: number; readonly problem?: Problem; readonly message: string };

interface Task {
  readonly id: number;
  readonly name: TaskName;
  readonly source: TableSource;
  readonly input: unknown;
  readonly watch: Watch;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface TaskWorker {
  readonly port: Port;
  readonly tasks: Map<number, Task>;
}

/** How long a worker may go on with a task that nobody wants any more. */
const PATIENCE_MS = 1_000;

const LONG: ReadonlySet<TaskName> = new Set(["cluster", "advise", "understand", "page", "compare"]);

function isLong({ name, input }: Task): boolean {
  return LONG.has(name) || (name === "diagnose" && (input as TaskInput<"diagnose">).full);
}

/** `spawn` makes a worker that `serveTasks` runs in. */
export function createRemoteCompute(size: number, spawn: () => Port): Compute {
  const workers: (TaskWorker | null)[] = new Array<TaskWorker | null>(Math.max(2, size)).fill(null);
  const waiting: Task[] = [];
  let made = 0;
  let closed = false;

  const workerAt = (place: number): TaskWorker => {
    const known = workers[place];
    if (known) return known;
    const worker: TaskWorker = { port: spawn(), tasks: new Map() };
    workers[place] = worker;
    worker.port.onMessage((message) => receive(worker, message as FromTaskWorker, next));
    worker.port.onError((error) => die(place, worker, error));
    return worker;
  };
  /** A worker that is gone takes its tasks along; the next task gets a new one. */
  const lose = (place: number, worker: TaskWorker, error: unknown): void => {
    if (workers[place] === worker) workers[place] = null;
    worker.port.close();
    for (const task of worker.tasks.values()) task.reject(error);
    worker.tasks.clear();
    next();
  };
  /** A worker dies of one task. Where it had several, each is begun again in a worker of its own, so that only that one is lost. */
  const die = (place: number, worker: TaskWorker, error: unknown): void => {
    if (worker.tasks.size > 1 && !closed) {
      waiting.push(...worker.tasks.values());
      worker.tasks.clear();
    }
    lose(place, worker, inWords(error));
  };
  const begin = (place: number, task: Task): void => {
    const worker = workerAt(place);
    worker.tasks.set(task.id, task);
    const { key, file, reading } = task.source;
    worker.port.post({
      type: "task",
      id: task.id,
      name: task.name,
      table: { key, file, reading },
      input: task.input,
    } satisfies ToTaskWorker);
  };
  const next = (): void => {
    for (let place = 1; place < workers.length && waiting.length > 0 && !closed; place++)
      if ((workers[place]?.tasks.size ?? 0) === 0) begin(place, waiting.shift()!);
  };
  const cancel = (task: Task): void => {
    const queued = waiting.indexOf(task);
    if (queued >= 0) waiting.splice(queued, 1);
    const place = workers.findIndex((worker) => worker?.tasks.has(task.id));
    const reason = task.watch.signal?.reason;
    if (place < 0) {
      task.reject(reason);
      return;
    }
    const worker = workers[place]!;
    worker.port.post({ type: "cancel", id: task.id } satisfies ToTaskWorker);
    if (place > 0) setTimeout(() => worker.tasks.has(task.id) && lose(place, worker, reason), PATIENCE_MS);
  };

  return {
    run<N extends TaskName>(source: TableSource, name: N, input: TaskInput<N>, watch: Watch = {}): Promise<TaskOutput<N>> {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new Error("The workers are closed."));
        if (watch.signal?.aborted) return reject(watch.signal.reason);
        const stop = () => cancel(task);
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            watch.signal?.removeEventListener("abort", stop);
            settle(value);
          };
        const ends = { resolve: settled(resolve as (value: unknown) => void), reject: settled(reject) };
        const task: Task = { id: made++, name, source, input, watch, ...ends };
        watch.signal?.addEventListener("abort", stop, { once: true });
        if (isLong(task)) {
          waiting.push(task);
          next();
        } else begin(0, task);
      });
    },
    async close() {
      closed = true;
      for (const task of waiting.splice(0)) task.reject(new Error("The studio is closing."));
      for (const [place, worker] of workers.entries()) if (worker) lose(place, worker, new Error("The studio is closing."));
    },
  };
}

function receive({ port, tasks }: TaskWorker, message: FromTaskWorker, next: () => void): void {
  const task = tasks.get(message.id);
  if (!task) return;
  switch (message.type) {
    case "need":
      task.source.load().then(
        (bytes) => port.post({ type: "table", id: task.id, bytes } satisfies ToTaskWorker, ownMemory(bytes)),
        (error: unknown) => {
          tasks.delete(task.id);
          port.post({ type: "table", id: task.id, message: String(error) } satisfies ToTaskWorker);
          task.reject(error);
          next();
        },
      );
      return;
    case "step":
      task.watch.onStep?.(message.step);
      return;
    case "done":
      tasks.delete(task.id);
      task.resolve(message.value);
      next();
      return;
    case "failed":
      tasks.delete(task.id);
      if (task.watch.signal?.aborted) task.reject(task.watch.signal.reason);
      else task.reject(message.problem ? new CoterieError(message.problem) : inWords(new Error(message.message)));
      next();
  }
}

/** What engines say when there is no room for an array, a set or a text, or for a worker's whole heap. */
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

/** The memory of a table, where it holds nothing else. */
function ownMemory({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** Steps are reported at most this often. */
const STEP_MS = 50;

/** The other end: tasks as they are asked for, over tables that are sent for when they are first needed. */
export function serveTasks(port: Port, host: ComputeHost): void {
  const compute = createLocalCompute(host);
  const controllers = new Map<number, AbortController>();
  const tables = new Map<number, (message: Extract<ToTaskWorker, { type: "table" }>) => void>();
  const post = (message: FromTaskWorker) => port.post(message);

  const start = async ({ id, name, table, input }: Extract<ToTaskWorker, { type: "task" }>): Promise<void> => {
    const controller = new AbortController();
    controllers.set(id, controller);
    const load = () =>
      new Promise<Uint8Array>((resolve, reject) => {
        tables.set(id, ({ bytes, message }) => (bytes ? resolve(bytes) : reject(new Error(message))));
        post({ type: "need", id });
      });
    let reported = -Infinity;
    const onStep = ({ phase, done, total }: { phase: string; done: number; total: number | null }) => {
      if (performance.now() - reported < STEP_MS) return;
      reported = performance.now();
      post({ type: "step", id, step: { phase, done, total } });
    };
    try {
      const value = await compute.run({ ...table, load }, name, input as never, { signal: controller.signal, onStep });
      post({ type: "done", id, value });
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      post({ type: "failed", id, message, ...(error instanceof CoterieError ? { problem: error.problem } : {}) });
    } finally {
      controllers.delete(id);
      tables.delete(id);
    }
  };

  port.onMessage((received) => {
    const message = received as ToTaskWorker;
    if (message.type === "task") void start(message);
    else if (message.type === "cancel") controllers.get(message.id)?.abort();
    else tables.get(message.id)?.(message);
  });
}
