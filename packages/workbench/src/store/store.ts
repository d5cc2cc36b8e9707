/**
 * Where projects are kept: a SQLite file behind a server, IndexedDB in a browser, memory in tests. All keep the same promises, which
 * `testing/store-suite.ts` checks.
 *
 * A promise that resolves means: on disk. Entries of the log are only ever appended, each once by its id.
 */
import { z } from "zod";
import type { Entry, NewEntry } from "../protocol/knowledge.js";
import { type Project, project, reading } from "../protocol/projects.js";
import { ReplyError } from "../protocol/reply-error.js";
import type { RunReply } from "../protocol/runs.js";
import type { Chunks } from "./bytes.js";

/** What is kept of a project; counts are made when somebody asks. */
export interface StoredProject
  extends Pick<Project, "id" | "name" | "created" | "changed" | "data" | "reading" | "k" | "policy"> {
  /** How the table was read while another column named its rows, up to which entry: those are in the names of then. */
  readonly named?: readonly { readonly upTo: number; readonly reading: Project["reading"] }[];
}

/** A stored project as a store checks it after reading. */
export const storedProjectSchema = project
  .pick({ id: true, name: true, created: true, changed: true, data: true, reading: true, k: true, policy: true })
  .extend({ named: z.array(z.object({ upTo: z.int(), reading })).optional() });

/** A project that cannot be read, and why. */
export interface DamagedProject {
  readonly id: string;
  readonly problem: string;
}

/** Bytes that a store took in, by their SHA-256. */
export interface HeldBytes {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Store {
  /** Where the projects are, as it is written in a sentence. */
  readonly place: string;
  /** Newest change first. */
  projects(): Promise<readonly (StoredProject | DamagedProject)[]>;
  project(id: string): Promise<StoredProject | null>;
  /** Inserts a project, and keeps the held bytes that it is about, in one step. False: another project has this id; nothing changed. */
  addProject(project: StoredProject): Promise<boolean>;
  /** Replaces the project of the same id; an error where there is none any more. */
  replaceProject(project: StoredProject): Promise<void>;
  /** With its log and its runs. Its bytes go unless they are held or another project is about them. */
  deleteProject(id: string): Promise<void>;

  /** Takes bytes in and holds them: they stay until they are released, and after that as long as a project is about them. */
  hold(chunks: Chunks): Promise<HeldBytes>;
  /** Ends one hold on these bytes. */
  release(sha256: string): Promise<void>;
  /** Bytes that are held, or that a project is about. */
  blob(sha256: string): Promise<Uint8Array | null>;
  hasBlob(sha256: string): Promise<boolean>;

  /** Appends entries with the next numbers; an entry whose id is known already comes back as it was kept. */
  append(project: string, entries: readonly NewEntry[], at: string): Promise<readonly Entry[]>;
  /** Entries after a number, in order. */
  entries(project: string, since: number): Promise<readonly Entry[]>;

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

/** The reply about a project that is not there. */
export function noProject(id: string, { place }: Pick<Store, "place">): ReplyError {
  return new ReplyError(404, {
    code: "not-found",
    message: `There is no project "${id}" in ${place}.`,
    remedy: "Open another project, or start the studio on the folder that has it, with --folder.",
  });
}
