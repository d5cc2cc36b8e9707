/**
 * The interface of a store of projects. There are three stores: a SQLite file on a server, IndexedDB in a browser, memory in tests.
 * `testing/store-suite.ts` checks all three against the same requirements.
 *
 * When a promise resolves, the data is on disk. Entries of the log are only appended, and each id is appended only once.
 */
import { z } from "zod";
import type { Entry, NewEntry } from "../protocol/knowledge.js";
import { type Project, project, reading } from "../protocol/projects.js";
import { ReplyError } from "../protocol/reply-error.js";
import type { RunReply } from "../protocol/runs.js";
import type { Chunks } from "./bytes.js";

/** A project as it is stored. Numbers of constraints and runs are not stored; they are computed on request. */
export interface StoredProject
  extends Pick<Project, "id" | "name" | "created" | "changed" | "data" | "reading" | "k" | "policy"> {
  /** Earlier readings of the table. In each of them, another column named the rows. Log entries up to number `upTo` use these row names. */
  readonly named?: readonly { readonly upTo: number; readonly reading: Project["reading"] }[];
}

export const storedProjectSchema = project
  .pick({ id: true, name: true, created: true, changed: true, data: true, reading: true, k: true, policy: true })
  .extend({ named: z.array(z.object({ upTo: z.int(), reading })).optional() });

export interface DamagedProject {
  readonly id: string;
  readonly problem: string;
}

export interface HeldBytes {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Store {
  readonly place: string;
  /** Lists the projects, the most recently changed project first. */
  projects(): Promise<readonly (StoredProject | DamagedProject)[]>;
  project(id: string): Promise<StoredProject | null>;
  /**
   * Adds a project and keeps its data, in one step. The caller must hold the bytes of the data. Returns false if another project has the
   * same id.
   */
  addProject(project: StoredProject): Promise<boolean>;
  /** Replaces the stored project that has the same id. Throws if there is no such project. */
  replaceProject(project: StoredProject): Promise<void>;
  /** Deletes a project with its log and its runs. Its data are deleted too, unless they are held or another project uses them. */
  deleteProject(id: string): Promise<void>;

  /** Stores bytes and holds them until `release`. After the release, bytes are deleted if no project uses them. */
  hold(chunks: Chunks): Promise<HeldBytes>;
  release(sha256: string): Promise<void>;
  /** Returns the bytes with this SHA-256; null if they are neither held nor used by a project. */
  blob(sha256: string): Promise<Uint8Array | null>;
  hasBlob(sha256: string): Promise<boolean>;

  /** Appends entries and numbers them. If the log already has an entry with the same id, adds nothing and returns that entry. */
  append(project: string, entries: readonly NewEntry[], at: string): Promise<readonly Entry[]>;
  entries(project: string, since: number): Promise<readonly Entry[]>;

  takeRunNumber(project: string): Promise<number>;
  putRun(project: string, run: RunReply): Promise<void>;
  runs(project: string): Promise<readonly RunReply[]>;
  run(project: string, number: number): Promise<RunReply | null>;
  putArtifact(project: string, run: number, name: string, text: string): Promise<void>;
  artifact(project: string, run: number, name: string): Promise<string | null>;

  close(): Promise<void>;
}

export function noProject(id: string, { place }: Pick<Store, "place">): ReplyError {
  return new ReplyError(404, {
    code: "not-found",
    message: `There is no project "${id}" in ${place}.`,
    remedy: "Open another project, or start the studio on the folder that has it, with --folder.",
  });
}
