/**
 * Calls to a worker, by messages. Each call has a number. All messages about a call carry its number: its steps while it runs, then its
 * value or its error.
 *
 *     caller  ── { call, input } ──▶  worker          caller  ◀── { call, step } ──  worker
 *             ── { call, cancel } ─▶                          ◀── { call, value } or { call, message, problem } ──
 */
import { CoterieError, type Problem } from "@coterie/core/internal";

/** A channel for messages: from a thread to its worker, or from a worker to the thread that started it. */
export interface Port {
  /** Sends a message. The receiver takes over the memory in `transfer` without a copy; the sender can no longer read this memory. */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: unknown) => void): void;
  onError(listener: (error: Error) => void): void;
  close(): void;
}

interface Line {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  terminate?(): unknown;
  close?(): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: what listeners get depends on the event, and each kind of line has its own types.
type Listener = (value: any) => void;

interface NodeLine extends Line {
  on(event: string, listener: Listener): unknown;
}

interface WebLine extends Line {
  addEventListener(event: string, listener: Listener): void;
  start?(): void;
}

function lineOver(line: Line): Pick<Port, "post" | "close"> {
  return {
    post: (message, transfer = []) => line.postMessage(message, [...transfer]),
    close: () => void (line.terminate ? line.terminate() : line.close?.()),
  };
}

export function nodePort(line: NodeLine): Port {
  return {
    ...lineOver(line),
    onMessage: (listener) => void line.on("message", listener),
    onError(listener) {
      line.on("error", listener);
      line.on("exit", (code: number) => listener(new Error(`A worker ended with ${code}.`)));
    },
  };
}

export function webPort(line: WebLine): Port {
  return {
    ...lineOver(line),
    onMessage(listener) {
      line.addEventListener("message", ({ data }: MessageEvent) => listener(data));
      line.start?.();
    },
    onError: (listener) => line.addEventListener("error", ({ message }: ErrorEvent) => listener(new Error(message))),
  };
}

interface Sent {
  readonly call: number;
  readonly input?: unknown;
  readonly cancel?: true;
}

interface Received {
  readonly call: number;
  readonly step?: unknown;
  readonly value?: unknown;
  readonly message?: string;
  readonly stack?: string | undefined;
  readonly problem?: Problem;
}

/** What a caller can pass to follow a call: a signal that cancels it, and a function that receives its steps. */
interface CallWatch<Step = unknown> {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: Step) => void) | undefined;
}

export class WorkerEnded extends Error {
  readonly calls: number;

  constructor(cause: unknown, calls: number) {
    super(String(cause), { cause });
    this.calls = calls;
  }
}

interface Pending extends CallWatch {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class Caller {
  readonly #port: Port;
  readonly #pending = new Map<number, Pending>();
  #made = 0;
  #end: { readonly cause: unknown } | null = null;

  constructor(port: Port) {
    this.#port = port;
    port.onMessage((message) => this.#receive(message as Received));
    port.onError((error) => this.end(error));
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  get running(): number {
    return this.#pending.size;
  }

  /** Sends a call to the worker. If the call is cancelled, the promise settles only after the worker has stopped working on it. */
  async call<Value, Step = never>(input: unknown, { signal, onStep }: CallWatch<Step> = {}, transfer?: ArrayBuffer[]) {
    if (this.#end) throw new WorkerEnded(this.#end.cause, 0);
    const call = this.#made++;
    const cancel = () => this.#port.post({ call, cancel: true } satisfies Sent);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<Value>((resolve, reject) => {
        const ends = { resolve: resolve as (value: unknown) => void, reject };
        this.#pending.set(call, { ...ends, signal, onStep: onStep as Pending["onStep"] });
        this.#port.post({ call, input } satisfies Sent, transfer);
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  #receive({ call, step, value, message, stack, problem }: Received): void {
    const pending = this.#pending.get(call);
    if (!pending) return;
    if (step !== undefined) {
      pending.onStep?.(step);
      return;
    }
    this.#pending.delete(call);
    if (message === undefined) pending.resolve(value);
    else if (pending.signal?.aborted) pending.reject(pending.signal.reason);
    else pending.reject(problem ? new CoterieError(problem) : Object.assign(new Error(message), { stack }));
  }

  end(cause: unknown): void {
    if (this.#end) return;
    this.#end = { cause };
    this.#port.close();
    const ended = new WorkerEnded(cause, this.running);
    for (const { reject } of this.#pending.values()) reject(ended);
    this.#pending.clear();
  }
}

export function serve<Input, Step>(
  port: Port,
  work: (input: Input, watch: { readonly signal: AbortSignal; readonly onStep: (step: Step) => void }) => unknown,
): void {
  const running = new Map<number, AbortController>();
  const post = (message: Received) => port.post(message);
  port.onMessage(async (received) => {
    const { call, input, cancel } = received as Sent;
    if (cancel) return running.get(call)?.abort();
    const controller = new AbortController();
    running.set(call, controller);
    try {
      const watch = { signal: controller.signal, onStep: (step: Step) => post({ call, step }) };
      post({ call, value: await work(input as Input, watch) });
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
      post({ call, message, stack, ...(error instanceof CoterieError ? { problem: error.problem } : {}) });
    } finally {
      running.delete(call);
    }
  });
}
