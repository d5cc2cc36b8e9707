/** What all projects share: the store, the computations, the events, the uploads, and the facts about tables. */
import type { Compute, TableSource } from "../compute/compute.js";
import type { TableFacts, TaskInput, TaskName, TaskOutput } from "../compute/tasks.js";
import type { Watch } from "../pool.js";
import type { ProjectEvent } from "../protocol/events.js";
import type { Info } from "../protocol/info.js";
import type { ReadingChange } from "../protocol/projects.js";
import { ReplyError } from "../protocol/reply-error.js";
import type { Chunks } from "../store/bytes.js";
import { type HeldBytes, noProject, type Store, type StoredProject } from "../store/store.js";
import { damaged } from "./problems.js";

/** Access to the sample sets that the host has. */
export interface SampleSource {
  list(): Promise<readonly (Info["samples"][number] & { readonly sha256?: string })[]>;
  open(name: string): Promise<{
    readonly file: string;
    readonly bytes: Uint8Array;
    readonly reading: ReadingChange;
    readonly k: number | null;
  } | null>;
}

export interface WorkbenchOptions {
  readonly store: Store;
  readonly compute: Compute;
  readonly samples: SampleSource;
  readonly version: string;
  /** The time now, as ISO 8601 in UTC. */
  readonly now: () => string;
  readonly keeps: Info["keeps"];
  readonly limits?: Partial<Info["limits"]>;
}

/** A data file, and the options with which it is read as a table. */
export type ReadTable = Pick<StoredProject, "data" | "reading">;

const LIMITS: Info["limits"] = { uploadBytes: 200 * 2 ** 20, rows: 1_000_000 };

/** Maximum number of tables whose facts stay in memory. Facts are small, unless rows have names. */
const MOST_TABLES = 32;

export class Context {
  readonly store: Store;
  readonly compute: Compute;
  readonly options: Omit<WorkbenchOptions, "limits">;
  readonly limits: Info["limits"];
  readonly events = createProjectEvents();
  readonly uploads: ReturnType<typeof createUploads>;
  readonly #facts = new Map<string, Promise<TableFacts>>();

  constructor(options: WorkbenchOptions) {
    this.options = options;
    this.store = options.store;
    this.compute = options.compute;
    this.limits = { ...LIMITS, ...options.limits };
    this.uploads = createUploads(this.store, { heldBytes: 5 * this.limits.uploadBytes, heldFor: 3_600_000 });
  }

  async stored(id: string): Promise<StoredProject> {
    const project = await this.store.project(id);
    if (!project) throw noProject(id, this.store);
    return project;
  }

  sourceOf({ data, reading }: ReadTable): TableSource {
    const { store } = this;
    return {
      key: `${data.sha256} ${JSON.stringify(Object.entries(reading).sort())}`,
      file: data.file,
      reading,
      async load() {
        const bytes = await store.blob(data.sha256);
        if (!bytes) throw damaged(missingData({ data }, store));
        return bytes;
      },
    };
  }

  run<N extends TaskName>(table: ReadTable, name: N, input: TaskInput<N>, watch?: Watch): Promise<TaskOutput<N>> {
    return this.compute.run(this.sourceOf(table), name, input, watch);
  }

  factsOf(table: ReadTable): Promise<TableFacts> {
    const source = this.sourceOf(table);
    const known = this.#facts.get(source.key);
    if (known) return known;
    const facts = this.compute.run(source, "facts", {});
    this.#facts.set(source.key, facts);
    facts.catch(() => this.#facts.delete(source.key));
    for (const [key] of this.#facts) if (this.#facts.size > MOST_TABLES) this.#facts.delete(key);
    return facts;
  }

  /** Reads a JSON file that a run saved under this name; null if there is no such file. */
  async artifact<T>(id: string, run: number, name: string): Promise<T | null> {
    const text = await this.store.artifact(id, run, name);
    if (text === null) return null;
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw damaged(
        `The ${name} of run ${run} of project "${id}" is damaged in ${this.store.place} (${(error as Error).message}).`,
      );
    }
  }
}

/** The message for a project whose data file is missing. */
export function missingData({ data }: Pick<StoredProject, "data">, { place }: Pick<Store, "place">): string {
  return `The data of this project, ${data.file}, are missing beside ${place}: bring back the file data/${data.sha256}.`;
}

/*
 * Events of projects, published to all subscribers. A subscriber that is too slow misses events; it then gets one request to read
 * everything again.
 */

interface Subscriber {
  readonly waiting: ProjectEvent[];
  wake: () => void;
}

/** Maximum number of events that wait for a subscriber. If there are more, the oldest events are dropped. */
const MOST_WAITING = 1_000;

/** Kinds of events of which only the newest matters. */
const ONLY_NEWEST: ReadonlySet<ProjectEvent["type"]> = new Set(["knowledge", "project", "advice", "map"]);

export function createProjectEvents() {
  const subscribers = new Map<string, Set<Subscriber>>();
  const closing = new AbortController();
  return {
    publish(project: string, event: ProjectEvent): void {
      for (const subscriber of subscribers.get(project) ?? []) {
        keep(subscriber, event);
        subscriber.wake();
      }
    },
    async *subscribe(project: string, first: ProjectEvent, signal: AbortSignal): AsyncGenerator<ProjectEvent, void, void> {
      const subscriber: Subscriber = { waiting: [first], wake: () => {} };
      const own = subscribers.get(project) ?? new Set();
      subscribers.set(project, own.add(subscriber));
      const over = AbortSignal.any([signal, closing.signal]);
      const wake = () => subscriber.wake();
      over.addEventListener("abort", wake);
      try {
        while (!over.aborted) {
          const event = subscriber.waiting.shift();
          if (event) yield event;
          else
            await new Promise<void>((resolve) => {
              subscriber.wake = resolve;
              if (over.aborted) resolve();
            });
        }
      } finally {
        over.removeEventListener("abort", wake);
        own.delete(subscriber);
        if (own.size === 0) subscribers.delete(project);
      }
    },
    close: (): void => closing.abort(),
  };
}

/**
 * Queues an event for a subscriber. Progress replaces the older progress of the same run, even if other events came between them, because
 * several runs can report in turn. For the other kinds where only the newest event matters, an event replaces the last queued event of its
 * kind.
 */
function keep({ waiting }: Subscriber, event: ProjectEvent): void {
  const older =
    event.type === "progress"
      ? waiting.findLastIndex((other) => other.type === "progress" && other.run === event.run)
      : ONLY_NEWEST.has(event.type) && waiting.at(-1)?.type === event.type
        ? waiting.length - 1
        : -1;
  if (older >= 0) waiting.splice(older, 1);
  waiting.push(event);
  if (waiting.length > MOST_WAITING) waiting.splice(0, waiting.length - MOST_WAITING);
}

/*
 * Uploaded files that are not used by a project yet. The store holds each file for a limited time, or until newer files need the space. It
 * never drops a file while a request makes a project from it.
 */

interface Upload extends HeldBytes {
  readonly id: string;
  readonly file: string;
  /** Number of requests that are making a project from this upload. The upload is not removed while there are such requests. */
  uses: number;
  isOld: boolean;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * heldBytes: maximum number of bytes of all uploads together. heldFor: maximum time that an upload waits for a project, in milliseconds.
 */
export function createUploads(store: Store, { heldBytes, heldFor }: { readonly heldBytes: number; readonly heldFor: number }) {
  const waiting = new Map<string, Upload>();
  /** Number of bytes of all uploads that are waiting or still arriving. */
  let total = 0;

  const remove = async (upload: Upload): Promise<void> => {
    if (!waiting.delete(upload.id)) return;
    clearTimeout(upload.timer);
    total -= upload.bytes;
    await store.release(upload.sha256);
  };
  const expire = async (id: string): Promise<void> => {
    const upload = waiting.get(id);
    if (!upload) return;
    upload.isOld = true;
    if (upload.uses === 0) await remove(upload);
  };
  /** Removes the oldest uploads until there is space again. Throws if that is not enough. */
  const makeRoom = async (): Promise<void> => {
    for (const upload of waiting.values()) {
      if (total <= heldBytes) return;
      if (upload.uses === 0) await remove(upload);
    }
    if (total > heldBytes)
      throw new ReplyError(413, {
        code: "too-large",
        message: `The studio takes files of ${(heldBytes / 2 ** 20).toLocaleString("en")} MB at once, all together.`,
        remedy: "Send this file again when others have arrived, or send a smaller one.",
      });
  };

  return {
    async add(file: string, chunks: Chunks): Promise<Upload> {
      let arrived = 0;
      async function* counted(): AsyncGenerator<Uint8Array, void, void> {
        for await (const chunk of chunks) {
          arrived += chunk.length;
          total += chunk.length;
          if (total > heldBytes) await makeRoom();
          yield chunk;
        }
      }
      let held: HeldBytes;
      try {
        held = await store.hold(counted());
      } catch (error) {
        total -= arrived;
        throw error;
      }
      const id = crypto.randomUUID();
      const timer = setTimeout(() => void expire(id).catch(() => undefined), heldFor);
      // `unref` lets the process end although the timer is still running.
      (timer as { unref?: () => void }).unref?.();
      const upload: Upload = { ...held, id, file, uses: 0, isOld: false, timer };
      waiting.set(id, upload);
      return upload;
    },
    /** Runs `work` with an upload. The upload is not removed before `work` is done. Returns null if there is no such upload. */
    async use<T>(id: string, work: (upload: Upload) => Promise<T>): Promise<T | null> {
      const upload = waiting.get(id);
      if (!upload) return null;
      upload.uses++;
      try {
        return await work(upload);
      } finally {
        upload.uses--;
        if (upload.isOld && upload.uses === 0) await remove(upload);
      }
    },
    /** Removes an upload, unless a request is making a project from it. */
    async remove(id: string): Promise<void> {
      const upload = waiting.get(id);
      if (upload && upload.uses === 0) await remove(upload);
    },
    async close(): Promise<void> {
      for (const upload of waiting.values()) await remove(upload);
    },
  };
}
