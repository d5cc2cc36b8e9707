/**
 * Where projects are kept: a SQLite file behind a server, IndexedDB in a browser, memory in tests. All keep the same promises, which
 * `testing/store-suite.ts` checks.
 *
 * A promise that resolves means: on disk. Entries of the log are only ever appended, each once by its id.
 */
import type { Entry, NewEntry } from "../protocol/knowledge.js";
import type { Project } from "../protocol/projects.js";
import type { RunReply } from "../protocol/runs.js";

/** What is kept of a project; counts are made when somebody asks. */
export interface StoredProject
  extends Pick<Project, "id" | "name" | "created" | "changed" | "data" | "reading" | "k" | "policy"> {
  /** How the table was read while another column named its rows, up to which entry: those are in the names of then. */
  readonly named?: readonly { readonly upTo: number; readonly reading: Project["reading"] }[];
}

export interface Store {
  /** Newest change first. */
  projects(): Promise<readonly StoredProject[]>;
  project(id: string): Promise<StoredProject | null>;
  /** Inserts a project, or replaces the one of the same id. */
  putProject(project: StoredProject): Promise<void>;
  /** With its log and its runs; blobs stay while another project needs them. */
  deleteProject(id: string): Promise<void>;

  /** Appends entries with the next numbers; an entry whose id is known already comes back as it was kept. */
  append(project: string, entries: readonly NewEntry[], at: string): Promise<readonly Entry[]>;
  /** Entries after a number, in order. */
  entries(project: string, since: number): Promise<readonly Entry[]>;

  /** Bytes by their SHA-256. */
  putBlob(sha256: string, bytes: Uint8Array): Promise<void>;
  blob(sha256: string): Promise<Uint8Array | null>;

  /** The next free number of a run, taken at once so that no two runs share it. */
  takeRunNumber(project: string): Promise<number>;
  putRun(project: string, run: RunReply): Promise<void>;
  runs(project: string): Promise<readonly RunReply[]>;
  run(project: string, number: number): Promise<RunReply | null>;
  /** The report of a finished run, as JSON text, and what else it left behind, by name. */
  putArtifact(project: string, run: number, name: string, text: string): Promise<void>;
  artifact(project: string, run: number, name: string): Promise<string | null>;

  close(): Promise<void>;
}
