/**
 * Threads that share one WebAssembly memory. A job is a routine and a range of rows. Each free thread takes the next piece of the range
 * by an atomic counter, and the calling thread works too. The control block is at the start of the memory.
 *
 * The word JOB is odd while a job is open. A thread enters by incrementing ACTIVE, and then reads JOB again. If JOB is unchanged, the
 * data of the job cannot change until the thread has left. The caller closes a job by making JOB even, and waits until ACTIVE is 0. So a
 * thread that sleeps through a job, or died before it, delays nobody.
 */

/** Bytes of the control block at the start of a shared memory. */
export const CONTROL_BYTES = 512;

/** Word indices (i32) in the control block. A job's data (f64) from FACTS_AT: routine, first, rows, grain, count, args. */
const JOB = 0;
export const ACTIVE = 16;
const NEXT = 32;
const DONE = 33;
const FAILED = 34;
const STOP = 35;
const FACTS_AT = 256;
const FACTS = 5;
const MOST_ARGS = (CONTROL_BYTES - FACTS_AT) / 8 - FACTS;

/** The functions that this file needs from a worker, the same for Node and browsers. */
interface Thread {
  post(message: unknown): void;
  end(): void;
}

export interface ThreadPool {
  readonly size: number;
  /** See Host.parallel; `routine` is the index of the routine among the module's exports. */
  run(
    routine: number,
    args: readonly number[],
    first: number,
    rows: number,
    grain: number,
    here: (from: number, to: number) => void,
  ): void;
  dispose(): void;
}

/** Starts `size` threads over the memory; rejects if a thread cannot start. */
export async function startThreads(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  size: number,
  stallMilliseconds: number,
): Promise<ThreadPool> {
  const words = new Int32Array(memory.buffer, 0, CONTROL_BYTES / 4);
  const facts = new Float64Array(memory.buffer, FACTS_AT, FACTS + MOST_ARGS);
  const threads: Thread[] = [];
  let broken: Error | undefined;
  let disposed = false;

  const dispose = () => {
    disposed = true;
    Atomics.store(words, STOP, 1);
    Atomics.add(words, JOB, 2);
    Atomics.notify(words, JOB);
    for (const thread of threads) thread.end();
  };
  const ended = (cause: unknown): Error | undefined => {
    if (!disposed) broken ??= new Error("A thread of the kernels ended early; make a new set of kernels.", { cause });
    return broken;
  };
  const run: ThreadPool["run"] = (routine, args, first, rows, grain, here) => {
    if (disposed) throw new Error("These kernels have been disposed of.");
    if (broken) throw broken;
    if (args.length > MOST_ARGS) throw new Error(`A routine on threads takes at most ${MOST_ARGS} arguments.`);
    facts.set([routine, first, rows, grain, args.length, ...args]);
    openJob(words);
    try {
      workHere(words, first, rows, grain, here);
    } finally {
      closeJob(words, Math.ceil((rows - first) / grain));
      broken ??= waitForOthers(words, stallMilliseconds);
    }
    if (broken) throw broken;
    if (Atomics.load(words, FAILED) === 1) throw new Error("A routine failed on a thread of the kernels.");
  };

  const open = await threadOpener();
  const start = () =>
    new Promise<void>((resolve, reject) => {
      const thread = open(resolve, (cause) => reject(ended(cause)));
      threads.push(thread);
      thread.post({ module, memory });
    });
  try {
    await Promise.all(Array.from({ length: size }, start));
  } catch (error) {
    dispose();
    throw error;
  }
  return { size, run, dispose };
}

function openJob(words: Int32Array): void {
  Atomics.store(words, NEXT, 0);
  Atomics.store(words, FAILED, 0);
  Atomics.add(words, JOB, 1);
  Atomics.notify(words, JOB);
}

function workHere(words: Int32Array, first: number, rows: number, grain: number, here: (from: number, to: number) => void): void {
  for (;;) {
    const from = first + Atomics.add(words, NEXT, 1) * grain;
    if (from >= rows) return;
    here(from, Math.min(from + grain, rows));
  }
}

/** Closes the job: no piece is left for any thread, even if the caller's own work failed. */
function closeJob(words: Int32Array, pieces: number): void {
  Atomics.store(words, NEXT, pieces);
  Atomics.add(words, JOB, 1);
}

/** Waits until no thread is working; returns an error if the threads stopped making progress. */
function waitForOthers(words: Int32Array, stallMilliseconds: number): Error | undefined {
  let done = Atomics.load(words, DONE);
  for (;;) {
    const active = Atomics.load(words, ACTIVE);
    if (active === 0) return undefined;
    if (Atomics.wait(words, ACTIVE, active, stallMilliseconds) !== "timed-out") continue;
    const now = Atomics.load(words, DONE);
    if (now === done) return new Error("A thread of the kernels stopped answering; make a new set of kernels.");
    done = now;
  }
}

type Open = (ready: () => void, fail: (cause: unknown) => void) => Thread;

async function threadOpener(): Promise<Open> {
  return isNode() ? nodeOpener() : browserOpener();
}

export function isNode(): boolean {
  return typeof process === "object" && typeof process.versions?.node === "string";
}

/** The complete program of a thread, the same for Node and browsers. */
const PROGRAM = `
const port = typeof require === "function" ? require("node:worker_threads").parentPort : self;
const run = ({ module, memory }) => {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const names = WebAssembly.Module.exports(module).map(({ name }) => name);
  const words = new Int32Array(memory.buffer, 0, ${CONTROL_BYTES / 4});
  const facts = new Float64Array(memory.buffer, ${FACTS_AT}, ${FACTS + MOST_ARGS});
  const work = () => {
    const [routine, first, rows, grain, count] = facts;
    const args = Array.from(facts.subarray(${FACTS}, ${FACTS} + count));
    for (;;) {
      const from = first + Atomics.add(words, ${NEXT}, 1) * grain;
      if (from >= rows) return;
      try {
        exports[names[routine]](...args, from, Math.min(from + grain, rows));
      } catch {
        Atomics.store(words, ${FAILED}, 1);
      }
      Atomics.add(words, ${DONE}, 1);
    }
  };
  port.postMessage("ready");
  for (let seen = 0; ; ) {
    const job = Atomics.load(words, ${JOB});
    if (Atomics.load(words, ${STOP}) === 1) break;
    if (job === seen || job % 2 === 0) {
      Atomics.wait(words, ${JOB}, job);
      continue;
    }
    Atomics.add(words, ${ACTIVE}, 1);
    if (Atomics.load(words, ${JOB}) === job) work();
    if (Atomics.sub(words, ${ACTIVE}, 1) === 1) Atomics.notify(words, ${ACTIVE});
    seen = job;
  }
  if (port.close) port.close();
};
if (port.once) port.once("message", run);
else port.onmessage = ({ data }) => run(data);
`;

async function nodeOpener(): Promise<Open> {
  // The name is in a variable, so that bundlers for the browser do not look for the module.
  const name = "node:worker_threads";
  const { Worker } = (await import(/* @vite-ignore */ name)) as typeof import("node:worker_threads");
  return (ready, fail) => {
    const worker = new Worker(PROGRAM, { eval: true, execArgv: [] });
    worker.once("message", () => {
      worker.unref();
      ready();
    });
    worker.once("error", fail);
    worker.once("exit", (code) => fail(new Error(`The thread exited with code ${code}.`)));
    return { post: (message) => worker.postMessage(message), end: () => void worker.terminate() };
  };
}

function browserOpener(): Open {
  return (ready, fail) => {
    const url = URL.createObjectURL(new Blob([PROGRAM], { type: "text/javascript" }));
    const worker = new Worker(url);
    worker.onmessage = () => {
      URL.revokeObjectURL(url);
      ready();
    };
    worker.onerror = (event) => fail(event.message);
    return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
  };
}
