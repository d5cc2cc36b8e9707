/**
 * The interface of a store of projects: a SQLite file on a server, IndexedDB in a browser, memory in tests. `testing/store-suite.ts` checks
 * all three against the same requirements.
 *
 * When a promise resolves, the data is on disk. Entries of the log are only ever appended, each id once.
 */
import { z } from "zod";
import type { Entry, NewEntry } from "../protocol/knowledge.js";
import { type Project, project, reading } from "../protocol/projects.js";
import { ReplyError } from "../protocol/reply-error.js";
import type { RunReply } from "../protocol/runs.js";
import type { Chunks } from "./bytes.js";

/** The stored fields of a project. Counts are computed on request. */
export interface StoredProject
  extends Pick<Project, "id" | "name" | "created" | "changed" | "data" | "reading" | "k" | "policy"> {
  /** Earlier readings of the table, if another column named its rows. Entries up to number `upTo` use the names of that reading. */
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
  /** The projects, most recently changed first. */
  projects(): Promise<readonly (StoredProject | DamagedProject)[]>;
  project(id: string): Promise<StoredProject | null>;
  /** Inserts a project and keeps the bytes it holds, in one step. False if another project has this id. */
  addProject(project: StoredProject): Promise<boolean>;
  /** Replaces the project with the same id. Throws if there is none. */
  replaceProject(project: StoredProject): Promise<void>;
  /** Deletes a project with its log and its runs. Deletes its bytes too, unless they are held or another project uses them. */
  deleteProject(id: string): Promise<void>;

  /** Stores bytes and holds them. After their release they stay as long as a project uses them. */
  hold(chunks: Chunks): Promise<HeldBytes>;
  release(sha256: string): Promise<void>;
  /** Bytes that are held or that a project uses; null if there are none. */
  blob(sha256: string): Promise<Uint8Array | null>;
  hasBlob(sha256: string): Promise<boolean>;

  /** Appends entries with the next numbers. An entry whose id is already known is not added; the stored entry is returned. */
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
