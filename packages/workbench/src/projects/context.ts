/** What all projects share: the store, the tasks, events, uploads, and the facts of tables. */
import type { Compute, TableSource } from "../compute/compute.js";
import type { TableFacts, TaskInput, TaskName, TaskOutput } from "../compute/tasks.js";
import type { Watch } from "../pool.js";
import type { Info } from "../protocol/info.js";
import type { ReadingChange } from "../protocol/projects.js";
import { noProject, type Store, type StoredProject } from "../store/store.js";
import { damaged } from "./problems.js";
import { createProjectEvents } from "./project-events.js";
import { createUploads } from "./uploads.js";

/** The sample sets that the host has. */
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

/** A table and how it is read. */
export type ReadTable = Pick<StoredProject, "data" | "reading">;

const LIMITS: Info["limits"] = { uploadBytes: 200 * 2 ** 20, rows: 1_000_000 };

/** Tables whose facts are kept: facts are small unless rows have names. */
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

  /** Runs a task over a table. */
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

  /** What a run left behind, from JSON; null if it left nothing by this name. */
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

/** The sentence about a project whose table is missing. */
export function missingData({ data }: Pick<StoredProject, "data">, { place }: Pick<Store, "place">): string {
  return `The data of this project, ${data.file}, are missing beside ${place}: bring back the file data/${data.sha256}.`;
}
