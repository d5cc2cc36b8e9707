/**
 * Opens the folder of projects. Its files are private, and a lock ensures that only one studio uses it. Errors are sentences for people.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeLock } from "@coterie/data";
import { StoreError } from "../store-error.js";

export const PROJECT_FILE = "projects.coterie";

export interface OpenFolder {
  readonly file: string;
  readonly data: string;
  unlock(): void;
}

const THING = {
  noun: "The project file",
  use: "has this project file open",
  option: "--folder",
  isPrivate: true,
};

export function openFolder(folder: string): OpenFolder {
  const named = join(folder, PROJECT_FILE);
  try {
    makeFolder(folder);
    // The file must be private from its creation on. SQLite gives its other files the same permissions.
    closeSync(openSync(named, "a", 0o600));
  } catch (error) {
    throw unusable(folder, error as NodeJS.ErrnoException);
  }
  // Two folders can link to the same project file, so the lock is beside the real file.
  const file = realpathSync(named);
  const unlock = takeLock(`${file}.lock`, file, THING);
  for (const end of ["", "-wal", "-shm"]) makePrivate(`${file}${end}`);
  // Earlier versions put data files in a folder beside the link. Now they are in a folder beside the real file.
  const data = [folder, dirname(file)].map((each) => join(each, "data"));
  return { file, data: data.find((each) => existsSync(each)) ?? data[1]!, unlock };
}

/** Like `mkdir -p`, but throws if a parent cannot contain folders. Node's own recursive mkdir never returns for such parents in /proc. */
export function makeFolder(folder: string): void {
  const found = statOf(folder);
  if (found?.isDirectory()) return;
  if (found) throw Object.assign(new Error("a file"), { code: "ENOTDIR", path: folder });
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process can have created the folder in the meantime.
    if (!statOf(folder)?.isDirectory()) throw error;
  }
}

/** What the system knows about a file; undefined if it does not exist or if a parent is not a folder. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

function makePrivate(file: string): void {
  try {
    if (((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0) chmodSync(file, 0o600);
  } catch {
    // The file can be used even if its permissions cannot be changed.
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: "is a file, not a folder",
  EEXIST: "is a file, not a folder",
  EISDIR: "is a folder, not a file",
  EACCES: "may not be written",
  EPERM: "may not be written",
  EROFS: "is on a disk that is read-only",
  ENOSPC: "is on a disk that is full",
  EDQUOT: "is on a disk that is full",
  ELOOP: "is a link that leads back to itself",
  ENAMETOOLONG: "has too long a name",
  ENOENT: "cannot be made",
};

export function unusable(folder: string, error: NodeJS.ErrnoException): StoreError {
  const reason = REASONS[error.code ?? ""] ?? `cannot be used (${error.code ?? error.message})`;
  const path = error.path ?? folder;
  return new StoreError(
    "unusable",
    `${path} ${reason}, so no projects can be kept in ${folder}. Name another folder with --folder.`,
    {
      cause: error,
    },
  );
}
