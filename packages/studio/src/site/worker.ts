/**
 * The worker of a tab of the static site. One of the workers of all tabs holds a lock and replies to all tabs. When its tab closes, the
 * worker of another tab gets the lock and continues from the browser's storage.
 */

import { CoterieError } from "@coterie/core/internal";
import { nextTurn, readBytes } from "@coterie/data/browser";
import { createSimdKernels } from "@coterie/kernels";
import {
  createHolds,
  createLocalCompute,
  createMemoryStore,
  createWorkbench,
  type Holds,
  loadsWith,
  noProject,
  replyTo,
  type SampleSource,
  type Store,
  type StoredProject,
  type Workbench,
} from "@coterie/workbench";
import type { Entry, RunReply } from "@coterie/workbench/protocol";
import { CHANNEL, type FromHost, LOCK, type ToHost } from "./messages.js";

const STORE_VERSION = 1;

const TABLES = {
  projects: "id",
  entries: ["project", "seq"],
  blobs: "sha256",
  runs: ["project", "number"],
  counters: "project",
  artifacts: ["project", "run", "name"],
} as const;

const PLACE = "this browser's storage";

const folder = new URL("../samples/", self.location.href);

const siteSamples: SampleSource = {
  list: async () => (await listed()).map(({ name, about, rows, columns, goodFor }) => ({ name, about, rows, columns, goodFor })),
  open: async (name) => {
    const sample = (await listed()).find((each) => each.name === name);
    const reply = sample ? await fetch(new URL(`${encodeURIComponent(name)}.csv`, folder)) : null;
    if (!sample || !reply?.ok) return null;
    const bytes = new Uint8Array(await reply.arrayBuffer());
    return { file: `${name}.csv`, bytes, reading: { truth: "class" }, k: sample.classes };
  },
};

const VERSION = "0.2.0";

/** The storage of projects: in the browser, or in memory if the browser allows no storage, as in private browsing. */
async function storeOf(): Promise<{ readonly store: Store; readonly keeps: "browser" | "memory" }> {
  try {
    return { store: await openIndexedStore("coterie"), keeps: "browser" };
  } catch {
    return { store: createMemoryStore(), keeps: "memory" };
  }
}

async function host(): Promise<void> {
  const { store, keeps } = await storeOf();
  const kernels = createSimdKernels();
  const compute = createLocalCompute({ kernels: () => kernels, load: loadsWith(readBytes), pause: nextTurn, version: VERSION });
  const now = () => new Date().toISOString();
  const workbench = createWorkbench({ store, compute, samples: siteSamples, version: VERSION, now, keeps });
  serveChannel(workbench, new BroadcastChannel(CHANNEL));
  // Never resolves: the worker keeps the lock until its tab closes.
  await new Promise(() => {});
}

void navigator.locks.request(LOCK, host);

interface SiteSample {
  readonly name: string;
  readonly about: string;
  readonly rows: number;
  readonly columns: number;
  readonly goodFor: string;
  readonly classes: number;
  readonly nominal: boolean;
}

async function listed(): Promise<readonly SiteSample[]> {
  const reply = await fetch(new URL("index.json", folder)).catch(() => null);
  return reply?.ok ? ((await reply.json()) as SiteSample[]) : [];
}

function serveChannel(workbench: Workbench, channel: BroadcastChannel): void {
  const working = new Map<string, AbortController>();
  const post = (message: FromHost) => channel.postMessage(message);
  /**
   * Marks a call as running. Returns null if the call is already running, so that no work starts twice. Pages send their calls again when a
   * new host takes over.
   */
  const begin = (id: string): AbortController | null => {
    if (working.has(id)) return null;
    const stop = new AbortController();
    working.set(id, stop);
    return stop;
  };
  const answer = async (id: string, name: string, input: unknown) => {
    const stop = begin(id);
    if (!stop) return;
    try {
      const call = workbench.call as unknown as (
        name: string,
        input: unknown,
        options: { signal: AbortSignal },
      ) => Promise<unknown>;
      post({ type: "reply", id, reply: await call(name, input, { signal: stop.signal }) });
    } catch (error) {
      const reply = replyTo(error) ?? {
        status: 500,
        problem: { code: "bug", message: String((error as Error)?.message ?? error) },
      };
      if (!stop.signal.aborted) post({ type: "problem", id, status: reply.status, problem: reply.problem });
    } finally {
      working.delete(id);
    }
  };
  const sendEvents = async (id: string, project: string) => {
    const stop = begin(id);
    if (!stop) return;
    try {
      for await (const event of await workbench.events(project, stop.signal)) post({ type: "event", id, event });
    } catch {
      // The project was deleted, so there are no events. The next call about the project reports this to the page.
    } finally {
      working.delete(id);
    }
  };
  channel.onmessage = ({ data }: MessageEvent<ToHost | FromHost>) => {
    if (data.type === "call") void answer(data.id, data.name, data.input);
    else if (data.type === "listen") void sendEvents(data.id, data.project);
    else if (data.type === "abort" || data.type === "unlisten") working.get(data.id)?.abort();
  };
  post({ type: "host" });
}

/*
 * Stores projects in IndexedDB. Each method of the store is one transaction; when its promise resolves, the data are on disk. If the disk
 * is full or access is denied, the method throws an error with a message and changes nothing.
 */

type TableName = keyof typeof TABLES;

type Stores = Readonly<Record<TableName, IDBObjectStore>>;

interface KeptEntry extends Entry {
  readonly project: string;
}

export async function openIndexedStore(name: string, factory: IDBFactory = indexedDB): Promise<Store> {
  const database = await openDatabase(name, factory);
  const reading = <Result>(table: TableName, work: (store: IDBObjectStore) => Promise<Result>) =>
    transact(database, [table], "readonly", (stores) => work(stores[table]));
  const writing = <Result>(table: TableName, work: (store: IDBObjectStore) => Promise<Result>) =>
    transact(database, [table], "readwrite", (stores) => work(stores[table]));
  const holds = createHolds();
  return {
    place: PLACE,
    projects: () => reading("projects", async (table) => newestFirst(await done<StoredProject[]>(table.getAll()))),
    project: (id) => reading("projects", async (table) => (await done<StoredProject | undefined>(table.get(id))) ?? null),
    addProject: (project) =>
      transact(database, ["projects", "blobs"], "readwrite", (stores) => insertProject(stores, project, holds)),
    replaceProject: (project) =>
      writing("projects", async (table) => {
        if ((await done(table.get(project.id))) === undefined) throw noProject(project.id, { place: PLACE });
        await done(table.put(project));
      }),
    deleteProject: (id) =>
      transact(database, Object.keys(TABLES) as TableName[], "readwrite", (stores) => removeProject(stores, id)),
    append: (project, entries, at) =>
      transact(database, ["projects", "entries"], "readwrite", async (stores) => {
        if ((await done(stores.projects.get(project))) === undefined) throw noProject(project, { place: PLACE });
        return await appendTo(stores.entries, project, entries, at);
      }),
    entries: (project, since) =>
      reading("entries", async (table) => {
        const later = IDBKeyRange.bound([project, since], [project, []], true, true);
        return (await done<KeptEntry[]>(table.getAll(later))).map(bare);
      }),
    hold: holds.hold,
    release: async (sha256) => holds.release(sha256),
    blob: async (sha256) =>
      holds.bytes(sha256)?.slice() ??
      (await reading(
        "blobs",
        async (table) => (await done<{ bytes: Uint8Array } | undefined>(table.get(sha256)))?.bytes ?? null,
      )),
    hasBlob: async (sha256) =>
      holds.bytes(sha256) !== undefined || (await reading("blobs", (table) => done<number>(table.count(sha256)))) > 0,
    takeRunNumber: (project) =>
      writing("counters", async (table) => {
        const last = ((await done<{ last: number } | undefined>(table.get(project)))?.last ?? 0) + 1;
        await done(table.put({ project, last }));
        return last;
      }),
    putRun: (project, run) =>
      writing("runs", async (table) => void (await done(table.put({ project, number: run.number, run })))),
    runs: (project) =>
      reading("runs", async (table) => (await done<{ run: RunReply }[]>(table.getAll(rangeOf(project)))).map(({ run }) => run)),
    run: (project, number) =>
      reading("runs", async (table) => (await done<{ run: RunReply } | undefined>(table.get([project, number])))?.run ?? null),
    putArtifact: (project, run, artifact, text) =>
      writing("artifacts", async (table) => void (await done(table.put({ project, run, name: artifact, text })))),
    artifact: (project, run, artifact) =>
      reading(
        "artifacts",
        async (table) => (await done<{ text: string } | undefined>(table.get([project, run, artifact])))?.text ?? null,
      ),
    close: async () => database.close(),
  };
}

function newestFirst(projects: readonly StoredProject[]): StoredProject[] {
  return [...projects].sort((a, b) => (a.changed < b.changed ? 1 : a.changed > b.changed ? -1 : 0));
}

/** Appends log entries to a project and numbers them. If the id of an entry is already stored, returns the stored entry. */
async function appendTo(
  table: IDBObjectStore,
  project: string,
  entries: Parameters<Store["append"]>[1],
  at: string,
): Promise<Entry[]> {
  const kept = await done<KeptEntry[]>(table.getAll(rangeOf(project)));
  const byId = new Map(kept.map((entry) => [entry.id, entry]));
  let seq = kept.at(-1)?.seq ?? 0;
  const result: Entry[] = [];
  for (const entry of entries) {
    const known = byId.get(entry.id);
    const next: KeptEntry = known ?? { ...entry, project, seq: ++seq, at };
    if (!known) await done(table.add(next));
    byId.set(entry.id, next);
    result.push(bare(next));
  }
  return result;
}

function bare({ project: _, ...entry }: KeptEntry): Entry {
  return entry;
}

function rangeOf(project: string): IDBKeyRange {
  return IDBKeyRange.bound([project], [project, []]);
}

/**
 * Adds a project and the bytes of its table in one transaction, so that another tab cannot delete the bytes in between. False if the
 * project exists.
 */
async function insertProject({ projects, blobs }: Stores, project: StoredProject, holds: Holds): Promise<boolean> {
  if ((await done(projects.get(project.id))) !== undefined) return false;
  await done(projects.add(project));
  const { sha256 } = project.data;
  const bytes = holds.bytes(sha256);
  if (bytes) await done(blobs.put({ sha256, bytes }));
  return true;
}

/** Deletes a project with its log and its runs. Also deletes the bytes of its table, if no other project needs them. */
async function removeProject(stores: Stores, id: string): Promise<void> {
  const gone = await done<StoredProject | undefined>(stores.projects.get(id));
  await done(stores.projects.delete(id));
  for (const table of [stores.entries, stores.runs, stores.artifacts]) await done(table.delete(rangeOf(id)));
  await done(stores.counters.delete(id));
  const others = await done<StoredProject[]>(stores.projects.getAll());
  if (gone && !others.some(({ data }) => data.sha256 === gone.data.sha256)) await done(stores.blobs.delete(gone.data.sha256));
}

function openDatabase(name: string, factory: IDBFactory): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, STORE_VERSION);
    request.onupgradeneeded = () => {
      for (const [table, keyPath] of Object.entries(TABLES))
        request.result.createObjectStore(table, { keyPath: keyPath as string | string[] });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(storageProblem(request.error));
    request.onblocked = () => reject(storageProblem(new DOMException("another tab holds an older version", "VersionError")));
  });
}

async function transact<Result>(
  database: IDBDatabase,
  tables: readonly TableName[],
  mode: IDBTransactionMode,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const transaction = database.transaction(tables as string[], mode, { durability: "strict" });
  const finished = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(storageProblem(transaction.error));
  });
  finished.catch(() => {});
  const stores = Object.fromEntries(tables.map((table) => [table, transaction.objectStore(table)])) as unknown as Stores;
  try {
    const result = await work(stores);
    await finished;
    return result;
  } catch (error) {
    throw error instanceof DOMException ? storageProblem(error) : error;
  }
}

function done<Result>(request: IDBRequest): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as Result);
    request.onerror = () => reject(request.error);
  });
}

export function storageProblem(error: DOMException | null): CoterieError {
  const isFull = error?.name === "QuotaExceededError";
  const message = isFull
    ? "The browser's storage is full: nothing was changed."
    : `The browser's storage refused: ${error?.message ?? "no reason given"}.`;
  const remedy = isFull
    ? "Export a project and delete it, or allow the browser more storage."
    : "Leave private browsing, or allow this site to store data.";
  return new CoterieError({ code: "bad-input", message, remedy });
}
