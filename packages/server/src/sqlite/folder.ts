/**
 * The folder of projects: made where there is none, its files private, locked by one studio at a time. What stands in the way is
 * an error in one sentence.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeLock } from "@coterie/data";
import { StoreError } from "../store-error.js";

export const PROJECT_FILE = "projects.coterie";

export interface OpenFolder {
  /** The project file itself, links followed. */
  readonly file: string;
  /** Where the tables are. */
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
    // The file is private before SQLite makes others beside it, which get the same permissions.
    closeSync(openSync(named, "a", 0o600));
  } catch (error) {
    throw unusable(folder, error as NodeJS.ErrnoException);
  }
  // Two folders may have links to one file: the lock lies beside the file itself.
  const file = realpathSync(named);
  const unlock = takeLock(`${file}.lock`, file, THING);
  for (const end of ["", "-wal", "-shm"]) makePrivate(`${file}${end}`);
  // Beside the link, where earlier versions put the tables, or beside the file.
  const data = [folder, dirname(file)].map((each) => join(each, "data"));
  return { file, data: data.find((each) => existsSync(each)) ?? data[1]!, unlock };
}

/** Like `mkdir -p`, but it ends where a parent takes no folders: Node's own goes on for ever in /proc. */
export function makeFolder(folder: string): void {
  const found = statOf(folder);
  if (found?.isDirectory()) return;
  if (found) throw Object.assign(new Error("a file"), { code: "ENOTDIR", path: folder });
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!statOf(folder)?.isDirectory()) throw error;
  }
}

/** Nothing where there is no such file, or where a parent is no folder. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** A file of another owner stays as it is. */
function makePrivate(file: string): void {
  try {
    if (((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0) chmodSync(file, 0o600);
  } catch {
    // It can be used all the same.
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
