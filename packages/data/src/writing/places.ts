/** Resolves file names. Follows links to find the file behind a name, and gives the same key to two names of the same file. */
import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { badInput } from "@coterie/core/internal";

export interface Place {
  /** The path with all links resolved. The last link can point to a file that does not exist yet. */
  readonly path: string;
  /**
   * A key for comparisons: two names of the same file have the same key.
   * - existing file: the device and inode of the file
   * - new file: the device and inode of its folder, and the file's name
   * - folder, pipe or device: empty
   */
  readonly key: string;
  /** What exists at this place. A stream is a pipe, a device such as /dev/null, or a file that is already open, such as /dev/stdout. */
  readonly kind: "file" | "folder" | "stream" | "nothing";
  readonly mode: number | undefined;
}

/** Names of files that are already open, such as /dev/stdout. Another program owns the file behind such a name. */
const OPEN_FILE = /^\/(dev\/(stdin|stdout|stderr|fd\/)|proc\/)/;
const MOST_LINKS = 40;

/** Resolves a name. Throws if no file can have this name. */
export function placeOf(name: string): Place {
  try {
    return follow(name);
  } catch (error) {
    throw error instanceof Error && "code" in error ? nowhere(name, String(error.code)) : error;
  }
}

function follow(name: string): Place {
  // `path.resolve` would be wrong: it removes "link/..", but the system follows the link first and then goes to the parent folder.
  let path = isAbsolute(name) ? name : `${process.cwd()}${sep}${name}`;
  const info = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (path.endsWith(sep) || info?.isDirectory()) return { path, key: "", kind: "folder", mode: undefined };
  for (let links = 0; links <= MOST_LINKS; links++) {
    const folder = realFolder(dirname(path), name);
    path = join(folder, basename(path));
    if (info && (OPEN_FILE.test(path) || !info.isFile()))
      return { path, key: info.isFile() ? keyOf(info) : "", kind: "stream", mode: undefined };
    const next = linkAt(path);
    if (next === null) {
      if (info) return { path, key: keyOf(info), kind: "file", mode: Number(info.mode) & 0o777 };
      return {
        path,
        key: `${keyOf(statSync(folder, { bigint: true }))}/${folded(basename(path))}`,
        kind: "nothing",
        mode: undefined,
      };
    }
    path = isAbsolute(next) ? next : `${folder}${sep}${next}`;
  }
  throw nowhere(name, "ELOOP");
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function folded(name: string): string {
  return process.platform === "darwin" || process.platform === "win32" ? name.normalize("NFC").toLowerCase() : name;
}

function realFolder(folder: string, name: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw badInput(`The folder ${folder} does not exist.`, { file: name, remedy: "Create it first, or choose another folder." });
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    // Windows reports "UNKNOWN" for a path that is not a link.
    if (["EINVAL", "ENOENT", "UNKNOWN"].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

function nowhere(name: string, code: string): Error {
  const why = {
    ELOOP: "Links lead in a circle.",
    ENAMETOOLONG: "The name is too long for this disk.",
    ENOTDIR: "A part of the path is not a folder.",
  }[code];
  return badInput(why ?? `The file cannot be written here (${code}).`, { file: name, remedy: "Choose another path." });
}

/** The key of an existing file, as in `Place.key`, with links followed; null if the file does not exist. */
export function keyOfFile(path: string): string | null {
  return keyOrNull(() => statSync(path, { bigint: true }));
}

/** The key of an open file, as in `Place.key`. file: its descriptor, such as 0 for standard input. Null if it is not a file on a disk. */
export function keyOfOpen(file: number): string | null {
  return keyOrNull(() => fstatSync(file, { bigint: true }));
}

function keyOrNull(look: () => BigIntStats): string | null {
  try {
    const info = look();
    return info.isFile() ? keyOf(info) : null;
  } catch {
    return null;
  }
}
